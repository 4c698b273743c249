"""The ghost of a finished game: how its figures went, for whoever races against it.

A ghost has no card and no column, so that it tells nothing of what is to come. Its time begins with
its first action, also of a race, as that of whoever races against it begins with his.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from games import selectors
from games.engine import GameCode, Play
from games.models import Game


class Moment(NamedTuple):
    """The figures from a time on, in ms since the first action."""

    ms: int
    left: int
    stock: int
    streak: int
    strokes: int


@dataclass(frozen=True, slots=True)
class Ghost:
    """Whose game it was, and its figures in the order of time; the first are those of the deal."""

    name: str
    moments: tuple[Moment, ...]

    def data(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {"name": self.name, "moments": [moment._asdict() for moment in self.moments]}


def is_raceable(game: Game) -> bool:
    """Return whether a game has a ghost: it is over and open, and was its player's from the deal.

    Whether somebody may see the game is not asked.
    """
    is_over = game.finished_at is not None and game.damaged_at is None
    return is_over and not game.is_secret and not game.given


def of(game: Game, *, name: str | None = None) -> Ghost:
    """Return the ghost of a game; `name` is whose it is said to be, by default the player's.

    Raises `ValueError` for a game that has none.
    """
    if not is_raceable(game):
        raise ValueError("this game has no ghost")
    code = GameCode.parse(game.deal_code)
    play = Play(code.deal(), code.rules, undo=game.undo_allowed, hints=game.hints_allowed)
    moves = selectors.moves_of(game_id=game.pk)
    moments = [_moment(play, 0)]
    for move in moves:
        if move.action == "c":
            play.close()
        else:
            play.act(move.action)
        moments.append(_moment(play, move.ms - moves[0].ms))
    return Ghost(name=str(game.player) if name is None else name, moments=tuple(moments))


def _moment(play: Play, ms: int) -> Moment:
    return Moment(
        ms=ms,
        left=sum(map(len, play.columns)),
        stock=play.stock_left,
        streak=play.streak,
        strokes=play.strokes,
    )
