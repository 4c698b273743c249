"""What people type: names, accounts, game codes and rule sets."""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.contrib.auth.forms import AuthenticationForm, UsernameField
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games import names, words
from games.engine import NAMED, CodeError, GameCode, RuleSet
from games.models import BOARD_SETTINGS

_NAME_LENGTH: Final = 30

CODE_ERRORS: Final[dict[str, Promise]] = {
    "empty": _("Paste a game code, such as GO1-E-AAAAAAB."),
    "character": _("A game code has letters from A to Z, digits and hyphens only."),
    "prefix": _("A game code starts with GO1 or GO2."),
    "hyphen": _("There is a hyphen in the wrong place: GO1, the rules, then the number."),
    "rules": _("After GO1 or GO2 come the rules: E, C, S, or X and five characters."),
    "length": _("The number at the end has too few or too many characters."),
    "number": _("The number at the end has a character that does not belong there."),
    "first": _("The number of a GO2 code starts with a digit from 0 to 7."),
}


def validate_name(name: str) -> None:
    """Raise `ValidationError` for a name that could break or disguise a line of the leaderboard."""
    try:
        names.check(name)
    except names.BadName as error:
        raise ValidationError(str(words.NAME_ERRORS[error.code]), code=error.code) from error


class NameField(forms.CharField):
    """The name on the board: 1 to 30 visible characters, trimmed."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            max_length=_NAME_LENGTH,
            strip=True,
            validators=[validate_name],
            error_messages={"required": _("Please choose a name.")},
            **kwargs,
        )
        for validator in self.validators:
            if isinstance(validator, MaxLengthValidator):
                validator.message = _("A name has at most %(limit_value)d characters.")

    def to_python(self, value: Any) -> str:
        """Trim and compose, so that one name has one spelling and its length is what is seen."""
        return unicodedata.normalize("NFC", super().to_python(value) or "")


class GuestForm(forms.Form):
    """A nickname is all that a guest needs."""

    name = NameField(
        label=_("Nickname"),
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "spellcheck": "false"}),
    )


class LoginForm(AuthenticationForm):
    """Django's own, with messages and a layout of this site."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.error_messages = {
            **self.error_messages,
            "invalid_login": _("That user name and password do not go together."),
        }
        self.fields["username"].label = _("User name")
        # Beside the guest's form neither of the two may take the focus.
        self.fields["username"].widget.attrs.pop("autofocus", None)


class NameForm(forms.Form):
    """Another name on the board."""

    name = NameField(
        label=_("Name on the board"),
        help_text=_("What other players see."),
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "spellcheck": "false"}),
    )


