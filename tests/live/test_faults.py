"""Broken on purpose: databases and processes that go while people play, and clients that misbehave.

After each fault: no answered move is lost and none is done twice, the figures are those of the
engine, the boards those of a recomputation, and nobody had to reload. The time to recover is
printed.
"""

import asyncio
import contextlib
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.harness.databases import SQLITE_FILE, PostgreSQL, Redis
from tests.harness.environment import clean_environment
from tests.harness.fixtures import Report, Serve
from tests.harness.processes import ROOT, Program, find_program, free_port, wait_until
from tests.harness.site import Site, answers, fetch
from tests.harness.visitor import Visitor
from tests.live import deadlines
from tests.live.persistent import Crowd
from tests.live.test_bots import check_against_the_engine
from tests.live.test_deadlines import elsewhere, start_hole
from tests.live.test_observed import figures_of
from tests.live.tournament import make_tournament, read_tournament, recompute

PLAYERS = 6
#: Nobody waits for the limits of a socket.
QUICK = {"GOLF_SOCKET_RATE": "100000", "GOLF_SOCKET_BURST": "100000"}


def check(site: Site, slug: str, crowd: Crowd) -> None:
    """Compare what is stored with what was answered, with the engine and a recomputation."""
    stored = read_tournament(site, slug)
    assert {
        one["game"]["public_id"]: dict(enumerate(one["actions"])) for one in stored["games"]
    } == crowd.acknowledged()
    check_against_the_engine(stored)
    assert recompute(site, slug) == {"games": PLAYERS, "corrected": 0}
    assert read_tournament(site, slug) == stored
    assert all(player.final for player in crowd.players)


# --- PostgreSQL ---------------------------------------------------------------------------------


async def test_postgresql_goes_and_comes_back(
    serve: Serve, own_postgresql: PostgreSQL, report: Report
) -> None:
    database = own_postgresql.url(own_postgresql.new_database())
    site = serve(processes=2, DATABASE_URL=database, **QUICK)
    slug = await elsewhere(make_tournament, site)
    async with Crowd(site, slug, PLAYERS) as crowd:
        turns = 4
        crowd.allow(turns)
        await crowd.there()
        for sign, away in ((signal.SIGINT, 10), (signal.SIGQUIT, 1)):
            await elsewhere(lambda sign=sign: own_postgresql.halt(sign=sign))
            # Everybody tries and is told no; the processes live, and say what is missing.
            turns += 4
            crowd.allow(turns)
            for url in site.urls:
                assert await elsewhere(ready, url) == (503, "not ready")
                assert await elsewhere(status_of, f"{url}/healthz") == 200
                assert await elsewhere(status_of, f"{url}/") == 503
            await asyncio.sleep(away)
            assert not any(player.is_there for player in crowd.players)
            await elsewhere(own_postgresql.start_again)
            report(f"PostgreSQL, {sign.name}", await crowd.there())
        crowd.allow(1000)
        await crowd.there()
        await elsewhere(check, site, slug, crowd)
    assert await elsewhere(ready, site.url) == (200, "ok")


def status_of(url: str) -> int:
    return fetch(url)[0]


def ready(url: str) -> tuple[int, str]:
    """Return the status and the word of `/readyz`."""
    status, body = fetch(f"{url}/readyz")
    return status, str(json.loads(body)["status"])


# --- Redis, and two versions of the server -------------------------------------------------------


#: What a later version of the server might publish: new kinds, and new fields of known ones.
_LATER = """
import asyncio, sys
import django
django.setup()
from channels.layers import get_channel_layer
from games.live import EVERY_PROCESS, Room
async def publish():
    layer, room = get_channel_layer(), Room(sys.argv[1])
    for group in (EVERY_PROCESS, room.group):
        await layer.group_send(group, {"type": "something.later", "room": room.name, "x": [1]})
        await layer.group_send(group, {"type": "process.later"})
    await layer.group_send(
        room.group, {"type": "room.notice", "room": room.name, "version": 10**6, "later": {"y": 2}}
    )
asyncio.run(publish())
"""


def publish_later(site: Site, room: str) -> None:
    subprocess.run(
        [sys.executable, "-c", _LATER, room],
        cwd=ROOT,
        env=site.env | {"DJANGO_SETTINGS_MODULE": "golfsite.settings"},
        check=True,
    )


