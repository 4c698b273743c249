"""A game: a deal, a rule set and the actions so far.

Actions are single characters:

========== ========================================================================
``1``-``7`` play the free card of a column
``d``       draw
``u``       undo the last play or draw that stands
``h``       take a hint (it is counted)
``g``       give up, or accept a block
``c``       the deadline closed the game; only in a journal, see `Play.close`
========== ========================================================================

An action that the rules do not allow raises a `Refusal` and changes nothing.
"""

from collections import deque
from collections.abc import Iterable
from typing import ClassVar, Final, Literal

from games.engine import scoring
from games.engine.cards import NO_CARD, card_text, cards_text
from games.engine.deals import TABLEAU, Deal, DealError
from games.engine.hints import hint
from games.engine.rules import RuleSet

State = Literal["playing", "won", "blocked", "given_up", "closed"]

UNDO_LIMIT: Final = 100
"""How many plays and draws can be undone, unless a game is told otherwise."""


class UnknownAction(ValueError):
    """Not an action at all: a mistake of the caller, where a `Refusal` is one of the player."""


class Refusal(ValueError):
    """A rule forbids the action. Nothing has changed.

    :cvar code: the stable name of the reason.
    :ivar params: what a page needs to explain it, ready for JSON. Cards are text (``"6H"``),
        columns and rows count from 1, ranks are characters of ``A23456789TJQK*``.
    """

    code: ClassVar[str]
    reason: ClassVar[str]

    def __init__(self, **params: object) -> None:
        super().__init__(self.reason)
        self.params = params

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.params)


def _rebuild(kind: type[Refusal], params: dict[str, object]) -> Refusal:
    return kind(**params)


class NotStarted(Refusal):
    """The game has not begun. The engine never raises it; a server does."""

    code = "not_started"
    reason = "the game has not started"


class Closed(Refusal):
    """The time to play is over. The engine never raises it; a server does."""

    code = "closed"
    reason = "the time to play is over"


class StaleTurn(Refusal):
    """The action answers another turn. The engine never raises it; a server does.

    Params are the server's choice.
    """

    code = "stale_turn"
    reason = "the game has moved on"


class GameOver(Refusal):
    """The game is final. Params: ``state``."""

    code = "game_over"
    reason = "the game is over"


class UndoOff(Refusal):
    """The game is played without undo. No params."""

    code = "undo_off"
    reason = "undo is off"


class HintOff(Refusal):
    """The game is played without hints. No params."""

    code = "hint_off"
    reason = "hints are off"


class NoSuchColumn(Refusal):
    """There are seven columns. Params: ``column``."""

    code = "no_such_column"
    reason = "there is no such column"


class EmptyColumn(Refusal):
    """No card lies there. Params: ``column``, and ``row`` if one was named."""

    code = "empty_column"
    reason = "no card lies there"


class Covered(Refusal):
    """The card is not free. Params: ``card``, ``column``, ``row``, ``by``.

    ``by`` lists the cards that lie on it, the free card last.
    """

    code = "covered"
    reason = "the card is covered"


class KingBlocks(Refusal):
    """Nothing, or only an Ace, may lie on a King.

    Params: ``card``, ``column``, ``waste``, ``fits`` (a list of the ranks that would fit).
    """

    code = "king_blocks"
    reason = "the card may not be put on a King"


class NotAdjacent(Refusal):
    """The card is not one rank above or below the waste card.

    Params: ``card``, ``column``, ``waste``, ``fits`` (a list of the ranks that would fit).
    """

    code = "not_adjacent"
    reason = "the card is not one rank above or below the waste card"


class StockEmpty(Refusal):
    """There is nothing to draw. No params."""

    code = "stock_empty"
    reason = "the stock is empty"


class MustPlay(Refusal):
    """A draw is refused while a free card fits.

    Params: ``plays`` (the columns, such as ``"25"``), ``cards`` (a list of their free cards).
    """

    code = "must_play"
    reason = "a free card fits, so there is no draw"


