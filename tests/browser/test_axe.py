"""axe-core on every page: in English and in Arabic, small and large, light and dark.

And no page of ours is wider than a small phone.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.board import Board
from tests.browser.furnish import Furnished, furnish
from tests.harness.site import Site

SIZES = {"phone": {"width": 320, "height": 640}, "desktop": {"width": 1440, "height": 900}}
LOOKS = [(size, theme) for size in SIZES for theme in ("light", "dark")]
#: What WCAG asks for, and on our own pages the good habits beyond it too: Django's are left plain.
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
_RUN = """
async (values) => {
  // A style that is on its way to another theme has a colour of neither.
  await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})));
  const { violations, passes, incomplete } =
    await axe.run(document, { resultTypes: ["violations"], runOnly: { type: "tag", values } });
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`));
  return { found, checked: passes.length + incomplete.length };
}
"""
_TO_THE_END = """
document.querySelector('[data-part="mine"]')?.parentElement.scrollIntoView({ block: "end" })
"""


@pytest.fixture(scope="module")
def furnished(site: Site) -> Furnished:
    """What is on the site."""
    return furnish(site)


def violations(page: Page, tags: list[str]) -> list[str]:
    """What axe finds on the page in every look."""
    if page.evaluate("typeof window.axe") == "undefined":
        page.evaluate(_AXE)
    found = []
    for size, theme in LOOKS:
        page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        # One's own place floats over the rows of a board until its own place comes into sight.
        page.evaluate(_TO_THE_END)
        result = page.evaluate(_RUN, tags)
        assert result["checked"] > 10
        found += [f"{size} {theme}: {text}" for text in result["found"]]
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if wider > 0 and not _is_djangos(page):
            found.append(f"{size}: {wider} pixels too wide")
    return found


def _is_djangos(page: Page) -> bool:
    return urlsplit(page.url).path.startswith("/admin/")


def states(page: Page, name: str) -> Iterator[str]:
    """Bring the page into each state that it has, and give the state a name."""
    if name in {"board", "result", "hole", "room-racing", "room-late"}:
        board = Board(page).ready()
        yield "as it opens"
        if name == "board":
            board.press("read")
            yield "read out"
            board.press("settings")
            expect(page.locator('[data-part="settings"]')).to_be_visible()
            yield "settings"
            page.keyboard.press("Escape")
            board.press("give-up")
            yield "giving up"
    else:
        yield "as it opens"
    if name == "room":
        page.locator(".emote-menu summary").click()
        yield "signs"
        page.keyboard.press("Escape")
        page.locator('[data-room="settings-link"]').click()
        expect(page.locator('[data-room="settings"] form.plan-form')).to_be_visible()
        yield "settings"
        page.keyboard.press("Escape")
        page.locator(".seat-mark button").first.click()
        yield "removing a seat"
    if name == "home":
        page.locator(".languages summary").click()
        yield "languages"


@pytest.mark.parametrize("language", ["en", "ar"])
def test_every_page(browser: Browser, site: Site, furnished: Furnished, language: str) -> None:
    found: dict[str, list[str]] = {}
    for name, path in furnished.pages.items():
        context = browser.new_context(locale=language)
        cookie = furnished.cookie(name)
        if cookie is not None:
            context.add_cookies([{"name": "sessionid", "value": cookie, "url": site.url}])
        page = context.new_page()
        page.goto(site.url + path)
        expect(page.locator("html")).to_have_attribute("lang", language)
        tags = WCAG if _is_djangos(page) else [*WCAG, "best-practice"]
        for state in states(page, name):
            problems = violations(page, tags)
            if problems:
                found[f"{name}, {state}"] = problems
        context.close()
    assert found == {}
