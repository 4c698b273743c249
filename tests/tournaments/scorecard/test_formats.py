"""Stableford and match play, by examples from golf."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.scorecard import (
    Hole,
    HoleScore,
    MatchState,
    club_handicap,
    handicap_strokes,
    play_match,
    rounds_that_count,
    stableford_points,
)

NINE = tuple(Hole(number, 5) for number in range(1, 10))


def card(*strokes: int | None) -> list[HoleScore]:
    return [
        HoleScore(number, 5, each, 350 - 10 * each)
        for number, each in enumerate(strokes, 1)
        if each is not None
    ]


@pytest.mark.parametrize(
    ("strokes", "points"),
    [(2, 5), (3, 4), (4, 3), (5, 2), (6, 1), (7, 0), (8, 0), (35, 0), (0, 7), (-16, 23)],
)
def test_the_table_of_stableford(strokes: int, points: int) -> None:
    assert stableford_points(5, strokes) == points


@pytest.mark.parametrize(
    ("first", "second", "up", "left", "state"),
    [
        # Three up with two to play: the match is over on the seventh green.
        ([4, 4, 4, 5, 5, 5, 5, 9, 9], [5, 5, 5, 5, 5, 5, 5, 1, 1], 3, 2, MatchState.WON),
        # One up on the last hole.
        ([5] * 8 + [4], [5] * 9, 1, 0, MatchState.WON),
        ([5] * 9, [5] * 8 + [4], -1, 0, MatchState.WON),
        ([4] + [5] * 7 + [6], [5] * 9, 0, 0, MatchState.HALVED),
        # Five up with four to play: as clear as nine holes can be.
        ([4] * 9, [5] * 9, 5, 4, MatchState.WON),
        # Still going on.
        ([5] * 3, [5] * 3, 0, 6, MatchState.ALL_SQUARE),
        ([4] + [5] * 2, [5] * 3, 1, 6, MatchState.UP),
        ([4, 4] + [5] * 5, [5] * 7, 2, 2, MatchState.DORMIE),
        ([4, 4] + [5] * 6, [5] * 7 + [4], 1, 1, MatchState.DORMIE),
        ([], [], 0, 9, MatchState.NOT_STARTED),
        # Only what both have played is compared.
        ([4] * 9, [5], 1, 8, MatchState.UP),
    ],
)
def test_how_a_match_stands(
    first: list[int], second: list[int], up: int, left: int, state: MatchState
) -> None:
    match = play_match(NINE, card(*first), card(*second))
    assert (match.up, match.left, match.state) == (up, left, state)
    assert (match.lead, match.leader) == (abs(up), None if up == 0 else 1 if up > 0 else 2)
    assert match.played + match.left == 9


def test_holes_are_told_one_by_one_until_it_is_decided() -> None:
    match = play_match(NINE, card(4, 6, *[4] * 7), card(*[5] * 9))
    assert [(hole.winner, hole.up) for hole in match.holes] == [
        (1, 1), (2, 0), (1, 1), (1, 2), (1, 3), (1, 4), (None, None), (None, None), (None, None),
    ]  # fmt: skip
    assert (match.up, match.left, match.state) == (4, 3, MatchState.WON)
    assert match.holes[8].first == HoleScore(9, 5, 4, 310)


def test_void_holes_are_left_out_of_a_match() -> None:
    holes = tuple(hole._replace(is_void=hole.number in (1, 2)) for hole in NINE)
    match = play_match(holes, card(*[4] * 9), card(*[5] * 9))
    assert [hole.winner for hole in match.holes] == [None, None, 1, 1, 1, 1, None, None, None]
    assert [hole.is_void for hole in match.holes[:3]] == [True, True, False]
    assert (match.up, match.left) == (4, 3)


def test_after_the_close_a_hole_is_lost_by_who_has_not_played_it() -> None:
    first, second = card(5, 5, 5, 5, 5), card(5, 5, 5)
    assert play_match(NINE, first, second).state == MatchState.ALL_SQUARE
    match = play_match(NINE, first, second, closed=True)
    assert [hole.winner for hole in match.holes] == [0, 0, 0, 1, 1, 0, 0, 0, None]
    assert (match.up, match.left, match.state) == (2, 1, MatchState.WON)
    assert play_match(NINE, [], [], closed=True).state == MatchState.HALVED


def test_a_match_by_app_score() -> None:
    first = [HoleScore(1, 5, 9, 300)]
    second = [HoleScore(1, 5, 5, 200)]
    assert play_match(NINE[:1], first, second).leader == 2
    assert play_match(NINE[:1], first, second, by_app_score=True).leader == 1


CARDS = st.lists(st.integers(3, 6), max_size=9).map(lambda strokes: card(*strokes))


@given(CARDS, CARDS, st.booleans())
def test_a_match_is_the_same_from_both_sides(
    first: list[HoleScore], second: list[HoleScore], closed: bool
) -> None:
    one = play_match(NINE, first, second, closed=closed)
    other = play_match(NINE, second, first, closed=closed)
    assert (one.up, one.left, one.state) == (-other.up, other.left, other.state)
    swapped = {1: 2, 2: 1, 0: 0, None: None}
    assert [swapped[hole.winner] for hole in other.holes] == [hole.winner for hole in one.holes]
    won = [hole.winner for hole in one.holes]
    assert one.up == won.count(1) - won.count(2)
    assert one.lead <= one.left + 2  # dormie, and then a hole won


# --- the handicap ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rounds", "tenths"),
    [
        ([], None),
        ([9, 9], None),
        ([30, 10, 20], 150),  # the best two of three
        ([10, 11, 12, 40, 40], 105),  # the best two of five
        ([1, 2, 4, 40, 40, 40, 40], 23),  # the best three of seven: 7/3 is 2.33…
        ([-3, -2, 5], -25),
        ([0, -1, 50, 50, 50], -5),
        ([*range(1, 21)], 45),  # the best eight of twenty: 1 to 8
        ([*range(21, 41), 0, 0, 0, 0], 245),  # only the last twenty are looked at
    ],
)
def test_a_handicap_is_the_mean_of_the_best(rounds: list[int], tenths: int | None) -> None:
    assert club_handicap(rounds) == tenths


def test_two_fifths_of_the_rounds_count() -> None:
    counted = [rounds_that_count(rounds) for rounds in range(3, 21)]
    assert counted == [2, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 8, 8, 8]


@pytest.mark.parametrize(
    ("tenths", "holes", "strokes"),
    [
        (124, 9, 12),
        (125, 9, 13),
        (-25, 9, -2),
        (-26, 9, -3),
        (124, 18, 25),
        (90, 1, 1),
        (124, 0, 0),
    ],
)
def test_a_handicap_takes_off_whole_strokes(tenths: int, holes: int, strokes: int) -> None:
    assert handicap_strokes(tenths, holes) == strokes
