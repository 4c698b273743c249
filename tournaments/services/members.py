"""Who belongs to a club: joining, leaving, roles, removing, and help with a password.

Membership is always the player's own act: a director opens a door (the link, the password, the
list), removes, and takes a removal back, but makes nobody a member. So whoever may be helped with
a forgotten password has chosen this club.

Whatever changes a membership locks the club first, so that of two owners who leave at once one
stays, and nobody acts in a role that he has just lost. Where the player is held as well, that comes
before: who deletes himself leaves his clubs.
"""

import unicodedata
from datetime import timedelta
from itertools import count
from typing import Final

from django.contrib.auth.hashers import check_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from games import names, words
from games import services as games_services
from games.locks import held
from games.models import Player
from tournaments import selectors
from tournaments.models import AllowedName, Club, ClubEvent, JoinAttempt, Membership
from tournaments.selectors.clubs import allowed_name_of
from tournaments.services.errors import NotAllowed, TournamentError

Role, Status, Kind = Membership.Role, Membership.Status, ClubEvent.Kind

LONGEST_NAME: Final = 30
#: Tries of a club's password that one player has in so many seconds.
TRIES: Final = 5
TRIES_SECONDS: Final = 15 * 60
_LONGEST_NAME_KEY: Final = 120
_RANKS: Final[dict[str, int]] = {Role.OWNER: 2, Role.DIRECTOR: 1, Role.MEMBER: 0}


def checked_name(name: str) -> str:
    """Return a name trimmed and composed. Raises `ValidationError` with a code."""
    name = unicodedata.normalize("NFC", name.strip())
    if len(name) > LONGEST_NAME:
        raise ValidationError(
            _("A name has at most %(limit_value)d characters.") % {"limit_value": LONGEST_NAME},
            "max_length",
        )
    try:
        names.check(name)
    except names.BadName as error:
        raise ValidationError(str(words.NAME_ERRORS[error.code]), error.code) from error
    return name


def name_key(name: str) -> str:
    """Return the key under which names in a club are one."""
    return names.skeleton(name)[:_LONGEST_NAME_KEY]


def name_keys(name: str) -> set[str]:
    """Return the keys of everything that a new name can be read as."""
    return {key[:_LONGEST_NAME_KEY] for key in names.readings(name)}


def lock(club: Club) -> Club:
    """Return the club as it is stored, locked until the end of the transaction."""
    return held(Club.objects).get(pk=club.pk)


def log(
    club: Club, kind: str, *, by: Player | None, player: Player | None = None, note: str = ""
) -> None:
    """Write down what was done in the club."""
    ClubEvent.objects.create(club=club, kind=kind, by=by, player=player, note=note[:200])


def rank_of(club: Club, player: Player) -> int:
    """Return how much a player may do: 3 superuser, 2 owner, 1 director, 0 member, −1 nothing."""
    if player.is_superuser:
        return 3
    membership = Membership.objects.filter(club=club, player=player, status=Status.ACTIVE).first()
    return -1 if membership is None else _RANKS[membership.role]


def require_director(club: Club, by: Player) -> int:
    """Return the rank of who directs the club. Raises `TournamentError` ``not_allowed``."""
    rank = rank_of(club, by)
    if rank < 1:
        raise NotAllowed
    return rank


# --- one's own acts ----------------------------------------------------------------------------


@sensitive_variables("password")
def join_club(
    *, club: Club, player: Player, name: str = "", invitation: str = "", password: str = ""
) -> Membership:
    """Make the player a member, under `name` or the name that he has; a member stays one.

    Whoever is on the club's list needs nothing else. Otherwise it depends on `Club.joining`.

    Raises `TournamentError` ``guest``, ``banned``, ``invitation``, ``not_listed``, ``password``,
    ``too_many_tries``, and `ValidationError` ``name_taken`` at `name`; `PermissionDenied` as
    `games.services.hold_player` does.
    """
    if player.is_guest:
        raise TournamentError("guest")
    found = Membership.objects.filter(club=club, player=player).first()
    if found is not None and found.is_active:
        return found
    if found is not None and found.status == Status.BANNED:
        raise TournamentError("banned")
    if allowed_name_of(club=club, player=player) is None:
        _open_door(club, player, invitation, password)
    with transaction.atomic():
        player = games_services.hold_player(player=player)
        stored = lock(club)
        if (stored.joining, stored.join_password) != (club.joining, club.join_password):
            raise NotAllowed  # the door was changed in between
        return _admit(stored, player, name)


def _open_door(club: Club, player: Player, invitation: str, password: str) -> None:
    if club.joining == Club.Joining.LINK:
        if not constant_time_compare(invitation, club.invitation):
            raise TournamentError("invitation")
    elif club.joining == Club.Joining.LIST:
        raise TournamentError("not_listed")
    elif club.joining == Club.Joining.PASSWORD:
        _try_password(club, player, password)


