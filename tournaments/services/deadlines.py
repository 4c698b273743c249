"""The deadlines of holes in progress follow whatever sets them.

A hole knows its deadline (`Game.closes_at`) from its start. When a round's times are moved, when
an entry is given more time, or plays no more, these bring the holes in progress in line, also on
boards that are open now. Each is idempotent.
"""

from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from games import services as games_services
from games.live import tell_deadline
from games.locks import held
from tournaments.models import Entry, HoleResult, Tournament
from tournaments.selectors.playing import Course
from tournaments.services.errors import TournamentError


def apply_extension(*, entry: Entry) -> None:
    """Let what an entry was given (`Entry.extended_to`) hold.

    Its hole in progress gets the new deadline, further holes can be started until then, and the
    tournament stays open for it. Comes after `refresh_entry`, in the transaction of the correction.

    Raises `TournamentError` ``revealed``.
    """
    with transaction.atomic():
        if not _keep_open(entry.tournament_id):
            raise TournamentError("revealed")
        _follow(Entry.objects.get(pk=entry.pk))


def refresh_deadlines(*, tournament: Tournament, entry: Entry | None = None) -> None:
    """Bring the holes in progress of a tournament, or of one entry, in line with its times.

    For when times were moved, or it was decided about an entry whether it competes. Nothing is
    left to do once the cards are revealed.
    """
    with transaction.atomic():
        if not _keep_open(tournament.pk):
            return
        in_play = Entry.objects.filter(
            tournament=tournament,
            results__game__isnull=False,
            results__game__finished_at=None,
        )
        if entry is not None:
            in_play = in_play.filter(pk=entry.pk)
        for each in in_play.order_by("results__game_id"):  # as whoever writes moves
            _follow(each)


def stop_playing(*, entries: QuerySet[Entry]) -> None:
    """Let the entries' holes in progress be over now: the director closes them where they lie."""
    results = HoleResult.objects.filter(entry__in=entries, game__finished_at=None)
    with transaction.atomic():
        for result in results.select_related("game").order_by("game_id"):  # as whoever writes moves
            _move(result, timezone.now())


def _follow(entry: Entry) -> None:
    course = Course(entry=entry, now=timezone.now())
    if course.tournament.is_race:
        return  # its room sets the deadlines (`tournaments.services.rooms`)
    for number in course.holes:
        _move(course.result(number), course.closes_at(number))


def _move(result: HoleResult | None, closes_at: datetime) -> None:
    """Move the deadline of a game that goes on, and tell the boards that show it."""
    game = None if result is None else result.game
    if game is None or game.finished_at is not None:
        return
    if games_services.move_deadline(game=game, closes_at=closes_at):
        tell = partial(tell_deadline, player_id=game.player_id, game_id=game.pk)
        transaction.on_commit(tell, robust=True)


def _keep_open(tournament_id: int) -> bool:
    """Let the tournament stay open as long as any entry may play; False once it is revealed."""
    row = Tournament.objects.filter(pk=tournament_id)
    list(held(row))  # two extensions at once: the later one counts both
    playing = (Entry.Status.ACTIVE, Entry.Status.UNRANKED)
    entries = Entry.objects.filter(tournament=tournament_id, status__in=playing)
    latest = entries.aggregate(latest=Max("extended_to"))["latest"]
    return bool(row.filter(closed_at=None).update(extended_to=latest))
