"""The pages that belong to no single app."""

import sys
from pathlib import Path
from typing import Any

import msgspec
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import engines, loader
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.defaults import server_error

from games.engine import EASY, PAR, GameCode, describe
from games.engine.play import Play
from games.forms import GuestForm, LoginForm
from games.models import Player
from golfsite.rules_page import RulesPage
from tournaments import selectors, services
from tournaments.protocol import Race, RoomState, SeatState, Settings, You
from tournaments.views.room_words import EMOTES, room_words

#: The deal on the first page.
_SHOWN_DEAL = "GO1-E-AAAAAAB"
_STYLEGUIDE = Path(__file__).with_name("styleguide.html")
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


@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    """Show every component in every state (in debug only)."""
    bound = LoginForm(request, data={"username": "", "password": ""})
    context = {
        "guest_form": GuestForm({"name": ""}),
        "form": bound,
        "levels": ["success", "warning", "error", "info"],
        "cards": ["AS", "TH", "QD", "7C", "*"],
        "emotes": EMOTES,
        "room_words": room_words(),
        "room_said": _shown_room(),
    }
    # Not among the templates, since a page for developers has nothing to translate.
    template = engines["django"].from_string(_STYLEGUIDE.read_text(encoding="utf-8"))
    return HttpResponse(template.render(context, request))


def _shown_room() -> list[Any]:
    """Return the messages of a room in which there is one seat of each kind."""
    # Name, whether connected and playing, place, rating, and the row of the hole.
    shown = [
        ("Aino", True, True, 1, 1523, (0, 4, 0, 0, -4, 350, 1, 61_200)),
        ("W" * 30, True, True, 2, 1180, (12, 3, 4, 12, 12, 110, 0, 58_000)),
        ("محمد الفاسي", False, True, 2, None, (12, 9, 1, 12, 12, 110, 0, 57_000)),
        ("Boris", True, True, 4, 990, (21, 0, 0, 21, 21, 0, 1, 40_000)),
        ("Late Larry", True, False, None, None, None),
    ]
    seats = []
    for number, (name, connected, playing, place, rating, row) in enumerate(shown, 1):
        over = row if row and row[6] else (0,) * 8
        seats.append(
            SeatState(
                id=number, name=name, guest=rating is None, ready=number % 2 == 1,
                connected=connected, since=0, rating=rating, provisional=number > 1,
                playing=playing, thru=over[6], strokes=over[3], to_par=over[3] - PAR * over[6],
                app_score=over[5], time=over[7], place=place, row=row,
            )
        )  # fmt: skip
    settings = Settings(
        public=True, rules="E", ranking="strokes", strokes_kind="traditional", holes=3,
        hole_minutes=10, grace_seconds=60, undo=False, hints=False, friendly=False,
    )  # fmt: skip
    race = Race(
        slug="race", number=1, hole=1, holes=3, starts_at=0, closes_at=600_000, limited=True
    )
    state = RoomState(
        room="ABCDE", version=1, now=0, phase="playing", host=1, settings=settings, race=race,
        last=None, seats=seats,
    )  # fmt: skip
    you = You(seat=1, host=True, game=None, can_watch=True, watch={"2": "two", "3": "three"})
    return [msgspec.to_builtins(each) for each in (state, you)]


def failed(request: HttpRequest) -> HttpResponse:
    """Answer what has failed: 503 while the database is away or has no room, else 500.

    Django calls it while the error is handled, and does not hand it on.
    """
    if not isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return server_error(request)
    page = loader.get_template("503.html").render()
    return HttpResponse(page, status=503, headers={"Retry-After": str(_RETRY_AFTER)})
