"""How long the solver takes for a deal, beside a plain depth-first search.

    python -m tests.bench.solver [--deals 200] [--positions 100000]

Both solve the same deals on one core. The search keeps the positions that it has seen and, once
it has won, leaves out what cannot be better; it is stopped after so many positions, and such a
time is marked with `≥`: it would have taken longer. Where it comes to its end both must agree.
Times are processor times, of the solver the least of three. Prints a table, writes
`bench-results/solver.json`, and exits 1 if something is above what is allowed.
"""

import argparse
import json
import math
import resource
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from time import process_time
from typing import TypeVar

from games.engine import Best, Deal, GameCode, RuleSet
from games.engine.cards import NO_CARD
from games.engine.solver import solve, solve_line
from tests.harness.processes import ROOT

#: The rule sets that are measured, and one more for the memory: with it the most can be reached.
RULES = ("E", "C", "S")
WIDEST = "XLQA2E"
#: Milliseconds for the median deal, the slowest to the median, MB at most, and how many times
#: slower the search must be at the 95th percentile.
MEDIAN, SLOWEST, MEMORY, SEARCH = 40.0, 3.0, 150.0, 10.0
#: The first deal of the run, as the number of a code, and the step to the next.
FIRST, STEP = 1_000_003, 7_919
RESULTS = ROOT / "bench-results"

T = TypeVar("T")


def search(deal: Deal, rules: RuleSet, limit: int) -> Best | None:
    """Return the best result by depth-first search; None after `limit` positions."""
    columns, stock = deal.columns, deal.stock
    start = (tuple(map(len, columns)), 0, NO_CARD if deal.waste is None else deal.waste)
    todo, seen = [start], {start}
    best, fewest_drawn = 0, len(stock) + 1
    while todo:
        heights, drawn, waste = todo.pop()
        left = sum(heights)
        best = max(best, 35 - left)
        if drawn >= fewest_drawn:
            continue
        if not left:
            fewest_drawn = drawn
            continue
        free = [cards[h - 1] if h else NO_CARD for cards, h in zip(columns, heights, strict=True)]
        for action in rules.legal(free, waste, len(stock) - drawn):
            if action == "d":
                position = (heights, drawn + 1, stock[drawn])
            else:
                i = int(action) - 1
                position = ((*heights[:i], heights[i] - 1, *heights[i + 1 :]), drawn, free[i])
            if position not in seen:
                seen.add(position)
                todo.append(position)
        if len(seen) > limit:
            return None
    return Best(best, len(stock) - fewest_drawn if best == 35 else None)


@dataclass(frozen=True)
class Row:
    """What was measured under one rule set: times in ms, of the search with those cut short."""

    rules: str
    median: float
    p95: float
    slowest: float
    search_p95: float
    search_p95_is_cut: bool
    search_median: float
    search_median_is_cut: bool
    cut: int
    won: int

    @property
    def ratio(self) -> float:
        """How many times slower the search is at the 95th percentile, at least."""
        return self.search_p95 / self.p95


def timed(function: Callable[[], T]) -> tuple[float, T]:
    """Return the processor time of a call in ms, and its result."""
    started = process_time()
    result = function()
    return (process_time() - started) * 1000, result


def quantile(values: Sequence[T], part: float) -> T:
    """Return the least of sorted values that `part` of them do not exceed."""
    return values[math.ceil(len(values) * part) - 1]


def deals_of(text: str, count: int) -> list[Deal]:
    """Return the deals that are measured under a rule set."""
    rules = RuleSet.parse(text)
    return [GameCode(1, rules, FIRST + STEP * number).deal() for number in range(count)]


def solved(text: str, deals: list[Deal]) -> list[tuple[float, Best]]:
    """Return the time and the result of each deal."""
    rules = RuleSet.parse(text)
    solve(deals[0], rules)  # what is the same for every deal is computed once a process
    answers = []
    for deal in deals:
        runs = [timed(lambda deal=deal: solve(deal, rules).best) for _ in range(3)]
        answers.append((min(time for time, _ in runs), runs[0][1]))
    return answers


