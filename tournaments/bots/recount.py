"""One play as its player saw it, and every figure counted again from that.

The rules are written here a second time, on purpose: what this module and the server agree on was
worked out twice.
"""

from collections.abc import Mapping
from typing import Any

RANKS = "A23456789TJQK"
TABLEAU = 35

#: The fields of a position that `Board.figures` counts.
FIGURES = (
    "cleared",
    "left",
    "moves",
    "undos",
    "hints",
    "app_score",
    "strokes",
    "strokes_below_par",
    "streak",
    "streak_score",
    "longest_streak",
)


class Board:
    """The cards that a player has seen and what was done with them; never an undo or a hint.

    :param rules: the `rules` of the opening message.
    :param position: the `position` of an opening message at turn 0.
    :param undo: whether the game allows undo: then a block waits to be accepted.
    """

    def __init__(
        self, rules: Mapping[str, Any], position: Mapping[str, Any], *, undo: bool = False
    ) -> None:
        self.rules = rules
        self.undo = undo
        self.columns: list[list[str]] = [column.split() for column in position["columns"]]
        self.waste: str | None = position["waste"]
        self.stock: int = position["stock"]
        self.actions = ""
        self.runs = [0]
        self.stopped = False

    @property
    def turn(self) -> int:
        """How many actions were accepted."""
        return len(self.actions)

    @property
    def final(self) -> bool:
        """Whether it is over for good."""
        return (
            self.stopped or self.state() == "won" or (self.state() == "blocked" and not self.undo)
        )

    def fits(self, card: str, waste: str | None) -> bool:
        """Whether `card` may be put on `waste` (None: nothing lies there yet)."""
        if waste is None:
            return True
        if waste[0] == "K" and self.rules["on_king"] == "nothing":
            return False
        if waste[0] == "K" and self.rules["on_king"] == "ace":
            return card[0] == "A" and self.rules["king_ace"] == "linked"
        if "*" in (card, waste):
            return True
        apart = abs(RANKS.index(card[0]) - RANKS.index(waste[0]))
        return apart == 1 or (apart == 12 and self.rules["king_ace"] == "linked")

    def plays(self) -> str:
        """The columns whose free card fits, in ascending order."""
        return "".join(
            str(number)
            for number, column in enumerate(self.columns, start=1)
            if column and self.fits(column[-1], self.waste)
        )

    def legal(self) -> str:
        """The legal plays, then `d` where a draw is legal; nothing at an end."""
        if self.stopped or not any(self.columns):
            return ""
        plays = self.plays()
        draw = self.stock > 0 and not (plays and self.rules["draw"] == "when_stuck")
        return plays + "d" * draw

    def refusal(self, action: str) -> str | None:
        """The code with which a play or a draw is refused; None where it is legal."""
        if action in self.legal():
            return None
        if self.final:
            return "game_over"
        if action == "d":
            return "must_play" if self.stock else "stock_empty"
        if action not in "1234567":
            return "no_such_column"
        if not self.columns[int(action) - 1]:
            return "empty_column"
        on_king = self.waste is not None and self.waste[0] == "K"
        return "king_blocks" if on_king and self.rules["on_king"] != "queen" else "not_adjacent"

    def act(self, action: str, drawn: str | None = None) -> None:
        """Do what the server has accepted; `drawn` is the card that a draw has shown."""
        if action == "g":
            self.stopped = True
        elif action == "d":
            self.waste = drawn
            self.stock -= 1
            self.runs.append(0)
        else:
            self.waste = self.columns[int(action) - 1].pop()
            self.runs[-1] += 1
        self.actions += action

    def state(self) -> str:
        """How the play stands, in the protocol's words."""
        if not any(self.columns):
            return "won"
        if not (self.plays() or self.stock):
            return "blocked"
        return "given_up" if self.stopped else "playing"

    def figures(self) -> dict[str, int]:
        """Every figure of `FIGURES`."""
        left = sum(map(len, self.columns))
        cleared = TABLEAU - left
        lost = 0 if self.state() == "playing" else left  # a won board has none left to lose
        return {
            "cleared": cleared,
            "left": left,
            "moves": sum(action != "g" for action in self.actions),
            "undos": 0,
            "hints": 0,
            "app_score": max(0, 10 * cleared - 10 * lost),
            "strokes": left,
            "strokes_below_par": left or -self.stock,
            "streak": self.runs[-1],
            "streak_score": sum(10 * nth for run in self.runs for nth in range(1, run + 1)),
            "longest_streak": max(self.runs),
        }

    def position(self) -> dict[str, Any]:
        """The whole position in the protocol's words, but for `elapsed`: that is a clock's."""
        return {
            "turn": self.turn,
            "state": self.state(),
            "final": self.final,
            "columns": [" ".join(column) for column in self.columns],
            "waste": self.waste,
            "stock": self.stock,
            "legal": self.legal(),
        } | self.figures()
