"""What several models check the same way."""

from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from games.engine import RuleSet


def validate_rules(text: str) -> None:
    """Raise `ValidationError` unless `text` spells a rule set (`games.engine.RuleSet.parse`)."""
    try:
        RuleSet.parse(text)
    except ValueError as error:
        raise ValidationError(
            _("There is no such rule set: E, C, S, or X and five characters."), code="bad_rules"
        ) from error


def validate_time_zone(name: str) -> None:
    """Raise `ValidationError` unless `name` is a time zone of the IANA database."""
    try:
        known = name in available_timezones() and bool(ZoneInfo(name))
    except (ValueError, OSError):
        known = False
    if not known:
        raise ValidationError(
            _("There is no such time zone: choose one like Europe/Sofia."), code="bad_time_zone"
        )
