"""Deadlines on the real site: whoever is connected, whichever process keeps them or is killed."""

import asyncio
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.harness.fixtures import Serve
from tests.harness.processes import ROOT, free_port, wait_until
from tests.harness.site import Site, fetch
from tests.harness.visitor import Line, Visitor
from tests.live import deadlines
from tests.live.tournament import make_tournament

SITES = [
    pytest.param("sqlite", 1, id="sqlite"),
    pytest.param("postgresql", 2, id="postgresql-two-processes"),
]
HOUR = 3600


async def start_hole(anna: Visitor, slug: str) -> Line:
    """Enter as a guest, start the first hole and open its socket."""
    await anna.become_guest("Anna")
    page = f"/tournaments/{slug}/"
    await anna.post(f"{page}enter/", on=page)
    _, board = await anna.post(f"{page}holes/1/", on=page)
    found = re.search(r'data-socket="([^"]+)"', board)
    assert found is not None
    return await anna.connect(found[1])


async def elsewhere(work: Callable[..., object], *arguments: object) -> object:
    """Do something in another process while the sockets stay open."""
    return await asyncio.to_thread(work, *arguments)


@pytest.mark.parametrize(("database", "processes"), SITES)
async def test_more_time_holds_on_a_board_that_is_open(
    serve: Serve, database: str, processes: int
) -> None:
    site = serve(database=database, processes=processes)
    slug = make_tournament(site)
    async with Visitor(site.url) as anna:
        line = await start_hole(anna, slug)
        opening = await line.hear()
        assert (await line.act(0, "d"))["type"] == "done"
        until = await elsewhere(deadlines.run, site, "extend", slug, 48 * HOUR)
        assert until > opening["closes_at"]
        if processes > 1:
            # Whichever process gave it, this one has heard.
            told = await line.hear()
            assert (told["type"], told["closes_at"]) == ("deadline", until)
        # The time of all the others ends now.
        await elsewhere(deadlines.run, site, "end", slug, 0)
        refused = await line.act(1, "9")
        assert refused["code"] == "no_such_column"
        assert (await line.ask(type="state"))["closes_at"] == until
        assert (await line.act(1, "d"))["type"] == "done"
        assert "Go on with hole 1" in await anna.get(f"/tournaments/{slug}/")
    assert (await elsewhere(deadlines.run, site, "count", slug))["status"] == "open"


async def test_less_time_is_told_too_and_then_nothing_counts(serve: Serve) -> None:
    site = serve(database="postgresql", processes=2)
    slug = make_tournament(site)
    async with Visitor(site.url) as anna:
        line = await start_hole(anna, slug)
        opening = await line.hear()
        await elsewhere(deadlines.run, site, "end", slug, 1)
        told = await line.hear()
        assert told["type"] == "deadline"
        assert told["closes_at"] < opening["closes_at"]
        await asyncio.sleep(max(0, told["closes_at"] - told["now"]) / 1000)
        late = await line.act(0, "d")
        assert (late["type"], late["code"]) == ("refused", "closed")
        state = late
        while not state["position"]["final"]:  # the director comes by within a second
            state = await line.ask(type="state")
            await asyncio.sleep(0.05)
        assert (state["position"]["state"], state["position"]["turn"]) == ("closed", 1)
        assert (await line.act(1, "d"))["code"] == "closed"


async def test_a_deadline_is_kept_although_nobody_is_connected(serve: Serve) -> None:
    site = serve()
    slug = make_tournament(site)
    async with Visitor(site.url) as anna:
        line = await start_hole(anna, slug)
        await line.hear()
        assert (await line.act(0, "d"))["type"] == "done"
        await line.hang_up()
    await elsewhere(deadlines.run, site, "end", slug, 0)
    await elsewhere(await_close, site)
    assert deadlines.run(site, "count", slug) == {
        "status": "closed", "steps": 1, "closed": 1, "ends": 1, "secret": 0, "recorded": 1,
        "thru": 1,
    }  # fmt: skip


# --- the command -------------------------------------------------------------------------------

STARTED = "The director looks every 0.05 s. SIGTERM or Ctrl-C ends it.\n"