async def test_redis_goes_and_comes_back_empty(
    serve: Serve, own_redis: Redis, report: Report
) -> None:
    site = serve(database="postgresql", processes=2, redis=False, REDIS_URL=own_redis.url, **QUICK)
    slug = await elsewhere(make_tournament, site)
    room = f"tournament:{slug}"
    async with contextlib.AsyncExitStack() as stack:
        crowd = await stack.enter_async_context(Crowd(site, slug, PLAYERS))
        watchers = []
        for url in site.urls:
            watcher = await stack.enter_async_context(Visitor(url))
            watchers.append(await watcher.connect(f"/ws/tournaments/{slug}/"))
            assert (await watchers[-1].hear())["room"] == room
        crowd.allow(4)
        await crowd.there()

        # A second version beside this one: what it says more is let pass, the rest is heard.
        await elsewhere(publish_later, site, room)
        for watcher in watchers:
            assert (await watcher.hear())["version"] == 10**6

        await elsewhere(own_redis.halt)
        crowd.allow(10)
        report("without Redis", await crowd.there())
        for url in site.urls:
            assert await elsewhere(ready, url) == (503, "not ready")
            assert await elsewhere(status_of, f"{url}/readyz?needs=database,migrations") == 200
        await elsewhere(own_redis.start_again)
        began = time.monotonic()
        # News are heard again in both processes, of a finished hole among them.
        crowd.allow(1000)
        heard = [asyncio.create_task(hear_anything(site, watcher, room)) for watcher in watchers]
        await asyncio.gather(*heard)
        report("Redis, empty", time.monotonic() - began)
        await crowd.there()
        await elsewhere(check, site, slug, crowd)


async def hear_anything(site: Site, watcher: Any, room: str) -> None:
    """Wait for a notice while others are published."""
    number = 10**6
    async with asyncio.timeout(60):
        while True:
            number += 1
            await elsewhere(publish_version, site, room, number)
            with contextlib.suppress(TimeoutError):
                assert (await watcher.hear(2))["room"] == room
                return


_PUBLISH = """
import sys
import django
django.setup()
from games.live import publish
publish(sys.argv[1], int(sys.argv[2]))
"""


def publish_version(site: Site, room: str, version: int) -> None:
    subprocess.run(
        [sys.executable, "-c", _PUBLISH, room, str(version)],
        cwd=ROOT,
        env=site.env | {"DJANGO_SETTINGS_MODULE": "golfsite.settings"},
        capture_output=True,
        check=True,
    )


# --- the director --------------------------------------------------------------------------------


async def test_the_director_is_killed_before_a_deadline(serve: Serve, report: Report) -> None:
    site = serve(database="postgresql", processes=2)
    slug = await elsewhere(make_tournament, site)
    async with Visitor(site.url) as anna:
        line = await start_hole(anna, slug)
        await line.hear()
        assert (await line.act(0, "d"))["type"] == "done"
        await elsewhere(site.kill_director)
        await elsewhere(deadlines.run, site, "end", slug, 0)
        told = await line.hear()
        assert told["type"] == "deadline"
        await asyncio.sleep(max(0, told["closes_at"] - told["now"]) / 1000)
        # Nobody closes the hole, and nobody plays it either.
        for _ in range(3):
            late = await line.act(1, "d")
            assert (late["type"], late["code"]) == ("refused", "closed")
        state = await line.ask(type="state")
        assert (state["position"]["state"], state["position"]["turn"]) == ("playing", 1)
        began = time.monotonic()
        await elsewhere(site.start_director)
        async with asyncio.timeout(60):
            while not state["position"]["final"]:
                state = await line.ask(type="state")
                await asyncio.sleep(0.05)
        report("the director", time.monotonic() - began)
        assert (state["position"]["state"], state["position"]["turn"]) == ("closed", 2)
    counted = deadlines.run(site, "count", slug)
    while counted["status"] != "closed":
        counted = deadlines.run(site, "count", slug)
    assert counted == {
        "status": "closed", "steps": 1, "closed": 1, "ends": 1, "secret": 0, "recorded": 1,
        "thru": 1,
    }  # fmt: skip
    assert recompute(site, slug)["corrected"] == 0


# --- the disk ------------------------------------------------------------------------------------


@contextlib.contextmanager
def no_room(pid: int) -> Iterator[None]:
    """Let no file of a process grow beyond a few pages: to it the disk is full.

    Whoever owns the process may do that, and undo it, since only the soft limit is changed.
    """
    soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (8192, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))


FAILED = "golf_journal_failed_rows_total"


