"""What tournaments do when the games app says that something happened."""

from typing import Any

from django.dispatch import receiver
from django.utils.translation import ngettext

from games.engine import GameCode
from games.models import Player
from games.signals import belongings_asked, deal_in_play_asked, player_merged
from tournaments import selectors
from tournaments.services.merging import take_over


@receiver(player_merged)
def take_over_entries(guest: Player, into: Player, **_: Any) -> list[int]:
    """Give the guest's entries to the account; return the games of those that stay."""
    return take_over(guest=guest, into=into)


@receiver(deal_in_play_asked)
def is_deal_in_play(code: GameCode, **_: Any) -> bool:
    """Say whether a tournament that is not over has this deal."""
    return selectors.is_deal_in_play(code=code)


@receiver(belongings_asked)
def count_entries(player: Player, **_: Any) -> list[str]:
    """Say how many tournaments a guest has entered, if any."""
    count = selectors.count_entries_of(player=player)
    text = ngettext("%(count)s tournament entered", "%(count)s tournaments entered", count)
    return [text % {"count": count}] if count else []
