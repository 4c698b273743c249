"""What every page of a tournament needs: which one it is, and who asks."""

from collections.abc import Callable
from typing import Any, Final

from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import Form
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games import words
from games.models import Player
from tournaments import selectors, services
from tournaments.models import Club, Entry, Tournament

ERRORS: Final = {
    # Of entering.
    "not_published": _("This tournament has not been published yet."),
    "entries_closed": _("Entries are closed."),
    "full": _("All places are taken."),
    "members_only": _("Only members of the club can enter its tournaments."),
    "guests_not_welcome": _("Guests cannot enter this club's tournaments: log in as a member."),
    "division_needed": _("Choose a division to enter in."),
    "no_such_division": _("This tournament has no such division."),
    # Of playing.
    "not_started": _("This tournament has not opened yet."),
    "closed": _("This tournament is over: no hole can be started any more."),
    "round_not_started": _("The next round has not opened yet."),
    "round_closed": _("The time of this round is over."),
    "time_over": _("Your time is over: no hole can be started any more."),
    "cut_pending": _("The cut after the last round is still to come. Please wait a moment."),
    "no_such_hole": _("This tournament has no such hole."),
    "previous_hole": _("Holes are played in order: finish the one before first."),
    "given": _("A director has said what this hole counts for you."),
    "not_entered": _("Enter the tournament first."),
    "withdrawn": _("You have withdrawn from this tournament: there is no way back."),
    "disqualified": _("You have been disqualified: you cannot play on."),
    "missed_cut": _("You have missed the cut: you cannot play on."),
    "removed": _("A director has taken your entry out of this tournament."),
    "not_frozen": _("This standing is not frozen."),
    "in_room": _("This is a race: it is played in its room."),
    # Of rooms.
    "too_many_rooms": _("You host so many rooms already. They close when nobody is in them."),
    "room_closed": _("This room is closed."),
    "room_full": _("This room is full."),
    "removed_seat": _("The host has taken your seat away: you cannot come back to this room."),
    "no_seat": _("There is no such seat any more."),
    "own_seat": _("This is your own seat: leave the room instead."),
    "not_host": _("That is for the host of the room."),
    "race_running": _("Not while a race is under way."),
    # Of clubs.
    "guest": _("Make an account first: a club knows its members by their user names."),
    "banned": _("You are banned from this club."),
    "invitation": _("This club takes members by its invitation link, and this is not it."),
    "password": _("This is not the club's password."),
    "too_many_tries": _("That was wrong too often. Try again in a quarter of an hour."),
    "not_listed": _("Only who is on this club's list can join. Ask a director to add you."),
    "not_a_member": _("This player does not belong to the club any more."),
    "last_owner": _("A club needs an owner: make somebody else one first."),
    "too_many_clubs": _("You own so many clubs already. Hand one over first."),
    "other_tablet": _("This browser is the tablet of another club. Take that mark away first."),
    "more_rights": _(
        "This player has more rights than a member, here or elsewhere: only the site's staff can"
        " help with the password."
    ),
}


def tournament_of(slug: str, *, player: Player | None = None) -> Tournament:
    """Return the tournament as it is now, closed if its time is over.

    Raises `Http404`, also for a draft, unless the player directs its club.
    """
    try:
        found = selectors.tournament_of(slug=slug)
    except Tournament.DoesNotExist:
        raise Http404 from None
    if found.status == Tournament.Status.DRAFT and not directs(found.club, player):
        raise Http404
    return services.close_while_reading(tournament=found, now=timezone.now())


def directs(club: Club, player: Player | None) -> bool:
    """Return whether the player, None for a visitor, runs the club's tournaments."""
    return player is not None and selectors.clubs.may_direct(club=club, player=player)


def about(tournament: Tournament) -> dict[str, Any]:
    """Return what every page of a tournament shows of it."""
    phase = tournament.phase(timezone.now())
    return {
        "tournament": tournament,
        "phase": phase,
        "rules_name": words.rules_name(tournament.rule_set),
        "is_open": phase == Tournament.Phase.OPEN,
        "is_over": phase in (Tournament.Phase.CLOSING, Tournament.Phase.CLOSED),
    }


def player_of(request: HttpRequest) -> Player | None:
    """Return who asks, also a guest; None for a visitor."""
    return request.user if isinstance(request.user, Player) else None


def entry_of(request: HttpRequest, tournament: Tournament) -> Entry | None:
    """Return the entry of who asks, None for a visitor and for who has not entered."""
    if not isinstance(request.user, Player):
        return None
    return selectors.entry_of(tournament=tournament, player=request.user)


def entry_to_show(tournament: Tournament, entry_id: int) -> Entry:
    """Return an entry of the tournament. Raises `Http404`."""
    try:
        return selectors.entry_to_show(tournament=tournament, entry_id=entry_id)
    except Entry.DoesNotExist:
        raise Http404 from None


def number_of(request: HttpRequest, name: str) -> int | None:
    """Return a number of the address, None for anything else."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def search_of(request: HttpRequest, *, longest: int) -> str:
    """Return what a list is searched for, in one line and without NUL, which no name has."""
    return " ".join(request.GET.get("q", "").replace("\0", " ").split())[:longest]


def seen_by(request: HttpRequest, form: Form, seen: str, *, look_again: Callable[[], str]) -> str:
    """Return what a form that is shown says its director has seen.

    As long as he was not told that it is another by now, that stays what it was at first.
    """
    if form.has_error(NON_FIELD_ERRORS, "changed"):
        return look_again()
    return request.POST.get("seen", seen)
