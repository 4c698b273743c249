"""What the board does when the line to the server is slow, lossy or says no."""

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.board import ONE_TAP, Board, deal
from tests.harness.site import Site


class Wire:
    """The line between a page and the server, in the hands of a test."""

    def __init__(self, page: Page) -> None:
        #: What becomes of a message: returns whether it may pass.
        self.to_page: Callable[[dict[str, Any]], bool] = lambda message: True
        self.to_server: Callable[[dict[str, Any]], bool] = lambda message: True
        self.sent: list[dict[str, Any]] = []
        self.connections = 0
        #: Whether new connections fail.
        self.is_down = False
        page.route_web_socket("**/ws/games/**", self._connected)

    def _connected(self, route: WebSocketRoute) -> None:
        if self.is_down:
            route.close(code=1012, reason="")
            return
        self.connections += 1
        self.page_end = route
        self.server_end = server = route.connect_to_server()

        def from_page(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "act":
                self.sent.append({name: message[name] for name in ("turn", "action")})
            if self.to_server(message):
                server.send(text)

        def from_server(text: str | bytes) -> None:
            if self.to_page(json.loads(text)):
                route.send(text)

        route.on_message(from_page)
        server.on_message(from_server)

    def tell(self, **message: Any) -> None:
        """Say something to the page in the server's name."""
        self.page_end.send(json.dumps(message))


def test_moves_show_before_they_are_answered(site: Site, page: Page) -> None:
    wire = Wire(page)
    board = deal(page, site.url)
    board.click("d")
    expect(board.waste).to_have_attribute("data-card", "8S")
    held: list[dict[str, Any]] = []

    def hold(message: dict[str, Any]) -> bool:
        held.append(message)
        return False

    wire.to_page = hold
    board.click("5")
    expect(board.waste).to_have_attribute("data-card", "9C")
    board.click("2")
    expect(board.waste).to_have_attribute("data-card", "8C")
    assert board.column(5) == ["JH", "3C", "7D", "8H"]
    expect(board.figure("moves")).to_have_text("3")
    # The score is the server's to say.
    expect(board.figure("app_score")).to_have_text("0")
    # A drawn card is not known before the answer, and nothing is played on it.
    board.stock.click()
    board.free(7).click()
    expect(board.stock).to_have_attribute("data-waiting", "")
    expect(board.waste).to_have_attribute("data-card", "8C")
    assert wire.sent == [
        {"turn": 0, "action": "d"},
        {"turn": 1, "action": "5"},
        {"turn": 2, "action": "2"},
        {"turn": 3, "action": "d"},
    ]
    page.wait_for_timeout(200)
    wire.to_page = lambda message: True
    for message in held:
        wire.tell(**message)
    expect(board.waste).to_have_attribute("data-card", "QC")
    expect(board.figure("app_score")).to_have_text("20")
    board.at(4)


def test_a_move_that_is_refused_after_all_is_taken_back(site: Site, page: Page) -> None:
    wire = Wire(page)
    board = deal(page, site.url)
    positions: list[dict[str, Any]] = []

    def note(message: dict[str, Any]) -> bool:
        if "position" in message:  # a pong has none
            positions.append(message["position"])
        return True

    wire.to_page = note
    board.click("d")
    expect(board.waste).to_have_attribute("data-card", "8S")
    wire.to_server = lambda message: message["type"] != "act"
    board.click("5")
    board.click("2")
    expect(board.waste).to_have_attribute("data-card", "8C")
    for turn, action in ((1, "5"), (2, "2")):
        wire.tell(
            type="refused",
            turn=turn,
            action=action,
            code="stale_turn",
            params={},
            position=positions[-1],
        )
    board.at(1)
    expect(board.waste).to_have_attribute("data-card", "8S")
    assert board.column(5) == ["JH", "3C", "7D", "8H", "9C"]
    assert board.column(2) == ["2S", "KC", "4S", "2C", "8C"]
    expect(board.talk).to_have_text("The game has gone on elsewhere; this is how it stands now.")
    wire.to_server = lambda message: True
    board.click("5")
    expect(board.figure("app_score")).to_have_text("10")


def test_a_queue_that_is_refused_is_dropped_as_a_whole(site: Site, page: Page) -> None:
    wire = Wire(page)
    board = deal(page, site.url)
    board.click("d")
    expect(board.figure("stock")).to_have_text("15")
    other = page.context.new_page()
    other.goto(page.url)
    elsewhere = Board(other).ready()
    # The line is down for the one, and the other goes on.
    wire.is_down = True
    wire.page_end.close(code=1012, reason="")
    expect(board.banner).to_have_text("Connection lost. You can play on while we reconnect…")
    for action in ("5", "2"):
        board.click(action)
    board.stock.click()
    expect(board.banner).to_have_text("Connection lost. The next card comes when we are back…")
    board.free(7).click()
    page.keyboard.press("u")
    board.at(3)
    elsewhere.click("d")
    expect(elsewhere.figure("stock")).to_have_text("14")
    wire.sent.clear()
    wire.is_down = False
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(board.banner).to_be_hidden()
    # The first was sent with the turn that it was meant for, and the others not at all.
    expect(board.talk).to_have_text("The game has gone on elsewhere; this is how it stands now.")
    page.wait_for_timeout(300)
    assert wire.sent == [{"turn": 1, "action": "5"}]
    board.at(2)
    for shown in (board, elsewhere):
        assert shown.column(2) == ["2S", "KC", "4S", "2C", "8C"]
        assert shown.column(5) == ["JH", "3C", "7D", "8H", "9C"]
        expect(shown.figure("stock")).to_have_text("14")
    board.click("d")
    elsewhere.at(3)


def test_a_queue_is_sent_in_order_once_the_line_is_back(site: Site, page: Page) -> None:
    wire = Wire(page)
    board = deal(page, site.url)
    board.click("d")
    expect(board.figure("stock")).to_have_text("15")
    # The first is on its way when the line breaks, and arrives without an answer.
    wire.to_page = lambda message: message["type"] != "done"
    board.click("5")
    page.wait_for_timeout(200)
    wire.is_down = True
    wire.page_end.close(code=1012, reason="")
    board.click("2")
    board.stock.click()
    expect(board.banner).to_have_text("Connection lost. The next card comes when we are back…")
    wire.to_page = lambda message: True
    wire.sent.clear()
    wire.is_down = False
    page.evaluate("dispatchEvent(new Event('online'))")
    board.at(4)
    assert wire.sent == [
        {"turn": 1, "action": "5"},
        {"turn": 2, "action": "2"},
        {"turn": 3, "action": "d"},
    ]
    expect(board.waste).to_have_attribute("data-card", "QC")
    expect(board.figure("app_score")).to_have_text("20")
    expect(board.figure("moves")).to_have_text("4")
    page.wait_for_timeout(ONE_TAP)  # the stock was tapped a moment ago
    board.click("d")
    expect(board.figure("stock")).to_have_text("13")


def test_a_lost_answer_is_asked_for_again_and_nothing_is_played_twice(
    site: Site, page: Page
) -> None:
    wire = Wire(page)
    board = deal(page, site.url)
    connections = wire.connections
    wire.to_page = lambda message: message["type"] != "done"
    board.stock.click()
    board.at(0)
    page.wait_for_timeout(300)
    wire.to_page = lambda message: True
    wire.page_end.close(code=4503, reason="")
    wire.server_end.close()
    expect(board.waste).to_have_attribute("data-card", "8S")
    expect(board.banner).to_be_hidden()
    board.at(1)
    assert wire.connections == connections + 1
    assert wire.sent == [{"turn": 0, "action": "d"}] * 2
    expect(board.figure("stock")).to_have_text("15")
    board.click("5")
    expect(board.figure("app_score")).to_have_text("10")


def test_a_move_that_could_not_be_stored_is_tried_again(site: Site, page: Page) -> None:
    wire = Wire(page)
    board = deal(page, site.url)

    def lose(message: dict[str, Any]) -> bool:
        if message["type"] != "act":
            return True
        wire.to_server = lambda message: True
        wire.tell(type="error", code="unavailable")
        return False

    wire.to_server = lose
    board.stock.click()
    expect(board.banner).to_have_text("The move could not be stored yet. Trying again…")
    expect(board.waste).to_have_attribute("data-card", "8S")
    expect(board.banner).to_be_hidden()
    board.at(1)


def test_a_line_that_has_gone_silent_is_given_up(site: Site, page: Page) -> None:
    page.clock.install()
    wire = Wire(page)
    board = deal(page, site.url)
    assert isinstance(board, Board)
    connections = wire.connections
    wire.to_page = lambda message: False
    # Whoever comes back too soon finds nobody, instead of a line that is silent as well.
    wire.is_down = True
    page.clock.run_for(15_000)
    page.clock.run_for(8_000)
    expect(board.banner).to_have_text("Connection lost. You can play on while we reconnect…")
    wire.to_page = lambda message: True
    wire.is_down = False
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(board.banner).to_be_hidden()
    assert wire.connections == connections + 1


def test_there_is_no_coming_back_to_somebody_elses_game(site: Site, page: Page) -> None:
    wire = Wire(page)
    board = deal(page, site.url)
    connections = wire.connections
    wire.page_end.close(code=4403, reason="")
    expect(board.banner).to_have_text("This game belongs to another player.")
    page.wait_for_timeout(1200)
    assert wire.connections == connections
