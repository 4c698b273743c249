"""What a page costs whoever opens it for the first time; `tests/bench/pages.py` has the times."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.board import Board, become_guest
from tests.harness.browsers import NewPage
from tests.harness.site import Site

#: Bytes over the wire of the board page with all that it needs, into an empty cache.
MOST_BYTES = 100_000
#: The part of the window that may move after the first paint; below 0.1 counts as good.
MOST_SHIFT = 0.005
_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) if (!shift.hadRecentInput) shifts.push(shift.value);
}).observe({ type: "layout-shift", buffered: true });
"""


class Wire:
    """What a page fetches, in bytes as they came over the wire."""

    def __init__(self, page: Page) -> None:
        self.urls: dict[str, str] = {}
        self.bytes: dict[str, int] = {}
        devtools = page.context.new_cdp_session(page)
        devtools.on("Network.requestWillBeSent", self._asked)
        devtools.on("Network.loadingFinished", self._loaded)
        devtools.on("Network.webSocketFrameReceived", self._heard)
        devtools.send("Network.enable")
        devtools.send("Network.clearBrowserCache")

    def _asked(self, event: dict[str, Any]) -> None:
        self.urls[event["requestId"]] = event["request"]["url"]

    def _loaded(self, event: dict[str, Any]) -> None:
        self.bytes[event["requestId"]] = int(event["encodedDataLength"])

    def _heard(self, event: dict[str, Any]) -> None:
        length = len(event["response"]["payloadData"])
        self.bytes[event["requestId"]] = self.bytes.get(event["requestId"], 0) + length

    @property
    def total(self) -> int:
        """The sum of it all."""
        return sum(self.bytes.values())


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900)])
def test_the_board(site: Site, new_page: NewPage, width: int, height: int) -> None:
    player = new_page(width=width, height=height)
    become_guest(player, site.url)
    address = player.url
    fresh = new_page(width=width, height=height, storage_state=player.context.storage_state())
    fresh.add_init_script(_SHIFTS)
    wire = Wire(fresh)
    fresh.goto(address)
    Board(fresh).ready()
    fresh.wait_for_load_state("networkidle")
    loaded = [url for id_, url in wire.urls.items() if id_ in wire.bytes]
    assert sum("/static/" in url for url in loaded) > 5
    assert wire.total > 10_000
    assert [url for url in wire.urls.values() if not url.startswith(f"{site.url}/")] == []
    assert wire.total < MOST_BYTES, sorted(wire.bytes.values())
    assert sum(fresh.evaluate("shifts")) < MOST_SHIFT
    print(f"{wire.total} bytes in {len(loaded)} files, shift {fresh.evaluate('shifts')}")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900)])
def test_a_room(site: Site, new_page: NewPage, width: int, height: int) -> None:
    host = new_page(width=width, height=height)
    host.goto(f"{site.url}/races/")
    host.get_by_label("Nickname").fill("Aino")
    host.get_by_role("button", name="Open a room").click()
    host.get_by_role("button", name="Try the cards alone").wait_for()
    fresh = new_page(width=width, height=height, storage_state=host.context.storage_state())
    fresh.add_init_script(_SHIFTS)
    wire = Wire(fresh)
    fresh.goto(host.url)
    fresh.locator(".seats .seat").wait_for()
    fresh.wait_for_load_state("networkidle")
    assert [url for url in wire.urls.values() if not url.startswith(f"{site.url}/")] == []
    assert 10_000 < wire.total < MOST_BYTES, sorted(wire.bytes.values())
    assert sum(fresh.evaluate("shifts")) < MOST_SHIFT
    print(f"{wire.total} bytes, shift {fresh.evaluate('shifts')}")


@pytest.mark.parametrize("path", ["/", "/rules/", "/tournaments/", "/races/"])
def test_other_pages_move_nothing_and_ask_nobody_else(
    site: Site, new_page: NewPage, path: str
) -> None:
    page = new_page(width=390, height=844)
    page.add_init_script(_SHIFTS)
    wire = Wire(page)
    page.goto(site.url + path)
    page.wait_for_load_state("networkidle")
    assert [url for url in wire.urls.values() if not url.startswith(f"{site.url}/")] == []
    assert sum(page.evaluate("shifts")) < MOST_SHIFT
    assert 5_000 < wire.total < MOST_BYTES
