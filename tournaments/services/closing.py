"""Deadlines: holes are closed where they lie, cuts are made, and at the end the cards are revealed.

Each step is safe to repeat and to break off: a director that is killed between two of them leaves
what the next one, or whoever reads a page, goes on with.
"""

import logging
from collections.abc import Callable, Collection
from datetime import datetime
from itertools import takewhile
from typing import ClassVar, Final

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games import services as games_services
from games.database import is_away, is_held_up
from games.locks import hold_in_order
from games.models import Game
from games.selectors import DamagedGame
from tournaments import scorecard
from tournaments.models import Entry, Flag, Hole, HoleResult, Round, Tournament
from tournaments.services.results import CHUNK, announce, refresh_entry
from tournaments.services.setup import set_status

logger = logging.getLogger(__name__)

_HELD: Final = "held by somebody else"
#: Games that are closed in one transaction: they share one flush to the disk.
TOGETHER: Final = 50
#: Games that the reading of a page closes at most; more are left to the director.
CLOSED_WHILE_READING = 50

_Stop = Callable[[], bool]


def _never() -> bool:
    return False


class Attempt:
    """Lets one thing fail without stopping the others; a database that is away stops them all.

    A failure is logged once, until the thing is done or fails in another way.
    """

    _failed: ClassVar[dict[str, str]] = {}

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if error is None:
            self._failed.pop(self._what, None)
            return False
        if not isinstance(error, Exception) or is_away(error):
            return False
        # Its name alone: what a database says may quote a row, and with it a secret code.
        name = type(error).__name__
        before = self._failed.get(self._what)
        # Another director may be at it just now: only what stays locked is worth a line.
        is_held = isinstance(error, OperationalError) and is_held_up(error)
        self._failed[self._what] = _HELD if is_held and before is None else name
        if self._failed[self._what] not in (_HELD, before):
            logger.error("%s: %s", self._what, name)
        return True


# --- holes -------------------------------------------------------------------------------------


def close_games_due(
    *,
    now: datetime,
    tournament: Tournament | None = None,
    limit: int | None = None,
    stop: _Stop = _never,
) -> int:
    """Close the games whose deadline has passed, and return how many were brought to an end.

    At most `limit` of them, if given, and no more once `stop` says so. A game that cannot be
    closed is logged once and does not keep the others open; one whose moves cannot be replayed is
    set aside for a director to decide about. A game whose cards were never sent was never started.
    """
    due = _games_due(now).filter(hole_result__isnull=False)
    if tournament is not None:
        due = due.filter(hole_result__entry__tournament=tournament)
    game_ids = list(due.order_by("closes_at", "pk").values_list("pk", flat=True)[:limit])
    closed = 0
    for start in range(0, len(game_ids), TOGETHER):
        if stop():
            break
        # In the order of their keys, as whoever writes moves to several of them.
        closed += _close_games(sorted(game_ids[start : start + TOGETHER]), now, stop)
    return closed


def _games_due(now: datetime) -> QuerySet[Game]:
    return Game.objects.filter(finished_at=None, damaged_at=None, closes_at__lte=now)


def _close_games(game_ids: Collection[int], now: datetime, stop: _Stop) -> int:
    results = HoleResult.objects.filter(game__in=game_ids).order_by()
    entries = dict(results.values_list("game_id", "entry_id"))
    ended = []
    with transaction.atomic():
        for game_id in game_ids:
            if stop():
                break
            with Attempt(f"Game {game_id} was not closed"), transaction.atomic():
                if _end(game_id, now):
                    ended.append(game_id)
    for game_id in ended:
        if stop():
            break  # whoever comes next finds what is not recorded
        _refresh(entries[game_id])
    return len(ended)


def _end(game_id: int, now: datetime) -> bool:
    """End a game one way or another; False if it goes on."""
    try:
        return _discard(game_id, now) or _close(game_id, now)
    except DamagedGame:
        games_services.report_damaged(game_id=game_id)
        return True


def _close(game_id: int, now: datetime) -> bool:
    return games_services.close_game(game_id=game_id, due_by=now).finished_at is not None


def _discard(game_id: int, now: datetime) -> bool:
    """Take a hole back whose cards were never sent; False if they were."""
    with transaction.atomic():
        untouched = Game.objects.filter(pk=game_id, started_at=None, closes_at__lte=now)
        if not untouched.exists():
            return False
        HoleResult.objects.filter(game=game_id).delete()
        if games_services.discard_game(game_id=game_id):
            return True
        transaction.set_rollback(True)  # its cards were sent just now
    return False


def flag_damaged(*, game_id: int) -> None:
    """Ask a director about a hole whose moves cannot be replayed. Idempotent.

    It stays without a result, and keeps neither the player from the next hole nor the tournament
    from its end; a director gives what it should count, as for any hole (`Correction` ADJUST).
    """
    results = HoleResult.objects.filter(game=game_id).select_related("hole", "game")
    for result in results:
        Flag.objects.get_or_create(
            entry_id=result.entry_id,
            kind=Flag.Kind.DAMAGED,
            key=f"hole-{result.hole.number}",
            defaults={"details": {"hole": result.hole.number, "game": game_id}},
        )


