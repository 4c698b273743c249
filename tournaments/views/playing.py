"""Playing a hole of a tournament."""

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.models import Player
from tournaments import selectors, services
from tournaments.models import Entry
from tournaments.views.common import ERRORS, about, entry_of, tournament_of


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def hole(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Start a hole (POST), or show its board; the cards come over its socket."""
    found = tournament_of(slug)
    page = reverse("tournament", args=[slug])
    if not isinstance(request.user, Player):
        return redirect_to_login(page)
    entry = entry_of(request, found)
    if entry is None:
        messages.error(request, ERRORS["not_entered"])
        return redirect(page)
    if request.method == "POST":
        return _start_hole(request, entry, number, page)
    card = selectors.scorecard_of(entry=entry)
    shown = next((hole for hole in card.holes if hole.number == number), None)
    if shown is None:
        raise Http404
    if shown.game is None:
        return redirect(page)
    links = {
        "tournament": page,
        "leaderboard": reverse("leaderboard", args=[slug]),
        "scorecard": reverse("scorecard", args=[slug, entry.pk]),
    }
    following = number + 1 if number < len(card.holes) else None
    if following is not None:
        links["next_post"] = reverse("hole", args=[slug, following])
    context = {
        **about(found),
        "game": shown.game,
        "hole": shown,
        "holes": len(card.holes),
        "links": links,
        "par": shown.par,
    }
    return render(request, "tournaments/hole.html", context)


def _start_hole(request: HttpRequest, entry: Entry, number: int, page: str) -> HttpResponse:
    try:
        services.start_hole(entry=entry, number=number)
    except services.TournamentError as error:
        messages.error(request, ERRORS[error.code])
        return redirect(page)
    return redirect(request.path)
