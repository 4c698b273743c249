"""Logging in by user name and password: who it is, and how often somebody may try.

django-axes sees every attempt, the admin's too; here is what differs from its own ways. It counts
wrong passwords in the database, so that all processes agree, in three sums: for one name from one
address, for one name from everywhere, and for one address. The first is small, since that is how a
password is guessed. The other two are generous, since a whole club may sit behind one address, and
since nobody shall be able to lock others out from a few. Sessions go on meanwhile.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from asgiref.sync import sync_to_async
from axes.backends import AxesStandaloneBackend
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import PermissionDenied
from django.db.models import F, Q
from django.http import HttpRequest
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from games import selectors
from games.addresses import client_address
from games.models import Player, username_key_of

#: So many times `settings.LOG_IN_FAILURES` may be wrong …
_FOR_ONE_NAME: Final = 12
_FROM_ONE_ADDRESS: Final = 10

Credentials = dict[str, Any]


class PlayerBackend(AxesStandaloneBackend, ModelBackend):
    """Knows accounts by their user names, whatever the case, while the throttle lets them try."""

    @sensitive_variables("password")
    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> Player | None:
        """Return whose user name and password these are; None where they are not given.

        Raises `PermissionDenied` when they are wrong, or when there were too many attempts.
        """
        if username is None or password is None:
            return None
        super().authenticate(request, username, password)
        player = selectors.player_to_log_in(username=username)
        if player is None:
            # A name that nobody has must take as long as one that somebody has.
            Player().set_password(password)
            raise PermissionDenied
        if not player.check_password(password) or not self.user_can_authenticate(player):
            raise PermissionDenied
        # Many guesses at once have all been let through before the first of them failed.
        super().authenticate(request, username, password)
        return player

    @sensitive_variables("password")
    async def aauthenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> Player | None:
        """Do the same."""
        return await sync_to_async(self.authenticate)(request, username, password)


class LogInThrottle(AxesDatabaseHandler):
    """Counts wrong passwords, and forgets a player's own when the right one comes.

    Of an attempt nothing is kept but its name's key, its address, and when it was.
    """

    def is_locked(self, request: HttpRequest, credentials: Credentials | None = None) -> bool:
        """Return whether there were too many attempts."""
        return locked_until(request, credentials) is not None

    def user_login_failed(
        self,
        sender: Any,
        credentials: Credentials,
        request: HttpRequest | None = None,
        **kwargs: Any,
    ) -> None:
        """Count a wrong password; mark the request when it was the last that was allowed."""
        if request is None:
            return
        if not request.axes_locked_out:  # type: ignore[attr-defined]  # axes put it there
            _count(name_to_count(request, credentials), client_address(request))
        if self.is_locked(request, credentials):
            request.axes_locked_out = True  # type: ignore[attr-defined]
            request.axes_credentials = credentials  # type: ignore[attr-defined]

    def user_logged_in(
        self, sender: Any, request: HttpRequest, user: Player, **kwargs: Any
    ) -> None:
        """Forget the player's wrong passwords from this address.

        No others: whoever has an account could else guess at somebody's as often as he logs in.
        """
        if not user.is_guest:
            name = username_key_of(user.username)
            AccessAttempt.objects.filter(username=name, ip_address=client_address(request)).delete()

    def user_logged_out(self, *args: Any, **kwargs: Any) -> None:
        """Keep nothing."""


def name_to_count(request: HttpRequest, credentials: Credentials | None) -> str:
    """Return the key of the user name that somebody tries, so that its spellings count as one."""
    given = credentials if credentials is not None else request.POST
    return username_key_of(given.get("username") or "")


def locked_until(request: HttpRequest, credentials: Credentials | None = None) -> datetime | None:
    """Return when the next attempt may be made; None when it may be now."""
    name, address = name_to_count(request, credentials), client_address(request)
    attempts = list(
        AccessAttempt.objects.filter(
            Q(username=name) | Q(ip_address=address), attempt_time__gt=_threshold()
        )
        .order_by("attempt_time")
        .values_list("username", "ip_address", "failures_since_start", "attempt_time")
    )
    limit = settings.LOG_IN_FAILURES
    of_name = [attempt for attempt in attempts if attempt[0] == name]
    from_address = [attempt for attempt in attempts if attempt[1] == address]
    ends = (
        _end([attempt for attempt in of_name if attempt[1] == address], limit),
        _end(of_name, limit * _FOR_ONE_NAME),
        _end(from_address, limit * _FROM_ONE_ADDRESS),
    )
    return max((end for end in ends if end is not None), default=None)


def _end(attempts: Iterable[tuple[str, str, int, datetime]], limit: int) -> datetime | None:
    """Return when fewer than `limit` failures will be left, the oldest being forgotten first.

    None when they are fewer already.
    """
    failures = [(count, at) for _name, _address, count, at in attempts]
    left = sum(count for count, _at in failures)
    end = None
    for count, at in failures:
        if left < limit:
            break
        left -= count
        end = at + settings.AXES_COOLOFF_TIME
    return end


def forget_failures(*, player: Player) -> None:
    """Let the player try again at once, from wherever."""
    AccessAttempt.objects.filter(username=username_key_of(player.username)).delete()


def _count(name: str, address: str) -> None:
    AccessAttempt.objects.filter(attempt_time__lte=_threshold()).delete()
    now = timezone.now()
    attempt, created = AccessAttempt.objects.get_or_create(
        username=name,
        ip_address=address,
        user_agent="",
        defaults={"failures_since_start": 1},
    )
    if not created:
        AccessAttempt.objects.filter(pk=attempt.pk).update(
            failures_since_start=F("failures_since_start") + 1, attempt_time=now
        )


def _threshold() -> datetime:
    return timezone.now() - settings.AXES_COOLOFF_TIME
