"""How means and shares are written."""

from fractions import Fraction
from functools import lru_cache

from django import template
from django.template.loader import render_to_string
from django.utils import formats
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from games import words
from games.templatetags.golf import MINUS

register = template.Library()


def decimal_text(value: Fraction, *, is_signed: bool = False) -> str:
    """Return a number with one decimal, halves away from zero, as the reader's language has it.

    >>> decimal_text(Fraction(-1, 4))
    '−0.3'
    """
    tenths = int(abs(value) * 10 + Fraction(1, 2))
    sign = "" if not tenths else MINUS if value < 0 else "+" if is_signed else ""
    return f"{sign}{formats.number_format(tenths / 10, decimal_pos=1)}"


@register.filter
def decimal(value: Fraction | None) -> SafeString:
    """Write a number with one decimal and its own direction; a dash for None."""
    return (
        mark_safe("–")
        if value is None
        else format_html('<bdi dir="ltr">{}</bdi>', decimal_text(value))
    )


@register.filter
def signed_decimal(value: Fraction | None) -> SafeString:
    """Write a number with its sign and one decimal; a dash for None."""
    if value is None:
        return mark_safe("–")
    return format_html('<bdi dir="ltr">{}</bdi>', decimal_text(value, is_signed=True))


@register.filter
def signed_number(value: int) -> SafeString:
    """Write a whole number with its sign and its own direction: `+12`, `0`, `−3`."""
    sign = MINUS if value < 0 else "+" if value else ""
    return format_html('<bdi dir="ltr">{}{}</bdi>', sign, abs(value))


@register.filter
def percent(value: Fraction | None) -> SafeString:
    """Write a percentage with one decimal; a dash for None."""
    if value is None:
        return mark_safe("–")
    return format_html('<bdi dir="ltr">{}\u00a0%</bdi>', decimal_text(value))


@register.simple_tag
def line_card(action: str, text: str) -> SafeString:
    """Draw the card of a play or a draw small, named in full."""
    return _line_card(get_language(), text, is_drawn=action == "d")


@lru_cache(maxsize=1024)
def _line_card(_language: str | None, text: str, *, is_drawn: bool) -> SafeString:
    name = words.card_name(text)
    context = {
        "name": gettext("draw: %(card)s") % {"card": name} if is_drawn else name,
        "is_drawn": is_drawn,
        "is_red": text[1:] in ("H", "D"),
        "index": words.rank_index(text[0]),
        "suit": text[1:] or "J",
    }
    return mark_safe(render_to_string("tournaments/line_card.html", context).strip())  # noqa: S308
