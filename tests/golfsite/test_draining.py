"""Taking a process out of service before it is ended."""

import asyncio
import http.client
import re
import socket
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from channels.layers import channel_layers, get_channel_layer
from django.core.management import CommandError, call_command

from games.live import EVERY_PROCESS, Hub
from games.protocol import CloseCode
from golfsite import draining
from tests.games.test_live import FakeSocket, listens
from tests.harness.fixtures import Serve
from tests.harness.processes import Program, free_port
from tests.harness.site import Site, answers, fetch
from tests.harness.visitor import Line, Visitor

PATH = "/ws/games/{}/"


class TestInOneProcess:
    @pytest.fixture(autouse=True)
    def layer(self):
        channel_layers.backends.clear()
        yield
        channel_layers.backends.clear()

    async def test_sockets_are_closed_at_different_times_and_the_asker_hears(self):
        hub = Hub.here()
        layer = get_channel_layer()
        answer = await layer.new_channel()
        sockets = [FakeSocket(player) for player in (1, 1, 2, None)]
        for one in sockets:
            hub.add(one)
        closed_at = []

        async def close(one, code):
            one.closed_with = code
            closed_at.append(time.monotonic())

        for one in sockets:
            one.close_with = lambda code, one=one: close(one, code)
        await listens(hub)
        try:
            await layer.group_send(
                EVERY_PROCESS, {"type": draining.KIND, "over": 0.5, "answer": answer}
            )
            begun, done = await layer.receive(answer), await layer.receive(answer)
            assert hub.is_draining
        finally:
            await hub.shut_down()
        assert (begun["type"], begun["sockets"]) == ("drain.begun", 4)
        assert (done["type"], done["who"]) == ("drain.done", begun["who"])
        assert {one.closed_with for one in sockets} == {CloseCode.RESTARTING}
        assert len({round(at, 3) for at in closed_at}) > 1
        assert max(closed_at) - min(closed_at) <= 5

    def test_who_is_meant(self, monkeypatch):
        monkeypatch.setattr(draining, "listens_on", lambda: [8001])
        here = socket.gethostname()
        for message, meant in (
            ({}, True),
            ({"host": here}, True),
            ({"host": here, "port": 8001}, True),
            ({"host": here, "port": 8002}, False),
            ({"host": "elsewhere", "port": 8001}, False),
            ({"port": 8001}, True),
        ):
            assert draining.is_meant(message) is meant

    def test_without_redis_there_is_nobody_to_tell(self):
        with pytest.raises(CommandError) as caught:
            call_command("drain", "--all")
        assert str(caught.value) == (
            "Without REDIS_URL there is one process only: end it with SIGTERM."
        )

    @pytest.mark.parametrize("over", ["-1", "601", "nan"])
    def test_in_which_time(self, settings, over):
        settings.REDIS_URL = "redis://127.0.0.1:1/0"
        with pytest.raises(CommandError) as caught:
            call_command("drain", "--all", "--over", over)
        assert str(caught.value) == "--over is a number of seconds from 0 to 600."


def port_of(url: str) -> int:
    port = urlsplit(url).port
    assert port is not None
    return port


def takes_connections(url: str) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port_of(url)), 1).close()
    except OSError:
        return False
    return True


async def open_game(visitor: Visitor) -> tuple[Line, str]:
    await visitor.become_guest("Anna")
    path = PATH.format(await visitor.practise("GO1-E-AAAAAAB"))
    line = await visitor.connect(path)
    assert (await line.hear())["type"] == "opening"
    return line, path


async def run(site: Site, *arguments: str) -> tuple[int, str, str]:
    done = await asyncio.to_thread(site.manage, "drain", *arguments, check=False)
    return done.returncode, done.stdout, done.stderr


async def test_one_process_goes_and_the_other_takes_its_players(serve: Serve) -> None:
    site = serve(database="postgresql", processes=2)
    first, second = site.urls
    here = socket.gethostname()
    async with Visitor(first) as anna, Visitor(second) as boris:
        leaving, path = await open_game(anna)
        staying, _ = await open_game(boris)
        kept = http.client.HTTPConnection("127.0.0.1", port_of(first), timeout=10)
        kept.request("GET", "/readyz")
        answer = kept.getresponse()
        assert (answer.status, b'"status": "ok"' in answer.read()) == (200, True)
        assert (await leaving.act(0, "d"))["type"] == "done"

        leaves = asyncio.create_task(leaving.closed_with(30))
        code, said, trouble = await run(site, "--port", str(port_of(first)), "--over", "0.5")
        assert (code, trouble) == (0, "")
        assert said == f"{here}:{port_of(first)} has sent 1 sockets elsewhere.\n"
        assert await leaves == CloseCode.RESTARTING
        assert not takes_connections(first)
        # Who has a connection may go on with it, and hears what is going on.
        kept.request("GET", "/readyz")
        answer = kept.getresponse()
        assert (answer.status, b'"status": "draining"' in answer.read()) == (503, True)
        kept.close()
        assert site.pid(0)

        # The other process knows nothing of it, and plays on where the first one was.
        anna.url = second
        back = await anna.connect(path)
        assert (await back.hear())["position"]["turn"] == 1
        assert (await staying.act(0, "d"))["type"] == "done"
        assert site.terminate(0) is not None
        site.start_again(0)
        assert takes_connections(first)

        leave = asyncio.gather(back.closed_with(30), staying.closed_with(30))
        code, said, trouble = await run(site, "--all", "--over", "0")
        assert (code, trouble) == (0, "")
        assert sorted(map(int, re.findall(r":(\d+) has sent", said))) == sorted(
            map(port_of, site.urls)
        )
        assert await leave == [CloseCode.RESTARTING] * 2


async def test_whoever_does_not_answer_is_told_of(serve: Serve) -> None:
    site = serve(database="postgresql", processes=2)
    code, said, trouble = await run(site, "--port", str(free_port()))
    assert (code, said) == (1, "")
    assert trouble == "CommandError: Of 1 processes 0 answered; 0 were done in time.\n"
    site.kill(1)
    code, said, trouble = await run(site, "--all", "--over", "0")
    assert code == 1
    assert trouble == "CommandError: Of 2 processes 1 answered; 1 were done in time.\n"


async def test_another_server_turns_new_sockets_away(serve: Serve, tmp_path: Path) -> None:
    """It goes on to listen, since only Daphne tells where."""
    site = serve(start=False, redis=True)
    await asyncio.to_thread(site.manage, "migrate", "--verbosity", "0")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    uvicorn = Program(
        [sys.executable, "-m", "uvicorn", "golfsite.asgi:application", "--port", str(port)],
        log=tmp_path / "uvicorn.log",
        answers=lambda: answers(url),
        env=site.env,
    )
    await asyncio.to_thread(uvicorn.start)
    try:
        async with Visitor(url) as anna:
            line, path = await open_game(anna)
            leaves = asyncio.create_task(line.closed_with(30))
            code, said, trouble = await run(site, "--all", "--over", "0")
            assert (code, trouble) == (0, "")
            assert said == f"{socket.gethostname()}:unknown has sent 1 sockets elsewhere.\n"
            assert await leaves == CloseCode.RESTARTING
            assert await (await anna.connect(path)).closed_with() == CloseCode.RESTARTING
            status, text = await asyncio.to_thread(fetch, f"{url}/readyz")
            assert (status, '"status": "draining"' in text) == (503, True)
    finally:
        uvicorn.stop()
