"""Rooms that sockets of this process show: one reading of each, and one frame for all of them.

The database is the truth, and the room's version says when to read it again. The rows of the hole
in progress are heard from whichever process plays them; what was played before anybody here
listened is read from the journal once.
"""

import asyncio
import logging
import time
from collections.abc import Coroutine, Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final, Protocol
from weakref import WeakKeyDictionary

from django.db import Error
from django.utils import timezone

from games.database import in_database_thread
from games.live import PROGRESS_INTERVAL, Coalesced, Hub, Socket
from games.open_games import now_ms, read_record
from games.protocol import serialise
from games.selectors import DamagedGame
from tournaments import selectors
from tournaments.protocol import (
    EMOTE_INTERVAL,
    Emote,
    RaceProgress,
    RoomState,
    Row,
    ShownEmote,
    Watching,
    You,
)
from tournaments.selectors.rooms import PRESENCE, Reading, Watched
from tournaments.services import rooms as services

logger = logging.getLogger(__name__)

#: Seconds between two looks whether a room has a version that nobody here was told of.
LOOK_INTERVAL: Final = 3.0
#: Seconds after a hole's instant at which the room is told that it is played.
_AFTER_START: Final = 0.01


class Visitor(Socket, Protocol):
    """A socket that shows a room; `heard_at` is when it last said something, a monotonic time."""

    heard_at: float

    async def send_you(self, you: You) -> None:
        """Send what of the room is the reader's own, if that has changed."""


