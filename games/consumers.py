"""The sockets of `docs/protocol.md`: authenticate, parse, call one thing, answer."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache
from typing import Any, ClassVar, Final, NoReturn

import msgspec
from channels.consumer import AsyncConsumer
from django.conf import settings
from django.db import Error

from games import log_context, metrics, selectors
from games.database import in_database_thread
from games.journal import Unavailable
from games.live import Hub
from games.models import Game
from games.open_games import OpenGame, OpenGames, now_ms
from games.protocol import (
    Act,
    ClientMessage,
    CloseCode,
    Done,
    Moved,
    Parser,
    Ping,
    Pong,
    Problem,
    ProtocolError,
    Waiting,
    parse,
    serialise,
)
from games.selectors import DamagedGame
from games.throttle import TokenBucket

logger = logging.getLogger(__name__)

#: Messages over the limit, less those within it, after which a socket is closed.
FLOOD_LIMIT: Final = 500
#: Seconds between two looks at a socket's session.
SESSION_CHECK_INTERVAL: Final = 60.0


class SocketClosed(Exception):
    """The socket is gone, or was closed by us."""


class SocketConsumer(AsyncConsumer):
    """One websocket that speaks the protocol; subclasses say what it is for.

    Two things differ from the consumers of Channels, both measured (`docs/decisions/`): there is
    no channel for each socket, since rooms are served by the process's one `Hub`, and a message is
    not dispatched through the shared database thread.
    """

    #: Whether a visitor without an account or a guest's session may connect.
    anonymous_allowed: ClassVar[bool] = False
    #: Reads what a client of this socket may say.
    parser: ClassVar[Parser[Any]] = parse

    async def __call__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[dict[str, Any]]],
        send: Callable[[dict[str, Any]], Awaitable[None]],
    ) -> None:
        """Serve the socket from its connection to its end."""
        self.scope = scope
        self.base_send = send
        self.unheard = 0
        self.is_open = False
        self.hub = Hub.here()
        self.bucket = TokenBucket(rate=settings.SOCKET_RATE, burst=settings.SOCKET_BURST)
        self.dropped = 0
        self.checked_at = time.monotonic()
        self.player_id: int | None = scope["player_id"]
        self.session_key: str | None = scope["session_key"]
        log_context.note(player=self.player_id)
        # A task of its own: each time that one goes on, Python walks through all coroutines that
        # wait for each other, and those of the routers and middleware would be half of them.
        await asyncio.create_task(self._serve(receive))

    async def _serve(self, receive: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        """Handle the events of the ASGI specification."""
        try:
            while True:
                message = await receive()
                kind = message["type"]
                if kind == "websocket.receive":
                    await self.receive(message)
                elif kind == "websocket.connect":
                    await self.connect()
                elif kind == "websocket.disconnect":
                    break
        except SocketClosed:
            pass
        finally:
            self.is_open = False
            self.hub.remove(self)
            await self.closed()

    async def connect(self) -> None:
        """Accept, so that a refusal can carry a code; then let in or close."""
        await self.base_send({"type": "websocket.accept"})
        self.is_open = True
        if not self.scope["same_origin"]:
            await self.refuse(CloseCode.FORBIDDEN)
        if self.hub.is_draining:
            await self.refuse(CloseCode.RESTARTING)
        if self.player_id is None:
            if not self.anonymous_allowed:
                await self.refuse(CloseCode.NOT_LOGGED_IN)
        elif self.hub.count_of(self.player_id) >= settings.SOCKETS_PER_PLAYER:
            await self.refuse(CloseCode.TOO_MANY)
        self.hub.add(self)
        try:
            await self.opened()
        except Error as error:
            logger.error("A socket could not be opened: %s", type(error).__name__)
            await self.refuse(CloseCode.RESTARTING)
        except DamagedGame:
            await self.refuse(CloseCode.DAMAGED)

    async def receive(self, message: dict[str, Any]) -> None:
        """Answer one frame. Whatever it holds, the socket stays open."""
        self.unheard = 0
        if self.bucket.take():
            self.dropped = max(0, self.dropped - 1)
        else:
            self.dropped += 1
            if self.dropped > FLOOD_LIMIT:
                await self.refuse(CloseCode.TOO_MANY)
            await self.send_problem("throttled")
            return
        text = message.get("text")
        if text is None:
            await self.send_problem("binary")
            return
        try:
            parsed = self.parser(text)
        except ProtocolError as error:
            await self.send_problem(error.code)
            return
        if isinstance(parsed, Ping):
            await self.send_message(Pong(at=parsed.at, now=now_ms()))
            await self.pinged()
            return
        try:
            if self.bucket.at >= self.checked_at + SESSION_CHECK_INTERVAL:
                await self._check_session()
            await self.answer(parsed)
        except (Unavailable, Error):
            await self.send_problem("unavailable")
        except DamagedGame:
            await self.refuse(CloseCode.DAMAGED)
        except Game.DoesNotExist:
            await self.refuse(CloseCode.NOT_FOUND)  # it went with its player meanwhile

    async def _check_session(self) -> None:
        """Look from time to time whether the session still stands, whatever was missed of its end.

        A log-out, a new password or a ban closes the sockets by a notice; a notice may be lost.
        """
        if self.player_id is not None:
            player_id = await in_database_thread(
                selectors.player_of_session, session_key=self.session_key
            )
            if player_id != self.player_id:
                await self.refuse(CloseCode.NOT_LOGGED_IN)
        self.checked_at = time.monotonic()

    async def opened(self) -> None:
        """Do what a new socket needs; override."""

    async def pinged(self) -> None:
        """Do what a sign of life is good for besides its answer; override."""

    async def answer(self, message: Any) -> None:
        """Answer one well-formed message of those that `parser` reads; override."""

    async def closed(self) -> None:
        """Let go of what `opened` took; override. Called once, however the socket ended."""

    async def send_message(self, message: msgspec.Struct) -> None:
        """Send one message."""
        await self.send_text(serialise(message))

    async def send_problem(self, code: str) -> None:
        """Say that a message could not be understood or acted upon."""
        metrics.problem(code).inc()
        await self.send_message(Problem(code=code))

    async def send_text(self, text: str) -> None:
        """Send one text frame, unless the socket is closed already."""
        if self.is_open:
            try:
                await self.base_send({"type": "websocket.send", "text": text})
            except Exception:  # noqa: BLE001 (each server names a socket that is gone in its own way)
                self.is_open = False  # it went away just now, and is told nothing more

    def send_soon(self, message: Moved) -> None:
        """Send `message` without waiting for it."""
        task = asyncio.get_running_loop().create_task(self.send_message(message))
        _sending.add(task)
        task.add_done_callback(_sending.discard)

    async def tell_deadline(self, game_id: int) -> None:
        """Tell of the game's deadline, if it is the socket's game; override."""

    async def close_with(self, code: int) -> None:
        """Close the socket with a code of `CloseCode`."""
        if self.is_open:
            self.is_open = False
            metrics.closed(code).inc()
            with suppress(Exception):  # as above
                await self.base_send({"type": "websocket.close", "code": code})

    async def refuse(self, code: int) -> NoReturn:
        """Close the socket and stop serving it."""
        await self.close_with(code)
        raise SocketClosed


# A task that nobody holds may be collected before it has run.
_sending: set[asyncio.Task[None]] = set()


@cache
def open_games() -> OpenGames:
    """Return the open games of this process."""
    games = OpenGames()
    metrics.QUEUE.set_function(lambda: games.journal.waiting)
    metrics.OPEN_GAMES.set_function(lambda: len(games))
    return games


class GameConsumer(SocketConsumer):
    """A player's socket of one game."""

    game: OpenGame | None = None
    opening: asyncio.Task[None] | None = None

    async def opened(self) -> None:
        """Send all that the player may see; the game's clock runs from the first time."""
        public_id = self.scope["url_route"]["kwargs"]["public_id"]
        log_context.note(game=public_id)
        try:
            game_id, owner_id = await in_database_thread(selectors.owner_of, public_id=public_id)
        except Game.DoesNotExist:
            await self.refuse(CloseCode.NOT_FOUND)
        if owner_id != self.player_id:
            await self.refuse(CloseCode.FORBIDDEN)
        self.game = await open_games().follow(game_id, self)
        metrics.OPENED.inc()
        await self._open()

    async def answer(self, message: ClientMessage) -> None:
        """Play, or send all that may be seen."""
        game = self.game
        if game is None:
            return
        if isinstance(message, Act):
            answer = await game.act(
                turn=message.turn, action=message.action, row=message.row, by=self
            )
            if not isinstance(answer, Done):
                metrics.TALLY.refused[answer.code] += 1
            elif answer.repeated:
                metrics.TALLY.repeated += 1
            else:
                metrics.TALLY.acknowledged += 1
            await self.send_text(serialise(answer))
        else:
            await self._open()

    async def _open(self) -> None:
        """Send all that may be seen, and before the start the cards as soon as it comes."""
        game = self.game
        if game is None:
            return
        message = await game.opening(to=self)
        if isinstance(message, Waiting) and self.opening is None:
            self.opening = asyncio.create_task(self._send_at_the_start(game))
        await self.send_message(message)

    async def _send_at_the_start(self, game: OpenGame) -> None:
        try:
            message = await game.opening(to=self)
            while isinstance(message, Waiting):
                await asyncio.sleep(game.waits)
                message = await game.opening(to=self)
            await self.send_message(message)
        except (Unavailable, Error, DamagedGame, Game.DoesNotExist):
            await self.close_with(CloseCode.RESTARTING)  # it comes back, and asks

    async def tell_deadline(self, game_id: int) -> None:
        """Tell of the game's deadline, which was moved."""
        if self.game is not None and self.game.game_id == game_id:
            try:
                await self.send_message(await self.game.deadline())
            except (Error, DamagedGame, Game.DoesNotExist) as error:
                # The next action finds the deadline moved all the same.
                logger.warning("A deadline could not be told: %s", type(error).__name__)

    async def closed(self) -> None:
        """Follow the game no more."""
        if self.opening is not None:
            self.opening.cancel()
        if self.game is not None:
            open_games().leave(self.game, self)
