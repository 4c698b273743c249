"""The socket of a game, on the real server."""

import asyncio
import json
import sqlite3
from contextlib import closing, suppress
from typing import Any

import pytest

from tests.games.factories import PUBLISHED_LINE
from tests.harness.databases import SQLITE_FILE
from tests.harness.fixtures import Serve
from tests.harness.visitor import Line, Visitor

CODE = "GO1-E-AAAAAAB"


async def start_game(visitor: Visitor, name: str = "Anna") -> str:
    await visitor.become_guest(name)
    return f"/ws/games/{await visitor.practise(CODE)}/"


async def play_line(line: Line, actions: str, start: int = 0) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    for turn, action in enumerate(actions, start):
        answer = await line.act(turn, action)
        assert answer["type"] == "done", answer
    return answer


async def test_a_whole_game_over_one_socket(serve: Serve) -> None:
    async with Visitor(serve().url) as anna:
        line = await anna.connect(await start_game(anna))
        opening = await line.hear()
        position = opening.pop("position")
        now = opening.pop("now")
        assert opening == {
            "type": "opening",
            "protocol": 1,
            "game": opening["game"],
            "code": CODE,
            "rules": {
                "text": "E",
                "king_ace": "linked",
                "on_king": "queen",
                "draw": "any_time",
                "jokers": 0,
                "waste": "dealt",
            },
            "fits": opening["fits"],
            "undo": True,
            "hints": True,
            "closes_at": None,
        }
        assert sorted(opening["fits"]["A"].replace("*", "")) == ["2", "K"]
        assert now > 1_700_000_000_000
        assert position["columns"][0] == "6C 5S QS TS 6H"
        assert (position["waste"], position["stock"], position["legal"]) == ("AC", 16, "d")
        refused = await line.act(0, "1")
        assert (refused["type"], refused["code"]) == ("refused", "not_adjacent")
        drawn = await line.act(0, "d")
        assert (drawn["position"]["waste"], drawn["position"]["legal"]) == ("8S", "5d")
        end = await play_line(line, PUBLISHED_LINE[1:], start=1)
        assert (end["position"]["state"], end["position"]["final"]) == ("won", True)
        assert (end["position"]["app_score"], end["position"]["strokes"]) == (350, 0)
        assert (await line.act(len(PUBLISHED_LINE), "d"))["code"] == "game_over"


async def test_a_game_goes_on_at_the_very_move(serve: Serve) -> None:
    """After a reload, on a second tab, and after the server was killed and started again."""
    site = serve()
    async with Visitor(site.url) as anna:
        path = await start_game(anna)
        first = await anna.connect(path)
        await first.hear()
        position = (await play_line(first, "d52"))["position"]

        second = await anna.connect(path)
        assert still(await second.hear()) == still({"position": position})
        drawn = await second.act(3, "d")
        moved = await first.hear()
        assert (moved["type"], moved["position"]["turn"]) == ("moved", 4)
        assert still(moved) == still(drawn)
        repeated = await first.act(3, "d")
        assert (repeated["repeated"], repeated["position"]["turn"]) == (True, 4)
        stale = await first.act(3, "u")
        assert (stale["code"], stale["position"]["turn"]) == ("stale_turn", 4)
        await first.hang_up()

        site.kill()
        site.start_again()
        third = await anna.connect(path)
        assert still(await third.hear()) == still(drawn)
        assert (await third.act(3, "d"))["repeated"] is True
        undone = await third.act(4, "u")
        assert undone["position"]["waste"] == "8C"


def still(message: dict[str, Any]) -> dict[str, Any]:
    """A position without the time that goes on."""
    return {name: value for name, value in message["position"].items() if name != "elapsed"}


async def test_what_is_no_message_gets_a_code_and_the_socket_stays_open(serve: Serve) -> None:
    async with Visitor(serve().url) as anna:
        line = await anna.connect(await start_game(anna))
        await line.hear()
        for text, code in [
            ("{", "bad_message"),
            ('{"type":"act","turn":0}', "bad_message"),
            ('{"type":"act","turn":0,"action":"c"}', "bad_message"),
            ('{"type":"dance"}', "unknown_type"),
            ('"' + "x" * 5000 + '"', "too_large"),
            ('"' + "x" * 500_000 + '"', "too_large"),
        ]:
            await line.socket.send_str(text)
            assert await line.hear() == {"type": "error", "code": code}
        await line.socket.send_bytes(b"\x00\xff")
        assert await line.hear() == {"type": "error", "code": "binary"}
        assert (await line.ask(type="ping", at=5))["at"] == 5
        assert (await line.ask(type="state"))["position"]["turn"] == 0
        assert (await line.act(0, "d"))["type"] == "done"


async def test_a_flood_is_throttled_and_in_the_end_closed(serve: Serve) -> None:
    async with Visitor(serve(GOLF_SOCKET_RATE="1", GOLF_SOCKET_BURST="10").url) as anna:
        line = await anna.connect(await start_game(anna))
        await line.hear()
        for turn in range(30):
            await line.say(type="act", turn=turn, action="d")
        answers = [await line.hear() for _ in range(30)]
        done = [answer["turn"] for answer in answers if answer["type"] == "done"]
        throttled = [
            answer for answer in answers if answer == {"type": "error", "code": "throttled"}
        ]
        assert done[:10] == list(range(10))
        assert len(throttled) >= 15
        await asyncio.sleep(1.5)
        position = (await line.ask(type="state"))["position"]
        assert position["turn"] == position["moves"] == len(done)
        with suppress(EOFError, ConnectionResetError):
            for _ in range(600):
                await line.say(type="ping", at=1)
            while True:
                await line.hear()
        assert line.socket.close_code == 4429


