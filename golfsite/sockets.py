"""Who opens a websocket, and from where: what the scope of every socket says."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import Error
from django.http import parse_cookie
from django.http.request import validate_host

from games import selectors
from games.database import in_database_thread
from games.protocol import CloseCode

logger = logging.getLogger(__name__)

Scope = dict[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]


class PlayerMiddleware:
    """Adds `player_id`, `session_key` and `same_origin` to the scope; the consumer refuses.

    Channels' own stack does the same, but puts itself between the consumer and every frame that
    it sends, to save a session that a socket never changes, and asks in the thread that all
    synchronous work of the process shares.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Call the application with the player in its scope; `player_id` is None for nobody."""
        headers = dict(scope["headers"])
        cookies = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))
        session_key = cookies.get(settings.SESSION_COOKIE_NAME)
        player_id = None
        if session_key:
            try:
                player_id = await in_database_thread(
                    selectors.player_of_session, session_key=session_key
                )
            except Error as error:
                logger.error("A socket could not be opened: %s", type(error).__name__)
                await refuse(receive, send, CloseCode.RESTARTING)
                return
        who = {
            "player_id": player_id,
            "session_key": session_key,
            "same_origin": is_same_origin(scope),
        }
        await self.application({**scope, **who}, receive, send)


def is_same_origin(scope: Scope) -> bool:
    """Return whether the socket's page is of this site: the same scheme, host and port.

    A cookie is sent along from any page of the web, so a socket that asks no question would let
    every page play in the reader's name. Without an `Origin` header it is no page, and refused.
    """
    headers = dict(scope["headers"])
    origin = headers.get(b"origin", b"").decode("latin-1")
    host = headers.get(b"host", b"").decode("latin-1")
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        parts = urlsplit(origin)
        hostname = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if not parts.netloc or parts.netloc != host:
        return False
    if not validate_host(f"[{hostname}]" if ":" in hostname else hostname, settings.ALLOWED_HOSTS):
        return False
    return parts.scheme == ("https" if settings.HTTPS else "http")


async def refuse(receive: Any, send: Any, code: int) -> None:
    """Accept a socket and close it with `code`, so that its client learns why."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code})
