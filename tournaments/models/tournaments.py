"""Tournaments: their format, their windows, their holes, and where in their life they are."""

from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.engine import RuleSet
from games.models import Game
from tournaments import scorecard
from tournaments.models.clubs import Club
from tournaments.models.seasons import Recurrence, Season
from tournaments.models.validators import validate_rules

#: A window shorter than this is a slip of the hand.
SHORTEST_WINDOW = timedelta(minutes=1)
#: Holes of one round; a tournament that is no race has 1 to 4 of them.
ROUND = 9


class Tournament(models.Model):
    """Holes on secret deals, played between two times, on one leaderboard.

    `opens_at` and `closes_at` are those of its first and its last round. `closed_at` is when
    nobody could play any more and the cards were revealed. `salt` is as secret as the deals until
    then; `commitment` is public from the opening on (`tournaments.fairness`).

    `board_version` grows with every change that the leaderboard shows; a notice to the
    tournament's room says which version there is, and whoever shows an older one asks for it.
    `board_base` is the last version that may have changed anything; each later one has changed the
    entries that carry its number, and nothing else.
    """

    class Status(models.TextChoices):
        """Where in its life a tournament is; each step is a row of `StatusChange`.

        A draft is seen by directors only. `open` is published, whether or not it has begun. From
        `closed` on nobody plays; only what is `final` is no longer corrected.
        """

        DRAFT = "draft", _("draft")
        OPEN = "open", _("open")
        CLOSED = "closed", _("closed")
        REVIEW = "review", _("under review")
        FINAL = "final", _("final")

    class StrokesKind(models.TextChoices):
        """How strokes are counted."""

        TRADITIONAL = "traditional", _("traditional: each card left is a stroke")
        BELOW_PAR = "below_par", _("below par: who clears all gets one less for each stock card")

    class Window(models.TextChoices):
        """When an entry may play.

        `shotgun`: all start at the opening, and nobody enters later unless late entry is allowed.
        `race`: its room starts each hole for all at one instant (`tournaments.services.rooms`).
        """

        FIXED = "fixed", _("between the two times")
        PERSONAL = "personal", _("so many minutes from one's first hole")
        SHOTGUN = "shotgun", _("all start at one instant")
        RACE = "race", _("all start each hole at one instant")

    class Unplayed(models.TextChoices):
        """What holes count that an entry has not played by the end."""

        NO_PLACE = "no_place", _("no place")
        WORST = "worst", _("35 strokes and 0 points each")

    class TieBreak(models.TextChoices):
        """What parts equal results."""

        SHARED = "shared", _("nothing: they share a place")
        COUNTBACK = "countback", _("countback, then a shared place")
        TIME = "time", _("countback, then the time played")
        RACE = "race", _("the time from the start")

    class Visibility(models.TextChoices):
        """Who sees which figures before the end."""

        VISIBLE = "visible", _("all figures, at once")
        BLIND = "blind", _("figures through the holes that the reader has finished")
        FROZEN = "frozen", _("the standing of a chosen time, until it is revealed")

    class Difficulty(models.TextChoices):
        """Which secret deals are drawn: by what they come to at best."""

        ANY = "any", _("any deals")
        CLEARABLE = "clearable", _("deals that can be cleared")
        CLOSE = "close", _("deals of which one to three cards are left at best")

    class RankBy(models.TextChoices):
        """The figure that ranks; the other one stands beside it."""

        STROKES = scorecard.RankBy.STROKES.value, _("strokes against par")
        APP_SCORE = scorecard.RankBy.APP_SCORE.value, _("app score")
        CLEARED = scorecard.RankBy.CLEARED.value, _("holes cleared, then cards cleared")

    class Phase(models.TextChoices):
        """Where in its life a tournament is.

        `closing` is between its closing time and the last hole's being closed: only who was given
        more time plays, and nothing is revealed yet.
        """

        DRAFT = "draft", _("draft")
        UPCOMING = "upcoming", _("upcoming")
        OPEN = "open", _("open")
        CLOSING = "closing", _("closing")
        CLOSED = "closed", _("closed")

    club = models.ForeignKey(
        Club, on_delete=models.PROTECT, related_name="tournaments", verbose_name=_("club")
    )
    name = models.CharField(_("name"), max_length=80)
    slug = models.SlugField(_("address"), max_length=80, unique=True)
    about = models.TextField(_("about"), max_length=2000, blank=True)
    rules = models.CharField(
        _("rule set"),
        max_length=6,
        default="E",
        validators=[validate_rules],
        help_text=_("E Easy, C Classic, S Strict, or the spelling of a custom rule set."),
    )
    rank_by = models.CharField(
        _("ranked by"), max_length=9, choices=RankBy.choices, default=RankBy.STROKES
    )
    strokes_kind = models.CharField(
        _("strokes"),
        max_length=11,
        choices=StrokesKind.choices,
        default=StrokesKind.TRADITIONAL,
    )
    undo_allowed = models.BooleanField(
        _("undo"), default=False, help_text=_("Undo across a draw shows a hidden card early.")
    )
    hints_allowed = models.BooleanField(_("hints"), default=False)
    difficulty = models.CharField(
        _("difficulty"), max_length=9, choices=Difficulty.choices, default=Difficulty.ANY
    )
    tie_break = models.CharField(
        _("ties"), max_length=9, choices=TieBreak.choices, default=TieBreak.SHARED
    )
    unplayed = models.CharField(
        _("holes not played"), max_length=8, choices=Unplayed.choices, default=Unplayed.NO_PLACE
    )
    visibility = models.CharField(
        _("figures"), max_length=7, choices=Visibility.choices, default=Visibility.VISIBLE
    )
    frozen_at = models.DateTimeField(
        _("frozen at"), null=True, blank=True, help_text=_("The standing that the public sees.")
    )
    unfrozen_at = models.DateTimeField(_("revealed at"), null=True, blank=True, editable=False)
    window = models.CharField(
        _("window"), max_length=8, choices=Window.choices, default=Window.FIXED
    )
    personal_minutes = models.PositiveIntegerField(
        _("minutes from the first hole"), null=True, blank=True
    )
    hole_minutes = models.PositiveIntegerField(_("minutes for a hole"), null=True, blank=True)
    opens_at = models.DateTimeField(_("opens"))
    closes_at = models.DateTimeField(_("closes"))
    entries_close_at = models.DateTimeField(
        _("entries close"),
        null=True,
        blank=True,
        help_text=_("Left empty: the closing time, or the start of a shotgun."),
    )
    most_entries = models.PositiveIntegerField(
        _("places"), null=True, blank=True, help_text=_("Left empty: as many as come.")
    )
    is_friendly = models.BooleanField(
        _("friendly"),
        default=False,
        editable=False,
        help_text=_("Played on deals that a director has chosen or that can be guessed."),
    )
    extended_to = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text=_("The latest time that any entry was given."),
    )
    closed_at = models.DateTimeField(
        _("closed"),
        null=True,
        blank=True,
        editable=False,
        help_text=_("When the last open hole had been closed and the cards were revealed."),
    )
    flags_raised_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text=_("When all entries had been looked at for flags."),
    )
    day = models.DateField(
        _("day"),
        null=True,
        blank=True,
        unique=True,
        editable=False,
        help_text=_("The day whose nine holes these are, where they are a day's."),
    )
    status = models.CharField(
        _("status"),
        max_length=6,
        choices=Status.choices,
        default=Status.DRAFT,
        editable=False,
    )
    season = models.ForeignKey(
        Season,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="tournaments",
        verbose_name=_("season"),
    )
    recurrence = models.ForeignKey(
        Recurrence,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="tournaments",
        verbose_name=_("recurring tournament"),
    )
    room = models.ForeignKey(
        "tournaments.Room",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="races",
        verbose_name=_("room"),
        help_text=_("Where it is raced, of a race."),
    )
    copy_of = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="copies",
    )
    salt = models.CharField(max_length=64, blank=True, editable=False)
    commitment = models.CharField(max_length=64, blank=True, editable=False)
    board_version = models.PositiveBigIntegerField(default=0, editable=False)
    board_base = models.PositiveBigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("tournament")
        verbose_name_plural = _("tournaments")
        ordering: ClassVar[list[Any]] = ["-opens_at", "-id"]
        indexes: ClassVar[list[Any]] = [
            models.Index(
                fields=["closes_at"], name="tournament_to_close", condition=Q(closed_at=None)
            ),
            models.Index(
                fields=["closed_at"],
                name="tournament_to_look_at",
                condition=Q(closed_at__isnull=False, flags_raised_at=None, room=None),
            ),
        ]
        constraints: ClassVar[list[Any]] = [
            # So that two who start at once start one race.
            models.UniqueConstraint(
                fields=["room"],
                name="one_race_at_a_time",
                condition=Q(room__isnull=False, closed_at=None),
            ),
            models.CheckConstraint(
                name="tournament_race_has_a_room",
                condition=Q(room=None) & ~Q(window="race") | Q(room__isnull=False, window="race"),
            ),
            models.CheckConstraint(
                name="tournament_opens_before_it_closes",
                condition=Q(opens_at__lt=F("closes_at")),
                violation_error_code="window_order",
                violation_error_message=_("It must open before it closes."),
            ),
            models.CheckConstraint(
                name="tournament_closed_after_closing_time",
                condition=Q(closed_at=None) | Q(closed_at__gte=F("closes_at")),
            ),
            # So that several directors hold each of a recurring tournament's dates once.
            models.UniqueConstraint(
                fields=["recurrence", "opens_at"], name="one_of_a_recurrence_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        """The name as it is read, in the reader's language.

        A day's nine holes have their date, a race the room's code and its number there.
        """
        if self.is_race:
            return gettext("Race %(name)s") % {"name": self.name}
        if self.day is None:
            return self.name
        return gettext("Nine holes of %(date)s") % {"date": date_format(self.day, "DATE_FORMAT")}

    def clean(self) -> None:
        """Raise `ValidationError` with the code `window_order` or `window_short`."""
        opens_at: datetime | None = self.opens_at
        closes_at: datetime | None = self.closes_at
        if opens_at is None or closes_at is None:
            return  # the form says so at the field
        if closes_at <= opens_at:
            raise ValidationError(
                {"closes_at": ValidationError(_("It must close after it opens."), "window_order")}
            )
        if closes_at - opens_at < SHORTEST_WINDOW:
            raise ValidationError(
                {
                    "closes_at": ValidationError(
                        _("It must be open for at least a minute."), "window_short"
                    )
                }
            )

    def phase(self, now: datetime) -> Phase:
        """Return where in its life the tournament is at `now`."""
        if self.closed_at is not None:
            return self.Phase.CLOSED
        if self.status == self.Status.DRAFT:
            return self.Phase.DRAFT
        if now >= self.closes_at:
            return self.Phase.CLOSING
        return self.Phase.OPEN if now >= self.opens_at else self.Phase.UPCOMING

    @property
    def ends_at(self) -> datetime:
        """When nobody may play any more, extensions counted."""
        return max(self.closes_at, self.extended_to or self.closes_at)

    @property
    def is_race(self) -> bool:
        """Whether a room holds it: all start each hole at one instant."""
        return self.room_id is not None

    @property
    def is_revealed(self) -> bool:
        """Whether cards, codes and replays are open to all."""
        return self.closed_at is not None

    @property
    def rule_set(self) -> RuleSet:
        """The rule set that all holes are played by."""
        return RuleSet.parse(self.rules)

    def strokes_of(self, game: Game) -> int:
        """Return the strokes that a game counts here."""
        below_par = self.strokes_kind == self.StrokesKind.BELOW_PAR
        return game.strokes_below_par if below_par else game.strokes


class Round(models.Model):
    """Up to nine holes of a tournament, between two times of their own.

    After the round the best `cut_to` entries go on, ties included; None: everybody does.
    """

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField(_("number"))
    opens_at = models.DateTimeField(_("opens"))
    closes_at = models.DateTimeField(_("closes"))
    cut_to = models.PositiveIntegerField(_("go on after it"), null=True, blank=True)
    cut_at = models.DateTimeField(_("cut made"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("round")
        verbose_name_plural = _("rounds")
        ordering: ClassVar[list[Any]] = ["tournament", "number"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["tournament", "number"], name="one_round_a_number"),
            models.CheckConstraint(
                name="round_opens_before_it_closes", condition=Q(opens_at__lt=F("closes_at"))
            ),
            models.CheckConstraint(
                name="round_cut_leaves_one", condition=Q(cut_to=None) | Q(cut_to__gte=1)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}"


class Division(models.Model):
    """A part of a tournament's field with a board of its own."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="divisions")
    name = models.CharField(_("name"), max_length=40)

    class Meta:
        verbose_name = _("division")
        verbose_name_plural = _("divisions")
        ordering: ClassVar[list[Any]] = ["tournament", "id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["tournament", "name"], name="one_division_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Hole(models.Model):
    """One of a tournament's deals. Its code is secret until the tournament is over."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="holes")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="holes")
    number = models.PositiveSmallIntegerField(_("number"))
    deal_code = models.CharField(max_length=40, editable=False)
    par = models.PositiveSmallIntegerField(_("par"), default=5)
    is_void = models.BooleanField(
        _("void"), default=False, help_text=_("It counts for nobody, and neither does its par.")
    )

    class Meta:
        verbose_name = _("hole")
        verbose_name_plural = _("holes")
        ordering: ClassVar[list[Any]] = ["tournament", "number"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["tournament", "number"], name="one_hole_a_number"),
            models.UniqueConstraint(fields=["tournament", "deal_code"], name="no_deal_twice"),
            models.CheckConstraint(name="hole_counts_from_one", condition=Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.number}"
