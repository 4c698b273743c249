"""A director looks at the deals of a tournament that is not over."""

from django.db import transaction
from django.utils import timezone

from games.locks import hold_in_order
from games.models import Player
from tournaments.models import DealOpening, Entry, Hole, Tournament
from tournaments.selectors.clubs import may_direct
from tournaments.services.errors import NotAllowed, TournamentError
from tournaments.services.results import refresh_entry


def open_deals(*, tournament: Tournament, by: Player) -> DealOpening:
    """Let a director see the deals from now on, who can therefore no longer rank. Idempotent.

    It is written down for good, and everybody can read it once the tournament is over.

    Raises `TournamentError` ``not_allowed``; ``revealed`` once everybody sees the deals.
    """
    if not may_direct(club=tournament.club, player=by):
        raise NotAllowed
    with transaction.atomic():
        # The end of the tournament is waited for, or waits for this.
        hold_in_order(Hole.objects.filter(tournament=tournament))
        if Tournament.objects.filter(pk=tournament.pk, closed_at__isnull=False).exists():
            raise TournamentError("revealed")
        opening, _created = DealOpening.objects.get_or_create(
            tournament=tournament, player=by, defaults={"at": timezone.now()}
        )
        entries = Entry.objects.filter(tournament=tournament, player=by)
        for entry_id in entries.values_list("pk", flat=True):
            refresh_entry(entry_id=entry_id)
    return opening
