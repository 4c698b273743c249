"""Days and times as a club reads them off its wall: pure, the zone is given by the caller.

What is repeated is repeated by the wall's clock and calendar. Where a clock is put forward some
times do not exist, and where it is put back some come twice.
"""

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum


class Every(StrEnum):
    """How often something is held."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


def at(wall: datetime, zone: tzinfo) -> datetime:
    """The instant, in UTC, at which a clock in the zone shows the naive time `wall`.

    Of two such instants the first; a time that is skipped is as much later as the clock is put
    forward, so an hour after 01:30 is 03:30 that night.

    :raises OverflowError: at the ends of the calendar.

    >>> from zoneinfo import ZoneInfo
    >>> at(datetime(2026, 3, 29, 3, 30), ZoneInfo("Europe/Sofia")).astimezone(
    ...     ZoneInfo("Europe/Sofia")
    ... ).isoformat()
    '2026-03-29T04:30:00+03:00'
    """
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def wall(time: datetime, zone: tzinfo) -> datetime:
    """The naive time that a clock in the zone shows at an instant."""
    return time.astimezone(zone).replace(tzinfo=None, fold=0)


def exists(moment: datetime, zone: tzinfo) -> bool:
    """Whether a clock in the zone ever shows the naive time `moment`."""
    return wall(at(moment, zone), zone) == moment


def comes_twice(moment: datetime, zone: tzinfo) -> bool:
    """Whether a clock in the zone shows the naive time `moment` twice."""
    first, second = (moment.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    return first != second and exists(moment, zone)


def following(day: date, every: Every, *, anchor_day: int) -> date:
    """The day after `day` on which something is held again.

    :param anchor_day: the day of the month for `Every.MONTH`; a shorter month has its last day.

    >>> days = [date(2026, 1, 31)]
    >>> for _ in range(3):
    ...     days.append(following(days[-1], Every.MONTH, anchor_day=31))
    >>> [f"{day:%m-%d}" for day in days]
    ['01-31', '02-28', '03-31', '04-30']
    """
    if every != Every.MONTH:
        return day + timedelta(days=1 if every == Every.DAY else 7)
    first = _months_later(day, 1)
    return first.replace(day=min(anchor_day, monthrange(first.year, first.month)[1]))


def same_weekday(day: date, *, months: int) -> date:
    """The same weekday so many months later: the second Tuesday after the second Tuesday.

    A month without a fifth has its last one.

    >>> same_weekday(date(2026, 11, 10), months=1)
    datetime.date(2026, 12, 8)
    >>> same_weekday(date(2026, 8, 31), months=1)  # the fifth Monday
    datetime.date(2026, 9, 28)
    """
    first = _months_later(day, months)
    days = (day.weekday() - first.weekday()) % 7 + 7 * ((day.day - 1) // 7)
    found = first + timedelta(days=days)
    return found if found.month == first.month else found - timedelta(days=7)


def _months_later(day: date, months: int) -> date:
    """The first of the month that comes so many months after the day's."""
    years, month = divmod(day.month - 1 + months, 12)
    return date(day.year + years, month + 1, 1)
