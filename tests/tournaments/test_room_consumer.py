"""The sockets of rooms and of watching, on the real server, and on two of them at once."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.harness.fixtures import Serve
from tests.harness.site import Site
from tests.harness.visitor import Line, Visitor
from tests.live.rooms import MadeRoom, Seated, do, enter, hear, make_room
from tournaments import guesses

SITES = [
    pytest.param("sqlite", 1, id="sqlite"),
    pytest.param("postgresql", 2, id="postgresql-two-processes"),
]


@asynccontextmanager
async def people(site: Site, *seated: Seated | None) -> AsyncIterator[list[Visitor]]:
    """Visitors, each at the next process; None is nobody in particular."""
    visitors = []
    try:
        for number, seat in enumerate(seated):
            url = site.urls[number % len(site.urls)]
            visitor = await Visitor(url).__aenter__()
            visitors.append(visitor if seat is None else seat.sits_at(visitor))
        yield visitors
    finally:
        for visitor in visitors:
            await visitor.__aexit__(None, None, None)


async def state_in_which(line: Line, condition: Any) -> dict[str, Any]:
    """The first state for which a condition holds."""
    while True:
        state = await hear(line, "room")
        if condition(state):
            return state


def seats(state: dict[str, Any], field: str) -> list[Any]:
    return [seat[field] for seat in state["seats"]]


async def ready(*lines: Line) -> None:
    for line in lines:
        await line.say(type="ready", ready=True)


async def game_lines(room: MadeRoom, visitors: list[Visitor], *lines: Line) -> list[Line]:
    """Each player's socket of the game, once its cards are there."""
    found = []
    for visitor, line in zip(visitors, lines, strict=False):
        you = await hear(line, "you")
        while you["game"] is None:
            you = await hear(line, "you")
        game = await visitor.connect(f"/ws/games/{you['game']}/")
        found.append(game)
    for game in found:
        assert (await game.hear())["type"] == "waiting"
    for game in found:
        assert (await game.hear())["type"] == "opening"
    return found


async def play_to_the_end(game: Line) -> dict[str, Any]:
    await game.say(type="state")
    position = (await hear(game, "opening"))["position"]
    while not position["final"]:
        await game.say(type="act", turn=position["turn"], action=position["legal"][0])
        position = (await hear(game, "done"))["position"]
    return dict(position)


@pytest.mark.parametrize(("database", "processes"), SITES)
async def test_a_race_from_gathering_to_a_rematch(
    serve: Serve, database: str, processes: int
) -> None:
    site = serve(database=database, processes=processes)
    room = make_room(site, seats=2, hole_minutes=5)
    async with people(site, *room.seats, None) as (ann, bo, visitor):
        first, state, you = await enter(ann, room)
        assert (state["room"], state["protocol"], state["phase"]) == (room.code, 1, "gathering")
        assert seats(state, "name") == ["Host 0", "Racer 0-1"]
        assert seats(state, "connected") == [True, False]
        host = state["seats"][0]["id"]
        assert (state["host"], you) == (
            host,
            {
                "type": "you", "seat": host, "host": True, "game": None, "can_watch": False,
                "watch": {},
            },
        )  # fmt: skip
        second, state, you = await enter(bo, room)
        assert (seats(state, "connected"), you["host"]) == ([True, True], False)
        watcher, _, you = await enter(visitor, room)
        assert (you["seat"], you["can_watch"]) == (None, False)
        await watcher.say(type="ready", ready=True)
        assert await hear(watcher, "error") == {"type": "error", "code": "no_seat"}

        await ready(first)
        await state_in_which(second, lambda state: seats(state, "ready") == [True, False])
        await ready(second)
        state = await state_in_which(watcher, lambda state: state["phase"] == "countdown")
        race = state["race"]
        assert (race["number"], race["hole"], race["holes"], race["limited"]) == (1, 1, 1, False)
        assert race["closes_at"] == race["starts_at"] + 5 * 60_000
        games = await game_lines(room, [ann, bo], first, second)
        await state_in_which(watcher, lambda state: state["phase"] == "playing")

        done = await games[0].act(0, "d")
        assert done["type"] == "done"
        told = await hear(watcher, "progress")
        assert (told["room"], list(told["rows"])) == (f"room:{room.code}", [str(host)])
        assert told["rows"][str(host)][:7] == [35, 15, 0, 35, 35, 0, 0]
        assert told["places"] == dict.fromkeys(map(str, seats(state, "id")), 1)

        end = await play_to_the_end(games[0])
        you = await hear(first, "you")
        while not you["can_watch"]:
            you = await hear(first, "you")
        state = await state_in_which(watcher, lambda state: state["race"]["limited"])
        row = state["seats"][0]
        assert (row["row"][0], row["row"][6], row["strokes"], row["place"]) == (
            end["left"], 1, end["strokes"], 1,
        )  # fmt: skip
        await play_to_the_end(games[1])
        state = await state_in_which(watcher, lambda state: state["phase"] == "gathering")
        assert (state["race"], seats(state, "ready")) == (None, [False, False])
        assert min(seats(state, "place")) == 1
        await ready(first, second)
        state = await state_in_which(watcher, lambda state: state["phase"] == "countdown")
        assert (state["race"]["number"], state["race"]["slug"] != race["slug"]) == (2, True)


