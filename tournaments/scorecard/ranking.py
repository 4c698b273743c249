"""Places: who is ahead, who shares a place, what parted a tie, and why somebody has none.

A `Ranking` is kept in order, so that one result more costs no new sorting, and a place is looked up
when it is shown.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, NamedTuple, TypeVar

from tournaments.scorecard.formats import stableford_points
from tournaments.scorecard.handicap import handicap_strokes
from tournaments.scorecard.totals import NO_PLACE, HoleScore, Totals, totals

#: What the caller knows an entry by; keys of one ranking can be put in order.
Key = TypeVar("Key", bound=Any)

#: What an unplayed hole counts under `Unplayed.WORST`: all cards left.
WORST_STROKES: Final = 35
WORST_APP_SCORE: Final = 0
#: Stands for the time in `Standing.ahead_on` and `behind_on`, instead of a number of holes.
BY_TIME: Final = 0
#: As `BY_TIME`, for the cards that were cleared, where holes cleared rank.
BY_CARDS: Final = -1
#: How much earlier than another a race has to be finished to be won by it, in milliseconds: less
#: than that is the line's and the server's, not the player's.
RACE_MARGIN_MS: Final = 50


class RankBy(StrEnum):
    """The figure that ranks.

    Fewest strokes against par, the highest app score, most Stableford points, fewest strokes
    against par less the handicap, or most holes cleared, of races.
    """

    STROKES = "strokes"
    APP_SCORE = "app_score"
    STABLEFORD = "stableford"
    NET = "net"
    CLEARED = "cleared"


class TieBreak(StrEnum):
    """What parts equal figures.

    Nothing; the last holes; those and then the time played; or, of races, the time alone, in which
    who is no more than `RACE_MARGIN_MS` behind the first of a group shares the place with it.
    """

    SHARED = "shared"
    COUNTBACK = "countback"
    TIME = "time"
    RACE = "race"


class Unplayed(StrEnum):
    """What holes that were not played count once it is closed: they cost the place, or 35 each."""

    NO_PLACE = "no_place"
    WORST = "worst"


class Reason(StrEnum):
    """Why an entry has no place, in the order in which those without one are listed.

    No hole is final yet; missed the cut; did not finish; has seen the deals; has no handicap;
    withdrew; was disqualified; did not start.
    """

    NO_HOLE = "no_hole"
    MISSED_CUT = "mc"
    DNF = "dnf"
    NOT_RANKED = "nr"
    NO_HANDICAP = "nh"
    WITHDREW = "wd"
    DISQUALIFIED = "dq"
    DNS = "dns"


_MORE_IS_BETTER: Final = frozenset({RankBy.APP_SCORE, RankBy.STABLEFORD, RankBy.CLEARED})
_LISTED: Final = {reason: at for at, reason in enumerate(Reason, 1)}


class Hole(NamedTuple):
    """A hole of the course; one that is void counts for nobody, and neither does its par."""

    number: int
    par: int
    is_void: bool = False


@dataclass(frozen=True, slots=True)
class Line(Generic[Key]):
    """One entry as it is ranked.

    :param key: what the caller knows it by.
    :param scores: its final holes, in any order, void ones too.
    :param out: why it has no place whatever its card, None while it competes.
    :param name: by what equals are listed, which decides nothing.
    :param handicap: in tenths of a stroke for nine holes; None without one.
    """

    key: Key
    scores: tuple[HoleScore, ...]
    out: Reason | None = None
    name: str = ""
    handicap: int | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """How a field is ranked.

    :param holes: all holes, in order.
    :param closed: whether nobody can play any more.
    """

    holes: tuple[Hole, ...]
    rank_by: RankBy = RankBy.STROKES
    tie_break: TieBreak = TieBreak.SHARED
    unplayed: Unplayed = Unplayed.NO_PLACE
    closed: bool = False

    @property
    def counted(self) -> tuple[Hole, ...]:
        """The holes that are not void."""
        return tuple(hole for hole in self.holes if not hole.is_void)


@dataclass(frozen=True, slots=True)
class Standing(Generic[Key]):
    """Where one entry stands: its place, or the reason why it has none.

    :param totals: of the holes that count, those included that count as the worst.
    :param place: from 1; equal results share it, and the next place counts them all.
    :param tied: whether others have the same place.
    :param reason: set exactly when there is no place.
    :param figure: the figure that ranks; None without a hole, and a net one without a handicap.
    :param unplayed: how many holes count as the worst because they were not played.
    :param ahead_on: the last so many holes put it ahead of who has the same figure and comes next;
        `BY_TIME` where the time did, also that of a hole which the other has not raced; `BY_CARDS`
        where the cards did. None where nothing was needed.
    :param behind_on: as `ahead_on`, of who has the same figure and comes before.
    """

    key: Key
    totals: Totals
    place: int | None = None
    tied: bool = False
    reason: Reason | None = None
    figure: int | None = None
    unplayed: int = 0
    ahead_on: int | None = None
    behind_on: int | None = None

    @property
    def place_text(self) -> str:
        """The place as a board shows it: ``3``, ``T3`` when it is shared, a dash for none."""
        if self.place is None:
            return NO_PLACE
        return f"T{self.place}" if self.tied else f"{self.place}"


def countback_steps(holes: int) -> tuple[int, ...]:
    """Return how many of the last holes a countback compares, one after another.

    >>> countback_steps(18), countback_steps(9), countback_steps(4)
    ((9, 6, 3, 1), (6, 3, 1), (3, 1))
    """
    steps = (9, 6, 3, 1) if holes >= 18 else (6, 3, 1)
    return tuple(step for step in steps if step < holes)


def rank(lines: Iterable[Line[Key]], terms: Terms) -> list[Standing[Key]]:
    """Place entries, the best first.

    >>> holes = (Hole(1, 5), Hole(2, 5))
    >>> ann = Line("Ann", (HoleScore(1, 5, 7, 210), HoleScore(2, 5, 5, 250)))
    >>> bo = Line("Bo", (HoleScore(1, 5, 5, 250), HoleScore(2, 5, 7, 210)))
    >>> cy = Line("Cy", (HoleScore(1, 5, 0, 350),))
    >>> terms = Terms(holes, tie_break=TieBreak.COUNTBACK, closed=True)
    >>> [(row.key, row.place_text, row.ahead_on, row.reason) for row in rank([bo, ann, cy], terms)]
    [('Ann', '1', 1, None), ('Bo', '2', None, None), ('Cy', '–', None, <Reason.DNF: 'dnf'>)]
    """
    by_key = {line.key: line for line in lines}
    ranking = Ranking(by_key.values(), terms)
    return [ranking.standing(at, by_key[key]) for at, key in enumerate(ranking.keys())]


class _Item(NamedTuple, Generic[Key]):
    """What entries are put in order by; no two have the same key."""

    group: int
    result: tuple[int, ...]
    name: str
    key: Key


def _by_result(item: _Item[Any]) -> tuple[int, tuple[int, ...]]:
    return item.group, item.result


class Ranking(Generic[Key]):
    """A field in order, the best first.

    While a competition runs, everyone with a final hole has a provisional place; once it is closed,
    only who has finished all holes that count, unless the others count as the worst. Those without
    a place stand last and matter to nobody's. Equals share a place and are listed by name.

    A tie is parted by countback once everybody in it has finished: before that nobody's last holes
    can be compared. In a race all play the same hole at the same time, so that a tie is parted by
    the time at any moment.

    It keeps what decides the order and no cards, so that a large field stays small.
    """

    def __init__(self, lines: Iterable[Line[Key]], terms: Terms) -> None:
        self.terms = terms
        self._holes = terms.counted
        self._numbers = frozenset(hole.number for hole in self._holes)
        self._steps = countback_steps(len(self._holes))
        self._items = sorted(self._item(line) for line in lines)
        self._of = {item.key: item for item in self._items}

    def __len__(self) -> int:
        return len(self._items)

    def keys(self, start: int = 0, stop: int | None = None) -> list[Key]:
        """Return the keys of the entries in order, all or those between two indices."""
        return [item.key for item in self._items[start:stop]]

    def index(self, key: Key) -> int:
        """Return the index of an entry, from 0. Raises `KeyError`."""
        return bisect_left(self._items, self._of[key])

    def put(self, line: Line[Key]) -> None:
        """Take an entry in, or let it stand where its new result puts it."""
        self.drop(line.key)
        item = self._of[line.key] = self._item(line)
        self._items.insert(bisect_left(self._items, item), item)

    def drop(self, key: Key) -> None:
        """Take an entry out; one that is not there does not matter."""
        if key in self._of:
            del self._items[self.index(key)]
            del self._of[key]

    # --- one entry -----------------------------------------------------------------------------

    def standing(self, at: int, line: Line[Key]) -> Standing[Key]:
        """Return where the entry at an index stands, given its card."""
        item = self._items[at]
        scores = self.scores(line)
        total = totals(scores)
        unplayed = len(scores) - sum(score.number in self._numbers for score in line.scores)
        figure = self._shown(self._figure(line, scores)) if scores else None
        if item.group:
            reason = next(reason for reason, listed in _LISTED.items() if listed == item.group)
            if reason == Reason.NO_HANDICAP:
                figure = None
            return Standing(item.key, total, reason=reason, figure=figure, unplayed=unplayed)
        start, end = self._bounds(item.result[:1], (item.result[0] + 1,))
        first, last = start, end
        if self.terms.tie_break == TieBreak.RACE:
            first, last = self._group(at, start, end)
        elif self._is_parted(end - 1):
            first, last = self._bounds(item.result, item.result, after=True)
        return Standing(
            item.key,
            total,
            place=first + 1,
            tied=last - first > 1,
            figure=figure,
            unplayed=unplayed,
            ahead_on=self._parted_on(at, last) if last < end else None,
            behind_on=self._parted_on(first - 1, at) if first > start else None,
        )

    def scores(self, line: Line[Key]) -> list[HoleScore]:
        """Return the holes of an entry that count, in order; the worst for unplayed ones."""
        scores = sorted(score for score in line.scores if score.number in self._numbers)
        if not self._is_filled(line, len(scores)):
            return scores
        played = {score.number: score for score in scores}
        return [
            played.get(hole.number)
            or HoleScore(hole.number, hole.par, WORST_STROKES, WORST_APP_SCORE)
            for hole in self._holes
        ]

    def _is_filled(self, line: Line[Key], thru: int) -> bool:
        terms = self.terms
        fills = terms.closed and terms.unplayed == Unplayed.WORST and line.out is None
        return fills and 0 < thru < len(self._holes)

    # --- in order ------------------------------------------------------------------------------

    def _item(self, line: Line[Key]) -> _Item[Key]:
        scores = self.scores(line)
        reason = self._reason(line, len(scores))
        if reason is not None:
            return _Item(_LISTED[reason], (), line.name, line.key)
        return _Item(0, self._result(line, scores), line.name, line.key)

    def _reason(self, line: Line[Key], thru: int) -> Reason | None:
        if line.out is not None:
            return line.out
        if thru == 0:
            return Reason.DNS if self.terms.closed and self._holes else Reason.NO_HOLE
        if self.terms.closed and thru < len(self._holes):
            return Reason.DNF
        if self.terms.rank_by == RankBy.NET and line.handicap is None:
            return Reason.NO_HANDICAP
        return None

    def _result(self, line: Line[Key], scores: list[HoleScore]) -> tuple[int, ...]:
        """Return what is compared, the least is best.

        The figure; where ties are parted then whether holes are missing and, where none is, the
        steps of the countback. Of a race the cards that are left, where holes cleared rank, the
        holes not raced, which have no time, and the time.
        """
        figure = self._figure(line, scores)
        if self.terms.tie_break == TieBreak.SHARED:
            return (figure,)
        if self.terms.tie_break == TieBreak.RACE:
            is_cleared = self.terms.rank_by == RankBy.CLEARED
            cards = sum(score.strokes for score in scores) if is_cleared else 0
            raced = sum(score.number in self._numbers for score in line.scores)
            time_ms = sum(score.time_ms for score in scores)
            return figure, cards, len(self._holes) - raced, time_ms
        if len(scores) < len(self._holes):
            return figure, 1
        result = [figure, 0]
        for step in self._steps:
            last = sum(self._measure(score) for score in scores[-step:])
            if self.terms.rank_by == RankBy.NET:
                # A part of the holes takes that part of the handicap; in whole numbers.
                taken = handicap_strokes(line.handicap or 0, len(scores))
                last = last * len(scores) - taken * step
            result.append(last)
        if self.terms.tie_break == TieBreak.TIME:
            result.append(sum(score.time_ms for score in scores))
        return tuple(result)

    def _figure(self, line: Line[Key], scores: list[HoleScore]) -> int:
        figure = sum(self._measure(score) for score in scores)
        if self.terms.rank_by == RankBy.NET and line.handicap is not None:
            figure -= handicap_strokes(line.handicap, len(scores))
        return figure

    def _measure(self, score: HoleScore) -> int:
        """Return what a hole adds to what is compared: the less, the better."""
        rank_by = self.terms.rank_by
        if rank_by == RankBy.APP_SCORE:
            return -score.app_score
        if rank_by == RankBy.STABLEFORD:
            return -stableford_points(score.par, score.strokes)
        if rank_by == RankBy.CLEARED:
            return -int(score.strokes <= 0)
        return score.strokes - score.par

    def _shown(self, figure: int) -> int:
        return -figure if self.terms.rank_by in _MORE_IS_BETTER else figure

    def _bounds(
        self, first: tuple[int, ...], last: tuple[int, ...], *, after: bool = False
    ) -> tuple[int, int]:
        """Return the indices between which results lie; those equal to `last` only if `after`."""
        bisect_last = bisect_right if after else bisect_left
        start = bisect_left(self._items, (0, first), key=_by_result)
        return start, bisect_last(self._items, (0, last), lo=start, key=_by_result)

    def _group(self, at: int, start: int, end: int) -> tuple[int, int]:
        """Return the indices between which an entry shares its place, within those of its figure.

        A group begins with the first who is beyond the margin of the group before: whoever is
        within the margin of its first one belongs to it, so a long chain is not one group.
        """
        first = start
        for index in range(start + 1, at + 1):
            if not self._shares(first, index):
                first = index
        last = at + 1
        while last < end and self._shares(first, last):
            last += 1
        return first, last

    def _shares(self, first: int, other: int) -> bool:
        """Whether an entry shares the place of the first of a group."""
        (*one, one_ms), (*two, two_ms) = self._items[first].result, self._items[other].result
        return one == two and two_ms - one_ms <= RACE_MARGIN_MS

    def _is_parted(self, last: int) -> bool:
        """Whether the tie that ends at an index is parted: nobody in it has holes to play.

        Who has stands after who has not, so the last one tells.
        """
        return self.terms.tie_break != TieBreak.SHARED and self._items[last].result[1] == 0

    def _parted_on(self, ahead: int, behind: int) -> int:
        """Return the first step on which two entries with the same figure differ."""
        if self.terms.tie_break == TieBreak.RACE:
            one, other = self._items[ahead].result, self._items[behind].result
            return BY_TIME if one[1] == other[1] else BY_CARDS
        pairs = zip(self._items[ahead].result[2:], self._items[behind].result[2:], strict=True)
        at = next(at for at, (one, other) in enumerate(pairs) if one != other)
        return self._steps[at] if at < len(self._steps) else BY_TIME
