"""Clubs, who belongs to them, and what a player may do there."""

from typing import Final

from django.db.models import QuerySet

from games.models import Player
from tournaments.models import Club, Device, Membership

_DIRECTING: Final = (Membership.Role.OWNER, Membership.Role.DIRECTOR)


def membership_of(*, club: Club, player: Player) -> Membership | None:
    """Return the player's part in the club, also one that has ended; None when there is none."""
    return Membership.objects.filter(club=club, player=player).first()


def may_direct(*, club: Club, player: Player) -> bool:
    """Return whether the player runs the club: its owners and directors, and superusers."""
    if player.is_superuser:
        return True
    membership = membership_of(club=club, player=player)
    return membership is not None and membership.directs


def may_enter(*, club: Club, player: Player) -> str | None:
    """Return why the player may not enter the club's tournaments, None if he may.

    ``banned``; ``guests_not_welcome``; ``members_only``. Whoever has an account is at least as
    welcome as a guest; where anybody may become a member, nobody needs to be one.
    """
    membership = membership_of(club=club, player=player)
    if membership is not None:
        if membership.status == Membership.Status.BANNED:
            return "banned"
        if membership.is_active:
            return None
    if club.guests_welcome:
        return None
    if player.is_guest:
        return "guests_not_welcome"
    return None if club.joining == Club.Joining.OPEN else "members_only"


def clubs_of(*, player: Player) -> QuerySet[Club]:
    """Return the clubs that the player belongs to, by name."""
    return Club.objects.filter(
        memberships__player=player, memberships__status=Membership.Status.ACTIVE
    )


def clubs_directed_by(*, player: Player) -> QuerySet[Club]:
    """Return the clubs that the player may direct, by name: all of them for a superuser."""
    if player.is_superuser:
        return Club.objects.all()
    return Club.objects.filter(
        memberships__player=player,
        memberships__status=Membership.Status.ACTIVE,
        memberships__role__in=_DIRECTING,
    )


def has_more_rights(*, player: Player) -> bool:
    """Return whether an account may do more anywhere than an ordinary member of clubs.

    Such an account, and one that is shut, is a matter of the site's staff alone.
    """
    if player.is_staff or player.is_superuser or not player.is_active:
        return True
    return clubs_directed_by(player=player).exists()


def device_of(*, key: str) -> Device | None:
    """Return the browser of that key."""
    return Device.objects.filter(key=key).first()
