from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import GameCode, Play, RuleSet, hint, longest_run


def position(text):
    play = Play.from_text(text)
    return play.rules, play.columns, play.waste


@pytest.mark.parametrize(
    ("text", "run", "named"),
    [
        # The 5 leads nowhere, the 7 to the 8 and the 9.
        ("E 5S/7S/8S/9S/-/-/- 6C KC", "234", "2"),
        # Both lead equally far: the lower column.
        ("E -/-/7S/5S/-/-/- 6C KC", "3", "3"),
        # The covered 4 is seen.
        ("E 7S/4S5S/-/-/-/-/- 6C KC", "22", "2"),
        # No free card fits.
        ("E 9S/-/-/-/-/-/- 6C KC", "", "d"),
        ("E 9S/-/-/-/-/-/- 6C -", "", None),
        # Round the corner under Easy only.
        ("E QS/2SAS/-/-/-/-/- KC KD", "22", "2"),
        ("C QS/AS/2S/-/-/-/- KC KD", "1", "1"),
        ("S QS/AS/2S/-/-/-/- KC KD", "", "d"),
        # A joker joins two runs.
        ("XLQA1D 5S/*/9S/TS/-/-/- 6C KC", "1234", "1"),
    ],
)
def test_a_hint_starts_the_longest_run(text, run, named):
    rules, columns, waste = position(text)
    assert longest_run(rules, columns, waste) == run
    assert hint(rules, columns, waste, len(Play.from_text(text).deal.stock)) == named


def test_any_card_may_start_on_an_empty_waste():
    rules, columns, waste = position("XLQA0E 9S/5S/7S/6S/-/-/- - KC")
    assert longest_run(rules, columns, waste) == "243"


def longest(rules, columns, waste):
    """Every run is tried; the first of the longest in the order of columns."""
    best = ""
    for i, column in enumerate(columns):
        if column and rules.fits(column[-1], waste):
            rest = (*columns[:i], column[:-1], *columns[i + 1 :])
            run = str(i + 1) + longest(rules, rest, column[-1])
            if len(run) > len(best):
                best = run
    return best


@given(
    st.integers(0, 26**7 - 1),
    st.sampled_from(["E", "C", "S"]),
    st.integers(0, 12),
)
def test_the_search_agrees_with_trying_everything(number, letter, draws):
    rules = RuleSet.parse(letter)
    play = Play(GameCode(1, rules, number).deal(), RuleSet.parse("E"))
    for _ in range(draws):
        play.act("d")
    assert longest_run(rules, play.columns, play.waste) == longest(rules, play.columns, play.waste)


def test_the_search_is_short_where_every_card_fits_on_many():
    """Seven columns of neighbours: trying every run would take hours."""
    columns = tuple(
        tuple(rank * 4 + suit for rank in ranks)
        for ranks, suit in [
            *product([(3, 4, 3, 4, 3), (4, 3, 4, 3, 4)], range(3)),
            ((5, 4, 5, 4, 5), 3),
        ]
    )
    run = longest_run(RuleSet(), columns, 4 * 4 + 3)
    assert len(run) == 35


def test_a_hint_does_not_know_the_stock():
    rules, columns, waste = position("E 5S/7S/8S/9S/-/-/- 6C KC")
    assert {hint(rules, columns, waste, left) for left in (0, 1, 16)} == {"2"}
