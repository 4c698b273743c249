"""The list of tournaments, and one of them."""

from typing import Final

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments import selectors, services
from tournaments.forms import describe_rules
from tournaments.views.common import (
    about,
    directs,
    entry_of,
    player_of,
    tournament_of,
)
from tournaments.views.directing import STEPS
from tournaments.views.playing import what_comes_next

_A_PAGE: Final = 30
#: Days whose nine holes are listed beside today's.
_DAYS_BACK: Final = 7


@never_cache
@require_safe
def tournaments(request: HttpRequest) -> HttpResponse:
    """List today's nine holes, and the tournaments that are open, to come and over."""
    player = player_of(request)
    past = Paginator(selectors.past_tournaments(player=player), _A_PAGE)
    nine = services.todays_nine(now=timezone.now())
    context = {
        "nine": nine,
        "earlier": []
        if nine is None or nine.day is None
        else selectors.earlier_nines(day=nine.day, count=_DAYS_BACK),
        "open": selectors.open_tournaments(player=player),
        "upcoming": selectors.upcoming_tournaments(player=player),
        "past": past.get_page(request.GET.get("page")),
    }
    return render(request, "tournaments/tournaments.html", context)


@never_cache
@require_safe
def tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a tournament's whole format, the visitor's card, and to directors what they can do."""
    player = player_of(request)
    found = tournament_of(slug, player=player)
    if found.room is not None:
        return redirect("race", found.room.code, slug)
    entry = entry_of(request, found)
    context = {
        **about(found),
        "par": sum(hole.par for hole in selectors.holes_of(tournament=found)),
        "plan": services.plan_of(found),
        **what_comes_next(request, found, entry),
        "card": None if entry is None else selectors.scorecard_of(entry=entry),
        "players": selectors.count_entries(tournament=found),
        "rules": describe_rules(found.rule_set),
    }
    if directs(found.club, player):
        steps = services.steps(tournament=found, now=timezone.now())
        context["steps"] = [(step.value, STEPS[step]) for step in steps]
        context["changes"] = selectors.trace.status_changes_of(tournament=found)
    return render(request, "tournaments/tournament.html", context)
