"""A bot that races: it stays in a room, is ready, and plays every hole as its cards appear."""

import asyncio
import random
import time
from collections.abc import Sequence
from typing import Any, Final, Self

import aiohttp

from tournaments.bots.client import (
    GONE,
    Addresses,
    Bot,
    Lost,
    Tally,
    receive,
    send,
)
from tournaments.bots.strategies import Strategy

#: Seconds between two signs of life; a seat whose socket is silent for 25 counts as gone.
_PING: Final = 5.0
_NOWHERE: Final = Addresses("", "", "", "", "", "", lambda number: f"{number}")


class Racer(Bot):
    """One seat of a room, taken before by who has the session of `cookie`.

    `state` is the room as it was told last. The bot is ready once all seats are connected, so that
    nobody is left behind.
    """

    def __init__(
        self,
        *,
        name: str,
        cookie: str,
        servers: Sequence[str],
        strategy: Strategy,
        chance: random.Random,
        pace: float,
        tally: Tally,
    ) -> None:
        super().__init__(
            name=name,
            servers=servers,
            addresses=_NOWHERE,
            strategy=strategy,
            chance=chance,
            pace=pace,
            tally=tally,
        )
        self.state: dict[str, Any] = {}
        self._cookie = cookie
        self._games: asyncio.Queue[str | None] = asyncio.Queue()
        self._known: set[str] = set()

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._http.headers["Cookie"] = self._cookie
        return self

    async def race(self, code: str) -> None:
        """Be ready in the room, and play one race to its end."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._stay(code))
            while (game := await self._games.get()) is not None:
                self.results.append(await self._play(f"/ws/games/{game}/"))
                self._tally.counts["holes"] += 1

    async def _stay(self, code: str) -> None:
        """Keep a socket of the room until its race is over, over as many as it takes."""
        attempt = 0
        while True:
            server = self._servers[0]
            try:
                async with self._http.ws_connect(
                    f"{server}/ws/rooms/{code}/", headers={"Origin": server}
                ) as socket:
                    attempt = 0
                    await self._follow(socket)
                    return
            except (Lost, *GONE):
                attempt += 1
                self._tally.counts["reconnects"] += 1
                await self._pause(attempt)

    async def _follow(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        pinged = time.monotonic()
        while not self._is_over():
            if time.monotonic() > pinged + _PING:
                pinged = time.monotonic()
                await send(socket, {"type": "ping", "at": 0})
            try:
                message = await receive(socket, seconds=_PING)
            except TimeoutError:
                continue
            self._tally.counts[f"heard {message['type']}"] += 1
            if message["type"] == "room":
                self.state = message
                if self._wants_to_start():
                    await send(socket, {"type": "ready", "ready": True})
            elif message["type"] == "you" and message["game"] not in (None, *self._known):
                self._known.add(message["game"])
                self._games.put_nowait(message["game"])
        self._games.put_nowait(None)

    def _wants_to_start(self) -> bool:
        is_before = self.state["phase"] == "gathering" and self.state["last"] is None
        return is_before and all(seat["connected"] for seat in self.state["seats"])

    def _is_over(self) -> bool:
        return self.state.get("phase") == "gathering" and self.state["last"] is not None
