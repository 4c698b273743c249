"""Counted positions: the engine and the independent reference walk the same trees.

A count is the number of action sequences of up to `depth` actions, the empty one included. Under
Strict the whole tree is counted, since a draw is rarely a choice.
"""

import pytest

from games.engine import Deal, GameCode, Play, RuleSet, card_text, cards_text
from tests.games.engine import reference

COUNTED = [
    ("GO1-E-AAAAAAB", 15, 174_788),
    ("GO1-C-AAAAAAB", 15, 160_882),
    ("GO1-S-AAAAAAB", 60, 574_802),
    ("GO1-E-GOLFING", 15, 166_656),
    ("GO1-C-GOLFING", 16, 145_012),
    ("GO1-S-GOLFING", 60, 151_975),
    ("GO2-E-00000000000000000000000000", 18, 180_700),
    ("GO2-C-00000000000000000000000000", 18, 100_320),
    ("GO2-S-00000000000000000000000000", 60, 616_223),
]

# Small trees for what no named rule set has: jokers, an empty waste, a King for Aces only.
CUSTOM = [
    ("GO1-XLAA2E-GOLFING", 8, 36_750),
    ("GO1-XLNW1D-GOLFING", 28, 26_997),
    ("GO1-XAAA1E-AAAAAAB", 11, 35_162),
    ("GO1-XAQW2E-AAAAAAB", 18, 22_221),
]


def count(play: Play, depth: int) -> int:
    """Count with one game that goes forth and, by undo, back."""
    if depth == 0:
        return 1
    total = 1
    for action in play.legal():
        play.act(action)
        total += count(play, depth - 1)
        play.act("u")
    return total


def position(deal: Deal):
    return reference.start(
        [cards_text(column) for column in deal.columns],
        None if deal.waste is None else card_text(deal.waste),
        cards_text(deal.stock),
    )


@pytest.mark.parametrize(("text", "depth", "positions"), COUNTED + CUSTOM)
def test_both_counters_count_the_pinned_number(text, depth, positions):
    code = GameCode.parse(text)
    deal = code.deal()
    assert count(Play(deal, code.rules), depth) == positions
    assert reference.count(position(deal), code.rules.fields(), depth) == positions


def test_the_table_is_as_large_as_it_claims():
    assert {text.split("-")[1] for text, _, _ in COUNTED} == {"E", "C", "S"}
    assert len({text.split("-")[2] for text, _, _ in COUNTED}) == 3
    assert min(positions for _, _, positions in COUNTED) >= 100_000


@pytest.mark.parametrize("rules", ["E", "C", "S", "XLNA1D", "XAAW2E"])
def test_every_position_of_random_games_agrees_with_the_reference(rules):
    for number in range(60):
        code = GameCode(1, RuleSet.parse(rules), number * 104_729)
        play, reached = Play(code.deal(), code.rules), position(code.deal())
        while True:
            assert play.legal() == reference.legal(reached, code.rules.fields())
            assert position(play.deal) == reached
            if not play.legal():
                break
            action = play.legal()[number % len(play.legal())]
            play.act(action)
            reached = reference.after(reached, action)
