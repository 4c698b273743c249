"""What boards and scorecards share: cells, marks, and why a place is what it is.

A board's page has a thousand marks, so each kind is drawn once in a language and then kept.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, Protocol

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext, ngettext, pgettext

from games.templatetags.golf import MINUS, hole_score, number, to_par
from tournaments import scorecard
from tournaments.models import Tournament
from tournaments.scorecard import MatchState, RankBy, Reason
from tournaments.selectors import BoardHole, BoardRow, Format, Leaderboard, MatchBoard

register = template.Library()

NONE: Final = mark_safe("–")


register.filter("number", number)


@register.filter
def tenths(value: int) -> SafeString:
    """Write tenths as a number with one decimal."""
    sign = MINUS if value < 0 else ""
    whole, tenth = divmod(abs(value), 10)
    return format_html('<bdi dir="ltr">{}{}.{}</bdi>', sign, whole, tenth)


# --- cells -------------------------------------------------------------------------------------


@register.simple_tag
def board_cell(row: BoardRow, column: str) -> SafeString:
    """Write the figure of one column of a row; a dash where there is none."""
    if row.totals.thru == 0 and column not in _WITHOUT_HOLES:
        return NONE
    return _CELLS[column](row)


def thru(row: BoardRow) -> SafeString:
    """Write how far an entry is; `F` when it has finished."""
    if not row.is_finished:
        return format_html("{}", row.thru)
    return format_html(
        '<abbr title="{}">{}</abbr>', gettext("finished"), pgettext("thru: finished", "F")
    )


def _today(row: BoardRow) -> SafeString:
    return NONE if row.today is None or row.today.thru == 0 else to_par(row.today.to_par)


def _today_score(row: BoardRow) -> SafeString:
    if row.today is None or row.today.thru == 0:
        return NONE
    return format_html("{}", row.today.app_score)


def _net(row: BoardRow) -> SafeString:
    return NONE if row.standing.figure is None else to_par(row.standing.figure)


def _handicap(row: BoardRow) -> SafeString:
    return NONE if row.handicap is None else tenths(row.handicap)


_CELLS: Final[dict[str, Callable[[BoardRow], SafeString]]] = {
    "to_par": lambda row: to_par(row.totals.to_par),
    "thru": thru,
    "strokes": lambda row: number(row.totals.strokes),
    "app_score": lambda row: number(row.totals.app_score),
    "points": lambda row: number(row.standing.figure or 0),
    "cleared": lambda row: number(row.standing.figure or 0),
    "net": _net,
    "handicap": _handicap,
    "today": _today,
    "today_score": _today_score,
    "undos": lambda row: number(row.undos),
    "hints": lambda row: number(row.hints),
}
_WITHOUT_HOLES: Final = {"thru", "handicap"}


class Look(Protocol):
    """How a row looks (`views.rendered.Look`)."""

    @property
    def rank_by(self) -> RankBy:
        """The figure that ranks."""

    @property
    def is_blind(self) -> bool:
        """Whether no figure is shown."""

    @property
    def is_mine(self) -> bool:
        """Whether it is the reader's own row."""


@register.simple_tag
def row_class(row: BoardRow, look: Look) -> SafeString:
    """Return the attribute `class` of a row: the reader's own, one without a place."""
    names = ["me"] * look.is_mine
    if row.standing.reason is not None and not look.is_blind:
        names.append("unranked")
    return format_html(' class="{}"', " ".join(names)) if names else mark_safe("")


# --- holes -------------------------------------------------------------------------------------


@register.simple_tag
def hole_cells(row: BoardRow, look: Look) -> SafeString:
    """Write the cells of all holes of a row: strokes, or points, with golf's own marks."""
    language = get_language()
    points = look.rank_by == RankBy.STABLEFORD
    return mark_safe(  # noqa: S308 (cells that a template has written)
        "".join([_hole_cell(language, hole, points=points) for hole in row.holes])
    )


@register.simple_tag
def hole_mark(hole: BoardHole) -> SafeString:
    """Write the strokes of a hole with golf's own mark, and whether they were corrected."""
    return _hole_mark(get_language(), hole, points=False)


@lru_cache(maxsize=8192)
def _hole_cell(language: str | None, hole: BoardHole, *, points: bool) -> str:
    names = "center void" if hole.is_void else "center"
    return f'<td class="{names}">{_hole_mark(language, hole, points=points)}</td>'


