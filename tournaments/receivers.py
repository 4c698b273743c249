"""What tournaments do when the games app says that something happened."""

from typing import Any

from django.dispatch import receiver
from django.utils.translation import ngettext

from games.engine import GameCode
from games.models import Player
from games.signals import (
    belongings_asked,
    data_asked,
    deal_in_play_asked,
    player_deleted,
    player_merged,
)
from tournaments import selectors
from tournaments.selectors import players
from tournaments.services.departing import depart
from tournaments.services.merging import take_over


@receiver(player_merged)
def take_over_entries(guest: Player, into: Player, **_: Any) -> list[int]:
    """Give the guest's entries to the account; return the games of those that stay."""
    return take_over(guest=guest, into=into)


@receiver(player_deleted)
def leave_everything(player: Player, name: str, **_: Any) -> list[int]:
    """Take a player out of clubs and tournaments; return the games that are results."""
    return depart(player=player, name=name)


@receiver(data_asked)
def tell_data(player: Player, **_: Any) -> dict[str, Any]:
    """Return what clubs and tournaments keep about a player."""
    return players.data_of(player=player)


@receiver(deal_in_play_asked)
def is_deal_in_play(code: GameCode, **_: Any) -> bool:
    """Say whether a tournament that is not over has this deal."""
    return selectors.is_deal_in_play(codes=[code])


@receiver(belongings_asked)
def count_entries(player: Player, **_: Any) -> list[str]:
    """Say how many tournaments a guest has entered, if any."""
    count = selectors.count_entries_of(player=player)
    text = ngettext("%(count)s tournament entered", "%(count)s tournaments entered", count)
    return [text % {"count": count}] if count else []
