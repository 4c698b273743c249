from typing import Any

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TournamentsConfig(AppConfig):
    """Clubs, their tournaments, entries and results."""

    name = "tournaments"
    verbose_name = _("Tournaments")

    def ready(self) -> None:
        """Listen for games that become final."""
        from games.signals import game_finished

        game_finished.connect(_record_result, dispatch_uid="tournaments.record_result")


def _record_result(*, game_id: int, **kwargs: Any) -> None:
    from tournaments import services

    services.record_result(game_id=game_id)
