"""The messages of rooms and of watching, as `docs/protocol.md` has them. Pure.

They go beside those of `games.protocol`, in the same form. All times are ms since 1970 by the
server's clock, all ids are numbers; cards are in no message but `Watching`.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec

from games.protocol import VERSION, AskState, Parser, Ping, Position

Emote = Literal[
    "good_luck", "well_played", "wow", "thanks", "oops", "hurry", "smile", "sad",
]  # fmt: skip
Phase = Literal["gathering", "countdown", "playing", "between", "closed"]

#: Seconds between two emotes of a seat.
EMOTE_INTERVAL: Final = 2.0


# --- from the client -------------------------------------------------------------------------


class Ready(msgspec.Struct, frozen=True, tag_field="type", tag="ready"):
    """The player is ready for the next race, or is not."""

    ready: bool


class Start(msgspec.Struct, frozen=True, tag_field="type", tag="start"):
    """The host starts the race."""


class SendEmote(msgspec.Struct, frozen=True, tag_field="type", tag="emote"):
    """Shows one of a fixed set of signs to the room."""

    emote: Emote


RoomMessage = Ready | Start | SendEmote | AskState | Ping

parse_room: Final[Parser[RoomMessage]] = Parser(Ready, Start, SendEmote, AskState, Ping)
parse_watch: Final[Parser[AskState | Ping]] = Parser(AskState, Ping)


# --- from the server -------------------------------------------------------------------------


class Settings(msgspec.Struct, frozen=True):
    """What the next race will be; `rules` is the spelling of the rule set."""

    public: bool
    rules: str
    ranking: str
    strokes_kind: str
    holes: int
    hole_minutes: int
    grace_seconds: int
    undo: bool
    hints: bool
    friendly: bool


class Race(msgspec.Struct, frozen=True):
    """The race that is under way.

    `number` counts the room's races from 1; `hole` is the hole that is played, counted down to or
    waited for. `starts_at` is its instant, None while nobody is there to start it for; `closes_at`
    when the last game of it is closed, at the latest; `limited` whether the first has finished, so
    that this is the grace for the others.
    """

    slug: str
    number: int
    hole: int
    holes: int
    starts_at: int | None
    closes_at: int | None
    limited: bool


class Last(msgspec.Struct, frozen=True):
    """The race before, which is over."""

    slug: str


#: How a game stands: cards left, stock left, streak, strokes, strokes below par, app score, final
#: (0 or 1), ms since the start.
Row = Sequence[int]


class SeatState(msgspec.Struct, frozen=True):
    """One seat, taken by who may be away just now.

    `since` is when the player came. `rating` is None without one. Of the race that is under way, or
    of the last one while people gather: `playing` is whether the seat has a game of the hole,
    `thru` how many holes are over for it, then the totals of those, and of those that it has missed
    as the worst; `place` counts the hole in progress as if it were closed where it lies, and is
    None without a hole; `time` is the ms from the start to the last action of each hole that is
    over, added up. `row` is the hole in progress.
    """

    id: int
    name: str
    guest: bool
    ready: bool
    connected: bool
    since: int
    rating: int | None
    provisional: bool
    playing: bool
    thru: int
    strokes: int
    to_par: int
    app_score: int
    time: int
    place: int | None
    row: Row | None


class RoomState(msgspec.Struct, frozen=True, tag_field="type", tag="room"):
    """The whole state of a room, the same for everybody. `host` is a seat, None if it is free."""

    room: str
    version: int
    now: int
    phase: Phase
    host: int | None
    settings: Settings
    race: Race | None
    last: Last | None
    seats: Sequence[SeatState]
    protocol: int = VERSION


class You(msgspec.Struct, frozen=True, tag_field="type", tag="you"):
    """What of a room is the reader's own; said after each `room` whenever it has changed.

    `seat` is None for who watches only. `game` is the reader's game of the hole, by its public id,
    while a race is under way; `can_watch` whether the boards of the others may be seen now; `watch`
    then has the games by seat id that are open to it.
    """

    seat: int | None
    host: bool
    game: str | None
    can_watch: bool
    watch: Mapping[str, str]


class RaceProgress(msgspec.Struct, frozen=True, tag_field="type", tag="progress"):
    """How the hole goes: by seat id, rows of the games that have gone on, and everybody's places.

    `rows` has by the seat's id what `Row` says. `places` has all seats of the race.
    """

    room: str
    rows: Mapping[str, Row]
    places: Mapping[str, int]


class ShownEmote(msgspec.Struct, frozen=True, tag_field="type", tag="emote"):
    """A seat shows a sign."""

    seat: int
    emote: Emote


class Watching(msgspec.Struct, frozen=True, tag_field="type", tag="watching"):
    """The board of somebody else's game, whole, at most five times a second."""

    game: str
    seat: int | None
    name: str
    rules: Mapping[str, object]
    fits: Mapping[str, str]
    closes_at: int | None
    now: int
    position: Position
    protocol: int = VERSION
