"""Cards as small integers, and their text.

A card is ``rank * 4 + suit``: 0 is the ace of spades, 51 the king of clubs. Both jokers are the
same card, `JOKER` (52), so that ``card >> 2`` is a rank for every card: 0 to 12 for ace to king
and 13 for a joker. `NO_CARD` (56) stands where there is no card, with the rank 14 that fits
nowhere; it never leaves the engine in text.
"""

from collections.abc import Iterable

RANKS = "A23456789TJQK"
"""The rank characters in order; the index of a character is the rank. ``T`` is ten."""

SUITS = "SHDC"
"""The suit characters: spades, hearts, diamonds, clubs; the index is the suit."""

JOKER = 52
"""A joker. A deck may hold two of them; they cannot be told apart."""

NO_CARD = 56
"""No card: an empty column or an empty waste inside the engine."""

ACE, TWO, QUEEN, KING = 0, 1, 11, 12
JOKER_RANK = 13
EMPTY_RANK = 14

RANK_CHARACTERS = RANKS + "*"
"""The rank characters with the joker's, in order of rank."""


class CardError(ValueError):
    """A text that is not a card."""


_TEXTS = (*(r + s for r in RANKS for s in SUITS), "*")
_CARDS = {text: card for card, text in enumerate(_TEXTS)}


def rank(card: int) -> int:
    """The rank of a card: 0 (ace) to 12 (king), 13 for a joker.

    >>> rank(parse_card("TH")), rank(JOKER)
    (9, 13)
    """
    return card >> 2


def suit(card: int) -> int:
    """The suit of a card: an index into `SUITS`.

    :raises CardError: for a joker, which has none.
    """
    if card >= JOKER:
        raise CardError("a joker has no suit")
    return card & 3


def card_text(card: int) -> str:
    """The two characters of a card, or ``*`` for a joker.

    :raises CardError: if the integer is not a card.

    >>> card_text(0), card_text(51), card_text(JOKER)
    ('AS', 'KC', '*')
    """
    if 0 <= card <= JOKER:
        return _TEXTS[card]
    raise CardError(f"{card} is not a card")


def parse_card(text: str) -> int:
    """The card of its text: a rank of `RANKS` and a suit of `SUITS` in capitals, or ``*``.

    :raises CardError: for any other text.

    >>> parse_card("2S")
    4
    """
    try:
        return _CARDS[text]
    except KeyError:
        raise CardError(f"{ascii(text)[:40]} is not a card (such as TH, AS or *)") from None


def cards_text(cards: Iterable[int]) -> str:
    """Cards parted by single spaces, as a column or a stock is written.

    >>> cards_text([0, JOKER])
    'AS *'
    """
    return " ".join(map(card_text, cards))


def parse_cards(text: str) -> tuple[int, ...]:
    """The cards of a text in which white space parts them; none for an empty text.

    :raises CardError: naming the first part that is not a card.
    """
    return tuple(map(parse_card, text.split()))