def await_failures(url: str, count: float) -> None:
    wait_until(lambda: figures_of(url)[FAILED] >= count, seconds=60, what="the failures")


async def play_through_a_full_disk(
    site: Site, full: AbstractContextManager[None], report: Report
) -> None:
    slug = await elsewhere(make_tournament, site)
    async with Crowd(site, slug, PLAYERS) as crowd:
        crowd.allow(4)
        await crowd.there()
        before = (await elsewhere(figures_of, site.url))[FAILED]
        with full:
            crowd.allow(8)
            await elsewhere(await_failures, site.url, before + 2 * PLAYERS)
            assert not any(player.is_there for player in crowd.players)
        report("a full disk", await crowd.there())
        crowd.allow(1000)
        await crowd.there()
        await elsewhere(check, site, slug, crowd)


async def test_a_process_that_may_write_no_more_for_a_while(serve: Serve, report: Report) -> None:
    site = serve(**QUICK)
    await play_through_a_full_disk(site, no_room(site.pid()), report)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path | None]:
    """A file system of 32 MB in memory; None where nothing may be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = [find_program("mount"), "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(disk)]
    if mount[0] is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@contextlib.contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Take all the room that is left on a disk."""
    filler = disk / "filler"
    try:
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        assert shutil.disk_usage(disk).free == 0
        yield
    finally:
        filler.unlink()


async def test_the_disk_is_full_for_a_while(
    small_disk: Path | None, serve: Serve, report: Report
) -> None:
    """On a disk of its own, or where there can be none like the process above."""
    if small_disk is None:
        site = serve(**QUICK)
        full = no_room(site.pid())
    else:
        site = serve(DATABASE_URL=f"sqlite:///{small_disk / SQLITE_FILE}", **QUICK)
        full = filled(small_disk)
    await play_through_a_full_disk(site, full, report)


# --- clients --------------------------------------------------------------------------------------


def memory_of(pid: int) -> int:
    """Return the resident memory of a process in MB."""
    fields = (Path("/proc") / str(pid) / "statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") // 2**20


async def test_a_client_that_sends_and_never_reads_holds_nobody_up(
    serve: Serve, report: Report
) -> None:
    site = serve()
    async with Visitor(site.url) as anna, Visitor(site.url) as boris:
        await anna.become_guest("Anna")
        await boris.become_guest("Boris")
        line = await anna.connect(f"/ws/games/{await anna.practise('GO1-E-AAAAAAB')}/")
        await line.hear()
        path = f"/ws/games/{await boris.practise('GO1-E-AAAAAAB')}/"
        deaf = await boris.connect(path)
        before = memory_of(site.pid())
        closed = 'golf_sockets_closed_total{code="4429"}'
        turn, longest = 0, 0.0
        async with asyncio.timeout(60):
            while (await elsewhere(figures_of, site.url)).get(closed, 0) == 0:
                with contextlib.suppress(ConnectionError, aiohttp.ClientError):
                    for _ in range(100):
                        await deaf.say(type="state")
                began = time.monotonic()
                answer = await line.act(turn, "d" if turn % 2 == 0 else "u")
                longest = max(longest, time.monotonic() - began)
                assert answer["type"] == "done"
                turn += 1
        report("a player beside a client that never reads", longest)
        assert longest < 8
        assert memory_of(site.pid()) - before < 50
        # It may come back, and finds its game as it was.
        again = await boris.connect(path)
        assert (await again.hear())["position"]["turn"] == 0


#: Opens sockets, says so, and is then stopped by the test: nothing answers for it any more.
_HALF = """
import asyncio, sys
import aiohttp
async def open_all():
    async with aiohttp.ClientSession(headers={"Cookie": sys.argv[2]}) as http:
        sockets = [
            await http.ws_connect(sys.argv[1], headers={"Origin": sys.argv[3]}) for _ in range(8)
        ]
        for socket in sockets:
            await socket.receive()
        print("open", flush=True)
        await asyncio.sleep(600)
asyncio.run(open_all())
"""


