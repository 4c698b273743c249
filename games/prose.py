"""Positions and refusals in sentences, worded on the server: what the board's scripts say too.

The sentences are those of `games.words`, so a page that is read and the board that is played
never differ.
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from games import words
from games.engine import RANKS, BoardProse, ColumnProse, Refusal, RuleSet


def capital(sentence: str) -> str:
    """Return a sentence with its first letter as a capital: it may start with a card's name."""
    return sentence[:1].upper() + sentence[1:]


def either(parts: Sequence[str]) -> str:
    """Return `a, b or c`."""
    return _joined(parts, _("%(rest)s or %(last)s"))


def all_of(parts: Sequence[str]) -> str:
    """Return `a, b and c`."""
    return _joined(parts, _("%(rest)s and %(last)s"))


def _joined(parts: Sequence[str], pattern: str) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return pattern % {"rest": _(", ").join(parts[:-1]), "last": parts[-1]}


def board_text(board: BoardProse) -> str:
    """Return a position as a paragraph, for those who cannot see it."""
    said = words.board_words()
    say, cards = said["say"], said["counted"]["stock_cards"]
    waste = say["board_waste_empty"] if board.waste is None else words.card_name(board.waste)
    columns = say["between_columns"].join(_column_text(column, say) for column in board.columns)
    stock = cards["forms"][int(cards["of"][board.stock])].format(n=board.stock)
    text: str = say["board"].format(stock=stock, waste=waste, columns=capital(columns))
    return text


def _column_text(column: ColumnProse, say: dict[str, str]) -> str:
    if column.free is None:
        return say["board_column_empty"].format(column=column.number)
    return say["board_column"].format(
        column=column.number,
        cards=say["between_cards"].join(map(words.card_name, column.cards)),
        free=words.card_name(column.free),
    )


def goes_on(rank: str, rules: RuleSet) -> list[str]:
    """Return the ranks on which a rank may be put, in order; jokers only where there are some."""
    known = RANKS + "*" if rules.jokers else RANKS
    table = rules.table()
    return [waste for waste in known if rank in table[waste]]


def refusal_text(refusal: Refusal, rules: RuleSet) -> str:
    """Return why the engine refused an action under `rules`, in a sentence."""
    said = words.board_words()
    code, params = refusal.code, dict(refusal.params)
    if code == "king_blocks" and params["fits"]:
        code = "king_blocks_ace"
    card = params.get("card")
    if isinstance(card, str):
        params["card"] = words.card_name(card)
        params["ranks"] = either([said["onto"][rank] for rank in goes_on(card[0], rules)])
    if isinstance(params.get("waste"), str):
        params["waste"] = words.card_name(str(params["waste"]))
    by = params.get("by")
    if isinstance(by, list):
        params["by"] = all_of([words.card_name(each) for each in by])
    return capital(said["say"][code].format(**params))
