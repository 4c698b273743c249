"""What each log line of a request or a socket says of it: its id, the player, the game.

Ids only. Deals, codes, salts, passwords and session keys are never noted.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final

_FIELDS: Final[ContextVar[dict[str, object] | None]] = ContextVar("log_fields", default=None)


def begin(**fields: object) -> None:
    """Begin the notes of a new request or socket; whatever is started from here on shares them."""
    _FIELDS.set(fields)


def note(**fields: object) -> None:
    """Add to the notes of this request or socket; without one there is nobody to note it for."""
    noted = _FIELDS.get()
    if noted is not None:
        noted.update(fields)


def noted() -> Mapping[str, object]:
    """Return the notes of the request or socket at hand; empty outside of one."""
    return _FIELDS.get() or {}
