"""What is exported of a tournament: tables of plain values, as much as their reader may see.

Names of columns are for programs and never change with the language; `Column.about` says to people
what is in it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.models import Player
from tournaments.models import Entry, HoleResult, Tournament
from tournaments.selectors.boards import BoardHole, BoardRow, Leaderboard, leaderboard
from tournaments.selectors.sight import View, view_for
from tournaments.selectors.trace import Side, corrections_of, decisions

Value = str | int | bool | datetime | None

#: Entries of one tournament; a board has them all.
_ALL: Final = 10**9


class Column(NamedTuple):
    """A column's name, and what is in it."""

    name: str
    about: Promise


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with a value for each column; the rows are made as they are asked for, once."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[Value, ...]]


class Source:
    """What one reader may see of a tournament, read from the database once."""

    def __init__(self, tournament: Tournament, player: Player | None) -> None:
        self.tournament = tournament
        self.view: View = view_for(tournament=tournament, player=player)
        self.board: Leaderboard = leaderboard(tournament=tournament, size=_ALL, view=self.view)
        entries = Entry.objects.filter(tournament=tournament).order_by()
        self._divisions = dict(entries.values_list("pk", "division__name"))

    def division_of(self, row: BoardRow) -> str | None:
        """Return the name of an entry's division."""
        return self._divisions.get(row.entry_id)


# --- the board -----------------------------------------------------------------------------------

_WHO: Final = (
    Column("entry", _("The number of the entry, the same in all tables.")),
    Column("name", _("The player's name on the board.")),
    Column("division", _("The division, if there are any.")),
)
_BOARD: Final = (
    Column("place", _("The place; empty for who has none.")),
    Column("tied", _("Whether others have the same place.")),
    Column(
        "reason",
        _(
            "Why there is no place: no_hole (none is final), dnf (did not finish), dns (did not "
            "start), mc (missed the cut), wd (withdrew), dq (disqualified), nr (not ranked), nh "
            "(no handicap)."
        ),
    ),
    *_WHO,
    Column("thru", _("How many holes count.")),
    Column("strokes", _("Strokes of the holes that count.")),
    Column("to_par", _("Strokes less par, a whole number: -3 is three under par.")),
    Column("app_score", _("App score of the holes that count.")),
    Column("unplayed", _("How many of them were not played and count as the worst.")),
    Column("undos", _("Moves taken back.")),
    Column("hints", _("Hints asked for.")),
    Column("corrections", _("How many decisions of directors changed the entry.")),
    Column("round_1", _("Strokes of the first round, and so on; only where there are several.")),
)


def board_table(source: Source) -> Table:
    """Return the leaderboard, the best first."""
    rounds = tuple(f"round_{number}" for number in source.board.rounds)
    return Table(
        (*(column.name for column in _BOARD[:-1]), *rounds),
        (_board_line(source, row) for row in source.board.rows),
    )


def _board_line(source: Source, row: BoardRow) -> tuple[Value, ...]:
    standing, totals = row.standing, row.totals
    return (
        standing.place,
        standing.tied,
        None if standing.reason is None else standing.reason.value,
        row.entry_id,
        row.name,
        source.division_of(row),
        totals.thru,
        totals.strokes,
        totals.to_par,
        totals.app_score,
        standing.unplayed,
        row.undos,
        row.hints,
        row.corrections,
        *(totals.strokes for totals in row.rounds),
    )


# --- scorecards ----------------------------------------------------------------------------------

_CARDS: Final = (
    Column("place", _("The place; empty for who has none.")),
    *_WHO,
    Column("hole_1", _("Strokes of the first hole, and so on; empty where there is no result.")),
    Column("score_1", _("App score of the first hole, and so on.")),
)


def scorecards_table(source: Source) -> Table:
    """Return a line with all holes for each entry, in the order of the board."""
    numbers = [hole.number for hole in source.board.holes]
    return Table(
        (
            *(column.name for column in _CARDS[:-2]),
            *(f"hole_{number}" for number in numbers),
            *(f"score_{number}" for number in numbers),
        ),
        (
            (
                row.standing.place,
                row.entry_id,
                row.name,
                source.division_of(row),
                *(hole.strokes for hole in row.holes),
                *(hole.app_score for hole in row.holes),
            )
            for row in source.board.rows
        ),
    )


# --- results -------------------------------------------------------------------------------------

