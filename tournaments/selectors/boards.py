"""The leaderboard: every entry ranked, a page of it with its holes."""

from dataclasses import dataclass

from games.models import Player
from tournaments import scorecard
from tournaments.models import Entry, HoleResult, Tournament
from tournaments.selectors.tournaments import HolePar, holes_of

#: Rows of one page of a leaderboard.
PAGE = 100


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
        rows = (
            Entry.objects.filter(tournament=tournament)
            .exclude(status=Entry.Status.REMOVED)
            .values_list("pk", "player_id", "name", "thru", "strokes", "to_par", "app_score")
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
