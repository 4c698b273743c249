"""Rooms and notices: one subscription for each room and process, fan-out inside the process.

A notice says that a room has a version N and carries nothing else. It may be lost without harm:
the database is the truth, and whoever shows an older version asks. So the channel layer, which may
drop messages, carries notices only, and a room that many sockets watch is one member of its group.
"""

import asyncio
import logging
from collections import defaultdict
from typing import Any, ClassVar, Final, Protocol

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

from games.protocol import CloseCode, Notice, serialise

logger = logging.getLogger(__name__)

#: Seconds between two notices of a room: pages need not be told more often.
NOTICE_INTERVAL: Final = 1.0
#: Seconds until a room that could not be subscribed to is tried again.
RETRY_INTERVAL: Final = 2.0
#: Seconds that the channel layer may take; a Redis that hangs must hold nobody up for longer.
LAYER_TIMEOUT: Final = 2.0
#: Frames sent to a socket that says nothing itself; clients ping every 15 seconds.
UNHEARD_LIMIT: Final = 120
#: The group in which every process hears what concerns all of them.
_EVERY_PROCESS: Final = "processes"


class Socket(Protocol):
    """What a hub knows of a websocket."""

    player_id: int | None
    session_key: str | None
    unheard: int

    async def send_text(self, text: str) -> None:
        """Send one text frame."""

    async def close_with(self, code: int) -> None:
        """Close the socket with a documented code."""


class Room:
    """The sockets of this process that watch one thing, and what they were last told."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sockets: set[Socket] = set()
        self.version = 0
        self.told = 0
        self.timer: asyncio.TimerHandle | None = None

    @property
    def group(self) -> str:
        """The room's name as the channel layer spells it."""
        return "room." + self.name.replace(":", ".")


class Hub:
    """All rooms and sockets of one process. Lives in the event loop that made it."""

    _of_loop: ClassVar[dict[asyncio.AbstractEventLoop, "Hub"]] = {}

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._layer = get_channel_layer()
        self._channel: str | None = None
        self._rooms: dict[str, Room] = {}
        self._sockets: dict[int, set[Socket]] = defaultdict(set)
        self._anonymous: set[Socket] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._subscribed: set[str] = set()
        self._wanted = {_EVERY_PROCESS}
        self._subscribing = asyncio.Lock()
        self._start(self._listen())

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

    def _sockets_of(self, player_id: int | None) -> set[Socket]:
        return self._anonymous if player_id is None else self._sockets[player_id]

    async def shut_down(self) -> None:
        """Close every socket so that its client comes back, and end the hub's tasks."""
        everyone = [*self._anonymous, *(s for group in self._sockets.values() for s in group)]
        await asyncio.gather(
            *(socket.close_with(CloseCode.RESTARTING) for socket in everyone),
            return_exceptions=True,
        )
        for task in self._tasks:
            task.cancel()
        self._of_loop.pop(self.loop, None)

    # --- rooms -------------------------------------------------------------------------------

    async def join(self, name: str, socket: Socket) -> None:
        """Tell `socket` of the room's versions from now on."""
        room = self._rooms.get(name)
        if room is None:
            room = self._rooms[name] = Room(name)
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
        self._wanted.discard(room.group)
        await self._subscribe()

    async def _subscribe(self) -> bool:
        """Bring the subscriptions in line with what is wanted; False when the layer is away."""
        if self._channel is None:
            return False  # the listener subscribes as soon as it has a channel
        async with self._subscribing:
            try:
                async with asyncio.timeout(LAYER_TIMEOUT):
                    for group in self._wanted - self._subscribed:
                        await self._layer.group_add(group, self._channel)
                        self._subscribed.add(group)
                    for group in self._subscribed - self._wanted:
                        await self._layer.group_discard(group, self._channel)
                        self._subscribed.discard(group)
            except Exception as error:  # noqa: BLE001 (each layer has errors of its own)
                logger.warning("The channel layer is away: %s", type(error).__name__)
                self.loop.call_later(RETRY_INTERVAL, lambda: self._start(self._subscribe_again()))
                return False
        return True

    async def _subscribe_again(self) -> None:
        await self._subscribe()

    # --- notices -----------------------------------------------------------------------------

    async def _listen(self) -> None:
        """Hear what any process publishes, for as long as the hub lives."""
        while True:
            try:
                self._channel = await self._layer.new_channel()
                break
            except Exception as error:  # noqa: BLE001 (each layer has errors of its own)
                logger.warning("The channel layer is away: %s", type(error).__name__)
                await asyncio.sleep(RETRY_INTERVAL)
        await self._subscribe()
        while True:
            try:
                self._hear(await self._layer.receive(self._channel))
            except Exception:
                logger.exception("Something published could not be heard.")
                await asyncio.sleep(RETRY_INTERVAL)

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

    def _hear_close(self, message: dict[str, Any]) -> None:
        for socket in list(self._sockets.get(message["player_id"], ())):
            if message["session_key"] in (None, socket.session_key):
                self._start(socket.close_with(message["code"]))

    _handlers: ClassVar[dict[str, Any]] = {
        "room.notice": _hear_notice,
        "player.close": _hear_close,
    }

    def _tell(self, room: Room) -> None:
        """Tell the room its newest version now, and the next one not before a second has passed."""
        room.timer = None
        if room.told == room.version:
            return
        room.told = room.version
        room.timer = self.loop.call_later(NOTICE_INTERVAL, self._tell, room)
        # One frame, encoded once, however many sockets there are.
        frame = serialise(Notice(room=room.name, version=room.version))
        self._start(self._fan_out(list(room.sockets), frame))

    async def _fan_out(self, sockets: list[Socket], frame: str) -> None:
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

    def _start(self, work: Any) -> None:
        task = self.loop.create_task(work)
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
    _send(_EVERY_PROCESS, message)


def _send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    for loop in Hub.loops():
        # The layer's connection belongs to the loop of the sockets: let it be used there.
        asyncio.run_coroutine_threadsafe(_send_quietly(layer, group, message), loop)
        return
    async_to_sync(_send_quietly)(layer, group, message)


async def _send_quietly(layer: Any, group: str, message: dict[str, Any]) -> None:
    try:
        async with asyncio.timeout(LAYER_TIMEOUT):
            await layer.group_send(group, message)
    except Exception as error:  # noqa: BLE001 (each layer has errors of its own)
        logger.warning("A notice for %s was not sent: %s", group, type(error).__name__)
