"""What an error page of `GOLF_DEBUG` shows: never a deal, a code or a salt.

Django's own filter is off in debug, since whoever debugs a site sees all of it. Here nobody sees a
running tournament's cards, so this one is always on. Two nets: a variable is shown only if its
kind cannot hold cards, and whatever is left of the page has no text that looks like a code, a
salt or a row of cards.
"""

import re
from collections.abc import ItemsView
from datetime import date, time, timedelta
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Final

from django.db.models import Model
from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter

_PLAIN: Final = (str, bool, float, date, time, timedelta, Path)
#: Modules whose variables are all cards, or counts of cards.
_DEALING: Final = ("games.engine", "tournaments.fairness")
#: Variables that hold a card or the number of a deal as an integer.
_NAMED: Final = re.compile(r"card|waste|stock|deal|code|salt|bits|seed", re.IGNORECASE)

_SECRET: Final = re.compile(
    r"""
    GO[12][- ]*[ECSNX][0-9A-Z]{0,5}[- ]*[0-9A-Z-]{7,40}  # a game code
    | (?<![0-9A-Z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Z])  # the number of a GO2 code
    | (?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])  # a salt
    | (?<!\d)\d{20,}(?!\d)  # random bits as a number
    | (?:(?<![0-9A-Za-z])|(?<=[CDHS*]))[A2-9TJQK][CDHS]
      (?:(?:\s|[/|,*'"\[\]-]|&\#x27;|&quot;){0,6}[A2-9TJQK][CDHS])+(?![A-Za-z])  # a row of cards
    """,
    re.VERBOSE,
)


class Hidden:
    """Stands where a value is not shown; says of which kind it is."""

    def __init__(self, value: object) -> None:
        self._kind = type(value).__name__

    def __repr__(self) -> str:
        return f"<{self._kind}: not shown>"


def without_secrets(text: str) -> str:
    """Return a text without what looks like a code, a salt or a row of cards."""
    return _SECRET.sub(SafeExceptionReporterFilter.cleansed_substitute, text)


class SecretsFilter(SafeExceptionReporterFilter):
    """Shows variables that cannot hold cards, in debug as elsewhere."""

    def is_active(self, request: HttpRequest | None) -> bool:
        """Honour Django's own marks, such as those of passwords, always."""
        return True

    def get_traceback_frame_variables(
        self, request: HttpRequest | None, tb_frame: FrameType
    ) -> ItemsView[str, Any]:
        """Return the variables of a frame, each as it is or hidden."""
        variables = super().get_traceback_frame_variables(request, tb_frame)
        module = tb_frame.f_globals.get("__name__", "")
        deals = module.startswith(_DEALING)
        return {
            name: Hidden(value) if deals or not _may_be_shown(name, value) else value
            for name, value in variables
        }.items()


def _may_be_shown(name: str, value: object) -> bool:
    if value is None or isinstance(value, (*_PLAIN, HttpRequest, Model, type)):
        return True
    return type(value) is int and not _NAMED.search(name)


class Reporter(ExceptionReporter):
    """Django's report of an error without the secrets of a tournament."""

    def __init__(
        self,
        request: HttpRequest | None,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        tb: TracebackType | None,
        is_email: bool = False,
    ) -> None:
        super().__init__(request, exc_type, exc_value, tb, is_email)
        self.filter = SecretsFilter()

    def get_traceback_html(self) -> SafeString:
        """Return the page."""
        return mark_safe(without_secrets(super().get_traceback_html()))  # noqa: S308 - as it came

    def get_traceback_text(self) -> SafeString:
        """Return the page as text."""
        return mark_safe(without_secrets(super().get_traceback_text()))  # noqa: S308 - as it came
