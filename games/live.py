"""Rooms and notices: one subscription for each room and process, fan-out inside the process.

A notice says that a room has a version N and carries nothing else. It may be lost without harm:
the database is the truth, and whoever shows an older version asks. The progress of a race is as
harmless: each row is the whole of what it tells, and the next one replaces it. So the channel
layer, which may drop messages, carries these only, and a room that many sockets watch is one member
of its group.
"""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextvars import Context
from typing import Any, ClassVar, Final, Protocol

import msgspec
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

from games import metrics
from games.protocol import CloseCode, Notice, Progress, serialise
from games.throttle import TokenBucket

logger = logging.getLogger(__name__)

#: Seconds between two notices of a room: pages need not be told more often.
NOTICE_INTERVAL: Final = 1.0
#: Seconds between two frames of a room's progress.
PROGRESS_INTERVAL: Final = 0.2
#: Seconds until a room that could not be subscribed to is tried again.
RETRY_INTERVAL: Final = 2.0
#: Seconds that the channel layer may take; a Redis that hangs must hold nobody up for longer.
LAYER_TIMEOUT: Final = 2.0
#: Messages that are relayed to a room: so many a second, and so many at once; more are lost.
RELAY_RATE: Final = 4.0
RELAY_BURST: Final = 8
#: Frames sent to a socket that says nothing itself; clients ping every 15 seconds, in which a race
#: may send 75 rows of progress, 75 states, and 68 relayed messages.
UNHEARD_LIMIT: Final = 240
#: The group in which every process hears what concerns all of them.
EVERY_PROCESS: Final = "processes"


class Socket(Protocol):
    """What a hub knows of a websocket."""

    player_id: int | None
    session_key: str | None
    unheard: int

    async def send_text(self, text: str) -> None:
        """Send one text frame."""

    async def close_with(self, code: int) -> None:
        """Close the socket with a documented code."""

    async def tell_deadline(self, game_id: int) -> None:
        """Tell of the game's deadline, if it is the socket's game."""


#: How a game of a race stands; see `games.protocol.Progress`.
Row = Sequence[int]
#: What a room's sockets are told of the rows that are new.
Tell = Callable[[Mapping[str, Row]], msgspec.Struct]
#: What is done about a room's new version instead of a notice.
Refresh = Callable[[], Coroutine[Any, Any, None]]


class Coalesced:
    """Rows that are handed on together: the first at once, further ones after `interval` s."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._rows: dict[str, Row] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, rows: Mapping[str, Row], hand_on: Callable[[Mapping[str, Row]], None]) -> None:
        """Take rows by their keys; a newer row replaces an older one."""
        self._rows |= rows
        if self._timer is None:
            self._hand_on(hand_on)

    def _hand_on(self, hand_on: Callable[[Mapping[str, Row]], None]) -> None:
        self._timer = None
        if self._rows:
            rows, self._rows = self._rows, {}
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._interval, self._hand_on, hand_on)
            hand_on(rows)

    @property
    def is_idle(self) -> bool:
        """Whether nothing was handed on lately."""
        return self._timer is None

    def cancel(self) -> None:
        """Hand nothing on any more."""
        self._rows = {}
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Room:
    """The sockets of this process that watch one thing, and what they were last told."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sockets: set[Socket] = set()
        self.version = 0
        self.told = 0
        self.timer: asyncio.TimerHandle | None = None
        self.progress = Coalesced(PROGRESS_INTERVAL)
        self.relayed = TokenBucket(rate=RELAY_RATE, burst=RELAY_BURST)
        self.tell_progress: Tell = lambda rows: Progress(room=name, rows=rows)
        self.refresh: Refresh | None = None

    @property
    def group(self) -> str:
        """The room's name as the channel layer spells it."""
        return "room." + self.name.replace(":", ".")


