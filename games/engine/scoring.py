"""The three scores of a game, as functions of its figures or of its actions.

Par, the strokes of an average player, is 45 for nine deals, so 5 a deal.

The streak, with a worked example: the n-th card played in a row without a draw scores 10·n. So
three cards in a row score 10 + 20 + 30 = 60; after a draw the next card scores 10 again. Three
cards, a draw, two cards: 60 + 10 + 20 = 90, and the longest streak is 3. An undone card takes its
points with it, and an undone draw lets the streak go on.
"""

from collections.abc import Iterable
from typing import Final

PAR: Final = 5
"""Par of one deal, in strokes."""

CARD_POINTS: Final = 10
"""Points for each cleared card, and the cost of each card that lies at a block."""


def app_score(cleared: int, left: int, *, stopped: bool) -> int:
    """The app score in points: never below 0, and 350 for every won game.

    :param cleared: cards cleared from the columns.
    :param left: cards that lie in the columns.
    :param stopped: whether the game is blocked, given up or closed, which costs 10 points for
        each card left, so that stopping never pays more than playing on.

    >>> app_score(31, 4, stopped=True), app_score(17, 18, stopped=True)
    (270, 0)
    """
    return max(0, CARD_POINTS * (cleared - left if stopped else cleared))


def strokes(left: int) -> int:
    """Strokes of a deal: one for each card left in the columns."""
    return left


def strokes_below_par(left: int, stock_left: int) -> int:
    """Strokes when a cleared tableau earns minus one for each card left in the stock.

    >>> strokes_below_par(0, 7), strokes_below_par(3, 7)
    (-7, 3)
    """
    return left or -stock_left


def streak_points(length: int) -> int:
    """The points of the card that makes a streak this long."""
    return CARD_POINTS * length


def standing(actions: Iterable[str]) -> list[str]:
    """The plays and draws of a journal that were not undone.

    :param actions: accepted actions, one character each.

    >>> standing("12ud3hg")
    ['1', 'd', '3']
    """
    stack: list[str] = []
    for action in actions:
        if action == "u":
            stack.pop()
        elif action == "d" or action in "1234567":
            stack.append(action)
    return stack


def streaks(actions: Iterable[str]) -> tuple[int, int]:
    """The streak score in points and the longest streak in cards of a journal.

    :param actions: accepted actions, one character each.

    >>> streaks("123d12"), streaks("123ud12")
    ((90, 3), (60, 2))
    """
    score = longest = streak = 0
    for action in standing(actions):
        if action == "d":
            streak = 0
        else:
            streak += 1
            score += streak_points(streak)
            longest = max(longest, streak)
    return score, longest
