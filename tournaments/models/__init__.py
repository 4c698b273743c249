"""What is stored of clubs and competitions.

`clubs` who belongs where, `seasons` what is repeated and added up, `tournaments` the format and
the holes, `entries` who plays and what it came to, `rooms` where people race and what that makes of
their ratings, `trace` what was decided by whom.
"""

from tournaments.models.clubs import (
    AllowedName,
    Club,
    ClubEvent,
    Device,
    JoinAttempt,
    Membership,
)
from tournaments.models.entries import (
    Entry,
    HoleResult,
    PlayedHole,
    holes_of_text,
    holes_text,
)
from tournaments.models.rooms import (
    MOST_GRACE_SECONDS,
    MOST_HOLE_MINUTES,
    MOST_RACE_HOLES,
    ROOM_CHARACTERS,
    ROOM_CODE_LENGTH,
    Rating,
    RatingChange,
    Room,
    Seat,
)
from tournaments.models.seasons import Recurrence, Season
from tournaments.models.tournaments import (
    ROUND,
    SHORTEST_WINDOW,
    Division,
    Hole,
    Round,
    Tournament,
)
from tournaments.models.trace import (
    BundleChange,
    Correction,
    DealOpening,
    Flag,
    StatusChange,
)

__all__ = [
    "MOST_GRACE_SECONDS", "MOST_HOLE_MINUTES", "MOST_RACE_HOLES", "ROOM_CHARACTERS",
    "ROOM_CODE_LENGTH", "ROUND", "SHORTEST_WINDOW", "AllowedName", "BundleChange", "Club",
    "ClubEvent", "Correction", "DealOpening", "Device", "Division", "Entry", "Flag", "Hole",
    "HoleResult", "JoinAttempt", "Membership", "PlayedHole", "Rating", "RatingChange",
    "Recurrence", "Room", "Round", "Season", "Seat", "StatusChange", "Tournament",
    "holes_of_text", "holes_text",
]  # fmt: skip
