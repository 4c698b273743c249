"""A form that a stranger sends is done once he is somebody."""

import time

import pytest
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.test import Client
from django.urls import include, path
from django.views.decorators.http import require_http_methods

from games import resume
from games.models import Player
from golfsite.urls import urlpatterns as site_urls

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
entered: list[str] = []


@login_not_required
@require_http_methods(["GET", "POST"])
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """What a page that needs a player does."""
    if not isinstance(request.user, Player):
        return resume.ask_who_is_playing(request) if request.method == "POST" else redirect("home")
    if request.method == "POST" or resume.is_due(request):
        entered.append(f"{request.user.name} {slug}")
    return redirect("home")


urlpatterns = [path("enter/<slug:slug>/", enter, name="enter"), path("", include(site_urls))]


@pytest.fixture(autouse=True)
def nobody_entered() -> None:
    entered.clear()


def press(client: Client, slug: str = "spring") -> str:
    """Press the button as a stranger; return where the ways in lead on to."""
    response = client.post(f"/enter/{slug}/")
    assert response["Location"] == f"/log-in/?next=/enter/{slug}/"
    return f"/enter/{slug}/"


def test_one_press_is_enough(client: Client) -> None:
    url = press(client)
    response = client.post("/guest/", {"name": "Aino", "next": url}, follow=True)
    assert response.redirect_chain == [(url, 302), ("/", 302)]
    assert entered == ["Aino spring"]


def test_also_with_an_account(client: Client) -> None:
    url = press(client)
    fields = {"username": "aino", "name": "Aino", "password": "seven columns", "next": url}
    client.post("/sign-up/", fields, follow=True)
    assert entered == ["Aino spring"]
    other = Client()
    other.post("/log-in/", {**fields, "next": press(other, "autumn")}, follow=True)
    assert entered == ["Aino spring", "Aino autumn"]


def test_it_is_done_once(client: Client) -> None:
    url = press(client)
    client.post("/guest/", {"name": "Aino", "next": url}, follow=True)
    client.get(url)
    assert entered == ["Aino spring"]


def test_a_link_presses_for_nobody(client: Client) -> None:
    client.get("/enter/spring/")
    client.post("/guest/", {"name": "Aino", "next": "/enter/spring/"}, follow=True)
    client.get("/enter/spring/")
    assert entered == []


def test_only_what_was_asked_for_is_done(client: Client) -> None:
    press(client)
    client.post("/guest/", {"name": "Aino", "next": "/enter/autumn/"}, follow=True)
    assert entered == []


def test_a_form_without_its_token_asks_for_nothing() -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/enter/spring/").status_code == 403
    assert resume._KEY not in client.session


def test_after_an_hour_nobody_expects_it(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    url = press(client)
    later = time.time() + 60 * 60 + 1
    monkeypatch.setattr("games.resume.time.time", lambda: later)
    client.post("/guest/", {"name": "Aino", "next": url}, follow=True)
    assert entered == []