class NothingToUndo(Refusal):
    """No play or draw is left to undo, or within the limit. Params: ``limit``."""

    code = "nothing_to_undo"
    reason = "there is nothing to undo"


class NoHint(Refusal):
    """There is neither a play nor a draw to hint at; it is not counted. No params."""

    code = "no_hint"
    reason = "there is no hint"


REFUSALS: Final[tuple[type[Refusal], ...]] = (
    NotStarted,
    Closed,
    StaleTurn,
    GameOver,
    UndoOff,
    HintOff,
    NoSuchColumn,
    EmptyColumn,
    Covered,
    KingBlocks,
    NotAdjacent,
    StockEmpty,
    MustPlay,
    NothingToUndo,
    NoHint,
)
"""Every refusal in the order of precedence: of several that apply the first is given."""

# Where each action goes: 0 to 6 a column, then draw, undo, hint, give up, no column.
_DRAW, _UNDO, _HINT, _GIVE_UP, _NO_COLUMN = 7, 8, 9, 10, 11
_COLUMNS: Final = "1234567"
_ACTIONS: Final = {
    **{column: slot for slot, column in enumerate(_COLUMNS)},
    "d": _DRAW,
    "u": _UNDO,
    "h": _HINT,
    "g": _GIVE_UP,
    **dict.fromkeys("089", _NO_COLUMN),
}


