"""Rooms and notices inside one process; between processes they are tested with the real server."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator

import pytest
from channels.layers import channel_layers, get_channel_layer

from games import live
from games.live import EVERY_PROCESS, Hub
from games.protocol import Notice, Progress


class FakeSocket:
    """A socket that keeps what it is sent."""

    def __init__(self, player_id: int | None = None, session_key: str | None = None) -> None:
        self.player_id = player_id
        self.session_key = session_key
        self.unheard = 0
        self.frames: list[str] = []
        self.deadlines: list[int] = []
        self.closed_with: int | None = None

    async def send_text(self, text: str) -> None:
        self.frames.append(text)

    async def tell_deadline(self, game_id: int) -> None:
        self.deadlines.append(game_id)

    async def close_with(self, code: int) -> None:
        self.closed_with = code

    @property
    def versions(self) -> list[int]:
        return [json.loads(frame)["version"] for frame in self.frames]


@pytest.fixture(autouse=True)
def quick_notices(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A tenth of the real interval, and a channel layer of its own."""
    monkeypatch.setattr(live, "NOTICE_INTERVAL", 0.1)
    monkeypatch.setattr(live, "RETRY_INTERVAL", 0.05)
    monkeypatch.setattr(live._Silence, "until", 0.0)
    channel_layers.backends.clear()
    yield
    channel_layers.backends.clear()


