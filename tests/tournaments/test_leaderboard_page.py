"""Boards in a browser: they follow the play by themselves, fit every window, and print whole."""

import json
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.furnish import Furnished, furnish
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
#: Whether nothing lies over the middle of what the keyboard is at.
_UNCOVERED = """
() => {
  const { left, top, width, height } = document.activeElement.getBoundingClientRect();
  const there = document.elementFromPoint(left + width / 2, top + height / 2);
  return document.activeElement.contains(there);
}
"""
#: Enters players of these names without a place yet, or with holes of so many strokes.
_ENTER = """
import json, sys
from tests.tournaments.factories import new_player, record
from tournaments import services
from tournaments.models import Tournament
slug, names, strokes = json.loads({arguments!r})
tournament = Tournament.objects.select_related("club").get(slug=slug)
for name in names:
    entry = tournament.entries.filter(name=name).first()
    entry = entry or services.enter(tournament=tournament, player=new_player(name))
    record(entry, *strokes, first=entry.results.count() + 1)
"""


def enter(page: Page, site: Site, slug: str, name: str) -> None:
    page.goto(f"{site.url}/tournaments/{slug}/")
    page.get_by_role("button", name="Enter the tournament").click()
    page.get_by_label("Nickname").fill(name)
    page.get_by_role("button", name="Play as a guest").click()
    expect(page.get_by_role("button", name="Play hole 1")).to_be_visible()


def give_up(page: Page, site: Site, slug: str, number: int) -> None:
    page.goto(f"{site.url}/tournaments/{slug}/")
    page.get_by_role("button", name=f"Play hole {number}").click()
    address = page.locator("golf-board").get_attribute("data-socket")
    assert page.evaluate(_GIVE_UP, address) == "done"


def fill(site: Site, slug: str, names: list[str], strokes: list[int]) -> None:
    """Let players enter and finish holes, in a process beside the site's."""
    arguments = json.dumps([slug, names, strokes])
    site.manage("shell", "-c", _ENTER.format(arguments=arguments))


def cell(page: Page, name: str, column: int) -> str:
    return page.locator("tr", has_text=name).locator("th, td").nth(column).inner_text()


# --- it follows the play -----------------------------------------------------------------------


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
    expect(reader.locator("tr", has_text="Ann").locator(".to-par").first).to_have_text("+30")
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
    expect(reader.locator("tr", has_text="Ann").locator(".to-par").first).to_have_text(
        "+30", timeout=40_000
    )
    expect(status).to_be_hidden()


def test_the_readers_own_place_stays_in_sight(serve: Serve, new_page: NewPage) -> None:
    site = serve()
    slug = make_tournament(site)
    player = new_page(width=360, height=640)
    enter(player, site, slug, "Zoe")
    fill(site, slug, [f"P{number:02}" for number in range(30)], [4])
    player.goto(f"{site.url}/tournaments/{slug}/leaderboard/")
    bar = player.locator(".my-place")
    expect(bar).to_be_in_viewport()
    expect(bar).to_contain_text("Zoe")
    fill(site, slug, ["Zoe"], [9, 5])
    # Filled in beside the site's process, so it is heard of when the page asks.
    expect(bar.locator(".place")).to_have_text("Your place: 31", timeout=40_000)
    assert bar.locator(".figure").all_inner_texts()[:3] == ["+4", "2", "14"]
    # A row that came by itself is marked as the one that came with the page.
    row = player.locator("tr.me")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("you")
    bar.click()
    expect(row).to_be_in_viewport()
    expect(bar).to_be_hidden()
    player.evaluate("() => window.scrollTo(0, 0)")
    expect(bar).to_be_in_viewport()
    # What the keyboard comes to is not left under it.
    player.locator("tbody a.name").first.focus()
    for _ in range(12):
        player.keyboard.press("Tab")
        assert player.evaluate(_UNCOVERED)


