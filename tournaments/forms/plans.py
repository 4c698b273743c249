"""What a director decides about a tournament, as a form."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import TextChoices
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from games.engine import GameCode
from games.forms import RuleSetForm
from tournaments import services
from tournaments.forms.fields import (
    LinesField,
    LocalTimeField,
    TextField,
    TitleField,
    name_of_zone,
    read_codes,
)
from tournaments.models import ROUND, Club, Season, Tournament
from tournaments.services import Plan, RoundPlan

ROUNDS: Final = 4
RULE_FIELDS: Final = RuleSetForm.RULE_FIELDS
#: More text than any tournament's codes are; a larger one is not worth reading.
_LONGEST_CODES: Final = 4000
_MOST_MINUTES: Final = 10**9


class Stage(StrEnum):
    """How far a tournament is, which decides what of it can still be changed."""

    DRAFT = "draft"
    PUBLISHED = "published"
    STARTED = "started"
    OVER = "over"


def stage_of(tournament: Tournament) -> Stage:
    """Return how far a tournament is."""
    if tournament.status == Tournament.Status.DRAFT:
        return Stage.DRAFT
    if tournament.closed_at is not None:
        return Stage.OVER
    return Stage.STARTED if services.has_started(tournament=tournament) else Stage.PUBLISHED


class Deals(StrEnum):
    """Whose deals are played: drawn by the site and known to nobody, or a director's own."""

    SECRET = "secret"  # noqa: S105 - a choice
    OWN = "own"


_TIMES_OF_ROUNDS: Final = tuple(
    f"round_{number}_{name}"
    for number in range(1, ROUNDS + 1)
    for name in ("opens_at", "closes_at")
    if (number, name) not in ((1, "opens_at"), (ROUNDS, "closes_at"))
)
_CUTS: Final = tuple(f"round_{number}_cut_to" for number in range(1, ROUNDS))
_ABOUT: Final = ("name", "about", "season")
_DEALT: Final = ("holes", "rule_set", *RULE_FIELDS, "deals", "difficulty", "codes")


def _usual(choices: type[TextChoices]) -> list[tuple[str, Any]]:
    """Return the choices of a director; some are for the races of rooms."""
    return [(value, label) for value, label in choices.choices if value not in ("race", "cleared")]


