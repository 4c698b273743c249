"""What log lines say, in both formats, and what they never say."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.urls import resolve
from redis.exceptions import ConnectionError as RedisConnectionError

from games import log_context
from golfsite import tracing
from golfsite.logs import NO_SUCH_PAGE, ContextFilter, JsonLines, OutageFilter, TextLines
from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT

CODE = "GO2-E-7ZZZZZZZZZZZZZZZZZZZZZZZZZ"


class Lines(logging.Handler):
    """Keeps what is logged as it would be written."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self.addFilter(ContextFilter())
        self.addFilter(OutageFilter())
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def logged() -> Iterator[Callable[[logging.Formatter], list[str]]]:
    """A function that begins to keep log lines in a format."""
    root = logging.getLogger()
    level, handlers = root.level, []

    def begin(formatter: logging.Formatter) -> list[str]:
        handler = Lines(formatter)
        handlers.append(handler)
        root.addHandler(handler)
        root.setLevel(logging.INFO)
        return handler.lines

    yield begin
    root.setLevel(level)
    for handler in handlers:
        root.removeHandler(handler)
    log_context._FIELDS.set(None)


def log_failure(error: Exception) -> None:
    try:
        raise error
    except type(error):
        logging.getLogger("channels_redis.pubsub").exception("Something in a task")


def test_redis_that_is_away_is_one_line(logged: Any) -> None:
    lines = logged(TextLines())
    log_failure(RedisConnectionError("Error 111 connecting to there."))
    (line,) = lines
    assert line.endswith(
        " ERROR channels_redis.pubsub: Something in a task Error 111 connecting to there."
    )
    log_failure(RuntimeError("a mistake"))
    assert "Traceback" in lines[1]


def test_a_line_for_people(logged: Any) -> None:
    lines = logged(TextLines())
    log_context.begin(request="abc", player=None)
    log_context.note(game="XYZ", player=7)
    logging.getLogger("golf").warning("Something about %s.", "this")
    (line,) = lines
    when, rest = line[:23], line[23:]
    assert when[:2] == "20"
    assert rest == " WARNING golf: Something about this. [request=abc player=7 game=XYZ]"


def test_a_line_for_programs(logged: Any) -> None:
    lines = logged(JsonLines())
    log_context.begin(request="abc", player=7)
    logging.getLogger("golf").warning("Something.\nMore: %s", "ж", extra={"ms": 3})
    (line,) = lines
    assert "\n" not in line
    told = json.loads(line)
    assert told.pop("time").startswith("20")
    assert told == {
        "level": "WARNING", "logger": "golf", "message": "Something.\nMore: ж", "ms": 3,
        "request": "abc", "player": 7,
    }  # fmt: skip


@pytest.mark.parametrize("formatter", [TextLines, JsonLines])
def test_secrets_are_covered_up_whoever_tells_them(logged: Any, formatter: Any) -> None:
    lines = logged(formatter())
    salt = "0123456789abcdef" * 4
    logging.getLogger("golf").warning("Deal %s, salt %s, cards %s", CODE, salt, "6C 5S QS TS 6H")
    try:
        raise ValueError(CODE)
    except ValueError:
        logging.getLogger("golf").exception("An error.")
    text = "\n".join(lines)
    assert "ValueError" in text
    for secret in (CODE, CODE[6:], salt, "5S", "QS TS"):
        assert secret not in text
    if formatter is JsonLines:
        assert [json.loads(line)["level"] for line in lines] == ["WARNING", "ERROR"]


@pytest.mark.django_db
@pytest.mark.parametrize("formatter", [TextLines, JsonLines])
def test_no_address_is_logged(client: Client, logged: Any, formatter: Any) -> None:
    lines = logged(formatter())
    for path in ("/share/no-such-token/", "/invitations/one-that-is-void/", "/secret/?token=x"):
        assert client.get(path).status_code == 404
    text = "\n".join(lines)
    assert len(lines) >= 3
    for secret in ("no-such-token", "one-that-is-void", "secret", "token=x"):
        assert secret not in text
    for route in ("/share/<slug:token>/", "/invitations/<slug:invitation>/", NO_SUCH_PAGE):
        assert route in text


def test_an_address_that_is_logged_with_its_request(logged: Any, rf: RequestFactory) -> None:
    lines = logged(TextLines())
    request = rf.get("/share/abc/?x=1")
    request.resolver_match = resolve("/share/abc/")
    logging.getLogger("golf").warning("Full: %s", "/share/abc/?x=1", extra={"request": request})
    assert lines[0].endswith("Full: /share/<slug:token>/ [route=/share/<slug:token>/]")


# --- the id of a request ------------------------------------------------------------------------


def scope(*ids: bytes) -> dict[str, Any]:
    return {"type": "http", "method": "GET", "headers": [(b"x-request-id", one) for one in ids]}


def test_the_proxys_id_counts_behind_a_proxy_only(settings: Any) -> None:
    given = b"9f86d081884c7d659a2feaa0c55ad015"
    settings.PROXIES = 1
    assert tracing.request_id_of(scope(given)) == given.decode()
    settings.PROXIES = 0
    made = tracing.request_id_of(scope(given))
    assert made != given.decode()
    assert len(made) == 16
    assert tracing.request_id_of(scope(given)) != made


@pytest.mark.parametrize(
    "ids", [(), (b"short",), (b"x" * 65,), (b"a b c d e f",), (b"a" * 20,) * 2]
)
def test_what_is_no_id_is_replaced(settings: Any, ids: tuple[bytes, ...]) -> None:
    settings.PROXIES = 1
    assert tracing.request_id_of(scope(*ids)) not in {one.decode() for one in ids}


async def test_the_answer_carries_the_id_and_the_line_what_is_known(logged: Any) -> None:
    lines = logged(JsonLines())

    async def site(scope: dict[str, Any], receive: Any, send: Any) -> None:
        log_context.note(route="/games/<slug:public_id>/", player=5)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})

    sent: list[dict[str, Any]] = []

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)

    await tracing.Traced(site)(scope(), None, send)
    (told,) = map(json.loads, lines)
    assert sent[0]["headers"] == [(b"a", b"b"), (b"x-request-id", told["request"].encode())]
    assert (told["message"], told["route"], told["player"], told["status"]) == (
        "GET /games/<slug:public_id>/ 200", "/games/<slug:public_id>/", 5, 200,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"GOLF_LOG_FORMAT": "xml"}, "GOLF_LOG_FORMAT is text or json.\n"),
        ({"GOLF_LOG_FORMAT": "json"}, ""),
    ],
)
def test_the_format_is_chosen_by_a_variable(tmp_path, variables, said):
    outcome = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=clean_environment(GOLF_DATA_DIR=str(tmp_path)) | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.stderr == said
