"""Whether somebody plays as if the hidden stock were known.

Pure: games in, figures out. The reasoning, and what was measured, is in docs/decisions/fairness.md.
Run as `python -m tournaments.foresight` it answers line by line.

A *choice* is what a player does between two draws where there was something to choose: which cards
are played, and that a draw ends it. It *cost* something if the best result that the cards still
allowed before it could no longer be reached after it. Who does not see the stock makes such choices
now and then, however well he plays; who knows the stock need not make any.

How often honest choices cost something is no matter of opinion. The order of the hidden cards is
random, and who cannot see it would have played the same in any other order. So each choice is
tried with the hidden cards in `ORDERS` other orders: in the true order it cost something as
probably as in any of the others, for a beginner as for an expert. If choices that would have cost
something in many orders almost never did in the true one, that is no luck.

Two costs are counted: cards that can no longer be cleared; and those or, where all can be cleared,
a card less that can be left in the stock. Who reads the stock to clear all of it makes no choice
that costs the first; where that is easy, who also saves the stock makes none that costs the second.
"""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import Final, NamedTuple, TextIO

from games.engine import Deal, GameCode, Play, RuleSet
from games.engine.deals import TABLEAU

#: Other orders of the hidden cards that a choice is tried with, and in a first, quick look.
ORDERS: Final = 16
FIRST_ORDERS: Final = 2
#: What is less probable than this is flagged; what a first look finds more probable than the
#: second is not looked at any closer.
FLAGGED: Final = 1 / 1000
DOUBTFUL: Final = 1 / 20
#: Cards of each hole that were left although the best play would have cleared them: who leaves more
#: than so many has not read the stock, and needs no look.
LEFT: Final = 2.5


class Played(NamedTuple):
    """A finished game: the code of its deal, and its journal."""

    code: str
    actions: str


@dataclass(frozen=True, slots=True)
class Found:
    """What the games of a round look like.

    :param holes: how many were looked at.
    :param choices: how many choices were made in them.
    :param counts_stock: whether a card less in the stock at the end counts as a cost too.
    :param costly: how many choices cost something.
    :param expected: how many would have, by the mean over the orders that were tried.
    :param chance: how probable it is that so few or fewer do, for who does not see the stock.
    """

    holes: int
    choices: int
    counts_stock: bool
    costly: int
    expected: float
    chance: float

    @property
    def is_flagged(self) -> bool:
        """Whether somebody should look at it."""
        return self.chance <= FLAGGED


def look(games: Iterable[Played], *, spare: bool = True) -> Found | None:
    """Look at the games of a round, up to nine; None where there is nothing to see.

    Games in which something was undone are left out: their player has seen hidden cards before.
    The same games give the same answer each time.

    :param spare: whether who leaves too many cards is not looked at.
    :raises ValueError: if a code or a journal is none.
    """
    looked_at = [_Game.replay(game) for game in games if "u" not in game.actions]
    choices = [choice for game in looked_at for choice in game.choices]
    if not choices or (spare and _leaves_too_many(looked_at)):
        return None
    found = _found(looked_at, choices, FIRST_ORDERS)
    return found if found.chance > DOUBTFUL else _found(looked_at, choices, ORDERS)


def _found(games: Sequence["_Game"], choices: Sequence["_Choice"], orders: int) -> Found:
    """Count what cost something in so many orders, once with the stock's cards and once without.

    Of the two the one that is less probable; that it is one of two makes it twice as probable.
    """
    for choice in choices:
        choice.try_orders(orders)
    both = []
    for counts_stock in (False, True):
        shares = [choice.share(counts_stock) for choice in choices]
        costly = sum(choice.is_costly(counts_stock) for choice in choices)
        chance = min(1.0, 2 * _at_most(costly, shares))
        both.append(Found(len(games), len(choices), counts_stock, costly, sum(shares), chance))
    return min(both, key=lambda found: found.chance)


def is_spared(games: Iterable[Played]) -> bool:
    """Return whether so many cards were left that nobody need look."""
    return _leaves_too_many([_Game.replay(game) for game in games if "u" not in game.actions])


def _leaves_too_many(games: Sequence["_Game"]) -> bool:
    return sum(game.left - _left_at_best(game.code) for game in games) > LEFT * len(games)


