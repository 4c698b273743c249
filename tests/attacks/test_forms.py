"""A form without its token does nothing, whichever address it is sent to."""

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from games.models import Player
from tests.tournaments.factories import PASSWORD

from .addresses import addresses

pytestmark = pytest.mark.django_db
FOREIGN = "http://evil.example"


def superuser() -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(Player.objects.create_superuser("root", password=PASSWORD, name="Root"))
    return client


def is_refused(client: Client, path: str, method: str = "post", **headers: str) -> bool:
    """Whether it is refused for its token, and not for anything else."""
    response = client.generic(method.upper(), path, b"name=x", headers=headers)
    return response.status_code == 403 and "403_csrf.html" in {
        template.name for template in response.templates
    }


def test_every_address_is_known() -> None:
    found = addresses()
    assert len(found) > 150
    for address in found:
        try:
            resolve(address.any_path())
        except Resolver404:  # pragma: no cover - says which one
            pytest.fail(f"{address.route} is not led to by {address.any_path()}")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_without_a_token_everything_is_refused(method: str) -> None:
    client = superuser()
    taken = [a.route for a in addresses() if not is_refused(client, a.any_path(), method)]
    assert taken == []


def test_a_token_of_another_site_is_none() -> None:
    """Neither one that the browser has no cookie for, nor a right one from a foreign page."""
    client = superuser()
    token = client.get("/rules/").context["csrf_token"]
    assert client.cookies["csrftoken"].value
    for address in addresses():
        path = address.any_path()
        assert is_refused(client, path, **{"x-csrftoken": "a" * 64}), path
        assert is_refused(client, path, **{"x-csrftoken": str(token), "origin": FOREIGN}), path


def test_with_a_token_it_is_taken() -> None:
    """So that the tests above cannot pass by refusing all there is."""
    client = superuser()
    token = client.get("/rules/").context["csrf_token"]
    headers = {"x-csrftoken": str(token), "origin": "http://testserver"}
    refused = [a.route for a in addresses() if is_refused(client, a.any_path(), **headers)]
    assert refused == []
