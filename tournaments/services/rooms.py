"""Rooms and their races: taking a seat, being ready, starting, going from hole to hole, ending.

A race is a tournament whose holes are started by its room, each for everybody at one instant.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from games.engine import EASY, GameCode, RuleSet
from games.models import Player
from tournaments.models import Room, Seat, Tournament

#: Living rooms that one player may host, and seats of a room.
MOST_ROOMS: Final = 3
MOST_SEATS: Final = 100
#: From the start to the first cards, and from one hole to the next.
COUNTDOWN: Final = timedelta(seconds=5)
BETWEEN: Final = timedelta(seconds=10)
#: How long a room lives that nobody is in.
IDLE: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomSettings:
    """What the host decides; the fields are those of `Room`.

    `codes` are pasted deals, one for each hole of the next race, which is friendly then.
    """

    is_public: bool = False
    rules: RuleSet = EASY
    ranking: str = Room.Ranking.STROKES
    strokes_kind: str = Tournament.StrokesKind.TRADITIONAL
    holes: int = 1
    hole_minutes: int = 10
    grace_seconds: int = 60
    undo_allowed: bool = False
    hints_allowed: bool = False
    codes: tuple[GameCode, ...] = ()


def settings_of(*, room: Room) -> RoomSettings:
    """Return what a room is set to."""
    raise NotImplementedError


def open_room(*, host: Player, settings: RoomSettings) -> Room:
    """Open a room, in which the host has the first seat. Anybody may, guests included.

    Raises `TournamentError` ``too_many_rooms``, and `ValidationError` by field: those of `Room`
    itself, and for `codes` ``codes_count``, ``rules_differ``, ``deal_twice`` and ``deal_used`` as
    `create_tournament` does.
    """
    raise NotImplementedError


def change_room(*, room: Room, by: Player, settings: RoomSettings) -> Room:
    """Set a room anew while people gather; nobody is ready after it. Idempotent.

    Raises `TournamentError` ``room_closed``, ``not_host``, ``race_running``, and `ValidationError`
    as `open_room` does.
    """
    raise NotImplementedError


def take_seat(*, room: Room, player: Player) -> Seat:
    """Sit down, or come back to one's seat. Idempotent.

    While a race is under way one waits for its next hole.

    Raises `TournamentError` ``room_closed``, ``removed_seat``, ``room_full``.
    """
    raise NotImplementedError


def leave_seat(*, room: Room, player: Player) -> None:
    """Get up for good: a hole in progress is over, and no further one begins. Idempotent.

    Where the host leaves, who has been there longest is the host.
    """
    raise NotImplementedError


def remove_seat(*, room: Room, seat_id: int, by: Player) -> None:
    """Take somebody's seat away before the start; who had it cannot come back. Idempotent.

    Raises `TournamentError` ``room_closed``, ``not_host``, ``race_running``, ``no_seat``, and
    ``own_seat``.
    """
    raise NotImplementedError


def set_ready(*, room: Room, player: Player, is_ready: bool) -> None:
    """Be ready for the next race, or not. Idempotent.

    Once all who are connected are ready, two at least, the race starts.

    Raises `TournamentError` ``room_closed``, ``no_seat``, ``race_running``.
    """
    raise NotImplementedError


def start_race(*, room: Room, by: Player) -> Tournament:
    """Start the race at the host's word, whoever is ready; one that has started is returned.

    All seats take part. A host who is alone may try the cards.

    Raises `TournamentError` ``room_closed``, ``not_host``; `ValidationError` for pasted codes.
    """
    raise NotImplementedError


def advance_room(*, room_id: int, now: datetime | None = None) -> None:
    """Do what is due in a room's race. Idempotent; for after each game's end, and for each second.

    The first finisher of a hole sets the time of the others; when a hole is over for all the next
    one is set, and after the last one the race is closed, revealed and final.
    """
    raise NotImplementedError


def mark_seen(*, room_id: int, player_id: int) -> bool:
    """Note that a socket of the player's is there; return whether he has a seat."""
    raise NotImplementedError


def mark_gone(*, room_id: int, player_id: int) -> None:
    """Note that the player's last socket is gone. Idempotent."""
    raise NotImplementedError
