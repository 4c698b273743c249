from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GamesConfig(AppConfig):
    """Players, games and their moves."""

    name = "games"
    verbose_name = _("Games")

    def ready(self) -> None:
        """Connect the receivers."""
        from games import receivers  # noqa: F401
