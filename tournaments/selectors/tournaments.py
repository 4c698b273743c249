"""Tournaments in lists and by address, and what everybody may know of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from games.engine import GameCode
from games.models import Player
from tournaments.models import Entry, Hole, Tournament
from tournaments.selectors.clubs import visible_clubs


def tournaments() -> QuerySet[Tournament]:
    """Return all tournaments with their clubs, and `players`, how many have entered."""
    return Tournament.objects.select_related("club").annotate(players=Count("entries"))


def clubs_tournaments(*, player: Player | None = None) -> QuerySet[Tournament]:
    """Return the published tournaments of the clubs that the player may know of.

    All but the nine holes of the days, which are listed by themselves, and the races of rooms.
    """
    published = tournaments().filter(day=None, room=None).exclude(status=Tournament.Status.DRAFT)
    return published.filter(club__in=visible_clubs(player=player))


def nine_of(*, day: date) -> Tournament | None:
    """Return the nine holes of a day with `players`, None when there are none."""
    return tournaments().filter(day=day).first()


def earlier_nines(*, day: date, count: int) -> list[Tournament]:
    """Return the nine holes of the last `count` days before `day` that had any, latest first."""
    return list(tournaments().filter(day__lt=day).order_by("-day")[:count])


def open_tournaments(*, player: Player | None = None) -> QuerySet[Tournament]:
    """Return clubs' tournaments that can be played now, the one that closes next first."""
    now = timezone.now()
    running = Q(opens_at__lte=now, closes_at__gt=now, closed_at=None)
    return clubs_tournaments(player=player).filter(running).order_by("closes_at", "pk")


def upcoming_tournaments(*, player: Player | None = None) -> QuerySet[Tournament]:
    """Return clubs' tournaments that have not opened yet, the next one first."""
    return (
        clubs_tournaments(player=player)
        .filter(opens_at__gt=timezone.now())
        .order_by("opens_at", "pk")
    )


def past_tournaments(*, player: Player | None = None) -> QuerySet[Tournament]:
    """Return clubs' tournaments whose time is over, the latest first."""
    return (
        clubs_tournaments(player=player)
        .filter(closes_at__lte=timezone.now())
        .order_by("-closes_at", "-pk")
    )


def tournament_of(*, slug: str) -> Tournament:
    """Return the tournament of that address with its club.

    Raises `Tournament.DoesNotExist`.
    """
    return Tournament.objects.select_related("club").get(slug=slug)


def room_of(*, slug: str) -> str:
    """Return the name of the room in which changes of the leaderboard are told."""
    return f"tournament:{slug}"


def board_version(*, slug: str) -> int:
    """Return the version of the tournament's leaderboard, which a draft has not.

    Raises `Tournament.DoesNotExist`.
    """
    published = Tournament.objects.exclude(status=Tournament.Status.DRAFT)
    return published.values_list("board_version", flat=True).get(slug=slug)


def entry_of(*, tournament: Tournament, player: Player) -> Entry | None:
    """Return the player's entry, None when there is none."""
    return Entry.objects.filter(tournament=tournament, player=player).first()


def count_entries(*, tournament: Tournament) -> int:
    """Return how many players have entered."""
    return Entry.objects.filter(tournament=tournament).count()


def count_entries_of(*, player: Player) -> int:
    """Return how many tournaments a player has entered."""
    return Entry.objects.filter(player=player).count()


def is_deal_in_play(*, codes: Iterable[GameCode]) -> bool:
    """Return whether the cards of any of the codes are a hole of a tournament that is not over.

    Under whichever rules: the cards depend on the last part of a code alone.
    """
    same = Q(pk__in=[])
    for code in codes:
        same |= Q(deal_code__endswith=f"-{code.text.rpartition('-')[2]}")
    return Hole.objects.filter(same, tournament__closed_at=None).exists()


@dataclass(frozen=True, slots=True)
class HolePar:
    """A hole's number, from 1, and its par."""

    number: int
    par: int


def holes_of(*, tournament: Tournament) -> list[HolePar]:
    """Return the holes in order, without what is dealt there."""
    rows = Hole.objects.filter(tournament=tournament).order_by("number")
    return [HolePar(number, par) for number, par in rows.values_list("number", "par")]
