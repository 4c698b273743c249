"""The closed set of messages of `docs/protocol.md`: parse what comes, serialise what goes. Pure."""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

import msgspec

from games.engine import Play, card_text

VERSION: Final = 1
#: The most bytes of one message to the server.
MESSAGE_LIMIT: Final = 4096

# Beyond it JavaScript no longer counts one by one.
_SAFE: Final = msgspec.Meta(ge=-(2**53), le=2**53)
Turn = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Action = Literal["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "d", "u", "h", "g"]


class CloseCode:
    """Why the server closed a socket; each is explained in `docs/protocol.md`."""

    NOT_LOGGED_IN: Final = 4401
    FORBIDDEN: Final = 4403
    NOT_FOUND: Final = 4404
    DAMAGED: Final = 4406
    TOO_SLOW: Final = 4408
    TOO_MANY: Final = 4429
    RESTARTING: Final = 4503


class ProtocolError(ValueError):
    """A message that is not of this protocol; `code` is what the client is told."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


# --- from the client -------------------------------------------------------------------------


class Act(msgspec.Struct, frozen=True, tag_field="type", tag="act"):
    """One action that answers the position of `turn`.

    `row` is the touched row of a column, 1 to 5; it goes with a column only.
    """

    turn: Turn
    action: Action
    row: Annotated[int, msgspec.Meta(ge=1, le=5)] | None = None

    def __post_init__(self) -> None:
        if self.row is not None and not self.action.isdigit():
            raise ValueError("a row goes with a column")


class AskState(msgspec.Struct, frozen=True, tag_field="type", tag="state"):
    """Asks for all that may be seen."""


class Ping(msgspec.Struct, frozen=True, tag_field="type", tag="ping"):
    """A sign of life; `at` comes back unchanged, so that the client can set its clock by ours."""

    at: Annotated[int, _SAFE] | Annotated[float, _SAFE]


ClientMessage = Act | AskState | Ping

Message = TypeVar("Message", bound=msgspec.Struct)


class Parser(Generic[Message]):
    """Reads the messages of one kind of socket: a closed set of tagged structs."""

    def __init__(self, *messages: type[Message]) -> None:
        self._types = frozenset(message.__struct_config__.tag for message in messages)
        self._decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(reduce(or_, messages))

    def __call__(self, text: str) -> Message:
        """Return the client's message.

        Raises `ProtocolError` with the code `too_large`, `unknown_type` or `bad_message`.
        """
        # No character has more than four bytes.
        if len(text) > MESSAGE_LIMIT // 4 and (
            len(text) > MESSAGE_LIMIT or len(text.encode("utf-8", "surrogatepass")) > MESSAGE_LIMIT
        ):
            raise ProtocolError("too_large")
        try:
            return self._decoder.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            raise ProtocolError(self._why_not(text)) from None

    def _why_not(self, text: str) -> str:
        try:
            message = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return "bad_message"
        kind = message.get("type") if isinstance(message, dict) else None
        is_unknown = isinstance(kind, str) and kind not in self._types
        return "unknown_type" if is_unknown else "bad_message"


parse: Final[Parser[ClientMessage]] = Parser(Act, AskState, Ping)


# --- from the server -------------------------------------------------------------------------


class Position(msgspec.Struct, frozen=True):
    """All of a game that changes and that its player may see. `elapsed` is in ms."""

    turn: int
    state: str
    final: bool
    columns: list[str]
    waste: str | None
    stock: int
    legal: str
    cleared: int
    left: int
    moves: int
    undos: int
    hints: int
    app_score: int
    strokes: int
    strokes_below_par: int
    streak: int
    streak_score: int
    longest_streak: int
    elapsed: int


class Opening(msgspec.Struct, frozen=True, tag_field="type", tag="opening"):
    """All that the player may see; `closes_at` and `now` are ms since 1970."""

    game: str
    code: str | None
    rules: Mapping[str, Any]
    fits: Mapping[str, str]
    undo: bool
    hints: bool
    closes_at: int | None
    now: int
    position: Position
    protocol: int = VERSION


class Waiting(msgspec.Struct, frozen=True, tag_field="type", tag="waiting"):
    """The game starts at an instant to come, `opens_at`; both are ms since 1970."""

    game: str
    opens_at: int
    now: int
    protocol: int = VERSION


class Done(msgspec.Struct, frozen=True, tag_field="type", tag="done", omit_defaults=True):
    """The action is stored for good."""

    turn: int
    action: str
    position: Position
    hint: str | None = None
    repeated: bool = False


class Refused(msgspec.Struct, frozen=True, tag_field="type", tag="refused"):
    """The action changed nothing; `code` and `params` say why.

    Before the start there is no `position`: nobody has seen the cards yet.
    """

    turn: int
    action: str
    code: str
    params: Mapping[str, Any]
    position: Position | None


class Moved(msgspec.Struct, frozen=True, tag_field="type", tag="moved"):
    """The player acted through another socket."""

    position: Position


class Deadline(msgspec.Struct, frozen=True, tag_field="type", tag="deadline"):
    """The game's deadline was moved; both are ms since 1970."""

    closes_at: int | None
    now: int


class Notice(msgspec.Struct, frozen=True, tag_field="type", tag="notice"):
    """A room has a new version; whoever shows an older one asks for it."""

    room: str
    version: int


class Progress(msgspec.Struct, frozen=True, tag_field="type", tag="progress"):
    """How the games of a race stand: for each that has gone on, the whole row.

    `rows` has by the game's key `[cards left, stock left, streak, strokes, strokes below par, app
    score, final, ms since the start]`; `final` is 0 or 1. Never a card or a column.
    """

    room: str
    rows: Mapping[str, Sequence[int]]


class Pong(msgspec.Struct, frozen=True, tag_field="type", tag="pong"):
    """Answers a ping; `now` is ms since 1970."""

    at: int | float
    now: int


class Problem(msgspec.Struct, frozen=True, tag_field="type", tag="error"):
    """The message changed nothing and could not be answered otherwise."""

    code: str


ServerMessage = (
    Opening | Waiting | Done | Refused | Moved | Deadline | Notice | Progress | Pong | Problem
)

_encoder = msgspec.json.Encoder()


def serialise(message: msgspec.Struct) -> str:
    """Return the text frame of a message, of this set or of an app that builds on it."""
    return _encoder.encode(message).decode()


def progress_row(play: Play, *, ms: int) -> list[int]:
    """Return how a game stands after an action `ms` after its start; see `Progress`."""
    figures = (play.left, play.stock_left, play.streak, play.strokes, play.strokes_below_par)
    return [*figures, play.app_score, int(play.final), ms]


def position_of(play: Play, *, elapsed: int) -> Position:
    """Return what the player may see of `play` after `elapsed` ms."""
    waste = play.waste
    # By their places: by their names it takes half as long again, and each move makes one.
    return Position(
        play.turn,
        play.state,
        play.final,
        play.column_texts,
        None if waste is None else card_text(waste),
        play.stock_left,
        play.legal(),
        play.cleared,
        play.left,
        play.moves,
        play.undos,
        play.hints,
        play.app_score,
        play.strokes,
        play.strokes_below_par,
        play.streak,
        play.streak_score,
        play.longest_streak,
        elapsed,
    )
