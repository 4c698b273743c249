"""The exact best results of 180 deals, as far as a small search can tell them."""

import json
from pathlib import Path

import pytest

from games.engine import NAMED, Deal, Play, RuleSet, parse_card, parse_cards
from games.engine.cards import NO_CARD

RESULTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "vectors" / "best_results.jsonl").read_text().splitlines()
]

# Where a draw is rarely a choice a plain search is short enough for a test; with two jokers for
# some of the deals.
SEARCHED = {"S": 60, "S, empty waste": 60, "C, draw when_stuck": 60, "S, 2 jokers": 12}


def rules_of(name):
    """The rule set of a key of the vectors."""
    base, *changes = name.split(", ")
    if base == "king nothing":
        fields = {"king_ace": "apart", "on_king": "nothing"}
    else:
        fields = dict(NAMED[base].fields())
    for change in changes:
        if change == "empty waste":
            fields["waste"] = "empty"
        elif change.startswith("draw "):
            fields["draw"] = change.removeprefix("draw ")
        else:
            fields["jokers"] = int(change.split()[0])
    return RuleSet.from_fields(fields)


def deal_of(result, rules):
    deal = Deal(
        tuple(map(parse_cards, result["columns"])),
        parse_card(result["waste"]),
        parse_cards(result["stock"]),
    ).under(rules)
    deal.check(rules)
    return deal


def best(deal, rules):
    """The most cards cleared, and if that is all, the most stock cards left."""
    seen = {}

    def search(heights, drawn, waste):
        key = heights, drawn, waste >> 2
        if key in seen:
            return seen[key]
        left = sum(heights)
        result = (35 - left, 0 if left else len(deal.stock) - drawn)
        free = [c[h - 1] if h else NO_CARD for c, h in zip(deal.columns, heights, strict=True)]
        for action in rules.legal(free, waste, len(deal.stock) - drawn) if left else "":
            if action == "d":
                found = search(heights, drawn + 1, deal.stock[drawn])
            else:
                i = int(action) - 1
                found = search((*heights[:i], heights[i] - 1, *heights[i + 1 :]), drawn, free[i])
            result = max(result, found)
        seen[key] = result
        return result

    cleared, stock_left = search(
        tuple(map(len, deal.columns)), 0, NO_CARD if deal.waste is None else deal.waste
    )
    return {"cleared": cleared, "stock_left": stock_left if cleared == 35 else None}


@pytest.mark.parametrize(("name", "count"), SEARCHED.items())
def test_a_search_with_the_engine_finds_the_best_result(name, count):
    rules = rules_of(name)
    results = [result for result in RESULTS if name in result["best"]][:count]
    assert len(results) == count
    for result in results:
        assert best(deal_of(result, rules), rules) == result["best"][name], result["deal"]


def test_every_entry_can_be_played_and_no_simple_player_beats_it():
    entries = 0
    for result in RESULTS:
        for name, limit in result["best"].items():
            rules = rules_of(name)
            play = Play(deal_of(result, rules), rules, undo=False)
            while play.legal():
                play.act(play.legal()[0])
            reached = (play.cleared, play.stock_left if play.state == "won" else 0)
            assert reached <= (limit["cleared"], limit["stock_left"] or 0)
            entries += 1
    assert entries == 660
