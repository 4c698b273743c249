"""The exact results: against the vectors, a search that shares no code, and one another."""

import json
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine import (
    EASY,
    JOKER,
    STRICT,
    Best,
    Deal,
    GameCode,
    NotAdjacent,
    Play,
    RuleSet,
    Solution,
    UnknownAction,
    card_text,
    solver,
)
from games.engine.solver import solve, solve_line, solve_play
from tests.games.engine import reference
from tests.games.engine.test_cli import PUBLISHED, ROOT
from tests.games.engine.test_properties import rule_sets
from tests.games.engine.test_rules import MIXES
from tests.games.engine.test_vectors import RESULTS, deal_of, rules_of

NAMES = sorted({name for result in RESULTS for name in result["best"]})


def position(deal):
    """A deal as the reference has it."""
    return (
        tuple(tuple(map(card_text, column)) for column in deal.columns),
        None if deal.waste is None else card_text(deal.waste),
        tuple(map(card_text, deal.stock)),
    )


def check_line(solution, deal, rules):
    """Play the line: it must end the game with exactly the figures of the result."""
    best, play = solution.best, Play(deal, rules, undo=False)
    for action in solution.line:
        play.act(action)
    assert play.state == ("won" if best.won else "blocked")
    assert play.stock_left == (best.stock_left if best.won else 0)
    assert (play.cleared, play.strokes, play.strokes_below_par, play.app_score) == (
        best.cleared,
        best.strokes,
        best.strokes_below_par,
        best.app_score,
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_vectors(name):
    rules = rules_of(name)
    entries = [result for result in RESULTS if name in result["best"]]
    assert len(entries) == 60
    for entry in entries:
        deal = deal_of(entry, rules)
        solution = solve(deal, rules)
        best = solution.best
        assert {"cleared": best.cleared, "stock_left": best.stock_left} == entry["best"][name]
        check_line(solution, deal, rules)


def test_the_published_deal():
    for letter, entry in PUBLISHED["best"].items():
        code = GameCode.parse(f"GO1-{letter}-AAAAAAB")
        best = solve(code.deal(), code.rules).best
        assert {"cleared": best.cleared, "stock_left": best.stock_left} == entry


@st.composite
def small_deals(draw):
    """What could be left of a game: a few cards in the columns and the stock."""
    rules = draw(rule_sets)
    deck = draw(st.permutations([*range(52), *(JOKER,) * rules.jokers]))
    # Few ranks, so that much fits; and the jokers that the rule set has.
    width = draw(st.integers(3, 13))
    low = draw(st.integers(0, 13 - width))
    cards = [card for card in deck if low <= card >> 2 < low + width or card == JOKER]
    heights = draw(st.lists(st.integers(0, 3), min_size=7, max_size=7))
    columns = []
    for height in heights:
        columns.append(tuple(cards[:height]))
        del cards[:height]
    stock = tuple(cards[: draw(st.integers(0, 5))])
    waste = cards[5] if len(cards) > 5 and draw(st.booleans()) else None
    return Deal(tuple(columns), waste, stock), rules


@given(small_deals())
@settings(max_examples=300)
def test_small_deals_agree_with_a_search_of_every_position(given):
    deal, rules = given
    solution = solve(deal, rules)
    best = solution.best
    assert (best.cleared, best.stock_left) == reference.best(position(deal), rules.fields())
    check_line(solution, deal, rules)


@pytest.mark.parametrize("fields", MIXES, ids=lambda fields: RuleSet.from_fields(fields).text)
def test_late_positions_of_real_games_agree_under_every_rule_set(fields):
    """From where a quarter of the columns is left, by a simple player's plays."""
    rules = RuleSet.from_fields(fields)
    solved = 0
    for number in range(6):
        play = Play(GameCode(1, rules, number * 104_729).deal(), rules)
        while play.left > 9 and play.legal():
            play.act(play.legal()[0])
        if play.left > 12:
            continue
        best = solve_play(play).best
        expected = reference.best(position(play.deal), rules.fields())
        assert (best.cleared, best.stock_left) == expected
        solved += 1
    assert solved


@given(small_deals(), st.lists(st.sampled_from("ddd1234567123456712345671234567uuh"), max_size=40))
@settings(max_examples=150)
def test_every_position_of_a_small_game_has_the_result_that_a_search_from_there_finds(
    given, actions
):
    deal, rules = given
    play = Play(deal, rules)
    accepted, expected = "", [reference.best(position(deal), rules.fields())]
    for action in actions:
        if action in play.legal() or (action in "uh" and play.turn and not play.final):
            try:
                play.act(action)
            except ValueError:
                continue
            accepted += action
            expected.append(reference.best(position(play.deal), rules.fields()))
    found = solve_line(deal, rules, accepted)
    assert [(best.cleared, best.stock_left) for best in found] == expected


@pytest.mark.parametrize("letter", ["E", "C", "S", "XLQW1E"])
def test_every_position_of_a_whole_game_has_the_result_of_solving_it_anew(letter):
    code = GameCode.parse(f"GO1-{letter}-GOLFING")
    play = Play(code.deal(), code.rules)
    expected = [solve_play(play).best]
    while play.legal():
        # Now and then the last of the legal actions is tried and undone.
        tried = f"{play.legal()[-1]}u" if play.moves % 5 == 0 else ""
        for action in tried + play.legal()[0]:
            play.act(action)
            expected.append(solve_play(play).best)
    assert play.undos > 3
    assert solve_line(code.deal(), code.rules, play.journal) == expected
    assert expected[-1] == Best(play.cleared, play.stock_left if play.state == "won" else None)


def test_a_best_line_never_loses_anything():
    for text in ("GO1-E-AAAAAAB", "GO1-C-AAAAAAB", "GO1-S-AAAAAAB"):
        code = GameCode.parse(text)
        solution = solve(code.deal(), code.rules)
        found = solve_line(code.deal(), code.rules, solution.line)
        assert found == [solution.best] * (len(solution.line) + 1)


@pytest.mark.parametrize("end", ["g", "c"])
def test_a_game_that_was_stopped_has_the_result_that_it_has(end):
    code = GameCode.parse("GO1-E-AAAAAAB")
    stopped = Play.replay(code.deal(), code.rules, "d52" + end)
    assert solve_play(stopped) == Solution(Best(2, None), "")
    found = solve_line(code.deal(), code.rules, "d52" + end)
    assert [best.won for best in found] == [True, True, True, True, False]
    assert found[-1] == Best(2, None)


def test_a_block_and_its_acceptance_have_one_result():
    play = Play.from_text("S 5H/-/-/-/-/-/- 2C 9D")
    for action in "dg":
        play.act(action)
    assert solve_play(play) == Solution(Best(34, None), "")
    deal = Play.from_text("S 5H/-/-/-/-/-/- 2C 9D").deal
    assert solve_line(deal, STRICT, "dudg") == [Best(34, None)] * 5


def test_undo_is_no_way_to_a_better_result():
    play = Play.from_text("E 3H/-/-/-/-/-/- 2C 9D")
    assert solve_play(play).best == Best(35, 1)
    play.act("d")
    assert solve_play(play).best == Best(34, None)


def test_a_journal_of_another_game():
    code = GameCode.parse("GO1-E-AAAAAAB")
    with pytest.raises(NotAdjacent):
        solve_line(code.deal(), code.rules, "1")
    with pytest.raises(UnknownAction):
        solve_line(code.deal(), code.rules, "x")


@pytest.mark.parametrize(
    ("text", "best", "line"),
    [
        # Nothing to do: won already, whatever the stock holds; blocked; only draws.
        ("E -/-/-/-/-/-/- 2C 9D8D", Best(35, 2), ""),
        ("E 5H/-/-/-/-/-/- 2C -", Best(34, None), ""),
        ("E 5H/-/-/-/-/-/- 2C 9DTD", Best(34, None), "dd"),
        # The 6 has to wait for the 5 above it, which no drawn card is needed for.
        ("E 6H5H/-/-/-/-/-/- 4C 9D7D", Best(35, 2), "11"),
        # The 5 is needed later on; only a free draw can keep it.
        ("E 5H/4SJC/-/-/-/-/- 6C TD6S", Best(35, 0), "d2d12"),
        ("XLQW0D 5H/4SJC/-/-/-/-/- 6C TD6S", Best(34, None), "1d2d"),
        # An empty waste takes any card.
        ("XLQW0E 5H/9H/-/-/-/-/- - 8DTS", Best(35, 1), "1d2"),
        # A joker goes on anything but a closed King, and anything goes on it.
        ("XLQA1D */9H/-/-/-/-/- KC -", Best(35, 0), "12"),
        ("XLNA1D */9H/-/-/-/-/- KC -", Best(33, None), ""),
    ],
)
def test_positions_that_can_be_solved_by_hand(text, best, line):
    play = Play.from_text(text)
    solution = solve_play(play)
    assert solution == Solution(best, line)
    check_line(solution, play.deal, play.rules)


@pytest.mark.parametrize("text", ["E", "C", "XLQA2E", "XLQW2E"])
def test_levels_that_are_computed_whole_and_in_parts_agree(text, monkeypatch):
    rules = RuleSet.parse(text)
    for number in range(3):
        deal = GameCode(1, rules, number * 104_729).deal()
        found = []
        for large in (1, 10**9):
            monkeypatch.setattr(solver, "_LARGE", large)
            solution = solve(deal, rules)
            check_line(solution, deal, rules)
            found.append((solution.best, solve_line(deal, rules, solution.line[:9])))
        assert found[0] == found[1]


@pytest.mark.parametrize("draw", ["any_time", "when_stuck"])
def test_a_stock_longer_than_any_real_one(draw):
    """Nearly a whole deck in the stock: more cards than the shorter masks have bits."""
    rules = RuleSet(draw=draw, king_ace="apart")
    for number in range(12):
        cards = GameCode(1, EASY, number).deal().cards()
        columns = [cards[3 * i : 3 * i + 3] for i in range(3)]
        deal = Deal((*columns, (), (), (), ()), cards[9], cards[10:])
        best = solve(deal, rules).best
        assert (best.cleared, best.stock_left) == reference.best(position(deal), rules.fields())


def test_results_compare_by_what_they_are_worth():
    ranked = [Best(0, None), Best(17, None), Best(34, None), Best(35, 0), Best(35, 7)]
    assert all(worse < better for worse, better in pairwise(ranked))
    assert [(b.strokes, b.strokes_below_par, b.app_score, b.won) for b in ranked] == [
        (35, 35, 0, False),
        (18, 18, 0, False),
        (1, 1, 330, False),
        (0, 0, 350, True),
        (0, -7, 350, True),
    ]


def modules_of(*arguments, given=""):
    """The modules that a run of Python loads, at the start of which it has none of ours."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.split("|")[2].strip() for line in lines}


def test_only_the_solver_loads_numpy():
    line = json.dumps({"code": "GO1-S-AAAAAAB"})
    assert "numpy" not in modules_of("-m", "games.engine", "play", given=line)
    assert "numpy" in modules_of("-m", "games.engine", "best", given=line)


def test_the_server_starts_without_numpy():
    loaded = modules_of("-c", "import golfsite.asgi")
    assert "games.engine" in loaded
    assert "numpy" not in loaded
