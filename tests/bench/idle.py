"""5,000 idle sockets, each with its game open, on one process for a minute.

As `python -m tests.bench.idle PORT SECONDS` it reads seats, opens every game, prints a line once
all are open, and another one, how many were closed, after that time.
"""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from tests.bench.lines import Line
from tests.bench.load import GameSocket, Order, Run, Seat
from tests.bench.servers import ECHO, SITE, Bench, Server
from tests.harness.processes import ROOT

SOCKETS, GAMES = 5_000, 4
SECONDS = 60.0
#: KiB of the server's memory for each socket.
REQUIRED = 60.0


def measure(bench: Bench) -> list[Line]:
    """Look at the server's memory before and after."""
    with bench.serving("site", SITE, "sqlite") as server:
        seats = server.seats(players=SOCKETS // GAMES, seed=1, games=GAMES)
        size, dropped = _sit(server, seats, SECONDS)
    with bench.serving("echo", ECHO) as server:
        own, _ = _sit(server, [Seat("", ["/"] * GAMES)] * (SOCKETS // GAMES), 1.0)
    return [
        Line(
            f"idle sockets: {SOCKETS:,} open games on one process, {SECONDS:.0f} s",
            f"≤ {REQUIRED:.0f} KiB each, none dropped",
            f"{size:.0f} KiB each (Daphne's own share {own:.0f}), {dropped} dropped",
            size <= REQUIRED and not dropped,
            {"kib": size, "daphne_kib": own, "dropped": dropped},
        )
    ]


def _sit(server: Server, seats: list[Seat], seconds: float) -> tuple[float, int]:
    """Return KiB for each socket, and how many sockets were closed."""
    # What is loaded with the first sockets is no part of the others.
    _memory_of(server, seats[:25], 0.0)
    return _memory_of(server, seats, seconds)


def _memory_of(server: Server, seats: list[Seat], seconds: float) -> tuple[float, int]:
    before = memory(server.pids[0])
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.idle", str(server.ports[0]), str(seconds)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as crowd:
        assert crowd.stdin is not None
        assert crowd.stdout is not None
        try:
            crowd.stdin.write(msgspec.json.encode(seats))
            crowd.stdin.close()
            if crowd.stdout.readline() != b"open\n":
                raise SystemExit(f"{server.name}: not all sockets could be opened")
            used = memory(server.pids[0]) - before
            dropped = int(crowd.stdout.readline())
        finally:
            crowd.kill()
    return used / sum(len(seat.games) for seat in seats), dropped


def memory(pid: int) -> float:
    """Return KiB of memory that a process has for itself."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(float(line.split()[1]) for line in text.splitlines() if line.startswith("Private_"))


class _Idle(GameSocket):
    """A socket that says nothing but that it is there."""

    def connected(self) -> None:
        if not self.cookie:
            self.opened.set_result(None)  # an echo sends nothing by itself

    def connection_lost(self, exception: Exception | None) -> None:
        if not self.closing:
            _Idle.dropped += 1
            if not self.opened.done():
                self.opened.set_exception(ConnectionError(self.path))

    dropped = 0


async def sit(port: int, seconds: float, seats: list[Seat]) -> None:
    """Open all, some at a time, and wait."""
    run = Run(Order(ports=[port], servers=[], seats=seats))
    gate = asyncio.Semaphore(20)

    async def open_one(seat: Seat, path: str) -> _Idle:
        async with gate:
            _, socket = await run.loop.create_connection(
                lambda: _Idle(run, path, seat.cookie, port), "127.0.0.1", port
            )
            await asyncio.wait_for(socket.opened, 60)
        return socket

    sockets = await asyncio.gather(*(open_one(seat, path) for seat in seats for path in seat.games))
    await asyncio.sleep(1)
    sys.stdout.write("open\n")
    sys.stdout.flush()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        await asyncio.sleep(0.5)
        if run.failure.done():
            run.failure.result()
    sys.stdout.write(f"{_Idle.dropped}\n")
    sys.stdout.flush()
    for socket in sockets:
        socket.close()


if __name__ == "__main__":
    given = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Seat])
    asyncio.run(sit(int(sys.argv[1]), float(sys.argv[2]), given))
