"""What becomes of the part in clubs and tournaments of a player who goes for good."""

from contextlib import suppress

from django.utils import timezone

from games.deletion import forget_in_admin_log
from games.models import Player
from games.services import AccountError
from tournaments.models import (
    AllowedName,
    BundleChange,
    ClubEvent,
    Entry,
    HoleResult,
    JoinAttempt,
    Membership,
    Rating,
    Seat,
    Tournament,
)
from tournaments.services import members, rooms
from tournaments.services.errors import TournamentError
from tournaments.services.playing import free_board_name, withdraw
from tournaments.services.results import announce


def depart(*, player: Player, name: str) -> list[int]:
    """Take a player out of clubs, rooms and tournaments, inside the caller's transaction.

    Tournaments that go on are left; results stay under the pseudonym `name`. Where a tournament is
    over, its file of results is another one from now on, and that is written down. Returns the ids
    of the games that are results.

    Raises `AccountError` ``last_owner`` where others belong to a club that nobody else owns.
    """
    # Rooms first, as everywhere: a race ends for who gets up.
    rooms.depart(player=player, name=name)
    # What each race made of it stays with the race, and without it nobody is rated any more.
    Rating.objects.filter(player=player).delete()
    _leave_clubs(player, name)
    entries = Entry.objects.filter(player=player).order_by("tournament_id")
    for entry in entries.select_related("tournament"):
        # Where its time is over, or it plays no more, there is nothing to leave.
        with suppress(TournamentError):
            withdraw(entry=entry)
        _rename(entry, name)
    for model in (Entry, Membership, Seat):
        rows = model.objects.filter(player=player)
        forget_in_admin_log(model, rows.values_list("pk", flat=True))
    results = HoleResult.objects.filter(entry__player=player)
    results.update(device=None)
    games = results.exclude(game=None).values_list("game_id", flat=True)
    return [game_id for game_id in games if game_id is not None]


def _leave_clubs(player: Player, name: str) -> None:
    memberships = Membership.objects.filter(player=player).order_by("club_id")
    for membership in memberships.select_related("club"):
        members.lock(membership.club)
        active = Membership.objects.filter(
            club=membership.club_id, status=Membership.Status.ACTIVE
        ).exclude(pk=membership.pk)
        is_owner = membership.is_active and membership.role == Membership.Role.OWNER
        if is_owner and active.exists() and not active.filter(role=Membership.Role.OWNER).exists():
            raise AccountError("last_owner")
        if membership.is_active:
            members.log(membership.club, ClubEvent.Kind.LEFT, by=player, player=player)
            membership.status = Membership.Status.LEFT
        membership.role = Membership.Role.MEMBER
        membership.name, membership.name_key = name, members.name_key(name)
        membership.save()
    JoinAttempt.objects.filter(player=player).delete()
    # They hold the names that the player had, in clubs and on their lists.
    ClubEvent.objects.filter(player=player).update(note="")
    if player.username_key is not None:
        AllowedName.objects.filter(username_key=player.username_key).delete()
        ClubEvent.objects.filter(
            kind__in=(ClubEvent.Kind.LISTED, ClubEvent.Kind.UNLISTED), note=player.username
        ).update(note="")


def _rename(entry: Entry, name: str) -> None:
    """Let an entry go by the pseudonym; one that was taken back is no more."""
    tournament = Tournament.objects.get(pk=entry.tournament_id)
    board_name, key = free_board_name(tournament=tournament, name=name)
    if not Entry.objects.filter(pk=entry.pk).update(name=board_name, name_key=key):
        return
    if tournament.is_revealed:
        BundleChange.objects.create(tournament=tournament, at=timezone.now(), name=board_name)
    announce(entry.tournament_id, entry_id=entry.pk)
