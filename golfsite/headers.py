"""What a page tells the browser to keep from it, beyond what Django's own middleware says."""

import hashlib
import re
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.deprecation import MiddlewareMixin

#: Parts of a device that no page of this site has any use for.
_UNUSED: Final = (
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer",
    "microphone", "midi", "payment", "usb",
)  # fmt: skip
PERMISSIONS_POLICY: Final = ", ".join(f"{name}=()" for name in _UNUSED)


class PermissionsPolicyMiddleware(MiddlewareMixin):
    """Deny every page, and whatever might get into one, the parts of the device that it needs not.

    The clipboard, the screen's wake lock and sharing stay as they are.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Add the header."""
        response.headers["Permissions-Policy"] = PERMISSIONS_POLICY
        return response


#: The mask of the token of a form, which differs in each answer.
_TOKEN: Final = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')


class FreshPagesMiddleware(MiddlewareMixin):
    """Let a browser keep a page, and ask each time whether it is still that one.

    A page depends on who looks at it, in which language, and on a choice made on any other page.
    So none is shown from a cache unasked; but one that is the same need not be sent again. Pages
    that say themselves how long they may be kept are left alone.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Add the header, and answer 304 where the browser has the page."""
        if response.has_header("Cache-Control"):
            return response
        response.headers["Cache-Control"] = "private, no-cache"
        if request.method != "GET" or response.status_code != 200:
            return response
        if not isinstance(response, HttpResponse):
            return response
        # The page with another mask is the same page, as long as the secret behind it is the same.
        mark = hashlib.sha256(_TOKEN.sub(b"", response.content))
        mark.update(request.META.get("CSRF_COOKIE", "").encode())
        response.headers["ETag"] = f'"{mark.hexdigest()[:32]}"'
        etag = response.headers["ETag"]
        return get_conditional_response(request, etag=etag, response=response) or response
