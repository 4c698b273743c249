"""What the games app does when Django says that something happened."""

from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from games import live
from games.models import Player


@receiver(user_logged_out)
def close_sockets_of_session(request: HttpRequest, user: Player | None, **_: Any) -> None:
    """A socket is authenticated once, when it opens: it must not outlive its session."""
    if user is not None:
        live.close_sockets(player_id=user.pk, session_key=request.session.session_key)
