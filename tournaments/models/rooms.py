"""Rooms in which people meet to race, who sits in them, and what races make of a rating."""

from typing import Any, ClassVar, Final

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_lazy as _

from games.models import Player
from tournaments.models.tournaments import Tournament
from tournaments.models.validators import validate_rules

#: Characters of a room's code, none of which is mistaken for another one.
ROOM_CHARACTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
#: Characters of a code.
ROOM_CODE_LENGTH: Final = 5
#: The most holes of a race, minutes of a hole, and seconds from the first finisher.
MOST_RACE_HOLES: Final = 9
MOST_HOLE_MINUTES: Final = 60
MOST_GRACE_SECONDS: Final = 600


def new_room_code() -> str:
    """Return a code for a room: five characters, 25 random bits."""
    return get_random_string(ROOM_CODE_LENGTH, ROOM_CHARACTERS)


class Room(models.Model):
    """Where people meet to race: one race after another, each a `Tournament` of its own.

    `version` grows with every change that the room shows; a notice to the room says which version
    there is. `used_at` is when somebody last came, left or did something; a room that nobody is in
    is closed some time later. `codes` are deals that the host has pasted, a code for each hole of
    the next race, which is friendly then; they are a secret of the host until it is over.
    """

    class Ranking(models.TextChoices):
        """What ranks, and then the time from the start to the last action."""

        STROKES = "strokes", _("strokes, then time")
        APP_SCORE = "app_score", _("app score, then time")
        CLEARED = "cleared", _("first to clear: holes cleared, cards cleared, then time")

    code = models.CharField(
        _("code"), max_length=8, unique=True, default=new_room_code, editable=False
    )
    host = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="rooms", verbose_name=_("host")
    )
    is_public = models.BooleanField(
        _("public"), default=False, help_text=_("It is listed in the lobby.")
    )
    rules = models.CharField(_("rule set"), max_length=6, default="E", validators=[validate_rules])
    ranking = models.CharField(
        _("ranked by"), max_length=9, choices=Ranking.choices, default=Ranking.STROKES
    )
    strokes_kind = models.CharField(
        _("strokes"),
        max_length=11,
        choices=Tournament.StrokesKind.choices,
        default=Tournament.StrokesKind.TRADITIONAL,
    )
    holes = models.PositiveSmallIntegerField(
        _("holes"),
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_RACE_HOLES)],
    )
    hole_minutes = models.PositiveSmallIntegerField(
        _("minutes for a hole"),
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_HOLE_MINUTES)],
    )
    grace_seconds = models.PositiveSmallIntegerField(
        _("seconds from the first finisher"),
        default=60,
        validators=[MaxValueValidator(MOST_GRACE_SECONDS)],
        help_text=_("Who has not finished a hole by then is closed where he is."),
    )
    undo_allowed = models.BooleanField(_("undo"), default=False)
    hints_allowed = models.BooleanField(_("hints"), default=False)
    codes = models.TextField(blank=True, editable=False)
    version = models.PositiveBigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    used_at = models.DateTimeField(_("last used"), default=timezone.now)
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("room")
        verbose_name_plural = _("rooms")
        ordering: ClassVar[list[Any]] = ["-id"]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["used_at"], name="room_that_lives", condition=Q(closed_at=None)),
            models.Index(fields=["host"], name="room_of_host", condition=Q(closed_at=None)),
        ]
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                name="room_races_one_to_nine_holes",
                condition=Q(holes__gte=1, holes__lte=MOST_RACE_HOLES),
            ),
            models.CheckConstraint(
                name="room_hole_takes_a_while",
                condition=Q(hole_minutes__gte=1, hole_minutes__lte=MOST_HOLE_MINUTES),
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def is_closed(self) -> bool:
        """Whether nobody meets here any more."""
        return self.closed_at is not None

    @property
    def is_friendly(self) -> bool:
        """Whether the next race is played on deals that the host knows."""
        return bool(self.codes)


class Seat(models.Model):
    """One player's place in a room, kept after he left.

    `seen_at` is when a socket of his was last heard of; None while there is none. `name_key` is the
    key under which names that look alike are one in the room. Who `is_removed` cannot come back.
    """

    room = models.ForeignKey(
        Room, on_delete=models.PROTECT, related_name="seats", verbose_name=_("room")
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="seats", verbose_name=_("player")
    )
    name = models.CharField(_("name in the room"), max_length=40)
    name_key = models.CharField(max_length=160, editable=False)
    is_ready = models.BooleanField(_("ready"), default=False)
    is_removed = models.BooleanField(_("removed"), default=False)
    joined_at = models.DateTimeField(_("joined"), default=timezone.now)
    left_at = models.DateTimeField(_("left the room"), null=True, blank=True)
    seen_at = models.DateTimeField(_("last seen"), null=True, blank=True)

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        ordering: ClassVar[list[Any]] = ["room", "id"]
        indexes: ClassVar[list[Any]] = [
            models.Index(
                fields=["seen_at"], name="seat_that_is_seen", condition=Q(seen_at__isnull=False)
            ),
        ]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["room", "player"], name="one_seat_a_player"),
            models.UniqueConstraint(fields=["room", "name_key"], name="one_seat_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_taken(self) -> bool:
        """Whether the player sits in the room now, connected or not."""
        return self.left_at is None and not self.is_removed


class Rating(models.Model):
    """How strong an account's races say that it is, by `openskill`: a mean and a deviation."""

    player = models.OneToOneField(
        Player, on_delete=models.PROTECT, related_name="rating", verbose_name=_("player")
    )
    mu = models.FloatField(_("mean"))
    sigma = models.FloatField(_("deviation"))
    races = models.PositiveIntegerField(_("races"), default=0)

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                name="rating_deviates", condition=Q(sigma__gt=0), violation_error_code="sigma"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}"


class RatingChange(models.Model):
    """What one race made of one rating: written once, never changed."""

    tournament = models.ForeignKey(
        Tournament,
        on_delete=models.PROTECT,
        related_name="rating_changes",
        verbose_name=_("tournament"),
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="rating_changes", verbose_name=_("player")
    )
    place = models.PositiveIntegerField(_("place"))
    mu_before = models.FloatField(_("mean before"))
    sigma_before = models.FloatField(_("deviation before"))
    mu_after = models.FloatField(_("mean after"))
    sigma_after = models.FloatField(_("deviation after"))
    at = models.DateTimeField(_("when"), auto_now_add=True)

    class Meta:
        verbose_name = _("rating change")
        verbose_name_plural = _("rating changes")
        ordering: ClassVar[list[Any]] = ["-id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["tournament", "player"], name="one_change_a_race"),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.place}"
