"""What the host of a room decides."""

from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from games.engine import GameCode
from games.forms import RuleSetForm
from tournaments.forms.fields import read_codes
from tournaments.models import (
    MOST_GRACE_SECONDS,
    MOST_HOLE_MINUTES,
    MOST_RACE_HOLES,
    Room,
    Tournament,
)
from tournaments.services.rooms import RoomSettings

#: Numbers of holes that are offered; pasted codes make any number up to nine.
_HOLES: Final = (1, 3, 9)
_LONGEST_CODES: Final = 1000
#: Fields that are those of the settings.
_SIMPLE: Final = (
    *("is_public", "ranking", "strokes_kind", "holes", "hole_minutes", "grace_seconds"),
    *("undo_allowed", "hints_allowed"),
)


def _number_field(label: Any, *, least: int, most: int, help_text: Any = "") -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        help_text=help_text,
        min_value=least,
        max_value=most,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class RoomForm(RuleSetForm):
    """The next race of a room. Valid it has `settings`."""

    holes = forms.TypedChoiceField(label=_("Holes"), coerce=int, widget=forms.RadioSelect)
    ranking = forms.ChoiceField(
        label=_("What ranks"), choices=Room.Ranking.choices, widget=forms.RadioSelect
    )
    strokes_kind = forms.ChoiceField(
        label=_("How strokes are counted"),
        choices=Tournament.StrokesKind.choices,
        widget=forms.RadioSelect,
    )
    hole_minutes = _number_field(_("Minutes for a hole"), least=1, most=MOST_HOLE_MINUTES)
    grace_seconds = _number_field(
        _("Seconds from the first finisher"),
        least=0,
        most=MOST_GRACE_SECONDS,
        help_text=_("So long the others may play on; then the hole is closed for them."),
    )
    undo_allowed = forms.BooleanField(
        label=_("Undo is allowed"),
        required=False,
        help_text=_("Undo across a draw shows a hidden card early."),
    )
    hints_allowed = forms.BooleanField(label=_("Hints are allowed"), required=False)
    is_public = forms.BooleanField(
        label=_("Public: listed for everybody"),
        required=False,
        help_text=_("Otherwise only who has the code or the link finds it."),
    )
    codes = forms.CharField(
        label=_("Deals of your own"),
        required=False,
        max_length=_LONGEST_CODES,
        widget=forms.Textarea(
            attrs={"rows": 2, "dir": "ltr", "spellcheck": "false", "autocapitalize": "characters"}
        ),
        help_text=_(
            "Game codes such as GO1-E-AAAAAAB, one in each line: they decide the holes and the"
            " rule set, and the race is a friendly one. Left empty, the site draws secret deals."
        ),
    )

    def __init__(self, *args: Any, settings: RoomSettings, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {
            **{name: getattr(settings, name) for name in _SIMPLE},
            **self.values_of(settings.rules),
            "codes": "\n".join(code.text for code in settings.codes),
        }
        holes: Any = self.fields["holes"]
        holes.choices = [(each, f"{each}") for each in sorted({*_HOLES, settings.holes})]
        self.dealt: tuple[GameCode, ...] = ()

    @property
    def has_extras(self) -> bool:
        """Whether something is chosen, or wrong, in what the form folds away."""
        folded = ("strokes_kind", "undo_allowed", "hints_allowed", "codes")
        usual = RoomSettings()
        return any(
            self.has_error(name) or self.initial[name] != getattr(usual, name, "")
            for name in folded
            if name != "codes"
        ) or bool(self.has_error("codes") or self.initial["codes"])

    def clean_codes(self) -> str:
        """Read the codes; the first that cannot be read is named."""
        text: str = self.cleaned_data["codes"]
        too_many = ValidationError(
            _("A race has at most %(most)d holes."), "codes_count", {"most": MOST_RACE_HOLES}
        )
        self.dealt = read_codes(text, most=MOST_RACE_HOLES, too_many=too_many)
        return text

    def clean(self) -> dict[str, Any]:
        """Let pasted codes decide the rules and the holes."""
        cleaned = super().clean()
        if self.dealt:
            cleaned |= {"rules": self.dealt[0].rules, "holes": len(self.dealt)}
        return cleaned

    @property
    def settings(self) -> RoomSettings:
        """What a valid form says."""
        values = {name: self.cleaned_data[name] for name in (*_SIMPLE, "rules")}
        return RoomSettings(**values, codes=self.dealt)

    def refuse(self, error: ValidationError) -> None:
        """Show what a service refuses at the fields that it is about."""
        for field, errors in error.error_dict.items():
            self.add_error(field if field in self.fields else None, errors)