# --- results -----------------------------------------------------------------------------------


def record_finished(
    *, limit: int = CHUNK, tournament: Tournament | None = None, stop: _Stop = _never
) -> int:
    """Record results of final games that nobody recorded, and return how many.

    They are left over when a server was killed between a game's last move and its result.
    """
    waiting = _unrecorded()
    if tournament is not None:
        waiting = waiting.filter(entry__tournament=tournament)
    entry_ids = list(waiting.order_by("pk").values_list("entry_id", flat=True)[:limit])
    return sum(_refresh(entry_id) for entry_id in takewhile(lambda _: not stop(), entry_ids))


def _unrecorded() -> QuerySet[HoleResult]:
    return HoleResult.objects.filter(is_final=False).exclude(game__finished_at=None)


def _refresh(entry_id: int) -> bool:
    """Bring an entry in line; one that fails does not stop the others."""
    with Attempt(f"Entry {entry_id} was not refreshed"):
        refresh_entry(entry_id=entry_id)
        return True
    return False


# --- cuts --------------------------------------------------------------------------------------


def make_cuts(*, now: datetime, tournament_id: int | None = None) -> int:
    """Make the cuts after rounds that are over for everybody, and return how many were made."""
    due = _cuts_due(now)
    if tournament_id is not None:
        due = due.filter(tournament=tournament_id)
    made = 0
    for round_ in due.select_related("tournament").order_by("tournament", "number"):
        what = f"Round {round_.number} of tournament {round_.tournament_id} was not cut"
        with Attempt(what):
            made += _make_cut(round_, now)
    return made


def _cuts_due(now: datetime) -> QuerySet[Round]:
    following = Round.objects.filter(
        tournament=OuterRef("tournament"), number__gt=OuterRef("number")
    )
    return Round.objects.filter(
        Exists(following),
        cut_to__isnull=False,
        cut_at=None,
        closes_at__lte=now,
        tournament__status=Tournament.Status.OPEN,
    )


def _make_cut(round_: Round, now: datetime) -> bool:
    """Let the entries beyond the cut play no more, once; False if another did or it is too early.

    The best `cut_to` places go on, ties included. Who has not finished the round misses it; who is
    not ranked plays on without a place, and so does who waits for a director's word about a hole
    that is damaged.
    """
    with transaction.atomic():
        # Whoever starts a hole at this moment, or is given more time, is waited for.
        hold_in_order(Hole.objects.filter(tournament=round_.tournament_id))
        row = Round.objects.filter(pk=round_.pk, cut_at=None, closes_at__lte=now)
        if not row.update(cut_at=now):
            return False
        if _goes_on(round_, now):
            transaction.set_rollback(True)
            return False
        missed = _missed(round_)
        for start in range(0, len(missed), CHUNK):
            entries = Entry.objects.filter(pk__in=missed[start : start + CHUNK])
            hold_in_order(entries)
            entries.filter(status=Entry.Status.ACTIVE).update(
                cut_after=round_.number, status=Entry.Status.CUT
            )
        announce(round_.tournament_id)
    return True


def _goes_on(round_: Round, now: datetime) -> bool:
    """Whether anybody may yet play a hole of the round, or a result of it is still to come."""
    results = HoleResult.objects.filter(hole__round=round_)
    if results.filter(is_final=False, game__damaged_at=None).exists():
        return True
    given = Entry.objects.filter(
        tournament=round_.tournament_id, extended_to__gt=now, status=Entry.Status.ACTIVE
    )
    finished = _finished(round_)
    return any(entry_id not in finished for entry_id in given.values_list("pk", flat=True))


def _finished(round_: Round) -> set[int]:
    """Return the entries that have a result of every hole of the round that counts."""
    holes = Hole.objects.filter(round=round_, is_void=False).count()
    if not holes:
        return set(
            Entry.objects.filter(tournament=round_.tournament_id).values_list("pk", flat=True)
        )
    finals = HoleResult.objects.filter(hole__round=round_, hole__is_void=False, is_final=True)
    counts: dict[int, int] = {}
    for entry_id in finals.values_list("entry_id", flat=True).order_by():
        counts[entry_id] = counts.get(entry_id, 0) + 1
    return {entry_id for entry_id, count in counts.items() if count == holes}


