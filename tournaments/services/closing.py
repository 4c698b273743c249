"""The end of a tournament: holes are closed where they lie, then the cards are revealed."""

import logging
from datetime import datetime

from django.db import transaction

from games import services as games_services
from games.models import Game
from tournaments.models import Hole, HoleResult, Tournament
from tournaments.services.results import CHUNK, announce, record_result

logger = logging.getLogger(__name__)

#: Games that the reading of a page closes at most; more are left to the director.
CLOSED_WHILE_READING = 50


def close_due(*, now: datetime) -> int:
    """Close every tournament whose time is over, and return how many were closed.

    One that fails is logged and does not keep the others open; the next call tries it again.
    """
    due = Tournament.objects.filter(closed_at=None, closes_at__lte=now).order_by("closes_at")
    closed = 0
    for tournament in due:
        try:
            closed += close_tournament(tournament=tournament, now=now)
        except Exception as error:  # noqa: BLE001 - the others are due as well
            _log_not_closed(tournament, error)
    return closed


def close_tournament(*, tournament: Tournament, now: datetime, limit: int | None = None) -> bool:
    """Close the holes in progress where they lie, then reveal the cards. Idempotent.

    Returns whether this call was the one that closed it. With a `limit` at most so many games are
    closed, and the tournament stays open if there are more.
    """
    if tournament.closed_at is not None or now < tournament.closes_at:
        return False
    unfinished = HoleResult.objects.filter(hole__tournament=tournament, is_final=False)
    game_ids = list(unfinished.order_by("pk").values_list("game_id", flat=True)[:limit])
    for game_id in game_ids:
        try:
            _close_hole(game_id)
        except Exception as error:  # noqa: BLE001 - the other holes are due as well
            _log_not_closed(tournament, error)
    return _reveal(tournament, now)


def _close_hole(game_id: int) -> None:
    """Close a hole in progress; one whose cards were never sent was never started."""
    with transaction.atomic():
        if Game.objects.filter(pk=game_id, started_at=None).exists():
            HoleResult.objects.filter(game_id=game_id).delete()
            if games_services.discard_game(game_id=game_id):
                return
            transaction.set_rollback(True)  # its cards were sent just now
    games_services.close_game(game_id=game_id)
    record_result(game_id=game_id)


def close_while_reading(*, tournament: Tournament, now: datetime) -> Tournament:
    """Return the tournament as it is at `now`, closed if its time is over.

    For pages, so that they are right although no director has come by. A failure is logged: the
    page then shows a tournament that is about to close.
    """
    if tournament.phase(now) != Tournament.Phase.CLOSING:
        return tournament
    try:
        close_tournament(tournament=tournament, now=now, limit=CLOSED_WHILE_READING)
    except Exception as error:  # noqa: BLE001 - the page can be read all the same
        _log_not_closed(tournament, error)
    return Tournament.objects.select_related("club").get(pk=tournament.pk)


def _log_not_closed(tournament: Tournament, error: Exception) -> None:
    # Its name alone: what a database says may quote a row, and with it a secret code.
    logger.error("Tournament %s was not closed: %s", tournament.pk, type(error).__name__)


def _reveal(tournament: Tournament, now: datetime) -> bool:
    """Set `closed_at` and open the cards, unless a hole is still in progress."""
    with transaction.atomic():
        # Whoever starts a hole at this moment is waited for, or finds the tournament closed.
        list(Hole.objects.select_for_update(of=("self",)).filter(tournament=tournament))
        results = HoleResult.objects.filter(hole__tournament=tournament)
        if results.filter(is_final=False).exists():
            return False
        row = Tournament.objects.filter(pk=tournament.pk, closed_at=None, closes_at__lte=now)
        if not row.update(closed_at=now):
            return False
        game_ids = list(results.values_list("game_id", flat=True))
        for start in range(0, len(game_ids), CHUNK):
            games_services.reveal_games(game_ids=game_ids[start : start + CHUNK])
        announce(tournament.pk)
    return True
