"""Places: by examples from golf, and by what holds for every field."""

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.scorecard import (
    BY_TIME,
    Hole,
    HoleScore,
    Line,
    RankBy,
    Ranking,
    Reason,
    Standing,
    Terms,
    TieBreak,
    Totals,
    Unplayed,
    club_handicap,
    countback_steps,
    handicap_strokes,
    rank,
    stableford_points,
    totals,
)

NINE = tuple(Hole(number, 5) for number in range(1, 10))
OPEN, CLOSED = Terms(NINE), Terms(NINE, closed=True)
COUNTBACK = replace(CLOSED, tie_break=TieBreak.COUNTBACK)


def line(name: str, *strokes: int, out: Reason | None = None) -> Line[str]:
    """A card of holes of par 5 with an app score of ten for each card cleared."""
    scores = (
        HoleScore(number, 5, each, 350 - 10 * each, 1000 * number)
        for number, each in enumerate(strokes, 1)
    )
    return Line(name, tuple(scores), out=out, name=name)


def places(table: Sequence[Standing[str]]) -> list[tuple[str, str]]:
    return [(row.key, row.place_text) for row in table]


# --- places ------------------------------------------------------------------------------------


def test_ties_share_a_place_and_the_next_place_counts_them() -> None:
    lines = [
        line("Ann", *[4] * 9),
        line("Bo", *[6] * 9),
        line("Cy", *[5] * 9),
        line("Di", *[5] * 9),
        line("Ed", *[7] * 9),
    ]
    assert places(rank(lines, CLOSED)) == [
        ("Ann", "1"), ("Cy", "T2"), ("Di", "T2"), ("Bo", "4"), ("Ed", "5"),
    ]  # fmt: skip


def test_a_tie_for_the_first_place_is_listed_by_name() -> None:
    lines = [line("Bo", *[5] * 9), line("Ann", *[5] * 9)]
    assert places(rank(lines, CLOSED)) == [("Ann", "T1"), ("Bo", "T1")]


def test_while_it_runs_fewer_holes_are_compared_by_to_par() -> None:
    table = rank([line("Ann", 5, 5), line("Bo", 4), line("Cy")], OPEN)
    assert places(table) == [("Bo", "1"), ("Ann", "2"), ("Cy", "–")]
    assert [row.reason for row in table] == [None, None, Reason.NO_HOLE]
    assert [row.figure for row in table] == [-1, 0, None]


def test_the_app_score_ranks_the_other_way_round() -> None:
    # 21 + 0 strokes are 0 + 350 points, 17 + 3 only 10 + 290: the two scores disagree.
    ann = Line("Ann", (HoleScore(1, 5, 21, 0), HoleScore(2, 5, 0, 350)))
    bo = Line("Bo", (HoleScore(1, 5, 17, 10), HoleScore(2, 5, 3, 290)))
    terms = Terms(NINE[:2], closed=True)
    by_score = rank([ann, bo], replace(terms, rank_by=RankBy.APP_SCORE))
    assert places(by_score) == [("Ann", "1"), ("Bo", "2")]
    assert [row.figure for row in by_score] == [350, 300]
    assert places(rank([ann, bo], terms)) == [("Bo", "1"), ("Ann", "2")]


def test_after_the_close_a_card_with_unplayed_holes_has_no_place() -> None:
    table = rank([line("Ann"), line("Bo", 0, 0), line("Cy", *[9] * 9)], CLOSED)
    assert places(table) == [("Cy", "1"), ("Bo", "–"), ("Ann", "–")]
    assert [row.reason for row in table] == [None, Reason.DNF, Reason.DNS]


def test_unplayed_holes_may_count_as_the_worst() -> None:
    terms = replace(CLOSED, unplayed=Unplayed.WORST)
    lines = [line("Ann"), line("Bo", *[0] * 8), line("Cy", *[4] * 9), line("Di", *[1] * 7)]
    table = rank(lines, terms)
    assert places(table) == [("Bo", "1"), ("Cy", "2"), ("Di", "3"), ("Ann", "–")]
    assert [row.unplayed for row in table] == [1, 0, 2, 0]
    assert table[0].totals == Totals(thru=9, strokes=35, to_par=-10, app_score=8 * 350)
    assert table[2].totals == Totals(thru=9, strokes=77, to_par=32, app_score=7 * 340)
    assert table[3].reason == Reason.DNS  # who never started did not start
    before = rank(lines, replace(terms, closed=False))
    assert [row.unplayed for row in before] == [0, 0, 0, 0]


