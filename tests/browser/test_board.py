"""The board in a real browser, against the real site."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from games.engine import GameCode, Play
from tests.browser.board import PUBLISHED, Board, become_guest, deal, plain
from tests.harness.browsers import NewPage
from tests.harness.site import Site

VECTOR = json.loads(
    (Path(__file__).parents[1] / "games/engine/vectors/published_deal.json").read_text()
)
LINE = VECTOR["line"].split()
#: What Chromium says while the server is away.
AWAY = ["WebSocket connection to", "net::ERR_CONNECTION_REFUSED"]


def play_whole_hole(board: Board, act: Callable[[str], None]) -> None:
    """Play the published line, comparing every figure with the engine's."""
    code = GameCode.parse(PUBLISHED)
    expected = Play(code.deal(), code.rules)
    for number, action in enumerate(LINE, 1):
        act(action)
        expected.act(action)
        if number == 1:
            expect(board.waste).to_have_attribute("data-card", "8S")
        if number % 8 == 0 or number == len(LINE):
            compare(board, expected)
    assert expected.state == "won"
    expect(board.result).to_be_visible()
    expect(board.result.get_by_role("heading")).to_have_text("All cleared")
    shown = dict(
        zip(
            board.result.locator("dt").all_inner_texts(),
            board.result.locator("dd").all_inner_texts(),
            strict=True,
        )
    )
    assert re.fullmatch(r"\d+:\d\d", shown.pop("Time"))
    assert shown == {
        "Strokes": "0",
        "To par": "\N{MINUS SIGN}5",
        "Score": "350",
        "Cleared": "35",
        "Longest streak": str(expected.longest_streak),
        "Streak score": str(expected.streak_score),
        "Moves": "48",
        "Undos": "0",
        "Hints": "0",
    }
    expect(board.said).to_have_text(re.compile(r"All cleared\. 3 cards were left in the stock\."))


def compare(board: Board, expected: Play) -> None:
    figures = {
        "strokes": expected.strokes,
        "app_score": expected.app_score,
        "streak": expected.streak,
        "moves": expected.moves,
        "stock": expected.stock_left,
    }
    for name, value in figures.items():
        expect(board.figure(name)).to_have_text(str(value))


