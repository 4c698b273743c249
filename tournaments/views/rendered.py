"""Pages of boards as they are sent, kept in this process so that many watchers cost one.

Whoever watches a board is told of a new version at the same moment, and comes for the same page.
What is kept holds nothing of who asks: it is found by what it shows.
"""

import gzip
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
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
#: Templates of what surrounds the rows; each row is drawn by the one of that name with ``_row``.
BOARD: Final = "tournaments/leaderboard_table"
SCREEN: Final = "tournaments/screen_rows"
#: Where the rows go in what surrounds them.
_ROWS: Final = mark_safe("\0")
#: Threads may make so many pages at once, and nobody makes one that somebody else is making.
_STRIPES: Final = 32


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
        fields = {
            "format": self.format.value,
            "division": None if self.division is None else self.division.pk,
            "q": self.query,
            "page": self.page,
            **changes,
        }
        standard = ("", None, 1, Format.STROKE.value)
        asked = {name: value for name, value in fields.items() if value not in standard}
        return f"?{urlencode(asked)}" if asked else "?"


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
        tournament.rank_by,
        tournament.tie_break,
        tournament.status,
        phase,
        asked,
        template,
        get_language(),
    )
    return _kept.get(key, lambda: _make(tournament, asked, phase, template))


def own_row_html(tournament: Tournament, board: Leaderboard, row: BoardRow) -> str:
    """Return a row of the board as its own reader sees it."""
    context = {"tournament": tournament, "board": board, "row": row, "is_mine": True}
    context["columns"] = columns_of(tournament, board)
    return get_template(f"{BOARD}_row.html").render(context)


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
    context: dict[str, Any] = {
        "tournament": tournament,
        "board": board,
        "columns": columns_of(tournament, board, with_help=template == BOARD),
        "phase": phase,
        "asked": asked,
    }
    around = get_template(f"{template}.html").render({**context, "rows": _ROWS})
    head, tail = around.split(_ROWS)
    row_template = get_template(f"{template}_row.html")
    rows = {row.entry_id: row_template.render({**context, "row": row}) for row in board.rows}
    return Rendered(board, head, rows, tail)
