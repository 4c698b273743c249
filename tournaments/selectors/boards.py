"""The leaderboard: every entry ranked, a page of it with its holes, for one reader."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from django.utils import timezone

from games.models import Player
from tournaments import scorecard
from tournaments.models import Division, PlayedHole, Tournament, holes_of_text
from tournaments.selectors.fields import (
    MOST_ENTRIES,
    MOST_FIELDS,
    Course,
    CourseHole,
    Field,
    FieldEntry,
    course_of,
    terms_of,
)
from tournaments.selectors.handicaps import has_handicaps
from tournaments.selectors.sight import WHOLE, View, view_for

#: Rows of one page of a leaderboard.
PAGE: Final = 100


class Format(StrEnum):
    """How the same cards are reckoned: as the tournament is played, or otherwise."""

    STROKE = "stroke"
    STABLEFORD = "stableford"
    NET = "net"


class BoardHole(NamedTuple):
    """One hole in a row of the board; `strokes` and `app_score` are None until it is final.

    `is_unplayed`: it was not played and counts as the worst.
    """

    number: int
    par: int
    strokes: int | None = None
    app_score: int | None = None
    is_void: bool = False
    is_corrected: bool = False
    is_unplayed: bool = False
    round: int = 1

    @property
    def to_par(self) -> int | None:
        """Strokes less par."""
        return None if self.strokes is None else self.strokes - self.par

    @property
    def points(self) -> int | None:
        """Its Stableford points."""
        return None if self.strokes is None else scorecard.stableford_points(self.par, self.strokes)


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One entry on the board, with its holes in order.

    :param thru: how many holes of the session that is shown are final, void ones left out. Where
        figures are kept back it may be more than the row shows figures of.
    :param is_finished: whether all of them are.
    :param today: the totals of that session; None where there is one session only.
    :param rounds: the totals of each round; empty where there is one round only.
    :param corrections: how many decisions changed this entry.
    """

    entry_id: int
    player_id: int
    name: str
    standing: scorecard.Standing[int]
    holes: tuple[BoardHole, ...]
    thru: int = 0
    is_finished: bool = False
    today: scorecard.Totals | None = None
    rounds: tuple[scorecard.Totals, ...] = ()
    corrections: int = 0
    undos: int = 0
    hints: int = 0
    handicap: int | None = None

    @property
    def totals(self) -> scorecard.Totals:
        """The totals of the holes that count."""
        return self.standing.totals


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """One page of a tournament's board.

    :param version: the board's at the least: a row may be newer, never older.
    :param is_closed: whether nobody can play any more, as far as the reader may know.
    :param rounds: the numbers of the rounds where there are several.
    :param has_today: whether rounds are played at different times; then those of `session` are
        shown as today's, until `next_session_at`.
    :param entries: how many there are on this board, found or not.
    :param found: how many the reader was looking for.
    :param page: from 1, of `pages`.
    :param mine: the row of who asks, `my_page` the page that it is on.
    """

    version: int
    view: View
    format: Format
    rank_by: scorecard.RankBy
    is_closed: bool
    holes: tuple[CourseHole, ...]
    rounds: tuple[int, ...]
    session: int
    has_today: bool
    next_session_at: datetime | None
    division_id: int | None
    rows: tuple[BoardRow, ...]
    entries: int
    found: int
    page: int
    pages: int
    mine: BoardRow | None
    my_page: int | None


