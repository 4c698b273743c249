"""The field of a tournament as its boards need it, kept in this process and brought up to date.

Reading ten thousand entries takes longer than a page may. So a process keeps the fields that it has
read last. A field knows which version of the board it is of, and then reads the entries that have
changed since (`Tournament.board_base`, `Entry.board_version`); its rankings take them in one by
one. What is kept is a copy: nothing is lost with it, and processes need not agree.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import QuerySet

from tournaments import scorecard
from tournaments.models import (
    Correction,
    DealOpening,
    Entry,
    Hole,
    HoleResult,
    PlayedHole,
    Tournament,
    holes_of_text,
    holes_text,
)
from tournaments.selectors import handicaps
from tournaments.selectors.decided import (
    decided,
    milliseconds,
    played_hole,
    status_of,
    void_holes,
)
from tournaments.selectors.sight import WHOLE, View

#: Fields that a process keeps at most, and entries in all of them; one field is always kept.
MOST_FIELDS: Final = 16
MOST_ENTRIES: Final = 50_000
#: Rankings of one field: views, divisions and formats; with fewer where the field is large.
MOST_RANKINGS: Final = 32
MOST_RANKED: Final = 120_000
#: Changed entries after which a field starts anew rather than go on.
_LONGEST_LOG: Final = 20_000
#: Parameters of one statement; SQLite allows a limited number.
_CHUNK: Final = 500


class CourseHole(NamedTuple):
    """A hole as a board shows it; `session` is the day's play, from 0, that its round belongs to.

    Rounds that open together are one session.
    """

    number: int
    par: int
    is_void: bool
    round: int
    session: int


class Course(NamedTuple):
    """The holes of a tournament, and when the rounds were opened and cut."""

    holes: tuple[CourseHole, ...]
    opened: tuple[datetime, ...]
    cut_at: dict[int, datetime]

    def session(self, now: datetime) -> int:
        """Return the session that is played at a time, the first before it."""
        return max(0, sum(opened <= now for opened in self.opened) - 1)


class FieldEntry(NamedTuple):
    """One entry: columns of `Entry`, and the name by which it is listed and searched."""

    pk: int
    player_id: int
    name: str
    sort_name: str
    division_id: int | None
    status: str
    cut_after: int | None
    created_at: datetime
    corrections: int
    played: str


class RankingKey(NamedTuple):
    """Which ranking of a field."""

    view: View
    division_id: int | None
    terms: scorecard.Terms
    #: What the handicaps were made from, where they count.
    handicaps: tuple[int, int] | None = None


_OUT: Final = {
    Entry.Status.WITHDRAWN: scorecard.Reason.WITHDREW,
    Entry.Status.DISQUALIFIED: scorecard.Reason.DISQUALIFIED,
    Entry.Status.CUT: scorecard.Reason.MISSED_CUT,
    Entry.Status.UNRANKED: scorecard.Reason.NOT_RANKED,
}


def course_of(*, tournament: Tournament, view: View = WHOLE) -> Course:
    """Return the holes in order, as the reader may know them, without what is dealt there."""
    rows = list(
        Hole.objects.filter(tournament=tournament).order_by("number").values_list(*_HOLE_COLUMNS)
    )
    void: Collection[int] = _void(rows)
    if view.at is not None:
        void = void_holes(tournament_id=tournament.pk, until=view.at)
    return _course(rows, void)


def _void(rows: Iterable[tuple[Any, ...]]) -> list[int]:
    return [pk for pk, _number, _par, is_void, *_round in rows if is_void]


_HOLE_COLUMNS: Final = (
    "pk", "number", "par", "is_void", "round__number", "round__opens_at", "round__cut_at",
)  # fmt: skip


def _course(rows: Collection[tuple[Any, ...]], void: Collection[int]) -> Course:
    opened = sorted({opens_at for *_hole, opens_at, _cut_at in rows})
    return Course(
        tuple(
            CourseHole(number, par, pk in void, round_, opened.index(opens_at))
            for pk, number, par, _is_void, round_, opens_at, _cut_at in rows
        ),
        tuple(opened),
        {round_: cut_at for *_hole, round_, _opens_at, cut_at in rows if cut_at is not None},
    )


def terms_of(
    *,
    tournament: Tournament,
    course: Course,
    rank_by: scorecard.RankBy,
    view: View = WHOLE,
) -> scorecard.Terms:
    """Return how the field is ranked, for a reader."""
    closed_at = tournament.closed_at
    return scorecard.Terms(
        holes=tuple(scorecard.Hole(hole.number, hole.par, hole.is_void) for hole in course.holes),
        rank_by=rank_by,
        tie_break=scorecard.TieBreak(tournament.tie_break),
        unplayed=scorecard.Unplayed(tournament.unplayed),
        closed=closed_at is not None and (view.at is None or closed_at <= view.at),
    )


class Field:
    """All entries of a tournament that are shown. Hold `lock` while using it."""

    def __init__(self, tournament_id: int) -> None:
        self.lock = threading.Lock()
        self.tournament_id = tournament_id
        self.version = -1
        self.entries: dict[int, FieldEntry] = {}
        self.of_player: dict[int, int] = {}
        self.handicaps: dict[int, int | None] = {}
        self._handicaps_of: tuple[int, int] | None = None
        self._log: list[int] = []
        self._rankings: OrderedDict[RankingKey, _Kept] = OrderedDict()
        self._past: dict[datetime, _Past] = {}

    def refresh(self, tournament: Tournament) -> None:
        """Bring the entries up to the tournament's version, or beyond.

        `tournament` was read before: versions become visible in their order, so everything that
        makes up its version can be read now.
        """
        if self.version >= tournament.board_version:
            return
        if tournament.board_base > self.version or len(self._log) > _LONGEST_LOG:
            changed = _read(tournament, after=None)
            # Not before: a read that fails leaves the field as it was.
            self.entries, self.of_player, self._log = {}, {}, []
            self._rankings.clear()
            self._past.clear()
        else:
            changed = _read(tournament, after=self.version)
            self._log += [entry.pk for entry in changed]
        self._take(changed)
        self.version = tournament.board_version

    def _take(self, changed: Iterable[FieldEntry]) -> None:
        for entry in changed:
            if entry.status == Entry.Status.REMOVED:
                self.entries.pop(entry.pk, None)
                self.of_player.pop(entry.player_id, None)
            else:
                self.entries[entry.pk] = entry
                self.of_player[entry.player_id] = entry.pk

    @classmethod
    def many(
        cls, tournaments: Collection[Tournament]
    ) -> "Iterator[tuple[Tournament, Field, Course]]":
        """Give tournaments with their fields and courses, read anew, in two queries for all."""
        ids = [tournament.pk for tournament in tournaments]
        holes: dict[int, list[tuple[Any, ...]]] = {pk: [] for pk in ids}
        rows = Hole.objects.filter(tournament__in=ids).order_by("number")
        for pk, *hole in rows.values_list("tournament_id", *_HOLE_COLUMNS):
            holes[pk].append(tuple(hole))
        entries: dict[int, list[FieldEntry]] = {pk: [] for pk in ids}
        for pk, entry in _entries(Entry.objects.filter(tournament__in=ids)):
            entries[pk].append(entry)
        for tournament in tournaments:
            field = cls(tournament.pk)
            field._take(entries[tournament.pk])
            field.version = tournament.board_version
            rows_of_it = holes[tournament.pk]
            yield tournament, field, _course(rows_of_it, _void(rows_of_it))

    def seen(self, course: Course, view: View) -> Mapping[int, FieldEntry]:
        """Return the entries as a reader may know them."""
        if view.at is None:
            return self.entries
        past = self._past.get(view.at)
        if past is None:
            past = self._past[view.at] = _Past(view.at)
        past.take(self, course, self._log)
        return past.entries

    def line(
        self, entry: FieldEntry, terms: scorecard.Terms, view: View = WHOLE
    ) -> scorecard.Line[int]:
        """Return an entry as it is ranked, for a reader."""
        pars = {hole.number: hole.par for hole in terms.holes}
        return scorecard.Line(
            key=entry.pk,
            scores=tuple(
                scorecard.HoleScore(
                    hole.number, pars[hole.number], hole.strokes, hole.app_score, hole.time_ms
                )
                for hole in holes_of_text(entry.played)
                if hole.number in pars and view.shows_hole(hole.number)
            ),
            out=_OUT.get(Entry.Status(entry.status)),
            name=entry.sort_name,
            handicap=self.handicaps.get(entry.player_id),
        )

    def ranking(
        self,
        *,
        tournament: Tournament,
        course: Course,
        terms: scorecard.Terms,
        view: View = WHOLE,
        division_id: int | None = None,
    ) -> scorecard.Ranking[int]:
        """Return a ranking, made or brought up to date."""
        made_from = None
        if terms.rank_by == scorecard.RankBy.NET:
            made_from = self._refresh_handicaps(tournament)
        key = RankingKey(view, division_id, terms, made_from)
        entries = self.seen(course, view)
        kept = self._rankings.get(key)
        if kept is None:
            lines = (
                self.line(entry, terms, view)
                for entry in entries.values()
                if division_id is None or entry.division_id == division_id
            )
            kept = self._rankings[key] = _Kept(scorecard.Ranking(lines, terms), len(self._log))
            while len(self._rankings) > max(
                2, min(MOST_RANKINGS, MOST_RANKED // (len(entries) + 1))
            ):
                self._rankings.popitem(last=False)
        self._rankings.move_to_end(key)
        for pk in dict.fromkeys(self._log[kept.taken :]):
            entry = entries.get(pk)
            if entry is None or (division_id is not None and entry.division_id != division_id):
                kept.ranking.drop(pk)
            else:
                kept.ranking.put(self.line(entry, terms, view))
        kept.taken = len(self._log)
        return kept.ranking

    def _refresh_handicaps(self, tournament: Tournament) -> tuple[int, int]:
        made_from = handicaps.fingerprint(tournament)
        if made_from != self._handicaps_of:
            self.handicaps = {}
            self._handicaps_of = made_from
        missing = self.of_player.keys() - self.handicaps.keys()
        if missing:
            self.handicaps |= handicaps.handicaps(tournament=tournament, player_ids=missing)
        return made_from


class _Kept:
    """A ranking, and how much of its field's log it has taken in."""

    def __init__(self, ranking: scorecard.Ranking[int], taken: int) -> None:
        self.ranking = ranking
        self.taken = taken


