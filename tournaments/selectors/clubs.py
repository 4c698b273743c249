"""Clubs, who belongs to them, and what a player may do there."""

from datetime import timedelta
from typing import Any, Final

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, When
from django.utils import timezone

from games import names
from games.models import Player
from tournaments.models import (
    AllowedName,
    Club,
    ClubEvent,
    Device,
    Membership,
    Round,
    Tournament,
)

#: The address of the club that holds the nine holes of each day; it is in no list.
HOUSE_CLUB: Final = "house"
#: How long a calendar keeps what is over, and how many entries it has at most.
_CALENDAR_PAST: Final = timedelta(days=366)
_CALENDAR_LENGTH: Final = 500
_DIRECTING: Final = (Membership.Role.OWNER, Membership.Role.DIRECTOR)


# --- what a player may do ----------------------------------------------------------------------


def membership_of(*, club: Club, player: Player) -> Membership | None:
    """Return the player's part in the club, also one that has ended; None when there is none."""
    return Membership.objects.filter(club=club, player=player).first()


def may_direct(*, club: Club, player: Player) -> bool:
    """Return whether the player runs the club: its owners and directors, and superusers."""
    if player.is_superuser:
        return True
    membership = membership_of(club=club, player=player)
    return membership is not None and membership.directs


def is_banned(*, club: Club, player: Player) -> bool:
    """Return whether the player is kept out of the club and its tournaments."""
    membership = membership_of(club=club, player=player)
    return membership is not None and membership.status == Membership.Status.BANNED


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
    return Club.objects.filter(_active(player))


def clubs_directed_by(*, player: Player) -> QuerySet[Club]:
    """Return the clubs that the player may direct, by name: all of them for a superuser."""
    if player.is_superuser:
        return Club.objects.all()
    return Club.objects.filter(_active(player, role__in=_DIRECTING))


def has_more_rights(*, player: Player) -> bool:
    """Return whether an account may do more anywhere than an ordinary member of clubs.

    Such an account, and one that is shut, is a matter of the site's staff alone.
    """
    if player.is_staff or player.is_superuser or not player.is_active:
        return True
    return clubs_directed_by(player=player).exists()


def _active(player: Player, **conditions: Any) -> Exists:
    """Return the condition that the player is a member of a club now."""
    return Exists(
        Membership.objects.filter(
            club=OuterRef("pk"), player=player, status=Membership.Status.ACTIVE, **conditions
        )
    )


# --- clubs -------------------------------------------------------------------------------------


def visible_clubs(*, player: Player | None) -> QuerySet[Club]:
    """Return the clubs that the player may know of: all but the hidden ones of others."""
    if player is None:
        return Club.objects.filter(is_hidden=False)
    if player.is_superuser:
        return Club.objects.all()
    return Club.objects.filter(Q(is_hidden=False) | _active(player))


def club_to_show(*, slug: str, player: Player | None) -> Club:
    """Return the club of that address. Raises `Club.DoesNotExist`, also for a hidden one."""
    return visible_clubs(player=player).get(slug=slug)


def club_to_join(*, slug: str, player: Player | None) -> Club:
    """Return `club_to_show`, or a hidden club that expects the player.

    Raises `Club.DoesNotExist`.
    """
    try:
        return club_to_show(slug=slug, player=player)
    except Club.DoesNotExist:
        if player is None:
            raise
        return clubs_expecting(player=player).get(slug=slug)


def club_with_calendar(*, slug: str) -> Club:
    """Return any club but the site's own; a hidden one is for whoever has a key.

    Raises `Club.DoesNotExist`.
    """
    return Club.objects.exclude(slug=HOUSE_CLUB).get(slug=slug)


def clubs_to_list(*, player: Player | None, search: str = "") -> QuerySet[Club]:
    """Return the clubs that the player may know of, by name, with `members`, how many there are."""
    clubs = visible_clubs(player=player).exclude(slug=HOUSE_CLUB)
    if search:
        # SQLite knows the two cases of Latin letters only; names begin their words with capitals.
        clubs = clubs.filter(Q(name__icontains=search) | Q(name__icontains=search.title()))
    return _with_members(clubs)


def my_clubs(*, player: Player) -> QuerySet[Club]:
    """Return `clubs_of` with `members`, how many there are."""
    return _with_members(clubs_of(player=player))


def clubs_expecting(*, player: Player) -> QuerySet[Club]:
    """Return the clubs on whose list the player is, and to which he does not belong yet."""
    if player.is_guest:
        return Club.objects.none()
    inside = Membership.objects.filter(
        player=player, status__in=(Membership.Status.ACTIVE, Membership.Status.BANNED)
    )
    return Club.objects.filter(
        Exists(_listed(player).filter(club=OuterRef("pk"))),
        ~Exists(inside.filter(club=OuterRef("pk"))),
    )


