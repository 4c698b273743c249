"""How the bots choose."""

import random

import pytest

from games.engine import GameCode, Play, RuleSet, card_text
from tournaments.bots.recount import Board
from tournaments.bots.strategies import STRATEGIES, longest_run, lowest_column, run_lengths

RULE_SETS = [RuleSet(), RuleSet.parse("S"), RuleSet(jokers=2, waste="empty")]


def board_of(play: Play, rules: RuleSet) -> Board:
    return Board(
        rules.fields(),
        {
            "columns": [" ".join(map(card_text, column)) for column in play.columns],
            "waste": None if play.waste is None else card_text(play.waste),
            "stock": play.stock_left,
        },
    )


def finished(strategy, rules: RuleSet, number: int) -> str:
    """The actions of a whole game, played with the seed `number` on the deal `number`."""
    code = GameCode.secret(rules, number)
    play = Play(code.deal(), rules, undo=False)
    board = board_of(play, rules)
    chance = random.Random(number)
    while board.legal():
        action = strategy(board, chance)
        play.act(action)
        board.act(action, card_text(play.waste) if action == "d" else None)
    assert play.final
    return board.actions


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.text)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.__name__)
def test_a_strategy_plays_legally_to_the_end_and_the_same_way_for_a_seed(strategy, rules):
    games = [finished(strategy, rules, number) for number in range(10)]
    assert games == [finished(strategy, rules, number) for number in range(10)]
    assert len(set(games)) == 10


def test_the_longest_run_is_found():
    board = Board(
        RuleSet().fields(),
        {"columns": ["5S", "4H 7C 6D", "3H 9D", "8D", "", "", ""], "waste": "6S", "stock": 3},
    )
    assert board.plays() == "1"
    assert run_lengths(board) == {"1": 5}
    assert longest_run(board, random.Random(0)) == "1"


def test_looking_ahead_beats_the_first_that_fits():
    """Strength is what makes a leaderboard: over 60 deals the better player leaves fewer cards."""

    def left(strategy) -> int:
        return sum(
            35 - sum(action != "d" for action in finished(strategy, RuleSet(), number))
            for number in range(60)
        )

    assert left(longest_run) < left(lowest_column)
