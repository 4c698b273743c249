"""Database work of the event loop: a few threads of its own, so that nobody waits for everybody.

Channels and asgiref run all of a process's synchronous work in one shared thread; one slow query
would then stop every socket.
"""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Final, ParamSpec, TypeVar

from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, connection

from games import metrics

#: Seconds after which whoever waits is told that the database does not answer.
PATIENCE: Final = 8.0

#: PostgreSQL's codes for what it would not wait for: a lock did not come in time, or two waited for
#: each other; and for one thing that it would not do: that, or it took too long.
_HELD_UP: Final = frozenset({"55P03", "40P01"})
_ONE_THING: Final = _HELD_UP | {"57014"}

P = ParamSpec("P")
T = TypeVar("T")


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(settings.DATABASE_THREADS, thread_name_prefix="database")


async def in_database_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return `function(*args, **kwargs)`, run in a database thread; raises what it raises.

    Raises `OperationalError` when there is no answer in time; what was asked may yet be done.
    """
    # With the context, so that what is logged there says for whom.
    work = partial(on_kept_connection, function, *args, **kwargs)
    call = partial(contextvars.copy_context().run, work)
    metrics.DATABASE_CALLS.inc()
    try:
        async with asyncio.timeout(PATIENCE):
            return await asyncio.get_running_loop().run_in_executor(_threads(), call)
    except TimeoutError:
        raise OperationalError("the database does not answer") from None
    finally:
        metrics.DATABASE_CALLS.dec()


def is_away(error: Exception) -> bool:
    """Return whether the database answers nobody, rather than having refused one thing."""
    is_trouble = isinstance(error, OperationalError | InterfaceError)
    return is_trouble and _code_of(error) not in _ONE_THING


def is_held_up(error: Error) -> bool:
    """Return whether the database could not wait for a lock."""
    return _code_of(error) in _HELD_UP


def _code_of(error: Exception) -> str | None:
    """Return the code that PostgreSQL gave an error, if it did."""
    return getattr(error.__cause__, "sqlstate", None)


def on_kept_connection(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `function` on this thread's connection, which stays open until something breaks.

    For threads that live as long as the process; opening a connection costs more than most of
    what is done with it.
    """
    try:
        return function(*args, **kwargs)
    except Error:
        connection.close()  # the next call begins with a fresh one
        raise
