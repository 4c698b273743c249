"""The pages for whatever goes wrong: in the site's design, without a database where need be."""

import re
from html.parser import HTMLParser
from unittest import mock

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.test import Client, RequestFactory
from django.utils import translation
from django.views import defaults

from tests.harness.processes import ROOT
from tests.tournaments.factories import let_time_pass, new_entry, new_tournament

DOWN = (ROOT / "deploy" / "down.html").read_text()


def problem(page: str) -> tuple[str, str]:
    """The number and the heading of a page that says what went wrong."""
    found = re.search(
        r'<p class="muted number">(\d+)</p>\s*<h1>([^<]+)</h1>.*<a class="button primary" href="/"',
        page,
        re.DOTALL,
    )
    assert found is not None
    assert "css/base" in page
    return found[1], found[2]


class TestWithoutADatabase:
    """These tests have no database: whatever asked it would fail."""

    def test_nothing_there(self, client: Client) -> None:
        response = client.get("/nothing/")
        assert response.status_code == 404
        assert problem(response.content.decode()) == ("404", "There is nothing here")
        assert response["Content-Security-Policy"]

    def test_no_permission(self, rf: RequestFactory) -> None:
        request = rf.get("/")
        request.user = AnonymousUser()
        response = defaults.permission_denied(request, PermissionDenied())
        assert response.status_code == 403
        assert problem(response.content.decode()) == ("403", "This is not open to you")

    def test_a_form_that_is_too_old(self) -> None:
        response = Client(enforce_csrf_checks=True).post("/guest/", {"name": "Aino"})
        assert response.status_code == 403
        assert problem(response.content.decode()) == ("403", "That page was too old")

    def test_a_request_that_is_not_understood(self, client: Client) -> None:
        response = client.get("/", headers={"host": "evil.example"})
        assert response.status_code == 400
        assert problem(response.content.decode()) == ("400", "This request was not understood")
        assert "evil.example" not in response.content.decode()

    def test_a_failure_tells_nothing_of_it(self) -> None:
        client = Client(raise_request_exception=False)
        with mock.patch("golfsite.views.describe", side_effect=SystemError("a secret")):
            response = client.get("/", headers={"cookie": "sessionid=abc"})
        assert response.status_code == 500
        page = response.content.decode()
        assert problem(page) == ("500", "Something went wrong")
        assert "secret" not in page

    @pytest.mark.parametrize("error", [OperationalError, InterfaceError])
    def test_a_database_that_is_away_is_back_in_a_moment(self, error: type[Exception]) -> None:
        client = Client(raise_request_exception=False)
        with mock.patch("golfsite.views.describe", side_effect=error("a secret")):
            response = client.get("/", headers={"cookie": "sessionid=abc"})
        assert (response.status_code, response["Retry-After"]) == (503, "5")
        page = response.content.decode()
        assert problem(page) == ("503", "Back in a moment")
        assert "secret" not in page

    @pytest.mark.parametrize("name", ["400.html", "500.html"])
    def test_they_need_no_request_either(self, name: str, rf: RequestFactory) -> None:
        with translation.override("ar"):
            response = (
                defaults.bad_request(rf.get("/"), SuspiciousOperation())
                if name == "400.html"
                else defaults.server_error(rf.get("/"))
            )
        assert '<html lang="ar" dir="rtl">' in response.content.decode()


@pytest.mark.django_db
def test_a_closed_tournament_says_so_and_what_to_do(client: Client, settings: LazySettings) -> None:
    settings.DAILY_NINE = True
    tournament = new_tournament()
    client.force_login(new_entry(tournament).player)
    let_time_pass(tournament)
    page = client.post(f"/tournaments/{tournament.slug}/holes/1/", follow=True).content.decode()
    assert "This tournament is over: no hole can be started any more." in page
    assert f'href="/tournaments/{tournament.slug}/leaderboard/"' in page
    assert f'action="/tournaments/{tournament.slug}/holes/1/"' not in page
    assert f'action="/tournaments/{tournament.slug}/enter/"' not in page


class _Attributes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [(tag, name, value or "") for name, value in attrs]


class TestWhileTheSiteIsDown:
    def test_the_page_needs_nothing_else(self) -> None:
        page = _Attributes()
        page.feed(DOWN)
        assert [found for found in page.found if found[1] in {"src", "href", "action"}] == []
        assert "url(" not in DOWN
        assert "@import" not in DOWN
        assert "<script" not in DOWN

    def test_it_says_so_in_every_language(self) -> None:
        page = _Attributes()
        page.feed(DOWN)
        languages = [value for _, name, value in page.found if name == "lang"]
        assert languages == ["en", "bg", "fi", "ar", "ru"]
        assert ("section", "dir", "rtl") in page.found

    def test_it_tries_again_by_itself(self) -> None:
        assert '<meta http-equiv="refresh" content="10">' in DOWN

    def test_it_has_the_sites_colours(self) -> None:
        base = (ROOT / "static" / "css" / "base.css").read_text()
        colours = re.findall(r"--[a-z0-9-]+: #[0-9a-f]+", DOWN)
        assert len(colours) == 12
        assert all(colour in base for colour in colours)

    def test_the_proxy_shows_it(self) -> None:
        caddy = (ROOT / "deploy" / "Caddyfile").read_text()
        assert re.search(r"handle_errors 502 503 504 \{[^}]*rewrite \* /down\.html", caddy)
        compose = (ROOT / "docker-compose.yml").read_text()
        assert "./deploy/down.html:/etc/caddy/down.html:ro" in compose