def test_those_without_a_place_stand_last_with_the_reason() -> None:
    outs = [
        Reason.DISQUALIFIED, Reason.WITHDREW, Reason.NOT_RANKED, Reason.MISSED_CUT, None,
    ]  # fmt: skip
    lines = [line(f"P{at}", *[at] * 9, out=out) for at, out in enumerate(outs)]
    lines += [line("Half", 1, 1), line("None")]
    table = rank(lines, CLOSED)
    assert [(row.key, row.place, row.reason) for row in table] == [
        ("P4", 1, None),
        ("P3", None, Reason.MISSED_CUT),
        ("Half", None, Reason.DNF),
        ("P2", None, Reason.NOT_RANKED),
        ("P1", None, Reason.WITHDREW),
        ("P0", None, Reason.DISQUALIFIED),
        ("None", None, Reason.DNS),
    ]
    assert table[-2].totals == Totals(9, 0, -45, 9 * 350)  # the figures are shown all the same


def test_a_void_hole_counts_for_nobody() -> None:
    holes = tuple(hole._replace(is_void=hole.number == 3) for hole in NINE)
    lines = [line("Ann", 5, 5, 35, *[5] * 6), line("Bo", 5, 5, 0, *[5] * 6), line("Cy", 5, 5, 5)]
    table = rank(lines, replace(CLOSED, holes=holes))
    assert places(table) == [("Ann", "T1"), ("Bo", "T1"), ("Cy", "–")]
    assert table[0].totals == Totals(thru=8, strokes=40, to_par=0, app_score=2400)


def test_nothing_is_left_when_all_holes_are_void() -> None:
    holes = tuple(hole._replace(is_void=True) for hole in NINE)
    (row,) = rank([line("Ann", *[5] * 9)], replace(CLOSED, holes=holes))
    assert (row.totals, row.place_text, row.reason) == (Totals(), "–", Reason.NO_HOLE)


# --- countback ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ann", "bo", "step"),
    [
        # Both took 45. The last six: 29 to 31.
        ([6, 5, 5, 5, 5, 5, 5, 5, 4], [4, 5, 5, 6, 5, 5, 5, 5, 5], 6),
        # The last six are equal, 30; the last three: 14 to 15.
        ([5, 5, 5, 6, 5, 5, 5, 5, 4], [5, 5, 5, 5, 5, 5, 5, 5, 5], 3),
        # The last three are equal too, 15; the last hole: 4 to 5.
        ([5, 5, 5, 5, 5, 5, 6, 5, 4], [5, 5, 5, 5, 5, 5, 5, 5, 5], 1),
    ],
)
def test_the_last_holes_part_a_tie(ann: list[int], bo: list[int], step: int) -> None:
    table = rank([line("Bo", *bo), line("Ann", *ann)], COUNTBACK)
    assert places(table) == [("Ann", "1"), ("Bo", "2")]
    assert [(row.ahead_on, row.behind_on) for row in table] == [(step, None), (None, step)]
    assert places(rank([line("Bo", *bo), line("Ann", *ann)], CLOSED)) == [
        ("Ann", "T1"),
        ("Bo", "T1"),
    ]


def test_what_the_countback_cannot_part_is_shared() -> None:
    lines = [
        line("Ann", 4, 6, *[5] * 7), line("Bo", 6, 4, *[5] * 7), line("Cy", 6, 5, *[5] * 6, 4),
    ]  # fmt: skip
    table = rank(lines, COUNTBACK)
    assert places(table) == [("Cy", "1"), ("Ann", "T2"), ("Bo", "T2")]
    assert [(row.ahead_on, row.behind_on) for row in table] == [(6, None), (None, 6), (None, 6)]


def test_the_time_parts_only_where_that_was_chosen() -> None:
    fast, slow = line("Zoe", *[5] * 9), line("Abe", *[5] * 9)
    fast = replace(fast, scores=tuple(score._replace(time_ms=1) for score in fast.scores))
    assert places(rank([slow, fast], COUNTBACK)) == [("Abe", "T1"), ("Zoe", "T1")]
    table = rank([slow, fast], replace(COUNTBACK, tie_break=TieBreak.TIME))
    assert places(table) == [("Zoe", "1"), ("Abe", "2")]
    assert [(row.ahead_on, row.behind_on) for row in table] == [(BY_TIME, None), (None, BY_TIME)]


