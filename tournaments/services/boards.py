"""What is done to a leaderboard as such."""

from django.db import transaction
from django.utils import timezone

from tournaments.models import Tournament
from tournaments.services.errors import TournamentError
from tournaments.services.results import announce


def reveal_standings(*, tournament: Tournament) -> Tournament:
    """Show a frozen standing as it is, to everybody and for good. Idempotent.

    Raises `TournamentError` ``not_frozen`` where nothing is kept back.
    """
    if tournament.visibility != Tournament.Visibility.FROZEN:
        raise TournamentError("not_frozen")
    with transaction.atomic():
        row = Tournament.objects.filter(pk=tournament.pk, unfrozen_at=None)
        if row.update(unfrozen_at=timezone.now()):
            announce(tournament.pk)
    tournament.refresh_from_db(fields=["unfrozen_at", "board_version", "board_base"])
    return tournament
