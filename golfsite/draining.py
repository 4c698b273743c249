"""Taking a process out of service: no new visitors, and its sockets told to come back elsewhere.

`manage.py drain` publishes who is meant; that process stops listening, answers `/readyz` with 503
and closes its sockets one by one with 4503, at random within some seconds, so that they do not all
come back at once. Then it waits to be ended, and nobody notices when it is.
"""

import asyncio
import logging
import random
import socket
import sys
from typing import Any, Final

from channels.layers import get_channel_layer

from games.live import LAYER_TIMEOUT, Hub
from games.protocol import CloseCode

logger = logging.getLogger(__name__)

KIND: Final = "process.drain"


def listens_on() -> list[int]:
    """Return the TCP ports that this process takes visitors at, where the server tells (Daphne)."""
    return sorted({port.getHost().port for port in _listening()})


def stop_listening() -> None:
    """Take no further connections; those that are open go on.

    A proxy that tries gets none, and goes to another process at once, whatever was asked.
    """
    for port in _listening():
        port.stopListening()


def _listening() -> list[Any]:
    if "twisted.internet.reactor" not in sys.modules:
        return []  # another server: new sockets are turned away one by one
    from twisted.internet import reactor
    from twisted.internet.interfaces import IListeningPort

    readers: list[Any] = reactor.getReaders()  # type: ignore[misc]
    return [port for port in readers if IListeningPort.providedBy(port)]


def is_meant(message: dict[str, Any]) -> bool:
    """Return whether this process is one of those that a message asks to drain."""
    host, port = message.get("host"), message.get("port")
    return host in {None, socket.gethostname()} and (port is None or port in listens_on())


def hear(hub: Hub, message: dict[str, Any]) -> None:
    """Drain, if this process is meant."""
    if is_meant(message) and not hub.is_draining:
        hub.start(drain(hub, over=float(message["over"]), answer=message.get("answer")))


async def drain(hub: Hub, *, over: float, answer: str | None = None) -> None:
    """Close every socket of this process within `over` seconds, and let in no more.

    The channel `answer` hears when it begins, and when it is done.
    """
    ports = listens_on()
    who = f"{socket.gethostname()}:{','.join(map(str, ports)) or 'unknown'}"
    hub.is_draining = True
    stop_listening()
    sockets = hub.sockets
    logger.warning("Draining: %d sockets are told to come back elsewhere.", len(sockets))
    await _tell(answer, {"type": "drain.begun", "who": who, "sockets": len(sockets)})

    async def close(one: Any) -> None:
        await asyncio.sleep(random.uniform(0, over))  # noqa: S311 - no secret
        await one.close_with(CloseCode.RESTARTING)

    await asyncio.gather(*map(close, sockets), return_exceptions=True)
    await _tell(answer, {"type": "drain.done", "who": who})


async def _tell(channel: str | None, message: dict[str, Any]) -> None:
    if channel is None:
        return
    try:
        async with asyncio.timeout(LAYER_TIMEOUT):
            await get_channel_layer().send(channel, message)
    except Exception as error:  # noqa: BLE001 (each layer has errors of its own)
        logger.warning("Nobody hears of the draining: %s", type(error).__name__)


Hub.on(KIND, hear)
