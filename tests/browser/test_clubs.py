"""Clubs in a browser: the menu of a phone, the browser's time zone, the invitation."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.furnish import Furnished, furnish
from tests.harness.browsers import NewPage
from tests.harness.site import Site


@pytest.fixture(scope="module")
def furnished(browser: Browser, site: Site) -> Furnished:
    """What is on the site."""
    return furnish(site)


def as_director(new_page: NewPage, site: Site, furnished: Furnished, **options: object) -> Page:
    state = {
        "cookies": [
            {
                "name": "sessionid", "value": furnished.director, "domain": "127.0.0.1",
                "path": "/", "expires": -1, "httpOnly": True, "secure": False, "sameSite": "Lax",
            }
        ]
    }  # fmt: skip
    return new_page(storage_state=state, **options)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_phone_has_every_link_behind_one_button(
    site: Site, new_page: NewPage, scripts: bool
) -> None:
    page = new_page(width=320, height=640, java_script_enabled=scripts)
    page.goto(site.url)
    main = page.get_by_role("navigation", name="Main")
    expect(main).not_to_be_visible()
    page.get_by_role("button", name="Menu").click()
    for name in ("Practice", "Tournaments", "Clubs", "Rules"):
        expect(main.get_by_role("link", name=name)).to_be_visible()
    page.keyboard.press("Escape")
    expect(main).not_to_be_visible()
    page.get_by_role("button", name="Menu").click()
    main.get_by_role("link", name="Rules").click()
    expect(page).to_have_url(f"{site.url}/rules/")


def test_a_wide_window_has_them_in_a_row(site: Site, new_page: NewPage) -> None:
    page = new_page(width=1440)
    page.goto(site.url)
    expect(page.get_by_role("button", name="Menu")).not_to_be_visible()
    expect(page.get_by_role("navigation", name="Main").get_by_text("Clubs")).to_be_visible()


def test_a_new_club_is_where_its_founder_is(
    site: Site, new_page: NewPage, furnished: Furnished
) -> None:
    page = as_director(new_page, site, furnished, timezone_id="Asia/Tokyo")
    page.goto(f"{site.url}/clubs/new/")
    zone = page.get_by_label("Time zone")
    expect(zone).to_have_value("Asia/Tokyo")
    zone.select_option("Europe/Sofia")
    page.get_by_label("Name of the club").fill("\u202eReversed")
    page.get_by_role("button", name="Found the club").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(zone).to_have_value("Europe/Sofia")
    page.get_by_label("Name of the club").fill("Sofia Nine")
    page.get_by_role("button", name="Found the club").click()
    expect(page).to_have_url(re.compile("/clubs/sofia-nine/$"))
    expect(page.get_by_role("heading", name="Next steps")).to_be_visible()
    expect(page.get_by_text("Europe/Sofia")).to_be_visible()


def test_times_are_the_readers_from_the_first_page_on(
    site: Site, new_page: NewPage, furnished: Furnished
) -> None:
    page = new_page(timezone_id="Asia/Tokyo")
    for _visit in ("told by the script", "told by the site"):
        page.goto(site.url + furnished.pages["tournament"])
        zones = page.locator("time + bdi")
        expect(zones.first).to_be_visible()
        assert set(zones.all_inner_texts()) == {"(Japan Standard Time)"}
        closes = page.locator("time").last
        shown = closes.inner_text()
        at = closes.get_attribute("datetime")
        hour = page.evaluate(
            "at => new Date(at).toLocaleString('en', {timeZone: 'Asia/Tokyo', day: 'numeric'})", at
        )
        assert f" {hour}, " in shown
    assert page.locator("html").get_attribute("data-zone") == "Asia/Tokyo"


def test_the_invitation_is_copied_printed_and_drawn(
    site: Site, new_page: NewPage, furnished: Furnished
) -> None:
    page = as_director(new_page, site, furnished)
    page.goto(site.url + furnished.pages["director-invitation"])
    code = page.get_by_role("img", name="QR code of the invitation link")
    assert code.evaluate("image => image.complete && image.naturalWidth > 0")
    page.evaluate("window.print = () => { document.title = 'printed' }")
    page.get_by_role("button", name="Print").click()
    expect(page).to_have_title("printed")
    page.emulate_media(media="print")
    expect(code).to_be_visible()
    for unwanted in ("Make a new link", "Copy the link", "Download the code"):
        expect(page.get_by_text(unwanted, exact=True)).not_to_be_visible()