@pytest.mark.parametrize(("database", "processes"), SITES)
async def test_watching_a_board(serve: Serve, database: str, processes: int) -> None:
    site = serve(database=database, processes=processes)
    room = make_room(site, seats=2)
    async with people(site, *room.seats) as (ann, bo):
        first, _, _ = await enter(ann, room)
        second, _, _ = await enter(bo, room)
        await second.say(type="start")
        assert await hear(second, "error") == {"type": "error", "code": "not_host"}
        await first.say(type="start")
        games = await game_lines(room, [ann, bo], first, second)
        late = Seated(**await asyncio.to_thread(do, site, "seat", room.code))
        target = (await games[1].ask(type="state"))["game"]
        path = f"/ws/watch/{target}/"

        refused = await ann.connect(path)
        assert await refused.closed_with() == 4403
        async with people(site, late, None) as (latecomer, visitor):
            outside = await visitor.connect(path)
            assert await outside.closed_with() == 4403
            nothing = await visitor.connect("/ws/watch/nothing/")
            assert await nothing.closed_with() == 4404
            watching = await latecomer.connect(path)
            board = await watching.hear()
            assert (board["type"], board["game"], board["name"]) == (
                "watching", target, "Racer 0-1",
            )  # fmt: skip
            assert board["position"]["turn"] == 0
            assert "code" not in board
            drawn = await games[1].act(0, "d")
            seen = await watching.hear()
            while seen["position"]["turn"] == 0:  # the room was read anew in between
                seen = await watching.hear()
            assert still(seen["position"]) == still(drawn["position"])
            await watching.say(type="act", turn=1, action="d")
            assert (await hear(watching, "error"))["code"] == "unknown_type"

            await games[0].act(0, "g")
            you = await hear(first, "you")
            while not you["can_watch"]:
                you = await hear(first, "you")
            assert target in you["watch"].values()
            mine = await ann.connect(path)
            assert still((await mine.hear())["position"]) == still(drawn["position"])

            await games[1].act(1, "g")
            positions = [await watching.hear()]
            while not positions[-1]["position"]["final"]:
                positions.append(await watching.hear())
            assert positions[-1]["position"]["state"] == "given_up"
            again = await visitor.connect(path)
            assert (await again.hear())["position"]["final"]


def still(position: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in position.items() if name != "elapsed"}


@pytest.mark.parametrize(("database", "processes"), SITES)
async def test_presence_is_known_at_every_process(
    serve: Serve, database: str, processes: int
) -> None:
    site = serve(database=database, processes=processes)
    room = make_room(site, seats=2)
    async with people(site, *room.seats, *room.seats) as (ann, bo, _, bo_again):
        first, _, _ = await enter(ann, room)
        second, state, _ = await enter(bo, room)
        assert seats(state, "connected") == [True, True]
        third, _, _ = await enter(bo_again, room)
        await second.hang_up()
        # He has another socket, wherever it is: should he count as gone, then not for long.
        await asyncio.sleep(1.5)
        state = await first.ask(type="state")
        while state["type"] != "room":
            state = await first.hear()
        state = (await drained(first)) or state
        if seats(state, "connected") != [True, True]:
            await state_in_which(first, lambda state: seats(state, "connected") == [True, True])
        await third.hang_up()
        state = await state_in_which(
            first, lambda state: seats(state, "connected") == [True, False]
        )
        again, state, _ = await enter(bo, room)
        assert seats(state, "connected") == [True, True]
        await again.hang_up()


async def test_who_pings_is_there_and_who_is_silent_is_gone(serve: Serve) -> None:
    """Whatever the socket says of itself: a phone without a line does not close it."""
    site = serve()
    room = make_room(site, seats=2)
    async with people(site, *room.seats) as (ann, bo):
        silent, _, _ = await enter(bo, room)
        first, state, _ = await enter(ann, room)
        assert seats(state, "connected") == [True, True]
        began = time.monotonic()
        while seats(state, "connected") != [True, False]:
            assert time.monotonic() < began + 60
            await first.say(type="ping", at=0)
            state = await drained(first) or state
        assert time.monotonic() > began + 20
        await silent.say(type="state")
        await hear(silent, "room")