class LiveRoom:
    """One room, as the sockets of this process show it.

    To the hub it is one socket of the room; it hands on what it hears to those that show the room
    and to those that watch a game of it.
    """

    player_id: int | None = None
    session_key: str | None = None

    def __init__(self, room_id: int, code: str, rooms: "LiveRooms") -> None:
        self.room_id = room_id
        #: Where it is kept. Whoever lets it go asks this one: while the server ends, those of the
        #: running event loop may be others.
        self.rooms = rooms
        self.name = selectors.rooms.hub_room(code=code)
        self.unheard = 0
        #: Sockets that have opened it and not let it go.
        self.held_by = 0
        self.hub = Hub.here()
        self._visitors: set[Visitor] = set()
        self._watched: dict[int, WatchedGame] = {}
        self._reading: Reading | None = None
        self._rows: dict[int, Row] = {}
        self._lock = asyncio.Lock()
        self._at_start: asyncio.TimerHandle | None = None
        self._look: asyncio.TimerHandle | None = None
        self._marked_at = time.monotonic()
        self._shown: dict[int, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    # --- for the hub -----------------------------------------------------------------------------

    async def send_text(self, text: str) -> None:
        """Hand a frame on to all who show the room."""
        self.unheard = 0
        await self.hub.fan_out(list(self._visitors), text)

    async def close_with(self, code: int) -> None:
        """Nothing: each of the sockets is closed by itself."""

    async def tell_deadline(self, game_id: int) -> None:
        """Nothing: the sockets of the games hear of it."""

    def tell(self, new: Mapping[str, Row]) -> RaceProgress:
        """Take in the rows that are new, and return the message that tells of them."""
        rows = {int(game_id): tuple(row) for game_id, row in new.items()}
        self._rows |= rows
        for game_id in rows.keys() & self._watched.keys():
            self._watched[game_id].has_gone_on()
        if self._reading is None:
            return RaceProgress(room=self.name, rows={}, places={})
        return self._reading.progress(self._rows, rows, timezone.now())

    async def refresh(self) -> None:
        """Read the room anew, and tell all who show it."""
        try:
            async with self._lock:
                await self._read()
        except Error as error:
            # The next version, or whoever asks, brings it up to date.
            logger.warning("Room %s could not be read: %s", self.room_id, type(error).__name__)
            return
        for game in self._watched.values():
            game.has_gone_on()
        await self._tell_all()

    # --- for the sockets -------------------------------------------------------------------------

    def add(self, visitor: Visitor) -> None:
        """Tell a socket of the room from now on."""
        self._visitors.add(visitor)
        if self._look is None:
            self._look_later()

    def discard(self, visitor: Visitor) -> None:
        """Tell a socket nothing more."""
        self._visitors.discard(visitor)

    def has(self, player_id: int) -> bool:
        """Return whether a socket of the player's shows the room here."""
        return any(visitor.player_id == player_id for visitor in self._visitors)

    async def state(self, *, version: int) -> RoomState:
        """Return the state of the room, of that version at the least. Raises `django.db.Error`."""
        async with self._lock:
            if self._reading is None or self._reading.room.version < version:
                await self._read()
        return self._state_now()

    def you(self, player_id: int | None) -> You:
        """Return what of the room, as it was read last, is a player's own."""
        return self._known.you(player_id, timezone.now())

    def show(self, *, player_id: int, emote: Emote) -> str | None:
        """Show an emote to the room; return why not, None if it is shown.

        ``no_seat``, or ``throttled`` within two seconds of the last one.
        """
        seat_id = self.you(player_id).seat
        if seat_id is None:
            return "no_seat"
        now = time.monotonic()
        if now < self._shown.get(seat_id, -EMOTE_INTERVAL) + EMOTE_INTERVAL:
            return "throttled"
        self._shown[seat_id] = now
        self.hub.relay(self.name, ShownEmote(seat=seat_id, emote=emote))
        return None

    def watch(self, watched: Watched, socket: Socket) -> "WatchedGame":
        """Let a socket watch a game of the room."""
        game = self._watched.get(watched.game_id)
        if game is None:
            game = self._watched[watched.game_id] = WatchedGame(watched)
        game.sockets.add(socket)
        return game

    def watch_no_more(self, game: "WatchedGame", socket: Socket) -> None:
        """Let a socket watch no more."""
        game.sockets.discard(socket)
        if not game.sockets:
            game.end()
            self._watched.pop(game.game_id, None)

    def end(self) -> None:
        """Let go of everything."""
        for timer in (self._at_start, self._look):
            if timer is not None:
                timer.cancel()

    # --- inside ----------------------------------------------------------------------------------

    @property
    def _known(self) -> Reading:
        if self._reading is None:
            raise RuntimeError("the room was not read yet")
        return self._reading

    async def _read(self) -> None:
        is_first = self._reading is None
        reading, rows = await in_database_thread(_read, self.room_id, with_rows=is_first)
        self._reading = reading
        # Of what was heard while it was read, the later one holds.
        for game_id, row in rows.items():
            self._rows[game_id] = max(row, self._rows.get(game_id, row), key=_progress_of)
        self._rows = {
            game_id: row for game_id, row in self._rows.items() if game_id in reading.seat_of_game
        }
        self._wait_for_the_start(reading)
        self._mark_who_is_here(reading)

    def _state_now(self) -> RoomState:
        return self._known.state(self._rows, timezone.now())

    async def _tell_all(self) -> None:
        if not self._visitors:
            return
        await self.send_text(serialise(self._state_now()))
        for visitor in list(self._visitors):
            await visitor.send_you(self.you(visitor.player_id))

    def _look_later(self) -> None:
        self._look = self.hub.loop.call_later(LOOK_INTERVAL, self._start, self._look_again)

    async def _look_again(self) -> None:
        """Read the room anew if a notice was lost: whoever waits for a hole would not ask.

        Besides, note from time to time who is here.
        """
        if not self._visitors:
            self._look = None
            return
        self._look_later()
        try:
            await self._mark_heard()
            version = await in_database_thread(selectors.rooms.version_of, room_id=self.room_id)
        except Error as error:
            logger.warning("Room %s was not looked at: %s", self.room_id, type(error).__name__)
            return
        if self._reading is None or self._reading.room.version < version:
            await self.refresh()

    async def _mark_heard(self) -> None:
        now = time.monotonic()
        if now < self._marked_at + services.SEEN_EVERY.total_seconds():
            return
        self._marked_at = now
        ago: dict[int, float] = {}
        for visitor in self._visitors:
            if visitor.player_id is not None:
                since = now - visitor.heard_at
                ago[visitor.player_id] = min(since, ago.get(visitor.player_id, since))
        heard = {
            player_id: timezone.now() - timedelta(seconds=seconds)
            for player_id, seconds in ago.items()
        }
        await in_database_thread(services.mark_heard, room_id=self.room_id, heard=heard)

    def _wait_for_the_start(self, reading: Reading) -> None:
        """Tell the room when the hole has started: nothing in the database changes then."""
        if self._at_start is not None:
            self._at_start.cancel()
            self._at_start = None
        starts_at = None if reading.race is None else reading.race.starts_at
        if starts_at is not None and starts_at > timezone.now():
            self._at_start = self.hub.loop.call_later(
                _seconds_until(starts_at) + _AFTER_START, self._start, self._tell_all
            )

    def _mark_who_is_here(self, reading: Reading) -> None:
        """Say so where a seat counts as gone whose player has a socket here.

        He may have closed another one, at another process.
        """
        latest = time.monotonic() - PRESENCE.total_seconds()
        here = {each.player_id for each in self._visitors if each.heard_at > latest}
        for seat in reading.seats:
            if seat.is_taken and not seat.is_connected and seat.player_id in here:
                player_id = seat.player_id
                self._start(lambda player_id=player_id: self._mark_seen(player_id))

    async def _mark_seen(self, player_id: int) -> None:
        try:
            await in_database_thread(services.mark_seen, room_id=self.room_id, player_id=player_id)
        except Error as error:
            logger.warning("A presence was not noted: %s", type(error).__name__)

    def _start(self, work: Any) -> None:
        coroutine: Coroutine[Any, Any, None] = work()
        task = self.hub.loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _read(room_id: int, *, with_rows: bool) -> tuple[Reading, dict[int, Row]]:
    reading = selectors.rooms.read_room(room_id=room_id)
    return reading, selectors.rooms.read_rows(reading) if with_rows else {}


def _progress_of(row: Row) -> tuple[int, int]:
    """Return by what a later row of a game is known: it is final, or its last action is later."""
    return row[6], row[7]


def _seconds_until(moment: datetime) -> float:
    return max(0.0, (moment - timezone.now()).total_seconds())


class WatchedGame:
    """One game that sockets of this process watch: it is read when it has gone on."""

    def __init__(self, watched: Watched) -> None:
        self.game_id = watched.game_id
        self.sockets: set[Socket] = set()
        self._watched = watched
        self._news = Coalesced(PROGRESS_INTERVAL)
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def has_gone_on(self) -> None:
        """Tell those who watch, at most every fifth of a second."""
        self._news.add({"": ()}, lambda _rows: self._start())

    def _start(self) -> None:
        task = asyncio.get_running_loop().create_task(self._tell())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self) -> None:
        try:
            async with self._lock:  # in the order of the game
                message = await self.position()
                await Hub.here().fan_out(list(self.sockets), serialise(message))
        except (Error, DamagedGame) as error:
            logger.warning("A game could not be watched: %s", type(error).__name__)

    async def position(self) -> Watching:
        """Return the game as it is now. Raises `django.db.Error` and `DamagedGame`."""
        record = await in_database_thread(read_record, self.game_id)
        rules = record.game.rules
        return Watching(
            game=record.game.public_id,
            seat=self._watched.seat_id,
            name=self._watched.name,
            rules={"text": rules.text, **rules.fields()},
            fits=rules.table(),
            closes_at=record.closes,
            now=now_ms(),
            position=record.position(),
        )

    def end(self) -> None:
        """Read it no more."""
        self._news.cancel()


