"""The rules of Golf solitaire, with the standard library alone.

It holds no clock, no randomness, no storage and no network: a deal, a rule set and a list of
actions decide everything. The exact results of `games.engine.solver` need numpy; only who imports
that module pays for it.

>>> code = GameCode.parse("GO1-E-AAAAAAB")
>>> game = Play.replay(code.deal(), code.rules, "d52")
>>> game.legal(), game.app_score, game.state
('d', 20, 'playing')
"""

from games.engine.best import Best, Solution
from games.engine.cards import (
    JOKER,
    RANKS,
    SUITS,
    CardError,
    card_text,
    cards_text,
    parse_card,
    parse_cards,
    rank,
    suit,
)
from games.engine.deals import CodeError, Deal, DealError, GameCode
from games.engine.hints import hint, longest_run
from games.engine.play import (
    REFUSALS,
    UNDO_LIMIT,
    Closed,
    Covered,
    EmptyColumn,
    GameOver,
    HintOff,
    KingBlocks,
    MustPlay,
    NoHint,
    NoSuchColumn,
    NotAdjacent,
    NothingToUndo,
    NotStarted,
    Play,
    Refusal,
    StaleTurn,
    State,
    StockEmpty,
    UndoOff,
    UnknownAction,
)
from games.engine.prose import BoardProse, ColumnProse, describe, english
from games.engine.review import Cost, costs, first_loss
from games.engine.rules import CLASSIC, EASY, NAMED, STRICT, RuleError, RuleSet
from games.engine.scoring import PAR

__all__ = [
    "CLASSIC",
    "EASY",
    "JOKER",
    "NAMED",
    "PAR",
    "RANKS",
    "REFUSALS",
    "STRICT",
    "SUITS",
    "UNDO_LIMIT",
    "Best",
    "BoardProse",
    "CardError",
    "Closed",
    "CodeError",
    "ColumnProse",
    "Cost",
    "Covered",
    "Deal",
    "DealError",
    "EmptyColumn",
    "GameCode",
    "GameOver",
    "HintOff",
    "KingBlocks",
    "MustPlay",
    "NoHint",
    "NoSuchColumn",
    "NotAdjacent",
    "NotStarted",
    "NothingToUndo",
    "Play",
    "Refusal",
    "RuleError",
    "RuleSet",
    "Solution",
    "StaleTurn",
    "State",
    "StockEmpty",
    "UndoOff",
    "UnknownAction",
    "card_text",
    "cards_text",
    "costs",
    "describe",
    "english",
    "first_loss",
    "hint",
    "longest_run",
    "parse_card",
    "parse_cards",
    "rank",
    "suit",
]
