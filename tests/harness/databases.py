"""Throwaway databases: PostgreSQL and Redis on free ports, and a migrated SQLite file."""

import atexit
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

import psycopg
import redis

from tests.harness.environment import clean_environment
from tests.harness.processes import (
    ROOT,
    Program,
    StartError,
    accepts_connections,
    find_program,
    free_port,
    unprivileged_ids,
)

#: The embedded site's database, in its folder.
SQLITE_FILE: Final = "golf.sqlite3"


class PostgreSQL:
    """A PostgreSQL server with fsync on. `start` raises `StartError` where it cannot run."""

    def __init__(self, *, initdb: str, postgres: str) -> None:
        self._initdb = initdb
        self._postgres = postgres
        self._numbers = itertools.count(1)
        self._template: str | None = None
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="golf-postgresql-"))
        ids = unprivileged_ids()
        self._user: int | None = ids[0]
        self._group: int | None = ids[1]
        self._server = Program(
            # A shutdown must not wait for the connections that killed servers left behind.
            [
                postgres, "-D", str(self.folder / "data"), "-p", str(self.port),
                "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
                "-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "full_page_writes=on",
                "-c", "max_connections=200", "-c", "timezone=UTC", "-c", "lc_messages=C",
            ],
            log=self.folder / "server.log",
            answers=self._answers,
            user=self._user,
            group=self._group,
        )  # fmt: skip

    def url(self, database: str = "postgres") -> str:
        """Return the URL of one of its databases."""
        return f"postgresql://golf@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Make a cluster in a folder of its own and start the server."""
        if self._user is not None and self._group is not None:
            os.chown(self.folder, self._user, self._group)
        made = subprocess.run(
            [
                self._initdb, "--pgdata", str(self.folder / "data"), "--username", "golf",
                "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync",
            ],
            user=self._user,
            group=self._group,
            extra_groups=None if self._user is None else [],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
        if made.returncode:
            raise StartError(f"initdb failed:\n{made.stdout}{made.stderr}")
        self._server.start()

    def stop(self) -> None:
        """Stop the server and remove all that it stored."""
        if self._server.running:
            # SIGINT is PostgreSQL's fast shutdown: it ends the connections that are left.
            self._server.stop(sign=signal.SIGINT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def halt(self, *, sign: signal.Signals = signal.SIGINT) -> None:
        """Stop the server, keep what it stored; SIGQUIT is the immediate shutdown, like a crash."""
        self._server.stop(sign=sign)

    def start_again(self) -> None:
        """Start the server on what it stored."""
        self._server.start()

    def new_database(self, *, template: str | None = None) -> str:
        """Return the name of a new database: empty, or a copy of `template`."""
        name = f"golf_{next(self._numbers)}"
        copied = f' TEMPLATE "{template}"' if template else ""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"{copied}'.encode())
        return name

    def migrated_database(self) -> str:
        """Return the URL of a new database with every migration applied."""
        if self._template is None:
            template = self.new_database()
            migrate(DATABASE_URL=self.url(template))
            self._template = template
        return self.url(self.new_database(template=self._template))

    def log(self) -> str:
        """Return everything that the server has said."""
        return (self.folder / "server.log").read_text(errors="replace")

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


class Redis:
    """A Redis server that keeps nothing on disk."""

    def __init__(self, *, program: str) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="golf-redis-"))
        self._server = Program(
            [
                program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                "--appendonly", "no", "--dir", str(self.folder), "--databases", "2",
            ],
            log=self.folder / "server.log",
            answers=lambda: accepts_connections(self.port),
        )  # fmt: skip
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it."""
        self._server.start()

    def stop(self) -> None:
        """Stop it and remove its folder."""
        self._server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def halt(self) -> None:
        """Stop it; nothing of what it had is kept."""
        self._server.stop()

    def start_again(self) -> None:
        """Start it, empty."""
        self._server.start()

    def flush(self) -> None:
        """Forget everything that is stored in it."""
        with redis.Redis.from_url(self.url) as client:
            client.flushall()


@cache
def migrated_file() -> Path:
    """Return an SQLite database with every migration applied, to be copied and not to be used."""
    folder = Path(tempfile.mkdtemp(prefix="golf-sqlite-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    migrate(GOLF_DATA_DIR=str(folder))
    return folder / SQLITE_FILE


def migrate(**variables: str) -> None:
    """Apply every migration to the database that the environment `variables` name."""
    environment = clean_environment(GOLF_SECRET_KEY="k" * 50, **variables)
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise StartError(f"migrate failed:\n{done.stdout}{done.stderr}")


def postgresql_programs() -> dict[str, str] | None:
    """Return the programs that `PostgreSQL` needs, or None where they are not installed."""
    initdb, postgres = find_program("initdb"), find_program("postgres")
    return {"initdb": initdb, "postgres": postgres} if initdb and postgres else None
