"""An id for each request and socket, the same in the proxy's log, in ours and in the answer."""

import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

from games import log_context, metrics
from games.models import Player
from golfsite.logs import route_of

logger = logging.getLogger(__name__)

HEADER: Final = b"x-request-id"
_FORM: Final = re.compile(rb"[0-9A-Za-z_-]{8,64}")

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


def request_id_of(scope: dict[str, Any]) -> str:
    """Return the id that the site's own proxy gave, else a new one.

    A visitor may write what he likes into a header; only behind a proxy of ours, which writes over
    it, does the header count.
    """
    if settings.PROXIES:
        given = [value for name, value in scope["headers"] if name == HEADER]
        if len(given) == 1 and _FORM.fullmatch(given[0]):
            return bytes(given[0]).decode("ascii")
    return secrets.token_hex(8)


class Traced:
    """Notes the id for the log, sends it along with the answer, and measures each request."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Serve the request or socket."""
        if scope["type"] not in {"http", "websocket"}:
            await self.application(scope, receive, send)
            return
        request_id = request_id_of(scope)
        log_context.begin(request=request_id)
        began = time.monotonic()
        status = 0

        async def send_with_id(event: dict[str, Any]) -> None:
            nonlocal status
            if event["type"] == "http.response.start":
                status = event["status"]
                headers = [*event.get("headers", ()), (HEADER, request_id.encode())]
                event = {**event, "headers": headers}
            await send(event)

        if scope["type"] == "websocket":
            logger.info("A socket opens.")
            try:
                await self.application(scope, receive, send)
            finally:
                logger.info("The socket is gone after %.0f s.", time.monotonic() - began)
            return
        try:
            await self.application(scope, receive, send_with_id)
        finally:
            seconds = time.monotonic() - began
            _measure(scope["method"], status, seconds)


#: Methods that are counted by their names: a visitor may send any word.
_METHODS: Final = frozenset({"GET", "HEAD", "POST"})


def _measure(method: str, status: int, seconds: float) -> None:
    # Without a status: whoever asked was gone before there was an answer.
    kind = f"{status // 100}xx" if status else "gone"
    named = method if method in _METHODS else "other"
    metrics.REQUESTS.labels(named, kind).observe(seconds)
    if logger.isEnabledFor(logging.INFO):
        route = log_context.noted().get("route", "")
        logger.info(
            "%s %s %s",
            named, route or "-", status or "gone",
            extra={"status": status, "ms": round(seconds * 1000)},
        )  # fmt: skip


class NotesMiddleware(MiddlewareMixin):
    """Notes the page's pattern, and the player where the session has been looked at anyway.

    Comes after the middleware that speaks the player's language.
    """

    def process_view(self, request: HttpRequest, *args: Any) -> None:
        """Note them; nothing is asked of the database."""
        log_context.note(route=route_of(request))
        if settings.SESSION_COOKIE_NAME in request.COOKIES and isinstance(request.user, Player):
            log_context.note(player=request.user.pk)