def leaderboard(
    *,
    tournament: Tournament,
    page: int = 1,
    size: int = PAGE,
    player: Player | None = None,
    view: View | None = None,
    format: Format = Format.STROKE,  # noqa: A002 (as the address of the page says)
    division: Division | None = None,
    query: str = "",
) -> Leaderboard:
    """Return a page of the board, at most `size` rows; a page beyond the last is the last.

    `player` is who asks, None a visitor; `view` by default what they may see. `query` leaves those
    whose name holds it. `tournament` must have been read before: the page is at least as new as its
    version.
    """
    view = view_for(tournament=tournament, player=player) if view is None else view
    with _board(tournament, view, format, division) as rows:
        wanted = rows.found(query)
        pages = max(1, -(-len(wanted) // size))
        page = min(max(page, 1), pages)
        mine = None if player is None else rows.index_of(player)
        return Leaderboard(
            version=rows.version,
            view=view,
            format=format,
            rank_by=rows.terms.rank_by,
            is_closed=rows.terms.closed,
            holes=rows.course.holes,
            rounds=rows.rounds,
            session=rows.session,
            has_today=rows.has_today,
            next_session_at=rows.next_session_at,
            division_id=None if division is None else division.pk,
            rows=tuple(rows.row(at) for at in wanted[(page - 1) * size : page * size]),
            entries=len(rows),
            found=len(wanted),
            page=page,
            pages=pages,
            mine=None if mine is None else rows.row(mine),
            my_page=None if mine is None or mine not in wanted else wanted.index(mine) // size + 1,
        )


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A reader's own row, and the page that it is on; None where it was not looked for."""

    row: BoardRow
    page: int | None


def own_row(
    *,
    tournament: Tournament,
    player: Player,
    view: View,
    format: Format = Format.STROKE,  # noqa: A002 (as the address of the page says)
    division: Division | None = None,
    query: str = "",
    size: int = PAGE,
) -> OwnRow | None:
    """Return a player's row of the board that `leaderboard` pages; None where there is none."""
    with _board(tournament, view, format, division) as rows:
        at = rows.index_of(player)
        if at is None:
            return None
        wanted = rows.found(query)
        page = wanted.index(at) // size + 1 if at in wanted else None
        return OwnRow(rows.row(at), page)


def row_of(
    *,
    tournament: Tournament,
    entry_id: int,
    view: View,
    format: Format = Format.STROKE,  # noqa: A002 (as the address of the page says)
    division: Division | None = None,
) -> BoardRow | None:
    """Return one entry's row of a board, None where it is not on it, as far as the reader knows."""
    with _board(tournament, view, format, division) as rows:
        at = rows.index(entry_id)
        return None if at is None else rows.row(at)


@dataclass(frozen=True, slots=True)
class MatchBoard:
    """A match between two entries, and their rows of the board."""

    first: BoardRow
    second: BoardRow
    match: scorecard.Match


def match_of(
    *, tournament: Tournament, first_id: int, second_id: int, view: View
) -> MatchBoard | None:
    """Return a match between two entries by the figure that ranks, None without one of them."""
    with _board(tournament, view, Format.STROKE, None) as rows:
        first, second = rows.index(first_id), rows.index(second_id)
        if first is None or second is None:
            return None
        match = scorecard.play_match(
            rows.terms.holes,
            rows.line(first_id).scores,
            rows.line(second_id).scores,
            by_app_score=rows.terms.rank_by == scorecard.RankBy.APP_SCORE,
            closed=rows.terms.closed,
        )
        return MatchBoard(rows.row(first), rows.row(second), match)


def standings(
    *,
    tournament: Tournament,
    view: View = WHOLE,
    format: Format = Format.STROKE,  # noqa: A002 (as the address of the page says)
    division: Division | None = None,
) -> list[scorecard.Standing[int]]:
    """Return where every entry stands, by its id, the best first; read anew from the database.

    For whoever decides by it: a cut, points of a season. `View(through=9)` is the standing after
    the ninth hole.
    """
    field = Field(tournament.pk)
    field.refresh(tournament)
    rows = _rows(field, tournament, view, format, division)
    return [rows.row(at).standing for at in range(len(rows))]


def places(*, tournaments: Collection[Tournament]) -> Iterator[tuple[Tournament, dict[int, int]]]:
    """Give tournaments with the place of each player who has one, in two queries for all of them.

    As who may see everything knows them: what is kept back is for the caller to leave out.
    """
    if not tournaments:
        return
    for tournament, field, course in Field.many(tournaments):
        rank_by = scorecard.RankBy(tournament.rank_by)
        terms = terms_of(tournament=tournament, course=course, rank_by=rank_by)
        table = scorecard.rank(
            (field.line(entry, terms) for entry in field.entries.values()), terms
        )
        yield (
            tournament,
            {
                field.entries[standing.key].player_id: standing.place
                for standing in table
                if standing.place is not None
            },
        )


@dataclass(frozen=True, slots=True)
class WholeField:
    """All entries of a tournament as a reader may know them, in no order.

    :param version: the board's at the least.
    """

    version: int
    course: Course
    entries: tuple[FieldEntry, ...]


def whole_field(*, tournament: Tournament, view: View) -> WholeField:
    """Return all entries, with the figures also of holes that `view` does not show."""
    with _fields.locked(tournament) as field:
        course = course_of(tournament=tournament, view=view)
        return WholeField(field.version, course, tuple(field.seen(course, view).values()))


@dataclass(frozen=True, slots=True)
class CardRound:
    """One round of a scorecard: its holes, and the par and the totals of those that count."""

    number: int
    holes: tuple[BoardHole, ...]
    par: int
    totals: scorecard.Totals


def rounds_of(row: BoardRow) -> list[CardRound]:
    """Return a row of a board as the rounds of a scorecard."""
    numbers = sorted({hole.round for hole in row.holes})
    totals = row.rounds or (row.totals,)
    found = []
    for number, total in zip(numbers, totals, strict=True):
        holes = tuple(hole for hole in row.holes if hole.round == number)
        par = sum(hole.par for hole in holes if not hole.is_void)
        found.append(CardRound(number, holes, par, total))
    return found


def formats_of(tournament: Tournament) -> list[Format]:
    """Return the formats that a tournament's board has."""
    return [each for each in Format if each != Format.NET or has_handicaps(tournament)]


def divisions_of(*, tournament: Tournament) -> list[Division]:
    """Return the divisions, each with a board of its own."""
    return list(Division.objects.filter(tournament=tournament).order_by("pk"))


def _rank_by(tournament: Tournament, format_: Format) -> scorecard.RankBy:
    if format_ == Format.STROKE:
        return scorecard.RankBy(tournament.rank_by)
    return scorecard.RankBy(format_.value)


@contextmanager
def _board(
    tournament: Tournament, view: View, format_: Format, division: Division | None
) -> Iterator["_Rows"]:
    """Give the rows of a board, up to date; they are to be read before anybody else's."""
    with _fields.locked(tournament) as field:
        yield _rows(field, tournament, view, format_, division)


def _rows(
    field: Field,
    tournament: Tournament,
    view: View,
    format_: Format,
    division: Division | None,
) -> "_Rows":
    course = course_of(tournament=tournament, view=view)
    ranking = field.ranking(
        tournament=tournament,
        course=course,
        terms=terms_of(
            tournament=tournament, course=course, rank_by=_rank_by(tournament, format_), view=view
        ),
        view=view,
        division_id=None if division is None else division.pk,
    )
    return _Rows(field, course, view, ranking)


class _Rows:
    """The rows of one ranking, for one reader, made as they are asked for."""

    def __init__(
        self, field: Field, course: Course, view: View, ranking: scorecard.Ranking[int]
    ) -> None:
        self._field = field
        self._view = view
        self._ranking = ranking
        self._entries = field.seen(course, view)
        self.course = course
        self.version = field.version
        self.terms = ranking.terms
        self.session = course.session(timezone.now() if view.at is None else view.at)
        self.has_today = len(course.opened) > 1
        later = course.opened[self.session + 1 :]
        self.next_session_at = later[0] if later and view.at is None else None
        numbers = sorted({hole.round for hole in course.holes})
        self.rounds = tuple(numbers) if len(numbers) > 1 else ()
        counted = [hole for hole in course.holes if not hole.is_void]
        self._today = {hole.number for hole in counted if hole.session == self.session}
        self._in_round = {
            number: {hole.number for hole in counted if hole.round == number} for number in numbers
        }

    def __len__(self) -> int:
        return len(self._ranking)

    def found(self, query: str) -> Sequence[int]:
        """Return the indices of the entries whose name holds `query`."""
        sought = query.strip().casefold()
        if not sought:
            return range(len(self._ranking))
        return [
            at
            for at, key in enumerate(self._ranking.keys())
            if sought in self._entries[key].sort_name
        ]

    def index(self, entry_id: int) -> int | None:
        """Return the index of an entry, None where it is not on this board."""
        try:
            return self._ranking.index(entry_id)
        except KeyError:
            return None

    def index_of(self, player: Player) -> int | None:
        """Return the index of a player's entry, None where it is not on this board."""
        entry_id = self._field.of_player.get(player.pk)
        return None if entry_id is None else self.index(entry_id)

    def line(self, entry_id: int) -> scorecard.Line[int]:
        """Return an entry as it is ranked."""
        return self._field.line(self._entries[entry_id], self.terms, self._view)

    def row(self, at: int) -> BoardRow:
        """Return the row at an index of the ranking."""
        (key,) = self._ranking.keys(at, at + 1)
        entry = self._entries[key]
        line = self.line(key)
        scores = self._ranking.scores(line)
        final = holes_of_text(entry.played)
        played = {hole.number: hole for hole in final if self._view.shows_hole(hole.number)}
        thru = len(self._today & {hole.number for hole in final})
        if self._view.through is None:
            thru = len(self._today & {score.number for score in scores})
        counted = {score.number: score for score in scores}
        return BoardRow(
            entry_id=entry.pk,
            player_id=entry.player_id,
            name=entry.name,
            standing=self._ranking.standing(at, line),
            holes=tuple(
                _hole(hole, played.get(hole.number), counted.get(hole.number))
                for hole in self.course.holes
            ),
            thru=thru,
            is_finished=0 < thru == len(self._today),
            today=_totals(scores, self._today) if self.has_today else None,
            rounds=tuple(_totals(scores, self._in_round[number]) for number in self.rounds),
            corrections=entry.corrections
            if self._view.through is None
            else sum(hole.is_corrected for hole in played.values()),
            undos=sum(hole.undos for hole in played.values()),
            hints=sum(hole.hints for hole in played.values()),
            handicap=line.handicap,
        )


def _hole(
    hole: CourseHole, played: PlayedHole | None, counted: scorecard.HoleScore | None
) -> BoardHole:
    """Return a hole of a row: what was played, or what it counts without."""
    score = played or counted
    strokes, app_score = (None, None) if score is None else (score.strokes, score.app_score)
    is_corrected = played is not None and played.is_corrected
    is_unplayed = played is None and counted is not None
    return BoardHole(
        hole.number, hole.par, strokes, app_score, hole.is_void, is_corrected, is_unplayed,
        hole.round,
    )  # fmt: skip


def _totals(scores: Iterable[scorecard.HoleScore], numbers: Collection[int]) -> scorecard.Totals:
    return scorecard.totals(score for score in scores if score.number in numbers)


class _Fields:
    """The fields that this process has read last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, datetime], Field] = OrderedDict()

    @contextmanager
    def locked(self, tournament: Tournament) -> Iterator[Field]:
        """Give the field of a tournament, up to date, to one thread at a time."""
        # An id alone may be given anew, to another tournament.
        key = tournament.pk, tournament.created_at
        with self._lock:
            field = self._kept.get(key)
            if field is None:
                field = self._kept[key] = Field(tournament.pk)
            self._kept.move_to_end(key)
        with field.lock:
            field.refresh(tournament)
            yield field
        with self._lock:
            while len(self._kept) > 1 and self._is_too_much():
                self._kept.popitem(last=False)

    def _is_too_much(self) -> bool:
        entries = sum(len(field.entries) for field in self._kept.values())
        return len(self._kept) > MOST_FIELDS or entries > MOST_ENTRIES


_fields: Final = _Fields()