@lru_cache(maxsize=64)
def _left_at_best(code: str) -> int:
    """How many cards the best play of a deal leaves."""
    parsed = GameCode.parse(code)
    return TABLEAU - _best(parsed.deal(), parsed.rules)[0]


def _best(cards: Deal, rules: RuleSet) -> tuple[int, int]:
    """How many cards the best play clears, and leaves in the stock when it has cleared all."""
    from games.engine.solver import solve  # with numpy, which a server need not load

    best = solve(cards, rules).best
    return best.cleared, best.stock_left or 0


class _Cost(NamedTuple):
    """What a choice cost: cards that cannot be cleared any more; those, or a card of the stock."""

    cards: bool
    stock: bool


@dataclass(slots=True)
class _Choice:
    """What was done between two draws.

    :ivar before: the cards as it began, the stock in its true order.
    :ivar columns: the columns as it ended.
    :ivar drew: whether a draw ended it, or the end of the game.
    :ivar tried: what it cost, in the true order and in each other one so far.
    """

    before: Deal
    columns: tuple[tuple[int, ...], ...]
    drew: bool
    rules: RuleSet
    chance: Random
    tried: list[_Cost] = field(default_factory=list)

    def try_orders(self, orders: int) -> None:
        """Try the true order and so many others, those included that were tried before."""
        if not self.tried:
            self.tried.append(self._cost(self.before.stock))
        while len(self.tried) <= orders:
            stock = list(self.before.stock)
            self.chance.shuffle(stock)
            self.tried.append(self._cost(tuple(stock)))

    def is_costly(self, counts_stock: bool) -> bool:
        """Whether it cost something."""
        return self.tried[0][counts_stock]

    def share(self, counts_stock: bool) -> float:
        """In which share of the orders it costs something."""
        return sum(cost[counts_stock] for cost in self.tried) / len(self.tried)

    def _cost(self, stock: tuple[int, ...]) -> _Cost:
        """What it costs if the hidden cards lie in this order."""
        if self.drew:
            after = _best(Deal(self.columns, stock[0], stock[1:]), self.rules)
        else:
            left = sum(map(len, self.columns))
            after = TABLEAU - left, 0 if left else len(stock)
        before = _best(replace(self.before, stock=stock), self.rules)
        return _Cost(before[0] > after[0], before > after)


@dataclass(frozen=True, slots=True)
class _Game:
    """A game taken apart: its choices, and the cards that it left."""

    code: str
    left: int
    choices: tuple[_Choice, ...]

    @classmethod
    def replay(cls, game: Played) -> "_Game":
        code = GameCode.parse(game.code)
        play = Play(code.deal(), code.rules, undo=False)
        chance = Random(sha256(f"{game.code} {game.actions}".encode()).digest())  # noqa: S311
        choices: list[_Choice] = []
        before, chosen = play.deal, False

        def end(drew: bool) -> None:
            if chosen:
                choices.append(_Choice(before, play.columns, drew, code.rules, chance))

        for action in game.actions:
            chosen = chosen or len(play.legal()) > 1 or action == "g"
            if action == "c":
                return cls(game.code, play.left, tuple(choices))  # time made the last choice
            if action == "d":
                end(drew=True)
            play.act(action)
            if action == "d":
                before, chosen = play.deal, False
        end(drew=False)
        return cls(game.code, play.left, tuple(choices))


def _at_most(count: int, shares: Sequence[float]) -> float:
    """Return how probable it is that at most `count` of independent events happen.

    >>> _at_most(0, [0.5, 0.5]), _at_most(1, [0.5, 0.5])
    (0.25, 0.75)
    """
    exactly = [1.0]
    for share in shares:
        with_it = [0.0, *(chance * share for chance in exactly)]
        without = [*(chance * (1 - share) for chance in exactly), 0.0]
        exactly = [one + other for one, other in zip(with_it, without, strict=True)][: count + 1]
    return min(1.0, sum(exactly))


def main(lines: Iterable[str], answers: TextIO) -> None:
    """Answer each line, the games of a round as JSON, with a line: what was found, or null."""
    for line in lines:
        try:
            found = look(Played(*game) for game in json.loads(line))
        except ValueError as error:
            sys.stderr.write(f"A round could not be looked at: {error}\n")
            found = None
        answers.write(json.dumps(None if found is None else asdict(found)) + "\n")
        answers.flush()


if __name__ == "__main__":
    os.nice(19)
    main(sys.stdin, sys.stdout)
