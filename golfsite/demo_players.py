"""The demo's finished scorecards: bots that play the demo's tournament over real sockets."""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator

from django.conf import settings

from tournaments import selectors

#: Scorecards that a newcomer finds, and the actions a second of each bot: slow enough to watch.
PLAYERS, PACE = 8, 12
_SEED = 1
#: Seconds after which bots that are not done are given up.
_TIMEOUT = 300
#: `manage.py`, for as long as whoever started it lives: its end, even by SIGKILL, closes the pipe.
_PROGRAM = """
import os, sys, threading
def follow():
    sys.stdin.read()
    os._exit(1)
threading.Thread(target=follow, daemon=True).start()
import manage
manage.main()
"""
#: Seconds that the bots have to end when the server does.
_STOP_TIMEOUT = 5


def missing_players(slug: str) -> int:
    """Return how many finished scorecards the demo's tournament still lacks.

    Bots that were interrupted are made up for at the next start, not played to their end.
    """
    board = selectors.leaderboard(tournament=selectors.tournament_of(slug=slug))
    finished = sum(row.is_finished for row in board.rows)
    return max(0, PLAYERS - finished)


class DemoPlayers:
    """Bots in a process of their own, which play while the server serves."""

    def __init__(self, *, slug: str, players: int) -> None:
        self._slug = slug
        self._players = players
        self._bots: subprocess.Popen[str] | None = None
        self._stopped = threading.Event()

    def play(self, url: str) -> str | None:
        """Let them play to the end at the site at `url`; return what went wrong, or None."""
        if self._stopped.is_set():
            return None
        self._bots = subprocess.Popen(
            [
                sys.executable, "-c", _PROGRAM, "bots",
                "--tournament", self._slug, "--players", str(self._players),
                "--seed", str(_SEED), "--pace", str(PACE), "--url", url,
                "--timeout", str(_TIMEOUT),
            ],
            cwd=settings.BASE_DIR,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # Ctrl-C is for the server, which ends them.
            start_new_session=True,
        )  # fmt: skip
        with self._bots:
            output = self._bots.stdout.read() if self._bots.stdout else ""
            self._bots.wait()
        if self._bots.returncode == 0 or self._stopped.is_set():
            return None
        return output.strip() or f"exit status {self._bots.returncode}"

    def stop(self) -> None:
        """End them; the next start of the server brings back those who are missing."""
        self._stopped.set()
        if self._bots is not None and self._bots.poll() is None:
            self._bots.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._bots.wait(_STOP_TIMEOUT)
                return
            self._bots.kill()


@contextlib.contextmanager
def ending(players: DemoPlayers | None) -> Iterator[None]:
    """End `players` with the block."""
    try:
        yield
    finally:
        if players is not None:
            players.stop()
