"""Which browser a request comes from: a signed cookie that outlasts log-ins.

It tells a director that two cards were played on one browser, and that a browser is the club's
tablet, on which this is as it should be. It is set when the first hole is started, or when a
director marks the browser; nobody is followed by it elsewhere.
"""

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from tournaments import selectors, services
from tournaments.models import Device

COOKIE: Final = "golf_device"
_SALT: Final = "tournaments.devices"
#: The longest that browsers keep a cookie; each hole that is started begins it anew.
_SECONDS: Final = 400 * 24 * 60 * 60


def known_device(request: HttpRequest) -> Device | None:
    """Return the browser that the request comes from, None if it has not been seen before."""
    key = request.get_signed_cookie(COOKIE, default=None, salt=_SALT)
    return None if key is None else selectors.clubs.device_of(key=key)


def device_of(request: HttpRequest) -> Device:
    """Return the browser that the request comes from; a new one is to be told with `remember`."""
    return known_device(request) or services.new_device()


def remember(response: HttpResponse, device: Device) -> None:
    """Let the browser know itself by the device's key from now on."""
    response.set_signed_cookie(
        COOKIE,
        device.key,
        salt=_SALT,
        max_age=_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
