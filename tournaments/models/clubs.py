"""Clubs, who belongs to them, and what was done to whom."""

from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from games.engine import RuleSet
from games.models import Player
from tournaments.models.validators import validate_rules, validate_time_zone

_INVITATION_CHARACTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def new_invitation() -> str:
    """Return an unguessable part of an address: sixteen characters, about 79 random bits."""
    return get_random_string(16, _INVITATION_CHARACTERS)


class Club(models.Model):
    """A club that hosts tournaments.

    `time_zone` is where its days begin and its times are meant; `rules` is the rule set that a
    new tournament starts with. Who may become a member says `joining`; whoever is on the club's
    list (`AllowedName`) always may.
    """

    class Joining(models.TextChoices):
        """Who may become a member."""

        OPEN = "open", _("anybody")
        LINK = "link", _("who has the invitation link")
        PASSWORD = "password", _("who knows the password")
        LIST = "list", _("who is on the list")

    name = models.CharField(_("name"), max_length=60)
    slug = models.SlugField(_("address"), max_length=60, unique=True)
    about = models.TextField(_("about"), max_length=2000, blank=True)
    time_zone = models.CharField(
        _("time zone"), max_length=64, default="UTC", validators=[validate_time_zone]
    )
    rules = models.CharField(_("rule set"), max_length=6, default="E", validators=[validate_rules])
    joining = models.CharField(
        _("joining"), max_length=8, choices=Joining.choices, default=Joining.LINK
    )
    guests_welcome = models.BooleanField(
        _("guests may play"),
        default=False,
        help_text=_("Whoever has no account may enter its tournaments with a nickname."),
    )
    is_hidden = models.BooleanField(
        _("hidden"),
        default=False,
        help_text=_("Only members find the club and its tournaments in the lists."),
    )
    invitation = models.CharField(
        max_length=16, unique=True, default=new_invitation, editable=False
    )
    join_password = models.CharField(max_length=128, blank=True, editable=False)

    class Meta:
        verbose_name = _("club")
        verbose_name_plural = _("clubs")
        ordering: ClassVar[list[Any]] = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> ZoneInfo:
        """The club's time zone."""
        return ZoneInfo(self.time_zone)

    @property
    def rule_set(self) -> RuleSet:
        """The rule set that a new tournament starts with."""
        return RuleSet.parse(self.rules)


class Membership(models.Model):
    """One player's part in a club, kept after it ended.

    `name` is the member's name in the club; `name_key` is the key under which look-alike names
    are equal (`games.names.skeleton`), and no two active members have the same. Whose membership
    has ended is an ordinary member: nobody comes back as a director.
    """

    class Role(models.TextChoices):
        """What a member may do: an owner everything, a director run tournaments."""

        OWNER = "owner", _("owner")
        DIRECTOR = "director", _("director")
        MEMBER = "member", _("member")

    class Status(models.TextChoices):
        """Whether the member belongs to the club now; who is banned cannot come back alone."""

        ACTIVE = "active", _("active")
        LEFT = "left", pgettext_lazy("of a member", "left")
        REMOVED = "removed", _("removed")
        BANNED = "banned", _("banned")

    club = models.ForeignKey(
        Club, on_delete=models.PROTECT, related_name="memberships", verbose_name=_("club")
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="memberships", verbose_name=_("player")
    )
    role = models.CharField(_("role"), max_length=8, choices=Role.choices, default=Role.MEMBER)
    status = models.CharField(
        _("status"), max_length=8, choices=Status.choices, default=Status.ACTIVE
    )
    name = models.CharField(_("name in the club"), max_length=30)
    name_key = models.CharField(max_length=120, editable=False)
    joined_at = models.DateTimeField(_("joined"), auto_now_add=True)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        ordering: ClassVar[list[Any]] = ["club", "name", "id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["club", "player"], name="one_membership_a_player"),
            models.UniqueConstraint(
                fields=["club", "name_key"],
                condition=Q(status="active"),
                name="one_member_a_name",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_active(self) -> bool:
        """Whether the member belongs to the club now."""
        return self.status == self.Status.ACTIVE

    @property
    def directs(self) -> bool:
        """Whether the member may run the club's tournaments."""
        return self.is_active and self.role in (self.Role.OWNER, self.Role.DIRECTOR)


class AllowedName(models.Model):
    """A user name that may join a club, whatever else its way in is.

    `name` and `role` are what the player joins with; a role counts only for an account that was
    there before `added_at`, since anybody may take a user name that is free.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="allowed_names")
    username = models.CharField(_("user name"), max_length=150)
    username_key = models.CharField(max_length=600, editable=False)
    name = models.CharField(_("name in the club"), max_length=30, blank=True)
    role = models.CharField(
        _("role"), max_length=8, choices=Membership.Role.choices, default=Membership.Role.MEMBER
    )
    added_by = models.ForeignKey(
        Player, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("name on the list")
        verbose_name_plural = _("names on the list")
        ordering: ClassVar[list[Any]] = ["username"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["club", "username_key"], name="one_name_on_the_list"),
        ]

    def __str__(self) -> str:
        return self.username


class JoinAttempt(models.Model):
    """How often a player has tried a club's password since `since`; kept until it was right."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    tries = models.PositiveSmallIntegerField(default=0)
    since = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["club", "player"], name="one_count_of_tries"),
        ]

    def __str__(self) -> str:
        return f"{self.tries}"


class ClubEvent(models.Model):
    """What was done in a club, by whom and to whom: written once, never changed.

    `note` says the rest: of `ROLE` the new role, of `CHANGED` the fields, of `RENAMED` both names,
    of `LISTED` and `UNLISTED` the user name, of `IMPORTED` how many names, of `TABLET` `marked` or
    `unmarked` and its label.
    """

    class Kind(models.TextChoices):
        """What was done."""

        CREATED = "created", _("club created")
        CHANGED = "changed", _("settings changed")
        INVITATION = "invitation", _("invitation renewed")
        JOINED = "joined", _("joined")
        LISTED = "listed", _("put on the list")
        UNLISTED = "unlisted", _("taken off the list")
        LEFT = "left", pgettext_lazy("of a member", "left")
        REMOVED = "removed", _("removed")
        BANNED = "banned", _("banned")
        RESTORED = "restored", _("brought back")
        ROLE = "role", _("role changed")
        RENAMED = "renamed", _("renamed")
        PASSWORD_LINK = "password_link", _("password link issued")
        IMPORTED = "imported", _("members imported")
        TABLET = "tablet", _("club tablet changed")

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="events")
    kind = models.CharField(_("what"), max_length=16, choices=Kind.choices)
    player = models.ForeignKey(
        Player,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("player"),
    )
    by = models.ForeignKey(
        Player,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("by"),
    )
    at = models.DateTimeField(_("when"), auto_now_add=True)
    note = models.CharField(_("note"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("club event")
        verbose_name_plural = _("club events")
        ordering: ClassVar[list[Any]] = ["-id"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}"


class Device(models.Model):
    """A browser that holes are played on, known by a random key in a cookie.

    A club's tablet is used by several members one after another: `tablet_of` says so.
    """

    key = models.CharField(max_length=32, unique=True, editable=False)
    tablet_of = models.ForeignKey(
        Club,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="tablets",
        verbose_name=_("tablet of"),
    )
    label = models.CharField(_("label"), max_length=60, blank=True)
    created_at = models.DateTimeField(_("first seen"), auto_now_add=True)

    class Meta:
        verbose_name = _("device")
        verbose_name_plural = _("devices")

    def __str__(self) -> str:
        return self.label or f"{self.pk}"