def _missed(round_: Round) -> list[int]:
    """Return the entries that miss the cut, by what the rounds so far have come to."""
    field = Entry.objects.filter(tournament=round_.tournament_id, status=Entry.Status.ACTIVE)
    entry_ids = list(field.order_by("pk").values_list("pk", flat=True))
    so_far = Hole.objects.filter(
        tournament=round_.tournament_id, round__number__lte=round_.number, is_void=False
    )
    scores: dict[int, list[scorecard.HoleScore]] = {entry_id: [] for entry_id in entry_ids}
    finals = HoleResult.objects.filter(hole__in=so_far, is_final=True).order_by()
    columns = ("hole__number", "hole__par", "strokes", "app_score", "entry_id")
    for *figures, entry_id in finals.values_list(*columns):
        if entry_id in scores:
            scores[entry_id].append(scorecard.HoleScore(*figures))
    course = so_far.order_by("number").values_list("number", "par")
    # Ties at the last place go on, so nothing parts them here.
    terms = scorecard.Terms(
        tuple(scorecard.Hole(number, par) for number, par in course),
        rank_by=scorecard.RankBy(round_.tournament.rank_by),
        unplayed=scorecard.Unplayed(round_.tournament.unplayed),
        closed=True,
    )
    lines = [scorecard.Line(entry_id, tuple(card)) for entry_id, card in scores.items()]
    table = scorecard.rank(lines, terms)
    finished = _finished(round_)
    damaged = HoleResult.objects.filter(hole__round=round_, is_final=False)
    kept = set(damaged.values_list("entry_id", flat=True))
    last = round_.cut_to or 0
    for standing in table:
        if standing.key in finished and standing.place is not None and standing.place <= last:
            kept.add(standing.key)
    return [entry_id for entry_id in entry_ids if entry_id not in kept]


# --- tournaments -------------------------------------------------------------------------------


def close_due(*, now: datetime, stop: _Stop = _never) -> int:
    """Close every tournament whose time is over, and return how many were closed.

    One that fails is logged once and does not keep the others open; the next call tries it again.
    """
    due = Tournament.objects.filter(closed_at=None, closes_at__lte=now)
    due = due.filter(Q(extended_to=None) | Q(extended_to__lte=now))
    closed = 0
    for tournament in due.exclude(status=Tournament.Status.DRAFT).order_by("closes_at"):
        if stop():
            break
        with Attempt(f"Tournament {tournament.pk} was not closed"):
            closed += close_tournament(tournament=tournament, now=now, stop=stop)
    return closed


def close_tournament(
    *, tournament: Tournament, now: datetime, limit: int | None = None, stop: _Stop = _never
) -> bool:
    """Close the holes in progress where they lie, then reveal the cards. Idempotent.

    Returns whether this call was the one that closed it. With a `limit` at most so many games are
    closed, and the tournament stays open if there are more.
    """
    is_draft = tournament.status == Tournament.Status.DRAFT
    if is_draft or tournament.closed_at is not None or now < tournament.ends_at:
        return False
    close_games_due(now=now, tournament=tournament, limit=limit, stop=stop)
    record_finished(tournament=tournament, stop=stop)
    return _reveal(tournament, now)


def close_while_reading(*, tournament: Tournament, now: datetime) -> Tournament:
    """Return the tournament as it is at `now`, with all that is due closed and cut.

    For pages, so that they are right although no director has come by. A failure is logged: the
    page then shows a tournament that is about to close.
    """
    phase = tournament.phase(now)
    if phase not in (Tournament.Phase.OPEN, Tournament.Phase.CLOSING):
        return tournament
    if phase == Tournament.Phase.OPEN and not _may_be_due(tournament, now):
        return tournament
    done = 0
    try:
        with Attempt(f"Tournament {tournament.pk} was not closed"):
            done += close_games_due(now=now, tournament=tournament, limit=CLOSED_WHILE_READING)
            done += make_cuts(now=now, tournament_id=tournament.pk)
            if now >= tournament.ends_at:
                done += close_tournament(tournament=tournament, now=now, limit=0)
    except (OperationalError, InterfaceError) as error:
        logger.error("Tournament %s was not closed: %s", tournament.pk, type(error).__name__)
    if not done:
        return tournament
    return Tournament.objects.select_related("club").get(pk=tournament.pk)


def _may_be_due(tournament: Tournament, now: datetime) -> bool:
    """Whether a look is worth it, in one query: any game is due, or a cut of the tournament."""
    cuts = _cuts_due(now).filter(tournament=OuterRef("pk"))
    rows = Tournament.objects.filter(pk=tournament.pk)
    return rows.filter(Exists(_games_due(now)) | Exists(cuts)).exists()


def _reveal(tournament: Tournament, now: datetime) -> bool:
    """Set `closed_at` and open the cards, unless a hole is still in progress."""
    with transaction.atomic():
        # Whoever starts a hole at this moment is waited for, or finds the tournament closed.
        hold_in_order(Hole.objects.filter(tournament=tournament))
        results = HoleResult.objects.filter(hole__tournament=tournament).order_by()
        open_game = Q(game__isnull=False, game__finished_at=None)
        if results.filter(Q(is_final=False) | open_game, game__damaged_at=None).exists():
            return False
        row = Tournament.objects.filter(pk=tournament.pk, closed_at=None, closes_at__lte=now)
        # Whoever was given more time meanwhile plays on.
        row = row.filter(Q(extended_to=None) | Q(extended_to__lte=now))
        if not row.update(closed_at=now):
            return False
        game_ids = list(
            results.exclude(game=None).order_by("game_id").values_list("game_id", flat=True)
        )
        for start in range(0, len(game_ids), CHUNK):
            games_services.reveal_games(game_ids=game_ids[start : start + CHUNK])
        stored = Tournament.objects.get(pk=tournament.pk)
        if stored.status != Tournament.Status.OPEN:
            announce(tournament.pk)
        else:
            set_status(tournament=stored, after=Tournament.Status.CLOSED)
    return True
