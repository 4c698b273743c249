"""The first page, the pages for errors, and the sign of life."""

from unittest import mock

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.test import Client, RequestFactory
from django.urls import reverse
from django.views.defaults import permission_denied

from tests.tournaments.factories import new_account, new_club, new_member, new_player
from tournaments.models import AllowedName


@pytest.mark.django_db
def test_the_first_page_lets_a_visitor_play_at_once(client: Client) -> None:
    response = client.get("/")
    page = response.content.decode()
    assert response.status_code == 200
    assert f'action="{reverse("guest")}"' in page
    assert page.count('<span class="card ') == 35 + 2
    assert "No tournament is open right now" in page
    assert next(template.name for template in response.templates) == "home.html"


@pytest.mark.django_db
def test_the_first_page_leads_members_to_their_clubs() -> None:
    club, expecting = new_club(name="Green Hill", is_hidden=True), new_club(name="Red Hill")
    ann = new_member(club, "Ann")
    AllowedName.objects.create(club=expecting, username="Ann", username_key="ann")
    pages = {}
    for player in (None, new_player(), new_account(), ann):
        client = Client()
        if player is not None:
            client.force_login(player)
        pages[player] = client.get("/").content.decode()
    assert [player for player, page in pages.items() if "Your clubs" in page] == [ann]
    assert f'href="{reverse("club", args=[club.slug])}"' in pages[ann]
    assert f'href="{reverse("club_join", args=[expecting.slug])}"' in pages[ann]


@pytest.mark.django_db
def test_a_page_that_is_not_there(client: Client) -> None:
    response = client.get("/nothing/here/")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


@pytest.mark.django_db
def test_a_failure_needs_neither_player_nor_database() -> None:
    client = Client(raise_request_exception=False)
    with mock.patch("tournaments.selectors.open_tournaments", side_effect=RuntimeError("secret")):
        response = client.get("/")
    page = response.content.decode()
    assert response.status_code == 500
    assert "Something went wrong" in page
    assert "secret" not in page


@pytest.mark.django_db
def test_no_permission(rf: RequestFactory) -> None:
    request = rf.get("/")
    request.user = AnonymousUser()
    response = permission_denied(request, PermissionDenied())
    assert response.status_code == 403
    assert "This is not open to you" in response.content.decode()
