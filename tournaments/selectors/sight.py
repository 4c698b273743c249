"""Who sees which figures of a tournament, and when: the one place that decides it.

Boards, cards, pictures, exports: whatever shows a figure asks for the reader's `View` first.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q
from django.utils import timezone

from games.models import Player
from tournaments.models import Entry, Hole, Tournament, holes_of_text
from tournaments.selectors import clubs


@dataclass(frozen=True, slots=True)
class View:
    """What one reader may see of a tournament's figures.

    :param through: the figures of holes up to this number, and how far everybody is; None for all.
    :param at: the standing of this time; None for that of now.
    """

    through: int | None = None
    at: datetime | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is kept from the reader."""
        return self.through is None and self.at is None

    @property
    def is_blind(self) -> bool:
        """Whether the reader sees no figure at all."""
        return self.through == 0

    def shows_hole(self, number: int) -> bool:
        """Whether the figures of a hole may be seen."""
        return self.through is None or number <= self.through


#: All figures, as they are now.
WHOLE: Final = View()
#: Tournaments that are over whose result the public does not know yet.
KEPT_BACK: Final = Q(
    visibility=Tournament.Visibility.FROZEN, frozen_at__isnull=False, unfrozen_at=None
)


def view_for(*, tournament: Tournament, player: Player | None) -> View:
    """Return what a player, or with None a visitor, may see of the figures of all entries.

    Who plays sees their own card besides (`card_view`). `tournament` must have its club.
    """
    if not _keeps_figures(tournament) or _directs(tournament, player):
        return WHOLE
    if tournament.visibility == Tournament.Visibility.FROZEN:
        return View(at=tournament.frozen_at)
    finished = 0 if player is None else _finished_in_order(tournament, player)
    holes = Hole.objects.filter(tournament=tournament).count()
    return WHOLE if finished >= holes else View(through=finished)


def card_view(*, tournament: Tournament, player: Player | None, entry: Entry) -> View:
    """Return what a player, or with None a visitor, may see of one entry's card."""
    if player is not None and entry.player_id == player.pk:
        return WHOLE
    return view_for(tournament=tournament, player=player)


def _keeps_figures(tournament: Tournament) -> bool:
    """Whether there is anything now that not everybody may see."""
    if tournament.visibility == Tournament.Visibility.BLIND:
        return not tournament.is_revealed
    if tournament.visibility == Tournament.Visibility.FROZEN:
        frozen_at = tournament.frozen_at
        is_frozen = frozen_at is not None and frozen_at <= timezone.now()
        return is_frozen and tournament.unfrozen_at is None
    return False


def _directs(tournament: Tournament, player: Player | None) -> bool:
    return player is not None and clubs.may_direct(club=tournament.club, player=player)


def _finished_in_order(tournament: Tournament, player: Player) -> int:
    """Return through which hole the player has finished; a gap ends it, whatever comes after."""
    entries = Entry.objects.filter(tournament=tournament, player=player)
    text = entries.exclude(status=Entry.Status.REMOVED).values_list("played", flat=True).first()
    finished = {hole.number for hole in holes_of_text(text or "[]")}
    through = 0
    while through + 1 in finished:
        through += 1
    return through