class _Past:
    """The entries of a field as they were at a time."""

    def __init__(self, at: datetime) -> None:
        self.at = at
        self.entries: dict[int, FieldEntry] = {}
        self._taken: int | None = None

    def take(self, field: Field, course: Course, log: list[int]) -> None:
        """Take in what has changed since the last time."""
        pks = field.entries.keys() if self._taken is None else set(log[self._taken :])
        now = [field.entries[pk] for pk in pks if pk in field.entries]
        was = _as_of(self.at, field.tournament_id, now, course) if pks else {}
        # Not before: what could not be read is yet to be taken in.
        self._taken = len(log)
        for pk in pks:
            if pk in was:
                self.entries[pk] = was[pk]
            else:
                self.entries.pop(pk, None)


def _read(tournament: Tournament, *, after: int | None) -> list[FieldEntry]:
    """Return all entries that are shown; or those that changed after a version, removed or not."""
    rows = Entry.objects.filter(tournament=tournament)
    if after is None:
        rows = rows.exclude(status=Entry.Status.REMOVED)
    else:
        rows = rows.filter(board_version__gt=after)
    return [entry for _tournament_id, entry in _entries(rows)]


def _entries(rows: QuerySet[Entry]) -> Iterator[tuple[int, FieldEntry]]:
    """Give entries with the id of their tournament."""
    columns = rows.order_by().values_list(
        "tournament_id", "pk", "player_id", "name", "division_id", "status", "cut_after",
        "created_at", "corrections", "played",
    )  # fmt: skip
    for (
        tournament_id, pk, player_id, name, division_id, status, cut_after, created_at,
        corrections, played,
    ) in columns:  # fmt: skip
        yield tournament_id, FieldEntry(
            pk, player_id, name, name.casefold(), division_id, status, cut_after, created_at,
            corrections, played,
        )  # fmt: skip


