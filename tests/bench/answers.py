"""How long an answer takes at 300 moves a second of 200 players, beside an echo at that pace."""

from collections import defaultdict
from contextlib import ExitStack
from statistics import median

from tests.bench.lines import Line, ratio
from tests.bench.load import Result
from tests.bench.servers import DATABASES, ECHO, NAMES, SITE, Bench

PLAYERS, PACE = 200, 300.0
#: Milliseconds of the 99th percentile.
REQUIRED = 25.0


def measure(bench: Bench) -> list[Line]:
    """Let everybody move at fixed times, whether the server is quick or not."""
    with ExitStack() as stack:
        servers = [stack.enter_context(bench.serving("echo", ECHO))]
        servers += [
            stack.enter_context(bench.serving(f"the site, {NAMES[d]}", SITE, d)) for d in DATABASES
        ]
        found: dict[str, list[Result]] = defaultdict(list)
        for number, server in bench.rounds(servers):
            seats = server.seats(players=PLAYERS, seed=number, games=1)
            found[server.name].append(server.load(seats, pace=PACE, endless=True))
    echo = [result.p99 for result in found["echo"]]
    lines = []
    for database in DATABASES:
        results = found[f"the site, {NAMES[database]}"]
        high = [result.p99 for result in results]
        lines.append(
            Line(
                f"answer time at {PACE:.0f} moves/s, {PLAYERS} players, {NAMES[database]}",
                f"p99 ≤ {REQUIRED:.0f} ms",
                f"p99 {median(high):.1f} ms, median {median(r.median for r in results):.1f} ms;"
                f" {ratio(high, echo):.1f} times the echo's p99",
                median(high) <= REQUIRED,
                {"p99": high, "echo_p99": echo},
            )
        )
    return lines
