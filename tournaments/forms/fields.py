"""What forms of clubs and rooms share: titles, texts, codes, and times by the club's clock."""

import unicodedata
from datetime import UTC, date, datetime, tzinfo
from typing import Any, Final

from babel.dates import get_timezone_name
from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext_lazy, to_locale
from django.utils.translation import gettext as _

from games.engine import CodeError, GameCode
from games.forms import CODE_ERRORS, validate_name
from tournaments import dates

#: Beyond these years a time is a slip of the hand, and some could not be stored.
_YEARS: Final = range(2000, 2101)


class TitleField(forms.CharField):
    """A name in one line: trimmed, composed, without marks that could disguise it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validators=[validate_name], **kwargs)

    def to_python(self, value: Any) -> str:
        """Compose, so that one name has one spelling and its length is what is seen."""
        return unicodedata.normalize("NFC", super().to_python(value) or "")


class TextField(forms.CharField):
    """A text of several lines, each of which may say everything that a name may."""

    widget = forms.Textarea

    def validate(self, value: str) -> None:
        """Refuse what could disguise other text."""
        super().validate(value)
        for line in value.splitlines():
            if line.strip():
                validate_name(line.strip())

    def to_python(self, value: Any) -> str:
        """Compose, and end lines as they are stored."""
        text = unicodedata.normalize("NFC", super().to_python(value) or "")
        return "\n".join(text.splitlines())


class LinesField(TextField):
    """Names, one in each line; those that are empty are left out."""

    def clean(self, value: Any) -> Any:
        """Return a tuple of names."""
        return tuple(line.strip() for line in super().clean(value).splitlines() if line.strip())

    def prepare_value(self, value: Any) -> Any:
        """Show a tuple as lines."""
        return "\n".join(value) if isinstance(value, tuple) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare the names."""
        lines = (line.strip() for line in str(data or "").splitlines())
        return tuple(line for line in lines if line) != tuple(initial or ())


def read_codes(text: str, *, most: int, too_many: ValidationError) -> tuple[GameCode, ...]:
    """Return the game codes in a text: one in each line, or with commas between them.

    Raises `ValidationError`: `too_many` where there are more than `most`, else the error of the
    first that cannot be read, with its number.
    """
    lines = [line for line in text.replace(",", "\n").splitlines() if line.strip()]
    if len(lines) > most:
        raise too_many
    return tuple(_code(number, line) for number, line in enumerate(lines, 1))


def _code(number: int, text: str) -> GameCode:
    try:
        return GameCode.parse(text)
    except CodeError as error:
        raise ValidationError(
            _("Code %(number)d: %(reason)s"),
            error.code,
            {"number": number, "reason": CODE_ERRORS[error.code]},
        ) from error


class DayField(forms.DateField):
    """A day, with the browser's own calendar."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    default_error_messages = {  # noqa: RUF012 - Django's own way
        "invalid": gettext_lazy("Write a day such as 2026-05-31."),
    }

    def to_python(self, value: Any) -> date | None:
        """Read a day as browsers send it."""
        if value in self.empty_values:
            return None
        try:
            day = parse_date(str(value).strip())
        except ValueError:
            day = None
        if day is None:
            raise ValidationError(self.error_messages["invalid"], "invalid")
        _check_reach(day)
        return day


def _check_reach(day: date) -> None:
    if day.year not in _YEARS:
        raise ValidationError(_("Choose a year from 2000 to 2100."), "year")


class LocalTimeInput(forms.TextInput):
    """A day and a time, with the browser's own calendar."""

    input_type = "datetime-local"


class LocalTimeField(forms.Field):
    """An instant, typed as a clock in `zone` shows it, which is named beside the field.

    A time that the clock leaves out is refused; of one that comes twice the first is meant, and
    `comes_twice` says so.
    """

    widget = LocalTimeInput
    default_error_messages = {  # noqa: RUF012 - Django's own way
        "invalid": gettext_lazy("Write a day and a time such as 2026-05-31 18:00."),
    }
    zone: tzinfo = UTC

    def to_python(self, value: Any) -> datetime | None:
        """Read a time as browsers send it, or as people write it."""
        if value in self.empty_values:
            return None
        try:
            moment = parse_datetime(str(value).strip())
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is not None:
            raise ValidationError(self.error_messages["invalid"], "invalid")
        _check_reach(moment)
        if not dates.exists(moment, self.zone):
            after = dates.wall(dates.at(moment, self.zone), self.zone)
            text = _(
                "The clock is put forward then, and %(time)s is left out: "
                "it is %(later)s already. Choose another time."
            )
            shown = {"time": _clock(moment), "later": _clock(after)}
            raise ValidationError(text % shown, "no_such_time")
        return dates.at(moment, self.zone)

    def prepare_value(self, value: Any) -> Any:
        """Show an instant as the clock does, without its seconds."""
        if isinstance(value, datetime):
            return dates.wall(value, self.zone).isoformat(timespec="minutes")
        return value

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare what is shown: a form has no seconds."""
        shown = self.prepare_value(initial) or ""
        return bool(shown != str(data or "").strip().replace(" ", "T"))

    def comes_twice(self, value: datetime) -> bool:
        """Whether the clock shows that time twice."""
        return dates.comes_twice(dates.wall(value, self.zone), self.zone)


def _clock(moment: datetime) -> str:
    return date_format(moment, "TIME_FORMAT")


def name_of_zone(zone_name: str, zone: tzinfo) -> str:
    """Return a zone as people call it, with its name in the IANA database."""
    if zone_name == "UTC":
        return "UTC"
    locale = to_locale(get_language() or settings.LANGUAGE_CODE)
    return f"{get_timezone_name(zone, locale=locale)}, {zone_name}"
