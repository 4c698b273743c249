"""What several models check the same way."""

from functools import cache
from zoneinfo import available_timezones

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


@cache
def time_zones() -> frozenset[str]:
    """Return the names of all time zones of the IANA database, which is a walk over its files."""
    return frozenset(available_timezones())


def validate_time_zone(name: str) -> None:
    """Raise `ValidationError` unless `name` is a time zone of the IANA database."""
    if name not in time_zones():
        raise ValidationError(
            _("There is no such time zone: choose one like Europe/Sofia."), code="bad_time_zone"
        )
