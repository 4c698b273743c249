"""The director: a loop that closes what is due, records what was left over, and opens the day.

Several directors at once are harmless, since each thing that they do is safe to repeat.
"""

import logging
import threading

from django.db import DatabaseError, InterfaceError, close_old_connections, connection
from django.utils import timezone

from tournaments import services

logger = logging.getLogger(__name__)


def tick() -> None:
    """Do once what is due now."""
    now = timezone.now()
    services.record_finished()
    services.close_due(now=now)
    services.todays_nine(now=now)


def run(stop: threading.Event, *, interval: float = 1.0) -> None:
    """Call `tick` every `interval` seconds until `stop` is set.

    A database that is away is logged once and tried again until it is back.
    """
    is_away = False
    try:
        while not stop.is_set():
            close_old_connections()
            try:
                tick()
                is_away = False
            except (DatabaseError, InterfaceError) as error:
                if not is_away:
                    # Its name alone: what a database says may quote a row with a secret code.
                    logger.error("The director cannot work: %s", type(error).__name__)
                is_away = True
                connection.close()
            except Exception as error:
                # One deadline that cannot be kept must not stop the others for ever.
                logger.error("The director met %s", type(error).__name__, exc_info=error)
            stop.wait(interval)
    finally:
        connection.close()
