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


class Seat(msgspec.Struct):
    """One player: the session's cookie, and the addresses of the games to play one after another.

    `room` is the address of the room's socket, which hears of everybody's moves; `key` is what the
    room calls the player.
    """

    cookie: str
    games: list[str]
    room: str = ""
    key: str = ""


class Order(msgspec.Struct):
    """What to do.

    All sockets are opened before the clock runs, by the players in turn on each of `ports`;
    `servers` are the process ids behind these. With `echo`, the size of a frame's text, any address
    will do: each frame is to come back as it is. With `pace` (moves a second of all players
    together) everybody moves at fixed times, else as soon as the answer is there. `endless` games
    are taken back when they come to an end, and played again.
    """

    ports: list[int]
    servers: list[int]
    seats: list[Seat]
    echo: int = 0
    warm_up: float = 1.0
    seconds: float = 3.0
    pace: float = 0.0
    endless: bool = False


class Result(msgspec.Struct):
    """What came of it: rates over the time after the warm-up, latencies in ms.

    `acknowledged` counts everything from the first move on; `server_cpu` and `client_cpu` are the
    parts of one core that each side used (of the servers the sum), `cpu_per_move` is the servers'
    in µs; `answer` is the size of the last answer's text. `told` counts the rows of others' moves
    that rooms heard a second, `untold` the players whose last move somebody in the room never heard
    of.
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
    told: float = 0.0
    untold: int = 0


class Position(msgspec.Struct):
    """What the load reads of a position."""

    turn: int
    final: bool
    columns: list[str]
    waste: str | None
    stock: int
    legal: str
    cleared: int
    streak: int = 0


class Answer(msgspec.Struct):
    """What the load reads of a message."""

    type: str
    turn: int = -1
    action: str = ""
    position: Position | None = None


class Progress(msgspec.Struct):
    """What the load reads of a room's message: rows by the players' keys."""

    type: str
    rows: dict[str, list[int]] = {}


_decode = msgspec.json.Decoder(Answer).decode
_decode_progress = msgspec.json.Decoder(Progress).decode

#: How many moves of a game that has come to its end are taken back.
BACK = 15
#: Seconds in which a room must have heard of the last moves.
TOLD_WITHIN = 3.0
_TEXT, _PING, _PONG = 0x81, 0x89, 0x8A


class Wrong(Exception):
    """The server said something that is not true, or closed the socket."""


class Socket(asyncio.Protocol):
    """One websocket: frames in, frames out."""

    def __init__(self, run: "Run", path: str, cookie: str, port: int) -> None:
        self.run = run
        self.path = path
        self.port = port
        self.cookie = cookie
        self.opened: asyncio.Future[None] = run.loop.create_future()
        self.buffer = b""
        self.is_open = False
        self.closing = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        host = f"127.0.0.1:{self.port}"
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
        self.buffer = buffer[start + length :]
        payload = buffer[start : start + length]
        if buffer[0] == _PING:
            self.send(payload, kind=_PONG)
            return self._next_frame()
        if buffer[0] != _TEXT:
            raise Wrong(f"{self.path}: not a whole text frame: {buffer[:60]!r}")
        return payload

    def send(self, text: bytes, kind: int = _TEXT) -> None:
        length = len(text)
        head = (
            bytes((kind, 0x80 | length))
            if length < 126
            else struct.pack("!BBH", kind, 0xFE, length)
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

    def __init__(self, run: "Run", path: str, cookie: str, port: int) -> None:
        super().__init__(run, path, cookie, port)
        # What stood before each move that can be taken back, and how many are to be.
        self.before: list[Position] = []
        self.back = 0

    def message(self, text: bytes) -> None:
        answer = _decode(text)
        if answer.type == "waiting":
            return  # a race: the cards come when it starts
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
        if self.run.order.endless:
            self._turn_back(position)
        self.action = "u" if self.back else position.legal[0]
        frame = b'{"type":"act","turn":%d,"action":"%s"}' % (position.turn, self.action.encode())
        self.send(frame)

    def _turn_back(self, position: Position) -> None:
        """Take moves back at a block, and before the card with which the game would be over."""
        if self.back:
            self.back -= 1
        elif not position.legal or (position.cleared == 34 and position.legal[0] != "d"):
            self.back = min(BACK, len(self.before))

    def _check(self, answer: Answer, now: Position) -> None:
        """Compare the answer with what the action does to the cards."""
        before = self.position
        if self.action == "u":
            was = self.before.pop()
            columns, waste, stock, cleared = was.columns, was.waste, was.stock, was.cleared
        elif self.action == "d":
            columns, waste, cleared = before.columns, now.waste, before.cleared
            stock = before.stock - 1
        else:
            at = int(self.action) - 1
            columns, stock, cleared = before.columns.copy(), before.stock, before.cleared + 1
            columns[at], _, waste = columns[at].rpartition(" ")
        if self.action != "u":
            self.before.append(before)
        said = (answer.type, answer.turn, answer.action, now.turn)
        if said != ("done", before.turn, self.action, before.turn + 1) or (
            (columns, waste, stock, cleared) != (now.columns, now.waste, now.stock, now.cleared)
        ):
            raise Wrong(f"{self.path}: {before} and {self.action} gave {answer}")

    @property
    def is_over(self) -> bool:
        return not self.position.legal and not self.run.order.endless


class RoomSocket(Socket):
    """A room, in which a player hears of the others' moves."""

    def connected(self) -> None:
        self.rows: dict[str, list[int]] = {}

    def message(self, text: bytes) -> None:
        if not text.startswith(b'{"type":"progress"'):
            if not self.opened.done():
                self.opened.set_result(None)
            return
        rows = _decode_progress(text).rows
        self.rows |= rows
        self.run.told += len(rows)


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

    def __init__(self, run: "Run", seat: Seat, sockets: list[Socket]) -> None:
        self.run = run
        self.seat = seat
        self.sockets = sockets
        self.idle: asyncio.Event = asyncio.Event()
        order = run.order
        self.pause = len(order.seats) / order.pace if order.pace else 0.0
        self.due = 0.0

    def start(self, share: float) -> None:
        """Begin to play; with a pace after a `share` of it, so that not all move at once."""
        if not self.pause:
            self.begin()
            return
        self.due = self.run.loop.time() + self.pause * share
        self.run.loop.call_at(self.due, self.begin)

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
            self.sockets.pop()
            if not self.sockets:
                run.out_of_games.set()
        if not (run.playing and self.sockets):
            self.idle.set()
        elif self.pause:
            self._go_on_when_due()
        else:
            self.begin()

    def _go_on_when_due(self) -> None:
        loop = self.run.loop
        self.due += self.pause
        late = loop.time() - self.due
        if late > 0:
            # It should have moved already: the wait for the answer before counts.
            self.begin()
            self.sent_at -= late
        else:
            loop.call_at(self.due, self._go_on)

    def _go_on(self) -> None:
        if self.run.playing:
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
        self.told = 0
        self.latencies: list[float] = []
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
        seats = self.order.seats
        players = []
        rooms: list[tuple[Player, RoomSocket]] = []
        for number, seat in enumerate(seats):
            port = self.order.ports[number % len(self.order.ports)]
            kind = EchoSocket if self.order.echo else GameSocket
            # All of a player at once, one player after another: it is not what is measured.
            opening = (self._open(kind, path, seat.cookie, port) for path in seat.games)
            sockets = await asyncio.gather(*opening)
            players.append(Player(self, seat, sockets))
            if seat.room:
                room = await self._open(RoomSocket, seat.room, seat.cookie, port)
                assert isinstance(room, RoomSocket)
                rooms.append((players[-1], room))
        everything = [*(s for player in players for s in player.sockets), *(r for _, r in rooms)]
        await self._or_fail(asyncio.gather(*(socket.opened for socket in everything)), 60)
        for number, player in enumerate(players):
            player.start(number / len(players))
        await self._wait(self.order.warm_up)
        self.measuring = True
        began, before, told = time.perf_counter(), self.acknowledged, self.told
        cpu = self._cpu()
        await self._wait(self.order.seconds)
        seconds = time.perf_counter() - began
        counted, told = self.acknowledged - before, self.told - told
        server_cpu, client_cpu = (b - a for a, b in zip(cpu, self._cpu(), strict=True))
        self.playing = self.measuring = False
        await self._or_fail(asyncio.gather(*(player.idle.wait() for player in players)), 30)
        untold = await self._untold(rooms)
        for socket in everything:
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
            told=told / seconds,
            untold=untold,
        )

    async def _untold(self, rooms: list[tuple[Player, RoomSocket]]) -> int:
        """Count the last moves that somebody in the player's room does not hear of."""
        until = time.monotonic() + TOLD_WITHIN
        while True:
            missing = sum(
                not _is_told(player, room)
                for player, _ in rooms
                for other, room in rooms
                if other.seat.room == player.seat.room
            )
            if not missing or time.monotonic() > until:
                return missing
            await asyncio.sleep(0.05)

    async def _open(self, kind: type[Socket], path: str, cookie: str, port: int) -> Socket:
        _, socket = await self.loop.create_connection(
            lambda: kind(self, path, cookie, port), "127.0.0.1", port
        )
        if kind is not GameSocket or not self.order.seats[0].room:
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
        server = 0
        for pid in self.order.servers:
            stat = Path(f"/proc/{pid}/stat").read_text()
            server += sum(map(int, stat.rpartition(")")[2].split()[11:13]))
        return server / os.sysconf("SC_CLK_TCK"), time.process_time()


def _is_told(player: Player, room: RoomSocket) -> bool:
    """Return whether the room's socket heard of the player's last move."""
    (game,) = player.sockets
    assert isinstance(game, GameSocket)
    now = game.position
    row = room.rows.get(player.seat.key, [35, 16, 0])
    return row[:3] == [35 - now.cleared, now.stock, now.streak]


async def main() -> None:
    """Carry out the order on standard input."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    result = await Run(order).measure()
    sys.stdout.write(msgspec.json.encode(result).decode())


if __name__ == "__main__":
    asyncio.run(main())
