"""Players of every strength for the measure of foresight: honest ones, and ones who know the stock.

Each plays one deal to the end and returns its actions; the same seed plays in the same way.
"""

import json
import random
import sys
from collections.abc import Callable

from games.engine import Deal, GameCode, Play, RuleSet, card_text
from games.engine.solver import solve
from tournaments.bots.recount import Board
from tournaments.bots.strategies import STRATEGIES, Strategy

Player = Callable[[GameCode, random.Random], str]

#: Orders of the hidden cards that a planner thinks through before each choice.
ORDERS = 6


def bot(strategy: Strategy) -> Player:
    """One of the bots, which see what a player sees."""

    def play_on(code: GameCode, chance: random.Random) -> str:
        play = Play(code.deal(), code.rules, undo=False)
        position = {
            "columns": [" ".join(map(card_text, column)) for column in play.columns],
            "waste": None if play.waste is None else card_text(play.waste),
            "stock": play.stock_left,
        }
        board = Board(code.rules.fields(), position)
        while not play.final:
            action = strategy(board, chance)
            play.act(action)
            if action == "g":
                break
            drawn = None if play.waste is None else card_text(play.waste)
            board.act(action, drawn if action == "d" else None)
        return play.journal

    return play_on


BOTS: dict[str, Player] = {strategy.__name__: bot(strategy) for strategy in STRATEGIES}


def planner(code: GameCode, chance: random.Random) -> str:
    """The strongest honest player: solves the deal in many orders of the cards it cannot see.

    It takes the action after which the fewest cards are left on average, in the best case each
    time. So it plays as well as one can who is no better at guessing than chance.
    """
    return _choose(code, chance, known=0, orders=ORDERS)


def reader(code: GameCode, chance: random.Random) -> str:
    """Knows the whole stock, and takes any of the actions that are best."""
    return _choose(code, chance, known=99, orders=1)


def peeker(known: int) -> Player:
    """Knows the next `known` cards of the stock, and is a planner otherwise."""

    def play_on(code: GameCode, chance: random.Random) -> str:
        return _choose(code, chance, known=known, orders=ORDERS)

    return play_on


def sloppy_reader(code: GameCode, chance: random.Random) -> str:
    """Knows the stock half of the time; otherwise a planner."""
    return _choose(code, chance, known=99, orders=ORDERS, sight=0.5)


def line(code: GameCode, chance: random.Random) -> str:
    """Plays the solver's own line."""
    return solve(code.deal(), code.rules).line


def _choose(
    code: GameCode, chance: random.Random, *, known: int, orders: int, sight: float = 1.0
) -> str:
    play = Play(code.deal(), code.rules, undo=False)
    while not play.final:
        legal = play.legal()
        if len(legal) == 1:
            play.act(legal)
            continue
        sees = known if chance.random() < sight else 0
        left = dict.fromkeys(legal, 0)
        for _ in range(1 if sees >= play.stock_left else orders):
            stock = list(play.deal.stock)
            hidden = stock[sees:]
            chance.shuffle(hidden)
            for action in legal:
                left[action] += _left(play, action, (*stock[:sees], *hidden))
        best = min(left.values())
        play.act(chance.choice([action for action in legal if left[action] == best]))
    return play.journal


def _left(play: Play, action: str, stock: tuple[int, ...]) -> int:
    """How many cards the best play leaves after an action, if the stock lies so."""
    deal = Deal(play.columns, play.waste, stock)
    after = Play(deal, play.rules, undo=False)
    after.act(action)
    return after.left if after.final else 35 - solve(after.deal, play.rules).best.cleared


def planned(rules: RuleSet, number: int) -> list[tuple[str, str]]:
    """The codes and the actions of nine holes of a planner: the same for the same number."""
    chance = random.Random(f"{rules.text} planner {number}")
    games = []
    for _ in range(9):
        code = GameCode.secret(rules, chance.getrandbits(128))
        games.append((code.text, planner(code, chance)))
    return games


def main() -> None:
    """Print nines of a planner, a line each: `python -m tests.tournaments.players RULES NINES`.

    `planned_games.jsonl` keeps such lines, since they take minutes to play.
    """
    text, nines = sys.argv[1:]
    for number in range(int(nines)):
        sys.stdout.write(json.dumps(planned(RuleSet.parse(text), number)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
