"""A finished game, stepped through in a browser."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from games.engine import GameCode, Play, card_text
from tests.browser.board import PUBLISHED, Board, deal
from tests.browser.furnish import Furnished, furnish
from tests.harness.browsers import NewPage
from tests.harness.site import Site

LINE = json.loads(
    (Path(__file__).parents[1] / "games/engine/vectors/published_deal.json").read_text()
)["line"].split()
ACTIONS = [*LINE[:6], "u", LINE[5], *LINE[6:8], "g"]


class Replay(Board):
    """The board of a replay; what it shows is compared with the engine's.

    A page has two: the game as it was played, and the best line.
    """

    def __init__(self, page: Page, name: str = "As it was played") -> None:
        region = page.get_by_role("region", name=name)
        super().__init__(page, region)
        self.element = region
        self.ready()

    def button(self, name: str) -> Locator:
        return self.within.get_by_role("button", name=name)

    def shows(self, actions: list[str]) -> None:
        code = GameCode.parse(PUBLISHED)
        expected = Play.replay(code.deal(), code.rules, actions)
        expect(self.element).to_have_attribute("data-at", str(len(actions)))
        columns = [list(map(card_text, column)) for column in expected.columns]
        assert [self.column(number) for number in range(1, 8)] == columns
        assert expected.waste is not None
        expect(self.waste).to_have_attribute("data-card", card_text(expected.waste))
        figures = {
            "strokes": expected.strokes,
            "app_score": expected.app_score,
            "streak": expected.streak,
            "moves": expected.moves,
            "stock": expected.stock_left,
        }
        for name, value in figures.items():
            expect(self.figure(name)).to_have_text(str(value))


@pytest.fixture(scope="module")
def furnished(site: Site) -> Furnished:
    return furnish(site)


def visit(page: Page, site: Site, furnished: Furnished, name: str) -> None:
    """Open a page of the furnished site as one of its players."""
    page.context.add_cookies([{"name": "sessionid", "value": furnished.player, "url": site.url}])
    page.goto(site.url + furnished.pages[name])


def replay(site: Site, page: Page) -> Replay:
    """Play a game to its end, and open its replay from the list of games."""
    board = deal(page, site.url)
    for action in ACTIONS[:-1]:
        if action == "u":
            turn = board.turn
            board.press("u")
            board.at(turn + 1)
        else:
            board.click(action)
        expect(board.stock).not_to_have_attribute("data-waiting", "")
    board.press("give-up")
    page.locator('dialog [data-do="g"]').click()
    expect(board.result).to_be_visible()
    page.goto(f"{site.url}/games/")
    page.get_by_role("link", name="Replay").first.click()
    return Replay(page)


def test_every_position_by_keys_and_buttons(site: Site, page: Page) -> None:
    shown = replay(site, page)
    shown.shows([])
    expect(shown.talk).to_have_text("The deal")
    for count in range(1, len(ACTIONS) + 1):
        page.keyboard.press("ArrowRight")
        shown.shows(ACTIONS[:count])
    given_up = re.compile(r"^Given up · cost \d+ strokes$")
    expect(shown.talk).to_have_text(given_up)
    expect(shown.said).to_have_text(given_up)
    page.keyboard.press("ArrowLeft")
    shown.shows(ACTIONS[:-1])
    shown.button("First position").click()
    shown.shows([])
    shown.button("Next move").click()
    shown.button("Next move").click()
    shown.shows(ACTIONS[:2])
    expect(shown.talk).to_have_text("Column 5: 9 of clubs")
    page.keyboard.press("End")
    shown.shows(ACTIONS)
    page.keyboard.press("Home")
    shown.shows([])

    slider = shown.within.get_by_role("slider", name="Move")
    slider.focus()
    page.keyboard.press("ArrowRight")
    shown.shows(ACTIONS[:1])
    expect(slider).to_have_attribute("aria-valuetext", "Draw: 8 of spades")
    slider.fill("7")
    shown.shows(ACTIONS[:7])
    expect(shown.talk).to_have_text("Undo")

    # In the grid the arrows go from card to card, and the board can be read.
    shown.free(1).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(":focus")).to_have_attribute("data-column", "2")
    shown.shows(ACTIONS[:7])
    shown.button("Read the board").click()
    expect(shown.within.locator('[data-part="read-out"]')).to_contain_text(
        "Stock: 13 cards; waste: "
    )
    # Nothing can be played.
    shown.free(5).click()
    shown.shows(ACTIONS[:7])

    # From the right to the left the arrows point the other way.
    page.evaluate("document.documentElement.dir = 'rtl'; document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    shown.shows(ACTIONS[:8])
    page.keyboard.press("ArrowRight")
    shown.shows(ACTIONS[:7])


def test_at_the_pace_of_the_game(site: Site, furnished: Furnished, page: Page) -> None:
    visit(page, site, furnished, "moves")
    shown = Replay(page)
    data = json.loads(page.locator("#replay-played").text_content() or "")
    times = [step["ms"] for step in data["steps"]]
    assert times[:3] == [0, 0, 100]
    last = str(len(times) - 1)
    shown.within.get_by_label("Speed").select_option("4")
    shown.button("Play at the pace of the game").click()
    expect(shown.element).not_to_have_attribute("data-at", "0")
    shown.button("Stop").click()
    at = shown.element.get_attribute("data-at")
    page.wait_for_timeout(600)
    assert shown.element.get_attribute("data-at") == at != last
    shown.within.get_by_role("slider", name="Move").fill(str(len(times) - 3))
    shown.button("Play at the pace of the game").click()
    expect(shown.element).to_have_attribute("data-at", last)
    expect(shown.button("Play at the pace of the game")).to_be_visible()


def test_without_scripts_there_is_the_transcript(
    site: Site, furnished: Furnished, new_page: NewPage
) -> None:
    page = new_page(java_script_enabled=False)
    visit(page, site, furnished, "moves")
    expect(page.locator("golf-replay")).to_have_count(2)
    expect(page.locator("golf-replay").first).to_be_hidden()
    expect(page.locator(".transcript tbody tr").first).to_be_visible()


def test_a_hole_of_a_tournament_that_is_over(
    site: Site, furnished: Furnished, new_page: NewPage
) -> None:
    page = new_page(width=320, height=640)
    visit(page, site, furnished, "replay")
    shown = Replay(page)
    expect(shown.figure("to_par")).to_have_text("+30")
    shown.button("Last position").click()
    last = page.locator(".transcript tbody tr").last
    expect(shown.element).to_have_attribute("data-at", last.locator("td").first.inner_text())
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    # All steps are in reach of a thumb.
    for button in shown.within.locator(".stepper .icon").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44


def test_the_best_line_beside_it_and_play_from_any_position(site: Site, page: Page) -> None:
    played = replay(site, page)
    best = Replay(page, "The best line")
    lost_at = int(played.element.get_attribute("data-lost-at") or "0")
    played.button("To the move that lost it").click()
    played.shows(ACTIONS[:lost_at])
    expect(played.talk).to_have_text(re.compile(r" · cost \d+ strokes?$"))
    # Each goes its own way; where the focus is nowhere, the played one is meant.
    expect(best.element).to_have_attribute("data-at", "0")
    best.button("Next move").click()
    expect(best.element).to_have_attribute("data-at", "1")
    page.keyboard.press("ArrowRight")
    expect(best.element).to_have_attribute("data-at", "2")
    played.shows(ACTIONS[:lost_at])
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    played.shows(ACTIONS[: lost_at - 1])
    expect(best.element).to_have_attribute("data-at", "2")
    best.button("Last position").click()
    expect(best.figure("strokes")).to_have_text("0")
    played.button("Play on from here").click()
    board = Board(page).ready()
    expect(page.locator(".from-position")).to_be_visible()
    code = GameCode.parse(PUBLISHED)
    expected = Play.replay(code.deal(), code.rules, ACTIONS[: lost_at - 1])
    columns = [list(map(card_text, column)) for column in expected.columns]
    assert [board.column(number) for number in range(1, 8)] == columns
    board.press("u")
    expect(board.element).not_to_have_attribute("data-turn", str(expected.turn))