async def drained(line: Line) -> dict[str, Any] | None:
    """The last state that has come; None without one."""
    last = None
    while True:
        try:
            message = await line.hear(0.5)
        except TimeoutError:
            return last
        if message["type"] == "room":
            last = message


@pytest.mark.parametrize(("database", "processes"), SITES)
async def test_emotes_are_few_and_of_a_fixed_set(
    serve: Serve, database: str, processes: int
) -> None:
    site = serve(database=database, processes=processes)
    room = make_room(site, seats=2)
    async with people(site, *room.seats) as (ann, bo):
        first, _, you = await enter(ann, room)
        second, _, _ = await enter(bo, room)
        await first.say(type="emote", emote="well_played")
        heard = await hear(second, "emote")
        assert heard == {"type": "emote", "seat": you["seat"], "emote": "well_played"}
        await first.say(type="emote", emote="wow")
        assert await hear(first, "error") == {"type": "error", "code": "throttled"}
        await first.say(type="emote", emote="you are bad")
        assert await hear(first, "error") == {"type": "error", "code": "bad_message"}
        await second.say(type="emote", emote="thanks")
        assert (await hear(first, "emote"))["emote"] == "thanks"


async def test_what_nobody_was_told_of_is_found_all_the_same(serve: Serve) -> None:
    """A change that is made where no notice goes out from: on the embedded site by a command."""
    site = serve()
    room = make_room(site)
    async with people(site, room.seats[0]) as (ann,):
        line, state, _ = await enter(ann, room)
        assert len(state["seats"]) == 2
        await asyncio.to_thread(do, site, "seat", room.code)
        state = await state_in_which(line, lambda state: len(state["seats"]) == 3)
        assert state["seats"][2]["name"] == "Late"


async def test_who_may_open_it(serve: Serve) -> None:
    site = serve()
    room = make_room(site)
    async with people(site, None) as (visitor,):
        nowhere = await visitor.connect("/ws/rooms/NOPE2/")
        assert await nowhere.closed_with() == 4404
        elsewhere = await visitor.connect(room.path, origin="http://example.org")
        assert await elsewhere.closed_with() == 4403
        line, _, _ = await enter(visitor, room)
        assert (await line.ask(type="ping", at=7))["at"] == 7
        assert (await line.ask(type="act", turn=0, action="d"))["code"] == "unknown_type"
        assert (await line.ask(type="start"))["code"] == "no_seat"
        assert (await line.ask(type="emote", emote="wow"))["code"] == "no_seat"


async def test_codes_are_not_found_by_trying(serve: Serve) -> None:
    site = serve(GOLF_PROXIES="1")
    room = make_room(site)
    async with people(site, None, room.seats[0]) as (visitor, ann):
        for each in (visitor, ann):
            each.http.headers["X-Forwarded-For"] = "203.0.113.7"
        for _ in range(guesses.BURST):
            line = await visitor.connect("/ws/rooms/NOPE2/")
            assert await line.closed_with() == 4404
        for path in ("/ws/rooms/NOPE2/", room.path):
            line = await visitor.connect(path)
            assert await line.closed_with() == 4429
        await enter(ann, room)  # who sits there has not guessed


async def test_a_burst_of_changes_is_a_handful_of_frames(serve: Serve) -> None:
    site = serve(GOLF_SOCKET_RATE="1000", GOLF_SOCKET_BURST="1000")
    room = make_room(site, seats=3)
    async with people(site, *room.seats) as (ann, bo, _):
        first, _, _ = await enter(ann, room)
        second, _, _ = await enter(bo, room)
        await drained(second)
        began = time.monotonic()
        for number in range(60):
            await first.say(type="ready", ready=bool(number % 2 == 0))
        await first.say(type="ready", ready=False)
        await first.say(type="ping", at=1)
        await hear(first, "pong")
        # Nothing that Ann did looks like this one: whoever sees it has seen all that came before.
        await second.say(type="ready", ready=True)
        frames, is_ready = 0, [False] * 3
        while not is_ready[1]:
            is_ready = seats(await hear(second, "room"), "ready")
            frames += 1
        took = time.monotonic() - began
        assert is_ready == [False, True, False]
        assert frames <= 5 * took + 2  # one now and then is of a look at the database
