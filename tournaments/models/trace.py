"""What was done to a tournament, when and by whom: rows that are written once, never changed."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from games.models import Player
from tournaments.models.entries import Entry
from tournaments.models.tournaments import Hole, Tournament


class StatusChange(models.Model):
    """A step in a tournament's life; `by` is None where the clock took it.

    A step from a status to itself has moved the closing time of a `round` to `closes_at`.
    """

    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="status_changes"
    )
    before = models.CharField(_("before"), max_length=6, choices=Tournament.Status.choices)
    after = models.CharField(_("after"), max_length=6, choices=Tournament.Status.choices)
    by = models.ForeignKey(
        Player,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("by"),
    )
    at = models.DateTimeField(_("when"))
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    round = models.PositiveSmallIntegerField(_("round"), null=True, blank=True)
    closes_at = models.DateTimeField(_("closes"), null=True, blank=True)

    class Meta:
        verbose_name = _("status change")
        verbose_name_plural = _("status changes")
        ordering: ClassVar[list[Any]] = ["id"]
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                name="step_or_closing_time",
                condition=Q(round=None, closes_at=None) & ~Q(before=F("after"))
                | Q(before=F("after"), round__isnull=False, closes_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.before} → {self.after}"


class Correction(models.Model):
    """One decision of a director.

    `before` and `after` are objects with what changed: `strokes` and `app_score` of a hole,
    `status` of an entry, `until` of an extension (ISO 8601), `is_void` of a hole. The last row
    about a thing is what holds; none is ever counted twice.
    """

    class Kind(models.TextChoices):
        """What was decided."""

        ADJUST = "adjust", _("hole adjusted")
        RESTORE = "restore", _("adjustment taken back")
        VOID = "void", _("hole voided for all")
        UNVOID = "unvoid", _("voided hole counts again")
        DISQUALIFY = "disqualify", _("disqualified")
        REINSTATE = "reinstate", _("reinstated")
        WITHDRAW = "withdraw", _("withdrawn")
        ADD = "add", _("entry added")
        REMOVE = "remove", _("entry removed")
        EXTEND = "extend", _("window extended")
        DIVISION = "division", _("division changed")

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="corrections")
    entry = models.ForeignKey(
        Entry,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="correction_rows",
        verbose_name=_("entry"),
    )
    hole = models.ForeignKey(
        Hole,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="correction_rows",
        verbose_name=_("hole"),
    )
    kind = models.CharField(_("what"), max_length=12, choices=Kind.choices)
    by = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+", verbose_name=_("by"))
    at = models.DateTimeField(_("when"))
    reason = models.CharField(_("reason"), max_length=300)
    before = models.JSONField(_("before"), default=dict)
    after = models.JSONField(_("after"), default=dict)

    class Meta:
        verbose_name = _("correction")
        verbose_name_plural = _("corrections")
        ordering: ClassVar[list[Any]] = ["id"]
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                name="correction_is_of_something",
                condition=Q(entry__isnull=False) | Q(hole__isnull=False),
            ),
            models.CheckConstraint(name="correction_has_a_reason", condition=~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}"


class BundleChange(models.Model):
    """A tournament's file of results was made anew after the end, for a player has gone for good.

    `name` is the pseudonym that stands there since; nothing else differs.
    """

    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="bundle_changes"
    )
    name = models.CharField(_("name since"), max_length=40)
    at = models.DateTimeField(_("when"))

    class Meta:
        verbose_name = _("change of the file of results")
        verbose_name_plural = _("changes of the file of results")
        ordering: ClassVar[list[Any]] = ["id"]

    def __str__(self) -> str:
        return self.name


class DealOpening(models.Model):
    """A director has looked at the secret deals, and so can no longer rank here."""

    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="deal_openings"
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="+", verbose_name=_("player")
    )
    at = models.DateTimeField(_("when"))

    class Meta:
        verbose_name = _("opening of the deals")
        verbose_name_plural = _("openings of the deals")
        ordering: ClassVar[list[Any]] = ["id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["tournament", "player"], name="one_opening_a_player"),
        ]

    def __str__(self) -> str:
        return f"{self.player}"


class Flag(models.Model):
    """Something that a director should look at; it decides nothing by itself.

    `details` holds the figures behind it. `key` names what it is about within its kind, so that
    looking twice gives one flag.
    """

    class Kind(models.TextChoices):
        """What looks odd."""

        SPEED = "speed", _("faster than people play")
        DEVICE = "device", _("two accounts on one device")
        FORESIGHT = "foresight", _("plays as if the stock were known")
        DAMAGED = "damaged", _("the moves of a hole cannot be read")

    entry = models.ForeignKey(
        Entry, on_delete=models.PROTECT, related_name="flags", verbose_name=_("entry")
    )
    kind = models.CharField(_("what"), max_length=9, choices=Kind.choices)
    key = models.CharField(max_length=60)
    details = models.JSONField(_("details"), default=dict)
    at = models.DateTimeField(_("when"), auto_now_add=True)
    seen_by = models.ForeignKey(
        Player,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("seen by"),
    )
    seen_at = models.DateTimeField(_("seen"), null=True, blank=True)
    note = models.CharField(_("note"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("flag")
        verbose_name_plural = _("flags")
        ordering: ClassVar[list[Any]] = ["-id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["entry", "kind", "key"], name="one_flag_a_thing"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}"
