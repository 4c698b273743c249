"""The best that can be reached from a position, and a way to it; `games.engine.solver` finds them.

They are apart from it, so that whoever only passes results on needs no numpy.
"""

from dataclasses import dataclass

from games.engine import scoring
from games.engine.deals import TABLEAU


@dataclass(frozen=True, slots=True, order=True)
class Best:
    """The best result that can be reached from a position. A better one compares greater.

    :param cleared: the most cards that can be cleared, of 35. As everywhere in the engine, cards
        that a deal lacks count as cleared.
    :param stock_left: the most cards that can be left in the stock when all 35 are cleared. None
        if they cannot be: what the stock of a lost game holds is no result.

    The strokes of both kinds and the app score follow from the two, and one game has them all.
    """

    cleared: int
    stock_left: int | None

    @property
    def won(self) -> bool:
        """Whether the game can be won."""
        return self.stock_left is not None

    @property
    def strokes(self) -> int:
        """The fewest strokes."""
        return scoring.strokes(TABLEAU - self.cleared)

    @property
    def strokes_below_par(self) -> int:
        """The fewest strokes where a won game has minus one for each card left in the stock."""
        return scoring.strokes_below_par(TABLEAU - self.cleared, self.stock_left or 0)

    @property
    def app_score(self) -> int:
        """The highest app score of a game that is over, in points."""
        return scoring.app_score(self.cleared, TABLEAU - self.cleared, stopped=not self.won)


@dataclass(frozen=True, slots=True)
class Solution:
    """The best result and a way to it.

    :param best: the result.
    :param line: plays and draws that reach it, ``1`` to ``7`` and ``d``, up to the end of the
        game: it is won, or it is blocked.
    """

    best: Best
    line: str
