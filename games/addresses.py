"""Where a request comes from, as far as the server can know it."""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest

#: The address of whoever has none that can be read.
UNKNOWN: Final = "::"
#: How much of an address of version 6 a provider gives to one customer, in bits.
_CUSTOMER_PREFIX: Final = 64


def client_address(request: HttpRequest) -> str:
    """Return the visitor's address; of one of version 6 the network, which is one customer's.

    A proxy adds to X-Forwarded-For the address that it was asked from, and a visitor may have
    written anything before that. So the entry that counts is the one that the outermost of the
    site's own proxies wrote: the `settings.PROXIES`-th from the end.
    """
    return _address(request.META.get("REMOTE_ADDR"), request.META.get("HTTP_X_FORWARDED_FOR"))


def socket_address(scope: Mapping[str, Any]) -> str:
    """Return `client_address` of whoever has opened a websocket with this ASGI scope."""
    peer, _port = scope.get("client") or (None, None)
    name = b"x-forwarded-for"
    forwarded = b",".join(value for header, value in scope["headers"] if header.lower() == name)
    return _address(peer, forwarded.decode("latin-1"))


def _address(peer: str | None, forwarded: str | None) -> str:
    address = peer or ""
    if forwarded and settings.PROXIES:
        hops = forwarded.split(",")
        if len(hops) >= settings.PROXIES:
            address = hops[-settings.PROXIES].strip()
    found = _parse(address)
    if isinstance(found, IPv6Address) and not found.is_loopback:
        return str(IPv6Network((int(found), _CUSTOMER_PREFIX), strict=False).network_address)
    return UNKNOWN if found is None else str(found)


def is_loopback(address: str) -> bool:
    """Return whether the address is this computer itself."""
    return ip_address(address).is_loopback


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    """Read an address, with or without a port."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
