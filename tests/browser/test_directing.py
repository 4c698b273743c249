"""The director's pages in a browser: on a small phone, on paper, and without JavaScript."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.furnish import Furnished, furnish
from tests.harness.site import Site

#: A4 less its margins, in pixels of paper.
PAPER = 680


@pytest.fixture(scope="module")
def furnished(site: Site) -> Furnished:
    return furnish(site)


def open_as(browser: Browser, site: Site, furnished: Furnished, name: str, **options: Any) -> Page:
    context = browser.new_context(**{"locale": "en", **options})
    cookie = furnished.cookie(name)
    assert cookie is not None
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": site.url}])
    page = context.new_page()
    page.goto(site.url + furnished.pages[name])
    return page


@pytest.mark.parametrize("name", ["direct", "direct-entry", "corrections"])
def test_on_paper_a_page_is_what_it_says_and_nothing_else(
    browser: Browser, site: Site, furnished: Furnished, name: str
) -> None:
    page = open_as(
        browser, site, furnished, name,
        color_scheme="dark", viewport={"width": PAPER, "height": 960},
    )  # fmt: skip
    page.emulate_media(media="print")
    for gone in ("form", "nav", ".button", ".site-head", ".site-foot"):
        assert page.locator(f"main {gone}:visible, body > {gone}:visible").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER
    cut = page.evaluate(
        "[...document.querySelectorAll('.table-scroll')]"
        ".filter((box) => box.scrollWidth > box.clientWidth + 1).length"
    )
    assert cut == 0
    colours = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colours) == "rgb(255, 255, 255)"
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert 1 <= pages <= 4
    page.context.close()


def test_a_decision_needs_no_javascript_and_shows_what_is_wrong(
    browser: Browser, site: Site, furnished: Furnished
) -> None:
    page = open_as(
        browser, site, furnished, "direct-open",
        java_script_enabled=False, viewport={"width": 360, "height": 740},
    )  # fmt: skip
    page.get_by_role("searchbox", name="Search").fill("zoë")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="Zoë").click()
    page.get_by_role("link", name="Adjust hole 1").click()
    page.get_by_label("Strokes").fill("3")
    page.get_by_label("App score").fill("320")
    page.get_by_role("button", name="Adjust the hole").click()
    expect(page.get_by_text("Say why, so that everybody can read it.")).to_be_visible()
    expect(page.get_by_label("Strokes")).to_have_value("3")
    page.get_by_label("Why").fill("A card was counted twice.")
    page.get_by_role("button", name="Adjust the hole").click()
    expect(page.get_by_text("Decided: hole adjusted.")).to_be_visible()
    expect(page.get_by_text("A card was counted twice.")).to_be_visible()
    page.context.close()
