"""`manage.py cluster`: the site on several processes, on this computer, for tests and trials."""

from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from golfsite import serving
from golfsite.cluster import Cluster

_MOST_PROCESSES: Final = 16


class Command(BaseCommand):
    """Run nginx, web processes, the director, PostgreSQL and Redis until told to stop."""

    help = (
        "Run the site on several processes from programs that are installed here, until SIGTERM "
        "or Ctrl-C; whatever it stores is removed then."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take how many web processes, and where nginx listens."""
        parser.add_argument("--processes", type=int, default=2, help="web processes; default: 2")
        parser.add_argument("--port", type=int, default=8000, help="default: 8000; 0: a free one")

    def handle(self, *args: Any, processes: int, port: int, **options: Any) -> None:
        """Run it; whatever is in the way is said in one line, and the exit status is 1."""
        if not 2 <= processes <= _MOST_PROCESSES:
            raise CommandError(f"--processes is a number from 2 to {_MOST_PROCESSES}.")
        try:
            if port:
                serving.check_port("127.0.0.1", port, command="make cluster")
            Cluster(processes=processes, port=port, say=self._say).run()
        except serving.CannotServe as error:
            raise CommandError(str(error)) from error

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
