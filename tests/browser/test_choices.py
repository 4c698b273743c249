"""What a player can choose: settings, pause and zen mode; and what the board does about them."""

import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from games.engine import GameCode, Play
from tests.browser.board import PUBLISHED, Board, deal, plain
from tests.harness.browsers import NewPage
from tests.harness.site import Site

#: Counts the tones that are made, and plays none.
_LISTEN = """
window.tones = 0;
OscillatorNode.prototype.start = function () { window.tones += 1; };
OscillatorNode.prototype.stop = function () {};
"""
#: Remembers how long each card moves.
_WATCH = """
window.moved = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, options) {
  window.moved.push(options.duration);
  return animate.call(this, frames, options);
};
"""


def choose(page: Page, **choices: bool | str) -> None:
    """Open the settings, change some, wait until the server has them, and close."""
    page.locator('.controls [data-do="settings"]').click()
    form = page.locator('[data-part="settings-form"]')
    for name, value in choices.items():
        field = form.locator(f'[name="{name}"]')
        with page.expect_response("**/settings/") as answer:
            if isinstance(value, str):
                field.select_option(value)
            else:
                field.set_checked(value)
        assert answer.value.status == 204
    page.keyboard.press("Escape")


def boxes(page: Page, selector: str) -> dict[str, float]:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return dict(box)


