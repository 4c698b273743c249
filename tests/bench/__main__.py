"""Durable moves a second of many players on one server process, beside an echo and a naive server.

    python -m tests.bench [--players 200] [--rounds 5] [--seconds 4] [--only NAME …]

Everything is measured in one run and in turn, there and back again, so that a machine that gets
slower does so for all. Prints a table, writes `bench-results/live.json`, and exits 1 if the site
falls below its share of the echo on any database, 2 if the echo was not bounded by its server.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tests.bench.load import Order, Result
from tests.harness.databases import PostgreSQL, migrate, postgresql_programs
from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT, Program, accepts_connections, free_port

#: What the site must reach: durable moves a second as a part of the echo's frames a second.
REQUIRED = 0.4
#: The part of a core that the echo's server must have had: with less, something else was measured.
BUSY = 0.9
#: Games that each player has open, one of which is played at a time.
GAMES = 4
RESULTS = ROOT / "bench-results"


@dataclass(frozen=True)
class Candidate:
    """One server that is measured."""

    name: str
    label: str
    application: str
    database: str | None
    required: bool = False
    echo: int = 0


CANDIDATES = (
    Candidate("echo", "bare echo, no database", "tests.bench.echo:application", None, echo=37),
    Candidate(
        "golf-postgresql", "the site, PostgreSQL", "golfsite.asgi:application", "postgresql", True
    ),
    Candidate("golf-sqlite", "the site, SQLite", "golfsite.asgi:application", "sqlite", True),
    Candidate(
        "naive-postgresql", "naive, PostgreSQL", "tests.bench.naive:application", "postgresql"
    ),
    Candidate("naive-sqlite", "naive, SQLite", "tests.bench.naive:application", "sqlite"),
)


class Server:
    """One candidate, running: Daphne with its application."""

    def __init__(self, candidate: Candidate, folder: Path, env: dict[str, str]) -> None:
        self.candidate = candidate
        self.port = free_port()
        self.env = env
        self.program = Program(
            [
                sys.executable, "-m", "daphne", "--bind", "127.0.0.1", "--port", str(self.port),
                "--no-server-name", "--verbosity", "0", candidate.application,
            ],
            log=folder / f"{candidate.name}.log",
            answers=lambda: accepts_connections(self.port),
            env=env,
        )  # fmt: skip

    def measure(self, *, players: int, warm_up: float, seconds: float, seed: int) -> Result:
        """Play one round and return what was measured; raise if a move was lost or was wrong."""
        if self.candidate.database is None:
            prepared = [("", ["/"] * GAMES)] * players
        else:
            text = self._run("tests.bench.prepare", str(players), str(GAMES), str(seed))
            ids = msgspec.json.decode(text, type=list[tuple[str, list[str]]])
            prepared = [(cookie, [f"/ws/games/{id_}/" for id_ in games]) for cookie, games in ids]
        before = self._stored()
        order = Order(
            port=self.port,
            server=self.program.pid,
            cookies=[cookie for cookie, _ in prepared],
            games=[games for _, games in prepared],
            echo=self.candidate.echo,
            warm_up=warm_up,
            seconds=seconds,
        )
        result = msgspec.json.decode(
            self._run("tests.bench.load", stdin=msgspec.json.encode(order)), type=Result
        )
        stored = self._stored() - before
        if self.candidate.database is not None and stored != result.acknowledged:
            raise SystemExit(
                f"{self.candidate.name}: {result.acknowledged} moves acknowledged, {stored} stored"
            )
        return result

    def _stored(self) -> int:
        if self.candidate.database is None:
            return 0
        return int(self._run("tests.bench.stored"))

    def _run(self, module: str, *arguments: str, stdin: bytes = b"") -> bytes:
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
            raise SystemExit(f"{self.candidate.name}: {module} failed\n{self.program.output()}")
        return done.stdout


@contextmanager
def running(candidates: list[Candidate]) -> Iterator[list[Server]]:
    """Start every candidate on a database of its own; end and remove all of it afterwards."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="golf-bench-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        postgresql = (
            _postgresql(stack) if any(c.database == "postgresql" for c in candidates) else None
        )
        servers = []
        for candidate in candidates:
            env = {
                "DJANGO_SETTINGS_MODULE": "golfsite.settings",
                "GOLF_DATA_DIR": str(folder / candidate.name),
                "GOLF_SECRET_KEY": "a key for benchmarks, long enough to sign sessions with it",
                "GOLF_SOCKET_RATE": "1000000",
                "GOLF_SOCKET_BURST": "1000000",
            }
            if candidate.database == "postgresql":
                assert postgresql is not None
                env["DATABASE_URL"] = postgresql.migrated_database()
            elif candidate.database == "sqlite":
                (folder / candidate.name).mkdir()
                migrate(GOLF_DATA_DIR=env["GOLF_DATA_DIR"])
            server = Server(candidate, folder, clean_environment(**env))
            stack.callback(server.program.stop)
            server.program.start()
            servers.append(server)
        yield servers


