"""Where a websocket may come from: this site's own pages."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host

Scope = dict[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]


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


class OriginMiddleware:
    """Notes in the scope whether the socket comes from this site; the consumer refuses it."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Call the application with `same_origin` in its scope."""
        await self.application({**scope, "same_origin": is_same_origin(scope)}, receive, send)
