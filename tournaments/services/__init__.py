"""Everything that is written about clubs and tournaments.

Each write is safe to repeat and safe against itself: two browsers, two server processes and two
directors may do the same thing at once. Constraints refuse what may exist once only. What is read
before it is written stands until the commit: PostgreSQL locks the rows that are named, SQLite lets
one transaction write at a time (`transaction_mode` IMMEDIATE).

Locks are taken in one order (holes, entry, result, tournament), so nobody waits in a circle.
"""

from tournaments.services.closing import close_due, close_tournament, close_while_reading
from tournaments.services.daily import HOUSE_CLUB, todays_nine
from tournaments.services.errors import TournamentError
from tournaments.services.playing import enter, remove_entry, start_hole
from tournaments.services.results import (
    Recomputed,
    recompute,
    record_finished,
    record_result,
    refresh_entry,
)
from tournaments.services.setup import (
    HOLES,
    check_closing,
    create_tournament,
    delete_tournament,
    has_started,
    publish,
    set_status,
    update_tournament,
)

__all__ = [
    "HOLES",
    "HOUSE_CLUB",
    "Recomputed",
    "TournamentError",
    "check_closing",
    "close_due",
    "close_tournament",
    "close_while_reading",
    "create_tournament",
    "delete_tournament",
    "enter",
    "has_started",
    "publish",
    "recompute",
    "record_finished",
    "record_result",
    "refresh_entry",
    "remove_entry",
    "set_status",
    "start_hole",
    "todays_nine",
    "update_tournament",
]
