"""Copies of a tournament: next month's, and those that are held again and again."""

import logging
import threading
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone, translation

from games.engine import CLASSIC, GameCode
from tournaments import dates, director, services
from tournaments.dates import Every
from tournaments.models import Club, Recurrence, Season, Tournament
from tournaments.services import RoundPlan
from tournaments.services import recurring as recurring_services

from .factories import new_club, new_draft, new_tournament

SOFIA = ZoneInfo("Europe/Sofia")
#: A Thursday, the second of its month.
OPENS = datetime.fromisoformat("2031-10-09T18:00+03:00")
CLOSES = datetime.fromisoformat("2031-10-09T21:30+03:00")
HOUR = timedelta(hours=1)


def wall(time: datetime | None) -> str:
    assert time is not None
    return dates.wall(time, SOFIA).isoformat(timespec="minutes")


def shown(tournament: Tournament) -> tuple[str, str]:
    return wall(tournament.opens_at), wall(tournament.closes_at)


@pytest.fixture
def club(db: None) -> Club:
    return new_club(slug="sofia", time_zone="Europe/Sofia")


def thursday(club: Club, **fields: Any) -> Tournament:
    values = {"name": "October Nine", "opens_at": OPENS, "closes_at": CLOSES}
    return new_tournament(club=club, **{**values, **fields})


# --- one copy ----------------------------------------------------------------------------------


def test_next_months_has_the_weekday_and_the_times_of_the_clubs_clock(club: Club) -> None:
    """In between the clock is put back: it is the wall's time that stays."""
    plan = services.copy_plan(tournament=thursday(club), now=OPENS)
    assert (wall(plan.opens_at), wall(plan.closes_at)) == ("2031-11-13T18:00", "2031-11-13T21:30")
    assert plan.opens_at - OPENS == timedelta(days=35, hours=1)


def test_of_long_ago_the_next_that_is_still_to_come(club: Club) -> None:
    now = datetime.fromisoformat("2032-03-11T17:00+00:00")  # an hour after that month's
    plan = services.copy_plan(tournament=thursday(club), now=now)
    assert wall(plan.opens_at) == "2032-04-08T18:00"


def test_all_of_its_format_is_copied_and_all_of_its_times_move(club: Club) -> None:
    second = RoundPlan(opens_at=CLOSES + HOUR, closes_at=CLOSES + 3 * HOUR)
    tournament = thursday(
        club,
        rounds=(RoundPlan(opens_at=OPENS, closes_at=CLOSES, cut_to=8), second),
        rules=CLASSIC,
        rank_by="app_score",
        visibility="frozen",
        frozen_at=CLOSES,
        entries_close_at=OPENS + HOUR,
        most_entries=20,
        divisions=("A", "B"),
        about="Bring a friend.",
    )
    plan = services.copy_plan(tournament=tournament, now=OPENS)
    months = timedelta(days=35, hours=1)
    same = services.plan_of(tournament).moved(lambda time: time + months)
    assert [plan.name, plan.slug] != [same.name, same.slug]
    assert plan == services.Plan(
        **{name: getattr(same, name) for name in same.__slots__}
        | {"name": plan.name, "slug": plan.slug}
    )


@pytest.mark.parametrize(
    ("language", "name", "expected"),
    [
        ("en", "October Nine", "November Nine"),
        ("en", "Monthly nine, OCT 2031", "Monthly nine, Nov 2031"),
        ("en", "The nine", "The nine"),
        ("en", "Octoberfest", "Octoberfest"),
        ("bg", "Деветка за октомври", "Деветка за ноември"),
        ("bg", "Октомври 2031", "Ноември 2031"),
        ("fi", "lokakuu 2031", "marraskuu 2031"),
    ],
)
def test_a_name_with_the_month_has_the_new_one(
    club: Club, language: str, name: str, expected: str
) -> None:
    tournament = thursday(club, name=name)
    with translation.override(language):
        assert services.copy_plan(tournament=tournament, now=OPENS).name == expected


def test_a_name_with_the_year_has_the_new_one(club: Club) -> None:
    now = datetime.fromisoformat("2031-12-31T12:00+00:00")
    plan = services.copy_plan(tournament=thursday(club, name="Nine 2031"), now=now)
    assert plan.name == "Nine 2032"


