"""Rooms that sockets show, inside one process; what they tell is tested with the real server."""

import asyncio
from collections.abc import Iterator

import pytest
from channels.layers import channel_layers

from games.live import Hub
from tests.games.test_live import listens
from tournaments.live_rooms import LiveRooms


@pytest.fixture(autouse=True)
def layer() -> Iterator[None]:
    """A channel layer of its own."""
    channel_layers.backends.clear()
    yield
    channel_layers.backends.clear()


async def test_a_room_is_let_go_though_the_hub_was_shut_down_before() -> None:
    hub, rooms = Hub.here(), LiveRooms.here()
    room = await rooms.open(room_id=1, code="ABCDE")
    assert await rooms.open(room_id=1, code="ABCDE") is room
    await hub.shut_down()
    assert list(hub._rooms) == [room.name]
    for _ in range(2):
        await room.rooms.let_go(room)
    assert (rooms._rooms, hub._rooms) == ({}, {})
    # Nobody has begun to listen anew in a process that ends.
    assert Hub.loops() == []


async def test_nothing_is_kept_of_a_room_whose_opening_was_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub, rooms = Hub.here(), LiveRooms.here()
    await listens(hub)

    async def interrupt() -> None:
        has_begun = asyncio.Event()

        async def hang(*_: object, **__: object) -> None:
            has_begun.set()
            await asyncio.sleep(60)

        with monkeypatch.context() as patch:
            patch.setattr(hub._layer, "group_add", hang)
            patch.setattr(hub, "_subscribed", {"processes"})
            opening = asyncio.create_task(rooms.open(room_id=1, code="ABCDE"))
            await has_begun.wait()
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening

    try:
        await interrupt()
        assert (rooms._rooms, hub._rooms) == ({}, {})
        room = await rooms.open(room_id=1, code="ABCDE")
        await interrupt()  # others hold it
        assert (rooms._rooms, room.held_by) == ({1: room}, 1)
    finally:
        await hub.shut_down()
