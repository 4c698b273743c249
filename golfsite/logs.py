"""How log lines are written: text for people, or one JSON object a line (`GOLF_LOG_FORMAT=json`).

Each says of which request or socket it is, of which player and game. None says a secret, whoever
wrote the line: what looks like a deal, a code or a salt is covered up, and addresses of pages,
which may hold an invitation or a one-time link, are written as their patterns.
"""

import logging
from typing import Any, Final

from django.http import HttpRequest
from pythonjsonlogger.json import JsonFormatter
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from games import log_context
from golfsite.debug_pages import without_secrets

#: What stands in for the address of a page that there is not.
NO_SUCH_PAGE: Final = "(no such page)"


def route_of(request: HttpRequest) -> str:
    """Return the pattern of the page's address, such as `/invitations/<slug:invitation>/`."""
    match = request.resolver_match
    return NO_SUCH_PAGE if match is None else f"/{match.route}"


class ContextFilter(logging.Filter):
    """Puts the notes of the request or socket at hand on each record, and takes addresses away."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through."""
        if "context" in record.__dict__:
            return True  # another handler has been here
        context = record.__dict__["context"] = dict(log_context.noted())
        request = record.__dict__.pop("request", None)
        if isinstance(request, HttpRequest):
            context["route"] = route_of(request)
            addresses = {request.path, request.get_full_path()}
            if isinstance(record.args, tuple):
                record.args = tuple(
                    route_of(request) if argument in addresses else argument
                    for argument in record.args
                )
        return True


class OutageFilter(logging.Filter):
    """Makes one line of each failure while Redis is away: every process tries it each second.

    Where in a library it could not be reached says nothing, and would fill the disk with it.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, RedisConnectionError | RedisTimeoutError):
            record.msg, record.args = "%s %s", (record.getMessage(), error)
            record.exc_info = record.exc_text = None
        return True


class TextLines(logging.Formatter):
    """A line as a person reads it: when, how grave, where, what, and for whom."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Add what is known of the request or socket."""
        context: dict[str, object] = getattr(record, "context", {})
        notes = "".join(f" {name}={value}" for name, value in context.items() if value is not None)
        return super().formatMessage(record) + (f" [{notes.strip()}]" if notes else "")

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text, without secrets."""
        return without_secrets(super().format(record))


class JsonLines(JsonFormatter):
    """A line as a program reads it: one JSON object with the same fields."""

    def __init__(self) -> None:
        super().__init__(
            "{levelname}{name}{message}",
            style="{",
            rename_fields={"levelname": "level", "name": "logger", "exc_info": "error"},
            timestamp="time",
            json_ensure_ascii=False,
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Put the notes beside the other fields; cover secrets up."""
        fields = {**log_data, **log_data.pop("context", {})}
        return {
            name: without_secrets(value) if isinstance(value, str) else value
            for name, value in fields.items()
            if name != "context" and value is not None
        }
