"""A backup that is made while people play, put back by the very commands of docs/running.md."""

import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.harness.databases import PostgreSQL
from tests.harness.fixtures import Serve
from tests.harness.processes import ROOT, wait_until
from tests.harness.site import Site
from tests.harness.visitor import Visitor
from tests.live import deadlines
from tests.live.test_bots import QUICK, acknowledged_in, arguments
from tests.live.test_deadlines import await_close
from tests.live.tournament import make_tournament, read_tournament, recompute


def commands(heading: str) -> list[list[str]]:
    """The commands that docs/running.md gives under a heading, as lists of words."""
    text = (ROOT / "docs" / "running.md").read_text()
    section = re.split(r"\n#+ ", text.split(f"# {heading}\n")[1])[0].replace("\\\n", "")
    lines = re.findall(r"^    \.venv/bin/python (manage\.py .+)$", section, re.MULTILINE)
    return [shlex.split(line) for line in lines]


def follow(site: Site, heading: str, folder: Path, *, part: slice = slice(None)) -> list[str]:
    """Do in `folder` what is written under a heading; return what was printed."""
    said = []
    for words in commands(heading)[part]:
        done = subprocess.run(
            [sys.executable, str(ROOT / words[0]), *words[1:]],
            cwd=folder,
            env=site.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), words
        said.append(done.stdout)
    return said


def look(site: Site) -> None:
    """Let a director of the site do all that is due."""
    code = "import django; django.setup(); from tournaments import director; director.tick()"
    env = site.env | {"DJANGO_SETTINGS_MODULE": "golfsite.settings"}
    for _ in range(2):  # what is closed at the first look is recorded at the second
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, check=True)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_what_was_acknowledged_before_it_is_in_it(
    serve: Serve, request: pytest.FixtureRequest, tmp_path: Path, database: str
) -> None:
    site = serve(database=database, processes=1, **QUICK)
    slug = make_tournament(site)
    noted = tmp_path / "acknowledged.jsonl"

    def count() -> int:
        return noted.read_bytes().count(b"\n") if noted.exists() else 0

    command = arguments(site, slug, players=6, holes=3, seed=9, pace=8, acknowledged=noted)
    with (
        (tmp_path / "bots.log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "manage.py", *command], cwd=ROOT, env=site.env, stdout=log, stderr=log
        ) as bots,
    ):
        try:
            wait_until(lambda: count() > 60, seconds=60, what="60 moves")
            (tmp_path / "before.jsonl").write_bytes(noted.read_bytes().rpartition(b"\n")[0])
            site.manage("backup", str(tmp_path / "midway"))
            assert bots.poll() is None
            assert bots.wait(120) == 0, (tmp_path / "bots.log").read_text()
        finally:
            bots.kill()
    deadlines.run(site, "end", slug, 0)
    await_close(site)
    follow(site, "Backups", tmp_path)
    backup = tmp_path / "golf.backup"
    assert oct(backup.stat().st_mode & 0o777) == "0o600"

    def empty() -> dict[str, str]:
        if database == "sqlite":
            return {}
        server: PostgreSQL = request.getfixturevalue("postgresql")
        return {"DATABASE_URL": server.url(server.new_database())}

    # The whole, on another computer: the same rows, and every closed tournament proves itself.
    second = serve(start=False, **empty())
    said = follow(second, "Putting a backup back", tmp_path)
    assert said[-1] == "Of 1 tournaments that are over all are right.\n"
    assert read_tournament(second, slug) == read_tournament(site, slug)
    assert recompute(second, slug) == {"games": 18, "corrected": 0}

    # What was taken while they played: every move that was answered before it.
    third = serve(start=False, **empty())
    third.manage("restore", str(tmp_path / "midway"))
    moves = {
        one["game"]["public_id"]: one["actions"] for one in read_tournament(third, slug)["games"]
    }
    before = acknowledged_in(tmp_path / "before.jsonl")
    assert sum(map(len, before.values())) >= 60
    for game, actions in before.items():
        assert {turn: moves[game][turn] for turn in actions} == actions
    # It goes on from there: holes that had just ended are recorded, and all is as it should be.
    look(third)
    assert recompute(third, slug)["corrected"] == 0


