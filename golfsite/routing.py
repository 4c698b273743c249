"""All sockets of the site."""

from typing import Any

from django.urls import re_path

import games.routing
import tournaments.routing
from games.protocol import CloseCode
from golfsite.sockets import refuse


async def unknown_address(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer a socket of no known address."""
    await refuse(receive, send, CloseCode.NOT_FOUND)


websocket_urlpatterns = [
    *games.routing.websocket_urlpatterns,
    *tournaments.routing.websocket_urlpatterns,
    re_path(r"", unknown_address),  # type: ignore[arg-type] # no view, but an ASGI application
]
