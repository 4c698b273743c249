"""Everything that is written about clubs and tournaments.

Each write is safe to repeat and safe against itself: two browsers, two server processes and two
directors may do the same thing at once. Constraints refuse what may exist once only. What is read
before it is written stands until the commit: PostgreSQL locks the rows that are named, SQLite lets
one transaction write at a time (`transaction_mode` IMMEDIATE).

Locks are taken in one order (room, holes, entry, result, tournament), so nobody waits in a circle.
"""

from tournaments.selectors.clubs import HOUSE_CLUB
from tournaments.services import rooms
from tournaments.services.boards import reveal_standings
from tournaments.services.closing import (
    close_due,
    close_games_due,
    close_tournament,
    close_while_reading,
    flag_damaged,
    make_cuts,
    record_finished,
)
from tournaments.services.clubs import (
    CHANGEABLE,
    found_club,
    mark_tablet,
    new_device,
    renew_invitation,
    unmark_tablet,
    update_club,
)
from tournaments.services.corrections import (
    DECIDED_STATUSES,
    add_player,
    adjust_hole,
    change_division,
    check_correctable,
    clean_reason,
    disqualify,
    extend_window,
    hide_entry,
    lowest_strokes,
    reinstate,
    restore_hole,
    unvoid_hole,
    void_hole,
    withdraw_entry,
)
from tournaments.services.daily import todays_nine
from tournaments.services.deadlines import (
    apply_extension,
    refresh_deadlines,
)
from tournaments.services.errors import TournamentError
from tournaments.services.flags import mark_seen, raise_flags
from tournaments.services.life import (
    Step,
    close_now,
    finalise,
    finalise_days,
    publish,
    reopen,
    start_review,
    steps,
    take_step,
    unpublish,
)
from tournaments.services.members import (
    ban_member,
    issue_password_link,
    join_club,
    leave_club,
    remove_member,
    rename_member,
    restore_member,
    set_role,
)
from tournaments.services.members_list import (
    MOST_IMPORT_BYTES,
    Imported,
    allow_name,
    disallow_name,
    import_names,
)
from tournaments.services.openings import open_deals
from tournaments.services.plan import (
    HOLES,
    MOST_HOLES,
    Plan,
    RoundPlan,
    plan_of,
    usual_plan,
    whole_window,
)
from tournaments.services.playing import (
    board_name,
    enter,
    name_key,
    remove_entry,
    start_hole,
    withdraw,
)
from tournaments.services.recurring import (
    copy_day,
    copy_plan,
    end_recurring,
    hold_recurring,
    next_days,
    pause_recurring,
    resume_recurring,
    start_recurring,
)
from tournaments.services.results import (
    Recomputed,
    recompute,
    record_result,
    refresh_entry,
)
from tournaments.services.seasons import (
    SeasonPlan,
    create_season,
    delete_season,
    update_season,
)
from tournaments.services.setup import (
    check_closing,
    create_tournament,
    delete_tournament,
    free_slug,
    has_started,
    set_status,
    update_tournament,
)

__all__ = [
    "CHANGEABLE",
    "DECIDED_STATUSES",
    "HOLES",
    "HOUSE_CLUB",
    "MOST_HOLES",
    "MOST_IMPORT_BYTES",
    "Imported",
    "Plan",
    "Recomputed",
    "RoundPlan",
    "SeasonPlan",
    "Step",
    "TournamentError",
    "add_player",
    "adjust_hole",
    "allow_name",
    "apply_extension",
    "ban_member",
    "board_name",
    "change_division",
    "check_closing",
    "check_correctable",
    "clean_reason",
    "close_due",
    "close_games_due",
    "close_now",
    "close_tournament",
    "close_while_reading",
    "copy_day",
    "copy_plan",
    "create_season",
    "create_tournament",
    "delete_season",
    "delete_tournament",
    "disallow_name",
    "disqualify",
    "end_recurring",
    "enter",
    "extend_window",
    "finalise",
    "finalise_days",
    "flag_damaged",
    "found_club",
    "free_slug",
    "has_started",
    "hide_entry",
    "hold_recurring",
    "import_names",
    "issue_password_link",
    "join_club",
    "leave_club",
    "lowest_strokes",
    "make_cuts",
    "mark_seen",
    "mark_tablet",
    "name_key",
    "new_device",
    "next_days",
    "open_deals",
    "pause_recurring",
    "plan_of",
    "publish",
    "raise_flags",
    "recompute",
    "record_finished",
    "record_result",
    "refresh_deadlines",
    "refresh_entry",
    "reinstate",
    "remove_entry",
    "remove_member",
    "rename_member",
    "renew_invitation",
    "reopen",
    "restore_hole",
    "restore_member",
    "resume_recurring",
    "reveal_standings",
    "rooms",
    "set_role",
    "set_status",
    "start_hole",
    "start_recurring",
    "start_review",
    "steps",
    "take_step",
    "todays_nine",
    "unmark_tablet",
    "unpublish",
    "unvoid_hole",
    "update_club",
    "update_season",
    "update_tournament",
    "usual_plan",
    "void_hole",
    "whole_window",
    "withdraw",
    "withdraw_entry",
]
