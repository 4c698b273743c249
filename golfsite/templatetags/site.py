"""What the frame of every page needs: the choice of language, and times with their zone."""

from datetime import datetime
from typing import Any

from babel.dates import get_timezone_name
from django import template
from django.conf import settings
from django.utils.timezone import get_current_timezone, localtime
from django.utils.translation import get_language, to_locale

register = template.Library()


@register.inclusion_tag("components/languages.html", takes_context=True)
def language_menu(context: template.Context) -> dict[str, Any]:
    """Offer the page in the other languages; nothing where the site speaks only one."""
    request = context.get("request")
    current = get_language() or settings.LANGUAGE_CODE
    return {
        "languages": settings.LANGUAGES,
        "current": current,
        "current_name": dict(settings.LANGUAGES).get(current, current),
        "digits": getattr(request, "digits", ""),
        "next": "/" if request is None else request.get_full_path(),
    }


@register.simple_tag
def zone() -> str:
    """Return the zone in which the page shows times, by its name in the IANA database."""
    return str(get_current_timezone())


@register.filter
def zone_name(time: datetime) -> str:
    """Return the name of the reader's time zone at that time, in the reader's language."""
    local = localtime(time)
    if local.tzname() == "UTC":
        return "UTC"
    name: str = get_timezone_name(local, locale=to_locale(get_language() or settings.LANGUAGE_CODE))
    return name
