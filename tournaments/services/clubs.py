"""Founding and changing a club: its settings, its invitation, its tablets."""

import re
from typing import Any, Final

from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.crypto import get_random_string
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from games import names, words
from games.models import Player
from games.services import hold_player
from tournaments.models import Club, ClubEvent, Device, Membership
from tournaments.models.clubs import new_invitation
from tournaments.selectors.clubs import HOUSE_CLUB
from tournaments.services.errors import TournamentError
from tournaments.services.members import (
    lock,
    log,
    name_key,
    outgrow_links,
    require_director,
)
from tournaments.services.seen import changed_meanwhile, fingerprint

#: Clubs that one player may own.
MOST_CLUBS: Final = 20
#: Characters of a club's password, at the least.
SHORTEST_PASSWORD: Final = 8
#: Characters of what a club says about itself.
MOST_TEXT: Final = 2_000
#: Controls but for the ends of lines, and marks that turn the direction of a whole text.
_UNWANTED: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: Addresses that nobody can choose: a page's, and those of the site's own clubs.
_RESERVED: Final = frozenset({"new", "demo", HOUSE_CLUB})
#: What may be changed, and so what `ClubEvent.Kind.CHANGED` may name.
CHANGEABLE: Final = (
    "name",
    "about",
    "time_zone",
    "rules",
    "joining",
    "guests_welcome",
    "is_hidden",
)


@sensitive_variables("password")
def found_club(*, by: Player, password: str = "", slug: str = "", **fields: Any) -> Club:
    """Create a club that `by` owns; without a `slug` its address is made of its name.

    `fields` are those of `CHANGEABLE`, the name at the least; `password` is needed where members
    join by one.

    Raises `ValidationError` by field, and `TournamentError` ``guest``, ``too_many_clubs``.
    """
    if by.is_guest:
        raise TournamentError("guest")
    if slug in _RESERVED:
        raise ValidationError({"slug": ValidationError(_("This address is taken."), "unique")})
    club = Club(**fields, slug=slug or _free_slug(fields["name"]))
    _set_password(club, password)
    _validate(club)
    try:
        with transaction.atomic():
            # One after another: two windows do not found the last club together.
            hold_player(player=by)
            owned = Membership.objects.filter(
                player=by, role=Membership.Role.OWNER, status=Membership.Status.ACTIVE
            )
            if owned.count() >= MOST_CLUBS:
                raise TournamentError("too_many_clubs")
            club.save()
            Membership.objects.create(
                club=club,
                player=by,
                role=Membership.Role.OWNER,
                name=by.name,
                name_key=name_key(by.name),
            )
            outgrow_links(player=by, by=by)
            log(club, ClubEvent.Kind.CREATED, by=by)
    except IntegrityError:
        # Somebody took the address in between: the same complaint as a moment later.
        club.full_clean()
        raise
    return club


def _free_slug(name: str) -> str:
    """Return an address of the name's Latin letters and digits that no club has."""
    plain = slugify(name)[:40].strip("-") or f"club-{_few_letters()}"
    taken = Club.objects.filter(slug=plain).exists() or plain in _RESERVED
    return f"{plain}-{_few_letters()}" if taken else plain


def _few_letters() -> str:
    return get_random_string(5, "abcdefghjkmnpqrstuvwxyz23456789")


@sensitive_variables("password")
def update_club(
    *, club: Club, by: Player, password: str = "", seen: str | None = None, **fields: Any
) -> Club:
    """Change the club's settings, those of `CHANGEABLE` that are given; an empty password stays.

    `seen` is what the director saw of them (`seen_of_club`), None whatever there was.

    Raises `ValidationError` by field, ``changed`` (by somebody else meanwhile) as a whole, and
    `TournamentError` ``not_allowed``.
    """
    with transaction.atomic():
        stored = lock(club)
        require_director(stored, by)
        is_older = seen not in (None, seen_of_club(club=stored))
        changed = [name for name in fields if getattr(stored, name) != fields[name]]
        for name in changed:
            setattr(stored, name, fields[name])
        is_new = bool(password) and stored.joining == Club.Joining.PASSWORD
        if is_older and (changed or is_new):
            raise changed_meanwhile()
        if _set_password(stored, password):
            changed.append("password")
        _validate(stored)
        if changed:
            stored.save()
            log(stored, ClubEvent.Kind.CHANGED, by=by, note=" ".join(changed))
    return stored


