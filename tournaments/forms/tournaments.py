"""What a director fills in, and a rule set as people read it."""

from typing import TYPE_CHECKING, Any, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from games.engine import RuleSet
from games.forms import RuleSetForm, validate_name
from tournaments import services
from tournaments.models import Tournament

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[Tournament]
else:
    _ModelForm = forms.ModelForm

RULE_FIELDS: Final = RuleSetForm.RULE_FIELDS


def describe_rules(rules: RuleSet) -> list[tuple[str, str]]:
    """Return the fields of a rule set as labels and values in the reader's language."""
    values = rules.fields()
    lines = []
    for name in RULE_FIELDS:
        field: Any = RuleSetForm.base_fields[name]
        choices = {str(value): label for value, label in field.choices}
        lines.append((str(field.label), str(choices[str(values[name])])))
    return lines


def _clean_name(form: _ModelForm) -> str:
    """Refuse a name that could disguise a line of a list."""
    name: str = form.cleaned_data["name"]
    validate_name(name)
    return name


class StartedTournamentForm(_ModelForm):
    """What may still change once the first hole was started."""

    clean_name = _clean_name

    class Meta:
        model = Tournament
        fields: ClassVar[list[str]] = ["club", "name"]


class TournamentForm(_ModelForm):
    """A tournament with a named rule set or one of the director's own.

    The cleaned data hold `rules`, a `RuleSet`; the services save, never the form.
    """

    clean_name = _clean_name

    rule_set = forms.ChoiceField(
        label=_("rule set"),
        choices=RuleSetForm.RULE_SETS,
        initial="E",
        help_text=_("The fields of one's own rules count only where that is chosen."),
    )
    king_ace = RuleSetForm.base_fields["king_ace"]
    on_king = RuleSetForm.base_fields["on_king"]
    draw = RuleSetForm.base_fields["draw"]
    jokers = RuleSetForm.base_fields["jokers"]
    waste = RuleSetForm.base_fields["waste"]

    class Meta:
        model = Tournament
        fields: ClassVar[list[str]] = ["club", "name", "slug", "rank_by", "opens_at", "closes_at"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None:
            self.initial.update(RuleSetForm.values_of(self.instance.rule_set))

    def clean(self) -> dict[str, Any]:
        """Add `rules`."""
        cleaned = super().clean() or self.cleaned_data
        if "closes_at" in cleaned and "closes_at" in self.changed_data:
            try:
                services.check_closing(closes_at=cleaned["closes_at"])
            except ValidationError as error:
                self.add_error(None, error)
        rules = RuleSetForm.rules_of(cleaned)
        return cleaned if rules is None else cleaned | {"rules": rules}
