"""The order of merit: points for places, shared by ties, the best results of a season."""

import doctest
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments import merit


def test_the_examples_hold() -> None:
    assert doctest.testmod(merit).failed == 0


def ranked(results: list[int]) -> dict[int, int]:
    """Places of players 0, 1, … by their results, the lowest first, equals sharing theirs."""
    return {player: 1 + sum(other < own for other in results) for player, own in enumerate(results)}


@given(st.lists(st.integers(0, 5), max_size=12), st.lists(st.integers(0, 100), max_size=8))
def test_a_tie_makes_and_loses_nothing(results: list[int], points: list[int]) -> None:
    points.sort(reverse=True)
    worth = merit.share(ranked(results), points)
    assert sum(worth.values()) == sum(points[: len(results)])


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_a_better_place_is_never_worth_less(results: list[int]) -> None:
    places = ranked(results)
    worth = merit.share(places, merit.USUAL_POINTS)
    by_place = [worth[player] for player in sorted(places, key=lambda player: places[player])]
    assert by_place == sorted(by_place, reverse=True)


def totals(lines: list[merit.Line[str]]) -> list[tuple[str, str, str]]:
    return [(line.place_text, line.player, f"{line.shown}") for line in lines]


SEASON = [{"Ann": 1, "Bo": 2, "Cy": 3}, {"Bo": 1, "Ann": 2}, {"Cy": 1, "Ann": 2, "Bo": 3}]


def test_all_results_count_unless_a_number_is_given() -> None:
    lines = merit.table(SEASON, points=[10, 6, 3])
    assert totals(lines) == [("1", "Ann", "22"), ("2", "Bo", "19"), ("3", "Cy", "13")]
    assert [score.counts for line in lines for score in line.scores] == [True] * 8


def test_the_best_count() -> None:
    lines = merit.table(SEASON, points=[10, 6, 3], best_of=1)
    assert totals(lines) == [("T1", "Ann", "10"), ("T1", "Bo", "10"), ("T1", "Cy", "10")]
    ann = lines[0]
    assert [(score.event, score.place, score.counts) for score in ann.scores] == [
        (0, 1, True),
        (1, 2, False),
        (2, 2, False),
    ]


def test_of_equal_results_the_earlier_counts() -> None:
    (line,) = merit.table([{"Ann": 1}, {"Ann": 1}, {"Ann": 1}], points=[5], best_of=2)
    assert [score.counts for score in line.scores] == [True, True, False]
    assert line.total == 10


def test_who_is_not_in_the_table_keeps_the_place() -> None:
    lines = merit.table([{"guest": 1, "Ann": 2}], points=[10, 6], among={"Ann": None})
    assert totals(lines) == [("1", "Ann", "6")]


def test_a_place_without_points_is_in_the_table() -> None:
    lines = merit.table([{"Ann": 1, "Bo": 2}], points=[10])
    assert totals(lines) == [("1", "Ann", "10"), ("2", "Bo", "0")]


def test_the_place_after_a_tie_counts_all_before_it() -> None:
    lines = merit.table([{"Ann": 1, "Bo": 1, "Cy": 3}], points=[10, 6, 3])
    assert totals(lines) == [("T1", "Ann", "8"), ("T1", "Bo", "8"), ("3", "Cy", "3")]


def test_thirds_add_up_to_wholes() -> None:
    tied = {"Ann": 1, "Bo": 1, "Cy": 1}
    lines = merit.table([tied, tied, tied], points=[10])
    assert {line.total for line in lines} == {Fraction(10)}


def test_a_season_without_a_result() -> None:
    assert merit.table([], points=[10]) == []
    assert merit.table([{}], points=[10]) == []


@pytest.mark.parametrize(
    ("points", "text"), [("0", "0"), ("100", "100"), ("12.50", "12.5"), ("1/3", "0.33")]
)
def test_points_are_shown_with_two_decimals_at_most(points: str, text: str) -> None:
    assert f"{merit.rounded(Fraction(points))}" == text
