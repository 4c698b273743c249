"""What rooms cost everybody else: `python -m tests.bench.races [--rooms 10] [--seats 10]`.

The answer to a move of players who are in no room, while nobody races and while ten rooms of ten
do, in turn and several times over, on one server process with its database. The racers are bots of
a process of their own that play as fast as people do. Exits with 1 if the median answer takes more
than twice as long with the rooms as without.
"""

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

from tests.bench.pages import RESULTS
from tests.harness.processes import ROOT
from tests.harness.site import Site, running
from tests.harness.visitor import Line, Visitor
from tests.live.rooms import MadeRoom, Seated, make_rooms
from tournaments.bots.client import Tally
from tournaments.bots.racer import Racer
from tournaments.bots.strategies import STRATEGIES

#: How much longer an answer may take with the rooms.
LIMIT = 2.0
#: Players whose answers are measured, and seconds between two actions of each.
PROBES = 10
PAUSE = 0.1
#: Actions a second of a racer: somebody who is quick.
PACE = 1.0


async def probe(line: Line, until: float, took: list[float]) -> None:
    """Draw and take back, and note how long each answer takes, in ms."""
    await line.say(type="state")
    turn = (await line.hear())["position"]["turn"]
    while time.monotonic() < until:
        began = time.perf_counter()
        answer = await line.act(turn, "d" if turn % 2 == 0 else "u")
        took.append((time.perf_counter() - began) * 1000)
        if answer["type"] != "done":
            raise RuntimeError(answer)
        turn += 1
        await asyncio.sleep(PAUSE)


async def answers(lines: list[Line], seconds: float) -> list[float]:
    """Return how long the answers took, in ms."""
    took: list[float] = []
    until = time.monotonic() + seconds
    await asyncio.gather(*(probe(line, until, took) for line in lines))
    return took


@contextmanager
def racing(url: str, made: list[MadeRoom]) -> Iterator[None]:
    """Let everybody in these rooms race, from the first hole's start on."""
    order = {
        "url": url,
        "rooms": [
            {"code": room.code, "seats": [vars(seat) for seat in room.seats]} for room in made
        ],
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.races", "--race"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as crowd:
        assert crowd.stdin is not None
        assert crowd.stdout is not None
        try:
            crowd.stdin.write(json.dumps(order))
            crowd.stdin.close()
            if crowd.stdout.readline() != "racing\n":
                raise RuntimeError("the crowd has not started")
            yield
            if crowd.poll() is not None:
                raise RuntimeError("the crowd was done too early")
        finally:
            crowd.kill()


async def race(order: dict[str, object]) -> None:
    """Be the crowd: print a line once everybody plays, then play until killed."""
    rooms: list[dict[str, object]] = order["rooms"]  # type: ignore[assignment]
    work: list[asyncio.Task[None]] = []

    def note(_game: str, _turn: int, _action: str) -> None:
        if tally.counts["acknowledged"] == len(work):
            sys.stdout.write("racing\n")
            sys.stdout.flush()

    tally = Tally(note)
    async with AsyncExitStack() as stack:
        for room in rooms:
            seats: list[dict[str, object]] = room["seats"]  # type: ignore[assignment]
            for at, seat in enumerate(Seated(**each) for each in seats):  # type: ignore[arg-type]
                racer = Racer(
                    name=seat.name,
                    cookie=seat.cookie,
                    servers=[str(order["url"])],
                    strategy=STRATEGIES[at % len(STRATEGIES)],
                    chance=random.Random(at),
                    pace=PACE,
                    tally=tally,
                )
                await stack.enter_async_context(racer)
                work.append(asyncio.create_task(racer.race(str(room["code"]))))
        await asyncio.gather(*work)


async def measure(site: Site, options: argparse.Namespace) -> dict[str, list[list[float]]]:
    """Return the answers of each round, without and with the rooms."""
    found: dict[str, list[list[float]]] = {"without": [], "with": []}
    async with AsyncExitStack() as stack:
        lines = []
        for number in range(PROBES):
            visitor = await stack.enter_async_context(Visitor(site.url))
            await visitor.become_guest(f"Probe {number}")
            line = await visitor.connect(f"/ws/games/{await visitor.practise('GO1-E-AAAAAAB')}/")
            await line.hear()
            lines.append(line)
        await answers(lines, 2)
        for _ in range(options.rounds):
            found["without"].append(await answers(lines, options.seconds))
            made = await asyncio.to_thread(
                make_rooms, site, rooms=options.rooms, seats=options.seats, holes=9
            )
            with racing(site.url, made):
                found["with"].append(await answers(lines, options.seconds))
            # Who has gone counts as gone; nobody races on without them.
            await asyncio.sleep(1)
    return found


def main() -> int:
    """Measure, print a table and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=10)
    parser.add_argument("--seats", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--race", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.race:
        asyncio.run(race(json.load(sys.stdin)))
        return 0
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as site:
        found = asyncio.run(measure(site, options))
    medians = {}
    for name, rounds in found.items():
        medians[name] = statistics.median(statistics.median(each) for each in rounds)
        high = statistics.median(statistics.quantiles(each, n=100)[94] for each in rounds)
        sys.stdout.write(f"{name:8} median {medians[name]:7.2f} ms   95 % {high:7.2f} ms\n")
    share = medians["with"] / medians["without"]
    sys.stdout.write(f"{options.rooms} rooms of {options.seats}: {share:.2f} times as long\n")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "races.json").write_text(
        json.dumps({"limit": LIMIT, "medians": medians, "share": share})
    )
    return int(share > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
