"""The board for those who cannot see it.

`describe` gives data without words, for pages to word in any language; `english` words it in
English. Neither tells what a player may not know: of the stock there is only its count.
"""

from dataclasses import dataclass
from typing import Final

from games.engine.cards import RANKS, card_text
from games.engine.play import Play

_RANKS: Final = dict(
    zip(RANKS, ("ace", *map(str, range(2, 11)), "jack", "queen", "king"), strict=True)
)
_SUITS: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}


@dataclass(frozen=True, slots=True)
class ColumnProse:
    """One column: its number 1 to 7, and its cards as text from top to bottom."""

    number: int
    cards: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many cards lie in the column."""
        return len(self.cards)

    @property
    def free(self) -> str | None:
        """The free card, None in an empty column."""
        return self.cards[-1] if self.cards else None


@dataclass(frozen=True, slots=True)
class BoardProse:
    """What can be seen: the count of the stock, the waste card or None, the seven columns."""

    stock: int
    waste: str | None
    columns: tuple[ColumnProse, ...]


def describe(play: Play) -> BoardProse:
    """The board of a game as data; cards are text such as ``TH`` and ``*``."""
    return BoardProse(
        stock=play.stock_left,
        waste=None if play.waste is None else card_text(play.waste),
        columns=tuple(
            ColumnProse(number, tuple(map(card_text, column)))
            for number, column in enumerate(play.columns, 1)
        ),
    )


def card_name(card: str) -> str:
    """A card in English words.

    >>> card_name("TH"), card_name("AS"), card_name("*")
    ('10 of hearts', 'ace of spades', 'joker')
    """
    if card == "*":
        return "joker"
    return f"{_RANKS[card[0]]} of {_SUITS[card[1]]}"


def english(board: BoardProse) -> str:
    """The board as one English paragraph.

    >>> english(describe(Play.from_text("E 8H2S/-/*/-/-/-/- 8C 5HKD")))[:74]
    'Stock: 2 cards; waste: 8 of clubs. Column 1: 8 of hearts, 2 of spades (fre'
    """
    stock = "1 card" if board.stock == 1 else f"{board.stock} cards"
    waste = "empty" if board.waste is None else card_name(board.waste)
    columns = "; ".join(map(_english_column, board.columns))
    return f"Stock: {stock}; waste: {waste}. {columns[0].upper()}{columns[1:]}."


def _english_column(column: ColumnProse) -> str:
    if column.free is None:
        return f"column {column.number}: empty"
    cards = ", ".join(map(card_name, column.cards))
    return f"column {column.number}: {cards} (free: {card_name(column.free)})"