# --- how it was --------------------------------------------------------------------------------


def _as_of(
    at: datetime, tournament_id: int, entries: list[FieldEntry], course: Course
) -> dict[int, FieldEntry]:
    """Return what was to be seen of entries at a time, by id; who entered later is not there.

    From the times of the holes, and where something was decided about an entry, from its games and
    the decisions themselves.
    """
    opened = DealOpening.objects.filter(tournament=tournament_id, at__lte=at)
    peeked = set(opened.values_list("player_id", flat=True))
    corrections, results = _decided_about([entry.pk for entry in entries if entry.corrections])
    found = {}
    for entry in entries:
        rows = corrections.get(entry.pk, [])
        given = decided(rows, until=at)
        if entry.created_at > at or given.status == Entry.Status.REMOVED:
            continue
        cut_at = None if entry.cut_after is None else course.cut_at.get(entry.cut_after)
        if rows:
            played = _played(results.get(entry.pk, []), rows, at)
        else:
            played = [hole for hole in holes_of_text(entry.played) if hole.at <= milliseconds(at)]
        found[entry.pk] = entry._replace(
            status=status_of(
                given.status,
                is_cut=cut_at is not None and cut_at <= at,
                has_seen_deals=entry.player_id in peeked,
            ),
            corrections=sum(row.at <= at for row in rows),
            division_id=_division(entry, rows, at),
            played=holes_text(played),
        )
    return found


