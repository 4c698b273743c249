"""The figures of a tournament and of its holes, and the lines that the field took."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games import charts
from games.engine import Deal, card_text
from games.templatetags.golf import signed
from tournaments import selectors
from tournaments.figures import HoleFigures
from tournaments.lines import Branch
from tournaments.selectors.figures import Figures, HoleRow
from tournaments.templatetags.figures import decimal_text
from tournaments.views.common import about, player_of, tournament_of

#: Rows of one page of results.
_ROWS: Final = 100
#: Rows of a chart; results that are more share one.
_MOST_BARS: Final = 12
#: Cards that are shown of the way of one alone.
_OF_ONE: Final = 4


class Ranked(NamedTuple):
    """What an entry made of the holes that count."""

    entry_id: int
    name: str
    thru: int
    percent: Fraction | None
    gained: Fraction
    over_best: int | None


@never_cache
@require_safe
def figures(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what the field made of the holes, and who gained where."""
    found = tournament_of(slug)
    view = selectors.view_for(tournament=found, player=player_of(request))
    known = selectors.figures.figures_of(tournament=found, view=view)
    pages = Paginator(_ranked(known), _ROWS)
    context = {
        **about(found),
        "view": view,
        "figures": known,
        "is_known": any(hole.results for hole in known.field.holes),
        "holes": [(hole, _fewest(known, hole)) for hole in known.field.holes],
        "chart": charts.bars(
            [
                charts.Row(
                    label=str(hole.number),
                    value=float(hole.to_par),
                    text=decimal_text(hole.to_par, is_signed=True),
                    is_marked=hole in (known.field.hardest, known.field.easiest),
                )
                for hole in known.field.holes
                if hole.to_par is not None and not hole.is_void
            ]
        ),
        "gains": [(gain, known.names[gain.key]) for gain in selectors.figures.gains_of(known)],
        "page": pages.get_page(request.GET.get("page")),
        "has_cards": selectors.figures.may_see_cards(tournament=found, view=view),
    }
    return render(request, "tournaments/figures.html", context)


def _fewest(known: Figures, hole: HoleFigures) -> int | None:
    return None if known.possible is None else known.possible.strokes(hole.number)


def _ranked(known: Figures) -> list[Ranked]:
    rows = [
        Ranked(key, known.names[key], each.thru, each.percent, each.gained, known.over_best(key))
        for key, each in known.field.entries.items()
        if each.thru
    ]
    return sorted(rows, key=lambda row: (-(row.percent or 0), -row.gained, row.name.casefold()))


@never_cache
@require_safe
def hole_figures(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show what the field made of one hole, and the lines that it took."""
    found = tournament_of(slug)
    player = player_of(request)
    view = selectors.view_for(tournament=found, player=player)
    known = selectors.figures.figures_of(tournament=found, view=view)
    hole = known.hole(number)
    if hole is None:
        raise Http404
    rows = selectors.figures.rows_of(known, number)
    has_cards = selectors.figures.may_see_cards(tournament=found, view=view)
    entry = None if player is None else selectors.entry_of(tournament=found, player=player)
    mine = None if entry is None else next((r for r in rows if r.entry_id == entry.pk), None)
    branch = None
    if has_cards:
        branch = selectors.figures.lines_of(tournament=found, number=number, found=known)
    pages = Paginator(rows, _ROWS)
    context = {
        **about(found),
        "view": view,
        "figures": known,
        "hole": hole,
        "played": frozenset() if branch is None else frozenset(branch.keys),
        "fewest": _fewest(known, hole),
        "mine": mine,
        "chart": distribution(hole, _fewest(known, hole), mine),
        "page": pages.get_page(request.GET.get("page")),
        "has_cards": has_cards,
        "tree": None if branch is None else _shown(known, hole, branch),
    }
    return render(request, "tournaments/hole_figures.html", context)


def distribution(hole: HoleFigures, fewest: int | None, mine: HoleRow | None) -> charts.Bars:
    """Return how many took how many strokes as a chart of few rows; one's own result is marked."""
    if not hole.distribution:
        return charts.bars([])
    counts = dict(hole.distribution)
    low, high = min(counts), max(counts)
    low = low if fewest is None else min(low, fewest)
    step = -(-(high - low + 1) // _MOST_BARS)
    rows = []
    for first in range(low, high + 1, step):
        strokes = range(first, first + step)
        count = sum(counts.get(each, 0) for each in strokes)
        last = min(strokes[-1], high)
        label = signed_number(first) if first == last else f"{signed_number(first)}–{last}"
        is_mine = mine is not None and mine.strokes in strokes
        rows.append(charts.Row(label, count, str(count), is_mine))
    return charts.bars(rows)


def signed_number(number: int) -> str:
    """Return a number of strokes with a real minus sign."""
    return signed(number) if number < 0 else str(number)


# --- the lines ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Way:
    """A branch of the lines as a page shows it.

    :param cards: what is done: the action and the card that comes to the waste.
    :param has_more: whether there are more of them than are shown.
    :param ended: whose line ends here, with their strokes.
    :param is_best: whether the best line goes here.
    :param ways: where the others go; `folded` is how many of them are left out.
    """

    cards: tuple[tuple[str, str], ...]
    has_more: bool
    players: int
    ended: tuple[tuple[int, str, int], ...]
    is_best: bool
    ways: tuple["Way", ...]
    folded: int


def _shown(known: Figures, hole: HoleFigures, branch: Branch) -> Way:
    line = None if known.possible is None else known.possible.results[hole.number].line
    return _Shower(known, hole, known.codes[hole.number].deal(), line).way(branch, "")


class _Shower:
    """Makes what a page shows of branches."""

    def __init__(self, known: Figures, hole: HoleFigures, deal: Deal, line: str | None) -> None:
        self._known, self._hole, self._deal, self._line = known, hole, deal, line

    def way(self, branch: Branch, before: str) -> Way:
        """Return a branch, given the actions that lead to it."""
        path = before + branch.actions
        is_alone = len(branch.keys) == 1
        cards = self._cards(before, branch.actions)
        strokes = self._known.strokes
        return Way(
            cards=cards[:_OF_ONE] if is_alone else cards,
            has_more=is_alone and len(cards) > _OF_ONE,
            players=len(branch.keys),
            ended=tuple(
                (key, self._known.names[key], strokes[key][self._hole.number])
                for key in branch.ends
                if self._hole.number in strokes[key]
            ),
            is_best=self._line is not None and self._line.startswith(path),
            ways=tuple(self.way(way, path) for way in branch.ways),
            folded=len(branch.keys) - len(branch.ends) if branch.is_folded else 0,
        )

    def _cards(self, before: str, actions: str) -> tuple[tuple[str, str], ...]:
        """Return the card that each of the actions puts on the waste."""
        done = {action: before.count(action) for action in "1234567d"}
        found = []
        for action in actions:
            count = done[action]
            done[action] += 1
            if action == "d":
                card = self._deal.stock[count]
            else:
                card = self._deal.columns[int(action) - 1][-1 - count]
            found.append((action, card_text(card)))
        return tuple(found)
