"""Frames that no client sends: whatever they hold, the socket stays open and nothing breaks."""

import asyncio
import json
import os
import re
import struct
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.harness.fixtures import Serve
from tests.harness.site import Site, fetch
from tests.harness.visitor import Line, Visitor
from tests.live.rooms import make_room
from tests.live.tournament import make_tournament

#: Nothing is throttled, so that every frame is looked at.
OPEN_DOORS = {"GOLF_SOCKET_RATE": "1000000", "GOLF_SOCKET_BURST": "1000000"}
FRAMES, AT_LEAST_PARSED = 50_000, 45_000
#: Frames that are sent before their answers are read.
BATCH = 25
CODE = "GO1-E-AAAAAAB"
#: Pings of our own; no generated number is as high.
FIRST_MARK = 2**52

# --- what is sent ---------------------------------------------------------------------------------

_TYPES = ["act", "state", "ping", "ready", "start", "emote", "opening", "done", "notice", "", "ACT"]
_numbers = st.one_of(
    st.integers(-1, 20),
    st.sampled_from([2**31 - 1, 2**31, 2**53 - 1, -(2**63), 2**64, 10**400]),
    st.floats(width=32),
)
_words = st.one_of(
    st.sampled_from(
        [*"123456789dduhgc0", "wow", "act", "code", "salt", "\0", "\ud800", "\U0001f0a1"]
    ),
    st.text(max_size=8),
)
_plain = st.one_of(_numbers, _words, st.booleans(), st.none())
_values = st.recursive(
    _plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3),
    max_leaves=6,
)
_acts = st.builds(
    lambda turn, action, row: {"type": "act", "turn": turn, "action": action} | row,
    st.integers(0, 12),
    st.sampled_from("1234567ddduh"),
    st.just({}) | st.builds(lambda row: {"row": row}, st.integers(0, 6)),
)
_others = st.sampled_from(
    [
        {"type": "state"}, {"type": "ping", "at": 1.5}, {"type": "ready", "ready": True},
        {"type": "start"}, {"type": "emote", "emote": "wow"}, {"type": "act"}, {},
    ]
)  # fmt: skip
_fields = st.sampled_from(
    ["type", "turn", "action", "row", "at", "ready", "emote", "__class__", ""]
)
_odd_fields = st.dictionaries(_fields, _values, max_size=4)
#: A message of the protocol, of which some fields are something else.
_odd = st.builds(lambda message, odd: {**message, **odd}, _acts | _others, _odd_fields)
_typed = st.builds(lambda kind, odd: {**odd, "type": kind}, st.sampled_from(_TYPES), _odd_fields)


