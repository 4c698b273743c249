"""A club's tournaments as a calendar that other programs subscribe to (RFC 5545).

Times are written in UTC, so they are right on both sides of a change of the clocks, wherever the
reader is; the reader's program shows them in his zone.
"""

from collections.abc import Callable
from datetime import UTC, timedelta
from typing import Final

from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from icalendar import Calendar, Event

from games.models import Player
from tournaments import selectors
from tournaments.models import Club, Round, Tournament

_SALT: Final = "tournaments.calendars"
#: How often a program may look for changes.
_REFRESH: Final = timedelta(hours=3)


def club_calendar(*, club: Club, url: str, url_of: Callable[[Tournament], str]) -> bytes:
    """Return the club's calendar: an event for each round between its two times.

    `url` is the club's own whole address, and `url_of` returns a tournament's.
    """
    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//Golf Solitaire//Club calendar//EN")
    calendar.add("method", "PUBLISH")
    for name in ("name", "x-wr-calname"):
        calendar.add(name, club.name)
    calendar.add("x-wr-timezone", club.time_zone)
    calendar.add("url", url)
    for name in ("refresh-interval", "x-published-ttl"):
        calendar.add(name, _REFRESH, parameters={"value": "DURATION"})
    now = timezone.now()
    for each in selectors.clubs.rounds_to_come_and_past(club=club):
        event = _event(each, url_of(each.tournament))
        event.add("dtstamp", now)
        calendar.add_component(event)
    text: bytes = calendar.to_ical()
    return text


def _event(each: Round, url: str) -> Event:
    tournament = each.tournament
    title = tournament.title
    if getattr(each, "rounds", 1) > 1:
        title = _("%(tournament)s, round %(number)d") % {
            "tournament": title, "number": each.number,
        }  # fmt: skip
    event = Event()
    # Of the row, not of names and addresses, which may change; the time tells sites apart.
    event.add("uid", f"{tournament.created_at:%Y%m%dT%H%M%S%f}-{tournament.pk}-{each.number}@golf")
    event.add("summary", title)
    event.add("dtstart", each.opens_at.astimezone(UTC))
    event.add("dtend", each.closes_at.astimezone(UTC))
    event.add("url", url)
    event.add("description", url)
    event.add("created", tournament.created_at)
    event.add("transp", "TRANSPARENT")  # it can be played at any time, so nobody is busy for it
    return event


def key_of(*, club: Club, player: Player) -> str:
    """Return a member's key to the calendar of a hidden club.

    It is the member's own, and void when he leaves the club or changes his password.
    """
    secret = salted_hmac(
        _SALT, f"{club.pk}:{player.get_session_auth_hash()}", algorithm="sha256"
    ).hexdigest()
    return f"{player.pk}-{secret[:32]}"


def fits(*, club: Club, key: str) -> bool:
    """Return whether `key` is that of somebody who belongs to the club now."""
    number = key.partition("-")[0]
    if not number.isdecimal() or len(number) > 18:
        return False
    player = selectors.clubs.player_inside(club=club, player_id=int(number))
    return player is not None and constant_time_compare(key, key_of(club=club, player=player))
