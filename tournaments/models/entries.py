"""Who takes part, and what each hole came to.

The figures of results and entries are a copy of what the moves and the corrections make of them
(`tournaments.services.recompute`).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar, Final, NamedTuple

import msgspec
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from games.models import Game, Player
from tournaments import scorecard
from tournaments.models.clubs import Device
from tournaments.models.tournaments import Division, Hole, Tournament


class PlayedHole(NamedTuple):
    """A final hole as its entry keeps it; `at` is when it became final, in ms since 1970."""

    number: int
    strokes: int
    app_score: int
    time_ms: int
    at: int
    undos: int
    hints: int
    is_corrected: bool


_HOLES: Final = msgspec.json.Decoder(tuple[PlayedHole, ...])


def holes_text(holes: Sequence[PlayedHole]) -> str:
    """Return final holes as `Entry.played` keeps them; `holes_of_text` reads them back."""
    return msgspec.json.encode(holes).decode()


def holes_of_text(text: str) -> tuple[PlayedHole, ...]:
    """Return the final holes that `holes_text` has written."""
    return _HOLES.decode(text)


class Entry(models.Model):
    """One player's part in a tournament, with the totals of the holes that are final.

    `name` is the name on this board, where no two look alike. `thru` counts the final holes that
    are not void. `corrections` counts the rows of `Correction` that changed this entry. `played`
    holds all final holes, void ones too, so that a board is read from one table; `board_version`
    is the board's version that the last change of this entry made.
    """

    class Status(models.TextChoices):
        """Whether the entry competes.

        `cut` missed the cut after a round; `unranked` plays along without a place, for the player
        has seen the deals; `removed` is not shown.
        """

        ACTIVE = "active", pgettext_lazy("status of an entry", "entered")
        WITHDRAWN = "withdrawn", _("withdrawn")
        DISQUALIFIED = "disqualified", _("disqualified")
        CUT = "cut", _("missed the cut")
        UNRANKED = "unranked", _("not ranked")
        REMOVED = "removed", _("removed")

    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="entries", verbose_name=_("tournament")
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="entries", verbose_name=_("player")
    )
    name = models.CharField(_("name on the board"), max_length=40)
    name_key = models.CharField(max_length=160, editable=False)
    division = models.ForeignKey(
        Division,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="entries",
        verbose_name=_("division"),
    )
    status = models.CharField(
        _("status"), max_length=12, choices=Status.choices, default=Status.ACTIVE
    )
    created_at = models.DateTimeField(_("entered"), auto_now_add=True)
    started_at = models.DateTimeField(
        _("started"), null=True, blank=True, help_text=_("When the first hole was started.")
    )
    extended_to = models.DateTimeField(
        _("extended to"), null=True, blank=True, help_text=_("This player may play until then.")
    )
    cut_after = models.PositiveSmallIntegerField(
        _("cut after round"), null=True, blank=True, editable=False
    )
    thru = models.PositiveSmallIntegerField(_("thru"), default=0)
    strokes = models.SmallIntegerField(_("strokes"), default=0)
    to_par = models.SmallIntegerField(_("to par"), default=0)
    app_score = models.PositiveIntegerField(_("app score"), default=0)
    time_ms = models.PositiveBigIntegerField(_("time in ms"), default=0)
    corrections = models.PositiveSmallIntegerField(_("corrections"), default=0)
    played = models.TextField(default="[]", editable=False)
    board_version = models.PositiveBigIntegerField(default=0, editable=False)

    class Meta:
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["tournament", "board_version"], name="entry_of_board_version"),
        ]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["tournament", "player"], name="one_entry_a_player"),
            models.UniqueConstraint(fields=["tournament", "name_key"], name="one_entry_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def totals(self) -> scorecard.Totals:
        """What the final holes add up to."""
        return scorecard.Totals(self.thru, self.strokes, self.to_par, self.app_score)

    @property
    def may_play(self) -> bool:
        """Whether the entry's player may still play, the times apart."""
        return self.status in (self.Status.ACTIVE, self.Status.UNRANKED)

    def extended(self, closes_at: datetime) -> datetime:
        """Return a closing time as it holds for this entry."""
        return closes_at if self.extended_to is None else max(closes_at, self.extended_to)


class HoleResult(models.Model):
    """What one hole came to for one entry; the figures are set when it is final.

    `game` is the one attempt; None where a director gave a result for a hole that was not played.
    """

    entry = models.ForeignKey(
        Entry, on_delete=models.PROTECT, related_name="results", verbose_name=_("entry")
    )
    hole = models.ForeignKey(
        Hole, on_delete=models.PROTECT, related_name="results", verbose_name=_("hole")
    )
    game = models.OneToOneField(
        Game,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="hole_result",
        verbose_name=_("game"),
    )
    device = models.ForeignKey(
        Device,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="results",
        verbose_name=_("device"),
    )
    is_final = models.BooleanField(_("final"), default=False)
    is_corrected = models.BooleanField(_("corrected"), default=False)
    strokes = models.SmallIntegerField(_("strokes"), null=True, blank=True)
    app_score = models.PositiveSmallIntegerField(_("app score"), null=True, blank=True)

    class Meta:
        verbose_name = _("hole result")
        verbose_name_plural = _("hole results")
        ordering: ClassVar[list[Any]] = ["entry", "hole__number"]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["game"], name="result_to_record", condition=Q(is_final=False)),
        ]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["entry", "hole"], name="one_attempt_a_hole"),
            models.CheckConstraint(
                name="final_hole_has_figures",
                condition=Q(is_final=False, strokes=None, app_score=None)
                | Q(is_final=True, strokes__isnull=False, app_score__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} {self.hole}"
