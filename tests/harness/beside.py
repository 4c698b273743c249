"""The database tests once more on PostgreSQL, in a process beside the others.

They need one processor and the other tests another: side by side a run takes as long as the longer
half. The process starts before the first test; `tests/golfsite/test_postgresql.py`, which comes
last, waits for it.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.databases import postgresql_programs
from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT

MODULE = "test_postgresql.py"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let whoever waits come last."""
    items.sort(key=_waits)


def _waits(item: pytest.Item) -> bool:
    return item.path.name == MODULE


class Beside:
    """The run beside this one; its output is kept in a file, which holds nobody up."""

    def __init__(self, url: str, folder: Path, *, require_all: bool) -> None:
        self._output = folder / "output.txt"
        with self._output.open("w") as output:
            self._process = subprocess.Popen(
                # The database is kept: it goes with its server.
                [
                    sys.executable, "-m", "pytest", "-q", "--database-tests", "--color=no",
                    "--reuse-db", *(["--require-all"] if require_all else []),
                ],
                cwd=ROOT,
                env=clean_environment(
                    GOLF_TEST_DATABASE_URL=url,
                    # Its folders must not push out those that this run has kept.
                    PYTEST_DEBUG_TEMPROOT=str(folder),
                ),
                stdout=output,
                stderr=subprocess.STDOUT,
            )  # fmt: skip

    def wait(self) -> tuple[int, str]:
        """Return its exit status and its output, once it is done."""
        return self._process.wait(), self._output.read_text()

    def end(self) -> None:
        """End it where it has not ended."""
        if self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            # A test that was broken off may have left a thread that nobody ends.
            self._process.kill()
            self._process.wait()


@pytest.fixture(scope="session", autouse=True)
def database_tests_on_postgresql(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Beside | None]:
    is_wanted = any(map(_waits, request.session.items)) and postgresql_programs() is not None
    if not is_wanted or "GOLF_TEST_DATABASE_URL" in os.environ:
        yield None
        return
    server = request.getfixturevalue("postgresql")
    beside = Beside(
        server.url(server.new_database()),
        tmp_path_factory.mktemp("beside"),
        require_all=request.config.getoption("--require-all"),
    )
    try:
        yield beside
    finally:
        beside.end()
