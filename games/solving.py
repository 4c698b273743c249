"""The solver in a process beside the server: never in its event loop, and not in its memory.

One process is enough, since it solves some fifty deals a second. It starts with the first
question, waits for others, and ends with the server, however that ends.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from multiprocessing import connection, get_context, parent_process
from time import monotonic
from typing import Final, TypeVar

from games.engine import Best, GameCode, Solution

#: Seconds that whoever asks waits at most.
PATIENCE: Final = 15.0
#: Seconds for which nobody else waits once somebody has waited in vain.
REST: Final = 30.0

T = TypeVar("T")


class Unavailable(Exception):
    """The solver does not answer. Nothing depends on it: what wants its results goes without."""


def solve(codes: Iterable[GameCode]) -> list[Solution]:
    """Return the best result of each deal, and a line.

    Blocks, so it is not for the event loop. Raises `Unavailable`.
    """
    return _ask(_solve, [(code,) for code in codes])


def solve_line(code: GameCode, actions: str) -> list[Best]:
    """Return the best still in reach at every position of a game; see `games.engine.solver`.

    Blocks, so it is not for the event loop. Raises `Unavailable`, and what the solver raises for
    actions that are not those of such a game.
    """
    return _ask(_solve_line, [(code, actions)])[0]


def _solve(code: GameCode) -> Solution:
    from games.engine import solver

    return solver.solve(code.deal(), code.rules)


def _solve_line(code: GameCode, actions: str) -> list[Best]:
    from games.engine import solver

    return solver.solve_line(code.deal(), code.rules, actions)


class _Beside:
    """The process, started when it is needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self.rests_until = 0.0

    def started(self) -> ProcessPoolExecutor:
        """Return the pool of one process."""
        with self._lock:
            if self._pool is None:
                # Not forked: the server has threads, sockets and connections.
                self._pool = ProcessPoolExecutor(
                    1, mp_context=get_context("spawn"), initializer=_begin
                )
            return self._pool

    def forget(self, pool: ProcessPoolExecutor) -> None:
        """Let another process be started in place of that of `pool`."""
        with self._lock:
            if self._pool is pool:
                self._pool = None
        pool.shutdown(wait=False, cancel_futures=True)


_beside = _Beside()


def _ask(function: Callable[..., T], calls: Sequence[tuple[object, ...]]) -> list[T]:
    """Return what the calls return, or raise what they raise."""
    if monotonic() < _beside.rests_until:
        raise Unavailable("the solver has not answered just now")
    deadline = monotonic() + PATIENCE
    for _ in range(2):  # if its process was killed another one is started, once
        pool = _beside.started()
        futures: list[Future[T]] = []
        try:
            futures = [pool.submit(function, *arguments) for arguments in calls]
            return [future.result(deadline - monotonic()) for future in futures]
        except BrokenExecutor:
            _beside.forget(pool)
        except TimeoutError:
            for future in futures:
                future.cancel()
            _beside.rests_until = monotonic() + REST
            raise Unavailable("the solver takes too long") from None
    raise Unavailable("the solver's process ends")


def _begin() -> None:
    """Prepare the process: moves of players come first, and it does not outlive its server."""
    os.nice(10)
    # Ctrl-C in a terminal is for the server, which ends this in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_server, daemon=True).start()


def _end_with_the_server() -> None:
    server = parent_process()
    if server is not None:
        connection.wait([server.sentinel])
        os._exit(1)
