"""Totals, text against par, places: by examples, and by what holds for all boards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.scorecard import (
    HoleScore,
    RankBy,
    Reason,
    Standing,
    Totals,
    rank,
    to_par_text,
    totals,
)


def card(*strokes: int) -> Totals:
    """The totals of holes of par 5 with an app score of ten for each card cleared."""
    return totals(
        HoleScore(number, 5, stroke, 350 - 10 * stroke) for number, stroke in enumerate(strokes, 1)
    )


def places(table: list[Standing[str]]) -> list[tuple[str, str]]:
    return [(row.key, row.place_text) for row in table]


@pytest.mark.parametrize(
    ("to_par", "text"),
    [(0, "E"), (1, "+1"), (3, "+3"), (270, "+270"), (-1, "−1"), (-2, "−2"), (-45, "−45")],
)
def test_to_par_is_written_with_a_real_minus_sign(to_par: int, text: str) -> None:
    assert to_par_text(to_par) == text


def test_no_holes_are_level() -> None:
    assert totals([]) == Totals(thru=0, strokes=0, to_par=0, app_score=0)


def test_totals_add_up_final_holes_in_any_order() -> None:
    holes = [HoleScore(2, 5, 35, 0), HoleScore(1, 5, 0, 350), HoleScore(9, 4, -3, 350)]
    assert totals(holes) == Totals(thru=3, strokes=32, to_par=18, app_score=700)


def test_a_hole_is_not_counted_twice() -> None:
    with pytest.raises(ValueError, match="hole 4 is there twice"):
        totals([HoleScore(4, 5, 1, 340), HoleScore(4, 5, 2, 330)])


def test_ties_share_a_place_and_the_next_place_counts_them() -> None:
    entries = [
        ("Ann", card(*[4] * 9)),
        ("Bo", card(*[6] * 9)),
        ("Cy", card(*[5] * 9)),
        ("Di", card(*[5] * 9)),
        ("Ed", card(*[7] * 9)),
    ]
    table = rank(entries, holes=9, rank_by=RankBy.STROKES, closed=True)
    assert places(table) == [("Ann", "1"), ("Cy", "T2"), ("Di", "T2"), ("Bo", "4"), ("Ed", "5")]


def test_a_tie_for_the_first_place() -> None:
    entries = [("Ann", card(*[5] * 9)), ("Bo", card(*[5] * 9))]
    table = rank(entries, holes=9, rank_by=RankBy.STROKES, closed=True)
    assert places(table) == [("Ann", "T1"), ("Bo", "T1")]


def test_equals_are_listed_in_the_order_given() -> None:
    entries = [("Zoe", card(3)), ("Abe", card(3))]
    table = rank(entries, holes=9, rank_by=RankBy.STROKES, closed=False)
    assert [row.key for row in table] == ["Zoe", "Abe"]


def test_while_it_runs_fewer_holes_are_compared_by_to_par() -> None:
    entries = [("Ann", card(5, 5)), ("Bo", card(4)), ("Cy", Totals())]
    table = rank(entries, holes=9, rank_by=RankBy.STROKES, closed=False)
    assert places(table) == [("Bo", "1"), ("Ann", "2"), ("Cy", "–")]
    assert [row.reason for row in table] == [None, None, Reason.NO_HOLE]


def test_the_app_score_ranks_the_other_way_round() -> None:
    # 21 + 0 strokes are 0 + 350 points, 17 + 3 only 10 + 290: the two scores disagree.
    first = Totals(2, 21, 11, 350)
    second = Totals(2, 20, 10, 300)
    entries = [("Ann", first), ("Bo", second)]
    by_score = rank(entries, holes=2, rank_by=RankBy.APP_SCORE, closed=True)
    by_strokes = rank(entries, holes=2, rank_by=RankBy.STROKES, closed=True)
    assert places(by_score) == [("Ann", "1"), ("Bo", "2")]
    assert places(by_strokes) == [("Bo", "1"), ("Ann", "2")]


def test_after_the_close_a_card_with_unplayed_holes_has_no_place() -> None:
    entries = [("Ann", Totals()), ("Bo", card(0, 0)), ("Cy", card(*[9] * 9))]
    table = rank(entries, holes=9, rank_by=RankBy.STROKES, closed=True)
    assert places(table) == [("Cy", "1"), ("Bo", "–"), ("Ann", "–")]
    assert [row.reason for row in table] == [None, Reason.DNF, Reason.DNS]


ENTRIES = st.lists(
    st.lists(st.tuples(st.integers(-16, 35), st.integers(0, 350)), max_size=9).map(
        lambda holes: totals(
            HoleScore(number, 5, strokes, score) for number, (strokes, score) in enumerate(holes, 1)
        )
    ),
    max_size=30,
).map(lambda cards: list(enumerate(cards)))
BOARDS = st.tuples(ENTRIES, st.sampled_from(list(RankBy)), st.booleans())


def figure(total: Totals, rank_by: RankBy) -> int:
    return total.to_par if rank_by == RankBy.STROKES else -total.app_score


@given(BOARDS)
def test_a_place_is_one_more_than_how_many_are_better(
    board: tuple[list[tuple[int, Totals]], RankBy, bool],
) -> None:
    entries, rank_by, closed = board
    table = rank(entries, holes=9, rank_by=rank_by, closed=closed)
    placed = [row for row in table if row.place is not None]
    for row in placed:
        mine = figure(row.totals, rank_by)
        others = [figure(other.totals, rank_by) for other in placed if other.key != row.key]
        assert row.place == 1 + sum(other < mine for other in others)
        assert row.tied == (mine in others)
        assert row.place_text == f"T{row.place}" if row.tied else str(row.place)


@given(BOARDS)
def test_everybody_is_listed_once_and_those_without_a_place_last(
    board: tuple[list[tuple[int, Totals]], RankBy, bool],
) -> None:
    entries, rank_by, closed = board
    table = rank(entries, holes=9, rank_by=rank_by, closed=closed)
    assert {row.key: row.totals for row in table} == dict(entries)
    assert len(table) == len(entries)
    has_place = [row.place is not None for row in table]
    assert has_place == sorted(has_place, reverse=True)
    enough = 9 if closed else 1
    for row in table:
        assert (row.place is None) == (row.totals.thru < enough)
        assert (row.reason is None) == (row.place is not None)


@given(BOARDS, st.randoms())
def test_the_order_of_the_rows_decides_no_place(
    board: tuple[list[tuple[int, Totals]], RankBy, bool], random: object
) -> None:
    entries, rank_by, closed = board
    shuffled = list(entries)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first = rank(entries, holes=9, rank_by=rank_by, closed=closed)
    second = rank(shuffled, holes=9, rank_by=rank_by, closed=closed)
    assert {row.key: row for row in first} == {row.key: row for row in second}


@given(st.integers(-10_000, 10_000))
def test_to_par_text_can_be_read_back(to_par: int) -> None:
    text = to_par_text(to_par)
    assert (0 if text == "E" else int(text.replace("−", "-"))) == to_par
