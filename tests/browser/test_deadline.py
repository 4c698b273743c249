"""The time that is left on the board: shown, warned of, moved, and over."""

import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.board import Board, become_guest
from tests.browser.test_languages import choose, overflow
from tests.harness.browsers import NewPage
from tests.harness.fixtures import Report
from tests.harness.site import Site

#: Makes an open tournament of two holes; `options` are fields of its plan.
MAKE = """
from datetime import timedelta
from django.utils import timezone
from games.engine import EASY
from tournaments import services
from tournaments.models import Club
club, _ = Club.objects.get_or_create(slug="club", defaults={"name": "Club", "guests_welcome": True})
now = timezone.now()
services.publish(tournament=services.create_tournament(club=club, plan=services.Plan(
    name="Quick", slug="SLUG", rules=EASY, **OPTIONS,
    rounds=services.whole_window(opens_at=now, closes_at=now + timedelta(seconds=SECONDS), holes=2),
)))
"""
#: Gives whoever plays in it so many seconds from now.
MORE = """
from datetime import timedelta
from django.utils import timezone
from tournaments import services
from tournaments.models import Entry
for entry in Entry.objects.filter(tournament__slug="SLUG"):
    services.extend_window(entry=entry, until=timezone.now() + timedelta(seconds=SECONDS),
                           by=entry.player, reason="The line was down.")
"""


#: A clock that is so many ms ahead, until somebody sets it, and a line that may become slow.
AHEAD = """
const real = Date.now.bind(Date), send = WebSocket.prototype.send;
Object.assign(window, { ahead: %d, slow: 0 });
Date.now = () => real() + window.ahead;
WebSocket.prototype.send = function (data) {
  setTimeout(() => send.call(this, data), window.slow);
};
"""


def shell(site: Site, code: str, **values: object) -> None:
    for name, value in values.items():
        code = code.replace(name, str(value))
    site.manage("shell", "-c", code)


def start(site: Site, page: Page, slug: str, *, seconds: int = 3600, **options: object) -> Board:
    """Make a tournament, enter it as a guest and start its first hole."""
    shell(site, MAKE, SLUG=slug, SECONDS=seconds, OPTIONS=options)
    become_guest(page, site.url)
    page.goto(f"{site.url}/tournaments/{slug}/")
    page.get_by_role("button", name="Enter the tournament").click()
    page.get_by_role("button", name="Play hole 1").click()
    return Board(page).ready()


def seconds_of(text: str) -> int:
    minutes, seconds = text.split(":")
    return 60 * int(minutes) + int(seconds)


def test_a_limited_hole_shows_the_time_that_is_left(site: Site, page: Page) -> None:
    board = start(site, page, "limited", hole_minutes=10)
    expect(board.figure("left")).to_have_text(re.compile(r"^(10:00|9:\d\d)$"))
    # The hole's own time stands beside it, and the stock's cards on the stock.
    expect(board.figure("time")).to_have_text("0:00")
    expect(board.stock).to_contain_text("16")
    first = seconds_of(board.figure("left").inner_text())
    page.reload()
    board.ready()
    # A reload wins no time.
    assert seconds_of(board.figure("left").inner_text()) <= first
    expect(page.locator("[data-last-minute]")).to_have_count(0)


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_wrong_by_an_hour_and_then_set_does_not_matter(
    site: Site, page: Page, report: Report, hours: int
) -> None:
    page.add_init_script(AHEAD % (hours * 3_600_000))
    board = start(site, page, f"hours-{hours + 1}", hole_minutes=10)
    left = re.compile(r"^(10:00|9:\d\d)$")
    expect(board.figure("left")).to_have_text(left)
    board.click("d")
    board.at(1)
    # The next ping tells, though it may take longer than those before; the network's return
    # brings one at once.
    page.evaluate("Object.assign(window, { ahead: 0, slow: 100 })")
    expect(board.figure("left")).not_to_have_text(left)
    began = time.monotonic()
    page.evaluate("dispatchEvent(new Event('online'))")
    # Sooner than the next ping would come by itself.
    expect(board.figure("left")).to_have_text(left, timeout=10_000)
    report("a clock that was set", time.monotonic() - began)
    board.click("d")
    board.at(2)
    expect(board.figure("left")).to_have_text(left)
    expect(page.locator("[data-last-minute]")).to_have_count(0)


