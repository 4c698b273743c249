"""The pages with the figures of players: one's own, and those that are shown to everybody."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games import charts
from games import services as games_services
from games.models import Player
from games.views import PlayerRequest
from tournaments.selectors import players, rooms


@login_required
@never_cache
@require_safe
def my_figures(request: PlayerRequest) -> HttpResponse:
    """Show a player the figures of his own."""
    return _page(request, request.user, is_own=True)


@never_cache
@require_safe
def player(request: HttpRequest, page_id: str) -> HttpResponse:
    """Show the figures of a player who shows them to everybody; of others nothing."""
    try:
        found = players.player_to_show(page_id=page_id)
    except Player.DoesNotExist:
        raise Http404 from None
    return _page(request, found, is_own=False)


def _page(request: HttpRequest, found: Player, *, is_own: bool) -> HttpResponse:
    figures = players.figures_of(player=found, for_all=not is_own)
    races = rooms.rating_history(player=found, latest=players.FORM)
    ratings = [rated.change.after for rated in reversed(races)]
    context = {
        "shown": found,
        "rating": rooms.rating_of(player=found),
        "races": races,
        "rating_chart": charts.line(ratings, level=rooms.SHOWN_START),
        "figures": figures,
        "is_own": is_own,
        "rounds": figures.form,
        "chart": charts.line([nine.to_par for nine in figures.records.form(players.FORM)]),
    }
    return render(request, "players/player.html", context)


@login_required
@require_POST
def show_figures(request: PlayerRequest) -> HttpResponse:
    """Show the page to everybody, or to nobody else."""
    is_public = request.POST.get("public") == "yes"
    games_services.show_figures(player=request.user, is_public=is_public)
    if is_public:
        messages.success(request, _("Everybody who has the link sees this page now."))
    else:
        messages.success(request, _("Nobody but you sees this page now."))
    return redirect("my_figures")
