"""The board as a player uses it, for the tests in a browser."""

import re

from playwright.sync_api import Locator, Page, expect

PUBLISHED = "GO1-E-AAAAAAB"
#: The board takes two taps on one place within a quarter of a second for one.
ONE_TAP = 260


class Board:
    """The board that a page shows, or one of those that it shows."""

    def __init__(self, page: Page, within: Locator | None = None) -> None:
        self.page = page
        self.within = within or page.locator("body")
        self.element = page.locator("golf-board")
        self.stock = self.within.locator(".stock")
        self.waste = self.within.locator(".waste .top")
        self.talk = self.within.locator('[data-part="talk"]')
        self.said = self.within.locator('[data-part="live"]')
        self.banner = self.within.locator('[data-part="banner"]')
        self.result = self.within.locator('[data-part="result"]')
        self._last = ""

    def ready(self) -> "Board":
        """Wait until the cards are there."""
        expect(self.element).to_have_attribute("data-ready", "")
        return self

    @property
    def turn(self) -> int:
        return int(self.element.get_attribute("data-turn") or "-1")

    def at(self, turn: int) -> None:
        """Wait until the board shows a turn."""
        expect(self.element).to_have_attribute("data-turn", str(turn))

    def cell(self, column: int, row: int) -> Locator:
        """The place of a card."""
        return self.within.locator(f".tableau .r{row}.c{column}")

    def free(self, column: int) -> Locator:
        """The free card of a column."""
        return self.within.locator(f".tableau .c{column}[data-free]")

    def column(self, number: int) -> list[str]:
        """The cards of a column from top to bottom."""
        cells = self.within.locator(f".tableau [data-card].c{number}:not([hidden])")
        return cells.evaluate_all("cells => cells.map((cell) => cell.dataset.card)")

    def figure(self, name: str) -> Locator:
        """A figure above the board."""
        return self.within.locator(f'.scores [data-figure="{name}"]')

    def press(self, name: str) -> None:
        """Click a button under the board."""
        self.page.locator(f'.controls [data-do="{name}"]').click()

    def click(self, action: str) -> None:
        """Click the stock (`d`) or the free card of a column, and wait for what it does."""
        turn = self.turn
        if action == self._last:
            self.page.wait_for_timeout(ONE_TAP)
        self._last = action
        (self.stock if action == "d" else self.free(int(action))).click()
        self.at(turn + 1)

    def key(self, action: str) -> None:
        """Press the key of a draw or a column, and wait for what it does."""
        turn = self.turn
        if action == self._last:
            self.page.wait_for_timeout(ONE_TAP)
        self._last = action
        self.page.keyboard.press("Space" if action == "d" else action)
        self.at(turn + 1)


def become_guest(page: Page, url: str, name: str = "Aino") -> Board:
    """Play now as a guest, from the first page to a dealt game."""
    page.goto(url)
    page.get_by_label("Nickname").fill(name)
    page.get_by_role("button", name="Play now").click()
    return Board(page).ready()


def deal(page: Page, url: str, code: str = PUBLISHED) -> Board:
    """Become a guest and deal a pasted code."""
    become_guest(page, url)
    page.goto(f"{url}/practice/")
    page.get_by_label("A game code").check()
    page.get_by_label("Game code", exact=True).fill(code)
    page.get_by_role("button", name="Deal the cards").click()
    return Board(page).ready()


def plain(text: str | None) -> str:
    """A text without the marks that keep a card's two characters together."""
    return re.sub("[\u2066-\u2069\ufe0e\u00a0]", "", text or "")
