"""The cards laid out, and the codes that number the deals.

A code such as ``GO1-E-AAAAAAB`` names a rule set and a deal. The cards depend on the version, the
number and the count of jokers only: ``GO1-E-AAAAAAB`` and ``GO1-C-AAAAAAB`` are one deal under two
rule sets.

======= ============================== ======================================================
version number                         use
======= ============================== ======================================================
``GO1`` seven letters A to Z           practice: so short that whoever knows the shuffle finds
                                       the code, and with it the hidden stock, by trying all
``GO2`` 26 Crockford base-32           competition: 128 random bits
        characters, the first 0 to 7
======= ============================== ======================================================

The shuffle, byte for byte, so that anyone can port it:

1. The seed is ASCII text: the version, the number as its code spells it in capitals and the count
   of jokers, joined by hyphens: ``GO1-AAAAAAB-0``.
2. The bytes are the output of SHAKE-256 of the seed, read from its start, each byte used once.
3. The cards start in the order of `START`, followed by the jokers, ``n`` cards in all.
4. For ``i`` from ``n - 1`` down to 1: read bytes until one is below ``256 - 256 % (i + 1)`` (the
   others are thrown away, so no card is favoured); with that byte ``b``, the cards at the places
   ``b % (i + 1)`` and ``i``, counted from 0, change places.
5. The first five cards are column 1 from top to bottom, the next five column 2, and so on to
   column 7; the next card is the waste; the rest is the stock, the first of it drawn first. Under
   an empty waste the card that would be the waste heads the stock instead.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import shake_256
from typing import Final

from games.engine.cards import (
    JOKER,
    CardError,
    card_text,
    parse_card,
    parse_cards,
)
from games.engine.rules import RuleError, RuleSet

COLUMNS: Final = 7
ROWS: Final = 5
TABLEAU: Final = COLUMNS * ROWS
"""How many cards a full tableau holds: 35."""

START: Final = parse_cards(
    "7S JD 9H 2H TD 2D AS 5H KS 4D 6C 8S KH "
    "8H 4S QD 7H KC QH 3S 9S JH 2C KD AC AD "
    "3C AH TS 6S 7C 4C 2S QC 6H 5S 8C JS 9C "
    "4H 9D 5C QS TC 3D 8D 5D JC 6D TH 3H 7D"
)
"""The order of the 52 cards before the shuffle; jokers follow.

