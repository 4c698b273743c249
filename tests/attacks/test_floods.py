"""One player who sends, opens or repeats far more than a person would; the others play on."""

import asyncio
import json
import random
import resource
import statistics
import time
from collections import Counter

import aiohttp
import pytest

from games.engine import GameCode, Play
from tests.harness.fixtures import Serve
from tests.harness.site import fetch
from tests.harness.visitor import Line, Visitor

CODE = "GO1-E-AAAAAAB"
#: Seconds that somebody else waits for an answer usually, and at most, on a busy machine.
USUALLY, AT_MOST = 2.0, 10.0
MOVES = 10_000
SOCKETS = 2_000


async def in_a_game(visitor: Visitor, name: str) -> tuple[Line, str]:
    """Let a visitor become a guest in a game of practice; return its socket and its path."""
    await visitor.become_guest(name)
    path = f"/ws/games/{await visitor.practise(CODE)}/"
    line = await visitor.connect(path)
    assert (await line.hear())["type"] == "opening"
    return line, path


async def waits(line: Line, until: asyncio.Event) -> list[float]:
    """Return how long somebody waits for answers, again and again until it is over."""
    found = []
    while not until.is_set():
        began = time.monotonic()
        assert (await line.ask(type="ping", at=1))["type"] == "pong"
        found.append(time.monotonic() - began)
        await asyncio.sleep(0.1)
    return found


def assert_played_on(waited: list[float]) -> None:
    """Whoever asked during a flood was answered as if there were none."""
    assert statistics.median(waited) < USUALLY
    assert max(waited) < AT_MOST


async def test_ten_thousand_moves_a_second_from_one_socket(serve: Serve) -> None:
    """What is too fast is dropped, the flood ends with its socket, and nobody else is held up."""
    site = serve(GOLF_SOCKET_RATE="20", GOLF_SOCKET_BURST="60")
    async with Visitor(site.url) as mallory, Visitor(site.url) as anna:
        line, path = await in_a_game(mallory, "Mallory")
        quiet, _ = await in_a_game(anna, "Anna")
        is_over = asyncio.Event()
        watching = asyncio.create_task(waits(quiet, is_over))
        frames = [f'{{"type":"act","turn":{turn},"action":"d"}}' for turn in range(MOVES)]
        began = time.monotonic()
        answers: Counter[str] = Counter()

        async def read() -> object:
            """Count the answers; return the code with which the socket is closed."""
            while True:
                event = await line.socket.receive(timeout=60)
                if event.type is not aiohttp.WSMsgType.TEXT:
                    return event.data
                message = json.loads(event.data)
                answers[message.get("code") or message["type"]] += 1

        reading = asyncio.create_task(read())
        try:
            for frame in frames:
                await line.socket.send_str(frame)
            sent_in = time.monotonic() - began
        except (ConnectionError, aiohttp.ClientConnectionError):
            sent_in = time.monotonic() - began
        closed_with = await asyncio.wait_for(reading, 120)
        lasted = time.monotonic() - began
        is_over.set()
        waited = await watching
        print(f"sent in {sent_in:.2f} s, closed after {lasted:.2f} s; others {max(waited):.3f} s")
        assert closed_with == 4429
        # Five hundred, and one more for each that was looked at in between.
        assert 500 <= answers["throttled"] <= 500 + 20 * (lasted + 1)
        looked_at = answers.total() - answers["throttled"]
        assert 60 <= looked_at <= 60 + 20 * (lasted + 1)
        assert_played_on(waited)
        # What was answered is stored, and nothing else.
        again = await mallory.connect(path)
        position = (await again.hear())["position"]
        assert position["turn"] == answers["done"]
        assert (await quiet.act(0, "d"))["type"] == "done"


