"""Every test that uses the test database, once more on PostgreSQL."""

import os

import pytest

from tests.harness.beside import Beside


@pytest.mark.skipif(
    "GOLF_TEST_DATABASE_URL" in os.environ, reason="these tests run on PostgreSQL already"
)
def test_the_database_tests_pass_on_postgresql(
    postgresql: object, database_tests_on_postgresql: Beside
) -> None:
    status, output = database_tests_on_postgresql.wait()
    print(output)
    assert status == 0
