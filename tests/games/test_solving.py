"""The solver's process: asked, killed, and ended with its server."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from time import monotonic

import pytest

from games import solving
from games.engine import Best, GameCode, NotAdjacent, solver
from tests.games.factories import PUBLISHED, PUBLISHED_LINE
from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT, wait_until

CODES = [GameCode.parse(f"GO1-{rules}-AAAAAAB") for rules in ("E", "C", "S", "XLQW1E")]


def process() -> int:
    """Return the id of the process that solves."""
    (pid,) = solving._beside.started()._processes
    return pid


def test_it_answers_in_the_order_of_the_questions() -> None:
    expected = [solver.solve(code.deal(), code.rules) for code in CODES]
    assert solving.solve(CODES) == expected
    assert solving.solve([]) == []
    assert process() != os.getpid()


def test_a_whole_game() -> None:
    found = solving.solve_line(PUBLISHED, PUBLISHED_LINE)
    assert (len(found), found[0], found[-1]) == (49, Best(35, 7), Best(35, 3))
    with pytest.raises(NotAdjacent):
        solving.solve_line(PUBLISHED, "1")


def test_a_process_that_is_killed_is_started_again() -> None:
    solving.solve(CODES[:1])
    killed = process()
    os.kill(killed, signal.SIGKILL)
    assert solving.solve(CODES[2:3])[0].best == Best(33, None)
    assert process() != killed


def test_who_waits_too_long_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "PATIENCE", 0.0)
    with pytest.raises(solving.Unavailable, match="too long"):
        solving.solve([GameCode.parse("GO1-E-GOLFING")] * 50)
    monkeypatch.undo()
    # Whoever comes next need not wait as long for nothing; after a while somebody tries again.
    with pytest.raises(solving.Unavailable, match="just now"):
        solving.solve(CODES[:1])
    monkeypatch.setattr(solving, "monotonic", lambda: monotonic() + solving.REST)
    assert solving.solve(CODES[:1])[0].best == Best(35, 7)
    solving._beside.rests_until = 0.0


def test_a_process_that_ends_again_and_again_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_beside", solving._Beside())
    monkeypatch.setattr(solving, "_begin", partial(os._exit, 1))
    with pytest.raises(solving.Unavailable, match="process ends"):
        solving.solve(CODES[:1])


SERVER = """
import os, signal, sys
from games import solving
from games.engine import GameCode

if __name__ == "__main__":
    best = solving.solve([GameCode.parse("GO1-S-AAAAAAB")])[0].best
    assert best.cleared == 33 and "numpy" not in sys.modules
    print(*solving._beside.started()._processes, flush=True)
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
"""


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(("how", "status"), [("ends", 0), ("killed", -signal.SIGKILL)])
def test_it_ends_with_its_server_and_keeps_numpy_to_itself(
    how: str, status: int, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    done = subprocess.run(
        [sys.executable, str(script), how],
        cwd=ROOT,
        env={**clean_environment(), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=False,
        timeout=120,
    )
    assert done.returncode == status
    pid = int(done.stdout)
    wait_until(lambda: not is_running(pid), seconds=30, what="the solver's process to end")
