"""Every test that uses the test database, once more on PostgreSQL; and what its server has said."""

import os
import re

import pytest

from tests.harness.beside import Beside
from tests.harness.databases import PostgreSQL


@pytest.mark.skipif(
    "GOLF_TEST_DATABASE_URL" in os.environ, reason="these tests run on PostgreSQL already"
)
def test_the_database_tests_pass_on_postgresql(
    postgresql: PostgreSQL, database_tests_on_postgresql: Beside
) -> None:
    status, output = database_tests_on_postgresql.wait()
    print(output)
    assert status == 0


def test_no_two_transactions_of_the_whole_run_waited_for_each_other(
    postgresql: PostgreSQL,
) -> None:
    """PostgreSQL ends one of them after a second, and tells what both were doing."""
    assert re.findall(r"deadlock detected.*\n(?:.*\n){0,6}", postgresql.log()) == []
