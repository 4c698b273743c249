"""What is counted and measured of a process while it serves; `golfsite.probes` shows it.

What lies on the way of a move is a plain number (`TALLY`): a counter of prometheus-client takes a
lock, and costs a hundredth of the move. How full something is, is asked only when somebody looks.
"""

import collections
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

disable_created_metrics()  # type: ignore[no-untyped-call]


@dataclass(slots=True)
class Tally:
    """What became of actions; counted by the event loop alone."""

    acknowledged: int = 0
    repeated: int = 0
    refused: collections.Counter[str] = field(default_factory=collections.Counter)


TALLY: Final = Tally()


class _TallyCollector(Collector):
    """Shows the tally to whoever looks."""

    def collect(self) -> Iterator[Metric]:
        """Yield a family for each count."""
        yield CounterMetricFamily(
            "golf_moves_acknowledged",
            "Actions that were stored and answered.",
            value=TALLY.acknowledged,
        )
        yield CounterMetricFamily(
            "golf_moves_repeated", "Actions that had been stored before.", value=TALLY.repeated
        )
        refused = CounterMetricFamily(
            "golf_moves_refused",
            "Actions that changed nothing, by the code of the refusal.",
            labels=["code"],
        )
        for code, count in TALLY.refused.items():
            refused.add_metric([code], count)
        yield refused


REGISTRY.register(_TallyCollector())

_PROBLEMS: Final = Counter(
    "golf_socket_errors", "Messages that could not be understood or acted upon.", ["code"]
)
BATCH_ROWS: Final = Histogram(
    "golf_journal_batch_rows",
    "Actions that one transaction of the journal stored.",
    buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500),
)
COMMIT_SECONDS: Final = Histogram(
    "golf_journal_commit_seconds",
    "How long a transaction of the journal took, commit included.",
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
)
FAILED_ROWS: Final = Counter("golf_journal_failed_rows", "Actions that could not be stored.")
QUEUE: Final = Gauge("golf_journal_waiting", "Actions that wait for the journal's transaction.")
SOCKETS: Final = Gauge("golf_sockets", "Open sockets.")
ROOMS: Final = Gauge("golf_rooms", "Rooms that sockets of this process watch.")
OPEN_GAMES: Final = Gauge("golf_open_games", "Games that sockets of this process have open.")
OPENED: Final = Counter("golf_games_opened", "Games that a socket opened.")
_CLOSED: Final = Counter("golf_sockets_closed", "Sockets that the server closed.", ["code"])
NOTICES: Final = Counter("golf_notices", "Notices that were told to a room's sockets.")
COALESCED: Final = Counter(
    "golf_notices_coalesced", "Notices that went into a later one, since a room hears one a second."
)
LAYER_ERRORS: Final = Counter("golf_channel_layer_errors", "Times that the channel layer was away.")
DATABASE_CALLS: Final = Gauge(
    "golf_database_calls", "Calls that wait for a database thread, or are in one."
)
DIRECTOR_JOBS: Final = Counter(
    "golf_director_jobs", "Jobs that the director did.", ["job", "outcome"]
)
DIRECTOR_SECONDS: Final = Histogram(
    "golf_director_job_seconds",
    "How long a job of the director took.",
    ["job"],
    buckets=(0.001, 0.01, 0.1, 1, 10, 60),
)
DIRECTOR_LOOKED: Final = Gauge(
    "golf_director_looked_seconds", "When the director has last looked through all, since 1970."
)
REQUESTS: Final = Histogram(
    "golf_http_request_seconds",
    "How long a request took, by its method and the hundreds of its status.",
    ["method", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


@cache
def problem(code: str) -> Counter:
    """Return the counter of the errors of a code that were told to a socket."""
    return _PROBLEMS.labels(code)


@cache
def closed(code: int) -> Counter:
    """Return the counter of the sockets closed with a code."""
    return _CLOSED.labels(str(code))
