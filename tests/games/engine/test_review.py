"""What actions cost: never less than nothing, and together exactly what was lost."""

import math
import random
from itertools import pairwise

import pytest

from games.engine import (
    CLASSIC,
    EASY,
    STRICT,
    Best,
    Cost,
    GameCode,
    Play,
    RuleSet,
    costs,
    first_loss,
)
from games.engine.scoring import standing
from games.engine.solver import solve, solve_line
from tests.games.engine import reference
from tests.games.engine.test_solver import position

#: Strict is the quickest to solve.
RULES = [EASY, STRICT, CLASSIC, STRICT, STRICT, STRICT, STRICT, RuleSet.parse("XLAA2E")]


def a_game(code, chance, *, undo=True, closes=False):
    """A game by a player who plays a card if one fits, and now and then looks again."""
    play = Play(code.deal(), code.rules, undo=undo)
    while not play.final:
        legal = play.legal()
        plays = legal.strip("d")
        if undo and len(standing(play.journal)) > 3 and chance.random() < 0.12:
            play.act("u")
        elif closes and chance.random() < 0.004:
            play.close()
        elif legal and chance.random() < 0.03:
            play.act("h")
        else:
            play.act(chance.choice((plays if chance.random() < 0.9 else legal) or legal or "g"))
    return play


def test_five_hundred_games_lose_exactly_what_their_actions_cost():
    chance = random.Random(7)
    with_undo = 0
    for number in range(500):
        code = GameCode(1, RULES[number % len(RULES)], chance.randrange(26**7))
        play = a_game(code, chance, undo=number % 3 > 0, closes=True)
        course = solve_line(code.deal(), code.rules, play.journal)
        best = solve(code.deal(), code.rules).best
        for below_par, played, fewest in (
            (False, play.strokes, best.strokes),
            (True, play.strokes_below_par, best.strokes_below_par),
        ):
            found = costs(play.journal, course, below_par=below_par)
            assert all(cost.strokes >= 0 and cost.taken_back >= 0 for cost in found)
            assert all(not (cost.strokes and cost.taken_back) for cost in found)
            assert sum(cost.strokes for cost in found) == played - fewest
            with_undo += any(cost.taken_back for cost in found)
    assert with_undo > 100


#: Twenty games under Strict; and under other rules by which the stock waits, so that every position
#: that can be reached from the deal can be looked at.
WHOLE = [("S", number) for number in range(20)] + [
    (text, number)
    for text in ("XAQW0D", "XLNW0D", "XLQW0D", "XAQW1D", "XAQW0E")
    for number in range(3)
]


@pytest.mark.parametrize(("text", "number"), WHOLE)
def test_the_result_before_each_action_is_that_of_looking_at_every_position(text, number):
    """From the deal on: the best result before every action, what it cost, and how it ended."""
    chance = random.Random(f"{text} {number}")
    rules = RuleSet.parse(text)
    code = GameCode(1, rules, chance.randrange(26**7))
    played = a_game(code, chance)
    known = reference.bests(position(code.deal()), rules.fields())
    expected = []
    play = Play(code.deal(), rules)
    for action in played.journal:
        expected.append(known[position(play.deal)])
        play.act(action)
    course = solve_line(code.deal(), rules, played.journal)
    assert [(best.cleared, best.stock_left) for best in course[:-1]] == expected
    end = (play.cleared, play.stock_left if play.state == "won" else None)
    assert (course[-1].cleared, course[-1].stock_left) == end
    assert len(expected) > 20
    # What stands pays: from one position that stands to the next one.
    stood = Play(code.deal(), rules)
    ways = [known[position(stood.deal)][0]]
    for action in standing(played.journal):
        stood.act(action)
        ways.append(known.get(position(stood.deal), (stood.cleared,))[0])
    ways[-1] = played.cleared
    paid = [cost.strokes for cost in costs(played.journal, course) if cost.strokes]
    assert paid == [before - after for before, after in pairwise(ways) if before != after]


@pytest.mark.parametrize("number", range(14))
def test_with_a_free_draw_it_is_so_from_where_the_positions_are_few_enough(number):
    chance = random.Random(number)
    rules = (CLASSIC, EASY)[number % 2]
    code = GameCode(1, rules, chance.randrange(26**7))
    actions = a_game(code, chance).journal
    course = solve_line(code.deal(), code.rules, actions)
    known: dict = {}
    confirmed = 0
    play = Play(code.deal(), code.rules)
    for at, action in enumerate(actions):
        here = position(play.deal)
        size = math.prod(len(cards) + 1 for cards in (*here[0], here[2]))
        if not known and (not here[2] or size <= 30_000):
            known = reference.bests(here, rules.fields())
        if here in known:
            assert known[here] == (course[at].cleared, course[at].stock_left)
            confirmed += 1
        play.act(action)
    assert confirmed


def test_what_was_undone_costs_nothing_and_says_what_it_would_have():
    code = GameCode.parse("GO1-C-AAAAAAB")
    course = solve_line(code.deal(), code.rules, "ddug")
    assert [best.cleared for best in course] == [34, 34, 33, 34, 0]
    found = costs("ddug", course)
    assert found == [Cost(0), Cost(0, 1), Cost(0), Cost(34)]
    assert first_loss(found) == 4
    assert first_loss(costs("d", course[:2])) is None


def test_a_journal_of_another_length():
    with pytest.raises(ValueError, match="one position more"):
        costs("d", [Best(35, 1)])
