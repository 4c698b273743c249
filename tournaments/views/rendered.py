"""Pages of boards as they are sent, kept in this process so that many watchers cost one.

Whoever watches a board is told of a new version at the same moment, and comes for the same page.
What is kept holds nothing of who asks: it is found by what it shows.
"""

import gzip
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.template.loader import get_template
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from tournaments import selectors
from tournaments.models import Division, Tournament
from tournaments.scorecard import RankBy
from tournaments.selectors import BoardRow, Format, Leaderboard, View

#: Pages that a process keeps; one of a hundred rows takes about 100 kB.
MOST_PAGES: Final = 256
#: Rows that a process keeps; one takes about 3 kB.
MOST_ROWS: Final = 4096
#: Templates of what surrounds the rows; each row is drawn by the one of that name with ``_row``.
BOARD: Final = "tournaments/leaderboard_table"
SCREEN: Final = "tournaments/screen_rows"
#: Where the rows go in what surrounds them.
_ROWS: Final = mark_safe("\0")
#: Threads may make so many pages at once, and nobody makes one that somebody else is making.
_STRIPES: Final = 32


#: What an address need not say.
_STANDARD: Final[dict[str, object]] = {"format": Format.STROKE.value, "page": 1}


@dataclass(frozen=True, slots=True)
class Asked:
    """Which page of which board of a tournament."""

    view: View
    page: int = 1
    size: int = selectors.PAGE
    format: Format = Format.STROKE
    division: Division | None = None
    query: str = ""

    def address(self, **changes: object) -> str:
        """Return the part of an address that asks for this, with some of it changed."""
        division = None if self.division is None else self.division.pk
        asked: dict[str, object] = {
            "format": self.format.value,
            "division": division,
            "q": self.query,
            "page": self.page,
            **changes,
        }
        found = {
            name: value
            for name, value in asked.items()
            if value not in (None, "") and value != _STANDARD.get(name)
        }
        return f"?{urlencode(found)}"


class Rendered:
    """A page of a board: what it shows, and its HTML in pieces.

    :param rows: by entry, in order.
    :param until: when it is to be made anew, whatever has happened.
    """

    def __init__(self, board: Leaderboard, head: str, rows: dict[int, str], tail: str) -> None:
        self.board = board
        self.until = board.next_session_at
        self._head, self._rows, self._tail = head, rows, tail

    def html(self, *, mine: tuple[int, str] | None = None) -> SafeString:
        """Return it all, with the reader's own row, by its entry, in the place of everybody's."""
        rows = self._rows
        if mine is not None and mine[0] in rows:
            rows = rows | dict([mine])
        return mark_safe(self._head + "".join(rows.values()) + self._tail)  # noqa: S308

    @cached_property
    def _compressed(self) -> bytes:
        return gzip.compress(self.html().encode())

    def response(self, request: HttpRequest) -> HttpResponse:
        """Return it all as an answer, compressed once for everybody; it holds no secret."""
        if "gzip" not in request.headers.get("Accept-Encoding", ""):
            return HttpResponse(self.html())
        response = HttpResponse(self._compressed, headers={"Content-Encoding": "gzip"})
        patch_vary_headers(response, ["Accept-Encoding"])
        return response


