"""The arithmetic of fields, against plain definitions."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.figures import Course, Result, compare, field_figures, percent_of

figures_by_key = st.dictionaries(st.integers(1, 60), st.integers(-16, 35), max_size=40)


def fields():
    """A course of up to five holes, some void, and who has finished which of them."""
    results = st.integers(-16, 35).map(lambda strokes: Result(strokes, strokes))
    return st.integers(1, 5).flatmap(
        lambda holes: st.tuples(
            st.lists(st.booleans(), min_size=holes, max_size=holes).map(
                lambda void: [Course(n, 5, is_void) for n, is_void in enumerate(void, 1)]
            ),
            st.dictionaries(
                st.integers(1, 30),
                st.dictionaries(st.integers(1, holes), results, max_size=holes),
                max_size=12,
            ),
        )
    )


@given(figures_by_key)
def test_matchpoints_are_two_for_each_beaten_and_one_for_each_tie(figures):
    found = compare(figures)
    assert set(found) == set(figures)
    for key, mine in figures.items():
        others = [figure for other, figure in figures.items() if other != key]
        compared = found[key]
        assert compared.beaten == sum(figure > mine for figure in others)
        assert compared.tied == sum(figure == mine for figure in others)
        assert compared.others == len(others)
        assert compared.points == sum(2 if f > mine else 1 if f == mine else 0 for f in others)
        assert compared.percent == percent_of(compared.points, 2 * len(others))
    # What one wins the other loses: together half of the most that there are.
    count = len(figures)
    assert sum(compared.points for compared in found.values()) == count * max(0, count - 1)


@given(figures_by_key.filter(lambda figures: len(figures) > 1))
def test_shares_are_between_nothing_and_all(figures):
    found = compare(figures)
    best, worst = min(figures.values()), max(figures.values())
    for key, compared in found.items():
        assert compared.percent is not None
        assert compared.percentile is not None
        assert 0 <= compared.percentile <= compared.percent <= 100
        assert (compared.percent == 100) == (
            figures[key] == best and list(figures.values()).count(best) == 1
        )
        assert (compared.percent == 0) == (
            figures[key] == worst and list(figures.values()).count(worst) == 1
        )


def test_one_alone_is_compared_with_nobody():
    (alone,) = compare({7: 3}).values()
    assert (alone.points, alone.most, alone.percent, alone.percentile) == (0, 0, None, None)


@given(fields())
def test_a_hole_adds_up(given_field):
    course, cards = given_field
    found = field_figures(course, cards)
    assert [(hole.number, hole.is_void) for hole in found.holes] == [
        (hole.number, hole.is_void) for hole in course
    ]
    for hole in found.holes:
        strokes = [card[hole.number].strokes for card in cards.values() if hole.number in card]
        assert hole.results == len(strokes)
        assert hole.average == (Fraction(sum(strokes), len(strokes)) if strokes else None)
        assert [each for each, count in hole.distribution for _ in range(count)] == sorted(strokes)
        assert hole.cleared == len([each for each in strokes if each < 1])
        assert (hole.index is None) == (hole.is_void or not strokes)


@given(fields())
def test_the_stroke_index_goes_from_the_hardest_to_the_easiest(given_field):
    found = field_figures(*given_field)
    known = sorted((h for h in found.holes if h.index), key=lambda hole: hole.index or 0)
    assert [hole.index for hole in known] == list(range(1, len(known) + 1))
    averages = [hole.to_par for hole in known]
    assert averages == sorted(averages, reverse=True)
    assert found.hardest == (known[0] if known else None)
    assert found.easiest == (known[-1] if known else None)


@given(fields())
def test_what_some_gain_others_lose(given_field):
    course, cards = given_field
    found = field_figures(course, cards, gains=10**6)
    assert sum(entry.gained for entry in found.entries.values()) == 0
    assert set(found.entries) == set(cards)
    counted = {hole.number: hole for hole in found.holes if not hole.is_void}
    for key, entry in found.entries.items():
        numbers = cards[key].keys() & counted.keys()
        assert entry.thru == len(numbers)
        assert entry.gained == sum(
            (counted[n].average or 0) - cards[key][n].strokes for n in numbers
        )
        assert entry.points == sum(counted[n].compared[key].points for n in numbers)
        assert entry.most == sum(counted[n].compared[key].most for n in numbers)
    sizes = [gain.strokes for gain in found.gains]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == sum(entry.thru for entry in found.entries.values())
    assert field_figures(course, cards, gains=2).gains == found.gains[:2]


def test_the_figure_that_ranks_is_compared():
    cards = {1: {1: Result(0, -350)}, 2: {1: Result(3, -290)}, 3: {1: Result(2, -300)}}
    (hole,) = field_figures([Course(1, 5)], cards).holes
    assert [hole.compared[key].points for key in (1, 2, 3)] == [4, 0, 2]
    assert hole.average == Fraction(5, 3)
    assert hole.to_par == Fraction(-10, 3)
    assert hole.cleared_percent == Fraction(100, 3)


@pytest.mark.parametrize("course", [[], [Course(1, 5)]])
def test_nobody_has_played(course):
    found = field_figures(course, {})
    assert (found.hardest, found.easiest, found.gains, dict(found.entries)) == (None, None, (), {})
