"""What becomes of a guest's part in clubs and tournaments when an account takes the games over."""

from collections.abc import Iterable
from typing import TypeVar

from django.db import IntegrityError, transaction

from games.models import Player
from tournaments.models import DealOpening, Entry, HoleResult, Membership
from tournaments.services import rooms
from tournaments.services.results import announce, refresh_entry

Owned = TypeVar("Owned", DealOpening, Entry, Membership)


def take_over(*, guest: Player, into: Player) -> list[int]:
    """Give a guest's entries, memberships and seats to an account, inside the caller's transaction.

    Where the account has one of its own the guest's stays; of seats see `rooms.hand_over`.
    Returns the ids of the games of the entries that stay, which must stay as well.
    """
    rooms.hand_over(guest=guest, into=into)
    _move(Membership.objects.filter(player=guest), into)
    # Who has seen the deals has seen them under either name.
    _move(DealOpening.objects.filter(player=guest), into)
    entries = list(Entry.objects.filter(player=guest).order_by("tournament_id"))
    stay = _move(entries, into)
    for entry in entries:
        if entry not in stay:
            refresh_entry(entry_id=entry.pk)
            announce(entry.tournament_id)
    results = HoleResult.objects.filter(entry__in=stay).exclude(game=None)
    return [game_id for game_id in results.values_list("game_id", flat=True) if game_id]


def _move(rows: Iterable[Owned], into: Player) -> list[Owned]:
    """Give rows to another player; return those that he has one of already."""
    stay = []
    for row in rows:
        try:
            with transaction.atomic():
                type(row).objects.filter(pk=row.pk).update(player=into)
        except IntegrityError:
            stay.append(row)
    return stay