async def test_half_open_connections_are_let_go(
    serve: Serve, tmp_path: Path, report: Report
) -> None:
    site = serve(start=False)
    await elsewhere(site.manage, "migrate", "--verbosity", "0")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    daphne = Program(
        [
            sys.executable, "-m", "daphne", "--bind", "127.0.0.1", "--port", str(port),
            "--verbosity", "0", "--ping-interval", "1", "--ping-timeout", "2",
            "golfsite.asgi:application",
        ],
        log=tmp_path / "daphne.log",
        answers=lambda: answers(url),
        env=site.env,
    )  # fmt: skip
    await elsewhere(daphne.start)
    halves = []
    try:
        async with Visitor(url) as anna:
            await anna.become_guest("Anna")
            path = f"/ws/games/{await anna.practise('GO1-E-AAAAAAB')}/"
            (session,) = (c.value for c in anna.http.cookie_jar if c.key == "sessionid")
            cookie = f"sessionid={session}"
            # Connections that say half a sentence, or nothing.
            for number in range(60):
                half = socket.create_connection(("127.0.0.1", port), 5)
                half.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0".encode() if number % 2 else b"")
                halves.append(half)
            with subprocess.Popen(  # noqa: ASYNC220 - it takes no time
                [sys.executable, "-c", _HALF, url + path, cookie, url],
                stdout=subprocess.PIPE,
                env=clean_environment(),
            ) as gone:
                try:
                    assert gone.stdout is not None
                    assert await elsewhere(gone.stdout.readline) == b"open\n"
                    gone.send_signal(signal.SIGSTOP)
                    # The player goes on from another line at once.
                    line = await anna.connect(path)
                    assert (await line.hear())["position"]["turn"] == 0
                    assert (await line.act(0, "d"))["type"] == "done"
                    began = time.monotonic()
                    async with asyncio.timeout(60):
                        while (await elsewhere(figures_of, url))["golf_sockets"] > 1:
                            # Who answers stays.
                            assert (await line.ask(type="ping", at=1))["type"] == "pong"
                            await asyncio.sleep(0.2)
                    report("half-open sockets", time.monotonic() - began)
                    assert (await line.act(1, "5"))["type"] == "done"
                finally:
                    gone.kill()
    finally:
        for half in halves:
            half.close()
        daphne.stop()


SOCKETS = 200


async def test_two_hundred_come_back_at_once(serve: Serve, report: Report) -> None:
    site = serve(database="postgresql", processes=2, **QUICK)
    made = await elsewhere(prepare, site)
    async with contextlib.AsyncExitStack() as stack:

        async def connect(index: int, turn: int) -> aiohttp.ClientWebSocketResponse:
            """Come back as a page does, and find the game where it was left."""
            cookie, (game,) = made[index]
            attempt = 0
            while True:
                url = site.urls[(index + attempt) % 2]
                try:
                    line = await sessions[index].ws_connect(
                        f"{url}/ws/games/{game}/", headers={"Origin": url, "Cookie": cookie}
                    )
                    opening = json.loads((await line.receive(30)).data)
                    assert opening["position"]["turn"] == turn
                    return line
                except (aiohttp.ClientError, OSError, TypeError, TimeoutError):
                    attempt += 1
                    await asyncio.sleep(0.2)

        async def act(line: aiohttp.ClientWebSocketResponse, turn: int) -> None:
            await line.send_str(json.dumps({"type": "act", "turn": turn, "action": "d"}))
            answer = json.loads((await line.receive(30)).data)
            assert (answer["type"], answer["turn"]) == ("done", turn)

        sessions = [
            await stack.enter_async_context(
                aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
            )
            for _ in range(SOCKETS)
        ]
        lines = await asyncio.gather(*(connect(index, 0) for index in range(SOCKETS)))
        await asyncio.gather(*(act(line, 0) for line in lines))
        # Half of them lose their process, the others are cut off as well; all come back at once.
        await elsewhere(site.kill, 0)
        await asyncio.gather(*(line.close() for line in lines))
        restart = asyncio.create_task(asyncio.to_thread(site.start_again, 0))
        began = time.monotonic()
        lines = await asyncio.gather(*(connect(index, 1) for index in range(SOCKETS)))
        await asyncio.gather(*(act(line, 1) for line in lines))
        report("200 sockets", time.monotonic() - began)
        await restart
        await asyncio.gather(*(line.close() for line in lines))
    assert await elsewhere(stored_moves, site) == 2 * SOCKETS


def prepare(site: Site) -> list[tuple[str, list[str]]]:
    """Return the session's cookie and a new game for each player."""
    found: list[tuple[str, list[str]]] = site.run_module(
        "tests.bench.prepare", SOCKETS, 1, 7, timeout=300
    )
    return found


def stored_moves(site: Site) -> int:
    return int(site.run_module("tests.bench.stored"))
