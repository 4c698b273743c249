"""Boards on paper: whole, in every language, whatever is on them."""

import pytest
from django.conf import settings
from playwright.sync_api import Browser

from tests.browser.furnish import Furnished, furnish
from tests.harness.site import Site

#: A4 less its margins, in pixels of paper.
PAPER = 680
#: Boards of 18 holes with today, undos and rounds: by strokes and by handicap.
BOARDS = {"leaderboard-rounds": "?all=1", "leaderboard-net": "&q="}


@pytest.fixture(scope="module")
def furnished(site: Site) -> Furnished:
    return furnish(site)


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("locale", [code for code, _name in settings.LANGUAGES])
def test_a_board_of_two_rounds_is_printed_whole(
    browser: Browser, site: Site, furnished: Furnished, locale: str, name: str
) -> None:
    context = browser.new_context(locale=locale, viewport={"width": PAPER, "height": 960})
    page = context.new_page()
    page.goto(site.url + furnished.pages[name] + BOARDS[name])
    page.emulate_media(media="print")
    assert page.locator(".standings thead th").count() > 24
    width = page.locator(".standings").evaluate("(table) => table.getBoundingClientRect().width")
    assert width <= PAPER
    context.close()
