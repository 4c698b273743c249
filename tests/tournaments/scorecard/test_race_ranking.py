"""Places of races: the figure, then the time, in which a margin is nobody's lead."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from tournaments.scorecard import (
    BY_CARDS,
    BY_TIME,
    RACE_MARGIN_MS,
    Hole,
    HoleScore,
    Line,
    RankBy,
    Reason,
    Terms,
    TieBreak,
    Unplayed,
    rank,
)

THREE = tuple(Hole(number, 5) for number in (1, 2, 3))
ONE = THREE[:1]
RACE = Terms(THREE, tie_break=TieBreak.RACE, unplayed=Unplayed.WORST, closed=True)
SPRINT = replace(RACE, holes=ONE)


def line(name: str, *holes: tuple[int, int], out: Reason | None = None) -> Line[str]:
    """A card of holes: strokes and the time in ms."""
    scores = (
        HoleScore(number, 5, strokes, max(0, 350 - 20 * strokes), time_ms)
        for number, (strokes, time_ms) in enumerate(holes, 1)
    )
    return Line(name, tuple(scores), out=out, name=name)


def places(lines: Sequence[Line[str]], terms: Terms = SPRINT) -> list[tuple[str, str]]:
    return [(row.key, row.place_text) for row in rank(lines, terms)]


def test_strokes_come_before_the_time() -> None:
    lines = [line("Ann", (3, 90_000)), line("Bo", (4, 20_000)), line("Cy", (3, 80_000))]
    assert places(lines) == [("Cy", "1"), ("Ann", "2"), ("Bo", "3")]


def test_within_the_margin_the_place_is_shared_and_beyond_it_is_not() -> None:
    def of(behind: int) -> list[tuple[str, str]]:
        return places([line("Ann", (0, 60_000)), line("Bo", (0, 60_000 + behind))])

    assert RACE_MARGIN_MS == 50
    assert of(0) == of(20) == of(50) == [("Ann", "T1"), ("Bo", "T1")]
    assert of(51) == [("Ann", "1"), ("Bo", "2")]


def test_a_long_chain_is_not_one_group() -> None:
    lines = [line(f"P{each}", (0, 60_000 + 40 * each)) for each in range(6)]
    assert places(lines) == [
        ("P0", "T1"), ("P1", "T1"), ("P2", "T3"), ("P3", "T3"), ("P4", "T5"), ("P5", "T5"),
    ]  # fmt: skip


def test_the_times_of_all_holes_are_added_up() -> None:
    ann = line("Ann", (0, 30_000), (0, 30_000), (0, 30_060))
    bo = line("Bo", (0, 30_020), (0, 30_020), (0, 30_000))
    assert places([ann, bo], RACE) == [("Bo", "T1"), ("Ann", "T1")]
    assert places([ann, replace(bo, scores=bo.scores[:2])], RACE)[0] == ("Ann", "1")


def test_who_has_not_raced_a_hole_is_behind_who_left_all_cards() -> None:
    """Neither has a time for it that could be compared: no time is not the best of times."""
    late = Line("Late", (HoleScore(2, 5, 0, 350, 1_000),), name="Late")
    slow = line("Slow", (35, 600_000), (0, 600_000))
    terms = replace(RACE, holes=THREE[:2])
    table = rank([late, slow], terms)
    assert [(row.key, row.place_text, row.unplayed) for row in table] == [
        ("Slow", "1", 0), ("Late", "2", 1),
    ]  # fmt: skip
    assert (table[0].ahead_on, table[1].behind_on) == (BY_TIME, BY_TIME)


def test_first_to_clear_counts_holes_then_cards_then_time() -> None:
    steady = line("Steady", (3, 9_000), (3, 9_000), (3, 9_000))
    bold = line("Bold", (0, 90_000), (0, 90_000), (20, 90_000))
    near = line("Near", (0, 95_000), (0, 95_000), (19, 95_000))
    table = rank([steady, bold, near], replace(RACE, rank_by=RankBy.CLEARED))
    assert [(row.key, row.place_text, row.figure) for row in table] == [
        ("Near", "1", 2), ("Bold", "2", 2), ("Steady", "3", 0),
    ]  # fmt: skip
    assert (table[0].ahead_on, table[1].behind_on) == (BY_CARDS, BY_CARDS)
    assert places([steady, bold, near], RACE)[0] == ("Steady", "1")


def test_a_race_is_parted_by_time_also_while_it_runs() -> None:
    terms = replace(RACE, closed=False)
    lines = [line("Ann", (2, 40_000)), line("Bo", (2, 30_000))]
    assert places(lines, terms) == [("Bo", "1"), ("Ann", "2")]


def test_who_is_out_shares_no_place() -> None:
    lines = [line("Ann", (0, 60_000), out=Reason.WITHDREW), line("Bo", (0, 60_010))]
    assert places(lines) == [("Bo", "1"), ("Ann", "–")]


CARDS = st.lists(
    st.lists(st.tuples(st.sampled_from([0, 1, 35]), st.integers(0, 160)), min_size=1, max_size=3),
    max_size=12,
)


@given(CARDS, st.sampled_from([RankBy.STROKES, RankBy.APP_SCORE, RankBy.CLEARED]))
def test_places_are_those_of_somebody_with_a_stop_watch(
    cards: list[list[tuple[int, int]]], rank_by: RankBy
) -> None:
    """Of each heap of equal figures whoever is within the margin of its fastest, and so on."""
    lines = {str(at): line(str(at), *card) for at, card in enumerate(cards)}

    def heap(name: str) -> tuple[int, ...]:
        strokes = [strokes for strokes, _ in cards[int(name)]]
        missing = 3 - len(strokes)
        filled = [*strokes, *[35] * missing]
        if rank_by == RankBy.APP_SCORE:
            return -sum(max(0, 350 - 20 * each) for each in strokes), missing
        if rank_by == RankBy.CLEARED:
            return -filled.count(0), sum(filled), missing
        return sum(filled), missing

    def time(name: str) -> int:
        return sum(time_ms for _, time_ms in cards[int(name)])

    expected: dict[str, str] = {}
    for _, equal in groupby(sorted(lines, key=heap), key=heap):
        left = sorted(equal, key=time)
        while left:
            group = [name for name in left if time(name) <= time(left[0]) + 50]
            place = len(expected) + 1
            text = f"T{place}" if len(group) > 1 else f"{place}"
            expected |= dict.fromkeys(group, text)
            left = left[len(group) :]
    table = rank(list(lines.values()), replace(RACE, rank_by=rank_by))
    assert {row.key: row.place_text for row in table} == expected
    assert [row.place for row in table] == sorted(row.place or 0 for row in table)
