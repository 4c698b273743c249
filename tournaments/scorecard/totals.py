"""The figures of one hole, what holes add up to, and how a figure against par is written."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

MINUS = "\N{MINUS SIGN}"
NO_PLACE = "\N{EN DASH}"


class HoleScore(NamedTuple):
    """The figures of one final hole.

    :param number: the hole, from 1.
    :param par: its par.
    :param strokes: the strokes that it took; below par strokes may be negative.
    :param app_score: its app score, 0 to 350.
    :param time_ms: how long it took, in milliseconds.
    """

    number: int
    par: int
    strokes: int
    app_score: int
    time_ms: int = 0

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
