"""The whole path: twenty races of ten, each move answered and told to the others in the room."""

from collections import defaultdict
from contextlib import ExitStack
from statistics import median

import msgspec

from tests.bench.lines import Line, ratio
from tests.bench.load import Result, Seat
from tests.bench.servers import DATABASES, ECHO, NAMES, SITE, Bench, Server

ROOMS, SEATS = 20, 10
#: Moves a second, each told to the other nine, as a part of the echo's messages a second.
REQUIRED = 0.3


def seats_of(server: Server) -> list[Seat]:
    """Return players who sit in rooms whose races start within seconds."""
    text = server.run("tests.bench.prepare_rooms", str(ROOMS), str(SEATS))
    return [
        Seat(cookie, [f"/ws/games/{game}/"], room=f"/ws/rooms/{code}/", key=seat)
        for cookie, game, code, seat in msgspec.json.decode(
            text, type=list[tuple[str, str, str, str]]
        )
    ]


def measure(bench: Bench) -> list[Line]:
    """Let everybody race, and look whether everybody heard of everybody's last move."""
    with ExitStack() as stack:
        servers = [stack.enter_context(bench.serving("echo", ECHO))]
        servers += [
            stack.enter_context(bench.serving(f"rooms, {NAMES[d]}", SITE, d)) for d in DATABASES
        ]
        found: dict[str, list[Result]] = defaultdict(list)
        for number, server in bench.rounds(servers):
            if server.database is None:
                # As many open sockets: a game and a room for each player.
                seats = server.seats(players=ROOMS * SEATS, seed=number, games=2)
            else:
                seats = seats_of(server)
            found[server.name].append(server.load(seats, endless=True))
    echo = [result.rate for result in found["echo"]]
    lines = []
    for database in DATABASES:
        results = found[f"rooms, {NAMES[database]}"]
        rates = [result.rate for result in results]
        share = ratio(rates, echo)
        untold = sum(result.untold for result in results)
        told = median(result.told for result in results)
        lines.append(
            Line(
                f"rooms of ten, each move told to the nine others, {NAMES[database]}",
                f"{REQUIRED} of the echo, none lost",
                f"{share:.2f} ({median(rates):,.0f}/s), told coalesced five times a second"
                f" ({told:,.0f} rows/s), {untold} lost",
                share >= REQUIRED and not untold,
                {"rates": rates, "echo": echo, "untold": untold, "told": told},
            )
        )
    return lines
