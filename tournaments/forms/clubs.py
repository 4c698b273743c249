"""What founders, directors and members of a club fill in, and its log as people read it."""

import unicodedata
from typing import Any, ClassVar, Final, cast

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from games.forms import NameField, RuleSetForm
from tournaments.forms.fields import TitleField
from tournaments.models import Club, ClubEvent, Membership
from tournaments.models.validators import time_zones

#: The parts of the IANA database that are places; the others are older names and offsets.
_REGIONS: Final = (
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe",
    "Indian", "Pacific",
)  # fmt: skip


def _zones_by_region() -> list[tuple[str, Any]]:
    """Return time zones as choices, each place by its newest and its older names."""
    regions: dict[str, list[tuple[str, str]]] = {region: [] for region in _REGIONS}
    for name in sorted(time_zones()):
        if _is_place(name):
            regions[name.partition("/")[0]].append((name, name.replace("_", " ")))
    return [("UTC", "UTC"), *regions.items()]


def _is_place(zone: str) -> bool:
    region, _slash, place = zone.partition("/")
    return bool(place) and region in _REGIONS


class TimeZoneField(forms.ChoiceField):
    """A time zone of the IANA database; js/time_zone.js chooses the browser's to begin with."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            choices=_zones_by_region,
            error_messages={
                "invalid_choice": _("There is no such time zone: choose one like Europe/Sofia.")
            },
            **kwargs,
        )

    def valid_value(self, value: str) -> bool:
        """Accept also what an older browser calls a zone."""
        return value in time_zones()


class _ComposedField(forms.CharField):
    """A line in one spelling, so that its length is what is seen."""

    def to_python(self, value: Any) -> str:
        return unicodedata.normalize("NFC", super().to_python(value) or "")


class ClubForm(RuleSetForm):
    """A club's settings; `settings` are what the services take."""

    #: Fields that are asked when a club is founded, the others later.
    FOUNDING: ClassVar[tuple[str, ...]] = (
        "name", "time_zone", "joining", "password", "guests_welcome", "is_hidden", "about", "slug",
    )  # fmt: skip

    name = _ComposedField(
        label=_("Name of the club"),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    time_zone = TimeZoneField(
        label=_("Time zone"),
        initial="UTC",
        help_text=_("The club's days begin at midnight there."),
    )
    joining = forms.ChoiceField(
        label=_("Who may become a member"),
        choices=Club.Joining.choices,
        initial=Club.Joining.LINK,
        widget=forms.RadioSelect,
    )
    password = forms.CharField(
        label=_("The club's password"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    guests_welcome = forms.BooleanField(
        label=_("Guests may play"),
        required=False,
        help_text=_("Whoever has no account may enter your tournaments with a nickname."),
    )
    is_hidden = forms.BooleanField(
        label=_("Hidden"),
        required=False,
        help_text=format_lazy(
            "{} {}",
            _("Only members find the club and its tournaments in the lists."),
            _("Whoever has the address of a tournament or a season can open it."),
        ),
    )
    about = forms.CharField(
        label=_("About the club"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    slug = forms.SlugField(
        label=_("Address"),
        required=False,
        max_length=60,
        help_text=_("Latin letters, digits and hyphens. Left empty: made of the name."),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    rule_set = forms.ChoiceField(
        label=_("Rules of new tournaments"),
        choices=RuleSetForm.RULE_SETS,
        initial="E",
        widget=forms.RadioSelect,
    )

    def __init__(self, data: Any = None, *, club: Club | None = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        if club is None:
            for name in set(self.fields) - set(self.FOUNDING):
                del self.fields[name]
            return
        del self.fields["slug"]  # printed codes and calendars hold it
        if club.time_zone != "UTC" and not _is_place(club.time_zone):
            offered = [*_zones_by_region(), (club.time_zone, club.time_zone)]
            cast(TimeZoneField, self.fields["time_zone"]).choices = offered
        for name in ("name", "time_zone", "joining", "guests_welcome", "is_hidden", "about"):
            self.initial[name] = getattr(club, name)
        self.initial.update(self.values_of(club.rule_set))
        if club.join_password:
            self.fields["password"].help_text = _("Leave it empty to keep the one there is.")

    @property
    def settings(self) -> dict[str, Any]:
        """What `services.found_club` and `services.update_club` take."""
        rules = {*self.RULE_FIELDS, "rule_set"}
        kept = {name: value for name, value in self.cleaned_data.items() if name not in rules}
        return kept | {"rules": kept["rules"].text} if "rules" in kept else kept


class JoinForm(forms.Form):
    """The name to join under and, where the club has one, its password."""

    name = NameField(
        label=_("Your name in the club"),
        help_text=_("On its boards too. No two members have names that look alike."),
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label=_("The club's password"),
        strip=False,
        max_length=100,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        error_messages={"required": _("Type the club's password.")},
    )

    def __init__(self, *args: Any, asks_password: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not asks_password:
            del self.fields["password"]


class MemberNameForm(forms.Form):
    """A member's name in the club."""

    name = NameField(
        label=_("Name in the club"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class RoleForm(forms.Form):
    """A member's role."""

    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)


class AllowedNameForm(forms.Form):
    """One line of the list of names that may join."""

    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    name = _ComposedField(
        label=_("Name in the club"),
        required=False,
        max_length=30,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(
        label=_("Role"),
        choices=[
            (role.value, role.label) for role in (Membership.Role.MEMBER, Membership.Role.DIRECTOR)
        ],
        initial=Membership.Role.MEMBER,
    )

    def __init__(self, *args: Any, gives_roles: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not gives_roles:
            del self.fields["role"]


class ImportForm(forms.Form):
    """A file to look at; what was looked at comes back as text to be imported."""

    file = forms.FileField(
        label=_("CSV file"),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
        error_messages={"required": _("Choose a file.")},
    )


class TabletForm(forms.Form):
    """What a club calls one of its tablets."""

    label = TitleField(
        label=_("Its name"),
        max_length=60,
        help_text=_("So that you know which one it is: “Bar”, “Club room”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


def describe_event(event: ClubEvent) -> str:
    """Return what a line of the log says beside who, whom and when, or an empty text."""
    if event.kind == ClubEvent.Kind.ROLE:
        return str(dict(Membership.Role.choices).get(event.note, event.note))
    if event.kind == ClubEvent.Kind.CHANGED:
        labels = {name: field.label for name, field in ClubForm.base_fields.items()}
        labels["rules"] = labels["rule_set"]
        return ", ".join(str(labels.get(name, name)) for name in event.note.split())
    if event.kind == ClubEvent.Kind.IMPORTED:
        names = int(event.note)
        return ngettext("%(count)s name", "%(count)s names", names) % {"count": names}
    if event.kind == ClubEvent.Kind.TABLET:
        done, _space, label = event.note.partition(" ")
        told = (
            gettext("“%(label)s” marked") if done == "marked" else gettext("“%(label)s” unmarked")
        )
        return told % {"label": label}
    return event.note
