"""Codes of rooms that nobody has told: how many wrong ones an address may try.

Whoever knows a code may come in, so a code must not be found by trying. It has 25 random bits, and
an address has a few wrong ones a minute.
"""

from typing import Final

from games.addresses import is_loopback
from games.throttle import TokenBuckets

#: Wrong codes of an address at once, and a second for ever; of each server process.
BURST: Final = 20
RATE: Final = 0.2
#: Addresses that are remembered.
_MOST: Final = 10_000

_wrong: Final = TokenBuckets(rate=RATE, burst=BURST, most=_MOST)


def is_spent(*, address: str) -> bool:
    """Return whether an address has tried too many wrong codes to try another one now.

    This computer itself may do as it likes: tests and bots run there.
    """
    return not is_loopback(address) and _wrong.is_spent(address)


def note(*, address: str) -> None:
    """Note that an address has tried a code of no room."""
    if not is_loopback(address):
        _wrong.take(address)


def forget() -> None:
    """Forget all that was noted."""
    _wrong.clear()