class Hub:
    """All rooms and sockets of one process. Lives in the event loop that made it."""

    _of_loop: ClassVar[dict[asyncio.AbstractEventLoop, "Hub"]] = {}

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        #: Whether the process takes no new sockets, since it is about to be ended.
        self.is_draining = False
        self._layer = get_channel_layer()
        self._channel: str | None = None
        self._rooms: dict[str, Room] = {}
        self._sockets: dict[int, set[Socket]] = defaultdict(set)
        self._anonymous: set[Socket] = set()
        self._tasks: set[asyncio.Task[object]] = set()
        self._subscribed: set[str] = set()
        self._reports: dict[str, Coalesced] = {}
        self._wanted = {EVERY_PROCESS}
        self._subscribing = asyncio.Lock()
        self._retry: asyncio.TimerHandle | None = None
        self.start(self._listen())
        metrics.SOCKETS.set_function(lambda: len(self.sockets))
        metrics.ROOMS.set_function(lambda: len(self._rooms))

    @classmethod
    def here(cls) -> "Hub":
        """Return the hub of the running event loop."""
        loop = asyncio.get_running_loop()
        hub = cls._of_loop.get(loop)
        if hub is None:
            hub = cls._of_loop[loop] = cls()
        return hub

    @classmethod
    def loops(cls) -> list[asyncio.AbstractEventLoop]:
        """Return the running event loops of this process that have a hub."""
        return [loop for loop in list(cls._of_loop) if loop.is_running()]

    # --- sockets -----------------------------------------------------------------------------

    def add(self, socket: Socket) -> None:
        """Count a socket in."""
        self._sockets_of(socket.player_id).add(socket)

    def remove(self, socket: Socket) -> None:
        """Count a socket out."""
        sockets = self._sockets_of(socket.player_id)
        sockets.discard(socket)
        if socket.player_id is not None and not sockets:
            self._sockets.pop(socket.player_id, None)

    def count_of(self, player_id: int) -> int:
        """Return how many sockets the player has in this process."""
        return len(self._sockets.get(player_id, ()))

    @property
    def sockets(self) -> list[Socket]:
        """All sockets of this process."""
        return [*self._anonymous, *(s for group in self._sockets.values() for s in group)]

    def _sockets_of(self, player_id: int | None) -> set[Socket]:
        return self._anonymous if player_id is None else self._sockets[player_id]

    async def shut_down(self) -> None:
        """Close every socket so that its client comes back, and end the hub's tasks."""
        await asyncio.gather(
            *(socket.close_with(CloseCode.RESTARTING) for socket in self.sockets),
            return_exceptions=True,
        )
        for task in self._tasks:
            task.cancel()
        self._of_loop.pop(self.loop, None)

    # --- rooms -------------------------------------------------------------------------------

    async def join(
        self,
        name: str,
        socket: Socket,
        *,
        tell: Tell | None = None,
        refresh: Refresh | None = None,
    ) -> None:
        """Tell `socket` of the room's versions and progress from now on.

        `tell` makes the message of the rows that are new, once for all sockets of the room.
        `refresh` is called instead of sending a notice, at most every fifth of a second.
        """
        room = self._rooms.get(name)
        if room is None:
            room = self._rooms[name] = Room(name)
        if tell is not None:
            room.tell_progress = tell
        if refresh is not None:
            room.refresh = refresh
        room.sockets.add(socket)
        self._wanted.add(room.group)
        await self._subscribe()

    async def leave(self, name: str, socket: Socket) -> None:
        """Tell `socket` nothing more; an empty room is let go."""
        room = self._rooms.get(name)
        if room is None:
            return
        room.sockets.discard(socket)
        if room.sockets:
            return
        del self._rooms[name]
        if room.timer is not None:
            room.timer.cancel()
        room.progress.cancel()
        self._wanted.discard(room.group)
        await self._subscribe()

    async def _subscribe(self) -> None:
        """Bring the subscriptions in line with what is wanted; later while the layer is away."""
        if self._channel is None:
            return  # the listener subscribes as soon as it has a channel
        try:
            # With the wait for others: behind a layer that hangs they would wait in turn.
            async with asyncio.timeout(LAYER_TIMEOUT), self._subscribing:
                for group in self._wanted - self._subscribed:
                    await self._layer.group_add(group, self._channel)
                    self._subscribed.add(group)
                for group in self._subscribed - self._wanted:
                    # First: a layer that fails here may have let go of the group already,
                    # and whoever joins it before the next try must have it added again.
                    self._subscribed.discard(group)
                    await self._layer.group_discard(group, self._channel)
        except Exception as error:  # noqa: BLE001 (each layer has errors of its own)
            metrics.LAYER_ERRORS.inc()
            logger.warning("The channel layer is away: %s", type(error).__name__)
            if self._retry is None:  # one try is for all that is wanted
                self._retry = self.loop.call_later(RETRY_INTERVAL, self._subscribe_again)

    def _subscribe_again(self) -> None:
        self._retry = None
        self.start(self._subscribe())

    # --- progress ----------------------------------------------------------------------------

    def report(self, name: str, key: str, row: Row) -> None:
        """Tell the room, in all processes, how one game stands.

        Costs next to nothing: rows of the next fifth of a second travel together.
        """
        reports = self._reports.get(name)
        if reports is None:
            self._let_go_of_reports()
            reports = self._reports[name] = Coalesced(PROGRESS_INTERVAL)

        def publish_rows(rows: Mapping[str, Row]) -> None:
            message = {"type": "room.progress", "room": name, "rows": dict(rows)}
            self.start(_send_quietly(self._layer, Room(name).group, message))

        reports.add({key: row}, publish_rows)

    def _let_go_of_reports(self) -> None:
        for name in [name for name, reports in self._reports.items() if reports.is_idle]:
            del self._reports[name]

    def _hear_progress(self, message: dict[str, Any]) -> None:
        room = self._rooms.get(message["room"])
        if room is not None:
            room.progress.add(message["rows"], lambda rows: self._tell_progress(room, rows))

    def _tell_progress(self, room: Room, rows: Mapping[str, Row]) -> None:
        self.start(self.fan_out(list(room.sockets), serialise(room.tell_progress(rows))))

    # --- relayed messages ----------------------------------------------------------------------

    def relay(self, name: str, message: msgspec.Struct) -> None:
        """Send `message` to all sockets of the room, in all processes.

        Nothing that matters: of many at once some are lost.
        """
        relayed = {"type": "room.relayed", "room": name, "frame": serialise(message)}
        self.start(_send_quietly(self._layer, Room(name).group, relayed))

    def _hear_relayed(self, message: dict[str, Any]) -> None:
        room = self._rooms.get(message["room"])
        if room is not None and room.relayed.take():
            self.start(self.fan_out(list(room.sockets), message["frame"]))

    # --- notices -----------------------------------------------------------------------------

    async def _listen(self) -> None:
        """Hear what any process publishes, for as long as the hub lives."""
        while True:
            try:
                self._channel = await self._layer.new_channel()
                break
            except Exception as error:  # noqa: BLE001 (each layer has errors of its own)
                metrics.LAYER_ERRORS.inc()
                logger.warning("The channel layer is away: %s", type(error).__name__)
                await asyncio.sleep(RETRY_INTERVAL)
        await self._subscribe()
        while True:
            try:
                self._hear(await self._layer.receive(self._channel))
            except Exception:
                logger.exception("Something published could not be heard.")
                await asyncio.sleep(RETRY_INTERVAL)

    @classmethod
    def on(cls, kind: str, handler: Callable[["Hub", dict[str, Any]], None]) -> None:
        """Let `handler` hear the messages of a kind that are published to every process."""
        cls._handlers[kind] = handler

    def _hear(self, message: dict[str, Any]) -> None:
        handler = self._handlers.get(message["type"])
        if handler is not None:  # a newer version of the server may say more
            handler(self, message)

    def _hear_notice(self, message: dict[str, Any]) -> None:
        room = self._rooms.get(message["room"])
        if room is None or message["version"] <= room.version:
            return
        room.version = message["version"]
        if room.timer is None:
            self._tell(room)
        else:
            metrics.COALESCED.inc()

    def _hear_close(self, message: dict[str, Any]) -> None:
        for socket in list(self._sockets.get(message["player_id"], ())):
            if message["session_key"] in (None, socket.session_key):
                self.start(socket.close_with(message["code"]))

    def _hear_deadline(self, message: dict[str, Any]) -> None:
        for socket in list(self._sockets.get(message["player_id"], ())):
            self.start(socket.tell_deadline(message["game_id"]))

    _handlers: ClassVar[dict[str, Any]] = {
        "room.notice": _hear_notice,
        "room.progress": _hear_progress,
        "room.relayed": _hear_relayed,
        "player.close": _hear_close,
        "game.deadline": _hear_deadline,
    }

    def _tell(self, room: Room) -> None:
        """Tell the room its newest version now, and the next one not before a while has passed."""
        room.timer = None
        if room.told == room.version:
            return
        room.told = room.version
        metrics.NOTICES.inc()
        interval = NOTICE_INTERVAL if room.refresh is None else PROGRESS_INTERVAL
        room.timer = self.loop.call_later(interval, self._tell, room)
        if room.refresh is not None:
            self.start(room.refresh())
            return
        # One frame, encoded once, however many sockets there are.
        frame = serialise(Notice(room=room.name, version=room.version))
        self.start(self.fan_out(list(room.sockets), frame))

    async def fan_out(self, sockets: Sequence[Socket], frame: str) -> None:
        """Send one frame to several sockets; one that has stopped reading is closed."""
        for socket in sockets:
            socket.unheard += 1
            try:
                if socket.unheard > UNHEARD_LIMIT:
                    # It has stopped reading; what is sent to it would be kept here without limit.
                    await socket.close_with(CloseCode.TOO_SLOW)
                else:
                    await socket.send_text(frame)
            except Exception:
                logger.debug("A socket went away while it was being told.", exc_info=True)

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        """Do `work` as a task of the hub's: what it logs concerns no single socket or request."""
        task = self.loop.create_task(work, context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def publish(room: str, version: int) -> None:
    """Tell everyone in `room`, in all processes, that there is a version `version`.

    May be called from any thread. Never raises: a notice that is lost does no harm.
    """
    name = Room(room).group
    _send(name, {"type": "room.notice", "room": room, "version": version})


def close_sockets(*, player_id: int, session_key: str | None = None) -> None:
    """Close the player's sockets in all processes: of one session, or of all of them."""
    message = {
        "type": "player.close",
        "player_id": player_id,
        "session_key": session_key,
        "code": CloseCode.NOT_LOGGED_IN,
    }
    _send(EVERY_PROCESS, message)


def tell_deadline(*, player_id: int, game_id: int) -> None:
    """Let the sockets of a game, in all processes, know that its deadline was moved."""
    message = {"type": "game.deadline", "player_id": player_id, "game_id": game_id}
    _send(EVERY_PROCESS, message)


def _send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    for loop in Hub.loops():
        # The layer's connection belongs to the loop of the sockets: let it be used there.
        asyncio.run_coroutine_threadsafe(_send_quietly(layer, group, message), loop)
        return
    if time.monotonic() < _Silence.until:
        return
    if not async_to_sync(_send_quietly)(layer, group, message):
        _Silence.until = time.monotonic() + RETRY_INTERVAL


class _Silence:
    """Until when a process without sockets sends nothing: it would wait for each notice."""

    until: ClassVar[float] = 0.0


async def _send_quietly(layer: Any, group: str, message: dict[str, Any]) -> bool:
    """Send a message to a group; return whether the layer took it."""
    try:
        async with asyncio.timeout(LAYER_TIMEOUT):
            await layer.group_send(group, message)
    except Exception as error:  # noqa: BLE001 (each layer has errors of its own)
        metrics.LAYER_ERRORS.inc()
        logger.warning("A notice for %s was not sent: %s", group, type(error).__name__)
        return False
    return True
