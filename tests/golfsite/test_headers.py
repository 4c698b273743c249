"""What a browser may keep of a page."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import services

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(client: Client) -> Client:
    client.force_login(services.create_guest(name="Zsófia"))
    return client


def again(client: Client, path: str, response: Any) -> Any:
    """Ask for a page that the browser has, as a browser does."""
    return client.get(path, HTTP_IF_NONE_MATCH=response["ETag"])


def test_no_page_is_shown_from_a_cache_unasked(visitor: Client) -> None:
    for name in ("home", "rules", "practice", "tournaments", "my_games", "account"):
        said = visitor.get(reverse(name))["Cache-Control"]
        assert {"private", "no-cache"} <= set(said.split(", ")), name
    assert visitor.get("/nothing/")["Cache-Control"] == "private, no-cache"


def test_a_page_that_is_the_same_is_not_sent_again(visitor: Client) -> None:
    path = reverse("rules")
    first = visitor.get(path)
    assert first["Cache-Control"] == "private, no-cache"
    assert {"Cookie", "Accept-Language"} <= set(first["Vary"].split(", "))
    second = again(visitor, path, first)
    assert (second.status_code, second.content) == (304, b"")
    assert second["Cache-Control"] == "private, no-cache"
    assert {"Cookie", "Accept-Language"} <= set(second["Vary"].split(", "))
    # Its form still works: the token was masked anew, its secret is the same.
    assert visitor.get(path).content != first.content


def test_another_language_is_another_page(visitor: Client) -> None:
    path = reverse("rules")
    first = visitor.get(path)
    visitor.post(reverse("language"), {"language": "fi", "next": path})
    second = again(visitor, path, first)
    assert second.status_code == 200
    assert '<html lang="fi"' in second.content.decode()
    visitor.post(reverse("language"), {"language": "en", "next": path})
    assert again(visitor, path, second).status_code == 200


def test_somebody_else_gets_another_page(visitor: Client) -> None:
    path = reverse("rules")
    first = visitor.get(path)
    visitor.post(reverse("logout"))
    second = again(visitor, path, first)
    assert second.status_code == 200
    assert "Zsófia" not in second.content.decode()


def test_a_new_secret_is_another_page() -> None:
    client = Client()
    path = reverse("rules")
    first = client.get(path)
    client.cookies.clear()
    assert again(client, path, first).status_code == 200


def test_what_was_sent_is_never_answered_from_memory(visitor: Client) -> None:
    path = reverse("practice")
    response = visitor.post(path, {"kind": "code", "code": "x"})
    assert response.status_code == 200
    assert "ETag" not in response