def test_the_last_minute_is_told_once_in_words_and_colour(site: Site, page: Page) -> None:
    start(site, page, "warned", hole_minutes=2)
    shell(site, SOON, SLUG="warned", SECONDS=90)
    page.reload()
    board = Board(page).ready()
    left = board.figure("left")
    expect(left).to_have_text(re.compile(r"^1:[0-3]\d$"))
    spoken = "Less than a minute is left."
    assert spoken not in board.said.inner_text()
    expect(board.talk).to_have_text(spoken, timeout=50_000)
    expect(board.said).to_have_text(spoken)
    expect(board.element).to_have_attribute("data-last-minute", "")
    board.press("d")
    expect(board.said).not_to_contain_text(spoken)
    for _ in range(3):
        expect(left).not_to_have_text(left.inner_text())
        expect(board.said).not_to_contain_text(spoken)


def test_a_fixed_window_warns_but_shows_no_clock_running_out(site: Site, page: Page) -> None:
    board = start(site, page, "fixed", seconds=62)
    assert board.figure("left").count() == 0
    expect(board.talk).to_have_text("Less than a minute is left.", timeout=30_000)


def test_a_hole_that_is_closed_while_one_plays_says_so_and_the_next_can_be_started(
    site: Site, page: Page
) -> None:
    board = start(site, page, "closed", hole_minutes=1)
    shell(site, SOON, SLUG="closed", SECONDS=15)
    page.reload()  # the time is the server's
    board.ready()
    expect(board.result.get_by_role("heading")).to_have_text("Time is up", timeout=40_000)
    expect(board.said).to_contain_text("Time is up. 35 cards are left on the table.")
    expect(page.locator("[data-last-minute]")).to_have_count(0)
    board.result.get_by_role("button", name="Next hole").click()
    board.ready()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Hole 2 of 2")


#: Lets the hole in progress end so many seconds from now.
SOON = """
from datetime import timedelta
from django.utils import timezone
from games.models import Game
Game.objects.filter(hole_result__entry__tournament__slug="SLUG", finished_at=None).update(
    closes_at=timezone.now() + timedelta(seconds=SECONDS))
"""


def test_when_the_time_of_the_tournament_is_over_there_is_no_next_hole(
    site: Site, page: Page
) -> None:
    board = start(site, page, "over", seconds=61)
    shell(site, SOON, SLUG="over", SECONDS=1)
    shell(site, 'from tournaments.models import *; from django.utils import timezone\n'
          'Round.objects.filter(tournament__slug="over").update(closes_at=timezone.now())\n'
          'Tournament.objects.filter(slug="over").update(closes_at=timezone.now())')  # fmt: skip
    page.reload()
    expect(board.result.get_by_role("heading")).to_have_text("Time is up", timeout=30_000)
    expect(board.result.get_by_role("button", name="Next hole")).to_be_hidden()


def test_more_time_arrives_on_the_board(site: Site, page: Page) -> None:
    board = start(site, page, "more", window="personal", personal_minutes=1)
    expect(board.figure("left")).to_have_text(re.compile(r"^(1:00|0:\d\d)$"))
    shell(site, MORE, SLUG="more", SECONDS=600)
    # Another process told nobody here; the next state has it.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(board.figure("left")).to_have_text(re.compile(r"^(10:00|9:\d\d)$"))
    expect(page.locator("[data-last-minute]")).to_have_count(0)
    page.reload()
    expect(board.figure("left")).to_have_text(re.compile(r"^(10:00|9:\d\d)$"))


def test_a_message_moves_the_deadline(site: Site, page: Page) -> None:
    board = start(site, page, "told", window="personal", personal_minutes=1)
    later = datetime.now(UTC) + timedelta(minutes=30)
    page.evaluate(
        """([at]) => document.querySelector("golf-board").line.dispatchEvent(new CustomEvent(
            "message", { detail: { type: "deadline", closes_at: at, now: Date.now() } }))""",
        [int(later.timestamp() * 1000)],
    )
    expect(board.talk).to_have_text("You have been given more time.")
    expect(board.said).to_contain_text("You have been given more time.")
    expect(board.figure("left")).to_have_text(re.compile(r"^(30:00|29:\d\d)$"))


@pytest.mark.parametrize("language", ["English", "Български", "Suomi", "العربية", "Русский"])
def test_the_figures_fit_a_small_phone(site: Site, new_page: NewPage, language: str) -> None:
    page = new_page(width=320, height=640)
    # So that the hours are shown too.
    start(site, page, f"small-{abs(hash(language))}", seconds=4 * 3600, hole_minutes=90)
    choose(page, language)
    board = Board(page).ready()
    expect(board.figure("left")).to_have_text(re.compile(r"^1:(30:00|29:\d\d)$"))
    assert overflow(page) <= 0
    narrow = "cells => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length"
    assert page.locator(".scores div").evaluate_all(narrow) == 0