def seen_of_club(*, club: Club) -> str:
    """Return what is to be seen of a club's settings, and of whether its password is another."""
    return fingerprint([[getattr(club, name) for name in CHANGEABLE], club.join_password])


def _validate(club: Club) -> None:
    """Raise `ValidationError` by field."""
    errors: dict[str, list[ValidationError]] = {}
    try:
        club.full_clean()
    except ValidationError as error:
        errors = error.update_error_dict(errors)
    if "name" not in errors:
        try:
            names.check(club.name)
        except names.BadName as error:
            said = ValidationError(str(words.NAME_ERRORS[error.code]), error.code)
            errors["name"] = [said]
    if len(club.about) > MOST_TEXT:
        said = ValidationError(
            _("This text has at most %(count)d characters.") % {"count": MOST_TEXT}, "max_length"
        )
        errors.setdefault("about", []).append(said)
    if _UNWANTED.search(club.about):
        said = ValidationError(str(words.NAME_ERRORS["characters"]), "characters")
        errors.setdefault("about", []).append(said)
    if errors:
        raise ValidationError(errors)


@sensitive_variables("password")
def _set_password(club: Club, password: str) -> bool:
    """Keep the hash of a new password; return whether there was one."""
    if club.joining != Club.Joining.PASSWORD:
        changed = bool(club.join_password)
        club.join_password = ""
        return changed
    if password:
        if len(password) < SHORTEST_PASSWORD:
            raise _at_password(
                _("A password has at least %(count)d characters.") % {"count": SHORTEST_PASSWORD},
                "password_short",
            )
        club.join_password = make_password(password)
        return True
    if not club.join_password:
        raise _at_password(_("Choose the password that members join with."), "password_missing")
    return False


def _at_password(text: str, code: str) -> ValidationError:
    return ValidationError({"password": ValidationError(text, code)})


def renew_invitation(*, club: Club, by: Player) -> Club:
    """Give the club another invitation link; the old one is dead.

    Raises `TournamentError` ``not_allowed``.
    """
    with transaction.atomic():
        stored = lock(club)
        require_director(stored, by)
        stored.invitation = new_invitation()
        stored.save(update_fields=["invitation"])
        log(stored, ClubEvent.Kind.INVITATION, by=by)
    return stored


def mark_tablet(*, device: Device, club: Club, by: Player, label: str) -> Device:
    """Make a browser the club's tablet, which its members use one after another. Idempotent.

    Raises `TournamentError` ``not_allowed``, ``other_tablet``, and `games.names.BadName` for a
    label that is no name.
    """
    names.check(label)
    with transaction.atomic():
        require_director(lock(club), by)
        free = Device.objects.filter(pk=device.pk, tablet_of=None)
        if free.update(tablet_of=club, label=label):
            log(club, ClubEvent.Kind.TABLET, by=by, note=f"marked {label}")
        elif not Device.objects.filter(pk=device.pk, tablet_of=club).exists():
            raise TournamentError("other_tablet")
    device.refresh_from_db()
    return device


def unmark_tablet(*, device: Device, club: Club, by: Player) -> None:
    """Take the mark of the club's tablet from a browser. Idempotent.

    Raises `TournamentError` ``not_allowed``.
    """
    with transaction.atomic():
        require_director(lock(club), by)
        if Device.objects.filter(pk=device.pk, tablet_of=club).update(tablet_of=None):
            log(club, ClubEvent.Kind.TABLET, by=by, note=f"unmarked {device.label}")


def new_device() -> Device:
    """Keep a browser that has not been seen before."""
    return Device.objects.create(key=get_random_string(32))
