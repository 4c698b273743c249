"""Rows come in the order that was asked for, or in none: what a test sees by luck is a failure.

A query that groups (`annotate(count=Count(…))`) leaves out its model's `Meta.ordering`, and a query
without an order mostly gives its rows in that of their keys – until a row is written again, or
another plan is taken. So the first is an error here, and SQLite gives what has no order backwards.
"""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.models.sql.compiler import SQLCompiler

_execute_sql = SQLCompiler.execute_sql


def _in_an_order(compiler: SQLCompiler, *args: Any, **options: Any) -> Any:
    rows = _execute_sql(compiler, *args, **options)
    query = compiler.query
    if query.group_by is not None and getattr(compiler, "_meta_ordering", None):
        raise AssertionError(
            f"This query groups, so the order of {query.get_meta().label} is left out;"
            f" ask for one with order_by(), which may be empty: {query}"
        )
    return rows


def _backwards(connection: BaseDatabaseWrapper, **_kwargs: Any) -> None:
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA reverse_unordered_selects = ON")


@pytest.fixture(scope="session", autouse=True)
def _orders_are_asked_for() -> Iterator[None]:
    connection_created.connect(_backwards)
    with mock.patch.object(SQLCompiler, "execute_sql", _in_an_order):
        yield
    connection_created.disconnect(_backwards)
