"""Races on the real server: a hundred people, a server that dies, other clocks, slow lines."""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.harness.fixtures import Serve
from tests.harness.processes import wait_until
from tests.harness.site import Site
from tests.harness.visitor import Line, Visitor
from tests.live.rooms import MadeRoom, enter, hear, make_room, make_rooms, read_races
from tests.live.test_bots import QUICK, check_games_against_the_engine
from tests.live.tournament import read_tournament, recompute
from tournaments.bots.client import Tally
from tournaments.bots.racer import Racer
from tournaments.bots.strategies import STRATEGIES
from tournaments.scorecard import RACE_MARGIN_MS

#: Acknowledged actions by game and turn.
Acknowledged = dict[str, dict[int, str]]


async def race(
    site: Site,
    made: Sequence[MadeRoom],
    *,
    pace: float,
    meanwhile: Callable[[Tally], Any],
) -> tuple[Tally, Acknowledged]:
    """Let everybody race once, rivals at different processes, while something else happens."""
    acknowledged: Acknowledged = defaultdict(dict)

    def note(game: str, turn: int, action: str) -> None:
        assert turn not in acknowledged[game]
        acknowledged[game][turn] = action

    tally = Tally(note)
    async with AsyncExitStack() as stack:
        racers = []
        for room in made:
            for at, seat in enumerate(room.seats):
                racer = Racer(
                    name=seat.name,
                    cookie=seat.cookie,
                    servers=[*site.urls[at % len(site.urls) :], *site.urls[: at % len(site.urls)]],
                    strategy=STRATEGIES[at % len(STRATEGIES)],
                    chance=random.Random(at),
                    pace=pace,
                    tally=tally,
                )
                racers.append((await stack.enter_async_context(racer), room.code))
        everybody = [racer.race(code) for racer, code in racers]
        await asyncio.wait_for(asyncio.gather(*everybody, meanwhile(tally)), 400)
    return tally, acknowledged


def check(site: Site, room: MadeRoom, holes: int, acknowledged: Acknowledged) -> None:
    """A room's race is final, and all of it is what its journals and the rules make."""
    (held,) = read_races(site, room.code)
    assert held["status"] == "final"
    assert [number for number, _ in held["starts"]] == list(range(1, holes + 1))
    stored = read_tournament(site, held["slug"])
    assert len(stored["games"]) == holes * len(room.seats)
    check_games_against_the_engine(stored)
    for one in stored["games"]:
        assert dict(enumerate(one["actions"])) == acknowledged[one["game"]["public_id"]]
    assert sorted(row["name"] for row in held["board"]) == sorted(s.name for s in room.seats)
    assert [row["place"] for row in held["board"]] == places(held["board"])


def places(board: Sequence[dict[str, Any]]) -> list[str]:
    """The places of rows in order: who is within the margin of the first of a group shares it."""
    groups: list[list[dict[str, Any]]] = []
    for row in board:
        first = groups[-1][0] if groups else None
        if (
            first
            and first["figure"] == row["figure"]
            and (0 <= row["time"] - first["time"] <= RACE_MARGIN_MS)
        ):
            groups[-1].append(row)
        else:
            assert first is None or (first["figure"], first["time"]) < (row["figure"], row["time"])
            groups.append([row])
    texts = []
    for group in groups:
        place = len(texts) + 1
        texts += [f"T{place}" if len(group) > 1 else f"{place}"] * len(group)
    return texts


async def counted(tally: Tally, what: str, count: int) -> None:
    """Wait until the crowd has done so much."""
    await asyncio.to_thread(
        wait_until, lambda: tally.counts[what] >= count, seconds=200, what=f"{count} {what}"
    )


async def test_ten_rooms_of_ten_on_two_processes_one_of_which_is_killed(serve: Serve) -> None:
    site = serve(database="postgresql", processes=2, **QUICK)
    made = await asyncio.to_thread(make_rooms, site, rooms=10, seats=10, grace_seconds=600)

    async def kill(tally: Tally) -> None:
        await counted(tally, "acknowledged", 300)
        await asyncio.to_thread(site.kill, 1)
        await asyncio.to_thread(site.start_again, 1)

    tally, acknowledged = await race(site, made, pace=20, meanwhile=kill)
    assert (tally.counts["holes"], tally.counts["heard progress"] > 100) == (100, True)
    assert tally.counts["reconnects"] >= 50
    for room in made:
        await asyncio.to_thread(check, site, room, 1, acknowledged)
    (held,) = await asyncio.to_thread(read_races, site, made[0].code)
    assert (await asyncio.to_thread(recompute, site, held["slug"]))["corrected"] == 0


