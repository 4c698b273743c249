"""Seasons and their tables."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from django.db.models import Count, Q, QuerySet

from tournaments import dates, merit
from tournaments.models import Club, Membership, Recurrence, Season, Tournament
from tournaments.selectors.boards import places
from tournaments.selectors.sight import KEPT_BACK

#: Tournaments whose places a process keeps; one of forty players takes about 4 kB.
_MOST_KEPT: Final = 1024
_COUNTED = (Tournament.Status.CLOSED, Tournament.Status.REVIEW, Tournament.Status.FINAL)
#: Memberships that score: who has left keeps what was won.
_SCORING = (Membership.Status.ACTIVE, Membership.Status.LEFT)


@dataclass(frozen=True, slots=True)
class SeasonEvent:
    """A tournament of a season; `is_provisional` while it is not final."""

    tournament: Tournament
    is_provisional: bool


@dataclass(frozen=True, slots=True)
class SeasonLine:
    """A member in the table: a score, or None, for each tournament that counts, in order."""

    player_id: int
    name: str
    line: merit.Line[int]
    scores: tuple[merit.Score | None, ...]


@dataclass(frozen=True, slots=True)
class SeasonTable:
    """A season's tournaments that are over, its table, and how many tournaments are to come."""

    events: tuple[SeasonEvent, ...]
    lines: tuple[SeasonLine, ...]
    to_come: int

    @property
    def is_provisional(self) -> bool:
        """Whether a result in it may still be corrected."""
        return any(event.is_provisional for event in self.events)


def seasons_of(*, club: Club) -> QuerySet[Season]:
    """Return the seasons of a club, the latest first, with `count`, how many tournaments each."""
    seasons = Season.objects.filter(club=club).annotate(count=Count("tournaments"))
    return seasons.order_by("-starts_on", "-pk")


def season_of(*, slug: str) -> Season:
    """Return the season of that address with its club.

    Raises `Season.DoesNotExist`.
    """
    return Season.objects.select_related("club").get(slug=slug)


def season_on(*, club: Club, day: date) -> Season | None:
    """Return the club's season that a day is in, of several the latest."""
    return Season.objects.filter(club=club, starts_on__lte=day, ends_on__gte=day).first()


def season_table(*, season: Season) -> SeasonTable:
    """Return the table of a season.

    Results count once their tournament is closed and a frozen standing is revealed, and may be
    corrected until it is final. Who has
    no place on a board has no points there, and neither has who is no member of the club: such a
    place keeps its points, so that nobody's total changes when a guest becomes a member.
    """
    tournaments = season.tournaments.exclude(status=Tournament.Status.DRAFT)
    counted = Q(~KEPT_BACK, status__in=_COUNTED)
    over = list(tournaments.filter(counted).order_by("opens_at", "pk"))
    members = Membership.objects.filter(club=season.club_id, status__in=_SCORING)
    names = dict(members.values_list("player_id", "name"))
    lines = merit.table(
        _kept.of(over),
        points=season.points,
        best_of=season.best_of,
        among=names,
    )
    lines.sort(key=lambda line: (line.place, names[line.player].casefold()))
    return SeasonTable(
        events=tuple(SeasonEvent(each, each.status != Tournament.Status.FINAL) for each in over),
        lines=tuple(_line(line, names[line.player], len(over)) for line in lines),
        to_come=tournaments.exclude(counted).count(),
    )


def _line(line: merit.Line[int], name: str, events: int) -> SeasonLine:
    by_event = {score.event: score for score in line.scores}
    scores = tuple(by_event.get(event) for event in range(events))
    return SeasonLine(line.player, name, line, scores)


class _Places:
    """The places of tournaments that were asked for last; each change of one is a new version."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, datetime, int], dict[int, int]] = OrderedDict()

    def of(self, tournaments: Sequence[Tournament]) -> list[dict[int, int]]:
        """Return the places of each by player; all that is missing is read at once."""
        # An id alone may be given anew, to another tournament.
        keys = [(each.pk, each.created_at, each.board_version) for each in tournaments]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = [each for each, key in zip(tournaments, keys, strict=True) if key not in found]
        for tournament, standing in places(tournaments=missing):
            found[tournament.pk, tournament.created_at, tournament.board_version] = standing
        with self._lock:
            for key in keys:
                self._kept[key] = found[key]
                self._kept.move_to_end(key)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return [found[key] for key in keys]


_kept: Final = _Places()


def tournaments_between(*, club: Club, starts_on: date, ends_on: date) -> QuerySet[Tournament]:
    """Return the club's tournaments that open between two days of its zone, the days included."""
    first, after = (
        dates.at(datetime.combine(day, time.min), club.zone)
        for day in (starts_on, ends_on + timedelta(days=1))
    )
    return Tournament.objects.filter(
        club=club, day=None, room=None, opens_at__gte=first, opens_at__lt=after
    ).order_by("opens_at", "pk")


def recurrences_of(*, club: Club) -> QuerySet[Recurrence]:
    """Return what a club holds again and again, the next one first."""
    return Recurrence.objects.filter(club=club).select_related("template", "club")
