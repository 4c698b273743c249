"""How the tests are run, and what they can use.

`make test` runs everything here. What needs PostgreSQL, Redis or Chromium is skipped where the
program is not installed, and says so; `--require-all` (or GOLF_REQUIRE_ALL=1) makes every skip a
failure. Warnings are errors.

In one process
    Tests that touch the database use pytest-django as usual (`@pytest.mark.django_db`, the
    fixtures `db`, `client`, …), on SQLite. All of them are run once more on PostgreSQL, beside
    the others (`tests/harness/beside.py`); by hand: `GOLF_TEST_DATABASE_URL=postgresql://…
    python -m pytest --database-tests`. Async tests need no mark; those that touch the database use
    `@pytest.mark.django_db(transaction=True)`. What a query gives without an order comes backwards
    from SQLite (`tests/harness/ordering.py`).

The real site (`tests/harness/site.py`)
    `serve(database="sqlite" | "postgresql", redis=None, processes=1, start=True, **env)` starts it
    on free ports with a new database and returns a `Site`: `.url` and `.urls` (no slash at the
    end), `.env`, `.data`, `.pid(index)`, `.kill(index)` (SIGKILL), `.terminate(index)` (SIGTERM,
    returns the exit status), `.start_again(index)`, `.manage("bots", "--players", "3", …)`,
    `.log()`. Redis is used by default with more than one process. Environment variables are given
    by name: `serve(GOLF_SOCKET_RATE="1000")`. What was started ends with the test; its output is
    shown when the test fails.

Several processes behind nginx (`tests/harness/cluster.py`)
    `start_cluster(processes=2, **env)` runs `manage.py cluster` and returns a `Cluster`: `.url`,
    `.web_ports`, `.env`, `.manage(…)`, `.restart_in_turn()`, `.pid_of("postgres")`, `.log()`.

Databases (`tests/harness/databases.py`)
    `postgresql_url` (the server, one for the run, fsync on), `postgresql_database()` → the URL of
    a new migrated database, `redis_url` → an empty Redis. `own_postgresql` and `own_redis` are
    servers of one test, which may stop them.

A browser (`tests/harness/browsers.py`)
    `page`, or `new_page(width=, height=, locale=, color_scheme=, allow_errors=[patterns], …)` for
    several players or sizes; each page has a profile of its own. An error on the console fails the
    test. Such a module has no async tests and does not use the ORM in its own process.

`tests.harness.processes` has `wait_until(condition, seconds=, what=)`, `free_port()`, `Program`.
"""

import pytest
from django.test import TransactionTestCase
from hypothesis import settings

# The same examples on every machine, and no failure because a machine is busy.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

pytest_plugins = [
    "pytester",
    "tests.harness.beside",
    "tests.harness.browsers",
    "tests.harness.connections",
    "tests.harness.ending",
    "tests.harness.fixtures",
    "tests.harness.ordering",
    "tests.harness.strict",
]

_DATABASE_FIXTURES = {"db", "transactional_db", "django_db_setup", "django_db_serialized_rollback"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database-tests",
        action="store_true",
        help="run only the tests that use the test database in this process",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--database-tests"):
        return
    others = [item for item in items if not _uses_database(item)]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]


def _uses_database(item: pytest.Item) -> bool:
    cls = getattr(item, "cls", None)
    return (
        item.get_closest_marker("django_db") is not None
        or not _DATABASE_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
        or (cls is not None and issubclass(cls, TransactionTestCase))
    )
