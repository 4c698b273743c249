"""What a stranger asked for before he was asked who is playing.

A form that needs a player, sent by somebody who is not logged in, is remembered in the session
when its token was right, and done once he is somebody. So one press is enough, and no link from
another site can press for him: its request has no such session.
"""

import time
from typing import Final

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse

#: Where a session keeps the address of the form and the time when it was sent.
_KEY: Final = "asked_for"
#: Seconds after which nobody expects it any more.
_PATIENCE: Final = 60 * 60


def ask_who_is_playing(request: HttpRequest) -> HttpResponse:
    """Send a stranger to the ways in, and from there back to this form's own address."""
    request.session[_KEY] = [request.path, int(time.time())]
    return redirect_to_login(request.path)


def is_due(request: HttpRequest) -> bool:
    """Return whether a stranger has sent this address's form and is somebody now; once."""
    asked = request.session.get(_KEY)
    if asked is None or asked[0] != request.path:
        return False
    del request.session[_KEY]
    return bool(time.time() - asked[1] < _PATIENCE)
