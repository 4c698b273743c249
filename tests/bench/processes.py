"""Two processes against one, on PostgreSQL and Redis."""

import os
from collections import defaultdict
from contextlib import ExitStack
from statistics import median

from tests.bench.lines import Line, ratio
from tests.bench.servers import SITE, Bench

PLAYERS = 200
REQUIRED = 1.5
#: Two servers, the database and the load; with fewer cores they wait for each other.
CORES = 4


def measure(bench: Bench) -> list[Line]:
    """Let 200 players play on one process, and 100 on each of two."""
    with ExitStack() as stack:
        servers = [
            stack.enter_context(
                bench.serving(name, SITE, "postgresql", processes=processes, redis=True)
            )
            for name, processes in (("one process", 1), ("two processes", 2))
        ]
        rates: dict[str, list[float]] = defaultdict(list)
        for number, server in bench.rounds(servers):
            seats = server.seats(players=PLAYERS, seed=number)
            rates[server.name].append(server.load(seats).rate)
    share = ratio(rates["two processes"], rates["one process"])
    cores = os.cpu_count() or 1
    measured = f"{share:.2f} times ({median(rates['two processes']):,.0f}/s)"
    if cores < CORES:
        measured += f"; {cores} cores, which servers, database and load share"
    return [
        Line(
            "two processes against one, PostgreSQL, Redis",
            f"{REQUIRED} times, where cores allow",
            measured,
            share >= REQUIRED if cores >= CORES else None,
            dict(rates),
        )
    ]
