"""The sockets of tournaments: hearing that a leaderboard has changed."""

from games.consumers import SocketConsumer
from games.database import in_database_thread
from games.protocol import ClientMessage, CloseCode, Notice
from tournaments import selectors
from tournaments.models import Tournament


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
