"""The journal: the only place that appends moves.

Group commit: whatever queued while the last transaction committed goes into the next one, in one
statement, so a hundred players who move at once share one flush to the disk. A row is answered
after its commit; a turn that is taken, or a row that the database refuses, fails alone.

The unique key (game, turn) is the compare-and-set on which everything rests: two tabs, a repeated
message and a second process can never both write one turn.
"""

import asyncio
import json
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from operator import itemgetter
from typing import Any, Final, NamedTuple

from django.db import (
    DataError,
    IntegrityError,
    OperationalError,
    connection,
    transaction,
)

from games import metrics
from games.database import is_held_up, on_kept_connection
from games.models import Game, Move

logger = logging.getLogger(__name__)

#: Rows of one transaction at most; more wait for the next.
BATCH_LIMIT: Final = 500
#: After a transaction of more rows than this the next one waits for company: each costs 0.2 ms of
#: processor time however few rows it has. Where few play, nobody waits.
CROWD: Final = 4
#: How long it waits, in seconds for each of those rows, and at most: fifty players who wait for
#: each other as long as two hundred get less done than these.
GATHERING: Final = 0.00006
GATHERING_LIMIT: Final = 0.006
#: Rows that may wait at most; more are refused at once instead of late.
QUEUE_LIMIT: Final = 10_000
#: Seconds after which players are told that their actions could not be stored; they may yet be.
PATIENCE: Final = 8.0
#: What the database says of a row that it will never take; anything else concerns the batch.
REFUSED: Final = (IntegrityError, DataError)

_COLUMNS: Final = f"INSERT INTO {Move._meta.db_table} (game_id, turn, action, ms) "
# (WHERE: or the ON that may follow would belong to a join.)
_FROM_JSON: Final = (
    "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),"
    " json_extract(value, '$[3]') FROM json_each(%s) WHERE true"
)
_QUOTED: Final = '"%s"'
_ESCAPES: Final = str.maketrans({'"': r"\"", "\\": r"\\"})
_KEYS: Final = " ON CONFLICT DO NOTHING RETURNING game_id, turn"


class Unavailable(Exception):
    """The row could not be stored, or nobody can say whether it was; read before trying again."""


class Row(NamedTuple):
    """One action to append: `turn` counts from 0, `ms` are milliseconds since the game's start.

    `figures` are columns of `Game` to set in the same transaction: a game that ends, ends with
    the action that ends it.
    """

    game_id: int
    turn: int
    action: str
    ms: int
    figures: Mapping[str, Any] | None = None


def write(rows: Sequence[Row]) -> list[bool | Exception]:
    """Append `rows` in one transaction and return for each what became of it.

    True: stored. False: its turn was taken, nothing was written. An exception: the database
    refused this row (an unknown game, an unknown action).

    Raises `django.db.Error` when nothing was stored, or when nobody can say whether it was.
    """
    try:
        return _write_together(rows)
    except REFUSED:
        return [_write_alone(row) for row in rows]
    except OperationalError as error:
        if len(rows) == 1 or not is_held_up(error):
            raise
        # Somebody else holds one of these games: let the others go on without it.
        return [_write_alone(row) for row in rows]


def _write_together(rows: Sequence[Row]) -> list[bool | Exception]:
    if not connection.in_atomic_block and not any(row.figures for row in rows):
        # One statement is a transaction by itself: it saves two ways to the database and back. And
        # whoever asks for no rows need not fetch them, each time fighting for Python's lock.
        try:
            with connection.cursor() as cursor:
                cursor.execute(*_insert(rows))
        except IntegrityError:
            return _append(rows)  # nothing of it was stored
        return [True] * len(rows)
    with transaction.atomic():
        stored = _append(rows)
        changed = [row for row, is_stored in zip(rows, stored, strict=True) if is_stored]
        # In the order of their keys, as whoever closes several of these games.
        for row in sorted(changed, key=itemgetter(0, 1)):
            if row.figures:
                Game.objects.filter(pk=row.game_id).update(**row.figures)
    return stored


def _append(rows: Sequence[Row]) -> list[bool | Exception]:
    """Append `rows` in one statement and return for each whether its turn was free."""
    with connection.cursor() as cursor:
        statement, parameters = _insert(rows)
        cursor.execute(statement + _KEYS, parameters)
        written = set(cursor.fetchall())
    stored: list[bool | Exception] = []
    for row in rows:
        key = (row.game_id, row.turn)
        stored.append(key in written)
        written.discard(key)
    return stored


