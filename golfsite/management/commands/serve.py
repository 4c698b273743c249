"""`manage.py serve`: the whole site on this computer, in one process."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import close_old_connections
from django.urls import reverse

from golfsite import serving
from golfsite.demo_players import DemoPlayers, ending, missing_players
from tournaments.demo import DemoInfo, create_demo


class Command(BaseCommand):
    """Migrate, make the demo the first time, and serve until told to stop."""

    help = "Serve the site from this computer, until SIGTERM or Ctrl-C."
    # `make check` runs the checks; here they would hold up every start.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take where to listen, and whether the demo is wanted."""
        parser.add_argument("--port", type=int, default=8000, help="default: 8000; 0: a free one")
        parser.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1")
        parser.add_argument("--no-demo", action="store_true", help="make no demo tournament")

    def handle(self, *args: Any, host: str, port: int, no_demo: bool, **options: Any) -> None:
        """Serve; whatever is in the way is said in one line, and the exit status is 1."""
        try:
            self._serve(host, port, wants_demo=not no_demo and _may_have_demo(host))
        except serving.CannotServe as error:
            raise CommandError(str(error)) from error

    def _serve(self, host: str, port: int, *, wants_demo: bool) -> None:
        folder = Path(settings.DATA_DIR)
        serving.check_host(host)
        serving.check_data_folder(folder)
        with serving.sole_server(folder) as claim:
            numeric, port = serving.check_port(host, port)
            url = serving.address(host, port)
            claim(url)
            serving.collect_static()
            serving.migrate()
            demo = create_demo() if wants_demo else None
            lacking = missing_players(demo.slug) if demo is not None and demo.slug else 0
            close_old_connections()
            players = (
                DemoPlayers(slug=demo.slug, players=lacking)
                if demo is not None and demo.slug and lacking
                else None
            )

            def announce() -> None:
                self._announce(url, demo)
                if players is not None:
                    self._play(players, url)

            with ending(players):
                serving.Server(host=numeric, port=port, on_ready=announce).run()

    def _announce(self, url: str, demo: DemoInfo | None) -> None:
        root, admin = url.rstrip("/"), reverse("admin:index")
        lines = [f"Golf is at {url}"]
        if demo is not None and demo.slug:
            lines.append(f"The demo tournament is at {root}{demo.path}")
            for login in demo.logins:
                where = f" (director; {root}{admin})" if login.is_director else ""
                password = login.password or "(the password that you chose)"
                lines.append(f"  log in as {login.username} / {password}{where}")
        lines.append("Ctrl-C stops it.")
        self.stdout.write("\n".join(lines))
        self.stdout.flush()

    def _play(self, players: DemoPlayers, url: str) -> None:
        problem = players.play(url)
        if problem is not None:
            self.stderr.write(f"The demo's scorecards could not be played: {problem}")


def _may_have_demo(host: str) -> bool:
    """Return whether this is the embedded site, out of reach of others.

    The demo's passwords are printed and meant for trying out, so it is made nowhere else.
    """
    return not settings.DATABASE_URL and not settings.HTTPS and serving.is_local(host)
