"""Players who keep at it whatever happens to the site, and remember what they were promised."""

import asyncio
import random
import re
from collections.abc import Sequence
from typing import Any, Self

import aiohttp

from tests.harness.site import Site
from tests.harness.visitor import Line, Visitor

_GONE = (EOFError, aiohttp.ClientError, OSError, TimeoutError, TypeError)
#: Seconds that an answer may take before the line is given up.
PATIENCE = 12


class Player:
    """Plays the first hole of a tournament over as many sockets as it takes, and never reloads.

    `acknowledged` has the actions that were answered, by their turns. It plays as long as fewer
    than `allowed` were.
    """

    def __init__(self, visitor: Visitor, urls: Sequence[str], path: str) -> None:
        self.visitor = visitor
        self.game = path.strip("/").split("/")[-1]
        self.acknowledged: dict[int, str] = {}
        self.allowed = 0
        self.final = False
        self.sockets = 0
        self._urls = list(urls)
        self._path = path
        self._pending: str | None = None
        self._position: dict[str, Any] = {}

    @property
    def is_there(self) -> bool:
        """Whether it has done what it may."""
        return self.final or len(self.acknowledged) >= self.allowed

    async def play(self) -> None:
        """Play to the end of the hole."""
        while not self.final:
            try:
                self.visitor.url = self._urls[0]
                async with asyncio.timeout(PATIENCE):
                    line = await self.visitor.connect(self._path)
                    self._open(await line.hear(PATIENCE))
                self.sockets += 1
                while not self.final:
                    await self._act(line)
            except _GONE:
                self._urls.append(self._urls.pop(0))
                await asyncio.sleep(random.uniform(0.1, 0.5))

    def _open(self, message: dict[str, Any]) -> None:
        """Take an opening: what was answered stands, what was not may stand."""
        assert message["type"] == "opening", message
        self._position = message["position"]
        turn, known = self._position["turn"], len(self.acknowledged)
        assert turn in ({known} if self._pending is None else {known, known + 1})
        self.final = self._position["final"] and turn == known

    async def _act(self, line: Line) -> None:
        while self.is_there:  # noqa: ASYNC110 - more is allowed by a number that grows
            await asyncio.sleep(0.02)
        turn = len(self.acknowledged)
        if self._pending is None:
            self._pending = self._position["legal"][:1] or "g"
        answer = await line.ask(type="act", turn=turn, action=self._pending)
        if answer["type"] == "error":
            assert answer["code"] == "unavailable"
            raise EOFError
        assert (answer["type"], answer["turn"], answer["action"]) == ("done", turn, self._pending)
        self.acknowledged[turn] = self._pending
        self._position, self._pending = answer["position"], None
        self.final = self._position["final"]


class Crowd:
    """Several players at once, as an asynchronous context manager."""

    def __init__(self, site: Site, slug: str, count: int) -> None:
        self._site = site
        self._slug = slug
        self._count = count
        self.players: list[Player] = []
        self._playing: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        urls = self._site.urls
        page = f"/tournaments/{self._slug}/"
        for number in range(self._count):
            mine = [*urls[number % len(urls) :], *urls[: number % len(urls)]]
            visitor = await Visitor(mine[0]).__aenter__()
            await visitor.become_guest(f"Player {number}")
            await visitor.post(f"{page}enter/", on=page)
            _, board = await visitor.post(f"{page}holes/1/", on=page)
            path = re.search(r'data-socket="([^"]+)"', board)
            assert path is not None
            self.players.append(Player(visitor, mine, path[1]))
        self._playing = [asyncio.create_task(player.play()) for player in self.players]
        return self

    async def __aexit__(self, *exception: object) -> None:
        for task in self._playing:
            task.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)
        for player in self.players:
            await player.visitor.http.close()

    def allow(self, turns: int) -> None:
        """Let everybody play so many turns in all."""
        for player in self.players:
            player.allowed = turns

    async def there(self, seconds: float = 60) -> float:
        """Return after how many seconds all have done what they may."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        while not all(player.is_there for player in self.players):
            for task in self._playing:
                if task.done():
                    task.result()
            if loop.time() > began + seconds:
                counts = [len(player.acknowledged) for player in self.players]
                raise AssertionError(f"not there after {seconds} s: {counts}")
            await asyncio.sleep(0.02)
        return loop.time() - began

    def acknowledged(self) -> dict[str, dict[int, str]]:
        """Return all that was answered, by game and turn."""
        return {player.game: dict(player.acknowledged) for player in self.players}
