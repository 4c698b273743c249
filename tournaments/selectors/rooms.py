"""Rooms: who is there, how their race stands, and whose boards a reader may see."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from games.models import Game, Player
from tournaments.models import Rating, Room, Seat, Tournament
from tournaments.protocol import RoomState, You


def hub_room(*, code: str) -> str:
    """Return the name under which `games.live` knows a room."""
    return f"room:{code}"


def room_of_code(*, code: str) -> Room:
    """Return the room of a code as people type it: any case, with spaces.

    Raises `Room.DoesNotExist`.
    """
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class LobbyRoom:
    """A public room as the lobby lists it: `seats` are taken, `connected` of them are there.

    `is_racing` says whether a race is under way.
    """

    room: Room
    host_name: str
    seats: int
    connected: int
    is_racing: bool


def public_rooms() -> list[LobbyRoom]:
    """Return the public rooms that somebody is in, those that gather first, the fullest first."""
    raise NotImplementedError


def rooms_of(*, player: Player) -> list[Room]:
    """Return the living rooms that the player hosts or sits in, the last used first."""
    raise NotImplementedError


def seat_of(*, room: Room, player: Player) -> Seat | None:
    """Return the player's seat, also one that was left or taken away; None when there is none."""
    raise NotImplementedError


def running_race(*, room: Room) -> Tournament | None:
    """Return the race that is under way, None while people gather."""
    raise NotImplementedError


def races_of(*, room: Room) -> QuerySet[Tournament]:
    """Return the races of a room that are over, the latest first."""
    raise NotImplementedError


def race_state(*, room: Room) -> RoomState:
    """Return the whole state of a room as it is now, the message `room`."""
    raise NotImplementedError


def you_of(*, room: Room, player: Player | None) -> You:
    """Return what of a room is the player's own, the message `you`; None is a visitor."""
    raise NotImplementedError


def may_watch(*, game: Game, player: Player | None) -> bool:
    """Return whether the player, or with None a visitor, may see the board of a race's game now.

    Who can still play that hole, or yet may get a game of it, never does: a seat whose own game of
    the hole is final may, or that has no game of it while it is played; anybody once the hole is
    over for all.
    """
    raise NotImplementedError


# --- ratings -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShownRating:
    """A rating as it is shown: a whole number, and whether few races have made it."""

    number: int
    is_provisional: bool
    races: int


def shown_rating(rating: Rating) -> ShownRating:
    """Return a rating as it is shown."""
    raise NotImplementedError


def rating_of(*, player: Player) -> ShownRating | None:
    """Return a player's rating, None before the first rated race and for guests."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ShownChange:
    """What a race made of a rating, as it is shown."""

    before: int
    after: int
    is_provisional: bool


def rating_changes(*, tournament: Tournament) -> Mapping[int, ShownChange]:
    """Return what a race made of the ratings, by the player's id; empty for one without ratings."""
    raise NotImplementedError
