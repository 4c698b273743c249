"""Times are shown in the reader's zone, and the zone is named."""

import re
from datetime import UTC, datetime

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from tests.tournaments.factories import new_tournament
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


def shown(client: Client, tournament: Tournament) -> list[str]:
    """The opening and closing time, each with its zone, as the tournament's page has them."""
    page = client.get(reverse("tournament", args=[tournament.slug])).content.decode()
    times = re.findall(r"<time[^>]*>([^<]+)</time> <bdi>\(([^<]+)\)</bdi>", page)
    return [f"{time} {zone}" for time, zone in times][-2:]


@pytest.fixture
def over_the_change() -> Tournament:
    """Open from noon to noon, UTC, while the clocks of Europe go forward."""
    tournament = new_tournament()
    Tournament.objects.filter(pk=tournament.pk).update(
        opens_at=datetime(2035, 3, 24, 12, tzinfo=UTC),
        closes_at=datetime(2035, 3, 25, 12, tzinfo=UTC),
    )
    return tournament


def test_a_browser_that_says_nothing_gets_the_sites_zone(
    client: Client, over_the_change: Tournament, settings: LazySettings
) -> None:
    assert shown(client, over_the_change) == [
        "March 24, 2035, noon UTC", "March 25, 2035, noon UTC",
    ]  # fmt: skip
    settings.TIME_ZONE = "Asia/Tokyo"
    assert shown(client, over_the_change) == [
        "March 24, 2035, 9 p.m. Japan Standard Time", "March 25, 2035, 9 p.m. Japan Standard Time",
    ]  # fmt: skip


def test_the_readers_zone_on_both_sides_of_a_change_of_the_clocks(
    client: Client, over_the_change: Tournament
) -> None:
    client.cookies["time_zone"] = "Europe/Sofia"
    assert shown(client, over_the_change) == [
        "March 24, 2035, 2 p.m. Eastern European Standard Time",
        "March 25, 2035, 3 p.m. Eastern European Summer Time",
    ]
    page = client.get("/rules/").content.decode()
    assert 'data-zone="Europe/Sofia"' in page


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../../etc/passwd", "x" * 5000])
def test_what_is_no_zone_changes_nothing_also_after_one_that_was(
    client: Client, over_the_change: Tournament, name: str
) -> None:
    client.cookies["time_zone"] = "Europe/Sofia"
    shown(client, over_the_change)
    client.cookies["time_zone"] = name
    assert shown(client, over_the_change)[0] == "March 24, 2035, noon UTC"
