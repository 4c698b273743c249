"""How many deals can be cleared under a rule set: counted by the solver, with its uncertainty."""

import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Final

from games.engine import GameCode, RuleSet

#: The normal distribution's share of 95 % lies within so many standard deviations.
_DEVIATIONS: Final = 1.959963984540054
#: Deals that a process is given at a time.
_BATCH: Final = 50
#: A seed and the number of a deal are the two parts of a code's 128 bits.
_NUMBER_BITS: Final = 32
MOST_DEALS: Final = 2**_NUMBER_BITS
MOST_SEED: Final = 2 ** (128 - _NUMBER_BITS) - 1


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some deals can be cleared.

    >>> Share(deals=200, won=186).share
    0.93
    """

    deals: int
    won: int

    @property
    def share(self) -> float:
        """The share of the deals, 0 to 1."""
        return self.won / self.deals

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval: in 95 of 100 such counts it holds the share of all deals.

        >>> [round(end, 4) for end in Share(deals=10, won=0).interval]
        [0.0, 0.2775]
        """
        spread = _DEVIATIONS**2 / self.deals
        middle = self.share + spread / 2
        half = math.sqrt(spread * (self.share * (1 - self.share) + spread / 4))
        return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def code_of(*, rules: RuleSet, seed: int, number: int) -> GameCode:
    """Return the code of one deal of a count. Rule sets with as many jokers have the same deals."""
    return GameCode(2, rules, seed << _NUMBER_BITS | number)


def count_cleared(*, rules: RuleSet, deals: int, seed: int, processes: int) -> Share:
    """Solve so many deals under a rule set, in so many processes. The seed decides the deals.

    Raises `ValueError` if a figure is out of range.
    """
    if not 1 <= deals <= MOST_DEALS or not 0 <= seed <= MOST_SEED or processes < 1:
        raise ValueError("there are deals and processes from 1 on, and seeds from 0 on")
    batches = range(0, deals, _BATCH)
    ends = [min(start + _BATCH, deals) for start in batches]
    count = partial(_count, rules, seed)
    if processes == 1:
        return Share(deals=deals, won=sum(map(count, batches, ends)))
    # Not forked: whoever calls this may have threads and connections.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return Share(deals=deals, won=sum(pool.map(count, batches, ends)))


def _count(rules: RuleSet, seed: int, start: int, end: int) -> int:
    # Here, since whoever lists the commands does not need numpy.
    from games.engine.solver import solve

    codes = (code_of(rules=rules, seed=seed, number=number) for number in range(start, end))
    return sum(solve(code.deal(), rules).best.won for code in codes)


def table(shares: dict[RuleSet, Share]) -> Iterator[str]:
    """Give the lines of a table of some rule sets, in Markdown."""
    yield "| rules | deals | can be cleared | share | 95 % interval |"
    yield "|---|---|---|---|---|"
    for rules, share in shares.items():
        low, high = share.interval
        yield (
            f"| `{rules.text}` | {share.deals:,} | {share.won:,} | {100 * share.share:.1f} % |"
            f" {100 * low:.1f} % to {100 * high:.1f} % |"
        )