_RESULTS: Final = (
    *_WHO,
    Column("round", _("The round that the hole is of.")),
    Column("hole", _("The hole's number.")),
    Column("par", _("Its par.")),
    Column("void", _("Whether it counts for nobody.")),
    Column("strokes", _("Strokes; below par they may be negative.")),
    Column("to_par", _("Strokes less par, a whole number.")),
    Column("app_score", _("App score.")),
    Column("corrected", _("Whether the figures are a director's.")),
    Column("time_ms", _("Thousandths of a second played; empty where nothing was played.")),
    Column("moves", _("Plays and draws.")),
    Column("undos", _("Moves taken back.")),
    Column("hints", _("Hints asked for.")),
)
_Played = dict[tuple[int, int], tuple[int, int, int, int]]


def results_table(source: Source) -> Table:
    """Return a line for each hole that is final, entry by entry in the order of the board."""
    return Table(
        tuple(column.name for column in _RESULTS), _result_lines(source, _played(source.tournament))
    )


def _played(tournament: Tournament) -> _Played:
    """Return how holes were played, by entry and number."""
    rows = HoleResult.objects.filter(entry__tournament=tournament, is_final=True).exclude(game=None)
    columns = (
        "entry_id", "hole__number", "game__time_ms", "game__moves_made", "game__undos",
        "game__hints",
    )  # fmt: skip
    return {
        (entry_id, number): (time_ms, moves, undos, hints)
        for entry_id, number, time_ms, moves, undos, hints in rows.order_by().values_list(*columns)
    }


def _result_lines(source: Source, played: _Played) -> Iterator[tuple[Value, ...]]:
    for row in source.board.rows:
        who = (row.entry_id, row.name, source.division_of(row))
        for hole in row.holes:
            if hole.strokes is not None and not hole.is_unplayed:
                yield (
                    *who,
                    *_hole_line(hole),
                    *played.get((row.entry_id, hole.number), (None,) * 4),
                )


def _hole_line(hole: BoardHole) -> tuple[Value, ...]:
    return (
        hole.round,
        hole.number,
        hole.par,
        hole.is_void,
        hole.strokes,
        hole.to_par,
        hole.app_score,
        hole.is_corrected,
    )


# --- corrections ---------------------------------------------------------------------------------

_CORRECTIONS: Final = (
    Column("at", _("When, in UTC.")),
    Column(
        "kind",
        _(
            "What was decided: adjust, restore, void, unvoid, disqualify, reinstate, withdraw, "
            "add, remove, extend or division."
        ),
    ),
    *_WHO[:2],
    Column("hole", _("The hole's number, where it is about one.")),
    Column("before_strokes", _("Strokes before.")),
    Column("before_app_score", _("App score before.")),
    Column("after_strokes", _("Strokes since.")),
    Column("after_app_score", _("App score since.")),
    Column("before", _("What else was before: a status, a time, a division, or void.")),
    Column("after", _("What else is since.")),
    Column("reason", _("Why.")),
    Column("by", _("Who decided.")),
)


def corrections_table(source: Source) -> Table:
    """Return what directors decided, the earliest first."""
    rows = corrections_of(tournament=source.tournament, view=source.view).order_by("pk")
    return Table(
        tuple(column.name for column in _CORRECTIONS),
        (
            (
                decision.row.at,
                decision.row.kind,
                decision.row.entry_id,
                None if decision.row.entry is None else decision.row.entry.name,
                None if decision.row.hole is None else decision.row.hole.number,
                decision.before.strokes,
                decision.before.app_score,
                decision.after.strokes,
                decision.after.app_score,
                _other(decision.row.before, decision.before),
                _other(decision.row.after, decision.after),
                decision.row.reason,
                decision.row.by.name,
            )
            for decision in decisions(list(rows), view=source.view)
        ),
    )


def _other(data: dict[str, str], side: Side) -> Value:
    """Return a side that is no figure, by its code."""
    if side.status is not None:
        return data["status"]
    if side.until is not None:
        return side.until
    return side.is_void if side.division is None else side.division


# --- all of them ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Export:
    """A table that can be exported: what it is called, what is in it, and how it is made."""

    title: Promise
    columns: tuple[Column, ...]
    table: Callable[[Source], Table]


EXPORTS: Final[dict[str, Export]] = {
    "board": Export(_("Leaderboard"), _BOARD, board_table),
    "scorecards": Export(_("Scorecards"), _CARDS, scorecards_table),
    "results": Export(_("Results hole by hole"), _RESULTS, results_table),
    "corrections": Export(_("Corrections"), _CORRECTIONS, corrections_table),
}


def holes_in(source: Source) -> Iterable[dict[str, Value]]:
    """Return what the holes of a tournament are, without what is dealt there."""
    return [
        {"hole": hole.number, "round": hole.round, "par": hole.par, "void": hole.is_void}
        for hole in source.board.holes
    ]
