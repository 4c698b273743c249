"""Where a visitor comes from, behind proxies and whatever he writes himself."""

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from games.addresses import UNKNOWN, client_address, is_loopback, socket_address


def address(peer: str, forwarded: str | None = None) -> str:
    headers = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    return client_address(RequestFactory().get("/", REMOTE_ADDR=peer, **headers))


def test_without_a_proxy_nobody_is_believed(settings: Settings) -> None:
    settings.PROXIES = 0
    assert address("203.0.113.7") == "203.0.113.7"
    assert address("203.0.113.7", "198.51.100.1") == "203.0.113.7"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (1, "198.51.100.1", "198.51.100.1"),
        # The visitor wrote the first one.
        (1, "192.0.2.99, 198.51.100.1", "198.51.100.1"),
        (2, "192.0.2.99,198.51.100.1, 10.0.0.2", "198.51.100.1"),
        (1, "198.51.100.1:49152", "198.51.100.1"),
        (1, "[2001:db8:1:2:3::4]:443", "2001:db8:1:2::"),
        # It did not come through all of the proxies.
        (2, "198.51.100.1", "10.0.0.1"),
        (1, None, "10.0.0.1"),
        (1, "", "10.0.0.1"),
        (1, "unknown", UNKNOWN),
    ],
)
def test_behind_proxies_the_outermost_of_them_is_believed(
    settings: Settings, proxies: int, forwarded: str | None, expected: str
) -> None:
    settings.PROXIES = proxies
    assert address("10.0.0.1", forwarded) == expected


def test_a_customers_network_is_one_address() -> None:
    assert address("2001:db8:1:2:3:4:5:6") == address("2001:db8:1:2::1") == "2001:db8:1:2::"
    assert address("2001:db8:1:3::1") != address("2001:db8:1:2::1")
    assert address("fe80::1%eth0") == "fe80::"


def test_one_address_has_one_spelling() -> None:
    assert address("::ffff:203.0.113.7") == address("203.0.113.7") == "203.0.113.7"


@pytest.mark.parametrize("peer", ["", "nowhere", "/run/golf.sock"])
def test_whoever_has_no_address_is_counted_together(peer: str) -> None:
    assert address(peer) == UNKNOWN


def test_this_computer_is_known() -> None:
    assert all(is_loopback(address(peer)) for peer in ("127.0.0.1", "127.1.2.3", "::1"))
    assert not any(is_loopback(address(peer)) for peer in ("203.0.113.7", "2001:db8::1", ""))


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("203.0.113.7", [], "203.0.113.7"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["192.0.2.99", "198.51.100.1"], "198.51.100.1"),
        (None, [], UNKNOWN),
    ],
)
def test_a_socket_comes_from_where_its_page_does(
    settings: Settings, peer: str | None, forwarded: list[str], expected: str
) -> None:
    settings.PROXIES = 1
    headers = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    scope = {"client": None if peer is None else [peer, 49152], "headers": headers}
    assert socket_address(scope) == expected