async def test_what_was_played_on_one_computer_comes_along_to_postgresql(
    serve: Serve, postgresql: PostgreSQL, tmp_path: Path
) -> None:
    heading = "From SQLite to PostgreSQL"
    old = serve(**QUICK)
    slug = make_tournament(old)
    deadlines.run(old, "fill", slug, 2)
    look(old)
    async with Visitor(old.url) as anna:
        await anna.become_guest("Anna")
        path = f"/ws/games/{await anna.practise('GO1-E-AAAAAAB')}/"
        line = await anna.connect(path)
        await line.hear()
        for turn, action in enumerate("d52"):
            assert (await line.act(turn, action))["type"] == "done"
        assert old.terminate() == 0
        follow(old, heading, tmp_path, part=slice(1))

        database = postgresql.url(postgresql.new_database())
        new = serve(start=False, DATABASE_URL=database, **QUICK)
        assert new.env["GOLF_SECRET_KEY"] == old.env["GOLF_SECRET_KEY"]
        said = follow(new, heading, tmp_path, part=slice(1, None))
        assert said[-1] == "Of 1 tournaments that are over all are right.\n"
        assert read_tournament(new, slug) == read_tournament(old, slug)
        assert recompute(new, slug)["corrected"] == 0
        # The guest plays on, and new rows find numbers that are free.
        new.start()
        anna.url = new.url
        line = await anna.connect(path)
        assert (await line.hear())["position"]["turn"] == 3
        assert (await line.act(3, "d"))["type"] == "done"
        await anna.practise("GO1-E-AAAAAAC")
    async with Visitor(new.url) as boris:
        await boris.become_guest("Boris")


class TestRefusals:
    def refusal(self, site: Site, *arguments: str) -> str:
        done = site.manage(*arguments, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        return done.stderr.removeprefix("CommandError: ").rstrip("\n")

    def test_nothing_is_written_over(self, serve: Serve, tmp_path: Path) -> None:
        site = serve(start=False)
        site.manage("migrate", "--verbosity", "0")
        there = tmp_path / "there"
        there.write_text("mine")
        assert (
            self.refusal(site, "backup", str(there)) == f"{there} cannot be written: File exists."
        )
        assert there.read_text() == "mine"
        backup = tmp_path / "golf.backup"
        site.manage("backup", str(backup))
        assert self.refusal(site, "restore", str(backup)) == (
            "The database is not empty: give a new one."
        )

    def test_what_is_no_backup(self, serve: Serve, tmp_path: Path) -> None:
        site = serve(start=False)
        missing, text = tmp_path / "missing", tmp_path / "text"
        text.write_text("no database\n" * 100)
        assert self.refusal(site, "restore", str(missing)) == f"There is no file {missing}."
        assert self.refusal(site, "restore", str(text)) == (
            f"{text} is no SQLite database: file is not a database."
        )

    def test_a_database_that_is_away(self, serve: Serve, tmp_path: Path) -> None:
        url = "postgresql://golf:very-secret@127.0.0.1:1/golf"
        site = serve(start=False, DATABASE_URL=url)
        line = self.refusal(site, "backup", str(tmp_path / "golf.backup"))
        assert line.startswith("pg_dump failed: ")
        assert "very-secret" not in line
        assert not (tmp_path / "golf.backup").exists()


def test_a_tournament_that_was_tampered_with_is_named(serve: Serve) -> None:
    site = serve(start=False, **QUICK)
    site.manage("migrate", "--verbosity", "0")
    slug = make_tournament(site)
    deadlines.run(site, "fill", slug, 2)
    look(site)
    good = site.manage("verify", "--site")
    assert good.stdout == "Of 1 tournaments that are over all are right.\n"
    with closing(sqlite3.connect(site.data / "golf.sqlite3")) as file, file:
        file.execute("UPDATE tournaments_holeresult SET strokes = 3")
    bad = site.manage("verify", "--site", check=False)
    assert bad.returncode == 1
    assert bad.stderr.splitlines()[-1] == "Of 1 tournaments that are over 1 are not right."
    assert bad.stderr.startswith(f"{slug}: ")
