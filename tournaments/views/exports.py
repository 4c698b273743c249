"""Tables to take away: CSV for spreadsheets, JSON for programs."""

import csv
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any, Final

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.selectors.bundles import may_have_bundle
from tournaments.selectors.exports import EXPORTS, Source, Table, Value, holes_in
from tournaments.views.common import about, player_of, tournament_of

#: Rows that are written at once.
_AT_ONCE: Final = 100
#: By it Excel knows that the text is UTF-8, and names are read right.
_BYTE_ORDER_MARK: Final = "\ufeff"
#: What makes a spreadsheet take a text for a formula.
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


@never_cache
@require_safe
def exports(request: HttpRequest, slug: str) -> HttpResponse:
    """List what can be taken away, and what is in it."""
    player = player_of(request)
    found = tournament_of(slug, player=player)
    context = {
        **about(found),
        "exports": EXPORTS,
        "has_bundle": may_have_bundle(tournament=found, player=player),
    }
    return render(request, "tournaments/directing/exports_page.html", context)


@never_cache
@require_safe
def export(request: HttpRequest, slug: str, name: str, kind: str) -> StreamingHttpResponse:
    """Write a table, as much of it as the reader may see."""
    player = player_of(request)
    found = tournament_of(slug, player=player)
    source = Source(found, player)
    table = EXPORTS[name].table(source)
    if kind == "csv":
        parts, content_type = _csv(table), "text/csv; charset=utf-8"
    else:
        parts, content_type = _json(source, name, table), "application/json"
    response = StreamingHttpResponse(
        _awaited(parts) if isinstance(request, ASGIRequest) else parts, content_type=content_type
    )
    response["Content-Disposition"] = f'attachment; filename="{found.slug}-{name}.{kind}"'
    return response


async def _awaited(parts: Iterator[str]) -> AsyncIterator[str]:
    """Give the parts out one by one; nothing is waited for, they are made from what was read."""
    for part in parts:
        yield part


class _Written:
    """A file for `csv` that hands back what is written."""

    def write(self, text: str) -> str:
        return text


def _csv(table: Table) -> Iterator[str]:
    writer: Any = csv.writer(_Written())
    yield _BYTE_ORDER_MARK
    for rows in _chunks(chain([table.columns], table.rows)):
        yield "".join(writer.writerow([_cell(value) for value in row]) for row in rows)


def _cell(value: Value) -> str | int:
    """Return a value as a cell: figures as numbers, yes and no as 1 and 0, names as they are.

    An apostrophe keeps a spreadsheet from reckoning a text that begins like a formula.
    """
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULAS) else value
    if isinstance(value, datetime):
        return _time(value)
    return "" if value is None else int(value)


def _json(source: Source, name: str, table: Table) -> Iterator[str]:
    tournament = source.tournament
    head = {
        "tournament": {
            "slug": tournament.slug,
            "name": tournament.title,
            "club": tournament.club.name,
            "status": tournament.status,
            "rank_by": tournament.rank_by,
            "opens_at": _time(tournament.opens_at),
            "closes_at": _time(tournament.closes_at),
            "holes": holes_in(source),
        }
    }
    yield f"{_text(head)[:-1]},\n{_text(name)}: [\n"
    before = ""
    for rows in _chunks(table.rows):
        lines = [_text(dict(zip(table.columns, row, strict=True))) for row in rows]
        yield before + ",\n".join(lines)
        before = ",\n"
    yield "\n]}\n"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=_time)


def _time(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _chunks(rows: Iterable[tuple[Value, ...]]) -> Iterator[list[tuple[Value, ...]]]:
    rest = iter(rows)
    while chunk := list(islice(rest, _AT_ONCE)):
        yield chunk
