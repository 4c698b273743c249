"""Holes to totals, totals to places: the arithmetic of a scorecard and of a leaderboard.

Pure: no database, no clock, no language. A hole's figures are those of a finished play; what is
compared is given by the caller, so every board (of a tournament, later of a division or a round)
is ranked by the same few lines. Places are never decided by time or by the order of rows.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

MINUS = "\N{MINUS SIGN}"
NO_PLACE = "\N{EN DASH}"


class RankBy(StrEnum):
    """The figure that ranks: fewest strokes against par, or the highest app score."""

    STROKES = "strokes"
    APP_SCORE = "app_score"


class Reason(StrEnum):
    """Why an entry has no place: no hole is final yet, did not start, did not finish."""

    NO_HOLE = "no_hole"
    DNS = "dns"
    DNF = "dnf"


@dataclass(frozen=True, slots=True)
class HoleScore:
    """The figures of one final hole.

    :param number: the hole, from 1.
    :param par: its par.
    :param strokes: the strokes that it took; below par strokes may be negative.
    :param app_score: its app score, 0 to 350.
    """

    number: int
    par: int
    strokes: int
    app_score: int

    @property
    def to_par(self) -> int:
        """Strokes less par."""
        return self.strokes - self.par


@dataclass(frozen=True, slots=True)
class Totals:
    """What the final holes of an entry add up to; `thru` is how many there are."""

    thru: int = 0
    strokes: int = 0
    to_par: int = 0
    app_score: int = 0

    def finished(self, holes: int) -> bool:
        """Whether all of so many holes are final."""
        return self.thru >= holes


def totals(scores: Iterable[HoleScore]) -> Totals:
    """Add up final holes, in any order.

    :raises ValueError: if a hole is there twice.

    >>> totals([HoleScore(1, 5, 4, 310), HoleScore(2, 5, 0, 350)])
    Totals(thru=2, strokes=4, to_par=-6, app_score=660)
    """
    seen: set[int] = set()
    strokes = to_par = app_score = 0
    for score in scores:
        if score.number in seen:
            raise ValueError(f"hole {score.number} is there twice")
        seen.add(score.number)
        strokes += score.strokes
        to_par += score.to_par
        app_score += score.app_score
    return Totals(len(seen), strokes, to_par, app_score)


def to_par_text(to_par: int) -> str:
    """A figure against par as golfers write it, with a real minus sign.

    Pages put it into ``<bdi dir="ltr">``, or its sign changes sides in a right-to-left line.

    >>> to_par_text(0), to_par_text(3), to_par_text(-2)
    ('E', '+3', '−2')
    """
    if to_par == 0:
        return "E"
    return f"+{to_par}" if to_par > 0 else f"{MINUS}{-to_par}"


@dataclass(frozen=True, slots=True)
class Standing(Generic[Key]):
    """Where one entry stands: its place, or the reason why it has none.

    :param key: what the caller knows the entry by.
    :param place: from 1; equal results share it, and the next place counts them all.
    :param tied: whether others have the same place.
    :param reason: set exactly when there is no place.
    """

    key: Key
    totals: Totals
    place: int | None = None
    tied: bool = False
    reason: Reason | None = None

    @property
    def place_text(self) -> str:
        """The place as a board shows it: ``3``, ``T3`` when it is shared, a dash for none."""
        if self.place is None:
            return NO_PLACE
        return f"T{self.place}" if self.tied else f"{self.place}"


def rank(
    entries: Sequence[tuple[Key, Totals]], *, holes: int, rank_by: RankBy, closed: bool
) -> list[Standing[Key]]:
    """Place entries, the best first.

    While a competition runs, everyone with a final hole has a provisional place; once it is
    closed, only who has finished all holes. Those without a place stand last with the reason: when
    closed, DNF before DNS. Among equals the order of `entries` is kept, so that the caller
    decides how a tie is listed, and it decides nothing else.

    :param holes: how many holes make a full card.
    :param closed: whether nobody can play any more.

    >>> card = {"Ann": Totals(9, 50, 5, 1900), "Bo": Totals(9, 47, 2, 1800), "Cy": Totals(4)}
    >>> table = rank(list(card.items()), holes=9, rank_by=RankBy.STROKES, closed=True)
    >>> [(row.key, row.place_text, row.reason) for row in table]
    [('Bo', '1', None), ('Ann', '2', None), ('Cy', '–', <Reason.DNF: 'dnf'>)]
    """
    placed: list[tuple[int, Key, Totals]] = []
    without: dict[Reason, list[Standing[Key]]] = {reason: [] for reason in _LISTED}
    for key, total in entries:
        reason = _reason(total, holes=holes, closed=closed)
        if reason is None:
            figure = total.to_par if rank_by == RankBy.STROKES else -total.app_score
            placed.append((figure, key, total))
        else:
            without[reason].append(Standing(key, total, reason=reason))
    placed.sort(key=lambda row: row[0])
    table = _places(placed)
    for reason in _LISTED:
        table += without[reason]
    return table


#: The order in which those without a place are listed.
_LISTED = (Reason.NO_HOLE, Reason.DNF, Reason.DNS)


def _reason(total: Totals, *, holes: int, closed: bool) -> Reason | None:
    if total.thru == 0:
        return Reason.DNS if closed else Reason.NO_HOLE
    return Reason.DNF if closed and not total.finished(holes) else None


def _places(placed: list[tuple[int, Key, Totals]]) -> list[Standing[Key]]:
    """Give places to what is sorted by its figure: equal figures share the first one's place."""
    table: list[Standing[Key]] = []
    start = 0
    while start < len(placed):
        end = start + 1
        while end < len(placed) and placed[end][0] == placed[start][0]:
            end += 1
        for _, key, total in placed[start:end]:
            table.append(Standing(key, total, start + 1, end - start > 1))
        start = end
    return table
