"""Whole tournaments and races are played, and all bytes that were sent are searched.

Everything goes over one wire that keeps what the site sends: players, directors, superusers and
people who look on, pages, exports, pictures and sockets. In none of it, nor in the site's log, is a
code, a salt or a run of the hidden stock in any spelling, until the cards are shown.
"""

import asyncio
import random
import re
from contextlib import AsyncExitStack, suppress
from typing import Any

from games.engine import GameCode, card_text
from tests.harness.fixtures import Serve
from tests.harness.processes import wait_until
from tests.harness.site import Site
from tests.harness.visitor import Line, Visitor
from tests.live.rooms import MadeRoom, Seated, enter, hear, make_room, read_races
from tests.live.test_story import Story, found_the_club, set_it_up, take_step
from tournaments.bots.client import Bot, Tally
from tournaments.bots.racer import Racer
from tournaments.bots.strategies import STRATEGIES

from .ground import Values, paths_to
from .hidden import (
    RUN,
    RUN_OF_NUMBERS,
    Search,
    Tap,
    Told,
    admin_paths,
    read,
    secrets_of_deal,
    spellings,
    superuser,
)

#: The bots wait for nothing, and the site logs all that it can.
SETTINGS = {
    "GOLF_SOCKET_RATE": "100000", "GOLF_SOCKET_BURST": "100000", "GOLF_LOG_LEVEL": "DEBUG",
}  # fmt: skip
PLAYERS = 6
#: Seconds for a whole tournament or race, on a machine that is slow.
PATIENCE = 600
_CARD = re.compile(r"\b[A2-9TJQK][SHDC]\b")


# --- the search itself ----------------------------------------------------------------------------


def test_each_spelling_is_found_wherever_it_stands() -> None:
    """So that nothing below can pass by looking for the wrong thing."""
    code = GameCode.secret(GameCode.parse("GO1-E-AAAAAAB").rules, 3**70)
    search = Search(list(secrets_of_deal(code.text)))
    stock = code.deal().stock
    leaks = {
        "code": f'"code": "{code.text}"',
        "part of the code that is drawn": code.text[6:].lower(),
        "number": f"{code.number}",
        "number in hexadecimal": f"0x{code.number:X}",
    }
    for name, text in leaks.items():
        assert name in search(f"<p>{text}</p>".encode()), name
    for at in (0, 6, len(stock) - RUN):
        cards = stock[at : at + RUN]
        for spelled in zip(*map(spellings, cards), strict=True):
            for between in (" ", ", ", '","', "/"):
                assert search(between.join(spelled).encode()) == {"stock"}
                assert search(between.join(reversed(spelled)).encode()) == {"stock"}
    for between in (",", ", ", " "):
        assert search(f"[{between.join(map(str, stock[:RUN_OF_NUMBERS]))}]".encode()) == {"stock"}
    columns = " ".join(" ".join(map(card_text, column)) for column in code.deal().columns)
    assert search(f"{columns} {card_text(stock[0])} {stock[0]}".encode()) == set()


# --- what is played -------------------------------------------------------------------------------


async def look_at(visitor: Visitor, paths: list[str]) -> int:
    """Ask for pages; return how many were shown."""
    shown = 0
    for path in paths:
        async with visitor.http.get(visitor.url + path) as response:
            assert response.status < 500, path
            await response.read()
            shown += response.status == 200
    return shown


def pages_of(values: Values) -> list[str]:
    return [
        "/healthz", "/readyz", "/metrics",
        *(path for address, path in paths_to(values) if "log-out" not in path),
    ]  # fmt: skip


def check_frames(tap: Tap, told: Told) -> int:
    """No socket was sent a card that its game has not drawn; return how many positions there were.

    Whatever a message says of a game, the cards in it are those that lay open at the deal, and as
    many of the stock as its own position says are drawn.
    """
    positions = 0
    for messages in tap.frames():
        game = next((m["game"] for m in messages if m.get("game") in told.games), None)
        open_cards: set[str] = set()
        stock: list[str] = []
        if game is not None:
            deal = GameCode.parse(told.games[game]).deal()
            stock = [card_text(card) for card in deal.stock]
            open_cards = {card_text(card) for column in deal.columns for card in column}
            open_cards |= set() if deal.waste is None else {card_text(deal.waste)}
        drawn = 0
        for message in messages:
            position = message.get("position")
            if position and message["type"] in {"opening", "done", "refused", "moved", "watching"}:
                drawn = max(drawn, len(stock) - position["stock"])
                positions += 1
            named = set(_CARD.findall(str(message)))
            assert named <= open_cards | set(stock[:drawn]), (game, message)
            assert message.get("code") is None or not message["code"].startswith("GO")
    return positions


