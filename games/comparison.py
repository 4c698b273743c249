"""Two finished games of one deal beside each other, and where their lines part.

A line is what stood at the end (`transcript.of_standing`): whoever looks about with undo has gone
no other way.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile, zip_longest
from typing import Any, Final, NamedTuple

from games import selectors, services, transcript
from games.models import Game
from games.transcript import Step, Transcript

_CARDS: Final = 35


class Moment(NamedTuple):
    """A step of a line with its figures: ms since the game's time began, and cards left."""

    step: Step
    ms: int
    left: int

    @property
    def cleared(self) -> int:
        """How many cards are cleared."""
        return _CARDS - self.left


class Row(NamedTuple):
    """What both do with one number; None for a line that has ended before."""

    number: int
    first: Moment | None
    second: Moment | None


@dataclass(frozen=True, slots=True)
class Line:
    """One of the two games; `since` is from when its time counts, in ms since its start."""

    game: Game
    told: Transcript
    since: int

    def moments(self) -> list[Moment]:
        """Return its steps with their figures."""
        return [
            Moment(step, step.ms - self.since, sum(map(int, step.position.heights)))
            for step in self.told.steps
        ]


@dataclass(frozen=True)
class Comparison:
    """Two lines of one deal; `shared` is how many steps they have in common."""

    first: Line
    second: Line
    shared: int

    @cached_property
    def rows(self) -> list[Row]:
        """Both lines, step by step."""
        pairs = zip_longest(self.first.moments(), self.second.moments())
        return [Row(number, one, other) for number, (one, other) in enumerate(pairs, 1)]

    @property
    def common(self) -> list[Row]:
        """The steps that both took."""
        return self.rows[: self.shared]

    @property
    def apart(self) -> list[Row]:
        """Those after the parting; none where both went one way to the end."""
        return self.rows[self.shared :]

    def data(self) -> dict[str, Any]:
        """Return both lines as positions, ready for JSON."""
        lines = (self.first, self.second)
        boards = [line.told.replay(since=line.since) for line in lines]
        return {"boards": boards, "shared": self.shared}


def of(first: Game, second: Game) -> Comparison:
    """Return two finished games of one deal beside each other.

    Raises `ValueError` for other games, and while the cards are secret.
    """
    if first.deal_code != second.deal_code:
        raise ValueError("the games are not of one deal")
    one, other = _line(first), _line(second)
    pairs = zip(one.told.steps, other.told.steps, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0].action == pair[1].action, pairs))
    return Comparison(one, other, shared=shared)


def _line(game: Game) -> Line:
    if game.finished_at is None:
        raise ValueError("the game is not over")
    told = transcript.of_standing(game)
    first = next(iter(selectors.moves_of(game_id=game.pk)), None)
    since = services.counted_from(game=game, first_ms=0 if first is None else first.ms)
    return Line(game, told, since)
