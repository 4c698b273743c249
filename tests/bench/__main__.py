"""Everything that is measured, as one table of what must be reached and what was.

    python -m tests.bench [ROW …] [--rounds 5] [--seconds 3]

Without a ROW all of them. Everything in a row is measured in one run and in turn, there and back
again, so that a machine that gets slower does so for all; what counts are medians. Prints the table
as it grows, writes `bench-results/bench.json`, and exits 1 where a line is not met.
"""

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime

import msgspec

from tests.bench import (
    answers,
    growth,
    idle,
    moves,
    notices,
    processes,
    programs,
    rooms,
)
from tests.bench.lines import Line, table
from tests.bench.servers import Bench, Options
from tests.harness.processes import ROOT

RESULTS = ROOT / "bench-results"

ROWS: dict[str, Callable[[Bench], list[Line]]] = {
    "moves": moves.measure,
    "rooms": rooms.measure,
    "answers": answers.measure,
    "notices": notices.measure,
    "processes": processes.measure,
    "boards": programs.boards,
    "recompute": programs.recompute,
    "idle": idle.measure,
    "growth": growth.measure,
    "races": programs.races,
    "pages": programs.pages,
    "solver": programs.solver,
    "figures": programs.figures,
}


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(prog="tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=" ".join(ROWS))
    parser.add_argument("--rounds", type=int, default=Options.rounds)
    parser.add_argument("--seconds", type=float, default=Options.seconds)
    options = parser.parse_args()
    unknown = [row for row in options.rows if row not in ROWS]
    if unknown:
        parser.error(f"no such row: {' '.join(unknown)}")
    lines: dict[str, list[Line]] = {}
    for row in options.rows or ROWS:
        began = time.monotonic()
        sys.stderr.write(f"{row}\n")
        with Bench(Options(rounds=options.rounds, seconds=options.seconds)) as bench:
            lines[row] = ROWS[row](bench)
        sys.stderr.write(f"  {time.monotonic() - began:.0f} s\n")
        write(lines, options)
    every = [line for found in lines.values() for line in found]
    sys.stdout.write(table(every))
    return int(any(line.met is False for line in every))


def write(lines: dict[str, list[Line]], options: argparse.Namespace) -> None:
    """Write what has been measured so far."""
    written = {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "options": vars(options),
        "rows": {row: [asdict(line) for line in found] for row, found in lines.items()},
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "bench.json").write_bytes(msgspec.json.format(msgspec.json.encode(written)) + b"\n")


if __name__ == "__main__":
    # The solver's process is spawned, and imports this module anew.
    sys.exit(main())