@lru_cache(maxsize=8192)
def _hole_mark(language: str | None, hole: BoardHole, *, points: bool) -> SafeString:
    context: dict[str, Any] = hole_score(hole.strokes, hole.par)
    if points and hole.points is not None:
        context["strokes"] = hole.points
    context |= {"is_corrected": hole.is_corrected, "is_unplayed": hole.is_unplayed}
    return mark_safe(render_to_string("tournaments/hole_mark.html", context).strip())  # noqa: S308


# --- words -------------------------------------------------------------------------------------


@register.simple_tag
def tie_note(row: BoardRow) -> str:
    """Return what parted a row from its equals, nothing where nothing had to."""
    standing = row.standing
    if standing.ahead_on is not None:
        words = _won if standing.place == 1 else _ahead
        return words(standing.ahead_on) % {"count": standing.ahead_on}
    if standing.behind_on is not None:
        return _behind(standing.behind_on) % {"count": standing.behind_on}
    return ""


def _won(step: int) -> str:
    if step == scorecard.BY_TIME:
        return gettext("won on time")
    if step == scorecard.BY_CARDS:
        return gettext("won on cards cleared")
    if step == 1:
        return gettext("won on the last hole")
    return ngettext("won on the last %(count)s hole", "won on the last %(count)s holes", step)


def _ahead(step: int) -> str:
    if step == scorecard.BY_TIME:
        return gettext("ahead on time")
    if step == scorecard.BY_CARDS:
        return gettext("ahead on cards cleared")
    if step == 1:
        return gettext("ahead on the last hole")
    return ngettext("ahead on the last %(count)s hole", "ahead on the last %(count)s holes", step)


def _behind(step: int) -> str:
    if step == scorecard.BY_TIME:
        return gettext("behind on time")
    if step == scorecard.BY_CARDS:
        return gettext("behind on cards cleared")
    if step == 1:
        return gettext("behind on the last hole")
    return ngettext("behind on the last %(count)s hole", "behind on the last %(count)s holes", step)


REASONS: Final[dict[Reason, Callable[[], tuple[str, str]]]] = {
    Reason.MISSED_CUT: lambda: (pgettext("missed the cut", "MC"), gettext("missed the cut")),
    Reason.DNF: lambda: (gettext("DNF"), gettext("did not finish")),
    Reason.NOT_RANKED: lambda: (
        pgettext("not ranked", "NR"),
        gettext("not ranked: has seen the deals"),
    ),
    Reason.NO_HANDICAP: lambda: (pgettext("no handicap", "NH"), gettext("no handicap yet")),
    Reason.WITHDREW: lambda: (pgettext("withdrew", "WD"), gettext("withdrew")),
    Reason.DISQUALIFIED: lambda: (pgettext("disqualified", "DQ"), gettext("disqualified")),
    Reason.DNS: lambda: (gettext("DNS"), gettext("did not start")),
}


@register.simple_tag
def place(standing: scorecard.Standing[Any]) -> SafeString:
    """Write a place, or why there is none."""
    if standing.reason is None:
        return format_html('<bdi dir="ltr">{}</bdi>', standing.place_text)
    return reason(standing.reason)


@register.filter
def reason(why: Reason) -> SafeString:
    """Write why there is no place, short with its meaning."""
    if why not in REASONS:
        return NONE
    short, long = REASONS[why]()
    return format_html('<abbr title="{}">{}</abbr>', long, short)


@register.simple_tag
def reason_text(standing: scorecard.Standing[Any]) -> str:
    """Return why there is no place in words, nothing where there is one."""
    why = standing.reason
    return REASONS[why]()[1] if why is not None and why in REASONS else ""


@register.simple_tag
def reasons_of(board: Leaderboard) -> list[tuple[str, str]]:
    """Return the short reasons that a page of a board shows, with what they mean."""
    shown = {row.standing.reason for row in board.rows}
    return [words() for why, words in REASONS.items() if why in shown]


@register.simple_tag
def countback_text(board: Leaderboard) -> str:
    """Return the steps of the countback as a list: "the last 6 holes, the last 3, the last"."""
    counted = sum(not hole.is_void for hole in board.holes)
    steps = [
        gettext("the last hole")
        if step == 1
        else ngettext("the last %(count)s hole", "the last %(count)s holes", step) % {"count": step}
        for step in scorecard.countback_steps(counted)
    ]
    return gettext(", then ").join(steps)


