"""Drawing secret deals of a chosen difficulty, which nobody sees.

A deal is drawn by chance and solved; whether it is taken depends on its best result alone, so that
every deal of the wanted kind is as probable as any other. How many were passed over is told to
nobody, and no result is kept: a line would be one more secret.
"""

import secrets
from collections.abc import Callable
from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from games import solving
from games.engine import Best, GameCode, RuleSet
from tournaments.models import Tournament

#: Deals that are solved together, and how many at the most: for each hole, and besides.
_BATCH: Final = 30
TRIES_A_HOLE: Final = 25
TRIES_BESIDES: Final = 75

_WANTED: Final[dict[str, Callable[[Best], bool]]] = {
    Tournament.Difficulty.CLEARABLE: lambda best: best.won,
    Tournament.Difficulty.CLOSE: lambda best: 1 <= best.strokes <= 3,
}


@sensitive_variables()
def draw_deals(*, rules: RuleSet, holes: int, difficulty: str) -> list[GameCode]:
    """Return the codes of so many secret deals.

    Where the difficulty matters this waits for the solver, for some seconds at the most: so it is
    neither for the event loop nor for within a transaction.

    Raises `ValidationError` at `difficulty`: ``solver_away``, or ``too_rare`` where too few deals
    of that kind were found among as many as are tried.
    """
    if difficulty == Tournament.Difficulty.ANY:
        return [_draw(rules) for _ in range(holes)]
    is_wanted = _WANTED[difficulty]
    found: list[GameCode] = []
    tries = TRIES_A_HOLE * holes + TRIES_BESIDES
    while len(found) < holes:
        if tries <= 0:
            raise _refused(
                "too_rare",
                _(
                    "Under these rules such deals are too rare. Choose another difficulty,"
                    " other rules or fewer holes."
                ),
            )
        batch = [_draw(rules) for _ in range(min(_BATCH, tries))]
        tries -= len(batch)
        try:
            solutions = solving.solve(batch)
        except solving.Unavailable:
            text = _("Deals cannot be looked at just now. Try again later, or take any deals.")
            raise _refused("solver_away", text) from None
        found += [
            code
            for code, solution in zip(batch, solutions, strict=True)
            if is_wanted(solution.best)
        ]
    return found[:holes]


def _draw(rules: RuleSet) -> GameCode:
    return GameCode.secret(rules, secrets.randbits(128))


def _refused(code: str, text: str) -> ValidationError:
    return ValidationError({"difficulty": ValidationError(text, code)})
