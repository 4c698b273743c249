"""All sockets of the site."""

from typing import Any

from django.urls import re_path

import games.routing
import tournaments.routing
from games.protocol import CloseCode


async def unknown_address(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Accept and close a socket of no known address, so that its client learns why."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": CloseCode.NOT_FOUND})


websocket_urlpatterns = [
    *games.routing.websocket_urlpatterns,
    *tournaments.routing.websocket_urlpatterns,
    re_path(r"", unknown_address),
]