def test_a_tie_is_parted_once_everybody_in_it_has_finished() -> None:
    ahead, behind = line("Zoe", 6, *[5] * 7, 4), line("Abe", *[5] * 9)
    running = replace(COUNTBACK, closed=False)
    mixed = rank([ahead, behind, line("Mia", 5, 5)], running)
    assert {row.key: row.place_text for row in mixed} == {"Zoe": "T1", "Abe": "T1", "Mia": "T1"}
    assert [row.ahead_on for row in mixed] == [None, None, None]
    parted = rank([ahead, behind, line("Mia", 5, 6)], running)
    assert places(parted) == [("Zoe", "1"), ("Abe", "2"), ("Mia", "3")]


def test_from_eighteen_holes_on_the_last_nine_come_first() -> None:
    holes = tuple(Hole(number, 5) for number in range(1, 19))
    terms = replace(COUNTBACK, holes=holes)
    # Out in 46 and back in 44, against 45 and 45; the last six are 30 to 29.
    ann = line("Ann", 6, *[5] * 8, *[4, 5, 5], *[5] * 6)
    bo = line("Bo", *[5] * 9, *[6, 5, 5], *[5] * 5, 4)
    table = rank([bo, ann], terms)
    assert places(table) == [("Ann", "1"), ("Bo", "2")]
    assert table[0].ahead_on == 9


def test_void_holes_are_left_out_of_the_countback() -> None:
    holes = tuple(hole._replace(is_void=hole.number == 9) for hole in NINE)
    # Without the ninth hole the last three are the sixth to the eighth.
    ann, bo = line("Ann", 6, 5, 5, 5, 5, 4, 5, 5, 35), line("Bo", *[5] * 8, 0)
    table = rank([bo, ann], replace(COUNTBACK, holes=holes))
    assert places(table) == [("Ann", "1"), ("Bo", "2")]
    assert table[0].ahead_on == 6


def test_the_countback_compares_the_figure_that_ranks() -> None:
    # Equal app scores, but the better strokes lie elsewhere than the better points.
    ann = Line("Ann", (HoleScore(1, 5, 0, 200), HoleScore(2, 5, 9, 300)), name="Ann")
    bo = Line("Bo", (HoleScore(1, 5, 9, 300), HoleScore(2, 5, 0, 200)), name="Bo")
    terms = Terms(NINE[:2], tie_break=TieBreak.COUNTBACK, closed=True)
    assert places(rank([ann, bo], terms)) == [("Bo", "1"), ("Ann", "2")]
    by_score = rank([ann, bo], replace(terms, rank_by=RankBy.APP_SCORE))
    assert places(by_score) == [("Ann", "1"), ("Bo", "2")]


# --- other formats -----------------------------------------------------------------------------


def test_stableford_forgives_a_bad_hole() -> None:
    ann, bo = line("Ann", 35, *[4] * 8), line("Bo", *[6] * 9)
    table = rank([bo, ann], replace(CLOSED, rank_by=RankBy.STABLEFORD))
    assert places(table) == [("Ann", "1"), ("Bo", "2")]
    assert [row.figure for row in table] == [24, 9]
    assert places(rank([bo, ann], CLOSED)) == [("Bo", "1"), ("Ann", "2")]


def test_net_takes_the_handicap_off() -> None:
    ann = replace(line("Ann", *[7] * 9), handicap=150)
    bo = replace(line("Bo", *[6] * 9), handicap=35)
    cy = line("Cy", *[5] * 9)
    table = rank([bo, ann, cy], replace(CLOSED, rank_by=RankBy.NET))
    assert [(row.key, row.place_text, row.figure, row.reason) for row in table] == [
        ("Ann", "1", 3, None),
        ("Bo", "2", 5, None),
        ("Cy", "–", None, Reason.NO_HANDICAP),
    ]


def test_net_goes_by_the_holes_that_were_played() -> None:
    ann = replace(line("Ann", 10, 10, 10), handicap=150)
    (row,) = rank([ann], replace(OPEN, rank_by=RankBy.NET))
    assert row.figure == 15 - 5


def test_a_countback_of_net_figures_takes_a_part_of_the_handicap() -> None:
    # Both are level: 18 over with 18 taken off, and par without. The last six: 12 over less 12,
    # against 1 under; so Bo is ahead, who would be by gross figures too, but on other terms.
    ann = replace(line("Ann", *[7] * 9), handicap=180)
    bo = replace(line("Bo", 6, 5, 5, 5, 5, 5, 5, 5, 4), handicap=0)
    cy = replace(line("Cy", 4, 5, 5, 5, 5, 5, 5, 5, 6), handicap=0)
    table = rank([cy, ann, bo], replace(COUNTBACK, rank_by=RankBy.NET))
    assert places(table) == [("Bo", "1"), ("Ann", "2"), ("Cy", "3")]
    assert [(row.ahead_on, row.behind_on) for row in table] == [(6, None), (6, 6), (None, 6)]


