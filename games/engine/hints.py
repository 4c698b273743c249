"""Hints: what a player could see for himself.

A hint looks at the columns and the waste only, never at the hidden stock.
"""

from collections.abc import Sequence

from games.engine.cards import NO_CARD
from games.engine.rules import RuleSet


def longest_run(rules: RuleSet, columns: Sequence[Sequence[int]], waste: int | None) -> str:
    """The longest run of plays without a draw, as the numbers of its columns.

    Of several longest runs it is the first in the order of their columns.

    :param columns: the seven columns from top to bottom.
    :param waste: the waste card, None for an empty waste.
    :return: for example ``"5213"``; empty when no free card fits.

    >>> from games.engine.deals import GameCode
    >>> game = GameCode.parse("GO1-E-AAAAAAB")
    >>> longest_run(game.rules, game.deal().columns, waste=None)
    '555662617452'
    """
    # What can follow depends on the heights and the rank on the waste only; without this memory
    # a board of neighbouring ranks would be searched a million times over.
    known: dict[tuple[tuple[int, ...], int], str] = {}
    left = sum(map(len, columns))

    def run(heights: tuple[int, ...], waste: int, left: int) -> str:
        key = heights, waste >> 2
        best = known.get(key)
        if best is not None:
            return best
        best = ""
        free = [
            column[height - 1] if height else NO_CARD
            for column, height in zip(columns, heights, strict=True)
        ]
        for play in rules.legal(free, waste, 0):
            i = int(play) - 1
            after = (*heights[:i], heights[i] - 1, *heights[i + 1 :])
            found = play + run(after, free[i], left - 1)
            if len(found) > len(best):
                best = found
                if len(best) == left:
                    break
        known[key] = best
        return best

    return run(tuple(map(len, columns)), NO_CARD if waste is None else waste, left)


def hint(
    rules: RuleSet, columns: Sequence[Sequence[int]], waste: int | None, stock_left: int
) -> str | None:
    """The action that a hint names: a column ``1`` to ``7``, ``d`` for a draw, or None.

    It is the free card that starts the longest run now available, the lowest column on a tie;
    without a run a draw; with neither there is no hint.

    :param stock_left: how many cards the stock holds.
    """
    run = longest_run(rules, columns, waste)
    if run:
        return run[0]
    return "d" if stock_left else None
