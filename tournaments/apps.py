from typing import Any

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TournamentsConfig(AppConfig):
    """Clubs, their tournaments, entries and results."""

    name = "tournaments"
    verbose_name = _("Tournaments")

    def ready(self) -> None:
        """Listen for games that end or cannot be read, and for guests who join an account."""
        from games.signals import game_damaged, game_finished
        from tournaments import receivers  # noqa: F401

        game_finished.connect(_record_result, dispatch_uid="tournaments.record_result")
        game_damaged.connect(_flag_damaged, dispatch_uid="tournaments.flag_damaged")


def _record_result(*, game_id: int, **kwargs: Any) -> None:
    from tournaments import services

    services.record_result(game_id=game_id)
    services.rooms.advance_after(game_id=game_id)


def _flag_damaged(*, game_id: int, **kwargs: Any) -> None:
    from tournaments import services

    services.flag_damaged(game_id=game_id)