# --- a ranking that goes on --------------------------------------------------------------------


def test_a_ranking_takes_results_one_by_one() -> None:
    lines = {each.key: each for each in (line("Ann", 5), line("Bo", 4, 9), line("Cy", 3))}
    ranking = Ranking([lines["Ann"], line("Bo", 4)], OPEN)
    ranking.put(lines["Cy"])
    ranking.put(lines["Bo"])
    ranking.drop("Nobody")
    assert ranking.keys() == ["Cy", "Ann", "Bo"]
    assert [ranking.standing(at, lines[key]).place for at, key in enumerate(ranking.keys())] == [
        1,
        2,
        3,
    ]
    ranking.drop("Cy")
    assert (ranking.keys(), ranking.index("Bo"), len(ranking)) == (["Ann", "Bo"], 1, 2)
    assert ranking.standing(1, lines["Bo"]) == rank([lines["Ann"], lines["Bo"]], OPEN)[1]
    with pytest.raises(KeyError):
        ranking.index("Cy")


# --- what holds for every field ----------------------------------------------------------------

SCORES = st.tuples(st.integers(3, 7), st.sampled_from([0, 250, 350]), st.integers(0, 2))
OUTS = st.sampled_from(
    [None] * 5 + [Reason.WITHDREW, Reason.DISQUALIFIED, Reason.MISSED_CUT, Reason.NOT_RANKED]
)


#: Races have a margin, so that places are no matter of two: `test_race_ranking`.
NOT_RACED = tuple(each for each in TieBreak if each != TieBreak.RACE)


@st.composite
def fields(
    draw: st.DrawFn, of: Sequence[TieBreak] = tuple(TieBreak)
) -> tuple[list[Line[int]], Terms]:
    """A field of entries on a course, few enough figures for many ties."""
    course = tuple(
        Hole(number, draw(st.integers(4, 5)), draw(st.booleans()) and draw(st.booleans()))
        for number in range(1, draw(st.sampled_from([1, 3, 9, 18])) + 1)
    )
    terms = Terms(
        course,
        rank_by=draw(st.sampled_from(list(RankBy))),
        tie_break=draw(st.sampled_from(of)),
        unplayed=draw(st.sampled_from(list(Unplayed))),
        closed=draw(st.booleans()),
    )
    lines = []
    for key in range(draw(st.integers(0, 8))):
        thru = draw(st.sampled_from([0, 1, len(course), len(course), len(course)]))
        base = draw(st.lists(SCORES, min_size=1, max_size=2))
        scores = tuple(
            HoleScore(hole.number, hole.par, *base[draw(st.integers(0, len(base) - 1))])
            for hole in course[:thru]
        )
        handicap = draw(st.sampled_from([None, 0, 45, 123]))
        lines.append(Line(key, scores, draw(OUTS), name="ab"[key % 2], handicap=handicap))
    return lines, terms


def results(table: Sequence[Standing[int]]) -> dict[int, tuple[str, Reason | None]]:
    return {row.key: (row.place_text, row.reason) for row in table}