It is chosen so that ``GO1-E-AAAAAAB`` deals a deal that is known from print: its 35 tableau cards,
its waste card and its first stock card (8S), so the places of those 37 cards, are published. The
places of the other 15, `CHOSEN`, are a choice that agrees with everything printed about that deal.
The order must never change, since every code would deal other cards.
"""

CHOSEN: Final = parse_cards("QC 9H 5H QD 9D KS TD 2H AD 4D 6S JC JD 6D KH")
"""The cards of `START` whose places are not published but chosen, as that deal draws them."""

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ALPHABETS: Final = {1: (_LETTERS, 7), 2: (_CROCKFORD, 26)}
_RULES_LENGTHS: Final = (1, 6)
_NUMBERS: Final = {1: 26**7, 2: 2**128}


class DealError(ValueError):
    """Cards that do not make a deal; the message says why."""


@dataclass(frozen=True, slots=True, repr=False)
class Deal:
    """Cards laid out: the start of a game, or what is left of one.

    :param columns: seven columns of up to five cards, each from top to bottom: the last card is
        free.
    :param waste: the waste card, None for an empty waste.
    :param stock: the stock in the order of drawing: the first card is drawn first.
    :raises DealError: if there are not seven columns, a column is longer than five, something is
        not a card, or a card is there twice (a joker: three times).

    The representation names no card, since it may end in a log while the deal is still secret.
    """

    columns: tuple[tuple[int, ...], ...]
    waste: int | None
    stock: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.columns) != COLUMNS:
            raise DealError(f"a deal has {COLUMNS} columns, not {len(self.columns)}")
        for number, column in enumerate(self.columns, 1):
            if len(column) > ROWS:
                raise DealError(f"column {number} has {len(column)} cards, more than {ROWS}")
        cards = self.cards()
        seen = set(cards)
        if not all(0 <= card <= JOKER for card in seen):
            raise DealError("a card is an integer from 0 to 52")
        jokers = cards.count(JOKER)
        if jokers > 2:
            raise DealError(f"there are {jokers} jokers, more than 2")
        if len(seen) != len(cards) - max(0, jokers - 1):
            twice = next(card for card in cards if card != JOKER and cards.count(card) > 1)
            raise DealError(f"{card_text(twice)} is there twice")

    def __repr__(self) -> str:
        return f"<Deal: {self.left} cards in columns, {len(self.stock)} in the stock>"

    @property
    def left(self) -> int:
        """How many cards lie in the columns."""
        return sum(map(len, self.columns))

    @property
    def jokers(self) -> int:
        """How many jokers the deal holds."""
        return self.cards().count(JOKER)

    def cards(self) -> tuple[int, ...]:
        """Every card: the columns, the waste, the stock."""
        waste = () if self.waste is None else (self.waste,)
        return (*(card for column in self.columns for card in column), *waste, *self.stock)

    def check(self, rules: RuleSet) -> None:
        """Check that this is the start of a game under a rule set.

        :raises DealError: unless there are seven columns of five, a waste as the rule set wants it
            and the whole deck with the rule set's jokers.
        """
        for number, column in enumerate(self.columns, 1):
            if len(column) != ROWS:
                raise DealError(f"column {number} has {len(column)} cards, not {ROWS}")
        if rules.waste == "dealt" and self.waste is None:
            raise DealError("the waste card is missing")
        if rules.waste == "empty" and self.waste is not None:
            raise DealError("there is a waste card, but the waste starts empty")
        cards = self.cards()
        missing = set(START).difference(cards)
        if missing:
            others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise DealError(f"{card_text(min(missing))} is missing{others}")
        if cards.count(JOKER) != rules.jokers:
            raise DealError(f"there are {cards.count(JOKER)} jokers, not {rules.jokers}")

    def under(self, rules: RuleSet) -> "Deal":
        """The same cards as a game under a rule set starts with them.

        Under an empty waste the waste card heads the stock; where a waste is dealt, the first
        stock card lies on an empty one.

        :raises DealError: if a waste is to be dealt from an empty stock.
        """
        if rules.waste == "empty" and self.waste is not None:
            return Deal(self.columns, None, (self.waste, *self.stock))
        if rules.waste == "dealt" and self.waste is None:
            if not self.stock:
                raise DealError("the waste card is missing")
            return Deal(self.columns, self.stock[0], self.stock[1:])
        return self

    @property
    def text(self) -> str:
        """The columns from top to bottom parted by ``/``, the waste, the stock in draw order.

        The three are parted by a space; ``-`` is an empty column, waste or stock.

        >>> Deal.parse("6C5S*/-/-/-/-/-/AS AC -").text
        '6C5S*/-/-/-/-/-/AS AC -'
        """
        columns = "/".join(_pile_text(column) for column in self.columns)
        waste = "-" if self.waste is None else card_text(self.waste)
        return f"{columns} {waste} {_pile_text(self.stock)}"

    @classmethod
    def parse(cls, text: str) -> "Deal":
        """The deal of its text, spelled exactly as `text` spells it.

        :raises DealError: if the text is not three parts or a part is not cards, and as for a
            `Deal` of those cards.
        """
        parts = text.split(" ")
        if len(parts) != 3:
            raise DealError("a deal is columns, waste and stock, parted by single spaces")
        try:
            columns = tuple(map(_parse_pile, parts[0].split("/")))
            waste = None if parts[1] == "-" else parse_card(parts[1])
            stock = _parse_pile(parts[2])
        except CardError as error:
            raise DealError(str(error)) from None
        return cls(columns, waste, stock)


def _pile_text(cards: tuple[int, ...]) -> str:
    return "".join(map(card_text, cards)) or "-"


def _parse_pile(text: str) -> tuple[int, ...]:
    if text == "-":
        return ()
    cards = re.findall(r"\*|..?", text, re.DOTALL)
    if not cards:
        raise CardError("an empty pile is written -")
    return tuple(map(parse_card, cards))


class CodeError(ValueError):
    """A text that is not a game code.

    ``code`` is a stable name of the reason, for pages that word it themselves:

    - ``empty``: nothing but white space
    - ``character``: something that no code contains
    - ``prefix``: it does not start with GO1 or GO2
    - ``hyphen``: a hyphen in the wrong place
    - ``rules``: no such rule set
    - ``length``: the number has too few or too many characters
    - ``number``: a character that such a number does not contain
    - ``first``: a GO2 number that starts with more than 7

    The message never repeats the whole text, since that may be a secret code with one mistake.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type["CodeError"], tuple[str, str]]:
        return type(self), (self.code, str(self))


