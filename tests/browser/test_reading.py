"""The pages that are read, shared and printed, in a browser: rules, a shared game, a scorecard."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.board import PUBLISHED, Board, deal
from tests.harness.browsers import NewPage
from tests.harness.fixtures import Serve
from tests.harness.site import Site

#: A page of A4 held upright, less the margins of base.css, in CSS pixels.
PAPER = 680
_TOURNAMENT = """
import json
from datetime import timedelta
from django.utils import timezone
from games import journal, services as games, selectors
from games.engine import EASY
from tournaments import services
from tournaments.models import Club
now = timezone.now()
club = Club.objects.create(name="Club", slug="club", guests_welcome=True)
hour = timedelta(hours=1)
t = services.create_tournament(club=club, plan=services.Plan(name="Spring Nine", slug="spring",
    rules=EASY, rounds=services.whole_window(opens_at=now - hour, closes_at=now + hour)))
services.publish(tournament=t)
for name in ("A name as long as names may be", "Борис"):
    entry = services.enter(tournament=t, player=games.create_guest(name=name))
    for number in range(1, 10):
        game = services.start_hole(entry=entry, number=number).game
        games.start_clock(game_id=game.pk)
        position = selectors.play_of(game=game, actions="")
        while not position.final:
            position.act(position.legal()[0])
        journal.write([journal.Row(game_id=game.pk, turn=i, action=a, ms=100 * i)
            for i, a in enumerate(position.journal)])
        services.record_result(game_id=games.refresh_figures(game_id=game.pk).pk)
print("entry=" + json.dumps(entry.pk))
"""


@pytest.fixture
def site(serve: Serve) -> Site:
    return serve()


def tournament(site: Site) -> int:
    """Play a tournament of two players; return the id of one's entry."""
    printed = site.manage("shell", "-c", _TOURNAMENT).stdout
    entry: int = json.loads(printed.partition("entry=")[2])
    return entry


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def clipped(page: Page) -> list[str]:
    """The tables that are wider than what shows of them."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('.table-scroll')]"
        ".filter((box) => box.scrollWidth > box.clientWidth + 1)"
        ".map((box) => box.getAttribute('aria-label'))"
    )
    return found


def test_the_rules_fit_a_small_phone(site: Site, new_page: NewPage) -> None:
    page = new_page(width=320, height=640)
    page.goto(f"{site.url}/rules/")
    assert overflow(page) <= 0
    assert clipped(page) == []
    page.get_by_role("navigation", name="On this page").get_by_text("Streaks").click()
    expect(page.get_by_role("heading", name="Streaks")).to_be_in_viewport()
    # Each picture shows its cards: none lies outside of its table.
    for felt in page.locator(".felt").all():
        box = felt.bounding_box()
        assert box is not None
        edges = felt.locator(".card").evaluate_all(
            "cards => cards.map((card) => card.getBoundingClientRect().right)"
        )
        assert max(edges) <= box["x"] + box["width"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_printed(site: Site, new_page: NewPage, theme: str) -> None:
    entry = tournament(site)
    page = new_page(width=PAPER, height=900)
    page.goto(site.url)
    page.evaluate(f"localStorage.setItem('golf.settings', '{{\"theme\": \"{theme}\"}}')")
    page.emulate_media(media="print")
    for path in (
        "/rules/",
        "/tournaments/spring/leaderboard/",
        f"/tournaments/spring/scorecards/{entry}/",
    ):
        page.goto(f"{site.url}{path}")
        assert page.locator("html").get_attribute("data-theme") == theme
        assert (overflow(page) <= 0, clipped(page)) == (True, [])
        for hidden in page.locator("nav, header, footer, form, .button").all():
            expect(hidden).to_be_hidden()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        colours = page.evaluate(
            "[...document.querySelectorAll('h1, td, th, .panel')].map((part) => {"
            " const style = getComputedStyle(part);"
            " return [style.color, style.backgroundColor].join(' on '); })"
        )
        on = {colour.replace("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)") for colour in colours}
        assert on <= {
            "rgb(0, 0, 0) on rgb(255, 255, 255)",
            "rgb(51, 51, 51) on rgb(255, 255, 255)",
        }
    expect(page.locator(".scorecard .total").last).to_be_visible()


def test_a_game_is_shared_and_played_again(site: Site, new_page: NewPage) -> None:
    page = new_page(width=390, height=844)
    board = deal(page, site.url)
    board.press("give-up")
    page.locator('dialog [data-do="g"]').click()
    board.result.get_by_role("button", name="Share").click()

    link = page.get_by_label("Link")
    url = link.input_value()
    assert re.fullmatch(re.escape(site.url) + r"/share/[a-z2-9]{16}/", url)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == url
    assert overflow(page) <= 0

    friend = new_page(width=320, height=640, allow_errors=[r"404"])
    friend.goto(url)
    expect(friend.get_by_role("heading", level=1)).to_contain_text("35 cards left on the table")
    assert overflow(friend) <= 0
    picture = friend.locator('meta[property="og:image"]').get_attribute("content")
    assert friend.request.get(str(picture)).headers["content-type"] == "image/png"
    friend.get_by_label("Nickname").fill("Boris")
    friend.get_by_role("button", name="Play this deal").click()
    dealt = Board(friend).ready()
    assert dealt.column(1) == ["6C", "5S", "QS", "TS", "6H"]
    expect(friend.locator("[data-code]")).to_have_text(PUBLISHED)

    page.get_by_role("button", name="Stop sharing").click()
    expect(page.get_by_role("button", name="Share", exact=True)).to_be_visible()
    friend.goto(url)
    expect(friend.get_by_role("heading", level=1)).to_contain_text("There is nothing here")