@sensitive_variables("password")
def _try_password(club: Club, player: Player, password: str) -> None:
    """Count the try before it is made, so that many at once are not more than one by one."""
    if not password:
        raise TournamentError("password")
    now = timezone.now()
    mine = JoinAttempt.objects.filter(club=club, player=player)
    JoinAttempt.objects.get_or_create(club=club, player=player, defaults={"since": now})
    mine.filter(since__lt=now - timedelta(seconds=TRIES_SECONDS)).update(tries=0, since=now)
    counted = mine.filter(tries__lt=TRIES).update(tries=F("tries") + 1)
    # None are left where another tab came with the right one just now.
    if not counted and mine.exists():
        raise TournamentError("too_many_tries")
    if not check_password(password, club.join_password):
        raise TournamentError("password")
    mine.delete()


def _admit(club: Club, player: Player, name: str) -> Membership:
    membership = Membership.objects.filter(club=club, player=player).first()
    if membership is not None and membership.is_active:
        return membership  # by another tab
    if membership is not None and membership.status == Status.BANNED:
        raise TournamentError("banned")
    membership = membership or Membership(club=club, player=player)
    listed = allowed_name_of(club=club, player=player)
    _name(membership, name or (listed.name if listed else "") or player.name)
    if listed is not None and player.date_joined <= listed.added_at:
        membership.role = listed.role
        # It is given once: who is a director no more does not become one by coming back.
        AllowedName.objects.filter(pk=listed.pk).update(role=Role.MEMBER)
    membership.status, membership.joined_at = Status.ACTIVE, timezone.now()
    membership.save()
    if membership.role != Role.MEMBER:
        outgrow_links(player=player, by=player)
    log(club, Kind.JOINED, by=player, player=player, note=membership.name)
    return membership


def _name(membership: Membership, name: str) -> None:
    """Give the member a name. Raises `ValidationError` at `name`."""
    try:
        membership.name = checked_name(name)
    except ValidationError as error:
        raise ValidationError({"name": error}) from error
    membership.name_key = name_key(membership.name)
    if _has_taken_name(membership):
        raise ValidationError(
            {
                "name": ValidationError(
                    _("A member has this name, or one that looks like it. Choose another."),
                    "name_taken",
                )
            }
        )


def _has_taken_name(membership: Membership) -> bool:
    """Return whether another member has a name that looks like this one's."""
    others = Membership.objects.filter(club=membership.club_id, status=Status.ACTIVE)
    keys = name_keys(membership.name)
    return others.exclude(pk=membership.pk).filter(name_key__in=keys).exists()


def leave_club(*, club: Club, player: Player) -> None:
    """End the player's own membership. Idempotent.

    Raises `TournamentError` ``last_owner``.
    """
    with transaction.atomic():
        lock(club)
        membership = Membership.objects.filter(
            club=club, player=player, status=Status.ACTIVE
        ).first()
        if membership is not None:
            _end(membership, Status.LEFT, by=player)


def rename_member(*, membership: Membership, name: str, by: Player) -> Membership:
    """Change a member's name in the club: one's own, or that of somebody of a lower rank.

    Boards keep the name that the member played under.

    Raises `TournamentError` ``not_allowed``, ``not_a_member``, and `ValidationError` at `name`.
    """
    with transaction.atomic():
        stored = _locked(membership)
        if not stored.is_active:
            raise TournamentError("not_a_member")
        if stored.player_id != by.pk:
            _require_above(stored, by)
        before = stored.name
        _name(stored, name)
        if stored.name != before:
            stored.save(update_fields=["name", "name_key"])
            _log(stored, Kind.RENAMED, by=by, note=f"{before} → {stored.name}")
    return stored


# --- directors' acts ---------------------------------------------------------------------------


def set_role(*, membership: Membership, role: str, by: Player) -> Membership:
    """Give a member another role, which owners do. Idempotent.

    Raises `TournamentError` ``not_allowed``, ``not_a_member``, ``last_owner``.
    """
    with transaction.atomic():
        _locked_player(membership.player)
        stored = _locked(membership)
        if rank_of(stored.club, by) < _RANKS[Role.OWNER]:
            raise NotAllowed
        if not stored.is_active:
            raise TournamentError("not_a_member")
        if stored.role != role:
            _keep_an_owner(stored)
            stored.role = role
            stored.save(update_fields=["role"])
            if role != Role.MEMBER:
                outgrow_links(player=stored.player, by=by)
            _log(stored, Kind.ROLE, by=by, note=role)
    return stored


