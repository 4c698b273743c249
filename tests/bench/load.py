"""The load: many sockets in one process, each playing legally and checking every answer.

`python -m tests.bench.load` reads one `Order` as JSON from standard input and prints one `Result`.
It speaks just enough of RFC 6455 for a server that keeps to it, so that the client is never what is
measured; `Result` tells the processor time of both sides, which shows whether that holds.
"""

import asyncio
import os
import struct
import sys
import time
from pathlib import Path

import msgspec


class Order(msgspec.Struct):
    """What to do.

    `games` has for each player the games to play one after another; their sockets are all opened
    before the clock runs. With `echo`, the size of a frame's text, any address will do: each frame
    is to come back as it is.
    `server` is the process id of the server.
    """

    port: int
    server: int
    cookies: list[str]
    games: list[list[str]]
    echo: int
    warm_up: float
    seconds: float


class Result(msgspec.Struct):
    """What came of it: rates over the time after the warm-up, latencies in ms.

    `acknowledged` counts everything from the first move on; `server_cpu` and `client_cpu` are the
    parts of one core that each side used, `cpu_per_move` is the server's in µs; `answer` is the
    size of the last answer's text.
    """

    rate: float
    seconds: float
    acknowledged: int
    median: float
    p99: float
    server_cpu: float
    client_cpu: float
    cpu_per_move: float
    answer: int


class Position(msgspec.Struct):
    """What the load reads of a position."""

    turn: int
    final: bool
    columns: list[str]
    waste: str | None
    stock: int
    legal: str
    cleared: int


class Answer(msgspec.Struct):
    """What the load reads of a message."""

    type: str
    turn: int = -1
    action: str = ""
    position: Position | None = None


_decode = msgspec.json.Decoder(Answer).decode


class Wrong(Exception):
    """The server said something that is not true, or closed the socket."""