def compared(text: str, deals: list[Deal], answers: list[tuple[float, Best]], limit: int) -> Row:
    """Search the same deals, and return the row; raise if the two do not agree."""
    rules = RuleSet.parse(text)
    times = []
    for deal, (_, expected) in zip(deals, answers, strict=True):
        time, found = timed(lambda deal=deal: search(deal, rules, limit))
        if found not in (None, expected):
            raise SystemExit(f"{text}: the search finds {found}, the solver {expected}")
        # A time that was cut short is longer than any other: nobody knows how much.
        times.append((found is None, time))
    times.sort()
    own = sorted(time for time, _ in answers)
    middle_is_cut, middle = quantile(times, 0.5)
    late_is_cut, late = quantile(times, 0.95)
    return Row(
        rules=text,
        median=statistics.median(own),
        p95=quantile(own, 0.95),
        slowest=own[-1],
        search_p95=late,
        search_p95_is_cut=late_is_cut,
        search_median=middle,
        search_median_is_cut=middle_is_cut,
        cut=sum(is_cut for is_cut, _ in times),
        won=sum(best.won for _, best in answers),
    )


def table(rows: list[Row]) -> str:
    """Return the rows as text."""
    columns = (
        "median",
        "p95",
        "slowest",
        "/median",
        "won",
        "DFS median",
        "DFS p95",
        "times",
        "cut",
    )
    lines = ["rules" + "".join(f"{column:>12}" for column in columns)]
    for row in rows:
        middle = f"{'≥ ' * row.search_median_is_cut}{row.search_median:,.0f} ms"
        late = f"{'≥ ' * row.search_p95_is_cut}{row.search_p95:,.0f} ms"
        times = f"{'≥ ' * row.search_p95_is_cut}{row.ratio:,.0f}"
        lines.append(
            f"{row.rules:5}{row.median:9.1f} ms{row.p95:9.1f} ms{row.slowest:9.1f} ms"
            f"{row.slowest / row.median:12.2f}{row.won:12}{middle:>12}{late:>12}{times:>12}"
            f"{row.cut:12}"
        )
    return "\n".join(lines) + "\n"


def peak() -> float:
    """Return the most memory that this process has had, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def faults(rows: list[Row], memory: float) -> list[str]:
    """Return a line for whatever is above what is allowed."""
    found = []
    for row in rows:
        if row.median > MEDIAN:
            found.append(f"{row.rules}: the median deal takes longer than {MEDIAN:.0f} ms.\n")
        if row.slowest > SLOWEST * row.median:
            found.append(f"{row.rules}: the slowest deal is above {SLOWEST:.0f} medians.\n")
        if row.ratio < SEARCH:
            found.append(f"{row.rules}: the search is not {SEARCH:.0f} times slower at p95.\n")
    if memory > MEMORY:
        found.append(f"The solver needs more than {MEMORY:.0f} MB.\n")
    return found


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(prog="tests.bench.solver", description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=200)
    parser.add_argument("--positions", type=int, default=100_000)
    options = parser.parse_args()
    deals = {text: deals_of(text, options.deals) for text in RULES}
    answers = {text: solved(text, deals[text]) for text in RULES}
    widest = deals_of(WIDEST, 20)
    wide = statistics.median(time for time, _ in solved(WIDEST, widest))
    rules = RuleSet.parse(WIDEST)
    whole = statistics.median(timed(lambda d=d: solve_line(d, rules, "dd"))[0] for d in widest)
    # The search needs more: this is the solver's alone, with Python and numpy.
    memory = peak()
    rows = [compared(text, deals[text], answers[text], options.positions) for text in RULES]
    sys.stdout.write(table(rows))
    sys.stdout.write(
        f"{WIDEST}: {wide:.1f} ms, every position of a game {whole:.1f} ms (medians of 20)\n"
        f"memory at most {memory:.0f} MB\n"
    )
    found = faults(rows, memory)
    RESULTS.mkdir(exist_ok=True)
    written = {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": sys.version.split()[0],
        "options": vars(options),
        "rows": [{**asdict(row), "ratio": row.ratio} for row in rows],
        "widest": {"rules": WIDEST, "median": wide, "whole_game": whole},
        "memory": memory,
        "faults": found,
    }
    (RESULTS / "solver.json").write_text(json.dumps(written, indent=2) + "\n")
    sys.stdout.write("".join(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
