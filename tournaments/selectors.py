"""Everything that is read about tournaments.

Figures of final holes are open to all. Cards and codes are open to nobody before the tournament
is closed, so nothing here hands them out before.
"""

from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from games.models import Game, Player
from tournaments import scorecard
from tournaments.models import Entry, Hole, HoleResult, Tournament

#: Rows of one page of a leaderboard.
PAGE = 100


# --- tournaments -------------------------------------------------------------------------------


def tournaments() -> QuerySet[Tournament]:
    """Return all tournaments with their clubs, and `players`, how many have entered."""
    return Tournament.objects.select_related("club").annotate(players=Count("entries"))


def clubs_tournaments() -> QuerySet[Tournament]:
    """Return all `tournaments` but the nine holes of the days, which are listed by themselves."""
    return tournaments().filter(day=None)


def nine_of(*, day: date) -> Tournament | None:
    """Return the nine holes of a day with `players`, None when there are none."""
    return tournaments().filter(day=day).first()


def earlier_nines(*, day: date, count: int) -> list[Tournament]:
    """Return the nine holes of the last `count` days before `day` that had any, latest first."""
    return list(tournaments().filter(day__lt=day).order_by("-day")[:count])


def open_tournaments() -> QuerySet[Tournament]:
    """Return clubs' tournaments that can be played now, the one that closes next first."""
    now = timezone.now()
    running = Q(opens_at__lte=now, closes_at__gt=now, closed_at=None)
    return clubs_tournaments().filter(running).order_by("closes_at", "pk")


def upcoming_tournaments() -> QuerySet[Tournament]:
    """Return clubs' tournaments that have not opened yet, the next one first."""
    return clubs_tournaments().filter(opens_at__gt=timezone.now()).order_by("opens_at", "pk")


def past_tournaments() -> QuerySet[Tournament]:
    """Return clubs' tournaments whose time is over, the latest first."""
    return clubs_tournaments().filter(closes_at__lte=timezone.now()).order_by("-closes_at", "-pk")


def tournament_of(*, slug: str) -> Tournament:
    """Return the tournament of that address with its club.

    Raises `Tournament.DoesNotExist`.
    """
    return Tournament.objects.select_related("club").get(slug=slug)


def room_of(*, slug: str) -> str:
    """Return the name of the room in which changes of the leaderboard are told."""
    return f"tournament:{slug}"


def board_version(*, slug: str) -> int:
    """Return the version of the tournament's leaderboard.

    Raises `Tournament.DoesNotExist`.
    """
    return Tournament.objects.values_list("board_version", flat=True).get(slug=slug)


def entry_of(*, tournament: Tournament, player: Player) -> Entry | None:
    """Return the player's entry, None when there is none."""
    return Entry.objects.filter(tournament=tournament, player=player).first()


def count_entries(*, tournament: Tournament) -> int:
    """Return how many players have entered."""
    return Entry.objects.filter(tournament=tournament).count()


@dataclass(frozen=True, slots=True)
class HolePar:
    """A hole's number, from 1, and its par."""

    number: int
    par: int


def holes_of(*, tournament: Tournament) -> list[HolePar]:
    """Return the holes in order, without what is dealt there."""
    rows = Hole.objects.filter(tournament=tournament).order_by("number")
    return [HolePar(number, par) for number, par in rows.values_list("number", "par")]


