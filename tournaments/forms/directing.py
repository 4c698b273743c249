"""What a director fills in to decide something. The services check what it says."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.models import Player
from tournaments import services
from tournaments.forms.fields import LocalTimeField, name_of_zone
from tournaments.models import Correction, Division, Entry, HoleResult, Tournament
from tournaments.selectors.directing import may_play_until
from tournaments.services.corrections import (
    LONGEST_REASON,
    MOST_APP_SCORE,
    MOST_STROKES,
    clean_reason,
)


class DecisionForm(forms.Form):
    """Why; what is decided is said by the page."""

    reason = forms.CharField(
        label=_("Why"),
        required=False,  # the service says what is wrong with it
        help_text=_("Everybody can read it."),
        widget=forms.Textarea(attrs={"rows": 2, "maxlength": LONGEST_REASON, "dir": "auto"}),
    )
    #: The fields before the reason.
    first: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields(self.first)

    def refuse(self, error: ValidationError) -> None:
        """Show a service's complaint at the fields that it is about."""
        for field, errors in error.error_dict.items():
            self.add_error(field if field in self.fields else None, errors)


class StepForm(DecisionForm):
    """A step in a tournament's life; why it is taken, where somebody should be told."""

    def __init__(self, *args: Any, is_reason_needed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._is_reason_needed = is_reason_needed
        if not is_reason_needed:
            self.fields["reason"].label = _("Why (may be left empty)")

    def clean_reason(self) -> str:
        """Check it as that of a correction."""
        reason: str = self.cleaned_data["reason"]
        if not reason.strip() and not self._is_reason_needed:
            return ""
        try:
            return clean_reason(reason)
        except ValidationError as error:
            raise ValidationError(error.error_dict["reason"]) from error


class AdjustForm(DecisionForm):
    """What a hole is to count; it starts with what it counts now."""

    first = ("strokes", "app_score")

    strokes = forms.IntegerField(
        label=_("Strokes"), widget=forms.NumberInput(attrs={"dir": "ltr", "max": MOST_STROKES})
    )
    app_score = forms.IntegerField(
        label=_("App score"),
        widget=forms.NumberInput(attrs={"dir": "ltr", "min": 0, "max": MOST_APP_SCORE}),
    )

    def __init__(
        self, *args: Any, tournament: Tournament, result: HoleResult | None, **kwargs: Any
    ) -> None:
        if result is not None:
            kwargs["initial"] = {"strokes": result.strokes, "app_score": result.app_score}
        super().__init__(*args, **kwargs)
        lowest = services.lowest_strokes(tournament=tournament)
        self.fields["strokes"].widget.attrs["min"] = lowest


class ExtendForm(DecisionForm):
    """Until when a player may play, by the club's clock."""

    first = ("until",)

    until = LocalTimeField(label=_("May play until"))

    def __init__(self, *args: Any, tournament: Tournament, entry: Entry, **kwargs: Any) -> None:
        kwargs["initial"] = {"until": may_play_until(entry=entry, now=timezone.now())}
        super().__init__(*args, **kwargs)
        until: Any = self.fields["until"]
        club = tournament.club
        until.zone = club.zone
        until.help_text = _("By the club's clock: %(zone)s.") % {
            "zone": name_of_zone(club.time_zone, club.zone)
        }


class DivisionForm(DecisionForm):
    """The division that an entry is to be in."""

    first = ("division",)

    division = forms.ModelChoiceField(
        label=_("Division"),
        queryset=Division.objects.none(),
        empty_label=_("Choose one"),
    )

    def __init__(self, *args: Any, tournament: Tournament, entry: Entry, **kwargs: Any) -> None:
        kwargs["initial"] = {"division": entry.division_id}
        super().__init__(*args, **kwargs)
        self.fields["division"].queryset = tournament.divisions.all()  # type: ignore[attr-defined]


class AddPlayerForm(DecisionForm):
    """Who is to be entered, by the name that he logs in with; the cleaned data hold `player`."""

    first = ("username", "division")

    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        help_text=_("The name that the player logs in with."),
        widget=forms.TextInput(
            attrs={
                "autocapitalize": "none",
                "autocomplete": "off",
                "spellcheck": "false",
                "list": "members",
            }
        ),
    )
    division = forms.ModelChoiceField(
        label=_("Division"),
        queryset=Division.objects.none(),
        empty_label=_("Choose one"),
    )

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        divisions = tournament.divisions.all()
        self.fields["division"].queryset = divisions  # type: ignore[attr-defined]
        if not divisions:
            del self.fields["division"]

    def clean_username(self) -> str:
        """Find the player."""
        username: str = self.cleaned_data["username"]
        found = Player.objects.filter(username__iexact=username, is_active=True)
        players = list(found[:2])
        exact = [player for player in players if player.username == username]
        if len(exact or players) != 1:
            raise ValidationError(_("There is no such player."), "no_such_player")
        self.cleaned_data["player"] = (exact or players)[0]
        return username


class TraceFilterForm(forms.Form):
    """Which corrections are shown."""

    kind = forms.ChoiceField(
        label=_("What"),
        required=False,
        choices=[("", _("everything")), *Correction.Kind.choices],
    )
    text = forms.CharField(
        label=_("Search"), required=False, max_length=60, widget=forms.SearchInput()
    )


class EntryFilterForm(forms.Form):
    """Which entries are shown."""

    text = forms.CharField(
        label=_("Search"), required=False, max_length=60, widget=forms.SearchInput()
    )
    status = forms.ChoiceField(
        label=_("Status"), required=False, choices=[("", _("all")), *Entry.Status.choices]
    )