def minutes_field(label: Any, help_text: Any = "") -> forms.IntegerField:
    """Return a field for a number of minutes; the services know which are too many."""
    return forms.IntegerField(
        label=label,
        help_text=help_text,
        min_value=1,
        max_value=_MOST_MINUTES,
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


def _count_field(label: Any, help_text: Any = "") -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        help_text=help_text,
        min_value=1,
        max_value=100_000,
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class PlanForm(RuleSetForm):
    """A tournament: a name and two times are enough, everything else has a sensible default.

    Valid it has a `plan`, and `dealt` where a director has typed codes. Fields that can no longer
    change are not there, and the plan keeps what they had.
    """

    #: What is asked of everybody comes first, on the page and among what is wrong.
    field_order = ("name", "holes", "opens_at", "closes_at")

    name = TitleField(
        label=pgettext_lazy("of a tournament or season", "Name"),
        max_length=80,
        error_messages={"required": _("Give it a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    holes = forms.TypedChoiceField(label=_("Holes"), coerce=int, widget=forms.RadioSelect)
    opens_at = LocalTimeField(
        label=_("Opens"), error_messages={"required": _("Say when it opens.")}
    )
    closes_at = LocalTimeField(
        label=_("Closes"), error_messages={"required": _("Say when it closes.")}
    )

    rank_by = forms.ChoiceField(
        label=_("What ranks"), choices=_usual(Tournament.RankBy), widget=forms.RadioSelect
    )
    strokes_kind = forms.ChoiceField(
        label=_("How strokes are counted"),
        choices=Tournament.StrokesKind.choices,
        widget=forms.RadioSelect,
    )
    tie_break = forms.ChoiceField(
        label=_("What parts equal results"),
        choices=_usual(Tournament.TieBreak),
        widget=forms.RadioSelect,
    )
    unplayed = forms.ChoiceField(
        label=_("Holes that a player has not played by the end"),
        choices=Tournament.Unplayed.choices,
        widget=forms.RadioSelect,
    )
    undo_allowed = forms.BooleanField(
        label=_("Undo is allowed"),
        required=False,
        help_text=_("Undo across a draw shows a hidden card early. Most tournaments go without."),
    )
    hints_allowed = forms.BooleanField(label=_("Hints are allowed"), required=False)

    window = forms.ChoiceField(
        label=_("When a player may play"),
        choices=_usual(Tournament.Window),
        widget=forms.RadioSelect,
    )
    personal_minutes = minutes_field(
        _("Minutes for all holes"),
        _("They run from the start of one's first hole, in each round anew."),
    )
    hole_minutes = minutes_field(
        _("Minutes for one hole"),
        _("Left empty: no limit. When they are over, the hole is closed where it lies."),
    )
    entries_close_at = LocalTimeField(
        label=_("Entries close"),
        required=False,
        help_text=_("Left empty: when it closes, or at the start where all start together."),
    )
    most_entries = _count_field(_("Places"), _("Left empty: as many as come."))

    round_1_closes_at = LocalTimeField(label=_("Closes"), required=False)
    round_1_cut_to = _count_field(_("Cut to"))
    round_2_opens_at = LocalTimeField(label=_("Opens"), required=False)
    round_2_closes_at = LocalTimeField(label=_("Closes"), required=False)
    round_2_cut_to = _count_field(_("Cut to"))
    round_3_opens_at = LocalTimeField(label=_("Opens"), required=False)
    round_3_closes_at = LocalTimeField(label=_("Closes"), required=False)
    round_3_cut_to = _count_field(_("Cut to"))
    round_4_opens_at = LocalTimeField(label=_("Opens"), required=False)

    visibility = forms.ChoiceField(
        label=_("What is shown before the end"),
        choices=Tournament.Visibility.choices,
        widget=forms.RadioSelect,
    )
    frozen_at = LocalTimeField(
        label=_("The standing of this time is shown"),
        required=False,
        help_text=_("What comes after it stays hidden until you reveal it."),
    )
    divisions = LinesField(
        label=_("Divisions"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One in each line, such as Seniors. Each has a board of its own."),
    )

    deals = forms.ChoiceField(
        label=_("Whose deals"),
        choices=[
            (Deals.SECRET, _("Secret deals, drawn by the site")),
            (Deals.OWN, _("Deals of your own: a friendly event")),
        ],
        widget=forms.RadioSelect,
    )
    difficulty = forms.ChoiceField(
        label=_("Which deals are drawn"),
        choices=Tournament.Difficulty.choices,
        widget=forms.RadioSelect,
        help_text=_(
            "By what a player who knows the stock could make of them. Nobody sees the deals that"
            " are taken or passed over, and all players are told what was chosen."
        ),
    )
    codes = forms.CharField(
        label=_("Game codes"),
        required=False,
        max_length=_LONGEST_CODES,
        widget=forms.Textarea(
            attrs={"rows": 4, "dir": "ltr", "spellcheck": "false", "autocapitalize": "characters"}
        ),
        help_text=_(
            "One in each line, such as GO1-E-AAAAAAB: there are as many holes as codes. "
            "They must be of the rule set above."
        ),
    )

    slug = forms.SlugField(
        label=_("Address"),
        required=False,
        max_length=80,
        help_text=_("Left empty: made of the name. Letters a to z, digits and hyphens."),
        error_messages={
            "invalid": _("An address has letters from a to z, digits and hyphens only.")
        },
        widget=forms.TextInput(
            attrs={"dir": "ltr", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    about = TextField(
        label=_("About it"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("What players should know, such as prizes or where you meet."),
    )
    season = forms.ModelChoiceField(
        label=_("Season"),
        queryset=Season.objects.none(),
        required=False,
        empty_label=_("none"),
        help_text=_("Its places are worth points in this order of merit."),
    )

    #: The fields of each part that is folded, by its name.
    PARTS: Final[dict[str, tuple[str, ...]]] = {
        "rules": (
            "rule_set", *RULE_FIELDS, "rank_by", "strokes_kind", "tie_break", "unplayed",
            "undo_allowed", "hints_allowed",
        ),
        "times": ("window", "personal_minutes", "hole_minutes", "entries_close_at", "most_entries"),
        "rounds": (*_TIMES_OF_ROUNDS, *_CUTS),
        "shown": ("visibility", "frozen_at", "divisions"),
        "deals": ("deals", "difficulty", "codes"),
        "more": ("slug", "about", "season"),
    }  # fmt: skip

    def __init__(
        self,
        *args: Any,
        club: Club,
        plan: Plan,
        stage: Stage = Stage.DRAFT,
        is_friendly: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {**_initial(plan), "deals": Deals.OWN if is_friendly else Deals.SECRET}
        self.club, self.base, self.was_friendly = club, plan, is_friendly
        self.dealt: tuple[GameCode, ...] | None = None
        self._choices()
        for name in _gone(stage, plan):
            del self.fields[name]
        self.zone_name = name_of_zone(club.time_zone, club.zone)
        for name, field in self.fields.items():
            if isinstance(field, LocalTimeField):
                field.zone = club.zone
                if name not in _TIMES_OF_ROUNDS:  # there it is said once for all
                    field.help_text = f"{field.help_text} {self.zone_name}".strip()

    def _choices(self) -> None:
        holes: Any = self.fields["holes"]
        counts = sorted({ROUND * number for number in range(1, ROUNDS + 1)} | {self.base.holes})
        holes.choices = [(count, f"{count}") for count in counts]
        season: Any = self.fields["season"]
        season.queryset = Season.objects.filter(club=self.club)

    # --- how it is laid out --------------------------------------------------------------------

    @property
    def parts(self) -> dict[str, "Part"]:
        """The parts that are folded: open where something is wrong, closed with what is chosen."""
        return {
            part: Part(
                is_open=any(self.has_error(name) for name in names if name in self.fields),
                said=" · ".join(filter(None, map(self._said, _SAID.get(part, ())))),
                is_there=any(name in self.fields for name in names),
            )
            for part, names in self.PARTS.items()
        }

    def _said(self, name: str) -> str:
        """Return what is chosen in a field, for the line of its part."""
        field: Any = self.fields.get(name)
        if field is None:
            return ""
        chosen = str(self[name].value() or "")
        labels = {str(value): str(label) for value, label in field.choices if str(value)}
        return labels.get(chosen, "")

    @property
    def rounds(self) -> list["RoundFields"]:
        """The fields of the rounds; the page hides those that the number of holes does not need."""
        last = ROUNDS if "holes" in self.fields else len(self.base.rounds)

        def shown(number: int, name: str) -> forms.BoundField | None:
            full = f"round_{number}_{name}"
            has_own = name == "opens_at" or number < last
            return self[full] if has_own and full in self.fields else None

        rows = [
            RoundFields(
                number=number,
                opens_at=shown(number, "opens_at"),
                closes_at=shown(number, "closes_at"),
                cut_to=shown(number, "cut_to"),
            )
            for number in range(1, last + 1)
        ]
        return [row for row in rows if row.opens_at or row.closes_at or row.cut_to]

    # --- what was typed ------------------------------------------------------------------------

    def clean_codes(self) -> str:
        """Read the codes; the first that cannot be read is named."""
        text: str = self.cleaned_data["codes"]
        if self.cleaned_data.get("deals") == Deals.OWN:
            too_many = ValidationError(_("A tournament has 1 to 36 holes."), "hole_count")
            self.dealt = read_codes(text, most=services.MOST_HOLES, too_many=too_many) or None
            if self.dealt is None and not self.was_friendly:
                text_missing = _("Type the codes of the deals, one in each line.")
                raise ValidationError(text_missing, "codes_missing")
        return text

    @property
    def is_friendly(self) -> bool | None:
        """Whether the director has chosen deals of his own; None where that is settled."""
        if "deals" not in self.fields:
            return None
        return bool(self.cleaned_data["deals"] == Deals.OWN)

    @property
    def plan(self) -> Plan:
        """What a valid form says."""
        values: dict[str, Any] = {
            name: self._value(name) for name in _SIMPLE if name in self.fields
        }
        if "slug" in self.fields and not values["slug"]:
            values["slug"] = services.free_slug(values["name"], otherwise=self.club.slug)
        if "window" in self.fields and values["window"] != Tournament.Window.PERSONAL:
            values["personal_minutes"] = None
        if "visibility" in self.fields and values["visibility"] != Tournament.Visibility.FROZEN:
            values["frozen_at"] = None
        if self.is_friendly:
            values["difficulty"] = Tournament.Difficulty.ANY
        if "rules" in self.cleaned_data:
            values["rules"] = self.cleaned_data["rules"]
        return replace(self.base, **values, rounds=self._rounds())

    def _value(self, name: str) -> Any:
        """Return what a field says, and of one that is not there what it has been.

        A form has no seconds: a time that was not touched stays as it was.
        """
        field = self.fields.get(name)
        if field is None:
            return self.initial.get(name)
        is_time = isinstance(field, LocalTimeField)
        if is_time and name not in self.changed_data:
            return self.initial.get(name)
        return self.cleaned_data[name]

    def _rounds(self) -> tuple[RoundPlan, ...]:
        """Return the rounds.

        One without an opening of its own opens when the one before closes; where that has no
        closing of its own either, all are open for the whole window.
        """
        holes = self._holes()
        last = -(-holes // ROUND)
        opens_at, rounds = self._value("opens_at"), []
        for number in range(1, last + 1):
            if number > 1:
                opens_at = self._value(f"round_{number}_opens_at") or opens_at
            own = self._value(f"round_{number}_closes_at") if number < last else None
            cut_to = self._value(f"round_{number}_cut_to") if number < last else None
            rounds.append(
                RoundPlan(
                    opens_at=opens_at,
                    closes_at=own or self._value("closes_at"),
                    holes=min(ROUND, holes - ROUND * (number - 1)),
                    cut_to=cut_to,
                )
            )
            opens_at = own or opens_at
        return tuple(rounds)

    def _holes(self) -> int:
        if self.dealt is not None:
            return len(self.dealt)
        if "holes" not in self.fields or (self.is_friendly and self.was_friendly):
            return self.base.holes
        return int(self.cleaned_data["holes"])

    def twice(self) -> list[str]:
        """Return the labels of changed times that the clock shows twice, the first being meant."""
        return [
            str(field.label)
            for name, field in self.fields.items()
            if isinstance(field, LocalTimeField)
            and name in self.changed_data
            and (time := self.cleaned_data.get(name)) is not None
            and field.comes_twice(time)
        ]

    def refuse(self, error: ValidationError) -> None:
        """Show what a service refuses at the fields that it is about."""
        for field, errors in error.error_dict.items():
            self.add_error(field if field in self.fields else None, errors)


@dataclass(frozen=True, slots=True)
class Part:
    """A folded part of the form: whether it is open, what is chosen in it, whether it is there."""

    is_open: bool
    said: str
    is_there: bool


@dataclass(frozen=True, slots=True)
class RoundFields:
    """The fields of one round; None for what cannot be chosen."""

    number: int
    opens_at: forms.BoundField | None
    closes_at: forms.BoundField | None
    cut_to: forms.BoundField | None


#: What the line of a folded part says of it.
_SAID: Final = {
    "rules": ("rule_set", "rank_by"),
    "times": ("window",),
    "shown": ("visibility",),
    "deals": ("deals",),
    "more": ("season",),
}
#: Fields that are those of a plan.
_SIMPLE: Final = (
    *("name", "slug", "about", "rank_by", "strokes_kind", "undo_allowed", "hints_allowed"),
    *("tie_break", "unplayed", "visibility", "frozen_at", "window", "personal_minutes"),
    *("hole_minutes", "entries_close_at", "most_entries", "divisions", "season", "difficulty"),
)


def _initial(plan: Plan) -> dict[str, Any]:
    """Return what the fields hold of a plan."""
    values = {name: getattr(plan, name) for name in (*_SIMPLE, "holes", "opens_at", "closes_at")}
    values |= PlanForm.values_of(plan.rules)
    usual = plan.opens_at
    for number, each in enumerate(plan.rounds, 1):
        own = None if each.closes_at == plan.closes_at else each.closes_at
        values[f"round_{number}_opens_at"] = None if each.opens_at == usual else each.opens_at
        values[f"round_{number}_closes_at"] = own
        values[f"round_{number}_cut_to"] = each.cut_to
        usual = own or each.opens_at
    return values


def _gone(stage: Stage, plan: Plan) -> set[str]:
    """Return the fields that can no longer change."""
    fields = set(PlanForm.base_fields)
    if stage == Stage.DRAFT:
        return set()
    if stage == Stage.PUBLISHED:
        return set(_DEALT)
    if stage == Stage.OVER:
        return fields - set(_ABOUT)
    now, last = timezone.now(), len(plan.rounds)
    to_come = {"closes_at"} if plan.closes_at > now else set()
    for number, each in enumerate(plan.rounds, 1):
        if number > 1 and each.opens_at > now:
            to_come.add(f"round_{number}_opens_at")
        if number < last and each.closes_at > now:
            to_come.add(f"round_{number}_closes_at")
    return fields - {*_ABOUT, "entries_close_at", "most_entries", *to_come}
