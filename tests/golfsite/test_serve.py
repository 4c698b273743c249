"""`manage.py serve`, as a newcomer starts it: what it prints, refuses, and leaves behind."""

import contextlib
import http.client
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from tests.harness.environment import clean_environment
from tests.harness.fixtures import Serve
from tests.harness.processes import ROOT, free_port, wait_until
from tests.harness.site import answers


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def start(data):
    """A function that starts `manage.py serve` and gives its process back at once."""
    started = []

    def start(*arguments, port=0, **variables):
        environment = clean_environment(GOLF_DATA_DIR=str(data), PYTHONUNBUFFERED="1") | variables
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", str(port), *arguments],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.terminate()
        try:
            process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def read_until(process, ending):
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if lines[-1] == ending:
            return lines
    raise AssertionError(f"ended before it said {ending!r}: {lines}\n{process.stderr.read()}")


def refusal(process):
    """Return the one line on standard error of a start that was refused."""
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, output) == (1, "")
    lines = errors.splitlines()
    assert len(lines) == 1
    return lines[0].removeprefix("CommandError: ")


def seconds_of_a_bare_start():
    """Return how long Python and Django take to start here and now, with nothing of a server."""
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-c", "import django; django.setup()"],
        cwd=ROOT,
        env=clean_environment(DJANGO_SETTINGS_MODULE="golfsite.settings", GOLF_SECRET_KEY="k" * 50),
        check=True,
    )
    return time.monotonic() - began


class TestReady:
    def test_it_says_where_it_is_once_it_answers(self, start):
        port = free_port()
        process = start("--no-demo", port=port)
        assert read_until(process, "Ctrl-C stops it.") == [
            f"Golf is at http://127.0.0.1:{port}/",
            "Ctrl-C stops it.",
        ]
        assert answers(f"http://127.0.0.1:{port}")

    def test_the_first_start_makes_the_demo_and_prints_its_logins(self, start):
        process = start()
        lines = read_until(process, "Ctrl-C stops it.")
        url = lines[0].removeprefix("Golf is at ")
        password = re.fullmatch(r"  log in as alex / (\w{10})", lines[3])[1]
        assert lines == [
            f"Golf is at {url}",
            f"The demo tournament is at {url}tournaments/demo-nine-holes/",
            f"  log in as director / {password} (director; {url}admin/)",
            f"  log in as alex / {password}",
            f"  log in as robin / {password}",
            "Ctrl-C stops it.",
        ]

    def test_a_second_start_is_ready_within_three_seconds_and_says_the_same(self, start):
        """On a slow machine within four times what Django alone needs; it is less than twice."""
        port = free_port()
        process = start(port=port)
        said = read_until(process, "Ctrl-C stops it.")
        spare = []
        for _ in range(3):  # what else the machine does may come into one of them
            process.terminate()
            process.communicate(timeout=20)
            allowed = max(3, 4 * seconds_of_a_bare_start())
            began = time.monotonic()
            process = start(port=port)
            assert read_until(process, "Ctrl-C stops it.") == said
            spare.append(allowed - (time.monotonic() - began))
            if spare[-1] > 0:
                break
        assert max(spare) > 0, spare

    def test_no_demo_for_a_site_that_others_reach(self, start):
        process = start("--host", "0.0.0.0")
        lines = read_until(process, "Ctrl-C stops it.")
        assert len(lines) == 2
        assert lines[0].startswith("Golf is at http://127.0.0.1:")


