"""Rooms: the lobby, the room itself, what its host decides, and the page of each race."""

import io
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import msgspec
import segno
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.addresses import client_address
from games.engine import PAR
from games.forms import GuestForm
from games.models import Player
from games.views import PlayerRequest, admits, enter_as_guest, too_many
from tournaments import guesses, selectors, services
from tournaments.forms import RoomForm
from tournaments.models import Room, Seat, Tournament
from tournaments.selectors import rooms as room_selectors
from tournaments.services import rooms as room_services
from tournaments.views.common import ERRORS, about, player_of
from tournaments.views.room_words import EMOTES, room_words

#: More characters than any code has, however it is typed.
_LONGEST_CODE: Final = 30
#: Races of a room that its page lists.
_RACES: Final = 5
_A_DAY: Final = 60 * 60 * 24
#: How long whoever tries too many codes is told to wait.
_WAIT: Final = timedelta(minutes=1)

P = ParamSpec("P")
R = TypeVar("R", bound=HttpRequest)


def few_guesses(
    view: Callable[Concatenate[R, P], HttpResponse],
) -> Callable[Concatenate[R, P], HttpResponse]:
    """Let a view of rooms answer whoever tries too many codes of none; not who sits there."""

    @wraps(view)
    def counting(request: R, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        address = client_address(request)
        if guesses.is_spent(address=address):
            player, code = player_of(request), str(kwargs["code"])
            if player is None or not room_selectors.sits_in(code=code, player=player):
                return _too_many_guesses(request)
        try:
            return view(request, *args, **kwargs)
        except UnknownRoom:
            guesses.note(address=address)
            raise

    return counting


def _too_many_guesses(request: HttpRequest) -> HttpResponse:
    return too_many(request, what="codes", until=timezone.now() + _WAIT)


class UnknownRoom(Http404):
    """There is no room of that code."""


def room_of(code: str) -> Room:
    """Return the room of a code. Raises `UnknownRoom`."""
    try:
        return room_selectors.room_of_code(code=code)
    except Room.DoesNotExist:
        raise UnknownRoom from None


# --- the lobby ---------------------------------------------------------------------------------


@never_cache
@require_safe
def lobby(request: HttpRequest) -> HttpResponse:
    """Show the public rooms and one's own; with a code, go to its room."""
    typed = request.GET.get("code", "")[:_LONGEST_CODE].strip()
    if typed:
        if guesses.is_spent(address=client_address(request)):
            return _too_many_guesses(request)
        try:
            return redirect("room", room_selectors.room_of_code(code=typed).code)
        except Room.DoesNotExist:
            guesses.note(address=client_address(request))
    return _lobby(request, GuestForm(), unknown=typed)


def _lobby(request: HttpRequest, guest_form: GuestForm, unknown: str = "") -> HttpResponse:
    player = player_of(request)
    context = {
        "rooms": room_selectors.public_rooms(),
        "mine": [] if player is None else room_selectors.rooms_of(player=player),
        "guest_form": guest_form,
        "unknown": unknown,
    }
    return render(request, "rooms/lobby.html", context)


@never_cache
@require_safe
def lobby_list(request: HttpRequest) -> HttpResponse:
    """Show the list of public rooms alone, for the page that fetches it again."""
    return render(request, "rooms/public.html", {"rooms": room_selectors.public_rooms()})


@never_cache
@admits
@require_http_methods(["GET", "HEAD", "POST"])
def room_new(request: HttpRequest) -> HttpResponse:
    """Open a room; a visitor gives a name, and that is all."""
    if request.method != "POST":
        return redirect("races")
    who = _player_or_form(request)
    if isinstance(who, GuestForm):
        return _lobby(request, who)
    settings = room_services.RoomSettings(is_public="public" in request.POST)
    try:
        room = room_services.open_room(host=who, settings=settings)
    except services.TournamentError as error:
        messages.error(request, ERRORS[error.code])
        return redirect("races")
    return redirect("room", room.code)


def _player_or_form(request: HttpRequest) -> Player | GuestForm:
    """Return who asks; a visitor becomes a guest of the name that is sent, or gets the form back.

    Raises `services.TooManyArrivals`.
    """
    player = player_of(request)
    if player is not None:
        return player
    form = GuestForm(request.POST)
    if not form.is_valid():
        return form
    return enter_as_guest(request, name=form.cleaned_data["name"])


# --- the room ----------------------------------------------------------------------------------


@never_cache
@few_guesses
@require_safe
def room(request: HttpRequest, code: str) -> HttpResponse:
    """Show a room: who is there, the race that is under way, the one before."""
    found = room_of(code)
    if code != found.code:
        return redirect("room", found.code)
    return _room(request, found, GuestForm())


def _room(request: HttpRequest, found: Room, guest_form: GuestForm) -> HttpResponse:
    player = player_of(request)
    races = room_selectors.races_of(room=found)[:_RACES]
    if found.is_closed:
        return render(request, "rooms/closed.html", {"room": found, "races": races})
    seat = None if player is None else room_selectors.seat_of(room=found, player=player)
    state = room_selectors.race_state(room=found)
    you = room_selectors.you_of(room=found, player=player)
    context = {
        "room": found,
        "seat": seat,
        "is_seated": seat is not None and seat.is_taken,
        "is_host": you.host,
        "said": [msgspec.to_builtins(state), msgspec.to_builtins(you)],
        "words": room_words(),
        "emotes": EMOTES,
        "races": races,
        "url": _address(request, found),
        "guest_form": guest_form,
        "par": PAR,
    }
    return render(request, "rooms/room.html", context)


def _address(request: HttpRequest, found: Room) -> str:
    return request.build_absolute_uri(reverse("room", args=[found.code]))


@few_guesses  # outermost: a refusal is not to be kept
@cache_control(max_age=_A_DAY)
@require_safe
def room_code(request: HttpRequest, code: str) -> HttpResponse:
    """Draw the link to a room as a QR code."""
    drawn = io.BytesIO()
    segno.make(_address(request, room_of(code)), error="m", micro=False).save(
        drawn, kind="svg", xmldecl=False, omitsize=True, border=4, dark="#000", light="#fff"
    )
    return HttpResponse(drawn.getvalue(), content_type="image/svg+xml")


@never_cache
@few_guesses
@admits
@require_http_methods(["GET", "HEAD", "POST"])
def room_join(request: HttpRequest, code: str) -> HttpResponse:
    """Take a seat; a visitor gives a name, and that is all."""
    found = room_of(code)
    if request.method != "POST":
        return redirect("room", found.code)
    who = _player_or_form(request)
    if isinstance(who, GuestForm):
        return _room(request, found, who)
    return _act(request, found, lambda: room_services.take_seat(room=found, player=who))


@few_guesses
@login_required
@require_POST
def room_leave(request: PlayerRequest, code: str) -> HttpResponse:
    """Get up for good."""
    found = room_of(code)
    room_services.leave_seat(room=found, player=request.user)
    messages.success(request, _("You have left the room."))
    return redirect("races")


@few_guesses
@login_required
@require_POST
def room_remove(request: PlayerRequest, code: str, seat_id: int) -> HttpResponse:
    """Take somebody's seat away."""
    found = room_of(code)
    return _act(
        request,
        found,
        lambda: room_services.remove_seat(room=found, seat_id=seat_id, by=request.user),
    )


def _act(request: HttpRequest, found: Room, act: Callable[[], Seat | None]) -> HttpResponse:
    """Call a service, say why it would not, and show the room again."""
    try:
        act()
    except services.TournamentError as error:
        messages.error(request, ERRORS[error.code])
    return redirect("room", found.code)


@few_guesses
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def room_settings(request: PlayerRequest, code: str) -> HttpResponse:
    """Let the host set the next race; the room's own page shows the same form in a dialog."""
    found = room_of(code)
    if not room_selectors.you_of(room=found, player=request.user).host:
        raise PermissionDenied
    form = RoomForm(request.POST or None, settings=room_services.settings_of(room=found))
    if request.method == "POST" and form.is_valid():
        try:
            room_services.change_room(room=found, by=request.user, settings=form.settings)
        except ValidationError as error:
            form.refuse(error)
        except services.TournamentError as error:
            messages.error(request, ERRORS[error.code])
            return redirect("room", found.code)
        else:
            return redirect("room", found.code)
    return render(request, "rooms/settings.html", {"room": found, "form": form})


# --- a race ------------------------------------------------------------------------------------


@never_cache
@few_guesses
@require_safe
def race(request: HttpRequest, code: str, slug: str) -> HttpResponse:
    """Show how a race has ended; one that is under way is shown in its room."""
    found = _race_of(code, slug)
    if found.closed_at is None:
        return redirect("room", found.room.code)
    view = selectors.view_for(tournament=found, player=player_of(request))
    board = selectors.leaderboard(tournament=found, view=view)
    changes = room_selectors.rating_changes(tournament=found)
    lines = room_selectors.race_lines(tournament=found)
    context = {
        **about(found),
        "room": found.room,
        "rows": [
            {"row": row, "line": lines.get(row.entry_id), "change": changes.get(row.player_id)}
            for row in board.rows
        ],
        "has_ratings": bool(changes),
        "board": board,
        "is_revealed": view.is_whole,
        "player": player_of(request),
    }
    return render(request, "rooms/race.html", context)


def _race_of(code: str, slug: str) -> Any:
    try:
        found = selectors.tournament_of(slug=slug)
    except Tournament.DoesNotExist:
        raise Http404 from None
    if found.room is None or found.room.code != code:
        raise UnknownRoom
    return found
