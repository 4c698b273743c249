"""A game's moves as text and as positions, for those who may see its cards."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import selectors, words
from games.engine import Cost, GameCode, Play, card_text
from games.models import Game

#: Between the moves of a line that nobody has played.
_LINE_MS: Final = 1000


@dataclass(frozen=True, slots=True)
class Position:
    """What an action led to.

    `heights` are seven digits: how many of the dealt cards each column still has.
    """

    heights: str
    waste: str | None
    stock: int
    app_score: int
    streak: int
    moves: int


@dataclass(frozen=True, slots=True)
class Step:
    """One action: its number from 1, what was done, and the ms since the game's start.

    `action` is that of the journal, `text` the same for people. `cost` is what it cost, None where
    nobody has asked.
    """

    number: int
    action: str
    text: str
    ms: int
    position: Position
    cost: Cost | None = None

    @property
    def note(self) -> str:
        """What it cost, in words; an empty text where it cost nothing."""
        if self.cost is None:
            return ""
        count, undone = self.cost
        if undone:
            text = ngettext(
                "would have cost %(count)s stroke, but was taken back",
                "would have cost %(count)s strokes, but was taken back",
                undone,
            )
            return text % {"count": undone}
        text = ngettext("cost %(count)s stroke", "cost %(count)s strokes", count)
        return text % {"count": count} if count else ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole game: its code, the cards as they were dealt, and every action.

    `columns` are seven rows of card texts from top to bottom, `stock` is in the order of drawing.
    """

    code: str
    columns: tuple[tuple[str, ...], ...]
    waste: str | None
    stock: tuple[str, ...]
    start: Position
    steps: tuple[Step, ...]

    def replay(self, *, since: int | None = None) -> dict[str, Any]:
        """Return the positions from the deal to the end, ready for JSON.

        `steps` starts with the deal itself; `ms` are from `since` on, by default the first action.
        """
        first_ms = since
        if first_ms is None:
            first_ms = self.steps[0].ms if self.steps else 0
        deal = {"text": _("the deal"), "ms": 0, **asdict(self.start)}
        steps = [
            {
                "text": " · ".join(filter(None, (step.text, step.note))),
                "ms": step.ms - first_ms,
                **asdict(step.position),
            }
            for step in self.steps
        ]
        return {"columns": [" ".join(column) for column in self.columns], "steps": [deal, *steps]}

    def with_costs(self, costs: Sequence[Cost]) -> "Transcript":
        """Return the same with what each action cost."""
        steps = zip(self.steps, costs, strict=True)
        return replace(self, steps=tuple(replace(step, cost=cost) for step, cost in steps))


def of(game: Game) -> Transcript:
    """Return the transcript of a game.

    Raises `ValueError` while its cards are secret.
    """
    moves = _moves_of(game)
    code = GameCode.parse(game.deal_code)
    return _told(code, moves, undo=game.undo_allowed, hints=game.hints_allowed)


def of_standing(game: Game) -> Transcript:
    """Return the transcript of what stood at the end of a game, and how that came about.

    Hints and what was taken back are left out; everything else keeps its time.

    Raises `ValueError` while its cards are secret.
    """
    stood: list[tuple[str, int]] = []
    for action, ms in _moves_of(game):
        if action == "u":
            stood.pop()
        elif action != "h":
            stood.append((action, ms))
    return _told(GameCode.parse(game.deal_code), stood)


def _moves_of(game: Game) -> list[tuple[str, int]]:
    if game.is_secret:
        raise ValueError("the cards of this game are secret")
    return [(move.action, move.ms) for move in selectors.moves_of(game_id=game.pk)]


def of_line(code: GameCode, actions: str) -> Transcript:
    """Return the transcript of a line that nobody has played, a move a second."""
    return _told(code, [(action, _LINE_MS * at) for at, action in enumerate(actions)])


def _told(
    code: GameCode, moves: Iterable[tuple[str, int]], *, undo: bool = True, hints: bool = True
) -> Transcript:
    deal = code.deal()
    play = Play(deal, code.rules, undo=undo, hints=hints)
    return Transcript(
        code=code.text,
        columns=tuple(tuple(map(card_text, column)) for column in deal.columns),
        waste=None if deal.waste is None else card_text(deal.waste),
        stock=tuple(map(card_text, deal.stock)),
        start=_position(play),
        steps=_steps(play, moves),
    )


def _steps(play: Play, moves: Iterable[tuple[str, int]]) -> tuple[Step, ...]:
    steps = []
    for number, (action, ms) in enumerate(moves, 1):
        if action == "c":
            play.close()
        else:
            play.act(action)
        steps.append(Step(number, action, _text(play, action), ms, _position(play)))
    return tuple(steps)


def _position(play: Play) -> Position:
    return Position(
        heights="".join(str(len(column)) for column in play.columns),
        waste=None if play.waste is None else card_text(play.waste),
        stock=play.stock_left,
        app_score=play.app_score,
        streak=play.streak,
        moves=play.moves,
    )


def _text(play: Play, action: str) -> str:
    """Return what an action did, given the position after it."""
    if action == "h":
        hint = play.last_hint
        return _("hint: draw") if hint == "d" else _("hint: column %(column)s") % {"column": hint}
    if action == "u":
        return _("undo")
    if action == "g":
        return _("block accepted") if play.state == "blocked" else _("given up")
    if action == "c":
        return _("closed by the deadline")
    # A play and a draw leave a card on the waste.
    card = "" if play.waste is None else words.card_name(card_text(play.waste))
    if action == "d":
        return _("draw: %(card)s") % {"card": card}
    return _("column %(column)s: %(card)s") % {"column": action, "card": card}