class TestRefusals:
    def test_a_taken_port_is_named_before_anything_is_written(self, start, data):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            assert refusal(start(port=port)) == (
                f"Port {port} of 127.0.0.1 cannot be had (Address already in use). "
                f"Choose another: make serve PORT={port + 1}"
            )
        assert not (data / "golf.sqlite3").exists()

    def test_no_such_port(self, start):
        assert refusal(start(port=65_536)) == "There is no port 65536: they run from 1 to 65535."

    def test_a_data_folder_that_cannot_be_made(self, start, tmp_path):
        (tmp_path / "file").touch()
        folder = tmp_path / "file" / "data"
        assert refusal(start(GOLF_DATA_DIR=str(folder))) == (
            f"The data folder {folder} cannot be written to (Not a directory). "
            "Set GOLF_DATA_DIR to one that can."
        )

    def test_a_data_folder_that_is_not_ones_own(self, data, tmp_path):
        data.mkdir(mode=0o555)
        for folder in (tmp_path, *tmp_path.parents[:2]):
            folder.chmod(0o755)
        # Root may write anywhere, so the asking process stops being root once it is under way.
        code = (
            "import os, sys\n"
            "from pathlib import Path\n"
            "from golfsite.serving import CannotServe, check_data_folder\n"
            "if os.geteuid() == 0:\n"
            "    os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
            "try:\n"
            "    check_data_folder(Path(sys.argv[1]))\n"
            "except CannotServe as error:\n"
            "    print(error)\n"
        )
        outcome = subprocess.run(
            [sys.executable, "-c", code, str(data)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert outcome.stdout == (
            f"The data folder {data} cannot be written to (Permission denied). "
            "Set GOLF_DATA_DIR to one that can.\n"
        )
        assert outcome.stderr == ""

    def test_a_second_server_on_the_same_data(self, start, data):
        first = start("--no-demo")
        url = read_until(first, "Ctrl-C stops it.")[0].removeprefix("Golf is at ")
        assert refusal(start("--no-demo")) == (
            f"Golf is already running on the data folder {data}: {url}"
        )

    def test_a_killed_server_holds_nothing_up(self, start):
        port = free_port()
        first = start("--no-demo", port=port)
        read_until(first, "Ctrl-C stops it.")
        first.kill()
        first.wait()
        second = start("--no-demo", port=port)
        assert read_until(second, "Ctrl-C stops it.")[0] == f"Golf is at http://127.0.0.1:{port}/"

    def test_a_host_that_visitors_would_be_turned_away_from(self, start):
        assert refusal(start("--host", "golf.example")) == (
            "GOLF_HOSTS does not name golf.example: its visitors would be turned away."
        )

    def test_a_database_that_is_away(self, start):
        url = f"postgresql://golf:secret@127.0.0.1:{free_port()}/golf"
        line = refusal(start(DATABASE_URL=url))
        assert line.startswith("The database does not work: connection failed: ")
        assert "secret" not in line

    @pytest.mark.parametrize(
        ("variables", "line"),
        [
            ({"GOLF_HTTPS": "1"}, "GOLF_HTTPS needs GOLF_SECRET_KEY: a long random text."),
            (
                {"GOLF_PROCESSES": "2"},
                "GOLF_PROCESSES above 1 needs REDIS_URL: the in-memory layer serves one process.",
            ),
            (
                {"GOLF_POOL_SIZE": "many"},
                "GOLF_POOL_SIZE cannot be read: invalid literal for int() with base 10: 'many'.",
            ),
            (
                {"DATABASE_URL": "golf"},
                "DATABASE_URL cannot be read: it is postgresql://user:password@host:port/name.",
            ),
        ],
    )
    def test_a_variable_that_is_unsafe_or_unreadable(self, start, variables, line):
        assert refusal(start(**variables)) == line


class TestEnd:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_it_ends_in_order(self, start, number):
        process = start("--no-demo")
        read_until(process, "Ctrl-C stops it.")
        process.send_signal(number)
        output, errors = process.communicate(timeout=15)
        assert (process.returncode, output, errors) == (0, "", "")

    def test_the_bots_of_the_demo_end_with_it(self, start):
        process = start()
        read_until(process, "Ctrl-C stops it.")
        wait_until(lambda: children(process.pid), what="the bots' start")
        (bots,) = children(process.pid)
        process.terminate()
        _, errors = process.communicate(timeout=20)
        assert (process.returncode, errors) == (0, "")
        assert not is_running(bots)

    def test_the_bots_of_the_demo_end_with_a_killed_server(self, start):
        process = start()
        read_until(process, "Ctrl-C stops it.")
        wait_until(lambda: children(process.pid), what="the bots' start")
        (bots,) = children(process.pid)
        process.kill()
        wait_until(lambda: not is_running(bots), what="the bots' end")


def is_running(pid):
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False)
    return found.stdout.strip() not in {b"", b"Z"}


def children(pid):
    """Return the ids of the processes that `pid` started."""
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(line) for line in found.stdout.split()]


def test_it_ends_while_pages_are_being_answered(serve: Serve) -> None:
    site = serve()
    over = threading.Event()

    def read_on() -> None:
        while not over.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                urllib.request.urlopen(f"{site.url}/tournaments/", timeout=3).read()

    readers = [threading.Thread(target=read_on) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        time.sleep(1)
        assert site.terminate() == 0
    finally:
        over.set()
        for reader in readers:
            reader.join()
