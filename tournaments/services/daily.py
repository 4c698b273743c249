"""The nine holes of each day, by a club of the site's own."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.utils.crypto import get_random_string

from games.engine import EASY
from tournaments import selectors
from tournaments.models import Club, Tournament
from tournaments.selectors.clubs import HOUSE_CLUB
from tournaments.services.life import publish
from tournaments.services.plan import Plan, whole_window
from tournaments.services.setup import create_tournament


def todays_nine(*, now: datetime) -> Tournament | None:
    """Return the tournament of the day that `now` is in, where the site has one; created if new.

    A day lasts from midnight to midnight in the site's time zone. Idempotent, also between
    several servers: a day has one tournament only.
    """
    if not settings.DAILY_NINE:
        return None
    zone = ZoneInfo(settings.TIME_ZONE)
    day = now.astimezone(zone).date()
    found = selectors.nine_of(day=day)
    if found is not None:
        return found
    try:
        _create_nine(day, zone)
    except (IntegrityError, ValidationError):
        found = selectors.nine_of(day=day)
        if found is None:
            raise
        return found  # another server was faster
    return selectors.nine_of(day=day)


def house_club() -> Club:
    """Return the site's own club, which holds the days' nine holes and the races; new if needed."""
    club, _created = Club.objects.get_or_create(
        slug=HOUSE_CLUB,
        defaults={
            "name": settings.DAILY_NINE_CLUB,
            "joining": Club.Joining.OPEN,
            "guests_welcome": True,
            "time_zone": settings.TIME_ZONE,
        },
    )
    return club


def _create_nine(day: date, zone: ZoneInfo) -> None:
    plan = Plan(
        name=day.isoformat(),
        slug=_free_slug(f"nine-{day.isoformat()}"),
        rules=EASY,
        rounds=whole_window(
            opens_at=datetime.combine(day, time.min, zone),
            closes_at=datetime.combine(day + timedelta(days=1), time.min, zone),
        ),
    )
    publish(tournament=create_tournament(club=house_club(), plan=plan, day=day))


def _free_slug(slug: str) -> str:
    """Return `slug`, or one like it where a club has taken it."""
    if not Tournament.objects.filter(slug=slug, day=None).exists():
        return slug
    return f"{slug}-{get_random_string(6, 'abcdefghjkmnpqrstuvwxyz')}"
