"""The pages that belong to no single app."""

from pathlib import Path
from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import engines
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.engine import EASY, GameCode, describe
from games.engine.play import Play
from games.forms import GuestForm, LoginForm
from games.models import Player
from golfsite.rules_page import RulesPage
from tournaments import selectors, services

#: The deal on the first page.
_SHOWN_DEAL = "GO1-E-AAAAAAB"
_STYLEGUIDE = Path(__file__).with_name("styleguide.html")


@never_cache
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Play now, today's nine holes, and the tournaments that are open."""
    nine = services.todays_nine(now=timezone.now())
    player = request.user if isinstance(request.user, Player) else None
    entry = (
        None
        if nine is None or player is None
        else selectors.entry_of(tournament=nine, player=player)
    )
    context = {
        "nine": nine,
        "card": None if entry is None else selectors.scorecard_of(entry=entry),
        "guest_form": GuestForm(),
        "board": describe(Play(GameCode.parse(_SHOWN_DEAL).deal(), EASY)),
        "tournaments": selectors.open_tournaments(player=player),
        **({} if player is None or player.is_guest else _clubs(player)),
    }
    return render(request, "home.html", context)


def _clubs(player: Player) -> dict[str, Any]:
    """Return the clubs that a member belongs to, and those on whose lists he is."""
    return {
        "clubs": selectors.clubs.clubs_of(player=player),
        "expecting": selectors.clubs.clubs_expecting(player=player),
    }


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """Tell how the game is played, in examples that the engine has worked out."""
    return render(request, "rules.html", {"rules": RulesPage()})


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Say whether this process serves and reaches its database: 200 or 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "database unavailable"}, status=503)
    return JsonResponse({"status": "ok"})


@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    """Show every component in every state (in debug only)."""
    bound = LoginForm(request, data={"username": "", "password": ""})
    context = {
        "guest_form": GuestForm({"name": ""}),
        "form": bound,
        "levels": ["success", "warning", "error", "info"],
        "cards": ["AS", "TH", "QD", "7C", "*"],
    }
    # Not among the templates, since a page for developers has nothing to translate.
    template = engines["django"].from_string(_STYLEGUIDE.read_text(encoding="utf-8"))
    return HttpResponse(template.render(context, request))
