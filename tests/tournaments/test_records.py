"""What rounds come to."""

from datetime import date, timedelta
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tournaments.records import Days, Nine, Records, days_in_a_row

TODAY = date(2026, 11, 30)
days = st.sets(st.integers(0, 40).map(lambda ago: TODAY - timedelta(days=ago)), max_size=30)


@given(days)
def test_days_in_a_row(played):
    found = days_in_a_row(played, today=TODAY)
    runs = []
    day = TODAY - timedelta(days=41)
    while day <= TODAY:
        length = 0
        while day + timedelta(days=length) in played:
            length += 1
        if length:
            runs.append((length, day + timedelta(days=length - 1)))
        day += timedelta(days=length + 1)
    assert found.longest == max((length for length, _ in runs), default=0)
    if runs:
        assert found.longest_ended == next(e for length, e in runs if length == found.longest)
        length, ended = runs[-1]
        assert found.current == (length if ended >= TODAY - timedelta(days=1) else 0)
    else:
        assert found == Days()


def test_days_come_in_any_order_and_twice():
    played = [TODAY - timedelta(days=ago) for ago in (3, 1, 2, 1)]
    assert days_in_a_row(played, today=TODAY) == Days(3, 3, TODAY - timedelta(days=1))
    assert days_in_a_row(played, today=TODAY + timedelta(days=1)).current == 0


def nine(number, to_par, app_score=0):
    return Nine(1, number, TODAY, 45 + to_par, to_par, app_score)


def test_bests_are_the_first_of_their_kind():
    first, second, third = nine(1, -3, 100), nine(2, -3, 300), nine(3, 4, 300)
    found = Records((first, second, third))
    assert (found.best, found.best_app_score) == (first, second)
    assert found.average == Fraction(-2, 3)
    assert found.form(2) == (second, third)
    assert Records(()).best is Records(()).best_app_score is Records(()).average is None
