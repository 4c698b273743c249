"""What pages ask about clubs."""

from typing import Any

from django import template

from games.models import Player
from tournaments import selectors
from tournaments.models import Club

register = template.Library()


@register.simple_tag(takes_context=True)
def knows_club(context: dict[str, Any], club: Club) -> bool:
    """Return whether the club's own pages are there for who reads this one."""
    if not club.is_hidden:
        return True
    user = context.get("user")
    player = user if isinstance(user, Player) else None
    return selectors.clubs.visible_clubs(player=player).filter(pk=club.pk).exists()