async def test_a_restart_of_the_embedded_site_loses_nothing(serve: Serve) -> None:
    """In the middle of a hole, and again while the next one is counted down to."""
    site = serve(**QUICK)
    made = await asyncio.to_thread(make_rooms, site, rooms=2, seats=3, holes=2, grace_seconds=300)

    async def restart(tally: Tally) -> None:
        await counted(tally, "acknowledged", 30)
        await asyncio.to_thread(site.terminate)
        await asyncio.to_thread(site.start_again)
        await counted(tally, "holes", 6)
        await asyncio.to_thread(site.kill)
        await asyncio.to_thread(site.start_again)

    tally, acknowledged = await race(site, made, pace=10, meanwhile=restart)
    assert tally.counts["holes"] == 12
    for room in made:
        await asyncio.to_thread(check, site, room, 2, acknowledged)


class Clock:
    """A client's clock, so many ms ahead of the real one, which learns the server's by pings."""

    def __init__(self, ahead: float) -> None:
        self.ahead = ahead
        self.offset = 0.0

    def now(self) -> float:
        return time.time() * 1000 + self.ahead

    async def learn(self, line: Line) -> None:
        """Take the server's time less one's own from the ping that came back soonest."""
        shortest = float("inf")
        for _ in range(12):
            sent = self.now()
            await line.say(type="ping", at=sent)
            pong = await hear(line, "pong")
            took = self.now() - sent
            if took < shortest:
                shortest, self.offset = took, pong["now"] - (sent + took / 2)

    def real(self, server: float) -> float:
        """The real time at which this clock believes that the server's is so late."""
        return server - self.offset - self.ahead


async def games_of(
    room: MadeRoom, visitors: Sequence[Visitor], lines: Sequence[Line]
) -> list[Line]:
    """The sockets of the players' games, while they are counted down to."""
    found = []
    for visitor, line in zip(visitors, lines, strict=True):
        you = await hear(line, "you")
        while you["game"] is None:
            you = await hear(line, "you")
        found.append(await visitor.connect(f"/ws/games/{you['game']}/"))
    return found


#: How far two clients' clocks are apart, in ms: what phones have, and a wrong zone.
@pytest.mark.parametrize("apart", [90_000, 3_600_000])
async def test_clocks_that_are_wrong_start_together(serve: Serve, apart: int) -> None:
    site = serve()
    room = await asyncio.to_thread(make_room, site)
    clocks = [Clock(apart / 2), Clock(-apart / 2)]
    async with Visitor(site.url) as ann, Visitor(site.url) as bo:
        visitors = [seat.sits_at(each) for seat, each in zip(room.seats, (ann, bo), strict=True)]
        lines = [(await enter(each, room))[0] for each in visitors]
        for clock, line in zip(clocks, lines, strict=True):
            await clock.learn(line)
        assert abs(clocks[0].offset - clocks[1].offset + apart) < 50
        await lines[0].say(type="start")
        games = await games_of(room, visitors, lines)
        waits = [await hear(game, "waiting") for game in games]
        assert len({wait["opens_at"] for wait in waits}) == 1
        early = await games[0].act(0, "d")
        assert (early["type"], early["code"], early["position"]) == ("refused", "not_started", None)
        starts = [clock.real(wait["opens_at"]) for clock, wait in zip(clocks, waits, strict=True)]
        assert abs(starts[0] - starts[1]) < 50
        openings = [await hear(game, "opening") for game in games]
        assert all(opening["now"] >= waits[0]["opens_at"] for opening in openings)
        assert openings[0]["position"]["columns"] == openings[1]["position"]["columns"]


async def test_results_on_lines_of_different_length_go_by_the_servers_receipt(
    serve: Serve,
) -> None:
    """Both give up, one of them on a line that takes 300 ms longer to the server.

    In the first race he acts half a second later and is behind. In the second one he acts 280 ms
    sooner, so that some 20 ms lie between the two when they arrive, which is nobody's lead.
    """
    site = serve()
    room = await asyncio.to_thread(make_room, site)
    async with Visitor(site.url) as ann, Visitor(site.url) as bo:
        visitors = [seat.sits_at(each) for seat, each in zip(room.seats, (ann, bo), strict=True)]
        lines = [(await enter(each, room))[0] for each in visitors]
        for delays in ((0.0, 0.8), (0.28, 0.3)):
            await lines[0].say(type="start")
            games = await games_of(room, visitors, lines)
            for game in games:
                await hear(game, "opening")

            async def give_up(game: Line, after: float) -> None:
                await asyncio.sleep(after)
                await game.say(type="act", turn=0, action="g")
                assert (await hear(game, "done"))["position"]["final"]

            await asyncio.gather(*map(give_up, games, delays))
            while (await hear(lines[0], "room"))["phase"] != "gathering":
                pass
            for line in lines:
                while (await hear(line, "you"))["game"] is not None:
                    pass
    first, second = await asyncio.to_thread(read_races, site, room.code)
    for held in (first, second):
        assert [row["figure"] for row in held["board"]] == [30, 30]
        assert [row["place"] for row in held["board"]] == places(held["board"])
    assert [(row["name"], row["place"]) for row in first["board"]] == [
        ("Host 0", "1"), ("Racer 0-1", "2"),
    ]  # fmt: skip
    ahead, behind = (row["time"] for row in first["board"])
    assert behind - ahead >= 250