def _postgresql(stack: ExitStack) -> PostgreSQL:
    programs = postgresql_programs()
    if programs is None:
        raise SystemExit("PostgreSQL is not installed: no initdb and postgres found.")
    server = PostgreSQL(**programs)
    stack.callback(server.stop)
    server.start()
    return server


def measure(options: argparse.Namespace) -> dict[str, list[Result]]:
    """Measure every candidate in every round, in turn and back again."""
    candidates = [c for c in CANDIDATES if not options.only or c.name in options.only]
    results: dict[str, list[Result]] = {candidate.name: [] for candidate in candidates}
    with running(candidates) as servers:
        for number in range(options.rounds):
            for server in servers if number % 2 == 0 else reversed(servers):
                result = server.measure(
                    players=options.players,
                    warm_up=options.warm_up,
                    seconds=options.seconds,
                    seed=number,
                )
                results[server.candidate.name].append(result)
                sys.stderr.write(
                    f"round {number + 1}  {server.candidate.label:24}{result.rate:9,.0f} /s\n"
                )
                time.sleep(0.5)
    return results


_MEDIANS = ("median", "p99", "server_cpu", "client_cpu", "answer")


def summary(results: dict[str, list[Result]]) -> list[dict[str, object]]:
    """Return a row for each candidate: the median of each figure over the rounds.

    Of the processor time of a move it is the least: whatever else a machine does only adds to it.
    """
    rates = {name: statistics.median(r.rate for r in rounds) for name, rounds in results.items()}
    rows = []
    for candidate in CANDIDATES:
        rounds = results.get(candidate.name)
        if not rounds:
            continue
        row: dict[str, object] = asdict(candidate)
        row["rate"] = rates[candidate.name]
        row["of_echo"] = _share(rounds, results.get("echo"))
        for name in _MEDIANS:
            row[name] = statistics.median(getattr(r, name) for r in rounds)
        row["cpu_per_move"] = min(r.cpu_per_move for r in rounds)
        row["rounds"] = [r.rate for r in rounds]
        rows.append(row)
    return rows


def _share(rounds: list[Result], echo: list[Result] | None) -> float | None:
    """Return the median of what each round reached of the echo in the same round."""
    if not echo:
        return None
    return statistics.median(
        mine.rate / theirs.rate for mine, theirs in zip(rounds, echo, strict=True)
    )


def table(rows: list[dict[str, object]]) -> str:
    """Return the rows as text."""
    columns = ("moves/s", "of echo", "median", "p99", "CPU/move", "server", "client", "answer")
    lines = [" " * 24 + "".join(f"{column:>10}" for column in columns)]
    for row in rows:
        share = "" if row["of_echo"] is None else f"{row['of_echo']:.2f}"
        lines.append(
            f"{row['label']:24}{row['rate']:10,.0f}{share:>10}{row['median']:7.1f} ms"
            f"{row['p99']:7.1f} ms{row['cpu_per_move']:7.0f} µs{row['server_cpu']:10.0%}"
            f"{row['client_cpu']:10.0%}{row['answer']:8,.0f} B"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(prog="tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm-up", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--only", nargs="*", choices=[c.name for c in CANDIDATES])
    options = parser.parse_args()
    rows = summary(measure(options))
    sys.stdout.write(table(rows))
    RESULTS.mkdir(exist_ok=True)
    written = {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": sys.version.split()[0],
        "processors": os.cpu_count(),
        "options": vars(options),
        "required_of_echo": REQUIRED,
        "rows": rows,
    }
    (RESULTS / "live.json").write_bytes(msgspec.json.format(msgspec.json.encode(written)) + b"\n")
    slow = [
        f"{row['label']} reaches {row['of_echo']:.2f} of the echo, less than {REQUIRED}\n"
        for row in rows
        if row["required"] and row["of_echo"] is not None and row["of_echo"] < REQUIRED
    ]
    idle = [
        f"The echo's server had {row['server_cpu']:.0%} of a core: the machine was busy with other"
        " things, or the client too slow. The shares say nothing; measure again.\n"
        for row in rows
        if row["name"] == "echo" and row["server_cpu"] < BUSY
    ]
    sys.stdout.write("".join(idle or slow))
    return 2 if idle else int(bool(slow))


if __name__ == "__main__":
    sys.exit(main())