def player_of_root(stack_visitor: Visitor, cookie: str) -> Visitor:
    return Seated(0, "Root", cookie).sits_at(stack_visitor)


async def test_a_tournament_gives_nothing_away_before_its_end(serve: Serve) -> None:
    site = serve(**SETTINGS)
    async with Tap(site) as tap, AsyncExitStack() as stack:
        story = Story([tap.url], stack)
        secretary, onlooker, root = [await story.visitor(0) for _ in range(3)]
        await found_the_club(story, secretary)
        await set_it_up(story, secretary, onlooker)
        player_of_root(root, await asyncio.to_thread(superuser, site))
        line = await onlooker.connect(f"/ws{story.page}")
        bots = [
            await story.bot(Bot, f"Bot {number}", STRATEGIES[number % len(STRATEGIES)], f"{number}")
            for number in range(PLAYERS)
        ]
        for bot in bots:
            await bot.enter()

        async def look_on() -> None:
            """The pages of a tournament that is being played, by everybody who may come by."""
            await asyncio.to_thread(
                wait_until,
                lambda: story.tally.counts["holes"] >= PLAYERS,
                seconds=PATIENCE,
                what="the first holes",
            )
            told = await asyncio.to_thread(read, site, story.slug)
            paths = pages_of(told.values)
            admin = await asyncio.to_thread(admin_paths, site, story.slug)
            assert await look_at(onlooker, paths) > 30
            assert await look_at(secretary, paths) > 50
            assert await look_at(root, [*paths, *admin]) > 110

        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(look_on(), *(bot.play_round(9) for bot in bots))
        # A player who has finished asks for all that there is, and once more for the boards.
        told = await asyncio.to_thread(read, site, story.slug)
        async with Visitor(tap.url) as finished:
            finished.http._cookie_jar = bots[0]._http.cookie_jar
            mine = [game for game, _ in told.games.items()]
            assert await look_at(finished, pages_of({**told.values, "public_id": tuple(mine)})) > 40
        search = Search(told.secrets)
        before = tap.sent()
        print(f"{len(before) / 2e6:.1f} MB, {len(told.secrets)} texts")
        assert search(before) == set()
        assert search(site.log().encode()) == set()
        assert check_frames(tap, told) > 9 * PLAYERS * 10
        assert story.tally.counts["holes"] == 9 * PLAYERS

        await take_step(story, secretary, "close")
        await hear(line, "notice", PATIENCE)
        told = await asyncio.to_thread(read, site, story.slug)
        await look_at(onlooker, pages_of(told.values))
        # And now it is all shown, so it would have been found.
        assert search(tap.sent()) >= {"code", "part of the code that is drawn", "salt"}
        assert search(site.log().encode()) == set()


class Watcher:
    """Gives each hole up at once, and watches the boards of the others."""

    def __init__(self, visitor: Visitor, room: MadeRoom) -> None:
        self.visitor, self.room = visitor, room
        self.watched = 0

    async def race(self, holes: int) -> None:
        """Be ready, give up and watch, for so many holes."""
        line, _, _ = await enter(self.visitor, self.room)
        await line.say(type="ready", ready=True)
        known: set[str | None] = {None}
        for _ in range(holes):
            while (you := await hear(line, "you", PATIENCE))["game"] in known:
                pass
            known.add(you["game"])
            game = await self.visitor.connect(f"/ws/games/{you['game']}/")
            await hear(game, "opening")
            await game.say(type="act", turn=0, action="g")
            assert (await hear(game, "done"))["position"]["final"]
            while not (you := await hear(line, "you", PATIENCE))["can_watch"]:
                pass
            for other in you["watch"].values():
                board = await self.visitor.connect(f"/ws/watch/{other}/")
                self.watched += (await hear(board, "watching"))["game"] == other
        await line.hang_up()