@pytest.mark.parametrize(
    ("slug", "expected"),
    [
        ("monthly", "monthly-2031-11"),
        ("monthly-2031-10", "monthly-2031-11"),
        ("monthly-2031-10-09", "monthly-2031-11"),
        ("monthly-2031-10-2", "monthly-2031-11"),
        ("top-100", "top-100-2031-11"),
    ],
)
def test_its_address_ends_with_the_month(club: Club, slug: str, expected: str) -> None:
    assert services.copy_plan(tournament=thursday(club, slug=slug), now=OPENS).slug == expected


def test_a_copy_has_other_deals(club: Club) -> None:
    tournament = thursday(club)
    plan = services.copy_plan(tournament=tournament, now=OPENS)
    copy = services.create_tournament(club=club, plan=plan, copy_of=tournament)
    assert (copy.copy_of, copy.status) == (tournament, "draft")
    numbers = [set(each.holes.values_list("deal_code", flat=True)) for each in (tournament, copy)]
    assert numbers[0].isdisjoint(numbers[1])


def test_a_copy_is_in_the_season_of_its_day(club: Club) -> None:
    def season(slug: str, first: str, last: str) -> Season:
        days = {"starts_on": date.fromisoformat(first), "ends_on": date.fromisoformat(last)}
        return Season.objects.create(club=club, name=slug, slug=slug, **days)

    autumn = season("autumn", "2031-09-01", "2031-11-30")
    tournament = thursday(club, season=autumn)
    later = datetime.fromisoformat("2031-12-01T00:00+00:00")

    def of(now: datetime) -> Season | None:
        return services.copy_plan(tournament=tournament, now=now).season

    assert of(OPENS) == autumn
    assert of(later) is None
    winter = season("winter", "2031-12-01", "2032-02-28")
    assert of(later) == winter
    loose = thursday(club)
    assert services.copy_plan(tournament=loose, now=OPENS).season is None


# --- again and again ---------------------------------------------------------------------------


def recurring(
    club: Club, every: Every, first_on: str, **fields: Any
) -> tuple[Recurrence, Tournament]:
    tournament = thursday(club, **fields)
    day = date.fromisoformat(first_on)
    made = services.start_recurring(tournament=tournament, every=every, first_on=day)
    return made, tournament


def held(recurrence: Recurrence) -> list[tuple[str, str]]:
    return [shown(each) for each in recurrence.tournaments.order_by("opens_at")]


def test_the_next_is_published_as_soon_as_the_last_has_opened(club: Club) -> None:
    weekly, tournament = recurring(club, Every.WEEK, "2031-10-16", slug="thursdays")
    assert services.hold_recurring(now=OPENS - HOUR) == 0
    assert services.hold_recurring(now=OPENS) == 1
    (made,) = weekly.tournaments.all()
    assert shown(made) == ("2031-10-16T18:00", "2031-10-16T21:30")
    assert (made.status, made.copy_of, made.club) == ("open", tournament, club)
    assert (made.name, made.slug) == ("October Nine 2031-10-16", "thursdays-2031-10-16")
    assert services.hold_recurring(now=OPENS + 6 * timedelta(days=1)) == 0
    assert services.hold_recurring(now=made.opens_at) == 1
    assert len(held(weekly)) == 2
    deals = [
        set(each.holes.values_list("deal_code", flat=True)) for each in Tournament.objects.all()
    ]
    assert len(set().union(*deals)) == 27


def test_the_clock_is_put_back_in_between(club: Club) -> None:
    """2031-10-26 has 25 hours in Sofia."""
    daily, _ = recurring(
        club,
        Every.DAY,
        "2031-10-25",
        opens_at=datetime.fromisoformat("2031-10-24T00:00+03:00"),
        closes_at=datetime.fromisoformat("2031-10-25T00:00+03:00"),
    )
    for hours in range(0, 120, 6):
        services.hold_recurring(now=datetime.fromisoformat("2031-10-24T00:00+03:00") + hours * HOUR)
    assert held(daily)[:4] == [
        ("2031-10-25T00:00", "2031-10-26T00:00"),
        ("2031-10-26T00:00", "2031-10-27T00:00"),
        ("2031-10-27T00:00", "2031-10-28T00:00"),
        ("2031-10-28T00:00", "2031-10-29T00:00"),
    ]
    long = daily.tournaments.get(slug__endswith="2031-10-26")
    assert long.closes_at - long.opens_at == 25 * HOUR


