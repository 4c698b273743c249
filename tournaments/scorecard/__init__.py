"""Holes to totals, totals to places: the arithmetic of scorecards and leaderboards.

Pure: no database, no clock, no language. A hole's figures are those of a finished play; what is
compared is given by the caller, so the boards of a tournament, a division, a round and each format
are ranked by the same few lines. Places are never decided by the order of rows, and by time only
where a tournament has chosen that.

`totals` adds up holes, `ranking` gives places and explains ties, `formats` has Stableford and match
play, `handicap` what a club handicap is and what it takes off.
"""

from tournaments.scorecard.formats import (
    Match,
    MatchHole,
    MatchState,
    play_match,
    stableford_points,
)
from tournaments.scorecard.handicap import (
    FEWEST_ROUNDS,
    MOST_ROUNDS,
    club_handicap,
    handicap_strokes,
    rounds_that_count,
)
from tournaments.scorecard.ranking import (
    BY_CARDS,
    BY_TIME,
    RACE_MARGIN_MS,
    WORST_APP_SCORE,
    WORST_STROKES,
    Hole,
    Line,
    RankBy,
    Ranking,
    Reason,
    Standing,
    Terms,
    TieBreak,
    Unplayed,
    countback_steps,
    rank,
)
from tournaments.scorecard.totals import (
    MINUS,
    NO_PLACE,
    HoleScore,
    Totals,
    to_par_text,
    totals,
)

__all__ = [
    "BY_CARDS", "BY_TIME", "FEWEST_ROUNDS", "MINUS", "MOST_ROUNDS", "NO_PLACE", "RACE_MARGIN_MS",
    "WORST_APP_SCORE", "WORST_STROKES", "Hole", "HoleScore", "Line", "Match", "MatchHole",
    "MatchState", "RankBy", "Ranking", "Reason", "Standing", "Terms", "TieBreak", "Totals",
    "Unplayed", "club_handicap", "countback_steps", "handicap_strokes", "play_match", "rank",
    "rounds_that_count", "stableford_points", "to_par_text", "totals",
]  # fmt: skip