def club_of_invitation(*, invitation: str) -> Club:
    """Return the club that an invitation link leads to. Raises `Club.DoesNotExist`."""
    return Club.objects.get(invitation=invitation)


def allowed_name_of(*, club: Club, player: Player) -> AllowedName | None:
    """Return the player's line of the club's list, None when there is none."""
    return None if player.is_guest else _listed(player).filter(club=club).first()


def _listed(player: Player) -> QuerySet[AllowedName]:
    return AllowedName.objects.filter(username_key=player.username_key)


def _with_members(clubs: QuerySet[Club]) -> QuerySet[Club]:
    active = Q(memberships__status=Membership.Status.ACTIVE)
    return clubs.annotate(members=Count("memberships", filter=active)).order_by("name", "pk")


# --- what a club has ---------------------------------------------------------------------------


def members_of(*, club: Club, search: str = "") -> QuerySet[Membership]:
    """Return the club's members with their players: owners, directors, members, each by name."""
    rank = Case(
        When(role=Membership.Role.OWNER, then=0),
        When(role=Membership.Role.DIRECTOR, then=1),
        default=2,
    )
    return _memberships(club, search).filter(status=Membership.Status.ACTIVE).order_by(rank, "name")


def former_members_of(*, club: Club, search: str = "") -> QuerySet[Membership]:
    """Return who has left, or was removed or banned, with their players."""
    ended = _memberships(club, search).exclude(status=Membership.Status.ACTIVE)
    return ended.order_by("status", "name")


def _memberships(club: Club, search: str) -> QuerySet[Membership]:
    rows = Membership.objects.filter(club=club).select_related("player")
    if not search:
        return rows
    # By its key a name is found in any alphabet, whatever the database knows of upper case.
    return rows.filter(
        Q(name_key__contains=names.skeleton(search)) | Q(player__username__iexact=search)
    )


def member_of(*, club: Club, membership_id: int) -> Membership:
    """Return one membership of the club, also one that has ended.

    Raises `Membership.DoesNotExist`.
    """
    return Membership.objects.select_related("club", "player").get(pk=membership_id, club=club)


def player_inside(*, club: Club, player_id: int) -> Player | None:
    """Return the member with that account, None if there is none or it is shut."""
    return Player.objects.filter(
        pk=player_id,
        is_active=True,
        memberships__club=club,
        memberships__status=Membership.Status.ACTIVE,
    ).first()


def count_members(*, club: Club) -> int:
    """Return how many members the club has now."""
    return Membership.objects.filter(club=club, status=Membership.Status.ACTIVE).count()


def names_on_the_list_of(*, club: Club) -> QuerySet[AllowedName]:
    """Return the names on the club's list, with `is_member`: who has joined already."""
    members = Membership.objects.filter(
        club=club,
        status=Membership.Status.ACTIVE,
        player__username_key=OuterRef("username_key"),
    )
    return AllowedName.objects.filter(club=club).annotate(is_member=Exists(members))


def events_of(*, club: Club) -> QuerySet[ClubEvent]:
    """Return what was done in the club, the latest first."""
    return ClubEvent.objects.filter(club=club).select_related("player", "by")


def tablets_of(*, club: Club) -> QuerySet[Device]:
    """Return the browsers that are the club's tablets."""
    return Device.objects.filter(tablet_of=club).order_by("label", "pk")


def drafts_of(*, club: Club) -> QuerySet[Tournament]:
    """Return the club's tournaments that are not published yet, for its directors."""
    drafts = Tournament.objects.filter(club=club, status=Tournament.Status.DRAFT)
    return drafts.order_by("opens_at", "pk")


def rounds_to_come_and_past(*, club: Club) -> list[Round]:
    """Return the rounds of the club's published tournaments, but for what is long over.

    With their tournaments, and `rounds`, how many each of those has.
    """
    rounds = Round.objects.filter(
        tournament__club=club,
        tournament__day=None,
        tournament__room=None,
        closes_at__gt=timezone.now() - _CALENDAR_PAST,
    ).exclude(tournament__status=Tournament.Status.DRAFT)
    rounds = rounds.select_related("tournament").annotate(rounds=Count("tournament__rounds"))
    return list(rounds.order_by("-opens_at", "number")[:_CALENDAR_LENGTH])


def device_of(*, key: str) -> Device | None:
    """Return the browser of that key."""
    return Device.objects.filter(key=key).first()