def test_a_time_that_the_clock_leaves_out_is_an_hour_later(club: Club) -> None:
    daily, _ = recurring(
        club,
        Every.DAY,
        "2031-03-30",
        opens_at=datetime.fromisoformat("2031-03-29T03:30+02:00"),
        closes_at=datetime.fromisoformat("2031-03-29T05:30+02:00"),
    )
    for hours in (0, 24, 48):
        services.hold_recurring(now=datetime.fromisoformat("2031-03-29T04:00+02:00") + hours * HOUR)
    assert [opens for opens, _closes in held(daily)] == [
        "2031-03-30T04:30",
        "2031-03-31T03:30",
        "2031-04-01T03:30",
    ]


def test_a_monthly_one_of_the_31st(club: Club) -> None:
    monthly, _ = recurring(
        club,
        Every.MONTH,
        "2032-01-31",
        opens_at=datetime.fromisoformat("2031-12-31T18:00+02:00"),
        closes_at=datetime.fromisoformat("2031-12-31T20:00+02:00"),
    )
    assert services.next_days(monthly, days=4) == [
        date(2032, 1, 31),
        date(2032, 2, 29),
        date(2032, 3, 31),
        date(2032, 4, 30),
    ]
    for month in range(1, 5):
        services.hold_recurring(now=datetime(2032, month, 1, tzinfo=SOFIA))
    assert [opens for opens, _closes in held(monthly)] == [
        "2032-01-31T18:00",
        "2032-02-29T18:00",
        "2032-03-31T18:00",
        "2032-04-30T18:00",
    ]


def test_what_went_by_meanwhile_is_left_out(club: Club) -> None:
    """The server was away for weeks; the one whose time runs is held all the same."""
    weekly, _ = recurring(club, Every.WEEK, "2031-10-16")
    now = datetime.fromisoformat("2031-11-06T20:00+02:00")
    assert services.hold_recurring(now=now) == 1
    assert services.hold_recurring(now=now) == 1
    assert [opens for opens, _closes in held(weekly)] == ["2031-11-06T18:00", "2031-11-13T18:00"]


def test_more_time_for_one_of_them_is_not_for_the_next(club: Club) -> None:
    weekly, tournament = recurring(club, Every.WEEK, "2031-10-16", entries_close_at=CLOSES)
    plan = services.plan_of(tournament).between(OPENS, CLOSES + HOUR)
    services.update_tournament(tournament=tournament, plan=plan)
    services.hold_recurring(now=OPENS)
    assert held(weekly) == [("2031-10-16T18:00", "2031-10-16T21:30")]


def test_a_pause_and_its_end(club: Club) -> None:
    weekly, _ = recurring(club, Every.WEEK, "2031-10-16")
    services.hold_recurring(now=OPENS)
    services.pause_recurring(recurrence=weekly)
    late = OPENS + timedelta(days=20)
    assert services.hold_recurring(now=late) == 0
    services.resume_recurring(recurrence=weekly)
    services.hold_recurring(now=late)
    assert [opens for opens, _closes in held(weekly)] == ["2031-10-16T18:00", "2031-10-30T18:00"]
    services.end_recurring(recurrence=weekly)
    services.end_recurring(recurrence=weekly)
    assert Recurrence.objects.count() == 0
    assert Tournament.objects.count() == 3
    assert services.hold_recurring(now=late + timedelta(days=20)) == 0


def test_one_that_a_director_deleted_is_not_made_again(club: Club) -> None:
    weekly, _ = recurring(club, Every.WEEK, "2031-10-16")
    services.hold_recurring(now=OPENS)
    services.delete_tournament(tournament=weekly.tournaments.get())
    services.hold_recurring(now=OPENS)
    assert [opens for opens, _closes in held(weekly)] == ["2031-10-23T18:00"]


def test_one_that_cannot_be_held_is_paused_and_keeps_no_other_back(
    club: Club, caplog: pytest.LogCaptureFixture
) -> None:
    broken, tournament = recurring(club, Every.WEEK, "2031-10-16")
    weekly, _ = recurring(club, Every.WEEK, "2031-10-16")
    Tournament.objects.filter(pk=tournament.pk).update(hole_minutes=10**6)
    with caplog.at_level(logging.ERROR):
        assert services.hold_recurring(now=OPENS) == 1
    assert len(held(weekly)) == 1
    broken.refresh_from_db()
    assert not broken.is_active
    assert caplog.messages == [f"Recurring tournament {broken.pk} is paused: hole_minutes"]


