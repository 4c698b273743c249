"""What races make of ratings: how strong an account is, and how sure that is, by `openskill`."""

from typing import Final

from django.db import transaction
from openskill.models import PlackettLuce

from games.locks import held
from games.models import Player
from tournaments import selectors
from tournaments.models import Entry, Rating, RatingChange, Tournament

#: Accounts that a race must have to say anything.
_COMPANY: Final = 2
_MODEL: Final = PlackettLuce()


def rate_race(*, tournament: Tournament) -> int:
    """Rate the accounts of a race that is over, once; return how many were.

    By their places, in which ties are ties. Guests keep no rating, and friendly races and those
    with fewer than two accounts say nothing.
    """
    if tournament.room_id is None or tournament.closed_at is None or tournament.is_friendly:
        return 0
    places = {
        standing.key: standing.place
        for standing in selectors.standings(tournament=tournament)
        if standing.place is not None
    }
    entries = Entry.objects.filter(pk__in=places, player__is_guest=False)
    rated = {player_id: places[pk] for pk, player_id in entries.values_list("pk", "player")}
    if len(rated) < _COMPANY:
        return 0
    with transaction.atomic():
        ratings = _locked(rated)
        if RatingChange.objects.filter(tournament=tournament).exists():
            return 0
        teams = [[_MODEL.rating(mu=row.mu, sigma=row.sigma)] for row in ratings]
        ranks = [float(rated[row.player_id]) for row in ratings]
        changes = []
        for row, (after,) in zip(ratings, _MODEL.rate(teams, ranks=ranks), strict=True):
            changes.append(
                RatingChange(
                    tournament=tournament,
                    player_id=row.player_id,
                    place=rated[row.player_id],
                    mu_before=row.mu,
                    sigma_before=row.sigma,
                    mu_after=after.mu,
                    sigma_after=after.sigma,
                )
            )
            row.mu, row.sigma, row.races = after.mu, after.sigma, row.races + 1
        RatingChange.objects.bulk_create(changes)
        Rating.objects.bulk_update(ratings, ["mu", "sigma", "races"])
    return len(changes)


def _locked(player_ids: dict[int, int]) -> list[Rating]:
    """Return the players' ratings, new where there is none, locked in one order."""
    # Another race of one of them may end at this moment.
    players = list(Player.objects.filter(pk__in=player_ids).order_by("pk"))
    new = _MODEL.rating()
    Rating.objects.bulk_create(
        (Rating(player=player, mu=new.mu, sigma=new.sigma) for player in players),
        ignore_conflicts=True,
    )
    locked = held(Rating.objects).filter(player__in=players)
    return list(locked.order_by("player"))