# --- the leaderboard ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoardHole:
    """One hole in a row of the board; `strokes` and `app_score` are None until it is final."""

    number: int
    par: int
    strokes: int | None = None
    app_score: int | None = None


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One entry on the board, with its holes in order."""

    entry_id: int
    player_id: int
    name: str
    standing: scorecard.Standing[int]
    holes: tuple[BoardHole, ...]

    @property
    def totals(self) -> scorecard.Totals:
        """The totals of the final holes."""
        return self.standing.totals

    @property
    def is_finished(self) -> bool:
        """Whether all holes are final."""
        return self.totals.finished(len(self.holes))


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """One page of a tournament's board.

    `version` is the board's at the least: a row may be newer, never older. `is_closed` says that
    places are for good. `entries` counts all entries, `page` and `pages` count from 1. `mine` is
    the row of the player who asked, `my_page` the page that it is on.
    """

    version: int
    is_closed: bool
    holes: tuple[HolePar, ...]
    rows: tuple[BoardRow, ...]
    entries: int
    page: int
    pages: int
    mine: BoardRow | None
    my_page: int | None


def leaderboard(
    *, tournament: Tournament, page: int = 1, size: int = PAGE, player: Player | None = None
) -> Leaderboard:
    """Return a page of the board, at most `size` rows; a page beyond the last is the last.

    `tournament` must have been read before: the page is at least as new as its version.
    """
    holes = tuple(holes_of(tournament=tournament))
    field = _Field(tournament, len(holes))
    pages = max(1, -(-len(field.table) // size))
    page = min(max(page, 1), pages)
    mine = None if player is None else field.place_of(player)
    shown = field.table[(page - 1) * size : page * size]
    wanted = shown if mine is None else [*shown, field.table[mine]]
    figures = _figures([standing.key for standing in wanted])
    rows = [field.row(standing, holes, figures) for standing in wanted]
    return Leaderboard(
        version=tournament.board_version,
        is_closed=tournament.is_revealed,
        holes=holes,
        rows=tuple(rows[: len(shown)]),
        entries=len(field.table),
        page=page,
        pages=pages,
        mine=None if mine is None else rows[-1],
        my_page=None if mine is None else mine // size + 1,
    )


_Figures = dict[tuple[int, int], tuple[int, int]]


class _Field:
    """All entries of a tournament, ranked; equals are listed by name."""

    def __init__(self, tournament: Tournament, holes: int) -> None:
        rows = Entry.objects.filter(tournament=tournament).values_list(
            "pk", "player_id", "player__name", "thru", "strokes", "to_par", "app_score"
        )
        self.names: dict[int, str] = {}
        self.players: dict[int, int] = {}
        entries: list[tuple[int, scorecard.Totals]] = []
        for pk, player_id, name, *figures in rows:
            self.names[pk], self.players[pk] = name, player_id
            entries.append((pk, scorecard.Totals(*figures)))
        entries.sort(key=lambda entry: (self.names[entry[0]].casefold(), entry[0]))
        self.table = scorecard.rank(
            entries,
            holes=holes,
            rank_by=scorecard.RankBy(tournament.rank_by),
            closed=tournament.is_revealed,
        )

    def place_of(self, player: Player) -> int | None:
        """Return the index of the player's row."""
        rows = enumerate(self.table)
        return next((at for at, row in rows if self.players[row.key] == player.pk), None)

    def row(
        self, standing: scorecard.Standing[int], holes: tuple[HolePar, ...], figures: _Figures
    ) -> BoardRow:
        """Return what the board shows of an entry."""
        return BoardRow(
            entry_id=standing.key,
            player_id=self.players[standing.key],
            name=self.names[standing.key],
            standing=standing,
            holes=tuple(
                BoardHole(hole.number, hole.par, *figures.get((standing.key, hole.number), ()))
                for hole in holes
            ),
        )


def _figures(entry_ids: list[int]) -> _Figures:
    """Return strokes and app score of the final holes, by entry and hole number."""
    results = HoleResult.objects.filter(entry__in=entry_ids, is_final=True).order_by()
    rows = results.values_list("entry_id", "hole__number", "strokes", "app_score")
    return {
        (entry_id, number): (strokes, app_score)
        for entry_id, number, strokes, app_score in rows
        if strokes is not None and app_score is not None
    }


# --- one entry ---------------------------------------------------------------------------------


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
            if hole.game is None or hole.game.finished_at is None:
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