def test_the_screen_turns_its_pages_and_outlasts_the_server(
    serve: Serve, new_page: NewPage
) -> None:
    site = serve()
    slug = make_tournament(site)
    fill(site, slug, [f"P{number:02}" for number in range(14)], [5])
    wall = new_page(width=1920, height=1080, allow_errors=["WebSocket", "ERR_"])
    wall.goto(f"{site.url}/tournaments/{slug}/screen/?seconds=4")
    expect(wall.locator("tbody tr")).to_have_count(10)
    shown = wall.locator("[data-page]")
    expect(shown).to_have_attribute("data-page", "2", timeout=10_000)
    assert wall.locator(".name").all_inner_texts() == ["P10", "P11", "P12", "P13"]
    fill(site, slug, ["P13"], [1])
    expect(wall.locator("tr", has_text="P13")).to_contain_text("−4", timeout=12_000)
    expect(shown).to_have_attribute("data-page", "1", timeout=12_000)

    site.kill()
    expect(wall.locator('[data-part="away"]')).to_be_visible(timeout=15_000)
    for number in ("2", "1"):
        expect(shown).to_have_attribute("data-page", number, timeout=12_000)
    site.start_again()
    fill(site, slug, ["P00"], [0])
    expect(wall.locator("tr", has_text="P00")).to_contain_text("−5", timeout=40_000)
    expect(wall.locator('[data-part="away"]')).to_be_hidden()


# --- it fits every window ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with something on every page."""
    running = Site(folder=tmp_path_factory.mktemp("site"), processes=1, env={})
    try:
        running.start()
        yield running
    finally:
        running.stop()
        print(running.log())


@pytest.fixture(scope="module")
def furnished(site: Site) -> Furnished:
    return furnish(site)


_IN_SIGHT = """
() => {
  const box = document.querySelector(".table-scroll").getBoundingClientRect();
  const rows = [...document.querySelectorAll(".standings tr")];
  const edges = rows.flatMap((row) => [...row.cells].slice(0, 5).map((cell) => {
    const { left, right } = cell.getBoundingClientRect();
    return Math.min(left - box.left, box.right - right);
  }));
  const names = [...document.querySelectorAll(".standings .name")];
  return {
    cut: Math.min(...edges),
    narrowest: Math.min(...names.map((name) => name.parentElement.clientWidth)),
    wider: document.documentElement.scrollWidth - window.innerWidth,
  };
}
"""


@pytest.mark.parametrize("language", ["en", "bg", "fi", "ar", "ru"])
def test_a_phone_shows_place_name_to_par_thru_and_total(
    site: Site, furnished: Furnished, new_page: NewPage, language: str
) -> None:
    for width in (320, 360):
        page = new_page(width=width, height=740, locale=language)
        for name in ("leaderboard", "leaderboard-over", "leaderboard-rounds"):
            page.goto(site.url + furnished.pages[name])
            seen = page.evaluate(_IN_SIGHT)
            assert seen["cut"] >= 0, (width, name, seen)
            assert seen["narrowest"] >= 70, (width, name, seen)
            assert seen["wider"] <= 0, (width, name, seen)


def edge(page: Page, side: str) -> Any:
    """The colour at one end of the board's box, between two lines of its head."""
    picture = Image.open(BytesIO(page.locator(".table-scroll").first.screenshot()))
    x = picture.width - 3 if side == "end" else 2
    return picture.convert("RGB").getpixel((x, 8))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_shadow_shows_that_there_is_more(
    site: Site, furnished: Furnished, new_page: NewPage, scheme: str
) -> None:
    page = new_page(width=360, height=740, color_scheme=scheme)
    for name in ("leaderboard", "scorecard-rounds"):
        page.goto(site.url + furnished.pages[name])
        box = page.locator(".table-scroll").first
        more, plain = edge(page, "end"), edge(page, "start")
        assert max(abs(a - b) for a, b in zip(more, plain, strict=True)) > 20, name
        box.evaluate("(box) => { box.scrollLeft = box.scrollWidth; }")
        assert edge(page, "end") == plain, name


def test_a_wide_window_shows_the_whole_board(
    site: Site, furnished: Furnished, new_page: NewPage
) -> None:
    page = new_page()
    page.goto(site.url + furnished.pages["leaderboard"])
    box = page.locator(".table-scroll")
    assert box.evaluate("(box) => box.scrollWidth - box.clientWidth") == 0
    assert edge(page, "end") == edge(page, "start")