class LiveRooms:
    """The rooms that sockets of this process show, each kept while there are any."""

    _of_hub: ClassVar["WeakKeyDictionary[Hub, LiveRooms]"] = WeakKeyDictionary()

    def __init__(self) -> None:
        self._rooms: dict[int, LiveRoom] = {}

    @classmethod
    def here(cls) -> "LiveRooms":
        """Return the rooms of the running event loop."""
        return cls._of_hub.setdefault(Hub.here(), cls())

    async def open(self, *, room_id: int, code: str) -> LiveRoom:
        """Return the room, which hears of everything from now on until it is `let_go` as often."""
        room = self._rooms.get(room_id)
        if room is None:
            room = self._rooms[room_id] = LiveRoom(room_id, code, self)
        room.held_by += 1
        try:
            await room.hub.join(room.name, room, tell=room.tell, refresh=room.refresh)
        except BaseException:
            # Whoever asked has gone away and never gets the room, so he cannot let it go. That
            # waits for nothing but the layer, and for it only after all else is done.
            await self.let_go(room)
            raise
        return room

    async def let_go(self, room: LiveRoom) -> None:
        """Let go of a room; nothing is kept that no socket holds."""
        room.held_by -= 1
        if not room.held_by:
            del self._rooms[room.room_id]
            room.end()
            await room.hub.leave(room.name, room)
