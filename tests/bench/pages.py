"""How long a phone waits for the board, in the browser's own measure.

    python -m tests.bench.pages [--rounds 5]

A cold cache, a processor four times slower, 1.6 Mbit/s and 150 ms to the server and back. The page
is ready when a card can be played: the first legal tap is taken. The browser does not slow its
websockets, so what a phone waits for the board's is added: its connection and its upgrade, with
which the cards come. Prints a table, writes
`bench-results/pages.json`, and exits 1 if the median is above what is allowed.
"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.board import become_guest
from tests.harness.browsers import chromium, find_chromium
from tests.harness.processes import ROOT
from tests.harness.site import running

#: Milliseconds from the tap on a link until the board can be played.
REQUIRED = 2000
SLOWDOWN = 4
BYTES_A_SECOND = 1_600_000 / 8
ROUND_TRIP = 150
#: Round trips of the board's socket, which the browser's own throttling leaves out.
SOCKET_ROUND_TRIPS = 2
RESULTS = ROOT / "bench-results"
# A card or the stock that takes a tap: the board is there, and has heard from the server.
_READY = """
addEventListener("DOMContentLoaded", () => {
  new MutationObserver((changes, observer) => {
    const board = document.querySelector("golf-board[data-ready]");
    if (!board) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.playable = performance.now(); }));
  }).observe(document, { attributes: true, subtree: true });
});
"""


def throttle(page: Page) -> None:
    """Make of the browser a phone on the bus with an empty cache."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.clearBrowserCache")
    devtools.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": ROUND_TRIP,
            "downloadThroughput": BYTES_A_SECOND,
            "uploadThroughput": BYTES_A_SECOND,
        },
    )
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})


def measure(browser: Browser, url: str) -> dict[str, float]:
    """Deal a game, open its page as somebody new would, and return the times in milliseconds."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    dealt = context.new_page()
    become_guest(dealt, url)
    address = dealt.url
    fresh = browser.new_context(
        viewport={"width": 390, "height": 844},
        has_touch=True,
        storage_state=context.storage_state(),
    )
    context.close()
    page = fresh.new_page()
    page.add_init_script(_READY)
    throttle(page)
    page.goto(address)
    page.locator("golf-board[data-ready]").wait_for()
    while page.evaluate("window.playable === undefined"):
        page.wait_for_timeout(20)
    times: dict[str, float] = page.evaluate(
        """() => {
          const [page] = performance.getEntriesByType("navigation");
          const [paint] = performance.getEntriesByName("first-contentful-paint");
          return { html: page.responseEnd, paint: paint?.startTime ?? 0, playable: playable };
        }"""
    )
    times["playable"] += SOCKET_ROUND_TRIPS * ROUND_TRIP
    # It was ready indeed: the tap counts.
    turn = int(page.locator("golf-board").get_attribute("data-turn") or -1)
    page.locator(".stock").tap()
    page.locator(f'golf-board[data-turn="{turn + 1}"]').wait_for()
    fresh.close()
    return times


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(prog="tests.bench.pages", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    program = find_chromium()
    if program is None:
        raise SystemExit("Chromium is not installed.")
    folder = Path(tempfile.mkdtemp(prefix="golf-bench-pages-"))
    try:
        with chromium(program, folder) as browser, running(folder / "site") as site:
            rounds = [measure(browser, site.url) for _ in range(options.rounds)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    medians = {name: statistics.median(times[name] for times in rounds) for name in rounds[0]}
    for name, median in medians.items():
        each = "  ".join(f"{times[name]:5,.0f}" for times in rounds)
        sys.stdout.write(f"{name:10}{median:7,.0f} ms   ({each})\n")
    RESULTS.mkdir(exist_ok=True)
    written = {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "required": REQUIRED,
        "medians": medians,
        "rounds": rounds,
    }
    (RESULTS / "pages.json").write_text(json.dumps(written, indent=2) + "\n")
    if medians["playable"] > REQUIRED:
        sys.stdout.write(f"The board takes longer than {REQUIRED} ms.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
