"""The leaderboard page in a browser: it follows the play by itself, and comes back by itself."""

from playwright.sync_api import Page, expect

from tests.harness.browsers import NewPage
from tests.harness.fixtures import Serve
from tests.harness.site import Site
from tests.live.tournament import make_tournament

_GIVE_UP = """
(address) => new Promise((resolve, reject) => {
  const socket = new WebSocket(new URL(address, window.location.href.replace(/^http/, "ws")));
  socket.onerror = reject;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === "opening") {
      const turn = message.position.turn;
      socket.send(JSON.stringify({ type: "act", turn, action: "g" }));
    } else {
      resolve(message.type);
    }
  };
})
"""


def enter(page: Page, site: Site, slug: str, name: str) -> None:
    page.goto(f"{site.url}/tournaments/{slug}/")
    page.get_by_role("button", name="Enter the tournament").click()
    page.get_by_label("Nickname").fill(name)
    page.get_by_role("button", name="Play as a guest").click()
    page.get_by_role("button", name="Enter the tournament").click()
    expect(page.get_by_role("button", name="Play hole 1")).to_be_visible()


def give_up(page: Page, site: Site, slug: str, number: int) -> None:
    page.goto(f"{site.url}/tournaments/{slug}/")
    page.get_by_role("button", name=f"Play hole {number}").click()
    address = page.locator("golf-board").get_attribute("data-socket")
    assert page.evaluate(_GIVE_UP, address) == "done"


def cell(page: Page, name: str, column: int) -> str:
    return page.locator("tr", has_text=name).locator("th, td").nth(column).inner_text()


def test_the_board_follows_the_play_and_keeps_the_readers_place(
    serve: Serve, new_page: NewPage
) -> None:
    site = serve()
    slug = make_tournament(site)
    player = new_page()
    enter(player, site, slug, "Ann")

    reader = new_page(width=320)
    reader.goto(f"{site.url}/tournaments/{slug}/leaderboard/")
    expect(reader.locator("tbody tr")).to_have_count(1)
    reader.evaluate("() => { window.stayed = true; }")
    enter(new_page(), site, slug, "Bo")
    expect(reader.locator("tbody tr")).to_have_count(2)

    reader.locator("tr", has_text="Ann").get_by_role("link").focus()
    reader.locator('[data-part="scroll"]').evaluate("(box) => { box.scrollLeft = 40; }")
    reader.evaluate("() => window.scrollTo(0, 30)")
    before = reader.evaluate("() => [document.activeElement.href, window.scrollY]")
    give_up(player, site, slug, 1)
    expect(reader.locator("tr", has_text="Ann").locator(".to-par")).to_have_text("+30")
    assert [cell(reader, "Ann", column) for column in range(6)] == [
        "1", "Ann", "+30", "1", "35", "0",
    ]  # fmt: skip
    assert reader.evaluate("() => [document.activeElement.href, window.scrollY]") == before
    assert reader.locator('[data-part="scroll"]').evaluate("(box) => box.scrollLeft") == 40
    assert reader.evaluate("() => window.stayed") is True


def test_the_board_says_that_it_is_cut_off_and_catches_up(serve: Serve, new_page: NewPage) -> None:
    site = serve()
    slug = make_tournament(site)
    player = new_page(allow_errors=["WebSocket", "ERR_"])
    enter(player, site, slug, "Ann")
    reader = new_page(allow_errors=["WebSocket", "ERR_"])
    reader.goto(f"{site.url}/tournaments/{slug}/leaderboard/")
    status = reader.locator('[data-part="status"]')
    expect(status).to_be_hidden()

    site.kill()
    expect(status).to_contain_text("Connection lost", timeout=10_000)
    site.start_again()
    give_up(player, site, slug, 1)
    expect(reader.locator("tr", has_text="Ann").locator(".to-par")).to_have_text(
        "+30", timeout=40_000
    )
    expect(status).to_be_hidden()
