"""`manage.py cluster`: the site on several processes behind nginx, from its start to its end."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from golfsite import cluster
from golfsite.cluster import find_programs, nginx_configuration
from golfsite.serving import CannotServe
from tests.harness.cluster import Cluster
from tests.harness.environment import clean_environment
from tests.harness.fixtures import StartCluster
from tests.harness.processes import ROOT, wait_until
from tests.harness.visitor import Visitor


def ask(url: str, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """Return status, headers and body."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", path, headers=named)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def await_end(pids: list[int]) -> None:
    wait_until(lambda: not any(map(is_running, pids)), seconds=20, what="the end of all parts")


def start(tmp_path: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "cluster", *arguments],
        cwd=ROOT,
        env=clean_environment(GOLF_DATA_DIR=str(tmp_path / "data"), TMPDIR=str(tmp_path))
        | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class TestRefusals:
    def test_what_is_missing_is_named_with_its_package(self, monkeypatch):
        found = {"redis-server": "/usr/bin/redis-server"}
        monkeypatch.setattr(cluster, "find_program", found.get)
        with pytest.raises(CannotServe) as caught:
            find_programs()
        assert str(caught.value) == (
            "Not installed: nginx, initdb, postgres. "
            "On Debian: apt-get install nginx-light postgresql"
        )

    def test_that_is_all_that_is_printed(self, tmp_path, monkeypatch):
        folder = tmp_path / "empty"
        folder.mkdir()
        code = (
            "import sys, golfsite.cluster, manage\n"
            "golfsite.cluster.find_program = lambda name: None\n"
            "sys.argv[1:] = ['cluster', '--port', '0']\n"
            "manage.main()\n"
        )
        outcome = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=clean_environment(GOLF_DATA_DIR=str(tmp_path / "data"), TMPDIR=str(folder)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (outcome.returncode, outcome.stdout) == (1, "")
        assert outcome.stderr == (
            "CommandError: Not installed: nginx, redis-server, initdb, postgres. On Debian: "
            "apt-get install nginx-light redis-server postgresql\n"
        )
        assert list(folder.iterdir()) == []

    def test_a_taken_port(self, tmp_path):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            outcome = start(tmp_path, "--port", str(port))
        assert (outcome.returncode, outcome.stdout) == (1, "")
        assert outcome.stderr == (
            f"CommandError: Port {port} of 127.0.0.1 cannot be had (Address already in use). "
            f"Choose another: make cluster PORT={port + 1}\n"
        )

    @pytest.mark.parametrize("processes", ["1", "17"])
    def test_how_many(self, tmp_path, processes):
        outcome = start(tmp_path, "--processes", processes)
        assert outcome.stderr == "CommandError: --processes is a number from 2 to 16.\n"


def test_the_configuration_has_every_process_and_the_rules():
    text = nginx_configuration(folder=Path("/a"), pages=Path("/b"), port=8000, webs=[1, 2, 3])
    assert [line.split()[1] for line in text.splitlines() if "server 127" in line] == [
        "127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3",
    ]  # fmt: skip
    assert "listen 127.0.0.1:8000;" in text
    assert f"include {ROOT}/deploy/nginx-site.conf;" in text


async def test_visitors_and_what_they_write_themselves(start_cluster: StartCluster) -> None:
    site = start_cluster(GOLF_LOG_LEVEL="INFO", GOLF_LOG_FORMAT="json", GOLF_ARRIVALS_PER_HOUR="1")
    # Pages, sockets and forms come through, to any of the processes.
    async with Visitor(site.url) as anna, Visitor(site.url) as boris:
        await anna.become_guest("Anna")
        line = await anna.connect(f"/ws/games/{await anna.practise('GO1-E-AAAAAAB')}/")
        assert (await line.hear())["position"]["waste"] == "AC"
        assert (await line.act(0, "d"))["position"]["waste"] == "8S"
        # A visitor has the address that nginx saw, which is this computer and knows no limit. By
        # the one that he writes himself the second guest would be one too many.
        boris.http.headers["X-Forwarded-For"] = "203.0.113.77"
        for name in ("Boris", "Chiara"):
            boris.http.cookie_jar.clear()
            await boris.become_guest(name)
            assert name in await boris.get("/")

    # What is for the operator is not for visitors.
    assert ask(site.url, "/metrics")[0] == 404
    web = f"http://127.0.0.1:{site.web_ports[0]}"
    assert "golf_moves_acknowledged_total" in ask(web, "/metrics")[2]
    assert json.loads(ask(site.url, "/readyz")[2]) == {
        "status": "ok", "database": "ok", "channel_layer": "ok", "migrations": "ok",
    }  # fmt: skip

    # The id of a request is nginx's, and stands in the answer and in the line.
    mine = "a" * 32
    status, headers, _ = ask(site.url, "/rules/", X_Request_Id=mine)
    given = headers["X-Request-Id"]
    assert (status, len(given)) == (200, 32)
    assert given != mine
    # The line is written after the answer was sent.
    wait_until(lambda: given in site.log(), what="the line of the request")
    lines = [json.loads(line) for line in site.log().splitlines() if line.startswith("{")]
    assert [line["route"] for line in lines if line.get("request") == given] == ["/rules/"]
    socket_lines = [line for line in lines if line["message"] == "A socket opens."]
    assert len(socket_lines) == 1

    # Nothing secret is anybody's to read.
    assert oct(site.folder.stat().st_mode & 0o777) == "0o711"
    for name in ("environment", "nginx.conf", "redis.conf"):
        assert oct((site.folder / name).stat().st_mode & 0o777) == "0o600"
    commands = "\n".join(site.parts().values())
    for name in ("DATABASE_URL", "REDIS_URL", "GOLF_SECRET_KEY"):
        secret = site.env[name].rpartition("@")[0].rpartition(":")[2] or site.env[name]
        assert len(secret) > 20
        assert secret not in commands
        assert secret not in site.log()

    # A part that ends by itself comes back; while no web process answers, a page says so.
    webs = [site.pid_of("daphne", str(port)) for port in site.web_ports]
    for pid in webs:
        os.kill(pid, signal.SIGSTOP)
    for pid in webs:
        os.kill(pid, signal.SIGKILL)
    status, headers, page = ask(site.url, "/")
    assert (status, headers["Retry-After"], headers["Cache-Control"]) == (502, "10", "no-store")
    assert "Back in a moment" in page
    wait_until(lambda: ask(site.url, "/")[0] == 200, seconds=90, what="the site to be back")
    for number in (1, 2):
        assert f"web {number} has ended (-9), and is started again." in site.log()

    # In the end there is nothing left of it.
    parts = list(site.parts())
    assert len(parts) == 6
    assert site.stop(signal.SIGTERM) == 0
    await_end(parts)
    assert not site.folder.exists()


def test_nothing_goes_on_after_it_was_killed(start_cluster: StartCluster) -> None:
    site = start_cluster()
    parts = list(site.parts())
    site.send_signal(signal.SIGKILL)
    await_end(parts)


def test_it_can_be_stopped_by_ctrl_c_while_it_starts(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    for folder in tmp_path.parents[:2]:
        folder.chmod(0o711)
    site = Cluster(folder=tmp_path / "cluster")
    process = subprocess.Popen(
        site._command, cwd=ROOT, env=site._given, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        wait_until(
            lambda: list((tmp_path / "cluster").glob("golf-cluster-*/postgresql/PG_VERSION")),
            seconds=60,
            what="the database to be made",
        )
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert list((tmp_path / "cluster").glob("golf-cluster-*")) == []


def test_what_is_told_to_end_again_and_again_ends_all(tmp_path: Path, monkeypatch) -> None:
    part = cluster.Part("web 1", ["false"], lambda: False)
    said: list[str] = []
    monkeypatch.setattr(cluster, "find_programs", dict)
    monkeypatch.setattr(cluster.time, "sleep", lambda seconds: None)
    watched = cluster.Cluster(processes=2, port=1, say=said.append)
    watched._running = [part]
    part.start()
    with pytest.raises(CannotServe) as caught:
        watched._watch()
    assert str(caught.value) == "web 1 ended 6 times within 30 s."
    assert said == ["web 1 has ended (1), and is started again."] * 5
