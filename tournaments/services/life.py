"""The steps in a tournament's life that a director takes, each with a time and a name.

Draft, open, closed, under review, final: forward one by one (a review may be left out), and back
from open to draft while nobody has entered, and from final to review for a reason. That its time
is over is the clock's step (`tournaments.services.closing`).
"""

from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.utils import timezone

from games.locks import held, hold_in_order
from games.models import Player
from tournaments.models import Entry, Hole, Round, Tournament
from tournaments.services.closing import Attempt, close_tournament
from tournaments.services.corrections import clean_reason
from tournaments.services.deadlines import stop_playing
from tournaments.services.errors import TournamentError
from tournaments.services.results import announce
from tournaments.services.setup import check_closing, set_status, trace_closing

_Status = Tournament.Status


class Step(StrEnum):
    """What a director can do next."""

    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    CLOSE = "close"
    REVIEW = "review"
    FINALISE = "finalise"
    REOPEN = "reopen"


_STEPS: dict[str, tuple[Step, ...]] = {
    _Status.DRAFT: (Step.PUBLISH,),
    _Status.CLOSED: (Step.REVIEW, Step.FINALISE),
    _Status.REVIEW: (Step.FINALISE,),
    _Status.FINAL: (Step.REOPEN,),
}


def steps(*, tournament: Tournament, now: datetime) -> tuple[Step, ...]:
    """Return the steps that a director can take at `now`, the likely one first."""
    if tournament.status != _Status.OPEN:
        return _STEPS[tournament.status]
    if tournament.closed_at is not None:
        return ()
    if not Entry.objects.filter(tournament=tournament).exists():
        return (Step.UNPUBLISH,)
    return (Step.CLOSE,) if now > tournament.opens_at else ()


def take_step(
    *, tournament: Tournament, step: Step, by: Player | None = None, reason: str = ""
) -> Tournament:
    """Take one step, and return the tournament after it; what each refuses says its service."""
    match step:
        case Step.PUBLISH:
            return publish(tournament=tournament, by=by)
        case Step.UNPUBLISH:
            return unpublish(tournament=tournament, by=by)
        case Step.CLOSE:
            return close_now(tournament=tournament, by=by, reason=reason)
        case Step.REVIEW:
            return start_review(tournament=tournament, by=by)
        case Step.FINALISE:
            return finalise(tournament=tournament, by=by)
        case Step.REOPEN:
            return reopen(tournament=tournament, by=by, reason=reason)


def publish(*, tournament: Tournament, by: Player | None = None) -> Tournament:
    """Open a draft to the public; who may play is a matter of its window. Idempotent.

    From now on the commitment to its deals is public. Raises `ValidationError` ``closes_in_past``.
    """
    if tournament.status == _Status.DRAFT:
        check_closing(closes_at=tournament.closes_at)
        set_status(tournament=tournament, after=_Status.OPEN, by=by)
    return tournament


def unpublish(*, tournament: Tournament, by: Player | None = None) -> Tournament:
    """Take what is published back to a draft, as long as nobody has entered.

    Raises `TournamentError` ``bad_step``, ``has_entries``.
    """
    with transaction.atomic():
        # Against the key: whoever enters at this moment is waited for, or waits and finds a draft.
        stored = Tournament.objects.select_for_update().get(pk=tournament.pk)
        if stored.closed_at is not None:
            raise TournamentError("bad_step")
        if Entry.objects.filter(tournament=stored).exists():
            raise TournamentError("has_entries")
        return _take(stored, (_Status.OPEN,), _Status.DRAFT, by=by)


def close_now(*, tournament: Tournament, by: Player | None = None, reason: str = "") -> Tournament:
    """Close a tournament before its time, for everybody: its closing time is now. Idempotent.

    Holes in progress are closed where they lie; a round that had not opened has no time at all.

    Raises `TournamentError` ``bad_step``; ``not_started`` before the opening; `ValidationError` as
    `clean_reason` does for a reason, which may be left out.
    """
    reason = clean_reason(reason) if reason.strip() else ""
    with transaction.atomic():
        # Whoever starts a hole at this moment is waited for, or finds the tournament over.
        hold_in_order(Hole.objects.filter(tournament=tournament))
        stored = held(Tournament.objects).get(pk=tournament.pk)
        now = timezone.now()
        if stored.status == _Status.CLOSED:
            return stored
        if stored.status != _Status.OPEN or stored.closed_at is not None:
            raise TournamentError("bad_step")
        if now <= stored.opens_at:
            raise TournamentError("not_started")
        rounds = Round.objects.filter(tournament=stored, closes_at__gt=now)
        rounds.filter(opens_at__gte=now).update(opens_at=now - timedelta(microseconds=1))
        rounds.update(closes_at=now)
        stored.closes_at, stored.extended_to = min(stored.closes_at, now), None
        stored.save(update_fields=["closes_at", "extended_to"])
        stop_playing(entries=Entry.objects.filter(tournament=stored))
        last = Round.objects.filter(tournament=stored).count()
        trace_closing(tournament=stored, number=last, closes_at=now, by=by, reason=reason)
        announce(stored.pk)
    close_tournament(tournament=stored, now=timezone.now())
    return Tournament.objects.select_related("club").get(pk=tournament.pk)


def start_review(*, tournament: Tournament, by: Player | None = None) -> Tournament:
    """Look at what is closed before it is final. Idempotent.

    Raises `TournamentError` ``still_open``, ``bad_step``.
    """
    return _take(tournament, (_Status.CLOSED,), _Status.REVIEW, by=by)


def finalise(*, tournament: Tournament, by: Player | None = None) -> Tournament:
    """Let the result stand: nothing is corrected any more. Idempotent.

    Raises `TournamentError` ``still_open``, ``bad_step``.
    """
    return _take(tournament, (_Status.CLOSED, _Status.REVIEW), _Status.FINAL, by=by)


def reopen(*, tournament: Tournament, by: Player | None = None, reason: str) -> Tournament:
    """Open what is final to corrections; nobody plays again. Idempotent.

    Raises `ValidationError` as `clean_reason` does, and `TournamentError` ``still_open``,
    ``bad_step``.
    """
    because = clean_reason(reason)
    return _take(tournament, (_Status.FINAL,), _Status.REVIEW, by=by, reason=because)


def finalise_days(*, now: datetime) -> int:
    """Let the nine holes of the days that are closed by `now` be final; return how many were."""
    closed = Tournament.objects.filter(day__isnull=False, status=_Status.CLOSED, closed_at__lte=now)
    done = 0
    for tournament in closed:
        with Attempt(f"Tournament {tournament.pk} was not made final"):
            done += set_status(tournament=tournament, after=_Status.FINAL)
    return done


def _take(
    tournament: Tournament,
    allowed: tuple[str, ...],
    after: str,
    *,
    by: Player | None,
    reason: str = "",
) -> Tournament:
    if tournament.status == after:
        return tournament
    if tournament.status not in allowed:
        is_open = tournament.status == _Status.OPEN and after != _Status.DRAFT
        raise TournamentError("still_open" if is_open else "bad_step")
    if not set_status(tournament=tournament, after=after, by=by, reason=reason):
        tournament.refresh_from_db(fields=["status"])
        if tournament.status != after:
            raise TournamentError("bad_step")
    return tournament
