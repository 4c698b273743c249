"""Everything that is read about clubs and tournaments.

Figures of final holes are open to all. Cards and codes are open to nobody before the tournament
is closed, so nothing here hands them out before.
"""

from tournaments.selectors import clubs, playing, seasons, trace
from tournaments.selectors.boards import (
    PAGE,
    BoardHole,
    BoardRow,
    Leaderboard,
    leaderboard,
)
from tournaments.selectors.cards import (
    Card,
    CardHole,
    entry_to_show,
    finished_game_of,
    par_of,
    scorecard_of,
)
from tournaments.selectors.tournaments import (
    HolePar,
    board_version,
    clubs_tournaments,
    count_entries,
    count_entries_of,
    earlier_nines,
    entry_of,
    holes_of,
    nine_of,
    open_tournaments,
    past_tournaments,
    room_of,
    tournament_of,
    tournaments,
    upcoming_tournaments,
)

__all__ = [
    "PAGE",
    "BoardHole",
    "BoardRow",
    "Card",
    "CardHole",
    "HolePar",
    "Leaderboard",
    "board_version",
    "clubs",
    "clubs_tournaments",
    "count_entries",
    "count_entries_of",
    "earlier_nines",
    "entry_of",
    "entry_to_show",
    "finished_game_of",
    "holes_of",
    "leaderboard",
    "nine_of",
    "open_tournaments",
    "par_of",
    "past_tournaments",
    "playing",
    "room_of",
    "scorecard_of",
    "seasons",
    "tournament_of",
    "tournaments",
    "trace",
    "upcoming_tournaments",
]