def _decided_about(
    entry_ids: list[int],
) -> tuple[dict[int, list[Correction]], dict[int, list[HoleResult]]]:
    """Return the corrections and the results of entries, by entry."""
    corrections: dict[int, list[Correction]] = {}
    results: dict[int, list[HoleResult]] = {}
    for start in range(0, len(entry_ids), _CHUNK):
        chunk = entry_ids[start : start + _CHUNK]
        rows = Correction.objects.filter(entry__in=chunk).select_related("hole").order_by("pk")
        for row in rows:
            corrections.setdefault(row.entry_id or 0, []).append(row)
        for result in HoleResult.objects.filter(entry__in=chunk).select_related(
            "game", "hole__tournament"
        ):
            results.setdefault(result.entry_id, []).append(result)
    return corrections, results


def _played(results: list[HoleResult], rows: list[Correction], at: datetime) -> list[PlayedHole]:
    """Return the holes that were final at a time, as they counted then."""
    adjusted = decided(rows, until=at).adjusted
    # A result that was given and taken back again has left no row but the decisions.
    known = {result.hole_id for result in results}
    given = {row.hole_id: row.hole for row in rows if row.hole_id not in known and row.hole}
    results = results + [HoleResult(hole=hole) for hole in given.values()]
    found = []
    for result in sorted(results, key=lambda result: result.hole.number):
        game, word = result.game, adjusted.get(result.hole_id)
        if word is not None:
            result.strokes, result.app_score = word.strokes, word.app_score
        elif game is not None and game.finished_at is not None and game.finished_at <= at:
            result.strokes = result.hole.tournament.strokes_of(game)
            result.app_score = game.app_score
        else:
            continue
        found.append(played_hole(result, word))
    return found


def _division(entry: FieldEntry, rows: list[Correction], at: datetime) -> int | None:
    """Return the division that an entry was in at a time."""
    moves = [row for row in rows if row.kind == Correction.Kind.DIVISION]
    before: list[int | None] = [row.after.get("division") for row in moves if row.at <= at]
    after: list[int | None] = [row.before.get("division") for row in moves if row.at > at]
    if before:
        return before[-1]
    return after[0] if after else entry.division_id
