"""What a page tells the browser to keep from it, beyond what Django's own middleware says."""

from typing import Final

from django.http import HttpRequest, HttpResponse
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
