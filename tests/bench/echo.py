"""The least that a websocket server in Python does: Daphne, and an application that sends back.

It is the yardstick: no consumer class, no session, no JSON, no database.
"""

from collections.abc import Awaitable, Callable
from typing import Any


async def application(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    """Send every text frame back as it came; say that all is well over HTTP."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})
        return
    while True:
        event = await receive()
        if event["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": event["text"]})
        elif event["type"] == "websocket.connect":
            await send({"type": "websocket.accept"})
        else:
            return
