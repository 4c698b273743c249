"""What a club repeats, and what it adds up over a season."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tournaments import dates
from tournaments.models.clubs import Club


class Season(models.Model):
    """An order of merit over a club's tournaments between two days.

    `points` are those of the first place, the second and so on, beyond the last there are none;
    ties share the points of the places that they take up. `best_of` is how many of a player's
    results count, None for all.
    """

    club = models.ForeignKey(
        Club, on_delete=models.PROTECT, related_name="seasons", verbose_name=_("club")
    )
    name = models.CharField(_("name"), max_length=80)
    slug = models.SlugField(_("address"), max_length=80, unique=True)
    starts_on = models.DateField(_("first day"))
    ends_on = models.DateField(_("last day"))
    points = models.JSONField(_("points"), default=list)
    best_of = models.PositiveSmallIntegerField(_("results that count"), null=True, blank=True)

    class Meta:
        verbose_name = _("season")
        verbose_name_plural = _("seasons")
        ordering: ClassVar[list[Any]] = ["-starts_on", "-id"]
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                name="season_starts_before_it_ends",
                condition=Q(starts_on__lte=F("ends_on")),
                violation_error_code="season_order",
                violation_error_message=_("Its last day must not be before its first."),
            ),
            models.CheckConstraint(
                name="season_counts_one_result", condition=Q(best_of=None) | Q(best_of__gte=1)
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Recurrence(models.Model):
    """A tournament that a club holds again and again, as a copy of `template`.

    The next one opens on `next_on` at `opens_at` in the club's time zone, whatever the clock does
    in between, and stays open for `open_minutes` by that clock. `anchor_day` is the day of the
    month that a monthly one is held on; a shorter month has it on its last day.
    """

    class Every(models.TextChoices):
        """How often."""

        DAY = dates.Every.DAY.value, _("every day")
        WEEK = dates.Every.WEEK.value, _("every week")
        MONTH = dates.Every.MONTH.value, _("every month")

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="recurrences")
    template = models.ForeignKey("Tournament", on_delete=models.PROTECT, related_name="recurrences")
    every = models.CharField(_("how often"), max_length=5, choices=Every.choices)
    next_on = models.DateField(_("next on"))
    anchor_day = models.PositiveSmallIntegerField(_("day of the month"))
    opens_at = models.TimeField(_("opens at"))
    open_minutes = models.PositiveIntegerField(_("open for (minutes)"))
    is_active = models.BooleanField(_("goes on"), default=True)

    class Meta:
        verbose_name = _("recurring tournament")
        verbose_name_plural = _("recurring tournaments")
        ordering: ClassVar[list[Any]] = ["next_on", "id"]
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(name="recurrence_is_open", condition=Q(open_minutes__gte=1)),
            models.CheckConstraint(
                name="recurrence_day_of_month", condition=Q(anchor_day__gte=1, anchor_day__lte=31)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.template}"
