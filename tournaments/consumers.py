"""The sockets of tournaments and of rooms: hearing of changes, racing, watching."""

import logging
import time

from django.core.exceptions import ValidationError
from django.db import Error

from games.addresses import socket_address
from games.consumers import SocketConsumer
from games.database import in_database_thread
from games.models import Game, Player
from games.protocol import ClientMessage, CloseCode, Notice, Ping, Problem
from tournaments import guesses, selectors, services
from tournaments.live_rooms import LiveRoom, LiveRooms, WatchedGame
from tournaments.models import Room, Tournament
from tournaments.protocol import (
    Ready,
    RoomMessage,
    SendEmote,
    Start,
    You,
    parse_room,
    parse_watch,
)

logger = logging.getLogger(__name__)


class LeaderboardConsumer(SocketConsumer):
    """Anybody's socket of one tournament's room."""

    anonymous_allowed = True

    @property
    def slug(self) -> str:
        """The tournament's address."""
        slug: str = self.scope["url_route"]["kwargs"]["slug"]
        return slug

    @property
    def room(self) -> str:
        """The tournament's room."""
        return selectors.room_of(slug=self.slug)

    async def opened(self) -> None:
        """Join the room, then say which version there is: nothing falls in between."""
        await self.hub.join(self.room, self)
        await self._send_version()

    async def answer(self, message: ClientMessage) -> None:
        """Say which version there is, whatever was asked: a room has nothing to act on."""
        await self._send_version()

    async def closed(self) -> None:
        """Leave the room."""
        await self.hub.leave(self.room, self)

    async def _send_version(self) -> None:
        try:
            version = await in_database_thread(selectors.board_version, slug=self.slug)
        except Tournament.DoesNotExist:
            await self.refuse(CloseCode.NOT_FOUND)
        await self.send_message(Notice(room=self.room, version=version))


class RoomConsumer(SocketConsumer):
    """Anybody's socket of a room in which people race; who has a seat is there as long as it is."""

    anonymous_allowed = True
    parser = parse_room

    live: LiveRoom | None = None
    room: Room
    player: Player | None = None
    heard_at: float = 0.0
    told: You | None = None

    async def opened(self) -> None:
        """Join the room and be there, then send its whole state."""
        self.heard_at = time.monotonic()
        await self._find_room()
        if self.player_id is not None:
            self.player = await in_database_thread(
                selectors.rooms.player_of_id, player_id=self.player_id
            )
        self.live = await LiveRooms.here().open(room_id=self.room.pk, code=self.room.code)
        self.live.add(self)
        if self.player_id is not None:
            await in_database_thread(
                services.rooms.mark_seen, room_id=self.room.pk, player_id=self.player_id
            )
        await self._send_state(self.live)

    async def _find_room(self) -> None:
        code, address = self.scope["url_route"]["kwargs"]["code"], socket_address(self.scope)
        if guesses.is_spent(address=address) and not await self._sits_in(code):
            await self.refuse(CloseCode.TOO_MANY)
        try:
            self.room = await in_database_thread(selectors.rooms.room_of_address, code=code)
        except Room.DoesNotExist:
            guesses.note(address=address)
            await self.refuse(CloseCode.NOT_FOUND)

    async def _sits_in(self, code: str) -> bool:
        if self.player_id is None:
            return False
        player = await in_database_thread(selectors.rooms.player_of_id, player_id=self.player_id)
        return await in_database_thread(selectors.rooms.sits_in, code=code, player=player)

    async def answer(self, message: RoomMessage) -> None:
        """Be ready, start, show an emote, or send the whole state."""
        live, self.heard_at = self.live, time.monotonic()
        if live is None:
            return
        if not isinstance(message, Ready | Start | SendEmote):
            await self._send_state(live)
            return
        code = "no_seat" if self.player is None else await self._act(live, self.player, message)
        if code is not None:
            await self.send_message(Problem(code=code))

    async def _act(
        self, live: LiveRoom, player: Player, message: Ready | Start | SendEmote
    ) -> str | None:
        """Do what a message asks for; return why not, None if it is done."""
        if isinstance(message, SendEmote):
            return live.show(player_id=player.pk, emote=message.emote)
        try:
            if isinstance(message, Ready):
                await in_database_thread(
                    services.rooms.set_ready, room=self.room, player=player, is_ready=message.ready
                )
            else:
                await in_database_thread(services.rooms.start_race, room=self.room, by=player)
        except services.TournamentError as error:
            return error.code
        except ValidationError:
            return "bad_codes"
        return None

    async def pinged(self) -> None:
        """Be heard of; the room notes from time to time who was."""
        self.heard_at = time.monotonic()

    async def send_you(self, you: You) -> None:
        """Send what of the room is the reader's own, if that has changed."""
        if you != self.told:
            self.told = you
            await self.send_message(you)

    async def _send_state(self, live: LiveRoom) -> None:
        version = await in_database_thread(selectors.rooms.version_of, room_id=self.room.pk)
        await self.send_message(await live.state(version=version))
        self.told = live.you(self.player_id)
        await self.send_message(self.told)

    async def closed(self) -> None:
        """Leave the room; who has no other socket here is gone."""
        live = self.live
        if live is None:
            return
        live.discard(self)
        is_gone = self.player_id is not None and not live.has(self.player_id)
        await live.rooms.let_go(live)
        if is_gone and self.player_id is not None:
            try:
                await in_database_thread(
                    services.rooms.mark_gone, room_id=self.room.pk, player_id=self.player_id
                )
            except Error as error:
                logger.warning("An absence was not noted: %s", type(error).__name__)


class WatchConsumer(SocketConsumer):
    """A socket that watches somebody else's game of a race."""

    anonymous_allowed = True
    parser = parse_watch

    live: LiveRoom | None = None
    game: WatchedGame | None = None

    async def opened(self) -> None:
        """Send the board, if this reader may see it; then whenever it changes."""
        public_id = self.scope["url_route"]["kwargs"]["public_id"]
        try:
            watched = await in_database_thread(selectors.rooms.watched_game, public_id=public_id)
        except Game.DoesNotExist:
            await self.refuse(CloseCode.NOT_FOUND)
        if not await in_database_thread(
            selectors.rooms.may_watch, game_id=watched.game_id, player_id=self.player_id
        ):
            await self.refuse(CloseCode.FORBIDDEN)
        self.live = await LiveRooms.here().open(room_id=watched.room_id, code=watched.code)
        self.game = self.live.watch(watched, self)
        await self.send_message(await self.game.position())

    async def answer(self, message: object) -> None:
        """Send the board."""
        if self.game is not None and not isinstance(message, Ping):
            await self.send_message(await self.game.position())

    async def closed(self) -> None:
        """Watch no more."""
        if self.live is not None:
            if self.game is not None:
                self.live.watch_no_more(self.game, self)
            await self.live.rooms.let_go(self.live)
