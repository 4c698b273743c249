"""What is measured, running: servers on databases of their own, and the load beside them."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

import msgspec

from tests.bench.load import Order, Result, Seat
from tests.harness.databases import PostgreSQL, Redis, migrate, postgresql_programs
from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT, Program, accepts_connections, find_program, free_port

Database = Literal["postgresql", "sqlite"]
DATABASES: tuple[Database, ...] = ("postgresql", "sqlite")
NAMES = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}

SITE = "golfsite.asgi:application"
ECHO = "tests.bench.echo:application"
NAIVE = "tests.bench.naive:application"

#: The size of an action: the echo's frames are as large.
ECHO_SIZE = 37
#: Games that each player has open, one of which is played at a time.
GAMES = 4


@dataclass(frozen=True)
class Options:
    """How long is measured: rounds, and seconds of each."""

    rounds: int = 5
    seconds: float = 3.0
    warm_up: float = 1.0


class Bench:
    """Databases and servers of one run. Ends everything that it has started."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._stack = ExitStack()
        self.folder = Path(tempfile.mkdtemp(prefix="golf-bench-"))
        self._stack.callback(shutil.rmtree, self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    @cached_property
    def postgresql(self) -> PostgreSQL:
        """A PostgreSQL server with fsync on."""
        programs = postgresql_programs()
        if programs is None:
            raise SystemExit("PostgreSQL is not installed: no initdb and postgres found.")
        server = PostgreSQL(**programs)
        self._stack.callback(server.stop)
        server.start()
        return server

    @cached_property
    def redis(self) -> Redis:
        """A Redis server."""
        program = find_program("redis-server", "valkey-server")
        if program is None:
            raise SystemExit("Redis is not installed.")
        server = Redis(program=program)
        self._stack.callback(server.stop)
        server.start()
        return server

    def rounds(self, servers: Sequence["Server"]) -> Iterator[tuple[int, "Server"]]:
        """Yield each server once a round: in turn, and back again, as a machine may get slower."""
        for number in range(self.options.rounds):
            for server in servers if number % 2 == 0 else reversed(servers):
                yield number, server

    @contextmanager
    def serving(
        self, name: str, application: str, database: Database | None = None, **given: Any
    ) -> Iterator["Server"]:
        """Start a server as `Server` says, and end it afterwards."""
        server = Server(self, name, application, database, **given)
        try:
            server.start()
            yield server
        finally:
            server.stop()


class Server:
    """Daphne with an application, in one process or several, on a database of its own."""

    def __init__(
        self,
        bench: Bench,
        name: str,
        application: str,
        database: Database | None,
        *,
        processes: int = 1,
        redis: bool = False,
        **env: str,
    ) -> None:
        self.name = name
        self.database = database
        self.folder = Path(tempfile.mkdtemp(dir=bench.folder))
        self._options = bench.options
        given = {
            "DJANGO_SETTINGS_MODULE": "golfsite.settings",
            "GOLF_DATA_DIR": str(self.folder),
            "GOLF_SECRET_KEY": "a key for benchmarks, long enough to sign sessions with it",
            "GOLF_SOCKET_RATE": "1000000",
            "GOLF_SOCKET_BURST": "1000000",
            "GOLF_PROCESSES": str(processes),
            **env,
        }
        if redis:
            given["REDIS_URL"] = bench.redis.url
        if database == "postgresql":
            given["DATABASE_URL"] = bench.postgresql.migrated_database()
        elif database == "sqlite":
            migrate(GOLF_DATA_DIR=given["GOLF_DATA_DIR"])
        self.env = clean_environment(**given)
        self.ports = [free_port() for _ in range(processes)]
        self._programs = [self._program(port, application) for port in self.ports]
        self._stored = 0

    def _program(self, port: int, application: str) -> Program:
        return Program(
            [
                sys.executable, "-m", "daphne", "--bind", "127.0.0.1", "--port", str(port),
                "--no-server-name", "--verbosity", "0", application,
            ],
            log=self.folder / f"{port}.log",
            answers=lambda: accepts_connections(port),
            env=self.env,
        )  # fmt: skip

    @property
    def pids(self) -> list[int]:
        """The process ids."""
        return [program.pid for program in self._programs]

    def start(self) -> None:
        """Start the processes."""
        for program in self._programs:
            program.start()
        self.count_stored()

    def count_stored(self) -> None:
        """Note how many moves there are: those that are played from here on are compared."""
        if self.database is not None:
            self._stored = int(self.run("tests.bench.stored"))

    def stop(self) -> None:
        """End them."""
        for program in self._programs:
            program.stop()

    def seats(self, *, players: int, seed: int, games: int = GAMES) -> list[Seat]:
        """Return players with new games; of an echo with as many sockets."""
        if self.database is None:
            return [Seat("", ["/"] * games)] * players
        text = self.run("tests.bench.prepare", str(players), str(games), str(seed))
        return [
            Seat(cookie, [f"/ws/games/{game}/" for game in made])
            for cookie, made in msgspec.json.decode(text, type=list[tuple[str, list[str]]])
        ]

    def load(self, seats: list[Seat], **order: Any) -> Result:
        """Let the players play and return what was measured; raise if a move was lost or wrong."""
        given = {"warm_up": self._options.warm_up, "seconds": self._options.seconds, **order}
        made = Order(
            ports=self.ports,
            servers=self.pids,
            seats=seats,
            echo=ECHO_SIZE if self.database is None else 0,
            **given,
        )
        text = self.run("tests.bench.load", stdin=msgspec.json.encode(made))
        result = msgspec.json.decode(text, type=Result)
        if self.database is not None:
            stored = int(self.run("tests.bench.stored"))
            if stored - self._stored != result.acknowledged:
                raise SystemExit(
                    f"{self.name}: {result.acknowledged} moves acknowledged,"
                    f" {stored - self._stored} stored"
                )
            self._stored = stored
        sys.stderr.write(f"  {self.name:32}{result.rate:9,.0f} /s  p99 {result.p99:6.1f} ms\n")
        return result

    def run(self, module: str, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run a module beside the server, in its environment, and return what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            input=stdin,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=self.env,
            timeout=300,
            check=False,
        )
        if done.returncode:
            log = "".join(program.output() for program in self._programs)
            raise SystemExit(f"{self.name}: {module} failed\n{log}")
        return done.stdout
