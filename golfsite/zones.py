"""The reader's time zone: the browser's, told by a cookie that js/zone.js sets on the first page.

Without it times are those of the site (`GOLF_TIME_ZONE`); wherever a time is shown, its zone is
named.
"""

from typing import Final
from zoneinfo import ZoneInfo

from django.http import HttpRequest
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin

from tournaments.models.validators import time_zones

COOKIE: Final = "time_zone"


class ReaderZoneMiddleware(MiddlewareMixin):
    """Show times in the reader's zone; a name that is no zone is none."""

    def process_request(self, request: HttpRequest) -> None:
        """Take the browser's zone for this request."""
        name = request.COOKIES.get(COOKIE, "")
        if name in time_zones():
            timezone.activate(ZoneInfo(name))
        else:
            timezone.deactivate()  # the thread may have answered somebody else before
