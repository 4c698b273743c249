from django.apps import AppConfig


class GolfSiteConfig(AppConfig):
    """The project itself: its checks and its own commands."""

    name = "golfsite"
    verbose_name = "Golf"

    def ready(self) -> None:
        """Register the checks."""
        from golfsite import checks  # noqa: F401
