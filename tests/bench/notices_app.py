"""One room of sockets that are told as fast as it goes.

`/hub/` does it through the site's hub, `/group/` as the tutorials do: a group of the channel layer
with a member for each socket.

The first frame that any socket sends starts the telling: a notice is sent when the one before has
reached every socket, so that neither way loses any.
"""

import asyncio
import os
from typing import Any, ClassVar

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "golfsite.settings")
django.setup()

from channels.generic.websocket import AsyncWebsocketConsumer  # noqa: E402 (apps come first)
from channels.layers import get_channel_layer  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.urls import path  # noqa: E402

from games import live  # noqa: E402
from games.consumers import SocketConsumer  # noqa: E402
from games.protocol import Notice, serialise  # noqa: E402

# The site tells a room once a second; here it is measured how fast it could.
live.NOTICE_INTERVAL = 0.0  # type: ignore[misc]
ROOM = "tournament:measured"


class Round:
    """Counts how many sockets have been told, and sends the next notice after the last."""

    def __init__(self) -> None:
        self.members = 0
        self.told = 0
        self.all_told = asyncio.Event()
        self.telling: asyncio.Task[None] | None = None

    def count(self) -> None:
        """One socket more has been told."""
        self.told += 1
        if self.told == self.members:
            self.all_told.set()

    def start(self, tell: Any) -> None:
        """Tell, again and again."""
        if self.telling is None or self.telling.done():
            self.telling = asyncio.create_task(self._tell(tell))

    async def _tell(self, tell: Any) -> None:
        version = 0
        while self.members:
            version += 1
            self.told = 0
            self.all_told.clear()
            await tell(version)
            await self.all_told.wait()
            await asyncio.sleep(0)  # let the frames leave


class HubConsumer(SocketConsumer):
    """A socket of the site's, in a room of the hub."""

    anonymous_allowed = True
    round: ClassVar[Round] = Round()

    async def opened(self) -> None:
        """Join the room."""
        await self.hub.join(ROOM, self)
        self.round.members += 1

    async def answer(self, message: object) -> None:
        """Start telling."""

        async def tell(version: int) -> None:
            notice = {"type": "room.notice", "room": ROOM, "version": version}
            await get_channel_layer().group_send(live.Room(ROOM).group, notice)

        self.round.start(tell)

    async def send_text(self, text: str) -> None:
        """Send, and count it."""
        self.unheard = 0  # it reads what it gets, and has nothing to say
        await super().send_text(text)
        self.round.count()

    async def closed(self) -> None:
        """Leave the room."""
        self.round.members -= 1
        self.round.all_told.set()
        await self.hub.leave(ROOM, self)


class GroupConsumer(AsyncWebsocketConsumer):
    """A socket that is a member of a group."""

    round: ClassVar[Round] = Round()

    async def connect(self) -> None:
        """Join the group."""
        await self.accept()
        await self.channel_layer.group_add("measured", self.channel_name)
        type(self).round.members += 1

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Start telling."""

        async def tell(version: int) -> None:
            text = serialise(Notice(room=ROOM, version=version))
            await self.channel_layer.group_send("measured", {"type": "told", "text": text})

        self.round.start(tell)

    async def told(self, event: dict[str, Any]) -> None:
        """Send what the group was told."""
        await self.send(text_data=event["text"])
        self.round.count()

    async def disconnect(self, code: int) -> None:
        """Leave the group."""
        self.round.members -= 1
        self.round.all_told.set()
        await self.channel_layer.group_discard("measured", self.channel_name)


async def pages(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer that all is well."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})


async def hub(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Serve a socket of the hub, without asking who it is."""
    who = {"player_id": None, "session_key": None, "same_origin": True}
    await HubConsumer()({**scope, **who}, receive, send)


application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": URLRouter([path("hub/", hub), path("group/", GroupConsumer.as_asgi())]),  # type: ignore[arg-type]
    }
)
