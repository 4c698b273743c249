from django.apps import AppConfig


class GolfSiteConfig(AppConfig):
    """The project itself: its checks and its own commands."""

    name = "golfsite"
    verbose_name = "Golf"

    def ready(self) -> None:
        """Register the checks, and listen for log-ins."""
        from django.contrib.auth.signals import user_logged_in

        from golfsite import checks, languages  # noqa: F401

        user_logged_in.connect(languages.keep_choice, dispatch_uid="golfsite.keep_choice")
