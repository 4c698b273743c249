"""The choice of language in a browser, and Arabic with its own digits."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.board import Board, become_guest
from tests.harness.browsers import NewPage
from tests.harness.site import Site


def choose(page: Page, name: str) -> None:
    """Pick a language, or digits, from the page's head."""
    page.locator(".languages summary").click()
    page.locator(".languages").get_by_role("button", name=name).click()


def overflow(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@pytest.mark.parametrize("scripts", [True, False])
def test_the_choice_keeps_the_page_and_works_without_scripts(
    site: Site, new_page: NewPage, scripts: bool
) -> None:
    page = new_page(width=320, height=640, java_script_enabled=scripts)
    page.goto(f"{site.url}/rules/?from=home")
    for name, language, direction in (
        ("العربية", "ar", "rtl"),
        ("Suomi", "fi", "ltr"),
        ("Български", "bg", "ltr"),
        ("Русский", "ru", "ltr"),
        ("English", "en", "ltr"),
    ):
        choose(page, name)
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("html")).to_have_attribute("dir", direction)
        assert page.url == f"{site.url}/rules/?from=home"


@pytest.mark.parametrize("locale", ["en", "bg", "fi", "ar", "ru"])
def test_no_page_is_wider_than_a_small_phone(site: Site, new_page: NewPage, locale: str) -> None:
    page = new_page(width=320, height=640, locale=locale, allow_errors=["404"])
    for path in (
        "/",
        "/practice/",
        "/clubs/",
        "/tournaments/",
        "/races/",
        "/log-in/",
        "/sign-up/",
        "/nothing/",
    ):
        page.goto(site.url + path)
        expect(page.locator("html")).to_have_attribute("lang", locale)
        page.locator(".languages summary").click()
        assert overflow(page) <= 0, path
        box = page.locator(".languages form").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320


def test_arabic_digits_where_they_were_chosen(site: Site, new_page: NewPage) -> None:
    page = new_page()
    become_guest(page, site.url)
    address = page.url
    choose(page, "العربية")
    board = Board(page).ready()
    expect(board.figure("strokes")).to_have_text("35")
    choose(page, "٠١٢٣٤٥٦٧٨٩")
    board = Board(page).ready()
    expect(board.figure("strokes")).to_have_text("٣٥")
    board.click("d")
    expect(board.figure("moves")).to_have_text("١")
    expect(board.figure("time")).to_have_text(re.compile("^٠:٠[٠-٩]$"))
    # What is typed or pressed keeps its own.
    code = page.locator("[data-code]").inner_text()
    assert re.fullmatch(r"GO1-E-[A-Z]{7}", code)
    page.keyboard.press("?")
    keys = page.locator("dialog kbd").all_inner_texts()
    assert {"1", "7"} <= set(keys)
    page.keyboard.press("Escape")
    choose(page, "0123456789")
    assert page.url == address
    expect(Board(page).ready().figure("strokes")).to_have_text("35")