class Play:
    """One game being played.

    :param deal: the cards; `GameCode.deal` or `Deal.under` lay them out as the rule set starts.
        A deal with shorter columns is a game that goes on from there: the missing cards count as
        cleared. Whether the deck is whole is not asked here; see `Deal.check`.
    :param rules: the rule set.
    :param undo: whether undo is allowed. Without it a block is final at once.
    :param hints: whether hints are allowed.
    :param undo_limit: how many of the last plays and draws can be undone, at least 0.
    :raises ValueError: if the limit is negative.

    >>> from games.engine.deals import GameCode
    >>> code = GameCode.parse("GO1-E-AAAAAAB")
    >>> game = Play(code.deal(), code.rules)
    >>> game.legal()
    'd'
    >>> for action in "d52":
    ...     game.act(action)
    >>> card_text(game.waste), game.stock_left, game.app_score
    ('8C', 15, 20)
    >>> game.act("1")
    Traceback (most recent call last):
    ...
    games.engine.play.NotAdjacent: the card is not one rank above or below the waste card
    """

    __slots__ = (
        "_columns",
        "_drawn",
        "_final",
        "_free",
        "_heights",
        "_hint_at",
        "_hints",
        "_hints_on",
        "_history",
        "_journal",
        "_left",
        "_legal",
        "_longest",
        "_moves",
        "_pile",
        "_rules",
        "_state",
        "_stock",
        "_stock_left",
        "_streak",
        "_streak_score",
        "_texts",
        "_undo_on",
        "_undos",
    )

    def __init__(
        self,
        deal: Deal,
        rules: RuleSet,
        *,
        undo: bool = True,
        hints: bool = True,
        undo_limit: int = UNDO_LIMIT,
    ) -> None:
        columns = deal.columns
        self._rules = rules
        self._columns = columns
        self._stock = deal.stock
        self._heights = [*map(len, columns)]
        self._free = [column[-1] if column else NO_CARD for column in columns]
        self._pile = [NO_CARD if deal.waste is None else deal.waste]
        self._left = sum(self._heights)
        self._drawn = 0
        self._stock_left = len(deal.stock)
        self._undo_on = undo
        self._hints_on = hints
        # What each standing play or draw changed beyond the cards.
        self._history: deque[tuple[int, int, int, int]] = deque(maxlen=undo_limit)
        self._journal: list[str] = []
        self._moves = self._undos = self._hints = 0
        self._streak = self._streak_score = self._longest = 0
        # What each column reads at each height; made when somebody asks, which a replay never does.
        self._texts: tuple[tuple[str, ...], ...] = ()
        self._hint_at: tuple[tuple[tuple[int, ...], ...], int | None, int] | None = None
        self._state: State = "playing"
        self._final = False
        self._legal = ""
        self._settle()

    def __repr__(self) -> str:
        # No cards: it may end in a log while the deal is still secret.
        return (
            f"<Play {self._rules.text} {self._state}, turn {self.turn}, "
            f"{self._left} cards left, {self._stock_left} in the stock>"
        )

    @classmethod
    def replay(
        cls,
        deal: Deal,
        rules: RuleSet,
        actions: Iterable[str],
        *,
        undo: bool = True,
        hints: bool = True,
        undo_limit: int = UNDO_LIMIT,
    ) -> "Play":
        """The game after the accepted actions of a journal, with ``c`` for `close`.

        :param actions: single characters; a string of them will do.
        :raises Refusal: if an action is refused: these are not the actions of such a game.
        :raises UnknownAction: if something is not an action.

        >>> from games.engine.deals import GameCode
        >>> code = GameCode.parse("GO1-E-AAAAAAB")
        >>> Play.replay(code.deal(), code.rules, "d52c").state
        'closed'
        """
        play = cls(deal, rules, undo=undo, hints=hints, undo_limit=undo_limit)
        act = play.act
        for action in actions:
            if action == "c":
                play.close()
            else:
                act(action)
        return play

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        undo: bool = True,
        hints: bool = True,
        undo_limit: int = UNDO_LIMIT,
    ) -> "Play":
        """A game that goes on from a position, the `text` of another game.

        The position holds the cards and the rules. What led to it (moves, undos, hints, streaks,
        what can be undone, that it was given up) is not in it and starts anew.

        :raises ValueError: a `RuleError` or `DealError`, if the text is no position.
        """
        rules, _, cards = text.partition(" ")
        if not cards:
            raise DealError("a position is rules, columns, waste and stock")
        return cls(
            Deal.parse(cards), RuleSet.parse(rules), undo=undo, hints=hints, undo_limit=undo_limit
        )

    def act(self, action: str, row: int | None = None) -> None:
        """Apply one action.

        :param action: a column ``1`` to ``7``, ``d``, ``u``, ``h`` or ``g``. ``0``, ``8`` and
            ``9`` are refused as columns.
        :param row: for a column, which of its cards is meant: 1 to 5 from the top. Without it the
            free card is.
        :raises Refusal: the first reason, in the order of `REFUSALS`, against the action.
        :raises UnknownAction: if it is none of these, or a row is out of range or named with
            anything but a column.
        """
        slot = _ACTIONS.get(action)
        if slot is None:
            raise UnknownAction(f"{ascii(action)[:40]} is not an action")
        if row is not None:
            self._check_row(slot, row)
        if self._final:
            raise GameOver(state=self._state)
        if slot < _DRAW:
            self._play(slot, row)
        elif slot == _DRAW:
            self._draw()
        elif slot == _UNDO:
            self._undo()
        elif slot == _HINT:
            self._take_hint()
        elif slot == _GIVE_UP:
            self._give_up()
        else:
            raise NoSuchColumn(column=int(action))
        self._journal.append(action)
        if slot < _HINT:
            self._settle()

    def close(self) -> None:
        """End the game where it lies, because its time is over; ``c`` in a journal.

        The cards that lie there count as at a block. A player cannot do it: `act` does not know
        the action.

        :raises GameOver: if the game is final already.
        """
        if self._final:
            raise GameOver(state=self._state)
        self._stop("closed")
        self._journal.append("c")

    def _settle(self) -> None:
        """Find the legal actions and the state after the cards have moved."""
        if not self._left:
            self._stop("won")
            return
        self._legal = self._rules.legal(self._free, self._pile[-1], self._stock_left)
        if self._legal:
            self._state = "playing"
        else:
            self._state = "blocked"
            self._final = not self._undo_on

    def _stop(self, state: State) -> None:
        self._state = state
        self._final = True
        self._legal = ""

    def _play(self, slot: int, row: int | None) -> None:
        if row is not None or _COLUMNS[slot] not in self._legal:
            self._check_play(slot, row)
        free = self._free
        self._history.append((slot, self._streak, self._streak_score, self._longest))
        self._pile.append(free[slot])
        self._heights[slot] = height = self._heights[slot] - 1
        free[slot] = self._columns[slot][height - 1] if height else NO_CARD
        self._left -= 1
        self._streak = streak = self._streak + 1
        self._streak_score += scoring.streak_points(streak)
        self._longest = max(self._longest, streak)
        self._moves += 1

    def _draw(self) -> None:
        if "d" not in self._legal:
            raise self._no_draw()
        self._history.append((_DRAW, self._streak, self._streak_score, self._longest))
        self._pile.append(self._stock[self._drawn])
        self._drawn += 1
        self._stock_left -= 1
        self._streak = 0
        self._moves += 1

    def _undo(self) -> None:
        if not self._undo_on:
            raise UndoOff
        if not self._history:
            raise NothingToUndo(limit=self._history.maxlen)
        slot, self._streak, self._streak_score, self._longest = self._history.pop()
        card = self._pile.pop()
        if slot == _DRAW:
            self._drawn -= 1
            self._stock_left += 1
        else:
            self._heights[slot] += 1
            self._free[slot] = card
            self._left += 1
        self._undos += 1

    def _give_up(self) -> None:
        self._stop("given_up" if self._state == "playing" else self._state)

    def _take_hint(self) -> None:
        if not self._hints_on:
            raise HintOff
        if not self._legal:
            raise NoHint
        # The search waits until someone reads the hint: a replay never does.
        self._hint_at = (self.columns, self.waste, self._stock_left)
        self._hints += 1

    def _check_row(self, slot: int, row: int) -> None:
        if slot >= _DRAW and slot != _NO_COLUMN:
            raise UnknownAction("a row is named with a column only")
        if type(row) is not int or not 1 <= row <= 5:
            raise UnknownAction("a row is 1 to 5")

    def _check_play(self, slot: int, row: int | None) -> None:
        """Raise the reason against playing from a column, if there is one."""
        height = self._heights[slot]
        column = slot + 1
        if row is not None and row > height:
            raise EmptyColumn(column=column, row=row)
        if not height:
            raise EmptyColumn(column=column)
        cards = self._columns[slot]
        if row is not None and row < height:
            raise Covered(
                card=card_text(cards[row - 1]),
                column=column,
                row=row,
                by=[card_text(card) for card in cards[row:height]],
            )
        if _COLUMNS[slot] in self._legal:
            return
        card, waste = cards[height - 1], self._pile[-1]
        kind = KingBlocks if self._rules.king_blocks(waste) else NotAdjacent
        raise kind(
            card=card_text(card),
            column=column,
            waste=card_text(waste),
            fits=list(self._rules.ranks_on(waste)),
        )

    def _no_draw(self) -> Refusal:
        if not self._stock_left:
            return StockEmpty()
        return MustPlay(
            plays=self._legal,
            cards=[card_text(self._free[int(play) - 1]) for play in self._legal],
        )

    def legal(self) -> str:
        """The legal actions: plays in ascending order, then ``d``; empty at an end.

        Undo, hint and giving up are not among them. See `RuleSet.legal`.
        """
        return self._legal

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        return self._rules

    @property
    def state(self) -> State:
        """``playing``, ``won``, ``blocked``, ``given_up`` or ``closed``.

        Won as soon as the columns are empty, whatever the stock holds. Blocked when there is
        neither a play nor a draw.
        """
        return self._state

    @property
    def final(self) -> bool:
        """Whether every further action is refused.

        A block is final once the player accepts it (``g``), or at once where undo is off.
        """
        return self._final

    @property
    def turn(self) -> int:
        """How many actions were accepted so far, of every kind."""
        return len(self._journal)

    @property
    def journal(self) -> str:
        """The accepted actions so far, a character each; `replay` reads it."""
        return "".join(self._journal)

    def action_of(self, turn: int) -> str | None:
        """The action that answered a turn; None for a turn that is still to come."""
        return self._journal[turn] if 0 <= turn < len(self._journal) else None

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """The seven columns, each from top to bottom: the last card is free."""
        return tuple(
            column[:height] for column, height in zip(self._columns, self._heights, strict=True)
        )

    @property
    def column_texts(self) -> list[str]:
        """The seven columns as text, with a space between two cards; an empty one is ``""``.

        Quicker than to put `columns` into words: of each column nothing changes but its end.
        """
        if not self._texts:
            self._texts = tuple(
                tuple(cards_text(column[:height]) for height in range(len(column) + 1))
                for column in self._columns
            )
        return [texts[height] for texts, height in zip(self._texts, self._heights, strict=True)]

    @property
    def waste(self) -> int | None:
        """The waste card, None while the waste is empty."""
        card = self._pile[-1]
        return None if card == NO_CARD else card

    @property
    def stock_left(self) -> int:
        """How many cards the stock holds."""
        return self._stock_left

    @property
    def left(self) -> int:
        """How many cards lie in the columns."""
        return self._left

    @property
    def cleared(self) -> int:
        """How many of the 35 cards are cleared from the columns."""
        return TABLEAU - self._left

    @property
    def moves(self) -> int:
        """How many plays and draws were made. It never falls, also not by undo."""
        return self._moves

    @property
    def undos(self) -> int:
        """How many undos were made."""
        return self._undos

    @property
    def hints(self) -> int:
        """How many hints were taken."""
        return self._hints

    @property
    def last_hint(self) -> str | None:
        """What the last ``h`` answered, ``1`` to ``7`` or ``d``; None before the first.

        It stays when the game goes on, so read it right after the action. The search for it is
        made here, each time.
        """
        if self._hint_at is None:
            return None
        return hint(self._rules, *self._hint_at)

    @property
    def app_score(self) -> int:
        """The app score in points."""
        stopped = self._state not in ("playing", "won")
        return scoring.app_score(self.cleared, self._left, stopped=stopped)

    @property
    def strokes(self) -> int:
        """Strokes: the cards left in the columns."""
        return scoring.strokes(self._left)

    @property
    def strokes_below_par(self) -> int:
        """Strokes, where a won game has minus one for each card left in the stock."""
        return scoring.strokes_below_par(self._left, self._stock_left)

    @property
    def streak(self) -> int:
        """How many cards were played since the last draw."""
        return self._streak

    @property
    def streak_score(self) -> int:
        """The streak score in points, of the actions that stand."""
        return self._streak_score

    @property
    def longest_streak(self) -> int:
        """The longest streak in cards, of the actions that stand."""
        return self._longest

    def figures(self) -> dict[str, int]:
        """What is kept of a game, by name."""
        return {
            "cleared": self.cleared,
            "left": self.left,
            "stock_left": self.stock_left,
            "moves": self.moves,
            "undos": self.undos,
            "hints": self.hints,
            "app_score": self.app_score,
            "strokes": self.strokes,
            "strokes_below_par": self.strokes_below_par,
            "streak_score": self.streak_score,
            "longest_streak": self.longest_streak,
        }

    @property
    def deal(self) -> Deal:
        """The cards that are still in play, as the deal of a game that goes on from here."""
        return Deal(self.columns, self.waste, self._stock[self._drawn :])

    @property
    def text(self) -> str:
        """The position: its rule set and what is left of its cards.

        Four parts with a space between: `RuleSet.text`, the columns parted by ``/``, the waste,
        the stock in draw order; ``-`` is an empty one. It shows the hidden stock, so it is not
        for players.

        >>> Play.from_text("E 2S/-/-/-/-/-/- AC 8S5H").text
        'E 2S/-/-/-/-/-/- AC 8S5H'
        """
        return f"{self._rules.text} {self.deal.text}"
