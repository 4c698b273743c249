"""What the templates of the whole site share: figures as golfers write them, cards, states."""

from typing import Any

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils import formats
from django.utils.html import format_html, format_html_join, json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, pgettext

from games import prose, words
from games.engine import BoardProse, RuleSet
from games.models import BOARD_SETTINGS, Game, Player

register = template.Library()

MINUS = "\N{MINUS SIGN}"


def signed(number: int) -> str:
    """Return strokes against par as golfers write them: `E`, `+3`, `−2`."""
    if number == 0:
        return pgettext("level with par", "E")
    return f"+{number}" if number > 0 else f"{MINUS}{-number}"


@register.filter
def signed_text(number: int) -> str:
    """Write strokes against par without any markup, for a chart."""
    return signed(number)


@register.filter
def to_par(number: int | None) -> SafeString:
    """Write strokes against par, with its own direction; a dash when there is none yet."""
    if number is None:
        return mark_safe('<span class="muted">–</span>')
    return format_html(
        '<bdi dir="ltr" class="to-par{}">{}</bdi>', " under" if number < 0 else "", signed(number)
    )


@register.filter
def number(value: int) -> SafeString:
    """Write a whole number with its own direction and a real minus sign."""
    return format_html('<bdi dir="ltr">{}</bdi>', f"{MINUS}{-value}" if value < 0 else value)


@register.filter
def duration(ms: int) -> SafeString:
    """Write milliseconds as minutes and seconds, `2:05`, or with hours, `1:02:05`."""
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return format_html('<bdi dir="ltr">{}</bdi>', text)


@register.filter
def seconds(ms: int) -> str:
    """Write milliseconds as seconds with one decimal, `4.1`, as the reader's language does."""
    return formats.number_format(ms / 1000, decimal_pos=1)


@register.simple_tag(takes_context=True)
def nav_link(context: template.Context, name: str) -> SafeString:
    """Return ` aria-current="page"` for the link of the section that the page is in."""
    request = context.get("request")
    if request is None or request.resolver_match is None:
        return mark_safe("")
    try:
        here = request.path.startswith(reverse(name))
    except NoReverseMatch:
        return mark_safe("")
    return mark_safe(' aria-current="page"') if here else mark_safe("")


@register.simple_tag(takes_context=True)
def tab(context: template.Context, *names: str) -> SafeString:
    """Return ` aria-current="page"` on the pages of these names."""
    request = context.get("request")
    match = None if request is None else request.resolver_match
    is_here = match is not None and match.url_name in names
    return mark_safe(' aria-current="page"') if is_here else mark_safe("")


@register.simple_tag(takes_context=True)
def absolute(context: template.Context, path: str) -> str:
    """Return a path of this site as a whole address."""
    url: str = context["request"].build_absolute_uri(path)
    return url


@register.inclusion_tag("components/card.html")
def card(text: str) -> dict[str, Any]:
    """Draw a card of its text (`TH`, `*`), named in full; the page includes the suits' shapes."""
    rank, suit = (text[0], text[1:])
    return {
        "text": text,
        "name": words.card_name(text),
        "index": words.rank_index(rank),
        "suit": suit or "J",
    }


@register.simple_tag
def card_name(text: str) -> str:
    """Return the name of a card in full, `7 of clubs`."""
    return words.card_name(text)


@register.simple_tag
def rules_name(game: Game) -> str:
    """Return the name of the rule set that a game is played under."""
    return words.rules_name(game.rules)


@register.simple_tag
def rule_set_name(text: str) -> str:
    """Return the name of a rule set of its spelling."""
    return words.rules_name(RuleSet.parse(text))


@register.simple_tag
def against_par(game: Game, par: int) -> SafeString:
    """Write a game's strokes against par."""
    return to_par(game.strokes - par)


@register.simple_tag
def board_words() -> dict[str, Any]:
    """Return all that the board says, in the page's language, ready for JSON."""
    return words.board_words()


@register.simple_tag
def json_of(data: Any, *names: str) -> SafeString:
    """Write data as JSON for a script, under an id that is put together of names."""
    return json_script(data, "".join(names))


@register.simple_tag(takes_context=True)
def board_settings(context: template.Context) -> dict[str, Any]:
    """Return the settings of the board and what the player has chosen of them, ready for JSON."""
    standard = {name: values[0] for name, values in BOARD_SETTINGS.items()}
    return {"standard": standard, "kept": _chosen(context)}


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> SafeString:
    """Return ` data-theme="…"` for a player who has chosen a theme, `auto` too."""
    chosen = _chosen(context).get("theme")
    return format_html(' data-theme="{}"', chosen) if chosen else mark_safe("")


@register.simple_tag(takes_context=True)
def board_shape(context: template.Context) -> SafeString:
    """Return the attributes of a board that change its size, so that nothing shifts later.

    js/board/main.js sets the same when a setting changes.
    """
    settings = {name: values[0] for name, values in BOARD_SETTINGS.items()} | _chosen(context)
    shape = {
        "big-cards": settings["big_cards"],
        "left-hand": settings["left_hand"],
        "zen": settings["zen"],
        "no-clock": not settings["clock"],
        "numbers": settings["keys"],
    }
    return format_html_join("", " data-{}", ([name] for name, is_on in shape.items() if is_on))


def _chosen(context: template.Context) -> dict[str, str | bool]:
    user = context.get("user")
    return user.board_settings if isinstance(user, Player) else {}


@register.inclusion_tag("components/hole_score.html")
def hole_score(strokes: int | None, par: int) -> dict[str, Any]:
    """Draw the strokes of a hole with golf's own mark: a ring under par, a square over it.

    None stands for a hole that is not final.
    """
    if strokes is None:
        return {"strokes": None}
    over = strokes - par
    if over == 0:
        mark, spoken = "", gettext("par")
    elif over < 0:
        mark, spoken = ("under" if over == -1 else "under-2"), signed(over)
    else:
        mark, spoken = ("over" if over == 1 else "over-2"), signed(over)
    shown = f"{MINUS}{-strokes}" if strokes < 0 else str(strokes)
    return {"strokes": shown, "mark": mark, "spoken": spoken}


@register.inclusion_tag("components/picture_card.html")
def picture_card(
    text: str, *, row: int, column: int, free: bool, marked: str = ""
) -> dict[str, Any]:
    """Draw a card at its place of a board that nobody plays, without a name.

    The card whose text is `marked` is set off from the others.
    """
    return {
        "text": text,
        "index": words.rank_index(text[0]),
        "suit": text[1:] or "J",
        "row": row,
        "column": column,
        "free": free,
        "marked": text == marked,
    }


@register.simple_tag
def board_text(board: BoardProse) -> str:
    """Return a position as a paragraph."""
    return prose.board_text(board)
