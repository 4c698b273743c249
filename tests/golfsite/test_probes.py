"""What machines ask: `/healthz`, `/readyz` and `/metrics`, without Django's pages in between."""

import asyncio
import json
import threading
from typing import Any
from unittest import mock

import pytest
from channels.layers import channel_layers
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from games import metrics
from games.live import Hub
from golfsite import probes
from golfsite.probes import Probes, Readiness

VISITOR = ("203.0.113.5", 40_000)
HERE = ("127.0.0.1", 40_000)
READY = {"database": "ok", "channel_layer": "ok", "migrations": "ok"}


async def site(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """What lies behind: answers 418 to everything."""
    await send({"type": "http.response.start", "status": 418, "headers": []})
    await send({"type": "http.response.body", "body": b"the site"})


async def ask(
    path: str,
    *,
    by: Probes | None = None,
    method: str = "GET",
    client: tuple[str, int] | None = HERE,
    query: str = "",
    **headers: str,
) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of an answer."""
    sent: list[dict[str, Any]] = []

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)

    scope = {
        "type": "http", "method": method, "path": path, "query_string": query.encode(),
        "client": client,
        "headers": [
            (name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()
        ],
    }  # fmt: skip
    await (by or Probes(site))(scope, None, send)
    start, body = sent
    shown = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], shown, body["body"]


async def test_everything_else_is_the_sites() -> None:
    assert await ask("/healthz/") == (418, {}, b"the site")


async def test_alive_without_the_database() -> None:
    with mock.patch("golfsite.probes._ask_database", side_effect=OperationalError("away")):
        status, headers, body = await ask("/healthz", host="whatever.example")
    assert (status, json.loads(body)) == (200, {"status": "ok"})
    assert headers["cache-control"] == "no-store"
    assert headers["content-length"] == str(len(body))


async def test_only_reading_is_answered() -> None:
    assert (await ask("/healthz", method="POST"))[0] == 405
    status, headers, body = await ask("/healthz", method="HEAD")
    assert (status, headers["content-length"], body) == (200, "17", b"")


@pytest.mark.django_db(transaction=True)
class TestReady:
    async def test_all_parts_are_named(self) -> None:
        status, _, body = await ask("/readyz")
        assert (status, json.loads(body)) == (200, {"status": "ok", **READY})

    async def test_not_without_the_database(self) -> None:
        with mock.patch("golfsite.probes._ask_database", side_effect=OperationalError("x")):
            status, _, body = await ask("/readyz")
        assert (status, json.loads(body)["database"]) == (503, "OperationalError")
        assert json.loads(body)["status"] == "not ready"

    async def test_not_without_a_migration(self) -> None:
        recorder = MigrationRecorder.Migration.objects
        last = await recorder.filter(app="games").order_by("-id").afirst()
        assert last is not None
        await last.adelete()
        try:
            status, _, body = await ask("/readyz")
        finally:
            await last.asave(force_insert=True)
        assert (status, json.loads(body)) == (
            503,
            {"status": "not ready", **READY, "migrations": "1 missing"},
        )

    async def test_a_channel_layer_that_is_away_counts_unless_it_is_not_needed(self) -> None:
        layer = channel_layers["default"]
        by = Probes(site)
        with mock.patch.object(layer, "group_send", side_effect=ConnectionError("redis://secret")):
            status, _, body = await ask("/readyz", by=by)
        assert (status, json.loads(body)["channel_layer"]) == (503, "ConnectionError")
        assert b"secret" not in body
        # Players can go on without: a proxy must not take every process away for it.
        status, _, body = await ask("/readyz", by=by, query="needs=database,migrations")
        assert (status, json.loads(body)["channel_layer"]) == (200, "ConnectionError")
        assert (await ask("/readyz", by=by, query="needs=nothing"))[0] == 503

    async def test_what_hangs_is_waited_for_only_so_long_and_asked_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(probes, "PATIENCE", 0.2)
        monkeypatch.setattr(probes, "KEPT", 0.0)
        asked = []
        is_back = threading.Event()

        def hang() -> str:
            asked.append(1)
            is_back.wait(60)
            return "ok"

        monkeypatch.setattr(probes, "_ask_database", hang)
        by = Probes(site)
        try:
            for _ in range(3):
                status, _, body = await ask("/readyz", by=by)
                assert (status, json.loads(body)["database"]) == (503, "no answer")
        finally:
            is_back.set()
        await probes._working["database"]
        assert len(asked) == 1
        monkeypatch.undo()
        assert (await ask("/readyz", by=Probes(site)))[0] == 200

    async def test_many_who_ask_cost_one_look_a_second(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = []
        real = probes._ask_database
        monkeypatch.setattr(probes, "_ask_database", lambda: asked.append(1) or real())
        by = Probes(site)
        answers = await asyncio.gather(*(ask("/readyz", by=by) for _ in range(50)))
        assert {status for status, _, _ in answers} == {200}
        await ask("/readyz", by=by)
        assert len(asked) == 1
        by._readiness._asked_at -= probes.KEPT
        await ask("/readyz", by=by)
        assert len(asked) == 2

    async def test_a_process_that_is_drained_is_not_ready(self) -> None:
        hub = Hub.here()
        hub.is_draining = True
        try:
            status, _, body = await ask("/readyz")
        finally:
            await hub.shut_down()
        assert (status, json.loads(body)) == (503, {"status": "draining", **READY})

    async def test_no_connection_is_kept(self) -> None:
        assert (await Readiness().answer(frozenset({"database"})))[0] == 200

        def kept() -> bool:
            return connection.connection is not None

        assert await asyncio.get_running_loop().run_in_executor(probes._thread(), kept) is False


class TestMetrics:
    async def test_from_this_computer(self) -> None:
        before = metrics.TALLY.acknowledged
        metrics.TALLY.acknowledged += 1
        status, headers, body = await ask("/metrics")
        assert status == 200
        assert f"golf_moves_acknowledged_total {before + 1:.1f}\n" in body.decode()
        assert headers["content-type"].startswith("text/plain")
        names = {line.split()[2] for line in body.decode().splitlines() if line.startswith("# T")}
        assert {
            "golf_moves_acknowledged_total", "golf_moves_refused_total", "golf_journal_batch_rows",
            "golf_journal_commit_seconds", "golf_journal_waiting", "golf_sockets", "golf_rooms",
            "golf_notices_coalesced_total", "golf_games_opened_total", "golf_director_jobs_total",
            "golf_database_calls", "golf_http_request_seconds",
        } <= names  # fmt: skip

    @pytest.mark.parametrize(
        ("client", "headers"),
        [
            (VISITOR, {}),
            (None, {}),
            # A proxy on this computer asks for somebody else.
            (HERE, {"x_forwarded_for": "203.0.113.5"}),
            (HERE, {"x_forwarded_for": "127.0.0.1"}),
            (VISITOR, {"authorization": "Bearer "}),
        ],
    )
    async def test_nobody_else(
        self, client: tuple[str, int] | None, headers: dict[str, str]
    ) -> None:
        assert await ask("/metrics", client=client, **headers) == (404, mock.ANY, b"")

    async def test_with_the_token_from_anywhere(self, settings: Any) -> None:
        settings.METRICS_TOKEN = "a token for the tests"
        right = {"authorization": "Bearer a token for the tests", "x_forwarded_for": "10.0.0.1"}
        assert (await ask("/metrics", client=VISITOR, **right))[0] == 200
        for wrong in ("", "a token for the tests", "Bearer ", "Bearer a token for the test"):
            for client in (VISITOR, HERE):
                assert (await ask("/metrics", client=client, authorization=wrong))[0] == 404
        assert (await ask("/metrics"))[0] == 404


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_django_has_no_such_pages(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404
