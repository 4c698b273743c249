"""Two lines side by side, and a race against a ghost, in a browser."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.board import Board, deal
from tests.browser.furnish import Furnished, furnish
from tests.browser.test_replay import visit
from tests.harness.browsers import NewPage
from tests.harness.site import Site


@pytest.fixture(scope="module")
def furnished(site: Site) -> Furnished:
    return furnish(site)


class Compared:
    """The page that compares two lines; what it shows is held against what it was given."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.element = page.locator("golf-compare[data-ready]")
        self.sides = [Board(page, page.locator(f'[data-side="{side}"]')) for side in (0, 1)]
        self.said = page.locator('golf-compare [data-part="live"]')
        self.where = page.locator('golf-compare [data-part="talk"]')
        self.element.wait_for()
        self.data: dict[str, Any] = json.loads(page.locator("#compare-data").text_content() or "")
        self.shared: int = self.data["shared"]
        self.lasts = [len(board["steps"]) - 1 for board in self.data["boards"]]

    def button(self, name: str) -> Locator:
        return self.element.get_by_role("button", name=name, exact=True)

    def shows(self, *steps: int) -> None:
        expect(self.element).to_have_attribute("data-at", str(max(steps)))
        for at, board, given, side in zip(
            steps, self.sides, self.data["boards"], (0, 1), strict=True
        ):
            step = given["steps"][at]
            columns = [cards.split(" ") for cards in given["columns"]]
            expected = [
                cards[: int(height)] for cards, height in zip(columns, step["heights"], strict=True)
            ]
            assert [board.column(number) for number in range(1, 8)] == expected
            left = sum(map(len, expected))
            expect(board.figure("strokes")).to_have_text(str(left))
            expect(board.figure("cleared")).to_have_text(str(35 - left))
            expect(board.figure("stock")).to_have_text(str(step["stock"]))
            minutes, seconds = divmod(step["ms"] // 1000, 60)
            expect(board.figure("time")).to_have_text(f"{minutes}:{seconds:02}")
            move = self.page.locator(f'[data-side="{side}"] [data-part="move"]')
            expect(move).to_have_text(step["text"], ignore_case=True)


def test_both_boards_in_step_and_to_the_parting(
    site: Site, furnished: Furnished, page: Page
) -> None:
    visit(page, site, furnished, "compare")
    shown = Compared(page)
    last = max(shown.lasts)
    assert 0 < shown.shared < last
    shown.shows(0, 0)
    expect(shown.where).to_have_text("The same so far")
    page.keyboard.press("ArrowRight")
    shown.shows(1, 1)
    # What both do is said once.
    text = shown.data["boards"][0]["steps"][1]["text"]
    said = f"The same so far. {text[0].upper()}{text[1:]}"
    expect(shown.said).to_have_text(said)
    shown.button("To the parting").click()
    shown.shows(shown.shared, shown.shared)
    expect(shown.where).to_have_text("Here the lines part")
    shown.button("Next move").click()
    shown.shows(shown.shared + 1, shown.shared + 1)
    expect(shown.where).to_have_text("The lines have parted")
    expect(shown.said).to_have_text(re.compile(r"^The lines have parted\. .+: .+\. W+: .+"))
    page.keyboard.press("ArrowLeft")
    shown.shows(shown.shared, shown.shared)
    shown.button("Last position").click()
    shown.shows(*shown.lasts)
    shown.button("First position").click()
    shown.shows(0, 0)
    slider = shown.element.get_by_role("slider", name="Move")
    slider.fill("3")
    shown.shows(3, 3)
    # The arrows of a grid go from card to card.
    shown.sides[1].free(1).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(":focus")).to_have_attribute("data-column", "2")
    shown.shows(3, 3)
    page.keyboard.press("End")


def test_at_the_pace_of_both_games(site: Site, furnished: Furnished, page: Page) -> None:
    visit(page, site, furnished, "compare")
    shown = Compared(page)
    slider = shown.element.get_by_role("slider", name="Move")
    slider.fill(str(max(shown.lasts) - 15))
    shown.element.get_by_label("Speed").select_option("4")
    shown.button("Play at the pace of the games").click()
    expect(shown.element).to_have_attribute("data-playing", "")
    expect(shown.element).to_have_attribute("data-at", str(max(shown.lasts)))
    expect(shown.button("Play at the pace of the games")).to_be_visible()
    shown.shows(*shown.lasts)
    # From the end it begins anew; stopped, it stays.
    shown.button("Play at the pace of the games").click()
    expect(shown.element).to_have_attribute("data-at", re.compile(r"^[1-9]\d?$"))
    shown.button("Stop").click()
    at = shown.element.get_attribute("data-at")
    page.wait_for_timeout(600)
    assert shown.element.get_attribute("data-at") == at


