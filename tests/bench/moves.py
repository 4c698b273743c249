"""Durable moves a second of 200 players on one process, beside an echo and a naive server."""

from collections import defaultdict
from contextlib import ExitStack
from statistics import median

from tests.bench.lines import Line, ratio
from tests.bench.load import Result
from tests.bench.servers import DATABASES, ECHO, NAIVE, NAMES, SITE, Bench

#: Durable moves a second as a part of the echo's messages a second.
REQUIRED = 0.45
#: The part of a core that the echo's server must have had: with less, something else was measured.
BUSY = 0.9
PLAYERS = 200


def measure(bench: Bench) -> list[Line]:
    """Let 200 players play as fast as they are answered."""
    with ExitStack() as stack:
        start = stack.enter_context
        servers = [start(bench.serving("echo", ECHO))]
        servers += [start(bench.serving(f"the site, {NAMES[d]}", SITE, d)) for d in DATABASES]
        servers += [start(bench.serving(f"naive, {NAMES[d]}", NAIVE, d)) for d in DATABASES]
        found: dict[str, list[Result]] = defaultdict(list)
        for number, server in bench.rounds(servers):
            seats = server.seats(players=PLAYERS, seed=number)
            found[server.name].append(server.load(seats))
    rates = {name: [result.rate for result in results] for name, results in found.items()}
    echo = rates["echo"]
    busy = median(result.server_cpu for result in found["echo"])
    lines = [
        Line(
            "echo: messages/s, bare ASGI application",
            "its server busy",
            f"{median(echo):,.0f}/s, its server {busy:.0%} busy",
            busy >= BUSY,
            {"rates": echo},
        )
    ]
    for database in DATABASES:
        site, naive = rates[f"the site, {NAMES[database]}"], rates[f"naive, {NAMES[database]}"]
        share = ratio(site, echo)
        spent = min(result.cpu_per_move for result in found[f"the site, {NAMES[database]}"])
        lines += [
            Line(
                f"durable moves/s, {PLAYERS} players, {NAMES[database]}",
                f"{REQUIRED} of the echo",
                f"{share:.2f} ({median(site):,.0f}/s, {spent:.0f} µs)",
                share >= REQUIRED,
                {"rates": site, "share": share},
            ),
            Line(
                f"  beside it the naive consumer, {NAMES[database]}",
                "",
                f"1/{ratio(site, naive):.0f} of the site ({median(naive):,.0f}/s)",
                None,
                {"rates": naive},
            ),
        ]
    return lines
