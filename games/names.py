"""Names of people: which ones a list can show safely, and which ones look alike.

Pure: no Django, no stored data. The table of look-alikes is Unicode's (Technical Standard 39); it
is read from its package when the first names are compared: once, in some 50 ms and with 8 MB, of
which 2 MB stay.
"""

import json
import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

_CONFUSABLES: Final = files("confusable_homoglyphs") / "confusables.json"
#: Unicode categories that a name has no use for: controls, private use, surrogates, separators.
_UNWANTED_CATEGORIES: Final = frozenset({"Cc", "Co", "Cs", "Cn", "Zl", "Zp"})
#: Marks that turn the direction of the text after them and so could disguise a name.
_DIRECTION_MARKS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
#: Letters and marks without any shape, which would make two names look alike.
_INVISIBLE: Final = frozenset("\u200b\u2060\ufeff\u115f\u1160\u3164\uffa0\u2800\u00ad")
#: What Unicode calls default-ignorable, and two characters that only fill a line: the braille
#: blank and the stroke that lengthens a word in Arabic.
_SHAPELESS: Final = re.compile(
    "[\u00ad\u034f\u061c\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
#: Categories of letters that come in two sizes. Alphabets that have them have letters of one
#: another's shapes.
_CASED: Final = frozenset({"Lu", "Ll", "Lt"})
_DOT_ABOVE: Final = re.compile("(?<=[ij])\u0307")
_DIGIT: Final = re.compile(r"\d")
_MARKS_AND_LETTERS: Final = frozenset("LMN")


class BadName(ValueError):
    """A name that cannot be shown safely, with a stable `code`.

    ``characters``: it has characters that nobody sees or that turn the direction of text.
    ``empty``: it has neither a letter nor a digit nor a sign. ``mixed_scripts``: a word in it has
    letters of two alphabets that share shapes, such as Latin and Cyrillic.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def check(name: str) -> None:
    """Raise `BadName` for a name that could break or disguise a line of a list.

    >>> check("Борис Иванов")
    >>> check("Bоris")  # with a Cyrillic о
    Traceback (most recent call last):
    games.names.BadName: mixed_scripts
    """
    if any(
        character in _DIRECTION_MARKS | _INVISIBLE
        or unicodedata.category(character) in _UNWANTED_CATEGORIES
        for character in name
    ):
        raise BadName("characters")
    # Joiners and other characters without a shape are fine inside a name, not as all of it.
    if not any(unicodedata.category(character)[0] in "LNPS" for character in name):
        raise BadName("empty")
    if any(len(_alphabets(word)) > 1 for word in _words(unicodedata.normalize("NFKC", name))):
        raise BadName("mixed_scripts")


def _words(text: str) -> list[str]:
    """Return the runs of letters, marks and digits."""
    return "".join(
        character if unicodedata.category(character)[0] in _MARKS_AND_LETTERS else " "
        for character in text
    ).split()


def _alphabets(word: str) -> set[str]:
    """Return the alphabets with upper and lower case of which `word` has letters."""
    return {
        unicodedata.name(character).partition(" ")[0]
        for character in word
        if unicodedata.category(character) in _CASED
    }


def skeleton(text: str) -> str:
    """Return a key that is the same for names that cannot be told apart.

    Case, width, digits of other scripts, characters without a shape and runs of spaces make no
    difference; letters and marks of one shape count as one. The key is for comparing only: it
    looks odd, and stored ones are to be made anew when this function or its table changes.

    >>> skeleton("Aino") == skeleton("АINO")  # the second begins with a Cyrillic letter
    True
    >>> skeleton("Zoë") == skeleton("Zoe")
    False
    """
    shapes = _without_case(text).translate(_tables().folded)
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFD", shapes))
    return " ".join(composed.split())


def readings(text: str) -> set[str]:
    """Return the skeletons of everything that `text` can be read as, the way it is written.

    Some letters share a shape in one case only: a capital I is a small L, a capital Greek Ν an N.
    To merge them in the skeleton would make one name of Eila and Ella. So whoever takes a new
    name looks whether the skeleton of any reading is taken.

    >>> skeleton("paypal") in readings("paypaI")
    True
    """
    plain = unicodedata.normalize("NFKC", text)
    tables = _tables()
    as_written = (plain, plain.translate(tables.written), plain.translate(tables.with_capital_i))
    return {skeleton(reading) for reading in as_written}


def _without_case(text: str) -> str:
    """Return `text` decomposed, without case, width, and characters that have no shape."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    counted = _DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), folded)
    visible = _SHAPELESS.sub("", unicodedata.normalize("NFD", counted))
    return _DOT_ABOVE.sub("", visible)


class _Tables(NamedTuple):
    """Which text stands for the shape of a character, by its code."""

    #: For text without case.
    folded: dict[int, str]
    #: For text as it is written, where a capital I is drawn as a small L …
    written: dict[int, str]
    #: … or is meant to be a capital I.
    with_capital_i: dict[int, str]


@cache
def _tables() -> _Tables:
    written = _prototypes()
    capital_i = {
        code: "I" for code, shape in written.items() if shape == "l" and chr(code).isupper()
    }
    return _Tables(_fold(written), written, written | capital_i)


def _prototypes() -> dict[int, str]:
    """Read Unicode's table: for each character what stands for all that look like it."""
    # The package keeps every pair in both directions, and characters of scripts that are written
    # from the right between two marks.
    pairs = {
        shape.strip("\u200e"): [other["c"].strip("\u200e") for other in others]
        for shape, others in json.loads(_CONFUSABLES.read_bytes()).items()
    }
    prototypes = {}
    for shape, others in pairs.items():
        # All that look alike are paired with the one that stands for them, and it with all.
        prototype = shape if len(others) > 1 else others[0]
        if len(pairs[prototype]) == len(others) == 1:  # two of a kind: either may stand for both
            prototype = max(shape, prototype, key=lambda text: (len(text), text.isascii(), text))
        if prototype != shape and len(shape) == 1:
            prototypes[ord(shape)] = prototype
    return prototypes


def _fold(written: dict[int, str]) -> dict[int, str]:
    """Return the table for text without case.

    A small letter that looks like none of ASCII's, but whose capital does, counts as that one: a
    Cyrillic в as b, because of В. So names that were written in capitals are compared too.
    """
    by_capital = {}
    for code, shape in written.items():
        small = chr(code).lower()
        prototype = written.get(ord(small), small) if len(small) == 1 else ""
        is_letter = len(shape) == 1 and shape.isascii() and shape.isalpha()
        if chr(code).isupper() and is_letter and not prototype.isascii():
            by_capital[prototype] = "i" if shape == "l" else shape.casefold()
    table = {code: by_capital.get(shape, shape) for code, shape in written.items()}
    table |= {ord(shape): letter for shape, letter in by_capital.items() if len(shape) == 1}
    table = {code: shape for code, shape in table.items() if chr(code).casefold() == chr(code)}
    # What stands for a shape may have one of its own without case: М is м's, and rn is m's.
    for _ in range(2):
        table = {code: _without_case(shape).translate(table) for code, shape in table.items()}
    return table
