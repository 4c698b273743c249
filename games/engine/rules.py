"""Rule sets as data: which card may be put on which, and which actions a position allows.

Ranks run A 2 3 ... 10 J Q K. A rule set has five fields; a class per variant does not exist. The
three sets that people know by name have a letter, every other mix is spelled out:

======== ================ ========================================================
letter   name             meaning
======== ================ ========================================================
``E``    Easy (default)   K and A are adjacent, a run may go Q-K-A-2
``C``    Classic          on a King only a Queen, on an Ace only a 2
``S``    Strict           nothing on a King; a draw only when no free card fits
``N``    (legacy)         read as Easy, written back as ``E``
``X.....`` custom         ``X`` and five characters, see `RuleSet.text`
======== ================ ========================================================
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Literal, get_args

from games.engine.cards import (
    ACE,
    EMPTY_RANK,
    JOKER_RANK,
    KING,
    RANK_CHARACTERS,
)

KingAce = Literal["linked", "apart"]
OnKing = Literal["queen", "nothing", "ace"]
Draw = Literal["any_time", "when_stuck"]
Jokers = Literal[0, 1, 2]
Waste = Literal["dealt", "empty"]

FIELDS: Final[Mapping[str, tuple[str | int, ...]]] = {
    "king_ace": get_args(KingAce),
    "on_king": get_args(OnKing),
    "draw": get_args(Draw),
    "jokers": get_args(Jokers),
    "waste": get_args(Waste),
}
"""The five fields in their order, each with its values; the first value is Easy's."""

# The characters of a spelled rule set stand in the order of `FIELDS` and of their values.
_SPELLING: Final[Mapping[str, str]] = {
    "king_ace": "LA",
    "on_king": "QNA",
    "draw": "AW",
    "jokers": "012",
    "waste": "DE",
}


