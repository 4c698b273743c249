"""What machines ask a process: `/healthz`, `/readyz` and `/metrics`.

They are answered in the event loop, before Django: by any name and over plain HTTP, without a
session, and whatever the pages wait for.
"""

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Final
from urllib.parse import parse_qs

from channels.layers import get_channel_layer
from django.conf import settings
from django.db import connection
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from games.addresses import is_loopback
from games.live import Hub

#: Seconds that a part of the site has to answer in.
PATIENCE: Final = 2.0
#: Seconds for which an answer holds: asking often costs the database nothing.
KEPT: Final = 1.0

_HEADERS: Final = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


class Probes:
    """Answers the three addresses, and hands everything else on to the site."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._readiness = Readiness()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer, or hand on."""
        if scope["type"] != "http" or scope["path"] not in _ADDRESSES:
            await self.application(scope, receive, send)
            return
        if scope["method"] not in {"GET", "HEAD"}:
            status, kind, body = 405, "text/plain", b""
        elif scope["path"] == "/healthz":
            status, kind, body = 200, "application/json", _json({"status": "ok"})
        elif scope["path"] == "/readyz":
            status, parts = await self._readiness.answer(_needs(scope))
            kind, body = "application/json", _json(parts)
        elif may_see_metrics(scope):
            status, kind, body = 200, CONTENT_TYPE_LATEST, generate_latest()
        else:
            status, kind, body = 404, "text/plain", b""
        headers = [
            (b"content-type", kind.encode()),
            (b"content-length", str(len(body)).encode()),
            *_HEADERS,
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        shown = b"" if scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": shown})


_ADDRESSES: Final = frozenset({"/healthz", "/readyz", "/metrics"})


def _json(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def may_see_metrics(scope: dict[str, Any]) -> bool:
    """Return whether whoever asks has the token, or without one is on this computer himself.

    Whatever came through a proxy has `X-Forwarded-For`, and is not from this computer.
    """
    headers = dict(scope["headers"])
    if settings.METRICS_TOKEN:
        given = headers.get(b"authorization", b"")
        return hmac.compare_digest(given, f"Bearer {settings.METRICS_TOKEN}".encode())
    client = scope.get("client")
    if not client or b"x-forwarded-for" in headers:
        return False
    return is_loopback(client[0])


def _needs(scope: dict[str, Any]) -> frozenset[str]:
    """Return the parts that whoever asks needs (`?needs=database,migrations`): by default all."""
    asked = parse_qs(scope["query_string"].decode("latin-1")).get("needs", [])
    needs = {name for text in asked for name in text.split(",")} & set(_PARTS)
    return frozenset(needs or _PARTS)


class Readiness:
    """Whether the parts of the site answer; asked at most once a second, however many ask."""

    def __init__(self) -> None:
        self._parts: dict[str, str] = {}
        self._asked_at = float("-inf")
        self._asking: asyncio.Task[None] | None = None

    async def answer(self, needs: frozenset[str]) -> tuple[int, dict[str, Any]]:
        """Return the status, 200 or 503, and what there is to say of each part."""
        if self._asking is None and time.monotonic() > self._asked_at + KEPT:
            self._asking = asyncio.create_task(self._ask())
        if self._asking is not None:
            await asyncio.shield(self._asking)
        is_draining = Hub.here().is_draining
        is_ready = not is_draining and all(self._parts[name] == "ok" for name in needs)
        return 200 if is_ready else 503, {
            "status": "draining" if is_draining else "ok" if is_ready else "not ready",
            **self._parts,
        }

    async def _ask(self) -> None:
        try:
            answers = await asyncio.gather(*(_ask_within_time(name) for name in _PARTS))
            self._parts = dict(zip(_PARTS, answers, strict=True))
            self._asked_at = time.monotonic()
        finally:
            self._asking = None


async def _ask_within_time(name: str) -> str:
    try:
        async with asyncio.timeout(PATIENCE):
            return await _PARTS[name]()
    except TimeoutError:
        return "no answer"
    except Exception as error:  # noqa: BLE001 - each database and layer has errors of its own
        return type(error).__name__


@cache
def _thread() -> ThreadPoolExecutor:
    # Apart from the players' threads: whoever looks must not wait for them, nor they for him.
    return ThreadPoolExecutor(1, thread_name_prefix="ready")


_working: dict[str, asyncio.Future[str]] = {}


async def _in_thread(name: str, function: Callable[[], str]) -> str:
    """Return what `function` says; while it hangs from an earlier question, wait for that one."""
    work = _working.get(name)
    if work is None or work.done():
        work = asyncio.get_running_loop().run_in_executor(_thread(), _closing, function)
        _working[name] = work
    return await asyncio.shield(work)


def _closing(function: Callable[[], str]) -> str:
    try:
        return function()
    finally:
        connection.close()


def _ask_database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


def _ask_migrations() -> str:
    from django.db.migrations.recorder import MigrationRecorder

    missing = _known_migrations() - set(MigrationRecorder(connection).applied_migrations())
    return f"{len(missing)} missing" if missing else "ok"


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    """Return the last migrations of each app, as this version of the site has them."""
    from django.db.migrations.loader import MigrationLoader

    return frozenset(MigrationLoader(None).graph.leaf_nodes())


async def _database() -> str:
    return await _in_thread("database", _ask_database)


async def _migrations() -> str:
    return await _in_thread("migrations", _ask_migrations)


async def _channel_layer() -> str:
    await get_channel_layer().group_send("ready", {"type": "nothing"})
    return "ok"


_PARTS: Final[dict[str, Callable[[], Awaitable[str]]]] = {
    "database": _database,
    "channel_layer": _channel_layer,
    "migrations": _migrations,
}
