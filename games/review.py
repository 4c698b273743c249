"""A finished game looked at again: what each action cost, and the best line beside it.

It tells how a deal is played at best, so there is none while anybody may still play that deal in a
competition, and none while the solver is away.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from games import analysis, selectors, solving, transcript
from games.engine import Best, GameCode, costs, first_loss
from games.engine.scoring import standing
from games.models import Game
from games.transcript import Transcript

#: Lines that a game can be gone on from: as it was played, and the best one.
PLAYED, BEST = "played", "best"


@dataclass(frozen=True)
class Review:
    """What could have been made of a game.

    :param told: the game, with what each action cost.
    :param best: the best result of its deal.
    :param line: how to get there.
    :param strokes: what the game counts, and `fewest` what its deal allows.
    :param lost_at: the number, from 1, of the action with which that went out of reach.
    """

    told: Transcript
    best: Best
    line: Transcript
    strokes: int
    fewest: int
    lost_at: int | None

    @property
    def lost(self) -> int:
        """The strokes that were lost: what all actions cost."""
        return self.strokes - self.fewest

    @cached_property
    def costly(self) -> list[transcript.Step]:
        """The actions that cost something."""
        return [step for step in self.told.steps if step.cost is not None and step.cost.strokes]


def of(*, game: Game, below_par: bool = False) -> Review:
    """Return the review of a finished game; `below_par` says how its strokes are counted.

    Waits for the solver, so it is neither for the event loop nor for within a transaction.

    Raises `games.solving.Unavailable`, and `ValueError` while the game goes on or its deal may not
    be looked into.
    """
    result = analysis.best_of_game(game=game)
    course = analysis.course_of(game=game)
    actions = selectors.actions_of(game_id=game.pk)
    found = costs(actions, course, below_par=below_par)
    best, end = result.best, course[-1]
    return Review(
        told=transcript.of(game).with_costs(found),
        best=best,
        line=transcript.of_line(GameCode.parse(game.deal_code), result.line),
        strokes=end.strokes_below_par if below_par else end.strokes,
        fewest=best.strokes_below_par if below_par else best.strokes,
        lost_at=first_loss(found),
    )


def to_show(*, game: Game, below_par: bool = False) -> dict[str, Any]:
    """Return what the page of a finished game shows of it (components/game_told.html).

    `transcript`, and `review`, or `no_review`: why there is none, ``in_play`` or ``away``.
    """
    if not analysis.is_open(game=game):
        return {"transcript": transcript.of(game), "no_review": "in_play"}
    try:
        found = of(game=game, below_par=below_par)
    except solving.Unavailable:
        return {"transcript": transcript.of(game), "no_review": "away"}
    return {"transcript": found.told, "review": found}


def actions_to(*, game: Game, line: str, at: int) -> str:
    """Return the plays and draws that lead to the position after `at` actions of one of the lines.

    What was undone before it is left out. Raises `ValueError` where there is no such position or
    the game may not be looked into, and `games.solving.Unavailable` for the best line.
    """
    if game.finished_at is None or not analysis.is_open(game=game):
        raise ValueError("the game cannot be looked into")
    if line == BEST:
        actions = analysis.best_of_game(game=game).line
    elif line == PLAYED:
        actions = selectors.actions_of(game_id=game.pk)
    else:
        raise ValueError("there is no such line")
    if not 0 <= at <= len(actions):
        raise ValueError("there is no such position")
    return "".join(standing(actions[:at]))