_SCREEN = """
() => {
  const { innerWidth: width, innerHeight: height } = window;
  const rows = [...document.querySelectorAll("tbody tr")];
  const cells = [...document.querySelectorAll("tbody .number, tbody .place")];
  return {
    rows: rows.length,
    bottom: Math.max(...rows.map((row) => row.getBoundingClientRect().bottom)) / height,
    letters: parseFloat(getComputedStyle(rows[0].cells[1]).fontSize) / height,
    cut: cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length,
    wider: document.documentElement.scrollWidth - width,
    higher: document.documentElement.scrollHeight - height,
    names: Math.min(...[...document.querySelectorAll("tbody .who")].map((who) => who.clientWidth)),
    ground: getComputedStyle(document.body).backgroundColor,
  };
}
"""


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (3840, 2160), (1024, 768)])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_screen_fills_the_wall(
    site: Site, furnished: Furnished, new_page: NewPage, size: tuple[int, int], language: str
) -> None:
    width, height = size
    page = new_page(width=width, height=height, locale=language)
    page.goto(site.url + furnished.pages["screen"])
    seen = page.evaluate(_SCREEN)
    assert (seen["rows"], seen["cut"]) == (10, 0)
    assert (seen["wider"], seen["higher"]) == (0, 0)
    assert seen["names"] > width / 4
    assert seen["ground"] == "rgb(7, 11, 9)"
    if width / height > 1.7:
        # A letter's height is about a two-hundredth of the five metres on a wall a metre high.
        assert seen["letters"] > 0.045
        assert 0.85 < seen["bottom"] < 0.95


# --- it prints whole ---------------------------------------------------------------------------


def pages_of(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def printed_overflow(page: Page) -> list[str]:
    """What is wider than the paper."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("table")].flatMap((table) => {
          const { right, left } = table.getBoundingClientRect();
          const cut = [...table.querySelectorAll("th, td")].filter((cell) =>
            cell.scrollWidth > cell.clientWidth + 1 &&
            getComputedStyle(cell).position !== "absolute");
          return right > innerWidth + 1 || left < -1 || cut.length
            ? [`${table.className} ${left} ${right} ${cut.map((each) => each.textContent)}`] : [];
        })"""
    )
    return found


#: A4 less the margins of base.css, in CSS pixels.
PAPER = {"portrait": (680, 1009), "landscape": (1009, 680)}


@pytest.mark.parametrize("way", list(PAPER))
@pytest.mark.parametrize("language", ["en", "ar"])
def test_boards_and_cards_are_printed_whole(
    site: Site, furnished: Furnished, new_page: NewPage, way: str, language: str
) -> None:
    width, height = PAPER[way]
    page = new_page(width=width, height=height, locale=language)
    for name, most in {
        "leaderboard-over": 1,
        "leaderboard-rounds": 2,
        "leaderboard-stableford": 1,
        "scorecard": 1,
        "scorecard-rounds": 1,
        "match": 2,
    }.items():
        page.emulate_media(media="null")
        page.goto(site.url + furnished.pages[name])
        pdf = page.pdf(format="A4", landscape=way == "landscape")
        assert 1 <= pages_of(pdf) <= most, name
        page.emulate_media(media="print")
        assert printed_overflow(page) == [], name
        for hidden in page.locator("nav, form, .button, [data-part=mine], .no-print").all():
            expect(hidden).to_be_hidden()


def test_a_long_board_is_printed_on_several_pages_with_its_head_on_each(
    serve: Serve, new_page: NewPage
) -> None:
    site = serve()
    slug = make_tournament(site)
    fill(site, slug, [f"Player {number:03}" for number in range(120)], [5] * 9)
    page = new_page()
    page.goto(f"{site.url}/tournaments/{slug}/leaderboard/?all=1")
    expect(page.locator("tbody tr")).to_have_count(120)
    assert 3 <= pages_of(page.pdf(format="A4")) <= 6
    page.emulate_media(media="print")
    head = page.locator("thead").evaluate("(head) => getComputedStyle(head).display")
    assert head == "table-header-group"
    assert (
        page.locator("tbody tr").first.evaluate("(row) => getComputedStyle(row).breakInside")
        == "avoid"
    )