@dataclass(frozen=True, slots=True, repr=False)
class GameCode:
    """The name of a deal under a rule set.

    :param version: 1 or 2, as in ``GO1`` and ``GO2``.
    :param rules: the rule set; its jokers are part of the deal.
    :param number: which deal: below 26**7 for version 1, below 2**128 for version 2.
    :raises ValueError: if there is no such version or number.

    >>> GameCode.parse("go1 eaaa aaab").text
    'GO1-E-AAAAAAB'

    The representation leaves the number out, since it may end in a log while it is still secret.
    """

    version: int
    rules: RuleSet
    number: int

    def __post_init__(self) -> None:
        if self.version not in _NUMBERS:
            raise ValueError("the version of a game code is 1 or 2")
        if not 0 <= self.number < _NUMBERS[self.version]:
            raise ValueError(f"the number is out of range for GO{self.version}")

    def __repr__(self) -> str:
        return f"<GameCode GO{self.version}-{self.rules.text}>"

    @classmethod
    def secret(cls, rules: RuleSet, bits: int) -> "GameCode":
        """The GO2 code of 128 random bits, which the caller takes from a secure source.

        :param bits: for example ``secrets.randbits(128)``.
        :raises ValueError: unless ``0 <= bits < 2**128``.
        """
        return cls(2, rules, bits)

    @property
    def text(self) -> str:
        """The code as it is written: in capitals, with hyphens."""
        return f"GO{self.version}-{self.rules.text}-{self._number_text}"

    @property
    def deal_text(self) -> str:
        """The code without its rule set; with the jokers of one it names the cards.

        >>> GameCode.parse("GO1-E-AAAAAAB").deal_text
        'GO1-AAAAAAB'
        """
        return f"GO{self.version}-{self._number_text}"

    @property
    def _number_text(self) -> str:
        alphabet, length = _ALPHABETS[self.version]
        digits = []
        number = self.number
        for _ in range(length):
            number, digit = divmod(number, len(alphabet))
            digits.append(alphabet[digit])
        return "".join(reversed(digits))

    @classmethod
    def parse(cls, text: str) -> "GameCode":
        """The code that a person typed: any case, white space anywhere, hyphens or not.

        :raises CodeError: for everything else, with the reason.

        >>> GameCode.parse("GO1-E-AAAAAA0")
        Traceback (most recent call last):
        ...
        games.engine.deals.CodeError: '0' is not in a GO1 number: it has the letters A to Z only
        """
        squeezed = "".join(text.split())
        if not squeezed:
            raise CodeError("empty", "there is no code")
        for character in squeezed:
            # Before upper(), which would turn the long s and the dotless i into S and I.
            if not (character.isascii() and (character.isalnum() or character == "-")):
                raise CodeError(
                    "character",
                    f"{character!a} is in no code: only letters A to Z, digits, hyphens",
                )
        squeezed = squeezed.upper()
        if squeezed[:3] not in ("GO1", "GO2"):
            raise CodeError("prefix", "a code starts with GO1 or GO2")
        version = int(squeezed[2])
        rules_text, number_text = _split(squeezed[3:], _ALPHABETS[version][1])
        try:
            rules = RuleSet.parse(rules_text)
        except RuleError as error:
            raise CodeError("rules", str(error)) from None
        return cls(version, rules, _parse_number(version, number_text))

    def deal(self) -> Deal:
        """The cards that the code deals, as a game under its rule set starts with them.

        >>> cards_of = GameCode.parse("GO1-E-AAAAAAB").deal()
        >>> card_text(cards_of.stock[0])
        '8S'
        """
        cards = [*START, *(JOKER,) * self.rules.jokers]
        _shuffle(cards, f"{self.deal_text}-{self.rules.jokers}".encode())
        columns = tuple(tuple(cards[i : i + ROWS]) for i in range(0, TABLEAU, ROWS))
        return Deal(columns, cards[TABLEAU], tuple(cards[TABLEAU + 1 :])).under(self.rules)


def _split(rest: str, length: int) -> tuple[str, str]:
    """The rules and the number of a code, from what follows its version.

    Each hyphen may be missing; where one stands it must stand between two parts.
    """
    rest = rest.removeprefix("-")
    before, hyphen, after = rest.rpartition("-")
    if not hyphen:
        before, after = rest[:-length], rest[-length:]
    if "-" in before or (hyphen and not (before and after)):
        raise CodeError("hyphen", "a hyphen stands after the version and after the rules only")
    if not hyphen and len(before) not in _RULES_LENGTHS:
        raise CodeError(
            "length", f"after the version come the rules (1 or 6) and {length} characters"
        )
    return before, after


def _parse_number(version: int, text: str) -> int:
    alphabet, length = _ALPHABETS[version]
    if len(text) != length:
        raise CodeError("length", f"a GO{version} number has {length} characters, not {len(text)}")
    number = 0
    for character in text:
        digit = alphabet.find(character)
        if digit < 0:
            if version == 1:
                why = "it has the letters A to Z only"
            else:
                why = "I and L may be a 1, O a 0, U a V"
            raise CodeError("number", f"{character!a} is not in a GO{version} number: {why}")
        number = number * len(alphabet) + digit
    if number >= _NUMBERS[version]:
        raise CodeError("first", "a GO2 number starts with 0 to 7")
    return number


def _shuffle(cards: list[int], seed: bytes) -> None:
    """Shuffle in place, as the top of this file says."""
    stream = _stream(seed)
    for i in range(len(cards) - 1, 0, -1):
        limit = 256 - 256 % (i + 1)
        byte = next(stream)
        while byte >= limit:
            byte = next(stream)
        j = byte % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]


def _stream(seed: bytes) -> Iterator[int]:
    """The bytes of SHAKE-256 of the seed, without an end."""
    shake = shake_256(seed)
    # One squeeze is enough for nearly every deal; a longer one starts with the same bytes.
    start, end = 0, 136
    while True:
        yield from shake.digest(end)[start:]
        start, end = end, end * 2
