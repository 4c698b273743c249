"""What is stored of a competition: a club's tournament, its holes, entries and results."""

from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.engine import RuleSet
from games.models import Game, Player
from tournaments import scorecard

#: A window shorter than this is a slip of the hand.
SHORTEST_WINDOW = timedelta(minutes=1)


def validate_rules(text: str) -> None:
    """Raise `ValidationError` unless `text` spells a rule set (`games.engine.RuleSet.parse`)."""
    try:
        RuleSet.parse(text)
    except ValueError as error:
        raise ValidationError(
            _("There is no such rule set: E, C, S, or X and five characters."), code="bad_rules"
        ) from error


class Club(models.Model):
    """A club that hosts tournaments."""

    name = models.CharField(_("name"), max_length=60)
    slug = models.SlugField(_("address"), max_length=60, unique=True)
    about = models.TextField(_("about"), max_length=2000, blank=True)

    class Meta:
        verbose_name = _("club")
        verbose_name_plural = _("clubs")
        ordering: ClassVar[list[Any]] = ["name"]

    def __str__(self) -> str:
        return self.name


class Tournament(models.Model):
    """Nine holes on secret deals, between two times, on one leaderboard.

    `board_version` grows with every change that the leaderboard shows; a notice to the
    tournament's room says which version there is, and whoever shows an older one asks for it.
    """

    class RankBy(models.TextChoices):
        """The figure that ranks; the other one stands beside it."""

        STROKES = scorecard.RankBy.STROKES.value, _("strokes against par")
        APP_SCORE = scorecard.RankBy.APP_SCORE.value, _("app score")

    class Phase(models.TextChoices):
        """Where in its life a tournament is.

        `closing` is the moment between its closing time and the last hole's being closed; nobody
        plays any more, and nothing is revealed yet.
        """

        UPCOMING = "upcoming", _("upcoming")
        OPEN = "open", _("open")
        CLOSING = "closing", _("closing")
        CLOSED = "closed", _("closed")

    club = models.ForeignKey(
        Club, on_delete=models.PROTECT, related_name="tournaments", verbose_name=_("club")
    )
    name = models.CharField(_("name"), max_length=80)
    slug = models.SlugField(_("address"), max_length=80, unique=True)
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
    opens_at = models.DateTimeField(_("opens"))
    closes_at = models.DateTimeField(_("closes"))
    closed_at = models.DateTimeField(
        _("closed"),
        null=True,
        blank=True,
        editable=False,
        help_text=_("When the last open hole had been closed and the cards were revealed."),
    )
    day = models.DateField(
        _("day"),
        null=True,
        blank=True,
        unique=True,
        editable=False,
        help_text=_("The day whose nine holes these are, where they are a day's."),
    )
    board_version = models.PositiveBigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("tournament")
        verbose_name_plural = _("tournaments")
        ordering: ClassVar[list[Any]] = ["-opens_at", "-id"]
        indexes: ClassVar[list[Any]] = [
            models.Index(
                fields=["closes_at"], name="tournament_to_close", condition=Q(closed_at=None)
            ),
        ]
        constraints: ClassVar[list[Any]] = [
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
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        """The name as it is read: a day's nine holes have their date, in the reader's language."""
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
        if now >= self.closes_at:
            return self.Phase.CLOSING
        return self.Phase.OPEN if now >= self.opens_at else self.Phase.UPCOMING

    @property
    def is_revealed(self) -> bool:
        """Whether cards, codes and replays are open to all."""
        return self.closed_at is not None

    @property
    def rule_set(self) -> RuleSet:
        """The rule set that all holes are played by."""
        return RuleSet.parse(self.rules)


class Hole(models.Model):
    """One of a tournament's deals. Its code is secret until the tournament is over."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="holes")
    number = models.PositiveSmallIntegerField(_("number"))
    deal_code = models.CharField(max_length=40, editable=False)
    par = models.PositiveSmallIntegerField(_("par"), default=5)

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


class Entry(models.Model):
    """One player's part in a tournament, with the totals of the holes that are final."""

    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="entries", verbose_name=_("tournament")
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="entries", verbose_name=_("player")
    )
    created_at = models.DateTimeField(_("entered"), auto_now_add=True)
    thru = models.PositiveSmallIntegerField(_("thru"), default=0)
    strokes = models.SmallIntegerField(_("strokes"), default=0)
    to_par = models.SmallIntegerField(_("to par"), default=0)
    app_score = models.PositiveIntegerField(_("app score"), default=0)

    class Meta:
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["tournament", "player"], name="one_entry_a_player"),
        ]

    def __str__(self) -> str:
        return f"{self.player}"

    @property
    def totals(self) -> scorecard.Totals:
        """What the final holes add up to."""
        return scorecard.Totals(self.thru, self.strokes, self.to_par, self.app_score)


class HoleResult(models.Model):
    """One entry's one attempt at one hole; the figures are set when it is final."""

    entry = models.ForeignKey(
        Entry, on_delete=models.PROTECT, related_name="results", verbose_name=_("entry")
    )
    hole = models.ForeignKey(
        Hole, on_delete=models.PROTECT, related_name="results", verbose_name=_("hole")
    )
    game = models.OneToOneField(
        Game, on_delete=models.PROTECT, related_name="hole_result", verbose_name=_("game")
    )
    is_final = models.BooleanField(_("final"), default=False)
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
