"""What a director fills in who looks at the deals, or at what looks odd."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.fields import TextField
from tournaments.services.flags import LONGEST_NOTE


class OpenDealsForm(forms.Form):
    """That the director knows what it costs."""

    confirm = forms.BooleanField(
        label=_("I will not rank in this tournament, and everybody can read why."),
        error_messages={"required": _("Tick this box if you really want to see the deals.")},
    )


class SeenForm(forms.Form):
    """What came of looking at a flag."""

    note = TextField(
        label=_("Note"),
        required=False,
        widget=forms.TextInput,
        max_length=LONGEST_NOTE,
        help_text=_("What you found, for the other directors."),
        error_messages={"max_length": _("A note has at most %(limit_value)d characters.")},
    )