async def test_a_race_gives_nothing_away_before_its_end(serve: Serve) -> None:
    site = serve(**SETTINGS)
    room = await asyncio.to_thread(
        make_room, site, seats=4, holes=2, grace_seconds=600, hole_minutes=30
    )
    async with Tap(site) as tap, AsyncExitStack() as stack:
        looker, root, watching = [
            await stack.enter_async_context(Visitor(tap.url)) for _ in range(3)
        ]
        player_of_root(root, await asyncio.to_thread(superuser, site))
        watcher = Watcher(room.seats[3].sits_at(watching), room)
        tally = Tally(lambda game, turn, action: None)
        racers = [
            await stack.enter_async_context(
                Racer(
                    name=seat.name, cookie=seat.cookie, servers=[tap.url],
                    strategy=STRATEGIES[at], chance=random.Random(at), pace=0, tally=tally,
                )
            )
            for at, seat in enumerate(room.seats[:2])
        ]  # fmt: skip
        # The last one plays the second hole only when everybody has looked at everything.
        slow, line = await slow_racer(stack, tap, room)
        looked = asyncio.Event()

        async def look_on() -> Told:
            held = await first_race(site, room)
            told = await asyncio.to_thread(read, site, held)
            paths = pages_of(told.values)
            admin = await asyncio.to_thread(admin_paths, site, held)
            for who, more in ((looker, []), (root, admin), (slow, [])):
                assert await look_at(who, [*paths, *more]) > 10
            looked.set()
            return told

        async with asyncio.timeout(PATIENCE):
            racing = [asyncio.create_task(racer.race(room.code)) for racer in racers]
            watched = asyncio.create_task(watcher.race(2))
            await play_slowly(slow, line, look_on, looked)
            await asyncio.gather(*racing)
            await watched
        (held,) = await asyncio.to_thread(read_races, site, room.code)
        told = await asyncio.to_thread(read, site, held["slug"])
        search = Search(told.secrets)
        assert (held["status"], watcher.watched, len(told.games)) == ("final", 6, 8)
        # Nobody has asked for a page since the race was over.
        assert search(tap.sent()) == set()
        assert search(site.log().encode()) == set()
        assert check_frames(tap, told) > 50
        assert await look_at(looker, pages_of(told.values)) > 10
        assert search(tap.sent()) >= {"code", "part of the code that is drawn", "salt"}


async def slow_racer(stack: AsyncExitStack, tap: Tap, room: MadeRoom) -> tuple[Visitor, Any]:
    """Open the room's socket for the third seat."""
    visitor = room.seats[2].sits_at(await stack.enter_async_context(Visitor(tap.url)))
    line, _, _ = await enter(visitor, room)
    return visitor, line


async def first_race(site: Site, room: MadeRoom) -> str:
    (held,) = await asyncio.to_thread(read_races, site, room.code)
    return str(held["slug"])


async def play_slowly(slow: Visitor, line: Any, look_on: Any, looked: asyncio.Event) -> None:
    """Play two holes: give the first up, draw on the second, let all look, and give it up."""
    await line.say(type="ready", ready=True)
    known: set[str | None] = {None}
    for hole in (1, 2):
        while (you := await hear(line, "you", PATIENCE))["game"] in known:
            pass
        known.add(you["game"])
        game = await slow.connect(f"/ws/games/{you['game']}/")
        await hear(game, "opening")
        turn = 0
        if hole == 2:
            await game.say(type="act", turn=0, action="d")
            turn = (await hear(game, "done"))["turn"] + 1
            # A browser answers the server's pings all the time; this takes as long as it takes.
            staying = [asyncio.create_task(stay(each)) for each in (line, game)]
            await look_on()
            for each in staying:
                each.cancel()
            await asyncio.gather(*staying, return_exceptions=True)
            assert looked.is_set()
        await game.say(type="act", turn=turn, action="g")
        assert (await hear(game, "done"))["position"]["final"]


async def stay(line: Line) -> None:
    """Hear what comes until it is enough."""
    while True:
        with suppress(TimeoutError):
            await line.hear(5)


def test_a_tap_keeps_what_is_sent(serve: Serve) -> None:
    """Heads, bodies and frames, each of them whole."""

    async def ask() -> tuple[bytes, list[list[dict[str, Any]]]]:
        async with Tap(site) as tap, Visitor(tap.url) as visitor:
            await visitor.get("/rules/")
            socket = await visitor.connect("/ws/tournaments/nothing/")
            assert await socket.closed_with() == 4404
            await visitor.become_guest("Anna")
            game = await visitor.practise("GO1-E-AAAAAAB")
            line = await visitor.connect(f"/ws/games/{game}/")
            opening = await line.hear()
            return tap.sent(), [m for m in tap.frames() if m == [opening]]

    site = serve()
    sent, frames = asyncio.run(ask())
    assert b"</html>" in sent
    assert b'"code":"GO1-E-AAAAAAB"' in sent
    assert len(frames) == 1