def _cut(text: str, at: int, inserted: str) -> str:
    """Cut a piece out of a text, or put one in, or end it there."""
    at %= len(text) + 1
    return text[:at] + (inserted + text[at + len(inserted) // 2 :] if inserted else "")


_json = st.builds(json.dumps, _acts | _odd | _typed | _values)
_raw = st.builds(lambda value: json.dumps(value, ensure_ascii=False), _odd | _typed)
_broken = st.builds(_cut, _json | _raw, st.integers(0, 200), st.text(max_size=6))
_twice = st.builds(lambda one, two: f"{one[:-1]}, {two[1:]}", st.builds(json.dumps, _acts), _json)
_deep = st.builds(
    lambda opened, depth, closed: opened * depth + closed * depth,
    st.sampled_from(["[", '{"type":', '{"type":"act","turn":', '[{"a":']),
    st.integers(1, 1500),
    st.sampled_from(["", "]", "}", "1}"]),
)
#: About the limit of 4,096 bytes, in letters of one to four bytes, and far above it.
_large = st.builds(
    lambda letter, size: json.dumps({"type": "state", "x": letter * size}, ensure_ascii=False),
    st.sampled_from(["x", "я", "€", "\U0001f0a1", "\\"]),
    st.one_of(st.integers(990, 1030), st.integers(4040, 4110), st.sampled_from([9_000, 70_000])),
)
_long_number = st.builds(
    lambda digits, name: f'{{"type":"act","{name}":{"9" * digits}e{digits},"action":"d"}}',
    st.integers(1, 1900),
    st.sampled_from(["turn", "row", "at"]),
)
_texts = st.one_of(
    _json, _json, _raw, _broken, _broken, _twice, _deep, _large, _long_number, st.text(max_size=60)
).map(lambda text: text.encode("utf-8", "replace").decode())
_frames = st.one_of(*[_texts] * 15, st.binary(max_size=200))


# --- where it is sent -----------------------------------------------------------------------------


class Attack:
    """Somebody with an open socket of each kind, who counts what is sent and answered."""

    def __init__(self, site: Site, stack: AsyncExitStack) -> None:
        self.site, self._stack = site, stack
        self.sent: Counter[str] = Counter()
        self.heard: Counter[str] = Counter()
        self.lines: dict[str, Line] = {}
        self._batches = 0

    async def begin(self) -> None:
        """Open the sockets: of a game, of a tournament, of a room in which one hosts, watching."""
        slug = await asyncio.to_thread(make_tournament, self.site)
        room = await asyncio.to_thread(make_room, self.site, seats=2)
        self.visitor = await self._stack.enter_async_context(Visitor(self.site.url))
        host = await self._stack.enter_async_context(Visitor(self.site.url))
        await self.visitor.become_guest("Mallory")
        room.seats[0].sits_at(host)
        await self._open_a_game()
        self.lines["tournament"] = await self.visitor.connect(f"/ws/tournaments/{slug}/")
        self.lines["room"] = await host.connect(room.path)
        self.lines["outside"] = await self.visitor.connect(room.path)

    async def _open_a_game(self) -> None:
        if "game" in self.lines:
            await self.lines["game"].hang_up()
        self.lines["game"] = await self.visitor.connect(
            f"/ws/games/{await self.visitor.practise(CODE)}/"
        )

    async def send(self, frames: list[str | bytes]) -> None:
        """Send a batch over one of the sockets, and read on until our own ping comes back."""
        self._batches += 1
        kinds = ("game", "game", *self.lines)
        kind = kinds[self._batches % len(kinds)]
        line = self.lines[kind]
        for frame in frames:
            if isinstance(frame, bytes):
                await line.socket.send_bytes(frame)
            else:
                await line.socket.send_str(frame)
            self.sent["binary" if isinstance(frame, bytes) else "text"] += 1
        mark = FIRST_MARK + self._batches
        await line.say(type="ping", at=mark)
        position: dict[str, Any] = {}
        while (message := await line.hear()) != {**message, "type": "pong", "at": mark}:
            code = message.get("code") or ""
            self.heard[f"{kind} {message['type']} {code}".strip()] += 1
            position = message.get("position") or position
        if position.get("final"):
            await self._open_a_game()

    def errors(self, code: str) -> int:
        """Return how many frames were answered with this code, on any socket."""
        return sum(self.heard[f"{kind} error {code}"] for kind in self.lines)


def test_fifty_thousand_frames_close_no_socket(serve: Serve) -> None:
    site = serve(**OPEN_DOORS)
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        attack = Attack(site, stack)
        runner.run(attack.begin())
        opened = dict(attack.lines)

        @settings(
            max_examples=FRAMES // BATCH,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(st.lists(_frames, min_size=BATCH, max_size=BATCH))
        def attacked(frames: list[str | bytes]) -> None:
            runner.run(attack.send(frames))

        try:
            while attack.sent.total() < FRAMES:  # some of what is drawn is thrown away
                attacked()
            sent, heard = attack.sent, attack.heard
            print(sent, heard)
            # Each frame was answered in its turn. All texts came to the parser, and no others.
            assert attack.errors("binary") == sent["binary"]
            # Emotes have a limit of their own, behind the parser.
            assert attack.errors("throttled") == heard["room error throttled"]
            assert sent["text"] >= AT_LEAST_PARSED
            assert {
                f"game error {code}" for code in ("bad_message", "unknown_type", "too_large")
            } < (heard.keys())
            # And beyond it, to what a person could have sent.
            assert heard["game done"] > 100
            assert heard["room room"] > 100
            assert heard["outside error no_seat"] > 10
            for kind in ("tournament", "room", "outside"):
                assert attack.lines[kind] is opened[kind]
                assert not attack.lines[kind].socket.closed
            ended = runner.run(still_play(attack))
            assert ended == "won"
        finally:
            runner.run(stack.aclose())
    assert_nothing_broke(site)


async def still_play(attack: Attack) -> str:
    """Play a game to its end, on the site as it is after all that; return how it ended."""
    from tests.games.factories import PUBLISHED_LINE

    game = await attack.visitor.practise(CODE)
    line = await attack.visitor.connect(f"/ws/games/{game}/")
    await line.hear()
    for turn, action in enumerate(PUBLISHED_LINE):
        answer = await line.act(turn, action)
    return str(answer["position"]["state"])


def assert_nothing_broke(site: Site) -> None:
    """No answer of the site was a failure, and no error is in its log."""
    _, figures = fetch(f"{site.url}/metrics")
    assert re.findall(r'.*status="5xx".*', figures) == []
    log = site.log()
    assert [line for line in log.splitlines() if "Traceback" in line or " ERROR " in line] == []


# --- below the protocol ---------------------------------------------------------------------------


def frame(
    opcode: int,
    payload: bytes,
    *,
    final: bool = True,
    masked: bool = True,
    length: int | None = None,
) -> bytes:
    """Return a frame of RFC 6455 as it stands on the wire; `length` is what it claims."""
    claimed = len(payload) if length is None else length
    mask = os.urandom(4) if masked else b""
    head = bytes([(0x80 if final else 0) | opcode])
    bit = 0x80 if masked else 0
    if claimed < 126:
        head += bytes([bit | claimed])
    elif claimed < 65_536:
        head += bytes([bit | 126]) + struct.pack(">H", claimed)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", claimed)
    if masked:
        payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
    return head + mask + payload


_TEXT, _MORE, _PING = 1, 0, 9
#: What breaks the rules of websockets.
VIOLATIONS = {
    "a text that is no UTF-8": frame(_TEXT, b'{"type":"\xff\xfe"}'),
    "half a surrogate pair": frame(_TEXT, b"\xed\xa0\x80"),
    "a letter that ends early": frame(_TEXT, "я".encode()[:1]),
    "no mask": frame(_TEXT, b'{"type":"state"}', masked=False),
    "an unknown kind of frame": frame(3, b"x"),
    "a reserved bit": bytes([0xC1]) + frame(_TEXT, b"x")[1:],
    "a continuation of nothing": frame(_MORE, b"x"),
    "a ping of many bytes": frame(_PING, b"x" * 126),
    "a claim of 2 GiB": frame(_TEXT, b"x", length=2**31),
    "a message without an end": frame(_TEXT, b"x" * 60_000, final=False)
    + b"".join(frame(_MORE, b"x" * 60_000, final=False) for _ in range(30)),
}


async def raw_socket(site: Site, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a websocket by hand."""
    host, port = site.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [
        f"GET {path} HTTP/1.1", f"Host: {host}:{port}", f"Origin: {site.url}", "Upgrade: websocket",
        "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
    ]  # fmt: skip
    writer.write("\r\n".join(lines).encode())
    assert b" 101 " in await reader.readline()
    while await reader.readline() != b"\r\n":
        pass
    return reader, writer


async def is_dropped(reader: asyncio.StreamReader) -> bool:
    """Whether the server ends the connection, with or without a word."""
    try:
        async with asyncio.timeout(10):
            while await reader.read(65_536):
                pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


async def test_whoever_breaks_the_rules_of_websockets_loses_his_own_socket_only(
    serve: Serve,
) -> None:
    site = serve()
    slug = make_tournament(site)
    path = f"/ws/tournaments/{slug}/"
    async with Visitor(site.url) as onlooker:
        line = await onlooker.connect(path)
        assert (await line.hear())["type"] == "notice"
        for what, data in VIOLATIONS.items():
            reader, writer = await raw_socket(site, path)
            writer.write(data)
            assert await is_dropped(reader), what
            writer.close()
        reader, writer = await raw_socket(site, path)
        writer.write(frame(_TEXT, b'{"type":"state"}'))
        assert b"notice" in await reader.read(1000)
        writer.close()
        assert (await line.ask(type="ping", at=1))["type"] == "pong"
    assert_nothing_broke(site)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_addresses_and_cookies_of_sockets_that_nobody_has_been_given(
    serve: Serve, database: str
) -> None:
    site = serve(database=database)
    odd = [
        "%00",
        "a%00b",
        "%ff",
        "%F0%9F%82%A1",
        "..%2f..",
        "x" * 3000,
        "'%22%3B--",
        "%E2%80%AE",
        "1e9",
    ]
    async with Visitor(site.url) as visitor:
        await visitor.become_guest("Mallory")
        for kind in ("games", "rooms", "watch", "tournaments"):
            for each in odd:
                socket = await visitor.connect(f"/ws/{kind}/{each}/")
                assert await socket.closed_with() == 4404, (kind, each)
        for cookie in ("%00", "x" * 3000, '"', "'; --", "a; sessionid=b", "é"):
            headers = {"Origin": site.url, "Cookie": f"sessionid={cookie}"}
            async with Visitor(site.url) as nobody:
                socket = Line(
                    await nobody.http.ws_connect(f"{site.url}/ws/games/abc/", headers=headers)
                )
                assert await socket.closed_with() == 4401, cookie
    assert_nothing_broke(site)
