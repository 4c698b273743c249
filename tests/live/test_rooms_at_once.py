"""Everybody in a room does everything at once: whatever comes of it, the room stays a room."""

import asyncio
import random
import time
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any, Final

import aiohttp

from tests.harness.fixtures import Serve
from tests.harness.visitor import Line, Visitor
from tests.live.rooms import MadeRoom, hear, make_room, read_races
from tests.live.test_bots import QUICK, check_games_against_the_engine
from tests.live.tournament import read_tournament

#: How many things each of them does, and the most seconds between two of them.
STEPS: Final = 12
PAUSE: Final = 0.4
#: What has to happen before they stop: a race may start late, and nothing was played till then.
#: And after how many things they stop all the same.
WANTED: Final = ("join", "done", "refused")
STEPS_AT_MOST: Final = 20 * STEPS
#: Seconds after which all races are over, on a machine that has much else to do.
PATIENCE: Final = 120
#: How often they do what, in a hundred times.
WEIGHTS: Final = {
    "leave": 3, "join": 15, "settings": 10, "remove": 1, "ready": 20, "start": 25, "play": 26,
}  # fmt: skip


class Restless:
    """Somebody in a room who does by chance whatever can be done there, also what is refused."""

    def __init__(
        self, visitor: Visitor, room: MadeRoom, chance: random.Random, done: Counter[str]
    ) -> None:
        #: What was done so far, by all of them.
        self.done = done
        self.state: dict[str, Any] = {}
        self._you: dict[str, Any] = {}
        self._visitor, self._room, self._chance = visitor, room, chance

    async def live(self) -> None:
        """Do so many things, while a socket of the room is open, and leave."""
        page = f"/races/{self._room.code}/"
        async with asyncio.TaskGroup() as tasks:
            line = await self._visitor.connect(self._room.path)
            listening = tasks.create_task(self._listen(line))
            for number in range(STEPS_AT_MOST):
                if number >= STEPS and all(self.done[what] for what in WANTED):
                    break
                await asyncio.sleep(self._chance.uniform(0, PAUSE))
                (step,) = self._chance.choices(list(WEIGHTS), list(WEIGHTS.values()))
                if step == "play":
                    await self._play()
                elif step == "ready":
                    await line.say(type="ready", ready=self._chance.random() < 0.8)
                elif step == "start":
                    await line.say(type="start")
                else:
                    await self._send(page, step)
            await self._send(page, "leave")
            listening.cancel()
        await line.hang_up()

    async def _send(self, page: str, what: str) -> None:
        """Send one of the room's forms, whether the room offers it now or not."""
        if what == "remove":
            seats = [seat["id"] for seat in self.state.get("seats", ())]
            what = f"seats/{self._chance.choice(seats or [1])}/remove"
        fields = {
            "holes": self._chance.choice("13"),
            "rule_set": self._chance.choice("ECS"),
            "ranking": self._chance.choice(("strokes", "app_score", "cleared")),
            "strokes_kind": "traditional",
            "hole_minutes": "1",
            "grace_seconds": self._chance.choice("03"),
            "codes": self._chance.choice(("", "GO1-E-AAAAAAB")),
        }
        try:
            await self._visitor.post(
                f"{page}{what}/", on="/practice/", **(fields if what == "settings" else {})
            )
            self.done[what.rpartition("/")[2]] += 1
        except aiohttp.ClientResponseError as error:
            # Settings are the host's, and who has lost a seat may not sit down again.
            if error.status not in (403, 404):
                raise

    async def _listen(self, line: Line) -> None:
        while True:
            message = await line.hear(60)
            if message["type"] == "room":
                self.state = message
                check_state(message)
            elif message["type"] == "you":
                self._you = message

    async def _play(self) -> None:
        """Play a little of one's game of the hole once it starts, or give it up."""
        if (game := self._you.get("game")) is None:
            return
        line = await self._visitor.connect(f"/ws/games/{game}/")
        position = (await hear(line, "opening"))["position"]
        for action in self._chance.choices("1234567dg", (1, 1, 1, 1, 1, 1, 1, 4, 1), k=8):
            await line.say(type="act", turn=position["turn"], action=action, row=None)
            answer = await line.hear()
            while answer["type"] not in ("done", "refused"):
                answer = await line.hear()
            self.done[answer["type"]] += 1
            if answer["position"] is None or answer["position"]["final"]:
                break
            position = answer["position"]
        await line.hang_up()


def check_state(state: dict[str, Any]) -> None:
    """What is true of each state of a room."""
    ids = [seat["id"] for seat in state["seats"]]
    assert len(set(ids)) == len(ids)
    # Whoever is left is host; a room that all have left waits for the next one.
    assert state["host"] in ids or not ids
    is_racing = state["phase"] in ("countdown", "playing", "between")
    assert (state["race"] is not None) == is_racing
    if state["phase"] == "countdown":
        assert not any(seat["row"] for seat in state["seats"])


async def test_everybody_does_everything_at_once(serve: Serve) -> None:
    site = serve(database="postgresql", processes=2, **QUICK)
    room = await asyncio.to_thread(make_room, site, seats=6, hole_minutes=1, grace_seconds=3)
    async with AsyncExitStack() as stack:
        people, done = [], Counter[str]()
        for number, seat in enumerate(room.seats):
            visitor = await stack.enter_async_context(Visitor(site.urls[number % 2]))
            people.append(Restless(seat.sits_at(visitor), room, random.Random(number), done))
        await asyncio.gather(*(one.live() for one in people))
    assert min(done[what] for what in ("leave", *WANTED)) > 0, done
    # All have left, so that whatever goes on ends at once, or when it starts.
    until = time.monotonic() + PATIENCE
    while True:
        races = await asyncio.to_thread(read_races, site, room.code)
        if all(held["status"] == "final" for held in races) or time.monotonic() > until:
            break
        await asyncio.sleep(0.5)
    assert races
    assert {held["status"] for held in races} == {"final"}
    for held in races:
        check_games_against_the_engine(await asyncio.to_thread(read_tournament, site, held["slug"]))
    assert "Internal Server Error" not in site.log()