async def test_thousands_of_sockets_from_one_player(serve: Serve) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < SOCKETS + 500:
        if hard < SOCKETS + 500:
            pytest.skip(f"{hard} open files are allowed, {SOCKETS + 500} are needed")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    site = serve(GOLF_SOCKETS_PER_PLAYER="12")
    async with Visitor(site.url) as mallory, Visitor(site.url) as anna:
        line, path = await in_a_game(mallory, "Mallory")
        quiet, _ = await in_a_game(anna, "Anna")
        is_over = asyncio.Event()
        watching = asyncio.create_task(waits(quiet, is_over))
        opened: list[Line] = []
        at_once = asyncio.Semaphore(100)
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(
            connector=connector, cookie_jar=mallory.http.cookie_jar
        ) as http:

            async def open_one() -> int | None:
                async with at_once:
                    socket = await http.ws_connect(site.url + path, headers={"Origin": site.url})
                    each = Line(socket)
                    message = await socket.receive(timeout=60)
                if message.type is aiohttp.WSMsgType.TEXT:
                    opened.append(each)
                    return None
                return int(message.data)

            began = time.monotonic()
            codes = Counter(await asyncio.gather(*(open_one() for _ in range(SOCKETS))))
            is_over.set()
            waited = await watching
            took = time.monotonic() - began
            print(f"{SOCKETS} sockets in {took:.1f} s; others waited {max(waited):.3f} s")
            # The one that was there before is one of the twelve.
            assert codes == {None: 11, 4429: SOCKETS - 11}
            assert_played_on(waited)
            _, figures = fetch(f"{site.url}/metrics")
            assert "\ngolf_sockets 13.0\n" in figures
            for each in opened:
                assert (await each.ask(type="ping", at=2))["type"] == "pong"
        assert (await line.ask(type="ping", at=3))["type"] == "pong"


async def test_actions_replayed_and_reordered_make_the_game_that_was_answered(serve: Serve) -> None:
    """Two sockets send a game's actions twice over and in disorder: each turn is stored once."""
    site = serve(GOLF_SOCKET_RATE="1000000", GOLF_SOCKET_BURST="1000000")
    chance = random.Random(52)
    async with Visitor(site.url) as mallory:
        line, path = await in_a_game(mallory, "Mallory")
        other = await mallory.connect(path)
        await other.hear()
        stored: dict[int, str] = {}
        answers: Counter[str] = Counter()

        async def take(each: Line, mark: int) -> None:
            """Read all answers of a socket; what is done is done once, and never otherwise."""
            await each.say(type="ping", at=mark)
            while (message := await each.hear()).get("at") != mark:
                if message["type"] == "done":
                    turn, action = message["turn"], message["action"]
                    assert stored.setdefault(turn, action) == action
                    answers["repeated" if message.get("repeated") else "done"] += 1
                else:
                    answers[message.get("code") or message["type"]] += 1

        for round_ in range(60):
            turn = len(stored)
            sent = [(max(0, turn + chance.randint(-6, 6)), chance.choice("1234567dddu"))
                    for _ in range(30)]  # fmt: skip
            # All that was answered before is sent again among it, in any order.
            sent += chance.sample(sorted(stored.items()), min(len(stored), 10))
            chance.shuffle(sent)
            for at, (number, action) in enumerate(sent):
                each = (line, other)[at % 2]
                await each.say(type="act", turn=number, action=action)
            for each in (line, other):
                await take(each, 10**9 + round_)
        assert sorted(stored) == list(range(len(stored)))
        assert answers["done"] == len(stored)
        assert min(answers[name] for name in ("repeated", "stale_turn", "moved")) > 20
        code = GameCode.parse(CODE)
        play = Play.replay(code.deal(), code.rules, "".join(stored[n] for n in sorted(stored)))
        position = (await line.ask(type="state"))["position"]
        assert position["turn"] == len(stored)
        assert (position["moves"], position["undos"], position["left"], position["stock"]) == (
            play.moves, play.undos, play.left, play.stock_left,
        )  # fmt: skip