async def until(holds: Callable[[], object]) -> None:
    """Wait for something that comes soon, on a busy computer later."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - nothing tells of what is waited for
            await asyncio.sleep(0.002)


async def listens(hub: Hub) -> None:
    """Wait until the hub has begun to listen."""
    await until(lambda: EVERY_PROCESS in hub._subscribed)


def with_hub(script: Callable[[Hub], Awaitable[None]]) -> None:
    async def run() -> None:
        hub = Hub.here()
        await listens(hub)
        try:
            await script(hub)
        finally:
            await hub.shut_down()
            await asyncio.sleep(0)

    asyncio.run(run())


def test_everybody_in_the_room_hears_and_nobody_else() -> None:
    async def script(hub: Hub) -> None:
        inside, elsewhere = [FakeSocket() for _ in range(300)], FakeSocket()
        for socket in inside:
            await hub.join("tournament:spring", socket)
        await hub.join("tournament:autumn", elsewhere)
        live.publish("tournament:spring", 1)
        await until(lambda: all(socket.frames for socket in inside))
        assert [socket.versions for socket in inside] == [[1]] * 300
        assert json.loads(inside[0].frames[0]) == {
            "type": "notice",
            "room": "tournament:spring",
            "version": 1,
        }
        assert elsewhere.frames == []

    with_hub(script)


def test_a_burst_becomes_two_notices_and_ends_with_the_newest() -> None:
    async def script(hub: Hub) -> None:
        socket = FakeSocket()
        await hub.join("tournament:spring", socket)
        started = time.monotonic()
        for version in range(1, 51):
            live.publish("tournament:spring", version)
        await until(lambda: len(socket.frames) >= 2)
        assert time.monotonic() - started >= 0.9 * live.NOTICE_INTERVAL
        await asyncio.sleep(0.2)
        assert (len(socket.versions), socket.versions[-1]) == (2, 50)

    with_hub(script)


def test_an_older_version_is_no_news() -> None:
    async def script(hub: Hub) -> None:
        socket = FakeSocket()
        await hub.join("tournament:spring", socket)
        for version in (5, 4, 5):
            live.publish("tournament:spring", version)
        await until(lambda: socket.frames)
        await asyncio.sleep(0.25)
        assert socket.versions == [5]

    with_hub(script)


def test_whoever_left_hears_nothing_and_an_empty_room_is_let_go() -> None:
    async def script(hub: Hub) -> None:
        socket, other = FakeSocket(), FakeSocket()
        await hub.join("tournament:spring", socket)
        await hub.join("tournament:spring", other)
        await hub.leave("tournament:spring", socket)
        live.publish("tournament:spring", 1)
        await until(lambda: other.frames)
        assert (socket.versions, other.versions) == ([], [1])
        await hub.leave("tournament:spring", other)
        assert (hub._rooms, hub._subscribed) == ({}, {"processes"})
        assert "room.tournament.spring" not in hub._layer.groups

    with_hub(script)


def test_a_socket_that_stopped_reading_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "UNHEARD_LIMIT", 2)
    monkeypatch.setattr(live, "NOTICE_INTERVAL", 0.01)

    async def script(hub: Hub) -> None:
        silent, alive = FakeSocket(), FakeSocket()
        for socket in (silent, alive):
            await hub.join("tournament:spring", socket)
        for version in range(1, 5):
            live.publish("tournament:spring", version)
            await until(lambda: len(alive.frames) == version)  # noqa: B023 - waited for at once
            alive.unheard = 0
        assert (silent.versions, silent.closed_with) == ([1, 2], 4408)
        assert (alive.versions, alive.closed_with) == ([1, 2, 3, 4], None)

    with_hub(script)


def test_a_socket_that_breaks_does_not_stop_the_others() -> None:
    class Broken(FakeSocket):
        async def send_text(self, text: str) -> None:
            raise ConnectionResetError

    async def script(hub: Hub) -> None:
        sockets = [FakeSocket(), Broken(), FakeSocket()]
        for socket in sockets:
            await hub.join("tournament:spring", socket)
        live.publish("tournament:spring", 1)
        await until(lambda: sockets[0].frames and sockets[2].frames)
        assert [socket.versions for socket in sockets] == [[1], [], [1]]

    with_hub(script)


def test_a_session_that_ends_takes_its_sockets_along() -> None:
    async def script(hub: Hub) -> None:
        phone, laptop = FakeSocket(7, "phone"), FakeSocket(7, "laptop")
        other, visitor = FakeSocket(8, "phone"), FakeSocket()
        for socket in (phone, laptop, other, visitor):
            hub.add(socket)
        assert (hub.count_of(7), hub.count_of(8), hub.count_of(9)) == (2, 1, 0)
        live.close_sockets(player_id=7, session_key="phone")
        await until(lambda: phone.closed_with)
        assert [s.closed_with for s in (phone, laptop, other, visitor)] == [4401, None, None, None]
        live.close_sockets(player_id=7)
        await until(lambda: laptop.closed_with)
        assert [s.closed_with for s in (phone, laptop, other)] == [4401, 4401, None]
        hub.remove(phone)
        hub.remove(laptop)
        assert hub.count_of(7) == 0

    with_hub(script)


def test_shutting_down_sends_everybody_away_to_come_back() -> None:
    async def script(hub: Hub) -> None:
        player, visitor = FakeSocket(7), FakeSocket()
        hub.add(player)
        hub.add(visitor)
        await hub.shut_down()
        assert (player.closed_with, visitor.closed_with) == (4503, 4503)

    with_hub(script)


def test_a_layer_that_is_away_does_no_harm_and_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def script(hub: Hub) -> None:
        add, send = hub._layer.group_add, hub._layer.group_send
        socket = FakeSocket()
        lost: list[object] = []

        async def away(*_: object) -> None:
            raise ConnectionError("the layer is away")

        async def lose(_: str, message: object) -> None:
            lost.append(message)
            await away()

        with monkeypatch.context() as patch:
            patch.setattr(hub._layer, "group_add", away)
            patch.setattr(hub._layer, "group_send", lose)
            await hub.join("tournament:spring", socket)
            live.publish("tournament:spring", 1)
            await until(lambda: lost)
            assert socket.versions == []
        assert (hub._layer.group_add, hub._layer.group_send) == (add, send)
        await until(lambda: "room.tournament.spring" in hub._subscribed)
        live.publish("tournament:spring", 2)
        await until(lambda: socket.frames)
        assert socket.versions == [2]

    with_hub(script)


def test_a_room_that_could_not_be_let_go_is_heard_when_somebody_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def script(hub: Hub) -> None:
        discard = hub._layer.group_discard
        before, after = FakeSocket(), FakeSocket()
        await hub.join("tournament:spring", before)

        async def fail(group: str, channel: str) -> None:
            await discard(group, channel)  # as the layer of Redis does, before it asks Redis
            raise ConnectionError("the layer is away")

        with monkeypatch.context() as patch:
            patch.setattr(hub._layer, "group_discard", fail)
            await hub.leave("tournament:spring", before)
        await hub.join("tournament:spring", after)
        live.publish("tournament:spring", 1)
        await until(lambda: after.frames)
        assert (before.versions, after.versions) == ([], [1])

    with_hub(script)


def test_a_site_that_runs_for_days_still_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(hub: Hub) -> None:
        socket, player = FakeSocket(), FakeSocket(7)
        hub.add(player)
        await hub.join("tournament:spring", socket)
        now = time.time
        monkeypatch.setattr(time, "time", lambda: now() + 3 * 24 * 60 * 60)
        live.publish("tournament:spring", 1)
        live.close_sockets(player_id=7)
        await until(lambda: socket.frames and player.closed_with)
        assert (socket.versions, player.closed_with) == ([1], 4401)

    with_hub(script)


def test_a_layer_that_hangs_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "LAYER_TIMEOUT", 0.05)

    async def script(hub: Hub) -> None:
        async def hang(*_: object) -> None:
            await asyncio.sleep(60)

        with monkeypatch.context() as patch:
            patch.setattr(hub._layer, "group_add", hang)
            patch.setattr(hub._layer, "group_send", hang)
            started = time.monotonic()
            await hub.join("tournament:spring", FakeSocket())
            await asyncio.to_thread(live.publish, "tournament:spring", 1)
            assert time.monotonic() - started < 5

    with_hub(script)


def test_those_who_come_together_wait_together_for_a_layer_that_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "LAYER_TIMEOUT", 0.3)
    monkeypatch.setattr(live, "RETRY_INTERVAL", 1.0)
    tries: list[str] = []

    async def script(hub: Hub) -> None:
        async def hang(group: str, _: str) -> None:
            tries.append(group)
            await asyncio.sleep(60)

        monkeypatch.setattr(hub._layer, "group_add", hang)
        started = time.monotonic()
        await asyncio.gather(*(hub.join("tournament:spring", FakeSocket()) for _ in range(8)))
        assert time.monotonic() - started < 1.5
        tries.clear()
        await asyncio.sleep(1.15)
        assert len(tries) == 1

    with_hub(script)


def test_what_cannot_be_heard_does_not_end_the_listening() -> None:
    async def script(hub: Hub) -> None:
        socket = FakeSocket()
        await hub.join("tournament:spring", socket)
        await hub._layer.group_send("room.tournament.spring", {"type": "room.notice"})
        await asyncio.sleep(0.1)
        live.publish("tournament:spring", 1)
        await until(lambda: socket.frames)
        assert socket.versions == [1]

    with_hub(script)


def test_an_unknown_event_of_a_newer_version_is_ignored() -> None:
    async def script(hub: Hub) -> None:
        socket = FakeSocket()
        await hub.join("tournament:spring", socket)
        await hub._layer.group_send("room.tournament.spring", {"type": "room.later", "x": 1})
        live.publish("tournament:spring", 3)
        await until(lambda: socket.frames)
        assert socket.versions == [3]

    with_hub(script)


def test_a_moved_deadline_is_told_to_the_players_sockets_alone() -> None:
    async def script(hub: Hub) -> None:
        mine, too, others = FakeSocket(1), FakeSocket(1), FakeSocket(2)
        for socket in (mine, too, others):
            hub.add(socket)
        await asyncio.to_thread(live.tell_deadline, player_id=1, game_id=7)
        await until(lambda: mine.deadlines and too.deadlines)
        assert (mine.deadlines, too.deadlines, others.deadlines) == ([7], [7], [])

    with_hub(script)


def test_publishing_without_any_socket_is_harmless() -> None:
    live.publish("tournament:spring", 1)
    live.close_sockets(player_id=1)


def test_a_process_without_sockets_waits_once_for_a_layer_that_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "LAYER_TIMEOUT", 0.05)
    monkeypatch.setattr(live, "RETRY_INTERVAL", 60)
    tries: list[str] = []
    layer = get_channel_layer()

    async def hang(group: str, _: object) -> None:
        tries.append(group)
        await asyncio.sleep(60)

    async def send(group: str, _: object) -> None:
        tries.append(group)

    monkeypatch.setattr(layer, "group_send", hang)
    for version in range(1, 51):
        live.publish("tournament:spring", version)
    assert len(tries) == 1
    monkeypatch.setattr(layer, "group_send", send)
    monkeypatch.setattr(live._Silence, "until", time.monotonic())
    for version in range(51, 53):
        live.publish("tournament:spring", version)
    assert len(tries) == 3


def test_progress_is_handed_on_at_once_and_then_together() -> None:
    async def script(hub: Hub) -> None:
        inside, elsewhere = FakeSocket(), FakeSocket()
        await hub.join("room:ABCDE", inside)
        await hub.join("room:FGHJK", elsewhere)
        started = time.monotonic()
        # In one go: however busy the computer is, no fifth of a second passes between them.
        hub.report("room:ABCDE", "7", [34, 15])
        for left in (33, 32, 31):
            hub.report("room:ABCDE", "7", [left, 15])
            hub.report("room:ABCDE", "8", [left, 14])
        await until(lambda: len(inside.frames) >= 2)
        assert time.monotonic() - started >= 0.9 * live.PROGRESS_INTERVAL
        await asyncio.sleep(0.3)
        assert [json.loads(frame) for frame in inside.frames] == [
            {"type": "progress", "room": "room:ABCDE", "rows": {"7": [34, 15]}},
            {"type": "progress", "room": "room:ABCDE", "rows": {"7": [31, 15], "8": [31, 14]}},
        ]
        assert elsewhere.frames == []

    with_hub(script)


def test_a_room_words_its_progress_once_for_all() -> None:
    calls: list[dict[str, list[int]]] = []

    def tell(rows: dict[str, list[int]]) -> Progress:
        calls.append(rows)
        return Progress(room="room:ABCDE", rows={"1": [len(rows)]})

    async def script(hub: Hub) -> None:
        sockets = [FakeSocket() for _ in range(3)]
        for socket in sockets:
            await hub.join("room:ABCDE", socket, tell=tell)
        hub.report("room:ABCDE", "7", [34])
        await until(lambda: all(socket.frames for socket in sockets))
        assert calls == [{"7": [34]}]
        assert len({socket.frames[0] for socket in sockets}) == 1
        assert json.loads(sockets[0].frames[0])["rows"] == {"1": [1]}

    with_hub(script)


def test_reports_of_rooms_that_are_over_are_let_go() -> None:
    async def script(hub: Hub) -> None:
        hub.report("room:ABCDE", "7", [34])
        await asyncio.sleep(live.PROGRESS_INTERVAL * 2.5)
        hub.report("room:FGHJK", "7", [34])
        assert list(hub._reports) == ["room:FGHJK"]

    with_hub(script)


# --- rooms of races ----------------------------------------------------------------------------


def test_a_room_may_be_read_anew_instead_of_being_told_a_number() -> None:
    async def script(hub: Hub) -> None:
        socket, refreshed = FakeSocket(), []

        async def refresh() -> None:
            refreshed.append(time.monotonic())

        await hub.join("room:ABCDE", socket, refresh=refresh)
        started = time.monotonic()
        for version in range(1, 30):
            live.publish("room:ABCDE", version)
        await until(lambda: len(refreshed) >= 2)
        await asyncio.sleep(0.5)
        assert (len(refreshed), socket.frames) == (2, [])
        assert refreshed[1] - started >= 0.9 * live.PROGRESS_INTERVAL

    with_hub(script)


def test_what_is_relayed_reaches_the_room_and_of_very_much_some_is_lost() -> None:
    async def script(hub: Hub) -> None:
        inside, elsewhere = FakeSocket(), FakeSocket()
        started = time.monotonic()
        await hub.join("room:ABCDE", inside)
        await hub.join("room:OTHER", elsewhere)
        for version in range(50):
            hub.relay("room:ABCDE", Notice(room="room:ABCDE", version=version))
        await until(lambda: len(inside.frames) >= live.RELAY_BURST)
        await asyncio.sleep(0.1)
        passed = time.monotonic() - started
        assert len(inside.frames) <= live.RELAY_BURST + live.RELAY_RATE * passed
        assert elsewhere.frames == []

    with_hub(script)
