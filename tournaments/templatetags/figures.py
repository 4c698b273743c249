"""How means and shares are written."""

from fractions import Fraction
from typing import Any

from django import template
from django.utils import formats
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

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
def percent(value: Fraction | None) -> SafeString:
    """Write a percentage with one decimal; a dash for None."""
    if value is None:
        return mark_safe("–")
    return format_html('<bdi dir="ltr">{}\u00a0%</bdi>', decimal_text(value))


@register.inclusion_tag("tournaments/line_card.html")
def line_card(action: str, text: str) -> dict[str, Any]:
    """Draw the card of a play or a draw small, named in full."""
    name = words.card_name(text)
    return {
        "name": gettext("draw: %(card)s") % {"card": name} if action == "d" else name,
        "is_drawn": action == "d",
        "is_red": text[1:] in ("H", "D"),
        "index": words.rank_index(text[0]),
        "suit": text[1:] or "J",
    }
