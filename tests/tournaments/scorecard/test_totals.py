"""Totals, and how a figure against par is written."""

import doctest
import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.scorecard import HoleScore, Totals, to_par_text, totals


@pytest.mark.parametrize("name", ["totals", "ranking", "formats", "handicap"])
def test_the_examples_are_true(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"tournaments.scorecard.{name}"))
    assert (done.failed, done.attempted > 0) == (0, True)


@pytest.mark.parametrize(
    ("to_par", "text"),
    [(0, "E"), (1, "+1"), (3, "+3"), (270, "+270"), (-1, "−1"), (-2, "−2"), (-45, "−45")],
)
def test_to_par_is_written_with_a_real_minus_sign(to_par: int, text: str) -> None:
    assert to_par_text(to_par) == text


@given(st.integers(-10_000, 10_000))
def test_to_par_text_can_be_read_back(to_par: int) -> None:
    text = to_par_text(to_par)
    assert (0 if text == "E" else int(text.replace("−", "-"))) == to_par


def test_no_holes_are_level() -> None:
    assert totals([]) == Totals(thru=0, strokes=0, to_par=0, app_score=0)


def test_totals_add_up_final_holes_in_any_order() -> None:
    holes = [HoleScore(2, 5, 35, 0), HoleScore(1, 5, 0, 350), HoleScore(9, 4, -3, 350)]
    assert totals(holes) == Totals(thru=3, strokes=32, to_par=18, app_score=700)


def test_a_hole_is_not_counted_twice() -> None:
    with pytest.raises(ValueError, match="hole 4 is there twice"):
        totals([HoleScore(4, 5, 1, 340), HoleScore(4, 5, 2, 330)])
