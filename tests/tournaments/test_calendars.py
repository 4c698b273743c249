"""A club's calendar, as another program reads it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from icalendar import Calendar

from games.models import Player
from tournaments import calendars, services
from tournaments.models import Club, Membership, Round, Tournament

from .factories import new_account, new_club, new_member, new_tournament

pytestmark = pytest.mark.django_db

SOFIA = ZoneInfo("Europe/Sofia")


def read(client: Client, club: Club, key: str = "") -> Calendar:
    url = reverse("club_calendar", args=[club.slug])
    response = client.get(url, {"key": key} if key else {})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/calendar; charset=utf-8"
    return Calendar.from_ical(response.content)


def events(calendar: Calendar) -> list[Any]:
    return calendar.walk("VEVENT")


def windows(calendar: Calendar) -> set[tuple[str, datetime, datetime]]:
    return {
        (str(each["summary"]), each.decoded("dtstart"), each.decoded("dtend"))
        for each in events(calendar)
    }


def move(tournament: Tournament, *rounds: tuple[datetime, datetime]) -> None:
    """Give the rounds of a tournament their times."""
    for number, (opens_at, closes_at) in enumerate(rounds, 1):
        Round.objects.filter(tournament=tournament, number=number).update(
            opens_at=opens_at, closes_at=closes_at
        )


def test_a_tournament_is_an_event_with_its_address(client: Client) -> None:
    club = new_club(name="Green; Hill, Sofia", time_zone="Europe/Sofia")
    tournament = new_tournament(club=club, name="Spring, Nine", slug="spring")
    calendar = read(client, club)
    assert (calendar["version"], calendar["method"], str(calendar["x-wr-calname"])) == (
        "2.0", "PUBLISH", "Green; Hill, Sofia",
    )  # fmt: skip
    assert calendar["x-wr-timezone"] == "Europe/Sofia"
    (event,) = events(calendar)
    assert str(event["summary"]) == "Spring, Nine"
    assert event["url"] == "http://testserver/tournaments/spring/"
    assert event.decoded("dtstart") == tournament.opens_at.replace(microsecond=0)
    assert event.decoded("dtend") == tournament.closes_at.replace(microsecond=0)
    assert "dtstamp" in event


def test_a_wall_clock_time_is_another_instant_once_the_clocks_have_changed(
    client: Client,
) -> None:
    """At six in the evening in Sofia, the week before the clocks go forward and the week after."""
    club = new_club(time_zone="Europe/Sofia")
    for day in (datetime(2035, 3, 24, 18, tzinfo=SOFIA), datetime(2035, 3, 31, 18, tzinfo=SOFIA)):
        move(new_tournament(club=club), (day, day + timedelta(hours=3)))
    url = reverse("club_calendar", args=[club.slug])
    text = client.get(url).content.decode()
    assert "DTSTART:20350324T160000Z" in text
    assert "DTSTART:20350331T150000Z" in text


def test_rounds_are_events_of_their_own(client: Client) -> None:
    club = new_club()
    tournament = new_tournament(club=club, name="Open", holes=18)
    days = [datetime(2035, 5, day, 9, tzinfo=UTC) for day in (1, 2)]
    move(tournament, *[(day, day + timedelta(hours=8)) for day in days])
    assert windows(read(client, club)) == {
        (f"Open, round {number}", day, day + timedelta(hours=8))
        for number, day in enumerate(days, 1)
    }


def test_an_event_stays_the_same_one_when_its_tournament_changes(client: Client) -> None:
    club = new_club()
    tournament = new_tournament(club=club, holes=18)
    new_tournament(club=club)
    before = {str(each["uid"]) for each in events(read(client, club))}
    plan = replace(services.plan_of(tournament), name="Renamed", slug="renamed")
    later = plan.moved(lambda time: time + timedelta(hours=1))
    services.update_tournament(tournament=tournament, plan=later)
    assert {str(each["uid"]) for each in events(read(client, club))} == before
    assert len(before) == 3


def test_drafts_and_other_clubs_are_not_in_it(client: Client) -> None:
    club = new_club()
    Tournament.objects.filter(pk=new_tournament(club=club).pk).update(status="draft")
    new_tournament()
    assert events(read(client, club)) == []


@pytest.mark.parametrize("rows", [1, 3])
def test_the_same_queries_however_long(
    client: Client, rows: int, django_assert_num_queries: Any
) -> None:
    club = new_club()
    for _ in range(rows):
        new_tournament(club=club, holes=18)
    with django_assert_num_queries(2):
        read(client, club)


class TestHidden:
    def key_of(self, club: Club, player: Player) -> str:
        return calendars.key_of(club=club, player=Player.objects.get(pk=player.pk))

    def is_open(self, club: Club, key: str) -> bool:
        url = reverse("club_calendar", args=[club.slug])
        status = Client().get(url, {"key": key}).status_code
        assert status in (200, 404)
        return status == 200

    def test_only_a_members_own_key_opens_it(self) -> None:
        club, other = new_club(is_hidden=True), new_club(is_hidden=True)
        ann = new_member(club)
        services.join_club(club=other, player=ann)
        key = self.key_of(club, ann)
        number, _dash, secret = key.partition("-")
        assert self.is_open(club, key)
        wrong = ["", "x", number, f"{number}-", key[:-1], f"{ann.pk + 1}-{secret}", club.invitation,
                 "9" * 40 + "-x", f"²-{secret}", self.key_of(other, ann),
                 self.key_of(club, new_account())]  # fmt: skip
        assert [each for each in wrong if self.is_open(club, each)] == []

    def test_a_key_ends_with_the_membership_and_with_the_password(self) -> None:
        club = new_club(is_hidden=True)
        new_member(club, role=Membership.Role.OWNER)
        ann, bob = new_member(club), new_member(club)
        keys = [self.key_of(club, each) for each in (ann, bob)]
        services.leave_club(club=club, player=ann)
        bob.set_password("another-otter-31")
        bob.save()
        assert [self.is_open(club, key) for key in keys] == [False, False]
        assert self.is_open(club, self.key_of(club, bob))
        Player.objects.filter(pk=bob.pk).update(is_active=False)
        assert not self.is_open(club, self.key_of(club, bob))

    def test_the_clubs_page_tells_members_their_own(self) -> None:
        club = new_club(is_hidden=True)
        ann = new_member(club, "Ann")
        client = Client()
        client.force_login(ann)
        page = client.get(reverse("club", args=[club.slug])).content.decode()
        path = f"testserver/clubs/{club.slug}/calendar.ics?key={self.key_of(club, ann)}"
        assert f'href="webcal://{path}"' in page
        assert f'value="http://{path}"' in page


def test_a_club_that_everybody_sees_needs_no_key(client: Client) -> None:
    club = new_club()
    page = client.get(reverse("club", args=[club.slug])).content.decode()
    assert f'href="webcal://testserver/clubs/{club.slug}/calendar.ics"' in page
    assert "yours alone" not in page
