"""The pages that belong to no single app."""

import sys
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.defaults import server_error

from games.engine import EASY, GameCode, describe
from games.engine.play import Play
from games.forms import GuestForm
from games.models import Player
from golfsite.rules_page import RulesPage
from tournaments import selectors, services

#: The deal on the first page.
_SHOWN_DEAL = "GO1-E-AAAAAAB"
#: After how many seconds to ask again while the database is away.
_RETRY_AFTER = 5


@never_cache
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Play now, today's nine holes, races, and the tournaments that are open."""
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
        "open_rooms": len(selectors.rooms.public_rooms()),
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


def failed(request: HttpRequest) -> HttpResponse:
    """Answer what has failed: 503 while the database is away or has no room, else 500.

    Django calls it while the error is handled, and does not hand it on.
    """
    if not isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return server_error(request)
    page = loader.get_template("503.html").render()
    return HttpResponse(page, status=503, headers={"Retry-After": str(_RETRY_AFTER)})
