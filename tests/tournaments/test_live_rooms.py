"""Rooms that sockets show, inside one process; what they tell is tested with the real server."""

from collections.abc import Iterator

import pytest
from channels.layers import channel_layers

from games.live import Hub
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