class _Kept:
    """The pages that were asked for last."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Hashable, Rendered] = OrderedDict()
        self._lock = threading.Lock()
        self._making = [threading.Lock() for _ in range(_STRIPES)]

    def get(self, key: Hashable, make: Callable[[], Rendered]) -> Rendered:
        """Return a page, made if it is not there."""
        found = self._find(key)
        if found is None:
            with self._making[hash(key) % _STRIPES]:
                found = self._find(key)
                if found is None:
                    found = make()
                    self._keep(key, found)
        return found

    def _find(self, key: Hashable) -> Rendered | None:
        with self._lock:
            found = self._pages.get(key)
            if found is None or (found.until is not None and found.until <= timezone.now()):
                return None
            self._pages.move_to_end(key)
            return found

    def _keep(self, key: Hashable, page: Rendered) -> None:
        with self._lock:
            self._pages[key] = page
            while len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)


_kept: Final = _Kept()


def page_of(tournament: Tournament, asked: Asked, *, phase: str, template: str) -> Rendered:
    """Return a page of a board in the reader's language, kept or made.

    `phase` is what the page is made anew for besides; `template` is `BOARD` or `SCREEN`.
    """
    key = (
        tournament.pk,
        tournament.created_at,  # an id alone may be given anew
        tournament.board_version,
        tournament.slug,
        tournament.title,
        tournament.club.name,
        asked.division and asked.division.name,
        tournament.rank_by,
        tournament.tie_break,
        tournament.status,
        phase,
        asked,
        template,
        get_language(),
        timezone.get_current_timezone_name(),
    )
    return _kept.get(key, lambda: _make(tournament, asked, phase, template))


@dataclass(frozen=True, slots=True)
class Look:
    """All that a row's looks depend on besides the row."""

    template: str
    language: str | None
    slug: str
    columns: tuple[str, ...]
    rank_by: RankBy
    is_blind: bool
    is_mine: bool = False


def own_row_html(tournament: Tournament, board: Leaderboard, row: BoardRow) -> str:
    """Return a row of the board as its own reader sees it."""
    return _row_html(replace(_look(tournament, board, BOARD), is_mine=True), row)


def _look(tournament: Tournament, board: Leaderboard, template: str) -> Look:
    return Look(
        template=template,
        language=get_language(),
        slug=tournament.slug,
        columns=columns_of(tournament, board, with_help=template == BOARD),
        rank_by=board.rank_by,
        is_blind=board.view.is_blind,
    )


@lru_cache(maxsize=MOST_ROWS)
def _row_html(look: Look, row: BoardRow) -> str:
    """Return a row; of most rows nothing has changed since the last version of the board."""
    return get_template(f"{look.template}_row.html").render({"look": look, "row": row})


def columns_of(
    tournament: Tournament, board: Leaderboard, *, with_help: bool = True
) -> tuple[str, ...]:
    """Return the columns between the name and the holes, what ranks first.

    With `with_help` also how often undo and hints were taken, where they are allowed.
    """
    if board.view.is_blind:
        return ("thru",)
    columns = _COLUMNS[board.rank_by]
    if board.has_today and board.format == Format.STROKE:
        columns += ("today_score",) if board.rank_by == RankBy.APP_SCORE else ("today",)
    if with_help and tournament.undo_allowed:
        columns += ("undos",)
    if with_help and tournament.hints_allowed:
        columns += ("hints",)
    return columns


_COLUMNS: Final[dict[RankBy, tuple[str, ...]]] = {
    RankBy.STROKES: ("to_par", "thru", "strokes", "app_score"),
    RankBy.APP_SCORE: ("app_score", "thru", "to_par", "strokes"),
    RankBy.STABLEFORD: ("points", "thru", "to_par", "strokes"),
    RankBy.CLEARED: ("cleared", "thru", "strokes", "app_score"),
    RankBy.NET: ("net", "thru", "handicap", "to_par", "strokes"),
}


def _make(tournament: Tournament, asked: Asked, phase: str, template: str) -> Rendered:
    board = selectors.leaderboard(
        tournament=tournament,
        view=asked.view,
        page=asked.page,
        size=asked.size,
        format=asked.format,
        division=asked.division,
        query=asked.query,
    )
    look = _look(tournament, board, template)
    context: dict[str, Any] = {
        "tournament": tournament,
        "board": board,
        "columns": look.columns,
        "phase": phase,
        "asked": asked,
        "rows": _ROWS,
    }
    head, tail = get_template(f"{template}.html").render(context).split(_ROWS)
    return Rendered(board, head, {row.entry_id: _row_html(look, row) for row in board.rows}, tail)
