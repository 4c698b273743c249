"""Lines of what is measured by programs of their own, each of which writes its figures as JSON."""

import json
import subprocess
import sys
from typing import Any

from tests.bench.lines import Line
from tests.bench.servers import Bench
from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT


def boards(bench: Bench) -> list[Line]:
    """Return the lines of a board of 10,000 entries."""
    found = run("boards")
    page, hole = found["medians"]["page"], found["medians"]["hole"]
    queries = sorted(set(found["queries"].values()))
    few, many = found["queries"]
    constant = len(queries) == 1
    return [
        Line(
            f"leaderboard page, {found['entries']:,} entries",
            f"< {found['limits']['page']:.0f} ms, constant queries",
            f"{page:.1f} ms, {found['queries'][many]} queries ({found['queries'][few]} with {few}"
            " entries)",
            page < found["limits"]["page"] and constant,
            found,
        ),
        Line(
            f"a finished hole, until the board of {found['entries']:,} shows it",
            f"< {found['limits']['hole']:.0f} ms",
            f"{hole:.1f} ms",
            hole < found["limits"]["hole"],
        ),
    ]


def recompute(bench: Bench) -> list[Line]:
    """Return the line of a whole board made anew."""
    found = run("recompute")
    return [
        Line(
            f"the whole board anew, from {found['moves'] / 1e6:.1f} million moves",
            f"< {found['limit']:.0f} s",
            f"{found['seconds']:.1f} s, {found['corrected']} of {found['broken']} wrong figures"
            " put right",
            found["seconds"] < found["limit"] and found["corrected"] == found["broken"],
            found,
        )
    ]


def races(bench: Bench) -> list[Line]:
    """Return the line of what rooms cost everybody else."""
    found = run("races", "--rounds", str(bench.options.rounds))
    return [
        Line(
            "answer time of others while ten rooms of ten race",
            f"≤ {found['limit']:g} times as long",
            f"{found['share']:.2f} times ({found['medians']['without']:.1f} and"
            f" {found['medians']['with']:.1f} ms)",
            found["share"] <= found["limit"],
            found,
        )
    ]


def pages(bench: Bench) -> list[Line]:
    """Return the line of the board's page on a slow phone."""
    found = run("pages", "--rounds", str(bench.options.rounds))
    playable = found["medians"]["playable"]
    return [
        Line(
            "board on a slow phone, playable",
            f"≤ {found['required']:,} ms",
            f"{playable:,.0f} ms",
            playable <= found["required"],
            found,
        )
    ]


def solver(bench: Bench) -> list[Line]:
    """Return the line of the solver."""
    found = run("solver")
    rows = found["rows"]
    return [
        Line(
            f"solver, {len(rows)} rule sets, {found['options']['deals']} deals each",
            "see tests/bench/solver.py",
            f"median ≤ {max(row['median'] for row in rows):.0f} ms, {found['memory']:.0f} MB;"
            f" a search takes ≥ {min(row['ratio'] for row in rows):.0f} times as long at p95",
            not found["faults"],
            found,
        )
    ]


def figures(bench: Bench) -> list[Line]:
    """Return the line of the pages of figures."""
    found = run("figures")
    slowest = max(found["asked"], key=found["medians"].__getitem__)
    return [
        Line(
            f"pages of figures, a field of {found['entries']}",
            f"≤ {found['limit']:.0f} ms each",
            f"{found['medians'][slowest]:.0f} ms ({slowest}, the slowest)",
            found["medians"][slowest] <= found["limit"],
            found,
        )
    ]


def run(program: str, *options: str) -> dict[str, Any]:
    """Run `tests.bench.PROGRAM` and return the figures it wrote; its words go to standard error."""
    results = ROOT / "bench-results" / f"{program}.json"
    results.unlink(missing_ok=True)
    subprocess.run(
        [sys.executable, "-m", f"tests.bench.{program}", *options],
        cwd=ROOT,
        env=clean_environment(),
        stdout=sys.stderr,
        timeout=1_800,
        check=False,  # 1: too slow, which the table says
    )
    if not results.exists():
        raise SystemExit(f"tests.bench.{program} failed")
    found: dict[str, Any] = json.loads(results.read_text())
    return found
