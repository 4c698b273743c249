"""A club handicap: how far from par a player's better rounds are.

There is no rating of a course: every nine holes have par 45 on cards that nobody has seen before.
So a handicap is the mean to par of the best rounds of late, as golfers reckon it: of twenty rounds
the best eight, of fewer the best two fifths, and of fewer than three there is none.
"""

from collections.abc import Sequence
from typing import Final

#: Rounds that are looked at, the latest ones, and how many there must be.
MOST_ROUNDS: Final = 20
FEWEST_ROUNDS: Final = 3


def rounds_that_count(rounds: int) -> int:
    """Return how many of so many rounds count: two fifths, rounded up.

    >>> [rounds_that_count(rounds) for rounds in (3, 5, 6, 19, 20)]
    [2, 2, 3, 8, 8]
    """
    return -(-2 * min(rounds, MOST_ROUNDS) // 5)


def club_handicap(rounds: Sequence[int]) -> int | None:
    """Return the handicap in tenths of a stroke for nine holes, None for too few rounds.

    :param rounds: strokes against par of complete nines, the latest first.

    >>> club_handicap([20, 12, 15])
    135
    >>> club_handicap([20, 12]) is None
    True
    """
    if len(rounds) < FEWEST_ROUNDS:
        return None
    latest = sorted(rounds[:MOST_ROUNDS])
    best = latest[: rounds_that_count(len(latest))]
    return _rounded(10 * sum(best), len(best))


def handicap_strokes(tenths: int, holes: int) -> int:
    """Return the whole strokes that a handicap takes off so many holes, halves rounded up.

    >>> handicap_strokes(135, 9), handicap_strokes(135, 18), handicap_strokes(135, 4)
    (14, 27, 6)
    """
    return _rounded(tenths * holes, 90)


def _rounded(dividend: int, divisor: int) -> int:
    """Return a quotient as a whole number, halves rounded up."""
    return (2 * dividend + divisor) // (2 * divisor)
