"""Accounts as people meet them: a guest who stays, a mistake, a lost password, one press."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.board import Board, deal
from tests.browser.test_axe import WCAG, violations
from tests.harness.browsers import NewPage
from tests.harness.site import Site

PASSWORD = "seven columns"
PHONE = {"width": 320, "height": 640}


def sign_up(site: Site, username: str) -> None:
    """Make an account on the site, by nobody's browser."""
    site.manage(
        "shell",
        "-c",
        "from games.services import sign_up; "
        f"sign_up(username='{username}', name='{username.title()}', password='{PASSWORD}')",
    )


def log_in(page: Page, username: str, password: str = PASSWORD) -> None:
    """Fill in the form of the log-in page that is open, and send it."""
    form = page.locator('form[action="/log-in/"]')
    form.get_by_label("User name").fill(username)
    form.get_by_label("Password").fill(password)
    form.get_by_role("button", name="Log in").click()


def who(page: Page) -> Locator:
    """Open the menu of a narrow window, and return one's own name in it."""
    page.locator(".menu-button").click()
    return page.locator(".who")


def test_a_guest_keeps_the_games_while_a_board_is_open(site: Site, new_page: NewPage) -> None:
    page = new_page(**PHONE)
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    board = deal(page, site.url)
    opened = len(sockets)
    board.click("d")
    board.at(1)
    other = page.context.new_page()
    other.goto(site.url)
    other.set_viewport_size(PHONE)  # type: ignore[arg-type]
    who(other).click()
    expect(other.get_by_role("heading", level=1)).to_have_text("Your account")
    assert violations(other, WCAG) == []
    other.set_viewport_size(PHONE)  # type: ignore[arg-type]
    other.get_by_role("link", name="Keep your games", exact=True).click()
    expect(other.get_by_label("Name on the board")).not_to_have_value("")
    assert violations(other, WCAG) == []
    other.get_by_label("User name").fill("Keeper")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Keep your games").click()
    expect(other.locator(".notice.success")).to_contain_text("Your games are kept.")
    assert other.locator(".game-row").count() == 2
    # The board in the first window has noticed nothing.
    board.click("5")
    board.at(2)
    assert len(sockets) == opened
    expect(board.banner).to_be_hidden()
    elsewhere = new_page()
    elsewhere.goto(f"{site.url}/log-in/")
    log_in(elsewhere, "KEEPER")
    elsewhere.goto(page.url)
    Board(elsewhere).ready().at(2)


def test_a_member_takes_along_what_was_played_as_a_guest(site: Site, new_page: NewPage) -> None:
    sign_up(site, "member")
    page = new_page(**PHONE)
    board = deal(page, site.url)
    board.click("d")
    board.at(1)
    game = page.url
    page.goto(f"{site.url}/account/")
    page.get_by_role("link", name="Log in and take these games along").click()
    log_in(page, "member")
    expect(page.get_by_role("heading", level=1)).to_have_text("Take your games along?")
    assert page.locator("main li").all_inner_texts() == ["2 games"]
    assert violations(page, WCAG) == []
    page.get_by_role("button", name="Take them along").click()
    expect(page.locator(".notice.success")).to_have_text("2 games are yours now.")
    page.goto(game)
    Board(page).ready().at(1)
    expect(page.locator(".who")).to_have_text("Member")


@pytest.mark.parametrize("locale", ["en", "ar"])
def test_too_many_wrong_passwords_are_told_when_to_try_again(
    site: Site, new_page: NewPage, locale: str
) -> None:
    """Over the real server, whose middleware is awaited; from another address than other tests."""
    page = new_page(**PHONE, locale=locale, allow_errors=["429"])
    page.goto(f"{site.url}/log-in/")
    form = page.locator('form[action="/log-in/"]')
    for _ in range(5):
        form.locator("[name=username]").fill(f"nobody-{locale}")
        form.locator("[name=password]").fill("wrong")
        with page.expect_response("**/log-in/") as answer:
            form.locator("button").click()
    assert answer.value.status == 429
    assert 0 < int(answer.value.headers["retry-after"]) <= 15 * 60
    expect(page.locator("h1")).to_be_visible()
    assert violations(page, WCAG) == []


def test_a_link_to_a_new_password(site: Site, new_page: NewPage) -> None:
    sign_up(site, "forgetful")
    code = (
        "from games.models import Player; from games.services import issue_password_link;"
        "root = Player.objects.create_superuser('boss', password='x', name='Boss');"
        "player = Player.objects.get(username='forgetful');"
        "print(issue_password_link(player=player, by=root).path)"
    )
    path = site.manage("shell", "--verbosity", "0", "-c", code).stdout.strip()
    page = new_page(**PHONE)
    page.goto(site.url + path)
    expect(page.get_by_role("heading", level=1)).to_have_text("Choose a new password")
    assert violations(page, WCAG) == []
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.locator("[name=new_password1]").fill("sixteen in stock")
    page.locator("[name=new_password2]").fill("sixteen in stock")
    page.get_by_role("button", name="Set the password").click()
    expect(page.locator(".notice.success")).to_have_text("Your password is set. Log in with it.")
    log_in(page, "forgetful", "sixteen in stock")
    expect(page.locator(".who")).to_have_text("Forgetful")
    again = new_page(**PHONE)
    again.goto(site.url + path)
    expect(again.locator("h1")).to_have_text("This link does not work any more")


@pytest.mark.parametrize("locale", ["en", "ar"])
def test_the_account_page_fits_a_phone_both_ways(
    site: Site, new_page: NewPage, locale: str
) -> None:
    page = new_page(**PHONE, locale=locale)
    page.goto(f"{site.url}/log-in/")
    guest = page.locator('form[action="/guest/"]')
    guest.locator("[name=name]").fill("W" * 30)
    guest.locator("button").click()
    for path in ("/account/", "/account/keep/", "/games/"):
        page.goto(site.url + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
        box = who(page).bounding_box()
        assert box is not None
        assert box["height"] >= 24
    page.goto(f"{site.url}/account/")
    page.locator("main [name=name]").fill("Aino")
    page.locator("main form").first.locator("button").click()
    expect(page.locator(".who")).to_have_text("Aino")
    page.locator("#id_language").select_option("fi")
    page.locator("main form[action='/language/'] button").click()
    expect(page.locator("html")).to_have_attribute("lang", "fi")
    assert page.url == f"{site.url}/account/"
