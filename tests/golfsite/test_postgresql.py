"""Every test that uses the test database, once more on PostgreSQL."""

import os
import subprocess
import sys

import pytest

from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT


@pytest.mark.skipif(
    "GOLF_TEST_DATABASE_URL" in os.environ, reason="these tests run on PostgreSQL already"
)
def test_the_database_tests_pass_on_postgresql(postgresql, request):
    outcome = subprocess.run(
        # The database is kept, since the database threads of the process keep their connections
        # to it to the end; it goes with its server.
        [
            sys.executable, "-m", "pytest", "-q", "--database-tests", "--color=no", "--reuse-db",
            *(["--require-all"] if request.config.getoption("--require-all") else []),
        ],
        cwd=ROOT,
        env=clean_environment(
            GOLF_TEST_DATABASE_URL=postgresql.url(postgresql.new_database()),
            # Its folders must not push out those that this run has kept.
            PYTEST_DEBUG_TEMPROOT=str(request.getfixturevalue("tmp_path")),
        ),
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    print(outcome.stdout)
    assert (outcome.returncode, outcome.stderr) == (0, "")
