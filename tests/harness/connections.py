"""The test database is left before it goes: PostgreSQL drops none that somebody is connected to.

The database threads of a process keep their connections for as long as it lives, and so does the
thread in which asynchronous code asks the database.
"""

from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

_opened: WeakSet[BaseDatabaseWrapper] = WeakSet()


def _note(connection: BaseDatabaseWrapper, **_kwargs: Any) -> None:
    _opened.add(connection)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """The test database, as pytest-django makes it; in the end every thread lets go of it."""
    connection_created.connect(_note)
    yield
    connection_created.disconnect(_note)
    for connection in list(_opened):
        connection.inc_thread_sharing()  # it is another thread's, which no longer does anything
        connection.close()