def test_choices_go_with_the_player_to_another_device(
    site: Site, page: Page, new_page: NewPage
) -> None:
    board = deal(page, site.url)
    choose(page, theme="dark", four_colours=True, show_playable=True, keys=False, clock=False)
    board.click("d")
    expect(board.free(5)).to_have_attribute("data-playable", "")
    expect(board.free(1)).not_to_have_attribute("data-playable", "")
    expect(board.figure("time")).to_be_hidden()

    other = new_page()
    other.context.add_cookies(page.context.cookies())  # type: ignore[arg-type]
    # The theme is there before any script has run.
    document = other.request.get(page.url).text()
    assert re.search(r'<html [^>]*data-theme="dark"', document)
    assert re.search(r"<golf-board [^>]* data-no-clock>", document)
    other.goto(page.url)
    elsewhere = Board(other).ready()
    expect(elsewhere.element).to_have_attribute("data-four-colours", "")
    expect(elsewhere.free(5)).to_have_attribute("data-playable", "")
    other.keyboard.press("Space")
    other.wait_for_timeout(200)
    assert elsewhere.turn == 1
    # A visitor's next page on this device has its colours from the browser.
    other.context.clear_cookies()
    other.goto(site.url)
    expect(other.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_choice_that_did_not_arrive_is_sent_later(site: Site, new_page: NewPage) -> None:
    page = new_page(allow_errors=["net::ERR_FAILED"])
    board = deal(page, site.url)
    page.route("**/settings/", lambda route: route.abort())
    page.keyboard.press("?")
    with page.expect_event("requestfailed"):
        page.get_by_label("Four colours for the suits").check()
    page.keyboard.press("Escape")
    expect(board.element).to_have_attribute("data-four-colours", "")
    page.unroute("**/settings/")
    with page.expect_response("**/settings/") as answer:
        page.reload()
    assert answer.value.status == 204
    page.evaluate("localStorage.clear()")
    page.reload()
    board.ready()
    expect(board.element).to_have_attribute("data-four-colours", "")


def test_without_explanations_a_refused_tap_does_nothing(site: Site, page: Page) -> None:
    page.add_init_script(_WATCH)
    board = deal(page, site.url)
    choose(page, explain=False)
    board.free(1).click()
    board.cell(3, 2).click(position={"x": 20, "y": 12})
    page.wait_for_timeout(600)
    expect(board.talk).to_have_text("")
    expect(board.said).to_have_text("")
    assert (page.evaluate("window.moved"), board.turn) == ([], 0)
    # What is no rule of the game is still said.
    page.keyboard.press("u")
    expect(board.talk).to_have_text("There is nothing to take back.")


def test_a_card_is_drawn_by_itself_and_can_be_taken_back(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    choose(page, auto_draw=True)
    # Nothing is done before the player has done something.
    page.wait_for_timeout(700)
    assert board.turn == 0
    code = GameCode.parse(PUBLISHED)
    play = Play(code.deal(), code.rules)
    for action in ("d", "5"):
        board.click(action)
        play.act(action)
    # What it leads to is soon over: the next card comes by itself.
    play.act("2")
    board.free(2).click()
    while play.legal() == "d":
        play.act("d")
    drawn = play.turn
    assert drawn > 3
    board.at(drawn)
    page.wait_for_timeout(700)
    assert board.turn == drawn
    page.keyboard.press("u")
    board.at(drawn + 1)
    page.wait_for_timeout(700)
    assert board.turn == drawn + 1
    expect(board.figure("stock")).to_have_text(str(play.stock_left + 1))


def test_a_competition_gives_no_help(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    choose(page, show_playable=True, auto_draw=True)
    site.manage(
        "shell",
        "-c",
        "from games.models import Game; "
        f"Game.objects.filter(public_id='{page.url.split('/')[-2]}').update(is_secret=True)",
    )
    page.reload()
    board.ready()
    board.click("d")
    expect(board.waste).to_have_attribute("data-card", "8S")
    assert page.locator("[data-playable]").count() == 0
    page.keyboard.press("p")
    # After these nothing fits.
    board.click("5")
    board.click("2")
    page.wait_for_timeout(700)
    assert board.turn == 3


def test_cards_move_as_fast_as_is_chosen(site: Site, new_page: NewPage) -> None:
    page = new_page()
    page.add_init_script(_WATCH)
    board = deal(page, site.url)
    for turn, (speed, ms) in enumerate({"slow": 350, "fast": 80, "off": None}.items()):
        choose(page, motion=speed)
        page.evaluate("window.moved.length = 0")
        board.click("d")
        expect(board.figure("stock")).to_have_text(str(15 - turn))
        assert page.evaluate("window.moved") == ([] if ms is None else [ms])
    choose(page, motion="normal")
    page.emulate_media(reduced_motion="reduce")
    board.click("d")
    expect(board.figure("stock")).to_have_text("12")
    assert page.evaluate("window.moved") == []


def test_sounds_are_off_until_they_are_wanted(site: Site, page: Page) -> None:
    page.add_init_script(_LISTEN)
    board = deal(page, site.url)
    board.click("d")
    board.click("5")
    assert page.evaluate("window.tones") == 0
    choose(page, sound=True)
    board.click("2")
    assert page.evaluate("window.tones") == 1
    board.free(1).click()
    expect(board.talk).to_contain_text("goes on")
    assert page.evaluate("window.tones") == 2


def test_pause_hides_the_cards(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    board.click("d")
    board.press("read")
    page.keyboard.press("p")
    cover = page.locator(".cover")
    expect(cover).to_contain_text("Paused: the cards are hidden. The game’s clock goes on.")
    expect(board.free(5)).to_be_hidden()
    expect(page.locator('[data-part="read-out"]')).to_be_hidden()
    expect(page.get_by_role("button", name="Play on")).to_be_focused()
    page.keyboard.press("5")
    board.press("u")
    page.wait_for_timeout(300)
    assert board.turn == 1
    page.keyboard.press("p")
    expect(board.free(5)).to_be_visible()
    expect(page.locator('.controls [data-do="read"]')).to_be_focused()
    board.click("5")


def test_zen_mode_is_the_board_alone(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    before = boxes(page, ".tableau")
    page.locator('.controls [data-do="u"]').focus()
    page.keyboard.press("z")
    for hidden in (".site-head", ".board-head .code", ".scores", ".controls"):
        expect(page.locator(hidden)).to_be_hidden()
    assert boxes(page, ".tableau")["width"] > before["width"]
    # Whatever had the focus is gone: it is on the board, not lost.
    expect(page.locator(":focus")).to_have_role("gridcell")
    board.click("d")
    page.keyboard.press("Escape")
    expect(page.locator(".controls")).to_be_visible()
    page.keyboard.press("z")
    with page.expect_response("**/settings/"):
        page.get_by_role("button", name="Leave zen mode").click()
    expect(page.locator(".site-head")).to_be_visible()
    page.reload()
    board.ready()
    expect(page.locator(".site-head")).to_be_visible()


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_the_left_hand_has_its_own_side(site: Site, new_page: NewPage, direction: str) -> None:
    page = new_page(width=844, height=390)
    board = deal(page, site.url)
    page.evaluate(f"document.documentElement.dir = '{direction}'")

    def sides() -> tuple[bool, bool]:
        stock, card = boxes(page, ".stock"), boxes(page, ".r1.c4")
        page.set_viewport_size({"width": 390, "height": 844})
        draw, hint = (boxes(page, f'.controls [data-do="{name}"]') for name in "dh")
        page.set_viewport_size({"width": 844, "height": 390})
        return stock["x"] < card["x"], draw["x"] < hint["x"]

    assert sides() == (False, False)
    choose(page, left_hand=True)
    assert sides() == (True, True)
    # No card lies on another's place.
    stock, waste = boxes(page, ".stock"), boxes(page, ".waste")
    lefts = sorted(boxes(page, f".r1.c{number}")["x"] for number in range(1, 8))
    assert max(stock["x"], waste["x"]) + stock["width"] <= lefts[0]
    assert board.turn == 0


@pytest.mark.parametrize(("width", "height"), [(320, 568), (844, 390), (1440, 900)])
@pytest.mark.parametrize("choice", ["big_cards", "zen"])
def test_every_choice_fits_the_screen(
    site: Site, new_page: NewPage, width: int, height: int, choice: str
) -> None:
    page = new_page(width=width, height=height)
    board = deal(page, site.url)
    size = "parseFloat(getComputedStyle(document.querySelector('.r1.c1 b')).fontSize)"
    before = page.evaluate(size)
    page.evaluate(f"document.querySelector('golf-board').settings.set('{choice}', true)")
    if choice == "big_cards":
        assert page.evaluate(size) > before
    assert page.evaluate("document.documentElement.scrollWidth") == width
    table = boxes(page, ".tableau")
    assert table["x"] >= 0
    assert table["x"] + table["width"] <= width
    tops = [boxes(page, f".r{row}.c1")["y"] for row in range(1, 6)]
    assert min(below - above for above, below in pairwise(tops)) >= 24
    assert board.turn == 0


def test_mirrored_for_those_who_read_from_the_right(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    page.evaluate("document.documentElement.dir = 'rtl'")
    lefts = [boxes(page, f".r1.c{number}")["x"] for number in range(1, 8)]
    assert lefts == sorted(lefts, reverse=True)
    assert boxes(page, ".waste")["x"] < boxes(page, ".stock")["x"]
    focused = page.locator(":focus")
    board.free(1).focus()
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("data-column", "2")
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("data-column", "1")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-label", "waste: ace of clubs")
    # Signed numbers, times and codes keep their own direction, cards theirs.
    directions: dict[str, Any] = page.evaluate(
        "Object.fromEntries(['[data-figure=to_par]', '[data-figure=time]', '[data-code]',"
        " '.r1.c1 .index'].map((name) =>"
        " [name, getComputedStyle(document.querySelector(name)).direction]))"
    )
    assert set(directions.values()) == {"ltr"}
    board.free(1).click()
    expect(board.talk).to_contain_text("goes on")
    assert "\u20666♥" in board.talk.inner_text()
    # Dragging goes where the finger goes.
    board.click("d")
    card, waste = boxes(page, ".tableau .c5[data-free]"), boxes(page, ".waste")
    page.mouse.move(card["x"] + 20, card["y"] + 20)
    page.mouse.down()
    page.mouse.move(waste["x"] + 20, waste["y"] + 20, steps=6)
    page.mouse.up()
    board.at(2)


def test_nothing_small_to_touch_and_no_focus_that_jumps(site: Site, new_page: NewPage) -> None:
    page = new_page(width=320, height=568)
    board = deal(page, site.url)
    page.keyboard.press("?")
    sizes: list[tuple[str, float, float]] = page.evaluate(
        "[...document.querySelectorAll('a, button, select, label.check, [role=gridcell]')]"
        ".filter((part) => part.checkVisibility())"
        ".filter((part) => !part.matches('.skip, .card:not([data-free])'))"
        ".map((part) => { const { width, height } = part.getBoundingClientRect();"
        " return [part.textContent.trim(), width, height]; })"
    )
    assert [size for size in sizes if min(size[1:]) < 24] == []
    page.keyboard.press("Escape")
    # Every key is listed.
    keys = page.locator(".keys kbd").all_text_contents()
    assert keys == [
        "1", "7", "Space", "U", "H", "R", "P", "B", "Z", "Esc", "?", "← ↑ ↓ →", "Enter",
    ]  # fmt: skip
    # An undo at the end takes the panel away: the focus goes to the board.
    for _ in range(16):
        board.click("d")
        expect(board.stock).not_to_have_attribute("data-waiting", "")
    board.result.get_by_role("button", name="Undo").press("Enter")
    expect(board.result).to_be_hidden()
    expect(page.locator(":focus")).to_have_role("gridcell")
    board.click("d")
    board.result.get_by_role("button", name="Accept").press("Enter")
    expect(board.result.get_by_role("link", name="New game")).to_be_visible()
    expect(page.locator(":focus")).to_have_text("No move is left")


def test_forced_colours_still_tell_the_cards_apart(site: Site, new_page: NewPage) -> None:
    page = new_page(forced_colors="active")
    board = deal(page, site.url)
    choose(page, show_playable=True)
    board.click("d")
    board.press("h")
    expect(board.free(5)).to_have_attribute("data-hint", "")
    outline = "(cell) => getComputedStyle(cell).outlineStyle"
    border = "(cell) => getComputedStyle(cell).borderTopStyle"
    assert board.free(5).evaluate(outline) == "double"
    assert board.free(1).evaluate(outline) == "none"
    assert board.free(1).evaluate(border) == "solid"
    assert board.cell(1, 2).evaluate(border) == "dotted"
    assert plain(board.talk.inner_text()).startswith("Hint: 9♣")