def _insert(rows: Sequence[Row]) -> tuple[str, list[Any]]:
    """Return the statement that appends `rows`, and its parameters."""
    # In one order for every process: two batches that meet on two keys cannot wait in a circle.
    in_order = sorted(rows, key=itemgetter(0, 1))
    if connection.vendor == "postgresql":
        columns = list(zip(*in_order, strict=True))[:4]
        arrays = "SELECT * FROM unnest(%s::bigint[], %s::integer[], %s::text[], %s::bigint[])"
        return _COLUMNS + arrays, list(map(_array, columns))
    # One statement for any number of rows is prepared once.
    return _COLUMNS + _FROM_JSON, [json.dumps([row[:4] for row in in_order])]


def _array(values: Iterable[int | str]) -> str:
    """Return an array as PostgreSQL reads it; the driver's own way takes five times as long."""
    quoted = [
        str(value) if isinstance(value, int) else _QUOTED % value.translate(_ESCAPES)
        for value in values
    ]
    return "{" + ",".join(quoted) + "}"


def _write_alone(row: Row) -> bool | Exception:
    try:
        return _write_together([row])[0]
    except (*REFUSED, OperationalError) as error:
        if isinstance(error, OperationalError) and not is_held_up(error):
            raise
        # The kind alone: PostgreSQL quotes the failing row, which may hold a secret code.
        kind = type(error).__name__
        logger.error("The database refused an action of game %s: %s", row.game_id, kind)
        return error


class Journal:
    """The group-commit writer of one process: lives in its event loop, writes in its own thread."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Row, asyncio.Future[bool]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")

    def append(self, row: Row) -> asyncio.Future[bool]:
        """Store `row`; the result is True after its commit, and False if its turn was taken.

        It is `Unavailable` when the database is away, refuses the row, or is hopelessly behind.
        """
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        if len(self._waiting) >= QUEUE_LIMIT:
            answer.set_exception(Unavailable("too many actions are waiting"))
            return answer
        self._waiting.append((row, answer))
        if self._writer is None:
            # In a context of its own: it writes for everybody, not for who came first.
            writing = self._write_what_waits()
            self._writer = asyncio.create_task(writing, context=Context())
        return answer

    async def _write_what_waits(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[:BATCH_LIMIT]
                del self._waiting[:BATCH_LIMIT]
                await self._write_batch(batch)
                if len(batch) > CROWD:
                    await asyncio.sleep(min(GATHERING * len(batch), GATHERING_LIMIT))
        finally:
            self._writer = None

    async def _write_batch(self, batch: list[tuple[Row, asyncio.Future[bool]]]) -> None:
        rows = [row for row, _ in batch]
        loop = asyncio.get_running_loop()
        results: Sequence[bool | Exception]
        metrics.BATCH_ROWS.observe(len(rows))
        began = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                results = await loop.run_in_executor(self._thread, on_kept_connection, write, rows)
        except TimeoutError as error:
            # Whoever came meanwhile would wait as long again.
            batch += self._waiting
            self._waiting = []
            logger.error("The database does not answer; %d actions go without.", len(batch))
            results = [error] * len(batch)
        except Exception as error:  # noqa: BLE001 (whatever it is, every player gets an answer)
            logger.error("%d actions could not be stored: %s", len(rows), type(error).__name__)
            results = [error] * len(rows)
        metrics.COMMIT_SECONDS.observe(time.monotonic() - began)
        for (_, answer), result in zip(batch, results, strict=True):
            if not isinstance(result, bool):
                metrics.FAILED_ROWS.inc()
            if answer.done():  # the player's socket is gone
                continue
            if isinstance(result, bool):
                answer.set_result(result)
            else:
                answer.set_exception(Unavailable(type(result).__name__))

    @property
    def waiting(self) -> int:
        """How many actions wait for the next transaction."""
        return len(self._waiting)

    def close(self) -> None:
        """End the writer's thread and its connection, after what it is writing."""
        # Looked up in that thread: `connection` is another one in each.
        self._thread.submit(lambda: connection.close())  # noqa: PLW0108
        self._thread.shutdown(wait=True)
