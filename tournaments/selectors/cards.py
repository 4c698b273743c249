"""One entry: its scorecard and, once everybody may see them, its games."""

from dataclasses import dataclass

from games.models import Game
from tournaments import scorecard
from tournaments.models import Entry, Hole, HoleResult, Tournament
from tournaments.selectors.sight import View


@dataclass(frozen=True, slots=True)
class CardHole:
    """One hole of a player's own scorecard.

    `game` is the attempt, None before the hole was started. `strokes` and `app_score` are None
    until it is final.
    """

    number: int
    par: int
    game: Game | None = None
    strokes: int | None = None
    app_score: int | None = None
    is_void: bool = False

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
    """An entry's holes in order with its games, its totals, and the par of the holes that count.

    For whoever plays them; what others may see of a card is a row of the board (`row_of`).
    """

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
        return self.totals.finished(sum(not hole.is_void for hole in self.holes))


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
        if hole.strokes is not None and hole.app_score is not None and not hole.is_void
    )
    return Card(entry, holes, total, sum(hole.par for hole in holes if not hole.is_void))


def _card_hole(hole: Hole, result: HoleResult | None) -> CardHole:
    if result is None:
        return CardHole(hole.number, hole.par, is_void=hole.is_void)
    return CardHole(
        hole.number, hole.par, result.game, result.strokes, result.app_score, hole.is_void
    )


def entry_to_show(*, tournament: Tournament, entry_id: int) -> Entry:
    """Return an entry of the tournament with its player; one that was removed is not shown.

    Raises `Entry.DoesNotExist`.
    """
    entries = Entry.objects.select_related("player").exclude(status=Entry.Status.REMOVED)
    return entries.get(pk=entry_id, tournament=tournament)


def par_of(*, tournament: Tournament, number: int) -> int:
    """Return the par of a hole of a tournament.

    Raises `Hole.DoesNotExist`.
    """
    return Hole.objects.values_list("par", flat=True).get(tournament=tournament, number=number)


def finished_game_of(*, entry: Entry, number: int, view: View) -> Game:
    """Return the game of an entry's hole once everybody, and this reader, may see its cards.

    Raises `Game.DoesNotExist`, also before the tournament is closed, and while its standing is kept
    from the reader.
    """
    if not view.is_whole:
        raise Game.DoesNotExist
    return Game.objects.get(
        hole_result__entry=entry,
        hole_result__hole__number=number,
        hole_result__entry__tournament__closed_at__isnull=False,
        is_secret=False,
    )


def moves_of_holes(*, entry: Entry) -> dict[int, int]:
    """Return how many moves the finished holes took, by number, once their cards are open."""
    games = HoleResult.objects.filter(
        entry=entry, entry__tournament__closed_at__isnull=False, game__is_secret=False
    )
    return dict(games.values_list("hole__number", "game__moves_made"))


def lines_of_hole(*, tournament: Tournament, number: int) -> list[HoleResult]:
    """Return the results of a hole whose games can be told, the best first, with entry and game.

    Those of entries that were removed are left out. The caller knows that the cards are open.
    """
    results = HoleResult.objects.filter(
        hole__tournament=tournament,
        hole__number=number,
        is_final=True,
        game__finished_at__isnull=False,
        game__damaged_at=None,
        game__is_secret=False,
    ).exclude(entry__status=Entry.Status.REMOVED)
    by_score = tournament.rank_by == Tournament.RankBy.APP_SCORE
    order = ("-app_score", "strokes") if by_score else ("strokes", "-app_score")
    return list(
        results.select_related("entry__player", "game").order_by(*order, "game__time_ms", "pk")
    )