def test_a_whole_hole_by_clicking(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    assert [" ".join(board.column(number)) for number in range(1, 8)] == VECTOR["columns"]
    expect(board.waste).to_have_attribute("data-card", VECTOR["waste"])
    expect(board.figure("time")).to_have_text("0:00")
    expect(board.figure("to_par")).to_have_text("+30")
    play_whole_hole(board, board.click)


def test_a_whole_hole_by_keyboard_alone(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    play_whole_hole(board, board.key)


def test_a_refusal_teaches(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    board.free(1).click()
    expect(board.talk).to_contain_text("goes on")
    assert plain(board.talk.inner_text()) == "6♥ goes on a 5 or a 7; the waste shows A♣."
    expect(board.said).to_have_text("6 of hearts goes on a 5 or a 7; the waste shows ace of clubs.")
    board.cell(1, 4).click(position={"x": 20, "y": 12})
    expect(board.talk).to_contain_text("covered")
    assert plain(board.talk.inner_text()) == "10♠ is still covered by 6♥."
    expect(board.said).to_have_text("10 of spades is still covered by 6 of hearts.")
    board.cell(3, 2).click(position={"x": 20, "y": 12})
    expect(board.talk).to_contain_text("A♥")
    assert plain(board.talk.inner_text()) == "A♥ is still covered by 2♦, 5♦, and J♠."
    assert board.turn == 0
    expect(board.figure("moves")).to_have_text("0")


def test_a_king_teaches_under_strict_rules(site: Site, page: Page) -> None:
    board = deal(page, site.url, "GO1-S-AAAAAAB")
    play = Play(GameCode.parse("GO1-S-AAAAAAB").deal(), GameCode.parse("GO1-S-AAAAAAB").rules)
    while board.page.locator(".waste .top").get_attribute("data-card")[0] != "K":  # type: ignore[index]
        action = play.legal()[0]
        play.act(action)
        board.click(action)
        expect(board.stock).not_to_have_attribute("data-waiting", "")
    board.free(1).click()
    expect(board.talk).to_contain_text("nothing goes on a king")


def test_arrow_keys_walk_through_the_grid(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    grid = page.get_by_role("grid", name="Board")
    assert grid.locator('[tabindex="0"]').count() == 1
    focused = page.locator(":focus")
    board.free(1).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    # A cell that the script focused is the one that Tab reaches from then on.
    expect(focused).to_have_attribute("aria-label", re.compile("column 1"))
    page.keyboard.press("End")
    expect(focused).to_have_attribute("data-column", "7")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("data-column", "2")
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    expect(focused).to_have_attribute("aria-label", "waste: ace of clubs")
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-label", "stock: 16 cards")
    page.keyboard.press("Enter")
    expect(focused).to_have_attribute("aria-label", "stock: 15 cards")
    expect(board.said).to_have_text("8 of spades drawn. 15 cards in the stock.")
    assert grid.locator('[tabindex="0"]').count() == 1
    # Up to column 1, across to the 9 of clubs, and play it: the focus stays in its column.
    page.keyboard.press("ArrowUp")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("aria-label", "9 of clubs, free, column 5")
    page.keyboard.press("Enter")
    expect(focused).to_have_attribute("aria-label", "8 of hearts, free, column 5")
    expect(board.said).to_have_text("9 of clubs played. 34 cards left.")
    expect(board.cell(5, 3)).to_have_attribute(
        "aria-label", "7 of diamonds, covered, column 5, row 3"
    )


def test_undo_and_hint_in_practice(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    board.click("d")
    board.press("h")
    board.at(2)
    expect(board.talk).to_contain_text("9♣")
    assert plain(board.talk.inner_text()) == "Hint: 9♣ in column 5 starts the longest run."
    expect(board.said).to_contain_text("Hint: 9 of clubs in column 5 starts the longest run.")
    expect(board.free(5)).to_have_attribute("data-hint", "")
    board.click("5")
    expect(board.figure("app_score")).to_have_text("10")
    page.keyboard.press("u")
    board.at(4)
    expect(board.waste).to_have_attribute("data-card", "8S")
    assert board.column(5) == ["JH", "3C", "7D", "8H", "9C"]
    expect(board.figure("app_score")).to_have_text("0")
    expect(board.figure("moves")).to_have_text("2")
    expect(board.said).to_contain_text("Taken back. The waste shows 8 of spades.")
    board.press("u")
    board.at(5)
    expect(board.waste).to_have_attribute("data-card", "AC")
    board.press("u")
    expect(board.talk).to_have_text("There is nothing to take back.")


def test_a_double_click_never_plays_twice(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    # However busy the computer is, the second click comes at once.
    page.evaluate("() => { const at = performance.now(); performance.now = () => at; }")
    board.stock.dblclick()
    board.at(1)
    # The 8 of hearts under the 9 of clubs would fit on it, and lies where the second click goes.
    board.free(5).dblclick(position={"x": 20, "y": 12})
    board.at(2)
    page.get_by_role("button", name="Draw").dblclick()
    board.at(3)
    page.wait_for_timeout(400)
    page.reload()
    Board(page).ready()
    assert board.turn == 3
    expect(board.figure("stock")).to_have_text("14")
    assert board.column(5) == ["JH", "3C", "7D", "8H"]


def test_a_key_that_is_held_draws_once(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    page.keyboard.down("Space")
    board.at(1)
    for _ in range(3):
        page.wait_for_timeout(400)
        page.keyboard.down("Space")
    page.keyboard.up("Space")
    page.wait_for_timeout(200)
    assert board.turn == 1


def test_a_card_can_be_dragged_to_the_waste(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    board.click("d")
    expect(board.waste).to_have_attribute("data-card", "8S")
    card = board.free(5).bounding_box()
    waste = page.locator(".waste").bounding_box()
    assert card is not None
    assert waste is not None
    start = (card["x"] + 20, card["y"] + 20)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] - 40, start[1], steps=3)
    page.mouse.up()
    page.wait_for_timeout(300)
    assert board.turn == 1
    assert board.free(5).bounding_box() == card
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(waste["x"] + 20, waste["y"] + 20, steps=6)
    page.mouse.up()
    board.at(2)
    expect(board.waste).to_have_attribute("data-card", "9C")
    # Moving the mouse afterwards takes nothing along.
    page.mouse.move(400, 400, steps=3)
    assert page.locator("[data-dragged]").count() == 0


def test_a_reload_goes_on_at_the_very_move(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    for action in LINE[:9]:
        board.click(action)
    before = [board.column(number) for number in range(1, 8)]
    waste = board.waste.get_attribute("data-card")
    page.reload()
    board.ready()
    board.at(9)
    assert [board.column(number) for number in range(1, 8)] == before
    assert board.waste.get_attribute("data-card") == waste
    expect(board.figure("moves")).to_have_text("9")
    for action in LINE[9:12]:
        board.click(action)


def test_a_second_tab_follows(site: Site, page: Page) -> None:
    first = deal(page, site.url)
    other = page.context.new_page()
    other.goto(page.url)
    second = Board(other).ready()
    first.click("d")
    second.at(1)
    expect(second.waste).to_have_attribute("data-card", "8S")
    expect(second.said).to_have_text(
        "A move was made in another window. The waste shows 8 of spades."
    )
    second.click("5")
    first.at(2)
    assert first.column(5) == second.column(5) == ["JH", "3C", "7D", "8H"]
    expect(first.figure("app_score")).to_have_text("10")


def test_moves_made_while_the_server_is_away_are_kept(site: Site, new_page: NewPage) -> None:
    page = new_page(allow_errors=AWAY)
    board = deal(page, site.url)
    board.click("d")
    expect(board.waste).to_have_attribute("data-card", "8S")
    site.kill(0)
    expect(board.banner).to_have_text("Connection lost. You can play on while we reconnect…")
    board.click("5")
    board.click("2")
    expect(board.waste).to_have_attribute("data-card", "8C")
    # What does not fit is told from the table that the server has sent.
    board.free(1).click()
    expect(board.talk).to_contain_text("goes on a 5 or a 7")
    # One draw can wait; its card is not known, so nothing can follow it.
    board.stock.click()
    board.at(3)
    expect(board.banner).to_have_text("Connection lost. The next card comes when we are back…")
    board.free(7).click()
    site.start_again(0)
    expect(board.banner).to_be_hidden(timeout=30_000)
    board.at(4)
    expect(board.waste).to_have_attribute("data-card", "QC")
    expect(board.figure("app_score")).to_have_text("20")
    page.reload()
    board.ready()
    board.at(4)
    expect(board.figure("stock")).to_have_text("14")


def test_a_board_without_a_session_says_so(site: Site, new_page: NewPage) -> None:
    page = new_page()
    board = deal(page, site.url)
    page.context.clear_cookies()
    other = page.context.new_page()
    other.goto(f"{site.url}/games/")
    assert "/log-in/" in other.url
    # The socket is asked to come back without the session.
    page.evaluate("dispatchEvent(new Event('offline'))")
    expect(board.banner).to_contain_text("You are no longer logged in")
    link = board.banner.get_by_role("link").get_attribute("href")
    assert link is not None
    assert link.startswith("/log-in/?next=/games/")


def test_no_move_is_left(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    for _ in range(16):
        board.click("d")
        expect(board.stock).not_to_have_attribute("data-waiting", "")
    expect(board.result.get_by_role("heading")).to_have_text("No move is left")
    expect(board.result.locator("> p")).to_have_text("35 cards are left on the table.")
    expect(board.result.get_by_role("link", name="New game")).to_be_hidden()
    board.result.get_by_role("button", name="Undo").click()
    board.at(17)
    expect(board.result).to_be_hidden()
    board.click("d")
    board.result.get_by_role("button", name="Look at the board").click()
    expect(board.result).to_be_hidden()
    board.press("result")
    board.result.get_by_role("button", name="Accept").click()
    board.at(19)
    expect(board.result.get_by_role("link", name="New game")).to_be_visible()
    expect(board.result.get_by_role("button", name="Undo")).to_be_hidden()
    board.result.get_by_role("button", name="Same cards again").click()
    expect(board.element).to_have_attribute("data-turn", "0")


def test_giving_up_is_confirmed(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    board.click("d")
    board.press("give-up")
    page.get_by_role("dialog").get_by_role("button", name="Play on").click()
    assert board.turn == 1
    board.press("give-up")
    page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    expect(board.result.get_by_role("heading")).to_have_text("Given up")
    expect(board.result.locator('[data-figure="strokes"]')).to_have_text("35")
    page.goto(f"{site.url}/games/")
    page.get_by_role("link", name="Replay").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody tr").first).to_contain_text("draw: 8 of spades")


def test_the_board_can_be_read(site: Site, page: Page) -> None:
    board = deal(page, site.url)
    for action in ("d", "5", "2"):
        board.click(action)
    board.press("read")
    text = page.locator('[data-part="read-out"]').inner_text()
    start = (
        "Stock: 15 cards; waste: 8 of clubs. Column 1: 6 of clubs, 5 of spades, "
        "queen of spades, 10 of spades, 6 of hearts (free: 6 of hearts); column 2: "
    )
    assert text[: len(start)] == start
    assert text.endswith("9 of spades, 5 of clubs (free: 5 of clubs).")
    expect(board.said).to_contain_text(text)


def overflow(page: Page) -> dict[str, Any]:
    return page.evaluate(
        "(({ scrollWidth, clientWidth }) => ({ wide: scrollWidth, seen: clientWidth }))"
        "(document.documentElement)"
    )


@pytest.mark.parametrize(("width", "height"), [(320, 568), (390, 844), (844, 390), (3840, 2160)])
def test_nothing_scrolls_sideways(site: Site, new_page: NewPage, width: int, height: int) -> None:
    page = new_page(width=width, height=height)
    for path in ("/", "/log-in/", "/sign-up/", "/tournaments/"):
        page.goto(site.url + path)
        assert overflow(page) == {"wide": width, "seen": width}, path
    board = deal(page, site.url)
    board.free(1).click()
    expect(board.talk).to_contain_text("goes on")
    assert overflow(page) == {"wide": width, "seen": width}
    strips = [
        (card["y"], below["y"])
        for row in range(1, 5)
        if (card := board.cell(1, row).bounding_box())
        and (below := board.cell(1, row + 1).bounding_box())
    ]
    assert len(strips) == 4
    assert min(lower - upper for upper, lower in strips) >= 24
    # The whole table is seen at once.
    table = page.locator(".play-area").bounding_box()
    assert table
    assert table["x"] >= 0
    assert table["x"] + table["width"] <= width
    board.press("give-up")
    page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    expect(board.result).to_be_visible()
    assert overflow(page) == {"wide": width, "seen": width}
    for path in ("/practice/", "/games/"):
        page.goto(site.url + path)
        assert overflow(page) == {"wide": width, "seen": width}, path


def test_a_thumb_plays(site: Site, new_page: NewPage) -> None:
    page = new_page(width=320, height=568, has_touch=True, is_mobile=True)
    board = deal(page, site.url)
    board.stock.tap()
    board.at(1)
    expect(board.waste).to_have_attribute("data-card", "8S")
    board.free(5).tap()
    board.at(2)
    board.cell(1, 2).tap(position={"x": 10, "y": 10})
    expect(board.talk).to_contain_text("covered")


def test_a_board_weighs_less_than_a_hundred_kilobytes(site: Site, page: Page) -> None:
    become_guest(page, site.url)
    loaded: list[Request] = []
    fresh = page.context.browser
    assert fresh is not None
    context = fresh.new_context(storage_state=page.context.storage_state())
    other = context.new_page()

    def note(request: Request) -> None:
        loaded.append(request)

    other.on("requestfinished", note)
    other.goto(page.url)
    Board(other).ready()
    other.wait_for_load_state("networkidle")
    # What came over the wire, heads and all.
    sizes = [request.sizes() for request in loaded]
    wire = sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)
    context.close()
    assert all(request.url.startswith(site.url) for request in loaded)
    assert len(loaded) > 10
    assert 20_000 < wire < 100_000