@contextmanager
def director(site: Site, log: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """`manage.py director` as a process, which has said that it works."""
    command = [sys.executable, "manage.py", "director", "--interval", "0.05", *arguments]
    with (
        log.open("wb") as output,
        subprocess.Popen(command, cwd=ROOT, env=site.env, stdout=output, stderr=output) as process,
    ):
        try:
            wait_until(lambda: log.read_text() == STARTED, seconds=30, what="the director to start")
            yield process
        finally:
            process.kill()


#: How many holes are closed, and how many tournaments: quicker than by starting a process.
HOLES = "SELECT count(*) FROM games_game WHERE state = 'closed'"
TOURNAMENTS = "SELECT count(*) FROM tournaments_tournament WHERE status = 'closed'"


def count(site: Site, query: str) -> int:
    """Ask the site's database itself."""
    if "DATABASE_URL" in site.env:
        with psycopg.connect(site.env["DATABASE_URL"]) as server:
            return int(server.execute(query).fetchone()[0])
    with closing(sqlite3.connect(site.data / "golf.sqlite3", timeout=10)) as file:
        return int(file.execute(query).fetchone()[0])


def await_close(site: Site) -> None:
    wait_until(lambda: count(site, TOURNAMENTS) == 1, seconds=120, what="the close")


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_second_director_ends_what_a_killed_one_began(
    serve: Serve, tmp_path: Path, database: str
) -> None:
    site = serve(database=database, start=False)
    site.manage("migrate", "--verbosity", "0")
    slug, entries = make_tournament(site), 300
    deadlines.run(site, "fill", slug, entries)
    with director(site, tmp_path / "first.log") as first:
        wait_until(lambda: count(site, HOLES) > 0, seconds=60, what="the first holes to be closed")
        first.send_signal(signal.SIGKILL)
        first.wait()
    half = deadlines.run(site, "count", slug)
    assert 0 < half["closed"] < entries
    # What was done was done whole, and nothing is open before all of it is.
    assert (half["ends"], half["secret"], half["status"]) == (half["closed"], entries, "open")
    with director(site, tmp_path / "second.log") as second:
        await_close(site)
        second.send_signal(signal.SIGTERM)
        assert second.wait(30) == 0
    assert deadlines.run(site, "count", slug) == {
        "status": "closed", "steps": 1, "closed": entries, "ends": entries, "secret": 0,
        "recorded": entries, "thru": entries,
    }  # fmt: skip
    assert (tmp_path / "second.log").read_text() == STARTED


def test_two_directors_at_once_are_one(serve: Serve, tmp_path: Path) -> None:
    site = serve(database="postgresql", start=False)
    site.manage("migrate", "--verbosity", "0")
    slug, entries = make_tournament(site), 60
    with (
        director(site, tmp_path / "first.log"),
        director(site, tmp_path / "second.log"),
    ):
        deadlines.run(site, "fill", slug, entries)
        await_close(site)
    assert deadlines.run(site, "count", slug) == {
        "status": "closed", "steps": 1, "closed": entries, "ends": entries, "secret": 0,
        "recorded": entries, "thru": entries,
    }  # fmt: skip
    for name in ("first.log", "second.log"):
        assert (tmp_path / name).read_text() == STARTED


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_director_ends_in_the_middle_of_its_work(
    serve: Serve, tmp_path: Path, number: signal.Signals
) -> None:
    site = serve(start=False)
    site.manage("migrate", "--verbosity", "0")
    slug, entries = make_tournament(site), 300
    deadlines.run(site, "fill", slug, entries)
    with director(site, tmp_path / "director.log") as process:
        wait_until(lambda: count(site, HOLES) > 0, seconds=60, what="the first holes to be closed")
        process.send_signal(number)
        assert process.wait(30) == 0
    assert (tmp_path / "director.log").read_text() == STARTED
    assert deadlines.run(site, "count", slug)["status"] == "open"


def test_the_director_shows_its_figures_to_this_computer(serve: Serve, tmp_path: Path) -> None:
    site = serve(start=False)
    site.manage("migrate", "--verbosity", "0")
    port = free_port()
    with director(site, tmp_path / "director.log", "--metrics-port", str(port)):

        def figures() -> str:
            return fetch(f"http://127.0.0.1:{port}/metrics")[1]

        done = re.compile(
            r'^golf_director_jobs_total\{job="close holes",outcome="done"\} [1-9]', re.MULTILINE
        )
        wait_until(lambda: done.search(figures()), seconds=30, what="the first look")
        taken = site.manage("director", "--metrics-port", str(port), check=False)
        assert taken.returncode == 1
        assert taken.stderr.startswith(f"CommandError: Port {port} of 127.0.0.1 cannot be had")
