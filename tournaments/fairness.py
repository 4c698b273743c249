"""The promise that a tournament makes before it opens: its deals, sealed and not shown.

Before the opening the page shows a commitment, the SHA-256 of a text that nobody can guess; after
the end the text is shown. Whoever kept the commitment then knows that the deals were chosen before
anybody played, and that they were the ones that were played.

The text is ASCII, each line ended by one line feed (byte 10), the last one too::

    golf commitment 1
    salt 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    rules E
    hole 1 GO2-E-0123456789ABCDEFGHJKMNPQRS
    hole 2 GO2-E-7ZZZZZZZZZZZZZZZZZZZZZZZZZ

The salt is 32 random bytes as 64 hexadecimal digits in lower case; a rule set and a code are
spelled as a game code spells them; the holes count from 1 in the order of play. Without the salt
nothing can be tried: no two tournaments have one text, and a commitment says nothing of the codes.
"""

import re
import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

SALT_BYTES: Final = 32

_SALT: Final = re.compile(r"[0-9a-f]{64}")
#: A rule set or a code: nothing in it can be taken for the end of a field or of a line.
_WORD: Final = re.compile(r"[0-9A-Z-]+")


def new_salt() -> str:
    """Return 32 random bytes as 64 hexadecimal digits."""
    return secrets.token_hex(SALT_BYTES)


def committed_text(*, salt: str, rules: str, codes: Sequence[str]) -> str:
    """Return the text that is committed to, as the head of this module describes it.

    It is as secret as the deals until the tournament is over.

    :param rules: the rule set as a code spells it, such as ``E``.
    :param codes: the code of each hole in the order of play.
    :raises ValueError: for a salt that is not 64 hexadecimal digits in lower case, without codes,
        and for a rule set or a code with anything but capitals, digits and hyphens. The message
        repeats none of them.
    """
    if not _SALT.fullmatch(salt):
        raise ValueError("a salt is 64 hexadecimal digits in lower case")
    if not codes:
        raise ValueError("there is nothing to commit to without codes")
    if not all(_WORD.fullmatch(word) for word in (rules, *codes)):
        raise ValueError("a rule set or a code has capitals, digits and hyphens only")
    holes = (f"hole {number} {code}" for number, code in enumerate(codes, 1))
    return "".join(
        f"{line}\n" for line in ("golf commitment 1", f"salt {salt}", f"rules {rules}", *holes)
    )


def commitment(*, salt: str, rules: str, codes: Sequence[str]) -> str:
    """Return the SHA-256 of `committed_text`, 64 hexadecimal digits in lower case.

    :raises ValueError: as `committed_text` does.

    >>> commitment(salt="0" * 64, rules="E", codes=["GO2-E-00000000000000000000000001"])[:16]
    'f87d6196fba7dd82'
    """
    text = committed_text(salt=salt, rules=rules, codes=codes)
    return sha256(text.encode("ascii")).hexdigest()
