"""What each action of a game cost, from what could still be reached before and after it."""

from collections.abc import Sequence
from typing import NamedTuple

from games.engine.best import Best


class Cost(NamedTuple):
    """What one action cost.

    :param strokes: by how many strokes the best result that could still be reached grew with it;
        never below 0.
    :param taken_back: what it would have cost, had it not been undone; 0 for what stands.
    """

    strokes: int
    taken_back: int = 0


def costs(actions: str, course: Sequence[Best], *, below_par: bool = False) -> list[Cost]:
    """What each action of a finished game cost.

    What stands pays for itself: a play or a draw that was undone costs nothing, and neither does
    the undo. So the costs of a game add up to its strokes less the fewest that its deal allows.

    :param actions: the journal, one character each.
    :param course: the best result in reach at the start and after each action, as
        `games.engine.solver.solve_line` returns it.
    :param below_par: whether a won game has minus one stroke for each card left in the stock.
    :raises ValueError: if there is not one result more than actions.

    >>> course = [Best(34, None), Best(32, None), Best(34, None), Best(34, None), Best(33, None)]
    >>> costs("du1g", course)
    [Cost(strokes=0, taken_back=2), Cost(strokes=0, taken_back=0), Cost(strokes=0, taken_back=0),\
 Cost(strokes=1, taken_back=0)]
    """
    if len(course) != len(actions) + 1:
        raise ValueError("a game has one position more than actions")
    reach = [best.strokes_below_par if below_par else best.strokes for best in course]
    found: list[Cost] = []
    standing: list[int] = []
    for number, action in enumerate(actions):
        if action == "u":
            undone = standing.pop()
            found[undone] = Cost(0, found[undone].strokes)
            found.append(Cost(0))
            continue
        if action == "d" or action in "1234567":
            standing.append(number)
        found.append(Cost(reach[number + 1] - reach[number]))
    return found


def first_loss(found: Sequence[Cost]) -> int | None:
    """The number, from 1, of the first action that stands and cost something; None if none did.

    >>> first_loss([Cost(0, 2), Cost(0), Cost(1)])
    3
    """
    return next((number for number, cost in enumerate(found, 1) if cost.strokes), None)