class RuleError(ValueError):
    """A rule set that does not exist; the message says which field or character is wrong."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One way to play Golf; Easy unless told otherwise.

    :param king_ace: ``linked``: King and Ace are adjacent both ways. ``apart``: a run stops at
        both ends.
    :param on_king: ``queen``: the usual adjacency also holds on a King. ``nothing``: no card may
        be put on a King. ``ace``: only what is an Ace *and* adjacent, so with ``apart`` nothing.
        Under the last two a King refuses a joker as well.
    :param draw: ``when_stuck``: a draw is refused while any free card fits.
    :param jokers: how many wild cards are shuffled in (0 to 2). A joker fits on any card and any
        card fits on a joker.
    :param waste: ``empty``: the waste starts empty and the stock has one card more.
    :raises RuleError: if a field has none of its values.

    >>> RuleSet(king_ace="apart") == CLASSIC
    True
    """

    king_ace: KingAce = "linked"
    on_king: OnKing = "queen"
    draw: Draw = "any_time"
    jokers: Jokers = 0
    waste: Waste = "dealt"
    masks: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """For each rank on the waste (0 to 12, 13 a joker, 14 no card) the ranks that fit on it:
    bit r is set when rank r fits. For code that counts many positions, such as a solver."""

    def __post_init__(self) -> None:
        for name, values in FIELDS.items():
            value = getattr(self, name)
            # The type is compared too, since True == 1 and 1.0 == 1.
            if not any(type(value) is type(known) and value == known for known in values):
                wanted = ", ".join(map(str, values))
                raise RuleError(f"{name} is one of {wanted}, not {ascii(value)[:40]}")
        object.__setattr__(self, "masks", _masks(self.king_ace, self.on_king))

    @property
    def text(self) -> str:
        """The letter of a named rule set, else ``X`` and five characters.

        The five are king_ace ``L``/``A``, on_king ``Q``/``N``/``A``, draw ``A``/``W`` (any time,
        when stuck), jokers ``0`` to ``2`` and waste ``D``/``E``.

        >>> STRICT.text, RuleSet(jokers=1).text
        ('S', 'XLQA1D')
        """
        for letter, rules in NAMED.items():
            if rules == self:
                return letter
        return "X" + "".join(
            _SPELLING[name][values.index(getattr(self, name))] for name, values in FIELDS.items()
        )

    @classmethod
    def parse(cls, text: str) -> "RuleSet":
        """The rule set of its text, in capitals or not; ``N`` is Easy.

        A spelled set that equals a named one is that one, and is written back by its letter.

        :raises RuleError: for any other text.

        >>> RuleSet.parse("XAQA0D").text
        'C'
        """
        if not text.isascii():
            raise RuleError("a rule set is written with the letters A to Z and digits only")
        spelled = text.upper()
        if spelled in NAMED:
            return NAMED[spelled]
        if spelled in _LEGACY:
            return _LEGACY[spelled]
        if not spelled.startswith("X"):
            # The text is not repeated: in a mistyped code it may be a part of a secret number.
            raise RuleError("unknown rule set: it is E, C, S, or X and five characters")
        if len(spelled) != 1 + len(FIELDS):
            raise RuleError("a custom rule set is X and five characters, such as XLQA1D")
        values: dict[str, str | int] = {}
        for character, (name, known) in zip(spelled[1:], FIELDS.items(), strict=True):
            index = _SPELLING[name].find(character)
            if index < 0:
                wanted = ", ".join(_SPELLING[name])
                raise RuleError(f"{name} is spelled by one of {wanted}, not {character!a}")
            values[name] = known[index]
        return cls.from_fields(values)

    @classmethod
    def from_fields(cls, fields: Mapping[str, object]) -> "RuleSet":
        """The rule set of a mapping such as `fields` gives; missing fields are Easy's.

        :raises RuleError: for an unknown field or value.

        >>> RuleSet.from_fields({"king_ace": "apart"}).text
        'C'
        """
        for name in fields:
            if name not in FIELDS:
                raise RuleError(
                    f"unknown rule {ascii(name)[:40]}: the rules are {', '.join(FIELDS)}"
                )
        values: dict[str, Any] = dict(fields)
        return cls(**values)

    def fields(self) -> dict[str, str | int]:
        """The five fields by name, ready for JSON.

        >>> EASY.fields()["on_king"]
        'queen'
        """
        return {name: getattr(self, name) for name in FIELDS}

    def fits(self, card: int, waste: int | None) -> bool:
        """Whether a card may be put on the waste card; None is an empty waste.

        >>> from games.engine.cards import parse_card
        >>> ace, king = parse_card("AH"), parse_card("KC")
        >>> EASY.fits(ace, king), CLASSIC.fits(ace, king)
        (True, False)
        """
        return bool(self.masks[EMPTY_RANK if waste is None else waste >> 2] >> (card >> 2) & 1)

    def king_blocks(self, waste: int | None) -> bool:
        """Whether the waste card is a King on which this rule set restricts what may lie."""
        return self.on_king != "queen" and waste is not None and waste >> 2 == KING

    def ranks_on(self, waste: int | None) -> str:
        """The characters of the ranks that fit on a waste card, in order; ``*`` is a joker.

        A joker is named only where the deck may hold one.

        >>> from games.engine.cards import parse_card
        >>> EASY.ranks_on(parse_card("KC"))
        'AQ'
        """
        mask = self.masks[EMPTY_RANK if waste is None else waste >> 2]
        known = RANK_CHARACTERS if self.jokers else RANK_CHARACTERS[:JOKER_RANK]
        return "".join(character for r, character in enumerate(known) if mask >> r & 1)

    def table(self) -> dict[str, str]:
        """What fits on what, for clients that hold no rule of their own.

        The keys are the rank characters ``A23456789TJQK``, ``*`` and ``""`` for an empty waste;
        each value holds the rank characters that fit, in order of rank.

        >>> CLASSIC.table()["A"], CLASSIC.table()["*"]
        ('2*', 'A23456789TJQK*')
        """
        return {
            waste: "".join(card for r, card in enumerate(RANK_CHARACTERS) if self.masks[w] >> r & 1)
            for w, waste in enumerate((*RANK_CHARACTERS, ""))
        }

    def legal(self, free: Sequence[int], waste: int, stock_left: int) -> str:
        """The legal actions of a position: its plays in ascending order, then ``d``.

        This is the one place that decides it: `Play`, "blocked" and hints all ask here.

        :param free: the free card of each of the seven columns, `NO_CARD` for an empty one.
        :param waste: the waste card, `NO_CARD` for none.
        :param stock_left: how many cards the stock holds.
        :return: for example ``"25d"``; empty when nothing can be done.
        """
        fit = self.masks[waste >> 2]
        a, b, c, d, e, f, g = free
        # Unrolled: a loop over seven columns took twice as long, and each move asks.
        plays = _PLAYS[
            (fit >> (a >> 2) & 1)
            | (fit >> (b >> 2) & 1) << 1
            | (fit >> (c >> 2) & 1) << 2
            | (fit >> (d >> 2) & 1) << 3
            | (fit >> (e >> 2) & 1) << 4
            | (fit >> (f >> 2) & 1) << 5
            | (fit >> (g >> 2) & 1) << 6
        ]
        if stock_left and not (plays and self.draw == "when_stuck"):
            return plays + "d"
        return plays


@cache
def _masks(king_ace: str, on_king: str) -> tuple[int, ...]:
    """The masks of a rule set, by the rank on the waste."""
    every = (1 << JOKER_RANK + 1) - 1
    masks = []
    for waste in range(ACE, KING + 1):
        mask = 1 << JOKER_RANK
        if waste > ACE:
            mask |= 1 << waste - 1
        if waste < KING:
            mask |= 1 << waste + 1
        masks.append(mask)
    if king_ace == "linked":
        masks[ACE] |= 1 << KING
        masks[KING] |= 1 << ACE
    if on_king == "nothing":
        masks[KING] = 0
    elif on_king == "ace":
        masks[KING] &= 1 << ACE
    return (*masks, every, every)


_PLAYS: Final = tuple(
    "".join(str(column + 1) for column in range(7) if columns >> column & 1)
    for columns in range(1 << 7)
)

EASY: Final = RuleSet()
"""Easy, the default: King and Ace are linked, draw at any time."""

CLASSIC: Final = RuleSet(king_ace="apart")
"""Classic: on a King only a Queen, on an Ace only a 2."""

STRICT: Final = RuleSet(king_ace="apart", on_king="nothing", draw="when_stuck")
"""Strict, the traditional game: nothing on a King, draw only when no free card fits."""

NAMED: Final[Mapping[str, RuleSet]] = {"E": EASY, "C": CLASSIC, "S": STRICT}
"""The named rule sets by the letter that a game code carries."""

_LEGACY: Final[Mapping[str, RuleSet]] = {"N": EASY}
