"""A whole hole in each language: by mouse, by keyboard alone, and by touch on a small phone."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation
from playwright.sync_api import Page, expect

from tests.browser.board import PUBLISHED, Board, plain
from tests.harness.browsers import NewPage
from tests.harness.site import Site

LINE = json.loads(
    (Path(__file__).parents[1] / "games/engine/vectors/published_deal.json").read_text()
)["line"].split()
LANGUAGES = [code for code, _ in settings.LANGUAGES]
#: What stands in the corner of the published deal's king of clubs, queen of spades and so on.
INDICES = {"ru": {"KC": "К", "QS": "Д", "JS": "В", "AH": "Т"}}
LATIN = {"KC": "K", "QS": "Q", "JS": "J", "AH": "A"}

Act = Callable[[str], None]


def by_mouse(board: Board) -> Act:
    return board.click


def by_keyboard(board: Board) -> Act:
    return board.key


def by_touch(board: Board) -> Act:
    last = ""

    def tap(action: str) -> None:
        nonlocal last
        turn = board.turn
        if action == last:
            board.page.wait_for_timeout(260)  # two taps on one place at once are one
        last = action
        (board.stock if action == "d" else board.free(int(action))).tap()
        board.at(turn + 1)

    return tap


WAYS: dict[str, tuple[Callable[[Board], Act], dict[str, int | bool]]] = {
    "mouse": (by_mouse, {}),
    "keyboard": (by_keyboard, {}),
    "touch": (by_touch, {"width": 320, "height": 640, "has_touch": True, "is_mobile": True}),
}


def deal(page: Page, url: str) -> Board:
    """Become a guest and paste the code, with keys alone and whatever the language."""
    page.goto(url)
    page.locator("input[name=name]").first.focus()
    page.keyboard.type("Айно")
    page.keyboard.press("Enter")
    Board(page).ready()
    page.goto(f"{url}/practice/")
    page.locator("input[name=rule_set][value=code]").focus()
    page.keyboard.press("Space")
    page.locator("input[name=code]").focus()
    page.keyboard.type(PUBLISHED)
    page.keyboard.press("Enter")
    page.wait_for_url("**/games/*/")
    return Board(page).ready()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_hole(site: Site, new_page: NewPage, language: str, way: str) -> None:
    start, size = WAYS[way]
    page = new_page(locale=language, **size)
    board = deal(page, site.url)
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("html")).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
    for card, index in (LATIN | INDICES.get(language, {})).items():
        expect(page.locator(f'.tableau [data-card="{card}"] .index')).to_have_text(index)
    act = start(board)
    act(LINE[0])
    expect(board.waste).to_have_attribute("data-card", "8S")
    for action in LINE[1:]:
        act(action)
    expect(board.result).to_be_visible()
    with translation.override(language):
        expect(board.result.get_by_role("heading")).to_have_text(translation.gettext("All cleared"))
        shown = map(plain, board.result.locator("dt").all_inner_texts())
        assert translation.gettext("Longest streak") in list(shown)
    expect(board.figure("app_score")).to_have_text("350")
    expect(board.figure("strokes")).to_have_text("0")
    wide = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide[0] <= wide[1]