def test_one_that_fails_keeps_no_other_back_and_is_tried_again(
    club: Club, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, _ = recurring(club, Every.WEEK, "2031-10-16")
    weekly, _ = recurring(club, Every.WEEK, "2031-10-16")
    hold = recurring_services._hold_next

    def fail(recurrence: Recurrence, now: datetime) -> bool:
        if recurrence == broken:
            raise OSError("odd")
        return hold(recurrence, now)

    with monkeypatch.context() as patch:
        patch.setattr(recurring_services, "_hold_next", fail)
        assert [services.hold_recurring(now=OPENS) for _ in range(2)] == [1, 0]
    assert len(held(weekly)) == 1
    assert caplog.messages == [f"Recurring tournament {broken.pk} was not held: OSError"]
    assert services.hold_recurring(now=OPENS) == 1


def test_one_whose_address_is_taken_at_that_moment_is_held_under_another_one(
    club: Club, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    weekly, tournament = recurring(club, Every.WEEK, "2031-10-16")
    address = f"{tournament.slug}-2031-10-16"
    draw = recurring_services.draw_deals

    def draw_slowly(**options: Any) -> list[GameCode]:
        if not Tournament.objects.filter(slug=address).exists():
            new_draft(slug=address)
        return draw(**options)

    monkeypatch.setattr(recurring_services, "draw_deals", draw_slowly)
    assert services.hold_recurring(now=OPENS) == 0
    assert caplog.messages == [f"Recurring tournament {weekly.pk} waits for another address."]
    assert services.hold_recurring(now=OPENS) == 1
    assert weekly.tournaments.get().slug == f"{address}-2"


def test_the_director_holds_them(club: Club, settings: Any) -> None:
    settings.DAILY_NINE = False
    now = timezone.now()
    tournament = new_tournament(club=club)
    day = dates.wall(tournament.opens_at, SOFIA).date() + timedelta(days=1)
    services.start_recurring(tournament=tournament, every=Every.DAY, first_on=day)
    director.tick()
    director.tick()
    assert Tournament.objects.filter(opens_at__gt=now).count() == 1


@pytest.mark.parametrize(
    ("every", "first_on", "closes_at", "expected"),
    [
        (Every.WEEK, "2031-10-09", CLOSES, {"first_on": "first_too_early"}),
        (Every.WEEK, "2020-01-01", CLOSES, {"first_on": "first_too_early"}),
        (Every.DAY, "2031-10-10", CLOSES + 48 * HOUR, {"every": "overlap"}),
        (Every.WEEK, "2031-10-16", CLOSES + 8 * 24 * HOUR, {"every": "overlap"}),
        (Every.MONTH, "2031-11-09", CLOSES + 30 * 24 * HOUR, {"every": "overlap"}),
    ],
)
def test_what_cannot_be_repeated(
    club: Club, every: Every, first_on: str, closes_at: datetime, expected: dict[str, str]
) -> None:
    with pytest.raises(ValidationError) as caught:
        recurring(club, every, first_on, closes_at=closes_at)
    found = {field: errors[0].code for field, errors in caught.value.error_dict.items()}
    assert found == expected
    assert Recurrence.objects.count() == 0


def test_it_does_not_begin_in_the_past(club: Club) -> None:
    now = timezone.now()
    old = new_draft(club=club, opens_at=now - timedelta(days=30), closes_at=now + HOUR)
    yesterday = now.date() - timedelta(days=1)
    with pytest.raises(ValidationError) as caught:
        services.start_recurring(tournament=old, every=Every.MONTH, first_on=yesterday)
    codes = {field: errors[0].code for field, errors in caught.value.error_dict.items()}
    assert codes == {"first_on": "first_in_past", "every": "overlap"}


def test_what_is_kept_of_it(club: Club) -> None:
    weekly, tournament = recurring(club, Every.WEEK, "2031-10-16")
    weekly.refresh_from_db()
    assert (weekly.club, weekly.template, weekly.every) == (club, tournament, "week")
    assert (weekly.opens_at, weekly.open_minutes, weekly.anchor_day) == (time(18), 210, 16)


@pytest.mark.django_db(transaction=True)
def test_several_directors_at_once() -> None:
    weekly, _ = recurring(new_club(time_zone="Europe/Sofia"), Every.WEEK, "2031-10-16")
    together = threading.Barrier(4)
    counts: list[int] = []

    def hold() -> None:
        try:
            together.wait()
            counts.append(services.hold_recurring(now=OPENS))
        finally:
            connection.close()

    threads = [threading.Thread(target=hold) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == [0, 0, 0, 1]
    assert held(weekly) == [("2031-10-16T18:00", "2031-10-16T21:30")]
    weekly.refresh_from_db()
    assert weekly.is_active