@given(fields(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_decides_nothing(
    field: tuple[list[Line[int]], Terms], chance: random.Random
) -> None:
    lines, terms = field
    shuffled = list(lines)
    chance.shuffle(shuffled)
    assert rank(shuffled, terms) == rank(lines, terms)


@given(fields(), st.randoms(use_true_random=False))
def test_a_ranking_that_grew_is_the_one_made_at_once(
    field: tuple[list[Line[int]], Terms], chance: random.Random
) -> None:
    lines, terms = field
    before = [replace(each, scores=each.scores[: chance.randrange(10)]) for each in lines]
    ranking = Ranking(before[: chance.randrange(9)], terms)
    for each in lines:
        ranking.put(each)
    keys = ranking.keys()
    table = [ranking.standing(at, lines[key]) for at, key in enumerate(keys)]
    assert table == rank(lines, terms)
    assert [ranking.index(key) for key in keys] == list(range(len(lines)))
    assert ranking.keys(1, 3) == keys[1:3]


@given(fields())
def test_who_has_no_place_matters_to_nobody(field: tuple[list[Line[int]], Terms]) -> None:
    lines, terms = field
    table = rank(lines, terms)
    ranked = [row.key for row in table if row.place is not None]
    alone = rank([each for each in lines if each.key in ranked], terms)
    assert alone == table[: len(ranked)]
    assert all(row.reason is not None for row in table[len(ranked) :])


@given(fields())
def test_a_void_hole_is_as_if_it_had_never_been(field: tuple[list[Line[int]], Terms]) -> None:
    lines, terms = field
    void = {hole.number for hole in terms.holes if hole.is_void}
    without = [
        replace(each, scores=tuple(one for one in each.scores if one.number not in void))
        for each in lines
    ]
    assert rank(without, replace(terms, holes=terms.counted)) == rank(lines, terms)


def reckon(each: Line[int], terms: Terms, last: int) -> Fraction:
    """The figure of the last so many holes of a card, the less the better."""
    holes = [hole for hole in terms.holes if not hole.is_void]
    scores = {score.number: score for score in each.scores}
    figure = Fraction(0)
    for hole in holes[len(holes) - last :]:
        score = scores.get(hole.number) or HoleScore(hole.number, hole.par, 35, 0)
        figure += {
            RankBy.APP_SCORE: -score.app_score,
            RankBy.STABLEFORD: -stableford_points(hole.par, score.strokes),
            RankBy.CLEARED: -(score.strokes <= 0),
        }.get(terms.rank_by, score.strokes - hole.par)
    if terms.rank_by == RankBy.NET:
        taken = handicap_strokes(each.handicap or 0, len(holes))
        figure -= Fraction(taken * last, len(holes))
    return figure


def better(one: Line[int], other: Line[int], terms: Terms) -> int:
    """Compare two complete cards as one would on paper: below zero if the first is better."""
    holes = {hole.number for hole in terms.holes if not hole.is_void}
    lasts = [len(holes)]
    if terms.tie_break != TieBreak.SHARED:
        lasts += [9] * (len(holes) >= 18) + [last for last in (6, 3, 1) if last < len(holes)]
    leads: list[Fraction | int] = [
        reckon(one, terms, last) - reckon(other, terms, last) for last in lasts
    ]
    if terms.tie_break == TieBreak.TIME:
        times = [
            sum(score.time_ms for score in each.scores if score.number in holes)
            for each in (one, other)
        ]
        leads.append(times[0] - times[1])
    lead = next((lead for lead in leads if lead), 0)
    return (lead > 0) - (lead < 0)


@given(fields(of=NOT_RACED))
def test_places_agree_with_a_comparison_of_each_with_each(
    field: tuple[list[Line[int]], Terms],
) -> None:
    lines, terms = field
    terms = replace(terms, closed=True)
    table = [row for row in rank(lines, terms) if row.place is not None]
    cards = {each.key: each for each in lines}
    for row in table:
        compared = [better(cards[other.key], cards[row.key], terms) for other in table]
        assert row.place == 1 + sum(result < 0 for result in compared)
        assert row.tied == (compared.count(0) > 1)
    by_hand = sorted(table, key=cmp_to_key(lambda a, b: better(cards[a.key], cards[b.key], terms)))
    assert [row.place for row in by_hand] == [row.place for row in table]


@given(fields(of=NOT_RACED))
def test_what_parted_a_tie_is_told_by_both_sides(field: tuple[list[Line[int]], Terms]) -> None:
    lines, terms = field
    table = [row for row in rank(lines, terms) if row.place is not None]
    for above, below in pairwise(table):
        if above.figure == below.figure and above.place != below.place:
            assert above.ahead_on == below.behind_on is not None
        if above.figure != below.figure:
            assert (above.ahead_on, below.behind_on) == (None, None)
    steps = {*countback_steps(len(terms.counted)), None}
    if terms.tie_break == TieBreak.TIME:
        steps.add(BY_TIME)
    assert {row.ahead_on for row in table} <= steps
    if terms.tie_break == TieBreak.SHARED:
        assert {row.ahead_on for row in table} <= {None}


@given(fields())
def test_everybody_is_listed_once_and_those_without_a_place_last(
    field: tuple[list[Line[int]], Terms],
) -> None:
    lines, terms = field
    table = rank(lines, terms)
    assert sorted(row.key for row in table) == [each.key for each in lines]
    has_place = [row.place is not None for row in table]
    assert has_place == sorted(has_place, reverse=True)
    counted = {hole.number for hole in terms.counted}
    for row in table:
        assert (row.reason is None) == (row.place is not None)
        if not row.unplayed:
            scores = next(each.scores for each in lines if each.key == row.key)
            assert row.totals == totals(one for one in scores if one.number in counted)


def test_the_handicap_of_a_field_is_a_clubs() -> None:
    rounds = [20, 12, 15]
    handicap = club_handicap(rounds)
    assert handicap == 135
    (row,) = rank([replace(line("Ann", *[7] * 9), handicap=handicap)],
                  replace(CLOSED, rank_by=RankBy.NET))  # fmt: skip
    assert row.figure == 18 - 14
