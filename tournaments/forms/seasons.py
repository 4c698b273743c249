"""Seasons and what is held again and again, as forms."""

from datetime import date
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournaments import merit, selectors, services
from tournaments.dates import Every
from tournaments.forms.fields import DayField, TitleField
from tournaments.models import Club, Recurrence, Season, Tournament
from tournaments.services import SeasonPlan

_LONGEST_POINTS: Final = 1000
#: Digits of a number that every database can hold.
_LONGEST_NUMBER: Final = 18


class PointsField(forms.CharField):
    """Points of the first place, the second and so on, with commas or spaces between them."""

    def clean(self, value: Any) -> Any:
        """Return a tuple of numbers."""
        words = super().clean(value).replace(",", " ").replace(";", " ").split()
        try:
            return tuple(int(word) for word in words)
        except ValueError:
            text = _("Write whole numbers with commas between them, such as 10, 6, 3.")
            raise ValidationError(text, "points_spelled") from None

    def prepare_value(self, value: Any) -> Any:
        """Show numbers with commas."""
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare numbers with what was shown of them."""
        return super().has_changed(self.prepare_value(initial), data)


class TournamentsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Tournaments by number; one that no database has is refused as any that is not there."""

    def clean(self, value: Any) -> Any:
        """Return the tournaments."""
        for text in value or ():
            if len(str(text)) > _LONGEST_NUMBER:
                raise ValidationError(
                    self.error_messages["invalid_choice"],
                    "invalid_choice",
                    params={"value": str(text)[:_LONGEST_NUMBER]},
                )
        return super().clean(value)


class SeasonForm(forms.Form):
    """An order of merit; once it exists also which of the club's tournaments it adds up."""

    name = TitleField(
        label=pgettext_lazy("of a tournament or season", "Name"),
        max_length=80,
        error_messages={"required": _("Give it a name.")},
    )
    starts_on = DayField(label=_("First day"))
    ends_on = DayField(
        label=_("Last day"),
        help_text=_("A tournament belongs to it by the day on which it opens."),
    )
    points = PointsField(
        label=_("Points"),
        max_length=_LONGEST_POINTS,
        error_messages={"required": _("Say what the first place is worth.")},
        help_text=_(
            "For the first place, the second and so on. Who share a place share the points of all "
            "the places that they take up."
        ),
        widget=forms.TextInput(attrs={"dir": "ltr", "inputmode": "text"}),
    )
    best_of = forms.IntegerField(
        label=_("Results that count"),
        required=False,
        min_value=1,
        max_value=1000,
        help_text=_("Of each player the best so many. Left empty: all."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
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
    tournaments = TournamentsField(
        label=_("Tournaments that count"),
        queryset=Tournament.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Those of the club that open between the two days."),
    )

    def __init__(
        self, *args: Any, club: Club, today: date, season: Season | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.club = club
        if season is None:
            self.initial = {
                "starts_on": today.replace(month=1, day=1),
                "ends_on": today.replace(month=12, day=31),
                "points": merit.USUAL_POINTS,
            }
            del self.fields["tournaments"]
            return
        names = ("name", "slug", "starts_on", "ends_on", "points", "best_of")
        self.initial = {name: getattr(season, name) for name in names}
        self.initial["tournaments"] = list(season.tournaments.values_list("pk", flat=True))
        chosen: Any = self.fields["tournaments"]
        chosen.queryset = selectors.seasons.tournaments_between(
            club=club, starts_on=season.starts_on, ends_on=season.ends_on
        )

    @property
    def plan(self) -> SeasonPlan:
        """What a valid form says."""
        cleaned = self.cleaned_data
        slug = cleaned["slug"] or services.free_slug(
            cleaned["name"], otherwise=f"{self.club.slug}-{cleaned['starts_on']:%Y}", among=Season
        )
        names = ("name", "starts_on", "ends_on", "points", "best_of")
        return SeasonPlan(slug=slug, **{name: cleaned[name] for name in names})

    @property
    def chosen(self) -> list[int]:
        """The tournaments that count."""
        return [tournament.pk for tournament in self.cleaned_data["tournaments"]]

    def refuse(self, error: ValidationError) -> None:
        """Show what a service refuses at the fields that it is about."""
        for field, errors in error.error_dict.items():
            self.add_error(field if field in self.fields else None, errors)


class RecurrenceForm(forms.Form):
    """How often a tournament is held again, and when first."""

    every = forms.TypedChoiceField(
        label=_("How often"),
        choices=Recurrence.Every.choices,
        coerce=Every,
        initial=Every.WEEK,
        widget=forms.RadioSelect,
    )
    first_on = DayField(
        label=_("The next one opens on"),
        help_text=_(
            "At the same time of day as this one, and for as long, whatever the clock does in "
            "between. A monthly one of the 31st is held on the last day of a shorter month."
        ),
    )

    def refuse(self, error: ValidationError) -> None:
        """Show what a service refuses at the fields that it is about."""
        for field, errors in error.error_dict.items():
            self.add_error(field if field in self.fields else None, errors)
