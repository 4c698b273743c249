"""The director: a loop that closes what is due, records what was left over, and opens what comes.

Several directors at once are harmless, since each thing that they do is safe to repeat and to break
off.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from django.db import Error, close_old_connections, connection
from django.utils import timezone

from games import metrics
from games.database import is_away
from tournaments import services
from tournaments.lookout import Lookout

logger = logging.getLogger(__name__)

_Job = Callable[[datetime, threading.Event], object]

#: What is done at each look, in this order. A long job asks from time to time whether to stop.
JOBS: Final[Mapping[str, _Job]] = {
    "record results": lambda _now, stop: services.record_finished(stop=stop.is_set),
    "close holes": lambda now, stop: services.close_games_due(now=now, stop=stop.is_set),
    "make cuts": lambda now, _stop: services.make_cuts(now=now),
    "run races": lambda now, stop: services.rooms.keep_rooms(now=now, stop=stop.is_set),
    "close tournaments": lambda now, stop: services.close_due(now=now, stop=stop.is_set),
    "finalise days": lambda now, _stop: services.finalise_days(now=now),
    "open the day": lambda now, _stop: services.todays_nine(now=now),
    "hold what recurs": lambda now, _stop: services.hold_recurring(now=now),
}


class Director:
    """One director, who remembers from look to look which troubles were told."""

    def __init__(self, stop: threading.Event, *, lookout: Lookout | None = None) -> None:
        self._stop = stop
        self._troubles: dict[str, str] = {}
        self._jobs = dict(JOBS)
        if lookout is not None:
            self._jobs["look for flags"] = lambda _now, _stop: lookout.step()

    def look(self) -> None:
        """Do once what is due now; a job that fails keeps no other from being done."""
        for name, job in self._jobs.items():
            if self._stop.is_set():
                return
            began, outcome = time.monotonic(), "failed"
            try:
                job(timezone.now(), self._stop)
            except Exception as error:  # noqa: BLE001 - the other jobs are due as well
                if is_away(error):
                    self._tell("work", error)
                    connection.close()
                    return  # for all of them
                self._tell(name, error)
            else:
                outcome = "done"
                self._troubles.pop(name, None)
            finally:
                metrics.DIRECTOR_JOBS.labels(name, outcome).inc()
                metrics.DIRECTOR_SECONDS.labels(name).observe(time.monotonic() - began)
        self._troubles.pop("work", None)
        metrics.DIRECTOR_LOOKED.set_to_current_time()

    def _tell(self, what: str, error: Exception) -> None:
        """Log a trouble, unless it is the one that was logged last."""
        kind = type(error).__name__
        if self._troubles.get(what) != kind:
            self._troubles[what] = kind
            # Of the database's its name alone: it may quote a row with a secret code.
            trace = None if isinstance(error, Error) else error
            logger.error("The director cannot %s: %s", what, kind, exc_info=trace)


def tick() -> None:
    """Do once what is due now."""
    Director(threading.Event()).look()


def run(stop: threading.Event, *, interval: float = 1.0) -> None:
    """Look every `interval` seconds until `stop` is set.

    A database that is away is logged once and tried again until it is back.
    """
    lookout = Lookout()
    director = Director(stop, lookout=lookout)
    try:
        while not stop.is_set():
            close_old_connections()
            director.look()
            stop.wait(interval)
    finally:
        lookout.end()
        connection.close()
