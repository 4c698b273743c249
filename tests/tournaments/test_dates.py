"""Wall clocks and calendars: clocks put forward and back, ends of months, weekdays."""

import doctest
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments import dates
from tournaments.dates import Every

wall = datetime.fromisoformat
SOFIA = ZoneInfo("Europe/Sofia")
SKIPPED = wall("2026-03-29T03:30")  # 03:00 is 04:00
TWICE = wall("2026-10-25T03:30")  # 04:00 is 03:00


def test_the_examples_hold() -> None:
    assert doctest.testmod(dates).failed == 0


def test_a_time_of_an_ordinary_day() -> None:
    noon = wall("2026-06-01T12:00")
    assert dates.at(noon, SOFIA) == datetime(2026, 6, 1, 9, tzinfo=UTC)
    assert (dates.exists(noon, SOFIA), dates.comes_twice(noon, SOFIA)) == (True, False)


@pytest.mark.parametrize(
    ("minutes", "there"), [(-31, True), (-30, False), (0, False), (29, False), (30, True)]
)
def test_the_hour_that_is_left_out(minutes: int, there: bool) -> None:
    moment = SKIPPED + timedelta(minutes=minutes)
    assert dates.exists(moment, SOFIA) is there
    assert not dates.comes_twice(moment, SOFIA)


def test_a_time_that_is_left_out_is_an_hour_later() -> None:
    shown = dates.wall(dates.at(SKIPPED, SOFIA), SOFIA)
    assert shown == SKIPPED + timedelta(hours=1)


@pytest.mark.parametrize(
    ("minutes", "twice"), [(-31, False), (-30, True), (0, True), (29, True), (30, False)]
)
def test_the_hour_that_comes_twice(minutes: int, twice: bool) -> None:
    moment = TWICE + timedelta(minutes=minutes)
    assert dates.comes_twice(moment, SOFIA) is twice
    assert dates.exists(moment, SOFIA)


def test_of_two_times_the_first_is_meant() -> None:
    assert dates.at(TWICE, SOFIA) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_half_an_hour_and_a_whole_day_are_left_out_too() -> None:
    assert not dates.exists(wall("2026-10-04T02:15"), ZoneInfo("Australia/Lord_Howe"))
    assert dates.exists(wall("2026-10-04T02:45"), ZoneInfo("Australia/Lord_Howe"))
    assert not dates.exists(wall("2011-12-30T12:00"), ZoneInfo("Pacific/Apia"))


@given(
    st.datetimes(wall("2020-01-01T00:00"), wall("2035-01-01T00:00")),
    st.sampled_from(["Europe/Sofia", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"]),
)
def test_what_is_read_off_a_clock_is_found_again(time: datetime, zone_name: str) -> None:
    zone = ZoneInfo(zone_name)
    shown = dates.wall(time.replace(tzinfo=UTC), zone)
    assert dates.exists(shown, zone)
    late = time.replace(tzinfo=UTC) - dates.at(shown, zone)
    assert (late > timedelta(0)) <= dates.comes_twice(shown, zone)


@pytest.mark.parametrize(
    ("day", "every", "anchor", "expected"),
    [
        (date(2026, 3, 28), Every.DAY, 1, date(2026, 3, 29)),
        (date(2026, 12, 31), Every.DAY, 1, date(2027, 1, 1)),
        (date(2026, 12, 28), Every.WEEK, 1, date(2027, 1, 4)),
        (date(2026, 12, 31), Every.MONTH, 31, date(2027, 1, 31)),
        (date(2028, 1, 30), Every.MONTH, 30, date(2028, 2, 29)),
        (date(2026, 2, 28), Every.MONTH, 30, date(2026, 3, 30)),
        (date(2026, 4, 30), Every.MONTH, 31, date(2026, 5, 31)),
        (date(2026, 4, 7), Every.MONTH, 7, date(2026, 5, 7)),
    ],
)
def test_the_next_day(day: date, every: Every, anchor: int, expected: date) -> None:
    assert dates.following(day, every, anchor_day=anchor) == expected


@given(st.dates(date(2020, 1, 1), date(2035, 1, 1)), st.integers(0, 24))
def test_the_same_weekday_is_in_that_month(day: date, months: int) -> None:
    found = dates.same_weekday(day, months=months)
    assert found.weekday() == day.weekday()
    assert (found.year * 12 + found.month) - (day.year * 12 + day.month) == months
    which, meant = (found.day - 1) // 7, (day.day - 1) // 7
    assert which == meant or (meant == 4 and which == 3)
