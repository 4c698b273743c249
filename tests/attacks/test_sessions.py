"""Whose session has ended, or who comes from elsewhere, plays no further."""

import asyncio
import json
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import WSServerHandshakeError
from asgiref.sync import sync_to_async
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from games import consumers, throttle
from games import services as games_services
from games.engine import EASY
from games.models import Move, Player
from golfsite.routing import websocket_urlpatterns
from golfsite.sockets import PlayerMiddleware
from tests.harness.fixtures import Serve
from tests.harness.visitor import Line, Visitor
from tests.live.rooms import Seated, make_room
from tests.live.tournament import make_tournament
from tests.tournaments.factories import new_account
from tests.tournaments.world import World

from .addresses import addresses
from .ground import browser
from .hidden import superuser

FOREIGN = (
    None, "null", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:9",
    "https://127.0.0.1", "http://127.0.0.1.evil.example",
)  # fmt: skip
#: What is no origin at all; some of it the server refuses by itself.
MALFORMED = ("", "file://", "http://[", "//")


async def refused(visitor: Visitor, path: str, origin: str | None) -> int | None:
    """Open a socket from a page of elsewhere; return how it was closed, or the status."""
    headers = {} if origin is None else {"Origin": origin}
    try:
        async with visitor.http.ws_connect(visitor.url + path, headers=headers) as socket:
            return await Line(socket).closed_with()
    except WSServerHandshakeError as error:
        return error.status


async def test_no_kind_of_socket_opens_to_a_foreign_page(serve: Serve) -> None:
    site = serve()
    slug = await asyncio.to_thread(make_tournament, site)
    room = await asyncio.to_thread(make_room, site, seats=2)
    async with Visitor(site.url) as anna:
        room.seats[0].sits_at(anna)
        game = await anna.practise("GO1-E-AAAAAAB")
        kinds = {"games": game, "tournaments": slug, "rooms": room.code, "watch": game}
        routes = [str(each.pattern).split("/") for each in websocket_urlpatterns]
        assert {route[1] for route in routes if route[0] == "ws"} == kinds.keys()
        for kind, name in kinds.items():
            path = f"/ws/{kind}/{name}/"
            for origin in FOREIGN:
                assert await refused(anna, path, origin) == 4403, (kind, origin)
            for origin in MALFORMED:
                assert await refused(anna, path, origin) in {400, 4403}, (kind, origin)
        line = await anna.connect(f"/ws/games/{game}/")
        assert (await line.hear())["type"] == "opening"


async def test_who_is_shut_out_meanwhile_plays_no_further(serve: Serve) -> None:
    """By the admin, while a hole is being played: sockets, pages and a new log-in are closed."""
    site = serve()
    slug = await asyncio.to_thread(make_tournament, site)
    cookie = await asyncio.to_thread(superuser, site)
    password = "seven-columns-of-5"
    async with Visitor(site.url) as anna, Visitor(site.url) as other, Visitor(site.url) as root:
        Seated(0, "Root", cookie).sits_at(root)
        await anna.fill("/sign-up/", username="anna", name="Anna", password=password)
        page = f"/tournaments/{slug}/"
        await anna.post(f"{page}enter/", on=page)
        await anna.post(f"{page}holes/1/", on=page)
        found = await asyncio.to_thread(
            site.manage, "shell", "-v0", "-c",
            "from games.models import Game; g = Game.objects.get();"
            "print(g.public_id, g.player_id)",
        )  # fmt: skip
        game, player = found.stdout.split()
        line = await anna.connect(f"/ws/games/{game}/")
        await line.hear()
        assert (await line.act(0, "d"))["type"] == "done"
        path = "/admin/games/player/"
        await root.post(path, on=path, action="shut_out", _selected_action=player, index="0")
        assert await line.closed_with() == 4401
        assert await (await anna.connect(f"/ws/games/{game}/")).closed_with() == 4401
        async with anna.http.get(f"{site.url}/games/{game}/") as response:
            assert response.url.path == "/log-in/"
        path, _ = await other.fill("/log-in/", username="anna", password=password)
        assert path == "/log-in/"


# --- of which no notice came ----------------------------------------------------------------------


def _expire() -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))