class Socket(asyncio.Protocol):
    """One websocket: frames in, frames out."""

    def __init__(self, run: "Run", path: str, cookie: str) -> None:
        self.run = run
        self.path = path
        self.cookie = cookie
        self.opened: asyncio.Future[None] = run.loop.create_future()
        self.buffer = b""
        self.is_open = False
        self.closing = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        host = f"127.0.0.1:{self.run.order.port}"
        head = (
            f"GET {self.path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            f"Cookie: {self.cookie}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        transport.write(head.encode())

    def connection_lost(self, exception: Exception | None) -> None:
        if not self.closing:
            self.run.fail(Wrong(f"{self.path} was closed"))

    def data_received(self, data: bytes) -> None:
        try:
            self.buffer += data
            if not self.is_open and not self._handshake_done():
                return
            while (frame := self._next_frame()) is not None:
                self.message(frame)
        except Exception as error:  # noqa: BLE001 (whatever it is, the run must end with it)
            self.run.fail(error)

    def _handshake_done(self) -> bool:
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return False
        if not head.startswith(b"HTTP/1.1 101"):
            raise Wrong(f"{self.path} was refused: {head.splitlines()[0]!r}")
        self.buffer = rest
        self.is_open = True
        self.connected()
        return True

    def _next_frame(self) -> bytes | None:
        buffer = self.buffer
        if len(buffer) < 2:
            return None
        length, start = buffer[1], 2
        if length == 126:
            if len(buffer) < 4:
                return None
            length, start = struct.unpack_from("!H", buffer, 2)[0], 4
        if len(buffer) < start + length:
            return None
        if buffer[0] != 0x81:
            raise Wrong(f"{self.path}: not a whole text frame: {buffer[:60]!r}")
        self.buffer = buffer[start + length :]
        return buffer[start : start + length]

    def send(self, text: bytes) -> None:
        length = len(text)
        head = (
            bytes((0x81, 0x80 | length))
            if length < 126
            else struct.pack("!BBH", 0x81, 0xFE, length)
        )
        # The mask is all zeros: the server unmasks just the same, the client need not mask.
        self.transport.write(head + b"\0\0\0\0" + text)

    def close(self) -> None:
        self.closing = True
        self.transport.close()

    def connected(self) -> None:
        """The handshake is done."""

    def message(self, text: bytes) -> None:
        """Take one frame."""
        raise NotImplementedError

    def go(self, player: "Player") -> None:
        """Begin to play for `player`."""
        raise NotImplementedError


class GameSocket(Socket):
    """A game, played by the lowest column that fits."""

    position: Position

    def message(self, text: bytes) -> None:
        answer = _decode(text)
        if answer.position is None:
            raise Wrong(f"{self.path}: {text!r}")
        if answer.type == "opening":
            self.position = answer.position
            self.opened.set_result(None)
            return
        self._check(answer, answer.position)
        self.position = answer.position
        self.player.answered(len(text))

    def go(self, player: "Player") -> None:
        self.player = player
        position = self.position
        self.action = position.legal[0]
        frame = b'{"type":"act","turn":%d,"action":"%s"}' % (position.turn, self.action.encode())
        self.send(frame)

    def _check(self, answer: Answer, now: Position) -> None:
        """Compare the answer with what the action does to the cards."""
        before = self.position
        if self.action == "d":
            columns, waste, cleared = before.columns, now.waste, before.cleared
            stock = before.stock - 1
        else:
            at = int(self.action) - 1
            columns, stock, cleared = before.columns.copy(), before.stock, before.cleared + 1
            columns[at], _, waste = columns[at].rpartition(" ")
        said = (answer.type, answer.turn, answer.action, now.turn)
        if said != ("done", before.turn, self.action, before.turn + 1) or (
            (columns, waste, stock, cleared) != (now.columns, now.waste, now.stock, now.cleared)
        ):
            raise Wrong(f"{self.path}: {before} and {self.action} gave {answer}")

    @property
    def is_over(self) -> bool:
        return not self.position.legal


class EchoSocket(Socket):
    """An action sent there and back."""

    is_over = False

    def connected(self) -> None:
        self.turn = 0
        self.opened.set_result(None)

    def go(self, player: "Player") -> None:
        self.player = player
        self.sent = b'{"turn":%d}' % self.turn
        self.sent += b"." * (self.run.order.echo - len(self.sent))
        self.turn += 1
        self.send(self.sent)

    def message(self, text: bytes) -> None:
        if text != self.sent:
            raise Wrong(f"{text!r} came back for {self.sent!r}")
        self.player.answered(len(text))


class Player:
    """One player: one action at a time, game after game."""

    def __init__(self, run: "Run", sockets: list[Socket]) -> None:
        self.run = run
        self.sockets = sockets
        self.idle: asyncio.Event = asyncio.Event()

    def begin(self) -> None:
        """Send the next action."""
        self.sent_at = time.perf_counter()
        self.sockets[-1].go(self)

    def answered(self, size: int) -> None:
        """Note an answer that was checked, and go on."""
        run = self.run
        run.acknowledged += 1
        run.answer = size
        if run.measuring:
            run.latencies.append(time.perf_counter() - self.sent_at)
        if self.sockets[-1].is_over:
            # It stays open until the end: the echo opens and closes nothing while it is measured.
            run.finished.append(self.sockets.pop())
            if not self.sockets:
                run.out_of_games.set()
        if run.playing and self.sockets:
            self.begin()
        else:
            self.idle.set()


class Run:
    """All players of one order."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.loop = asyncio.get_running_loop()
        self.acknowledged = 0
        self.answer = 0
        self.latencies: list[float] = []
        self.finished: list[Socket] = []
        self.playing = True
        self.measuring = False
        self.out_of_games = asyncio.Event()
        self.failure: asyncio.Future[None] = self.loop.create_future()

    def fail(self, error: Exception) -> None:
        """End the run: nothing that it measures counts."""
        if not self.failure.done():
            self.failure.set_exception(error)

    async def measure(self) -> Result:
        """Open every socket, play, and return what was measured."""
        players = [
            Player(self, [await self._open(path, cookie) for path in paths])
            for paths, cookie in zip(self.order.games, self.order.cookies, strict=True)
        ]
        for player in players:
            player.begin()
        await self._wait(self.order.warm_up)
        self.measuring = True
        began, before, cpu = time.perf_counter(), self.acknowledged, self._cpu()
        await self._wait(self.order.seconds)
        seconds = time.perf_counter() - began
        counted = self.acknowledged - before
        server_cpu, client_cpu = (b - a for a, b in zip(cpu, self._cpu(), strict=True))
        self.playing = self.measuring = False
        await self._or_fail(asyncio.gather(*(player.idle.wait() for player in players)), 30)
        for socket in [*self.finished, *(s for player in players for s in player.sockets)]:
            socket.close()
        self.latencies.sort()
        return Result(
            rate=counted / seconds,
            seconds=seconds,
            acknowledged=self.acknowledged,
            median=self.latencies[len(self.latencies) // 2] * 1000,
            p99=self.latencies[len(self.latencies) * 99 // 100] * 1000,
            server_cpu=server_cpu / seconds,
            client_cpu=client_cpu / seconds,
            cpu_per_move=server_cpu / counted * 1e6,
            answer=self.answer,
        )

    async def _open(self, path: str, cookie: str) -> Socket:
        kind = EchoSocket if self.order.echo else GameSocket
        _, socket = await self.loop.create_connection(
            lambda: kind(self, path, cookie), "127.0.0.1", self.order.port
        )
        await self._or_fail(socket.opened, 30)
        return socket

    async def _wait(self, seconds: float) -> None:
        """Let the players play; shorter if one has no game left."""
        try:
            await self._or_fail(self.out_of_games.wait(), seconds)
        except TimeoutError:
            return

    async def _or_fail(self, work: asyncio.Future[None], seconds: float) -> None:
        task = asyncio.ensure_future(work)
        done, _ = await asyncio.wait(
            {task, self.failure}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
        if self.failure in done:
            self.failure.result()
        if task not in done:
            task.cancel()
            raise TimeoutError
        task.result()

    def _cpu(self) -> tuple[float, float]:
        """The processor seconds that the server and this process have used."""
        stat = Path(f"/proc/{self.order.server}/stat").read_text()
        user, system = stat.rpartition(")")[2].split()[11:13]
        server = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        return server, time.process_time()


async def main() -> None:
    """Carry out the order on standard input."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    result = await Run(order).measure()
    sys.stdout.write(msgspec.json.encode(result).decode())


if __name__ == "__main__":
    asyncio.run(main())
