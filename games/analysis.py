"""What a deal could have come to: computed when somebody asks, and kept for good.

Nothing waits for it: without the solver pages leave it out. A result tells how to play the deal.
So it is only computed for a code that the caller may show, or for a game whose cards are open;
nothing is computed or stored ahead of that.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from django.views.decorators.debug import sensitive_variables

from games import selectors, solving
from games.engine import Best, GameCode
from games.models import BestResult, Game
from games.signals import deal_in_play_asked

#: Courses of games that a process keeps, some 10 kB each.
MOST_COURSES: Final = 256


def best_of(*, code: GameCode) -> BestResult:
    """Return the best result of a deal, computed if this is the first question; see `bests_of`."""
    return bests_of(codes=[code])[code]


@sensitive_variables()
def bests_of(*, codes: Iterable[GameCode]) -> dict[GameCode, BestResult]:
    """Return the best result of each deal, in three queries at most.

    Waits for the solver, so it is neither for the event loop nor for within a transaction. Raises
    `games.solving.Unavailable`.
    """
    wanted = set(codes)
    found = _stored(wanted)
    missing = [code for code in wanted if code not in found]
    if missing:
        rows = [
            BestResult(
                deal=code.deal_text,
                rules=code.rules.text,
                cleared=solution.best.cleared,
                stock_left=solution.best.stock_left,
                line=solution.line,
            )
            for code, solution in zip(missing, solving.solve(missing), strict=True)
        ]
        # Whoever asks the same at the same time gets the same, and stores it first.
        BestResult.objects.bulk_create(rows, ignore_conflicts=True)
        found |= _stored(missing)
    return found


def _stored(codes: Iterable[GameCode]) -> dict[GameCode, BestResult]:
    by_parts = {(code.deal_text, code.rules.text): code for code in codes}
    deals, rules = {deal for deal, _ in by_parts}, {rules for _, rules in by_parts}
    rows = BestResult.objects.filter(deal__in=deals, rules__in=rules)
    return {by_parts[row.deal, row.rules]: row for row in rows if (row.deal, row.rules) in by_parts}


def best_of_game(*, game: Game) -> BestResult:
    """Return the best result of a game's deal; see `bests_of`.

    Raises `ValueError` unless `is_open`.
    """
    _check_is_open(game)
    return best_of(code=GameCode.parse(game.deal_code))


def course_of(*, game: Game) -> list[Best]:
    """Return the best that was still in reach at the start of a game and after each action.

    Undo does not count as a way back. It is not stored, but a process keeps what was asked last.
    Waits for the solver, and raises, as `best_of_game` does; also `ValueError` while the game goes
    on.
    """
    _check_is_open(game)
    if game.finished_at is None:
        raise ValueError("the game goes on")
    actions = selectors.actions_of(game_id=game.pk)
    return list(_course(GameCode.parse(game.deal_code), actions))


@lru_cache(maxsize=MOST_COURSES)
def _course(code: GameCode, actions: str) -> tuple[Best, ...]:
    return tuple(solving.solve_line(code, actions))


def is_open(*, game: Game) -> bool:
    """Return whether a game's deal may be looked into: nobody can play it for something any more.

    A game of practice, or one of a friendly tournament that is over, may be on a deal that is
    played in another friendly tournament meanwhile.
    """
    if game.is_secret:
        return False
    code = GameCode.parse(game.deal_code)
    # Whoever pastes the deal of a real competition that is over cannot take its reviews away.
    if game.closes_at is not None and code.version != 1:
        return True
    answers = deal_in_play_asked.send(sender=Game, code=code)
    return not any(is_in_play for _receiver, is_in_play in answers)


def _check_is_open(game: Game) -> None:
    if not is_open(game=game):
        raise ValueError("the deal is secret")
