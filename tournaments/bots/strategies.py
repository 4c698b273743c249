"""Ways to play, from weak to strong. Each sees what a player sees: the cards that lie open."""

import random
from collections.abc import Callable

from tournaments.bots.recount import Board

#: Chooses one of the board's legal actions, or `g` to give up; deterministic but for the `Random`.
Strategy = Callable[[Board, random.Random], str]

#: How many positions one look ahead may visit; runs are short, but jokers and links make many.
LOOK_AHEAD = 2000


def at_random(board: Board, chance: random.Random) -> str:
    """Any legal action; now and then tired of a game that has no stock left."""
    if not board.stock and chance.random() < 0.2:
        return "g"
    return chance.choice(board.legal())


def lowest_column(board: Board, chance: random.Random) -> str:
    """The first column that fits; a draw only when nothing does."""
    return board.legal()[0]


def hasty(board: Board, chance: random.Random) -> str:
    """As `lowest_column`, but one time in six a card is drawn although one fits."""
    legal = board.legal()
    return "d" if "d" in legal and chance.random() < 1 / 6 else legal[0]


def longest_column(board: Board, chance: random.Random) -> str:
    """The fitting card that covers most others."""
    plays = board.plays()
    if not plays:
        return "d"
    return max(plays, key=lambda number: len(board.columns[int(number) - 1]))


def longest_run(board: Board, chance: random.Random) -> str:
    """The card that starts the longest run over the open cards."""
    lengths = run_lengths(board)
    return max(lengths, key=lambda number: (lengths[number], -int(number))) if lengths else "d"


def patient(board: Board, chance: random.Random) -> str:
    """As `longest_run`, but draws past a run of one card while the stock is deep."""
    lengths = run_lengths(board)
    if board.stock > 8 and "d" in board.legal() and max(lengths.values(), default=0) <= 1:
        return "d"
    return longest_run(board, chance)


STRATEGIES: tuple[Strategy, ...] = (
    at_random,
    lowest_column,
    hasty,
    longest_column,
    longest_run,
    patient,
)


def run_lengths(board: Board) -> dict[str, int]:
    """For each play, how many cards the longest run that starts with it clears."""
    columns = [list(column) for column in board.columns]
    budget = LOOK_AHEAD

    def longest(waste: str | None) -> int:
        nonlocal budget
        best = 0
        for column in columns:
            if budget > 0 and column and board.fits(column[-1], waste):
                budget -= 1
                card = column.pop()
                best = max(best, 1 + longest(card))
                column.append(card)
        return best

    lengths = {}
    for number in board.plays():
        column = columns[int(number) - 1]
        card = column.pop()
        lengths[number] = 1 + longest(card)
        column.append(card)
    return lengths