async def test_who_may_open_a_socket(serve: Serve) -> None:
    site = serve(GOLF_SOCKETS_PER_PLAYER="3")
    async with Visitor(site.url) as anna, Visitor(site.url) as boris, Visitor(site.url) as nobody:
        path = await start_game(anna)
        await boris.become_guest("Boris")
        assert await (await nobody.connect(path)).closed_with() == 4401
        assert await (await boris.connect(path)).closed_with() == 4403
        assert await (await anna.connect("/ws/games/aaaaaaaaaaaa/")).closed_with() == 4404
        assert await (await anna.connect("/ws/nothing/")).closed_with() == 4404
        for origin in (
            None,
            "http://evil.example",
            "http://127.0.0.1:9",
            "https" + site.url[4:],
            "null",
        ):
            assert await (await anna.connect(path, origin=origin)).closed_with() == 4403
        lines = [await anna.connect(path) for _ in range(3)]
        for line in lines:
            assert (await line.hear())["type"] == "opening"
        assert await (await anna.connect(path)).closed_with() == 4429
        await lines[0].hang_up()
        await asyncio.sleep(0.3)
        assert (await (await anna.connect(path)).hear())["type"] == "opening"


async def test_logging_out_closes_the_sockets_of_that_session(serve: Serve) -> None:
    site = serve()
    async with Visitor(site.url) as anna, Visitor(site.url) as boris:
        line = await anna.connect(await start_game(anna))
        other = await boris.connect(await start_game(boris, "Boris"))
        await line.hear()
        await other.hear()
        await anna.post("/log-out/")
        assert await line.closed_with() == 4401
        assert (await other.ask(type="ping", at=1))["type"] == "pong"


async def test_a_new_password_closes_the_sockets_that_knew_the_old_one(serve: Serve) -> None:
    site = serve()
    old, new = "a good long phrase", "another good long phrase"
    async with Visitor(site.url) as anna, Visitor(site.url) as elsewhere:
        await anna.post("/sign-up/", on="/sign-up/", username="anna", name="Anna", password=old)
        await elsewhere.post("/log-in/", on="/log-in/", username="anna", password=old)
        path = f"/ws/games/{await anna.practise(CODE)}/"
        lines = [await anna.connect(path), await elsewhere.connect(path)]
        for line in lines:
            await line.hear()
        fields = {"old_password": old, "new_password1": new, "new_password2": new}
        await anna.post("/password/", on="/password/", **fields)
        assert [await line.closed_with() for line in lines] == [4401, 4401]
        assert (await (await anna.connect(path)).hear())["type"] == "opening"
        assert await (await elsewhere.connect(path)).closed_with() == 4401


async def test_a_game_that_is_deleted_meanwhile_is_not_there(serve: Serve) -> None:
    """Its socket is closed when its player goes; but that notice may be lost."""
    site = serve()
    async with Visitor(site.url) as anna:
        line = await anna.connect(await start_game(anna))
        await line.hear()
        with closing(sqlite3.connect(site.data / SQLITE_FILE)) as file, file:
            file.execute("DELETE FROM games_game")
        # Nobody knows of it yet: the database refuses the move, and then it is looked for.
        assert await line.act(0, "d") == {"type": "error", "code": "unavailable"}
        await line.say(type="act", turn=0, action="d")
        assert await line.closed_with() == 4404


async def test_moves_sent_ahead_are_answered_in_order(serve: Serve) -> None:
    async with Visitor(serve().url) as anna:
        line = await anna.connect(await start_game(anna))
        await line.hear()
        for turn, action in enumerate("d5271d"):
            await line.say(type="act", turn=turn, action=action)
        answers = [await line.hear() for _ in range(6)]
        assert [(a["turn"], a["type"], a.get("code")) for a in answers] == [
            (0, "done", None),
            (1, "done", None),
            (2, "done", None),
            (3, "refused", "not_adjacent"),
            (4, "refused", "stale_turn"),
            (5, "refused", "stale_turn"),
        ]


async def test_an_idle_socket_stays(serve: Serve) -> None:
    async with Visitor(serve(redis=True).url) as anna:
        line = await anna.connect(await start_game(anna))
        await line.hear()
        with pytest.raises((asyncio.TimeoutError, TimeoutError)):
            await line.hear(seconds=21)


def test_no_card_of_the_stock_is_ever_sent_before_it_is_drawn(serve: Serve) -> None:
    async def frames() -> str:
        async with Visitor(serve().url) as anna:
            line = await anna.connect(await start_game(anna))
            heard = [await line.hear()]
            for turn, action in enumerate("d5h52"):
                heard.append(await line.act(turn, action))
            return json.dumps(heard)

    text = asyncio.run(frames())
    for card in [
        "QC",
        "9H",
        "5H",
        "QD",
        "9D",
        "KS",
        "TD",
        "2H",
        "AD",
        "4D",
        "6S",
        "JC",
        "JD",
        "6D",
        "KH",
    ]:
        assert card not in text
