"""`manage.py director`: enforce deadlines until told to stop."""

import signal
import threading
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from prometheus_client import start_http_server

from tournaments import director

_ENDS: Final = (signal.SIGTERM, signal.SIGINT)
#: Seconds that the work at hand has to come to an end; whatever is broken off, the next one does.
_PATIENCE: Final = 1.0


class Command(BaseCommand):
    """Close tournaments at their deadlines; one of these runs beside several web processes."""

    help = "Close tournaments at their deadlines, until SIGTERM or Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the pause between two looks."""
        parser.add_argument(
            "--interval", type=float, default=1.0, help="seconds between two looks (default: 1)"
        )
        parser.add_argument(
            "--metrics-port", type=int, help="show figures at this port of 127.0.0.1, to this host"
        )

    def handle(self, *args: Any, interval: float, metrics_port: int | None, **options: Any) -> None:
        """Run the director in this process."""
        if not 0 < interval <= 3600:
            raise CommandError("--interval is a number of seconds above 0, at most 3600")
        stop = threading.Event()
        # Waited for, not handled: a handler that sets the event could meet it locked.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)
        loop = threading.Thread(
            target=director.run, args=(stop,), kwargs={"interval": interval}, daemon=True
        )
        if metrics_port is not None:
            self._show_metrics(metrics_port)
        loop.start()
        self.stdout.write(f"The director looks every {interval:g} s. SIGTERM or Ctrl-C ends it.")
        self.stdout.flush()
        while signal.sigtimedwait(_ENDS, 1.0) is None:
            if not loop.is_alive():
                raise CommandError("The director ended by itself.")
        stop.set()
        loop.join(_PATIENCE)

    def _show_metrics(self, port: int) -> None:
        try:
            start_http_server(port, addr="127.0.0.1")
        except (OSError, OverflowError) as error:
            raise CommandError(f"Port {port} of 127.0.0.1 cannot be had: {error}.") from error
