"""Forms that are sent twice: by a double click, and before the answer has come."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.harness.browsers import NewPage
from tests.harness.site import Site

_ROOM = re.compile(r"/races/[A-Z2-9]{5}/$")
_COUNT = """
from games.models import Player
from tournaments.models import Room
rooms = Room.objects.filter(host__name__startswith="{name}")
players = Player.objects.filter(name__startswith="{name}")
print("found=", rooms.count(), players.count(), rooms.filter(is_public=True).count())
"""


def made(site: Site, name: str) -> list[int]:
    """Rooms that players of that name opened, those players, and how many rooms are public."""
    code = _COUNT.format(name=name)
    out = site.manage("shell", "--verbosity", "0", "-c", code).stdout
    return [int(word) for word in out.partition("found=")[2].split()]


def lobby(site: Site, page: Page, name: str) -> Page:
    page.goto(f"{site.url}/races/", wait_until="networkidle")
    page.get_by_label("Nickname").fill(name)
    return page


def click_twice(page: Page, button: Locator) -> None:
    """Click, and once more when the site has been asked, but before the answer is there."""
    line = page.context.new_cdp_session(page)
    slow = {"latency": 800, "downloadThroughput": -1, "uploadThroughput": -1, "offline": False}
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", slow)
    box = button.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    with page.expect_request(lambda request: request.method == "POST"):
        page.mouse.click(*middle)
    page.mouse.click(*middle)


@pytest.mark.parametrize(
    ("button", "name", "public"), [("Open a room", "Anna", 0), ("Open a public room", "Bella", 1)]
)
def test_a_double_click_opens_one_room_for_one_player(
    site: Site, new_page: NewPage, button: str, name: str, public: int
) -> None:
    page = lobby(site, new_page(), name)
    click_twice(page, page.get_by_role("button", name=button, exact=True))
    page.wait_for_url(_ROOM)
    assert made(site, name) == [1, 1, public]


def test_a_double_click_takes_one_seat(site: Site, new_page: NewPage) -> None:
    host = lobby(site, new_page(), "Clara")
    host.get_by_role("button", name="Open a room", exact=True).click()
    host.wait_for_url(_ROOM)
    page = new_page()
    page.goto(host.url)
    page.get_by_label("Nickname").fill("Doris")
    click_twice(page, page.get_by_role("button", name="Take a seat"))
    expect(page.get_by_role("button", name="Leave the room").first).to_be_visible(timeout=30_000)
    assert made(site, "Doris") == [0, 1, 0]
    expect(host.locator(".seats .seat")).to_have_count(2)


def test_a_form_may_be_sent_again_when_nothing_has_come_of_it(
    site: Site, new_page: NewPage
) -> None:
    page = new_page()
    page.clock.install()
    posted: list[str | None] = []

    def answer_nothing(route: Route) -> None:
        posted.append(route.request.post_data)
        route.fulfill(status=204)  # the page stays

    page.route("**/races/new/", answer_nothing)
    button = lobby(site, page, "Edith").get_by_role("button", name="Open a room", exact=True)

    def sent_by_clicking() -> int:
        before = len(posted)
        button.dblclick()
        # What the browser was asked for before it, it has sent by now.
        page.evaluate("fetch(location.href).then(() => null)")
        return len(posted) - before

    assert sent_by_clicking() == 1
    assert sent_by_clicking() == 0
    # The clock goes on by itself meanwhile.
    page.clock.fast_forward(3_000)
    assert sent_by_clicking() == 0
    page.clock.fast_forward(8_000)
    assert sent_by_clicking() == 1
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    assert sent_by_clicking() == 1


def test_what_a_script_prevents_is_not_sent_yet(site: Site, new_page: NewPage) -> None:
    page = lobby(site, new_page(), "Fanny")
    page.evaluate(
        "document.querySelector('main form[method=post]')"
        ".addEventListener('submit', (event) => event.preventDefault(), { once: true })"
    )
    button = page.get_by_role("button", name="Open a room", exact=True)
    button.click()
    button.click()
    page.wait_for_url(_ROOM)
    assert made(site, "Fanny") == [1, 1, 0]