@register.simple_tag
def asked_address(asked: Any, **changes: object) -> str:
    """Return the address of another page of what was asked for (`views.rendered.Asked`)."""
    address: str = asked.address(**changes)
    return address


@register.simple_tag
def column_name(column: str) -> str:
    """Return the heading of a column."""
    return str(_COLUMNS[column]())


_COLUMNS: Final[dict[str, Callable[[], str]]] = {
    "to_par": lambda: gettext("To par"),
    "thru": lambda: gettext("Thru"),
    "strokes": lambda: gettext("Strokes"),
    "app_score": lambda: gettext("App score"),
    "points": lambda: gettext("Points"),
    "net": lambda: pgettext("strokes less the handicap", "Net"),
    "cleared": lambda: pgettext("holes cleared", "Cleared"),
    "handicap": lambda: gettext("Handicap"),
    "today": lambda: gettext("Today"),
    "today_score": lambda: gettext("Today"),
    "undos": lambda: gettext("Undos"),
    "hints": lambda: gettext("Hints"),
}

_FORMATS: Final[dict[Format, Callable[[], str]]] = {
    Format.STROKE: lambda: gettext("Strokes"),
    Format.STABLEFORD: lambda: gettext("Stableford"),
    Format.NET: lambda: pgettext("strokes less the handicap", "Net"),
}


@register.simple_tag
def format_name(format_: Format, rank_by: str) -> str:
    """Return the name of a format; the tournament's own is named for what ranks."""
    if format_ == Format.STROKE and rank_by == RankBy.APP_SCORE:
        return gettext("App score")
    if format_ == Format.STROKE and rank_by == RankBy.CLEARED:
        return gettext("First to clear")
    return _FORMATS[format_]()


# --- scorecards and matches --------------------------------------------------------------------


@register.simple_tag
def moves_of(moves: dict[int, int], number_: int) -> int | None:
    """Return the moves of a hole, None where they are not told."""
    return moves.get(number_)


@register.simple_tag
def match_figure(score: scorecard.HoleScore | None, tournament: Tournament) -> SafeString:
    """Write the figure by which a hole of a match is won."""
    if score is None:
        return mark_safe("·")
    if tournament.rank_by == RankBy.APP_SCORE:
        return number(score.app_score)
    return hole_mark(BoardHole(score.number, score.par, score.strokes, score.app_score))


@register.simple_tag
def match_up(board: MatchBoard, up: int) -> SafeString:
    """Write how a match stands after a hole, on the side of who is up."""
    if up == 0:
        return format_html("{}", pgettext("match: all square", "AS"))
    leader = board.first if up > 0 else board.second
    text = gettext("%(count)s up") % {"count": abs(up)}
    arrow = '<span aria-hidden="true" class="{}"></span>'
    return format_html(
        '<span class="visually-hidden">{} </span>{}<span class="up">{}</span>{}',
        leader.name,
        format_html(arrow, "up-first") if up > 0 else "",
        text,
        format_html(arrow, "up-second") if up < 0 else "",
    )


@register.simple_tag
def match_text(board: MatchBoard) -> SafeString:
    """Write how a match stands in a sentence."""
    match = board.match
    leader = board.first if match.leader == 1 else board.second
    name = format_html("<bdi>{}</bdi>", leader.name)
    if match.state == MatchState.WON and match.left:
        result = format_html('<bdi dir="ltr">{} &amp; {}</bdi>', match.lead, match.left)
        return format_html(gettext("{name} won {result}."), name=name, result=result)
    if match.state == MatchState.WON:
        return format_html(gettext("{name} won {lead} up."), name=name, lead=match.lead)
    if match.state == MatchState.HALVED:
        return format_html("{}", gettext("The match is halved."))
    if match.state == MatchState.NOT_STARTED:
        return format_html("{}", gettext("Both have to finish a hole before the match begins."))
    if match.state == MatchState.ALL_SQUARE:
        text = ngettext(
            "All square with {left} hole to play.", "All square with {left} holes to play.",
            match.left,
        )  # fmt: skip
    elif match.state == MatchState.DORMIE:
        text = ngettext(
            "{name} is dormie: {lead} up with {left} hole to play.",
            "{name} is dormie: {lead} up with {left} holes to play.",
            match.left,
        )
    else:
        text = ngettext(
            "{name} is {lead} up with {left} hole to play.",
            "{name} is {lead} up with {left} holes to play.",
            match.left,
        )
    return format_html(text, name=name, lead=match.lead, left=match.left)
