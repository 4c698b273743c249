"""What a director looks at: how many there are, the entries, the holes."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Lower

from games.models import Game
from tournaments.models import Correction, Entry, Flag, Hole, HoleResult, Membership, Tournament
from tournaments.selectors.playing import Course


@dataclass(frozen=True, slots=True)
class Counts:
    """How many entries there are, and what they are at; removed ones are counted apart.

    `finished` have a result for every hole that counts, `playing` a hole in progress. `flags` are
    those that nobody has looked at.
    """

    entries: int
    started: int
    playing: int
    finished: int
    withdrawn: int
    disqualified: int
    removed: int
    corrections: int
    flags: int


def counts_of(*, tournament: Tournament) -> Counts:
    """Return how many there are of everything."""
    entries = Entry.objects.filter(tournament=tournament)
    by_status = dict(entries.order_by().values_list("status").annotate(Count("pk")))
    shown = entries.exclude(status=Entry.Status.REMOVED)
    counted = Hole.objects.filter(tournament=tournament, is_void=False).count()
    results = HoleResult.objects.filter(entry__in=shown).order_by()
    in_play = results.filter(game__state__in=_GOES_ON, game__finished_at=None)
    return Counts(
        entries=sum(by_status.values()) - by_status.get(Entry.Status.REMOVED, 0),
        started=results.values("entry").distinct().count(),
        playing=in_play.values("entry").distinct().count(),
        finished=shown.filter(thru__gte=counted).count() if counted else 0,
        withdrawn=by_status.get(Entry.Status.WITHDRAWN, 0),
        disqualified=by_status.get(Entry.Status.DISQUALIFIED, 0),
        removed=by_status.get(Entry.Status.REMOVED, 0),
        corrections=Correction.objects.filter(tournament=tournament).count(),
        flags=Flag.objects.filter(entry__tournament=tournament, seen_at=None).count(),
    )


_GOES_ON = (Game.State.PLAYING, Game.State.BLOCKED)


def entries_of(*, tournament: Tournament, text: str = "", status: str = "") -> QuerySet[Entry]:
    """Return entries by name, removed ones too, with their players and divisions.

    :param text: where it is in the name on the board or in the user name.
    :param status: of this status only (`Entry.Status`); empty: of every status.
    """
    rows = Entry.objects.filter(tournament=tournament).select_related("player", "division")
    if text:
        rows = rows.filter(Q(name__icontains=text) | Q(player__username__icontains=text))
    if status:
        rows = rows.filter(status=status)
    return rows.order_by(Lower("name"), "pk")


def may_play_until(*, entry: Entry, now: datetime) -> datetime:
    """Return until when the entry may play: its last hole, the time limit of a hole apart."""
    course = Course(entry=entry, now=now)
    if entry.started_at is None:
        return entry.extended(course.tournament.closes_at)
    return max(course.closes_at(number) for number in course.holes)


@dataclass(frozen=True, slots=True)
class DirectedHole:
    """A hole as a director sees it: how many have finished it, and how many are at it."""

    number: int
    par: int
    is_void: bool
    finished: int
    playing: int


def holes_to_direct(*, tournament: Tournament) -> list[DirectedHole]:
    """Return the holes in order, without what is dealt there."""
    statuses = [status for status in Entry.Status if status != Entry.Status.REMOVED]
    shown = Q(results__entry__status__in=statuses)
    rows = (
        Hole.objects.filter(tournament=tournament)
        .order_by("number")
        .values_list("number", "par", "is_void")
        .annotate(
            finished=Count("results", filter=Q(results__is_final=True) & shown),
            playing=Count("results", filter=Q(results__is_final=False) & shown),
        )
    )
    return [DirectedHole(*row) for row in rows]


def hole_to_direct(*, tournament: Tournament, number: int) -> Hole:
    """Return a hole without what is dealt there.

    Raises `Hole.DoesNotExist`.
    """
    return Hole.objects.defer("deal_code").get(tournament=tournament, number=number)


def entry_to_direct(*, tournament: Tournament, entry_id: int) -> Entry:
    """Return an entry, also one that was removed, with its player and its division.

    Raises `Entry.DoesNotExist`.
    """
    rows = Entry.objects.select_related("player", "division")
    return rows.get(tournament=tournament, pk=entry_id)


def result_to_direct(*, entry: Entry, hole: Hole) -> HoleResult | None:
    """Return what a hole came to for an entry, with its game; None where there is nothing."""
    return HoleResult.objects.select_related("game").filter(entry=entry, hole=hole).first()


def members_to_add(*, tournament: Tournament, count: int = 300) -> list[tuple[str, str]]:
    """Return user name and name in the club of members who have not entered, by name."""
    members = Membership.objects.filter(club=tournament.club, status=Membership.Status.ACTIVE)
    others = members.exclude(player__entries__tournament=tournament).order_by("name")
    return list(others.values_list("player__username", "name")[:count])


@dataclass(frozen=True, slots=True)
class CardRow:
    """A hole of an entry as a director sees it; the figures are None until it is final.

    `is_damaged`: its moves cannot be replayed, and it waits for a director's word.
    """

    number: int
    par: int
    is_void: bool
    is_playing: bool
    is_damaged: bool
    is_corrected: bool
    strokes: int | None
    app_score: int | None


def card_to_direct(*, entry: Entry) -> list[CardRow]:
    """Return the holes of an entry in order, without what is dealt there."""
    results = HoleResult.objects.filter(entry=entry).select_related("game").order_by()
    by_hole = {result.hole_id: result for result in results}
    holes = Hole.objects.filter(tournament=entry.tournament_id).order_by("number")
    rows = []
    for pk, number, par, is_void in holes.values_list("pk", "number", "par", "is_void"):
        result = by_hole.get(pk)
        is_final = result is not None and result.is_final
        game = None if result is None else result.game
        is_damaged = game is not None and game.damaged_at is not None
        rows.append(
            CardRow(
                number=number,
                par=par,
                is_void=is_void,
                is_playing=not is_final and result is not None and not is_damaged,
                is_damaged=not is_final and is_damaged,
                is_corrected=result is not None and result.is_corrected,
                strokes=None if result is None else result.strokes,
                app_score=None if result is None else result.app_score,
            )
        )
    return rows