def remove_member(*, membership: Membership, by: Player) -> Membership:
    """End somebody's membership, who may come back by an open door; the list is none any more.

    Idempotent. Raises `TournamentError` ``not_allowed``, ``last_owner``.
    """
    with transaction.atomic():
        stored = _locked(membership)
        _require_above(stored, by)
        if stored.is_active:
            _end(stored, Status.REMOVED, by=by)
    return stored


def ban_member(*, membership: Membership, by: Player) -> Membership:
    """Keep somebody out of the club and its tournaments, by whichever door. Idempotent.

    Raises `TournamentError` ``not_allowed``, ``last_owner``.
    """
    with transaction.atomic():
        stored = _locked(membership)
        _require_above(stored, by)
        if stored.status != Status.BANNED:
            _end(stored, Status.BANNED, by=by)
    return stored


def restore_member(*, membership: Membership, by: Player) -> Membership:
    """Take back a removal or a ban; who had left before stays away, but may join again.

    Comes back as an ordinary member, numbered if the name was taken meanwhile. Idempotent.

    Raises `TournamentError` ``not_allowed``.
    """
    with transaction.atomic():
        stored = _locked(membership)
        require_director(stored.club, by)
        if stored.status not in (Status.REMOVED, Status.BANNED):
            return stored
        stored.status = Status.LEFT if _had_left(stored) else Status.ACTIVE
        if stored.is_active:
            _number_name(stored)
        stored.save()
        _log(stored, Kind.RESTORED, by=by)
    return stored


def issue_password_link(*, membership: Membership, by: Player) -> games_services.PasswordLink:
    """Return a link by which an ordinary member chooses a new password, once.

    Only for whom the club's directors have nothing to gain by: who may do more anywhere, in this
    club or in another one or on the site, is helped by the site's staff.

    Raises `TournamentError` ``not_allowed``, ``not_a_member``, ``more_rights``.
    """
    with transaction.atomic():
        player = _locked_player(membership.player)
        stored = _locked(membership)
        require_director(stored.club, by)
        if not stored.is_active:
            raise TournamentError("not_a_member")
        if selectors.clubs.has_more_rights(player=player):
            raise TournamentError("more_rights")
        link = games_services.issue_password_link(player=player, by=by)
        _log(stored, Kind.PASSWORD_LINK, by=by)
    return link


def outgrow_links(*, player: Player, by: Player) -> None:
    """Make password links void that were issued while the player was an ordinary member.

    Comes after the rights are written: whoever issues a link at this moment either finds them, or
    has issued it before and finds it void.
    """
    games_services.void_password_links(player=_locked_player(player), by=by)


def _locked_player(player: Player) -> Player:
    return held(Player.objects).get(pk=player.pk)


def _locked(membership: Membership) -> Membership:
    """Return the membership as it is stored, with the club locked."""
    lock(membership.club)
    return Membership.objects.select_related("club", "player").get(pk=membership.pk)


def _require_above(membership: Membership, by: Player) -> None:
    """Owners stand above all, also above each other; directors above ordinary members."""
    rank = require_director(membership.club, by)
    if rank < _RANKS[Role.OWNER] and membership.role != Role.MEMBER:
        raise NotAllowed


def _end(membership: Membership, status: str, *, by: Player) -> None:
    _keep_an_owner(membership)
    was = "" if membership.role == Role.MEMBER else membership.role
    membership.status, membership.role = status, Role.MEMBER
    membership.save(update_fields=["status", "role"])
    if status != Status.LEFT:
        AllowedName.objects.filter(
            club=membership.club, username_key=membership.player.username_key
        ).delete()
    _log(membership, status, by=by, note=was)


def _keep_an_owner(membership: Membership) -> None:
    """Raise `TournamentError` ``last_owner`` for the only active owner who can log in."""
    if membership.role != Role.OWNER or not membership.is_active:
        return
    owners = Membership.objects.filter(
        club=membership.club, role=Role.OWNER, status=Status.ACTIVE, player__is_active=True
    )
    if not owners.exclude(pk=membership.pk).exists():
        raise TournamentError("last_owner")


def _had_left(membership: Membership) -> bool:
    """Return whether the player's own last act was to leave."""
    acts = ClubEvent.objects.filter(
        club=membership.club, player=membership.player, kind__in=(Kind.JOINED, Kind.LEFT)
    )
    return acts.order_by("-pk").values_list("kind", flat=True).first() == Kind.LEFT


def _number_name(membership: Membership) -> None:
    plain = membership.name
    for number in count(2):
        if not _has_taken_name(membership):
            return
        ending = f" ({number})"
        membership.name = plain[: LONGEST_NAME - len(ending)] + ending
        membership.name_key = name_key(membership.name)


def _log(membership: Membership, kind: str, *, by: Player, note: str = "") -> None:
    log(membership.club, kind, by=by, player=membership.player, note=note)
