"""Setting a tournament up in a browser: a name is enough, and more shows where it is chosen."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.harness.browsers import NewPage
from tests.harness.fixtures import Serve

_DIRECTOR = """
from django.conf import settings
from django.test import Client
from tests.tournaments.factories import new_club, new_member
club = new_club(name="Sofia Golf Club", slug="sofia", time_zone="Europe/Sofia")
browser = Client()
browser.force_login(new_member(club, "Ann", role="director"))
print("cookie=" + browser.cookies[settings.SESSION_COOKIE_NAME].value)
"""


@pytest.fixture
def page(serve: Serve, new_page: NewPage) -> Page:
    """The page of a new tournament, on a phone, read by a director."""
    site = serve()
    cookie = site.manage("shell", "-c", _DIRECTOR).stdout.partition("cookie=")[2].strip()
    page = new_page(width=360, height=740, timezone_id="Europe/Helsinki")
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": site.url}])
    page.goto(f"{site.url}/clubs/sofia/tournaments/new/")
    return page


def test_a_name_and_one_tap_are_enough(page: Page) -> None:
    page.get_by_label("Name", exact=True).fill("Monthly Nine")
    page.get_by_role("button", name="Publish").click()
    expect(page).to_have_url(re.compile("/tournaments/monthly-nine/$"))
    expect(page.get_by_text("It is published. Send its address to your players.")).to_be_visible()
    page.get_by_text("Send it to your players").click()
    link = page.get_by_label("Link", exact=True)
    expect(link).to_have_value(re.compile("^http://.*/tournaments/monthly-nine/$"))


def test_what_a_choice_needs_is_shown_with_it(page: Page) -> None:
    rounds = page.locator(".rounds-part")
    expect(rounds).to_be_hidden()
    for holes, last in (("18", 2), ("27", 3), ("36", 4)):
        page.get_by_label(holes, exact=True).check()
        rounds.locator("summary").click()
        for number in (2, 3, 4):
            row = rounds.locator(f".round-{number}")
            expect(row).to_be_visible(visible=number <= last)
        expect(rounds.locator(f".round-{last}").get_by_label("Opens")).to_be_visible()
        ends = rounds.locator(f".round-{last} .not-last")
        expect(ends.filter(visible=True)).to_have_count(0)
        rounds.locator("summary").click()
    page.get_by_text("Times and places").click()
    minutes = page.get_by_label("Minutes for all holes")
    expect(minutes).to_be_hidden()
    page.get_by_label("so many minutes from one's first hole").check()
    expect(minutes).to_be_visible()


def test_what_is_wrong_is_shown_where_it_is_and_kept(page: Page) -> None:
    page.get_by_label("Name", exact=True).fill("Monthly Nine")
    page.get_by_text("Figures and divisions").click()
    page.get_by_label("the standing of a chosen time, until it is revealed").check()
    page.get_by_text("Figures and divisions").click()
    page.get_by_role("button", name="Publish").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Say from when on the standing is not shown.")
    alert.get_by_role("link", name="The standing of this time is shown").click()
    expect(page.get_by_label("The standing of this time is shown")).to_be_in_viewport()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Monthly Nine")