def test_on_a_phone_and_without_scripts(
    site: Site, furnished: Furnished, new_page: NewPage
) -> None:
    page = new_page(width=320, height=640)
    visit(page, site, furnished, "compare")
    shown = Compared(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    first, second = (page.locator(f'[data-side="{side}"]').bounding_box() for side in (0, 1))
    assert first is not None
    assert second is not None
    assert second["y"] >= first["y"] + first["height"]
    for button in shown.element.locator(".stepper .icon").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    last, count = (
        shown.element.locator(part).bounding_box()
        for part in ('[data-do="last"]', '[data-part="count"]')
    )
    assert last is not None
    assert count is not None
    assert last["y"] <= count["y"] <= last["y"] + last["height"]  # in one line
    plain = new_page(java_script_enabled=False)
    visit(plain, site, furnished, "compare")
    expect(plain.locator("golf-compare")).to_be_hidden()
    rows = plain.locator(".compare-table tbody tr")
    expect(rows).to_have_count(max(shown.lasts) + 1)
    expect(rows.nth(shown.shared)).to_have_text("Here the lines part")


def test_others_are_chosen(site: Site, furnished: Furnished, page: Page) -> None:
    visit(page, site, furnished, "compare")
    Compared(page)
    page.get_by_label("Second player").select_option(index=0)
    page.get_by_role("button", name="Compare").click()
    shown = Compared(page)
    chosen = page.get_by_label("Second player").locator("option:checked").inner_text()
    expect(page.locator("#side-2")).to_contain_text(chosen.rsplit(" (", 1)[0])
    shown.shows(0, 0)


class Rivals:
    """The standing beside the board of a race against a ghost."""

    def __init__(self, page: Page) -> None:
        self.own = page.locator('.rival[data-seat="1"]')
        self.ghost = page.locator('.rival[data-seat="2"]')

    def figures(self, row: Locator) -> dict[str, str]:
        names = ("place", "strokes", "cards", "stock", "streak")
        found = {name: row.locator(f".rival-{name}").inner_text().split() for name in names}
        return {name: words[-1] for name, words in found.items()}


def give_up(page: Page) -> None:
    page.locator('.controls [data-do="give-up"]').click()
    page.locator('dialog [data-do="g"]').click()


def test_a_race_against_ones_own_ghost(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    # A ghost that draws, plays two cards, and then gives up.
    for action in "d52":
        board.click(action)
    give_up(page)
    expect(board.result).to_be_visible()
    page.goto(f"{site.url}/games/")
    page.get_by_role("link", name="Replay").first.click()
    page.get_by_role("button", name="Race this ghost").click()
    board = Board(page).ready()
    expect(page.get_by_text("Practice against a ghost")).to_be_visible()
    told = json.loads(page.locator("#ghost").text_content() or "")
    assert [moment["left"] for moment in told["moments"]] == [35, 35, 34, 33, 33]
    rivals = Rivals(page)
    start = {"place": "T1", "strokes": "35", "cards": "35", "stock": "16", "streak": "0"}
    assert rivals.figures(rivals.own) == rivals.figures(rivals.ghost) == start
    # Nothing goes on before the first move.
    page.wait_for_timeout(told["moments"][-1]["ms"])
    assert rivals.figures(rivals.ghost) == start
    board.click("d")
    expect(rivals.ghost).to_have_attribute("data-final", "", timeout=30_000)
    assert rivals.figures(rivals.ghost) == {
        "place": "1", "strokes": "33", "cards": "33", "stock": "15", "streak": "2",
    }  # fmt: skip
    assert rivals.figures(rivals.own)["place"] == "2"
    expect(page.locator('[data-ghost="live"]')).to_have_text(
        "The ghost of Aino has finished. Strokes: 33."
    )
    for action in "52d":
        board.click(action)
    board.click("d")
    result = page.locator('[data-ghost="result"]')
    expect(result).to_be_hidden()
    assert rivals.figures(rivals.own)["place"] == "T1"
    for action in "556":
        board.click(action)
    # Strokes are the server's to say.
    expect(rivals.own.locator(".rival-place")).to_have_text("1")
    give_up(page)
    expect(result).to_contain_text(
        "You have beaten the ghost of \u2068Aino\u2069. Strokes: 30 against 33."
    )
    expect(page.locator("golf-ghost")).to_have_attribute("data-outcome", "won")
    # It can be raced again, and then lost.
    page.locator('[data-part="result"]').get_by_role("button", name="Same cards again").click()
    board.ready()
    expect(rivals.own).not_to_have_attribute("data-final", "")
    give_up(page)
    expect(result).to_contain_text("The ghost of \u2068Aino\u2069 has won. Strokes: 35 against 33.")


def test_the_ghost_waits_while_the_game_is_paused(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    board.click("d")
    # It takes its time for the second move.
    page.wait_for_timeout(8000)
    board.click("5")
    give_up(page)
    expect(board.result).to_be_visible()
    page.goto(f"{site.url}/games/")
    page.get_by_role("link", name="Replay").first.click()
    page.get_by_role("button", name="Race this ghost").click()
    board = Board(page).ready()
    rivals = Rivals(page)
    moments = json.loads(page.locator("#ghost").text_content() or "")["moments"]
    assert moments[2]["ms"] >= 8000
    board.click("d")
    expect(rivals.ghost.locator(".rival-stock")).to_contain_text("15")
    board.press("pause")
    page.wait_for_timeout(moments[-1]["ms"] + 500)
    assert rivals.figures(rivals.ghost)["cards"] == "35"
    # The pause holds over a reload of the page.
    page.reload()
    board.ready()
    expect(rivals.ghost.locator(".rival-stock")).to_contain_text("15")
    assert rivals.figures(rivals.ghost)["cards"] == "35"
    expect(rivals.ghost).to_have_attribute("data-final", "", timeout=30_000)


def test_a_race_on_a_phone(site: Site, furnished: Furnished, new_page: NewPage) -> None:
    page = new_page(width=320, height=640)
    visit(page, site, furnished, "ghost")
    Board(page).ready()
    expect(page.locator(".strip .chip")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