def _delete() -> None:
    Session.objects.all().delete()


def _shut_out() -> None:
    Player.objects.update(is_active=False)


def _change_password() -> None:
    player = Player.objects.get()
    player.set_password("another good phrase")
    player.save()


def _begin() -> tuple[str, str]:
    player = new_account("Anna")
    code = games_services.random_practice_code(rules=EASY)
    game = games_services.new_practice_game(player=player, code=code)
    client = browser(player)
    return game.public_id, client.cookies[settings.SESSION_COOKIE_NAME].value


def _socket(path: str, session: str) -> WebsocketCommunicator:
    headers = {
        "host": "testserver", "origin": "http://testserver",
        "cookie": f"{settings.SESSION_COOKIE_NAME}={session}",
    }  # fmt: skip
    return WebsocketCommunicator(
        PlayerMiddleware(URLRouter(websocket_urlpatterns)),
        path,
        [(name.encode(), value.encode()) for name, value in headers.items()],
    )


async def _hear(socket: WebsocketCommunicator) -> Any:
    event = await socket.receive_output(timeout=10)
    return json.loads(event["text"]) if event["type"] == "websocket.send" else event["code"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", [_expire, _delete, _shut_out, _change_password])
async def test_a_session_that_ended_without_a_notice_is_found_out(
    end: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next action after a look at the session is not taken; nor is another socket opened."""
    monkeypatch.setattr(settings, "ALLOWED_HOSTS", ["testserver"])
    public_id, session = await sync_to_async(_begin)()
    path = f"/ws/games/{public_id}/"
    socket = _socket(path, session)
    assert (await socket.connect(timeout=30))[0]
    assert (await _hear(socket))["type"] == "opening"
    await socket.send_to(json.dumps({"type": "act", "turn": 0, "action": "d"}))
    assert (await _hear(socket))["type"] == "done"
    await sync_to_async(end)()
    monkeypatch.setattr(consumers, "SESSION_CHECK_INTERVAL", 0.0)
    await socket.send_to(json.dumps({"type": "act", "turn": 1, "action": "d"}))
    assert await _hear(socket) == 4401
    assert await sync_to_async(Move.objects.count)() == 1
    again = _socket(path, session)
    assert (await again.connect(timeout=30))[0]
    assert await _hear(again) == 4401
    for each in (socket, again):
        await each.disconnect(timeout=30)


@pytest.mark.django_db(transaction=True)
async def test_a_session_that_could_not_be_looked_at_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While the database is away a minute must not pass as if it had said yes."""
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(consumers, "time", clock)
    monkeypatch.setattr(throttle, "time", clock)
    monkeypatch.setattr(settings, "ALLOWED_HOSTS", ["testserver"])
    public_id, session = await sync_to_async(_begin)()
    socket = _socket(f"/ws/games/{public_id}/", session)
    assert (await socket.connect(timeout=30))[0]
    assert (await _hear(socket))["type"] == "opening"
    await sync_to_async(_expire)()

    async def away(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("the database is away")

    act = json.dumps({"type": "act", "turn": 0, "action": "d"})
    clock.now += consumers.SESSION_CHECK_INTERVAL + 1
    with monkeypatch.context() as patch:
        patch.setattr(consumers, "in_database_thread", away)
        await socket.send_to(act)
        assert (await _hear(socket))["code"] == "unavailable"
    clock.now += 1
    await socket.send_to(act)
    assert await _hear(socket) == 4401
    assert await sync_to_async(Move.objects.count)() == 0
    await socket.disconnect(timeout=30)


# --- the admin ------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["nobody", "guest", "owner of a club"])
def test_the_admin_is_the_staffs(who: str) -> None:
    world = World("North")
    player = {"nobody": None, "guest": world.entry.player, "owner of a club": world.owner}[who]
    client: Client = browser(player)
    inside = [address for address in addresses() if address.name.startswith("admin:")]
    assert len(inside) > 90
    for address in inside:
        if address.name in {"admin:login", "admin:logout"}:
            continue
        response = client.get(address.any_path())
        is_sent_away = response.status_code == 302 and "/admin/login/" in response["Location"]
        assert is_sent_away or response.status_code in {403, 404}, address.route