class DeleteForm(forms.Form):
    """Going for good: the password again, where there is one."""

    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    is_sure = forms.BooleanField(
        label=_("I know that nobody can bring it back"),
        error_messages={"required": _("Please say that you know this.")},
    )

    def __init__(self, *args: Any, has_password: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not has_password:
            del self.fields["password"]


class SignUpForm(forms.Form):
    """An account: a user name and a password, and the name that others see."""

    username = UsernameField(
        label=_("User name"),
        max_length=150,
        help_text=_("You log in with it. Letters, digits and @ . + - _ only."),
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    name = NameField(
        label=_("Name on the board"),
        help_text=_("What other players see."),
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        help_text=password_validators_help_text_html(),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class RuleSetForm(forms.Form):
    """A rule set: one that has a name, or one's own. What asks for one extends it.

    Valid it has `rules`, a `RuleSet`, where one was asked.
    """

    CUSTOM: Final = "custom"
    RULE_SETS: Final = (
        ("E", _("Easy")),
        ("C", _("Classic")),
        ("S", _("Strict")),
        (CUSTOM, _("Your own rules")),
    )
    RULE_FIELDS: Final = ("king_ace", "on_king", "draw", "jokers", "waste")

    rule_set = forms.ChoiceField(label=_("Rule set"), choices=RULE_SETS, widget=forms.RadioSelect)
    king_ace = forms.ChoiceField(
        label=_("King and ace"),
        choices=[
            ("linked", _("follow each other: Q-K-A-2")),
            ("apart", _("are the two ends of a run")),
        ],
        required=False,
    )
    on_king = forms.ChoiceField(
        label=_("On a king goes"),
        choices=[
            ("queen", _("whatever is next to it")),
            ("nothing", _("nothing")),
            ("ace", _("only an ace")),
        ],
        required=False,
    )
    draw = forms.ChoiceField(
        label=_("Drawing"),
        choices=[("any_time", _("at any time")), ("when_stuck", _("only when no card fits"))],
        required=False,
    )
    jokers = forms.TypedChoiceField(
        label=_("Jokers"),
        choices=[("0", _("none")), ("1", _("one")), ("2", _("two"))],
        coerce=int,
        required=False,
    )
    waste = forms.ChoiceField(
        label=_("The waste starts"),
        choices=[("dealt", _("with a card")), ("empty", _("empty: any card may begin"))],
        required=False,
    )

    @classmethod
    def values_of(cls, rules: RuleSet) -> dict[str, str | int]:
        """Return what the fields hold of a rule set."""
        chosen = rules.text if rules.text in NAMED else cls.CUSTOM
        return {"rule_set": chosen, **rules.fields()}

    @classmethod
    def rules_of(cls, cleaned: Mapping[str, Any]) -> RuleSet | None:
        """Return the rule set that cleaned fields say, if they say one."""
        chosen = cleaned.get("rule_set", "")
        if chosen == cls.CUSTOM:
            own = {name: cleaned[name] for name in cls.RULE_FIELDS if cleaned.get(name)}
            return RuleSet.from_fields(own)
        return NAMED.get(chosen)

    def rule_fields(self) -> list[forms.BoundField]:
        """Return the fields of one's own rules in their order."""
        return [self[name] for name in self.RULE_FIELDS]

    def clean(self) -> dict[str, Any]:
        """Add `rules`."""
        cleaned = super().clean() or self.cleaned_data
        rules = self.rules_of(cleaned)
        return cleaned if rules is None else cleaned | {"rules": rules}


class PracticeForm(RuleSetForm):
    """A new game of practice: a random deal under a rule set, or the deal of a code.

    Valid it has `rules`, or `deal_code`, a `GameCode`.
    """

    CODE: Final = "code"

    rule_set = forms.ChoiceField(
        choices=(*RuleSetForm.RULE_SETS, (CODE, _("A game code"))),
        initial="E",
        widget=forms.RadioSelect,
    )
    code = forms.CharField(
        label=_("Game code"),
        required=False,
        max_length=100,
        widget=forms.TextInput(
            attrs={
                "placeholder": "GO1-E-AAAAAAB",
                "autocomplete": "off",
                "autocapitalize": "characters",
                "spellcheck": "false",
                "dir": "ltr",
            }
        ),
    )

    def clean(self) -> dict[str, Any]:
        """Read the code."""
        cleaned = super().clean()
        if cleaned.get("rule_set") == self.CODE:
            try:
                cleaned["deal_code"] = GameCode.parse(cleaned.get("code", ""))
            except CodeError as error:
                self.add_error(
                    "code", ValidationError(str(CODE_ERRORS[error.code]), code=error.code)
                )
        return cleaned


class BoardSettingsForm(forms.Form):
    """Settings of the board, one or several; each is a name and a value of a closed set.

    A bound form has `code`: why it is not valid, or an empty text.
    """

    SPELLED: Final[dict[str | bool, str]] = {True: "on", False: "off"}

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        names = set(data) - {"csrfmiddlewaretoken"}
        for name in names & set(BOARD_SETTINGS):
            spelled = {self.SPELLED.get(value, value): value for value in BOARD_SETTINGS[name]}
            self.fields[name] = forms.TypedChoiceField(
                choices=[(text, text) for text in spelled], coerce=spelled.__getitem__
            )
        self._has_unknown = names != set(self.fields)

    @property
    def code(self) -> str:
        """`unknown_setting`, `no_setting` or `bad_value`: the first that holds."""
        if self._has_unknown:
            return "unknown_setting"
        if not self.fields:
            return "no_setting"
        return "bad_value" if self.errors else ""
