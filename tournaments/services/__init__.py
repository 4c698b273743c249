"""Everything that is written about clubs and tournaments.

Each write is safe to repeat and safe against itself: two browsers, two server processes and two
directors may do the same thing at once. Constraints refuse what may exist once only. What is read
before it is written stands until the commit: PostgreSQL locks the rows that are named, SQLite lets
one transaction write at a time (`transaction_mode` IMMEDIATE).

Locks are taken in one order (holes, entry, result, tournament), so nobody waits in a circle.
"""

from tournaments.selectors.clubs import HOUSE_CLUB
from tournaments.services.closing import close_due, close_tournament, close_while_reading
from tournaments.services.clubs import (
    found_club,
    mark_tablet,
    new_device,
    renew_invitation,
    unmark_tablet,
    update_club,
)
from tournaments.services.daily import todays_nine
from tournaments.services.errors import TournamentError
from tournaments.services.members import (
    ban_member,
    join_club,
    leave_club,
    remove_member,
    rename_member,
    restore_member,
    set_role,
)
from tournaments.services.members_list import Imported, allow_name, disallow_name, import_names
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
    "Imported",
    "Recomputed",
    "TournamentError",
    "allow_name",
    "ban_member",
    "check_closing",
    "close_due",
    "close_tournament",
    "close_while_reading",
    "create_tournament",
    "delete_tournament",
    "disallow_name",
    "enter",
    "found_club",
    "has_started",
    "import_names",
    "join_club",
    "leave_club",
    "mark_tablet",
    "new_device",
    "publish",
    "recompute",
    "record_finished",
    "record_result",
    "refresh_entry",
    "remove_entry",
    "remove_member",
    "rename_member",
    "renew_invitation",
    "restore_member",
    "set_role",
    "set_status",
    "start_hole",
    "todays_nine",
    "unmark_tablet",
    "update_club",
    "update_tournament",
]
