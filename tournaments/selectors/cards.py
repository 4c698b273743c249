"""One entry: its scorecard and, once everybody may see them, its games."""

from dataclasses import dataclass

from games.models import Game
from tournaments import scorecard
from tournaments.models import Entry, Hole, HoleResult, Tournament


@dataclass(frozen=True, slots=True)
class CardHole:
    """One hole of a scorecard.

    `game` is the attempt, None before the hole was started. `strokes` and `app_score` are None
    until it is final.
    """

    number: int
    par: int
    game: Game | None = None
    strokes: int | None = None
    app_score: int | None = None

    @property
    def is_final(self) -> bool:
        """Whether the hole counts."""
        return self.strokes is not None

    @property
    def to_par(self) -> int | None:
        """Strokes less par."""
        return None if self.strokes is None else self.strokes - self.par


@dataclass(frozen=True, slots=True)
class Card:
    """An entry's holes in order, its totals, and the par of all holes."""

    entry: Entry
    holes: tuple[CardHole, ...]
    totals: scorecard.Totals
    par: int

    @property
    def next_hole(self) -> CardHole | None:
        """The hole to play or to go on with; None when all are finished.

        A game that is over counts as finished, though its result may be recorded a moment later.
        """
        for hole in self.holes:
            if hole.strokes is None and (hole.game is None or hole.game.finished_at is None):
                return hole
        return None

    @property
    def is_finished(self) -> bool:
        """Whether all holes are final."""
        return self.totals.finished(len(self.holes))


def scorecard_of(*, entry: Entry) -> Card:
    """Return the scorecard of an entry."""
    results = HoleResult.objects.filter(entry=entry).select_related("game")
    by_hole = {result.hole_id: result for result in results.order_by()}
    holes = tuple(
        _card_hole(hole, by_hole.get(hole.pk))
        for hole in Hole.objects.filter(tournament=entry.tournament_id).order_by("number")
    )
    total = scorecard.totals(
        scorecard.HoleScore(hole.number, hole.par, hole.strokes, hole.app_score)
        for hole in holes
        if hole.strokes is not None and hole.app_score is not None
    )
    return Card(entry, holes, total, sum(hole.par for hole in holes))


def _card_hole(hole: Hole, result: HoleResult | None) -> CardHole:
    if result is None:
        return CardHole(hole.number, hole.par)
    return CardHole(hole.number, hole.par, result.game, result.strokes, result.app_score)


def entry_to_show(*, tournament: Tournament, entry_id: int) -> Entry:
    """Return an entry of the tournament with its player.

    Raises `Entry.DoesNotExist`.
    """
    return Entry.objects.select_related("player").get(pk=entry_id, tournament=tournament)


def par_of(*, tournament: Tournament, number: int) -> int:
    """Return the par of a hole of a tournament.

    Raises `Hole.DoesNotExist`.
    """
    return Hole.objects.values_list("par", flat=True).get(tournament=tournament, number=number)


def finished_game_of(*, entry: Entry, number: int) -> Game:
    """Return the game of an entry's hole once everybody may see its cards.

    Raises `Game.DoesNotExist`, also before the tournament is closed.
    """
    return Game.objects.get(
        hole_result__entry=entry,
        hole_result__hole__number=number,
        hole_result__entry__tournament__closed_at__isnull=False,
        is_secret=False,
    )
