"""Looks through tournaments that are over, a little at a time, beside everything else.

What is quick is done here, one entry in a step. What takes seconds of computing, whether somebody
plays as if the stock were known, is done by a process of its own at the lowest priority: the
server's threads, and so the players, do not notice it. Each flag is raised once however often an
entry is looked at, so a lookout may end at any time, and there may be several.
"""

import logging
import select
import socket
import subprocess
import sys
from collections import deque
from typing import Final

import msgspec
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.utils import timezone

from tournaments import foresight
from tournaments.models import Tournament
from tournaments.services import flags

logger = logging.getLogger(__name__)

_COMMAND: Final = (sys.executable, "-m", "tournaments.foresight")

_Asked = tuple[int, flags.PlayedRound]


class Lookout:
    """Goes through one tournament after another, an entry a step."""

    def __init__(self) -> None:
        self._tournament: Tournament | None = None
        self._entries: deque[int] = deque()
        self._rounds: deque[_Asked] = deque()
        self._looker: _Looker | None = None
        #: Whether a process has died over the first of the rounds.
        self._has_failed = False

    def end(self) -> None:
        """End it, whatever it is doing; another one goes on with what was not looked at."""
        if self._looker is not None:
            self._looker.end()
            self._looker = None

    def step(self) -> bool:
        """Do a little, without waiting for anything; return whether there is more to do.

        Raises `django.db.Error` while the database is away; the next step goes on from there.
        """
        if self._rounds:
            self._look_closer()
        elif self._entries:
            self._look()
        elif self._tournament is not None:
            flags.flags_raised(tournament=self._tournament, now=timezone.now())
            self._tournament = None
        else:
            self._tournament = flags.tournament_to_look_at()
            if self._tournament is None:
                self.end()
                return False
            self._entries.extend(flags.entries_to_look_at(tournament=self._tournament))
        return True

    def _look(self) -> None:
        """Look at the next entry."""
        entry_id = self._entries[0]
        try:
            flags.flag_entry(entry_id=entry_id)
            rounds = flags.rounds_of(entry_id=entry_id)
        except (DatabaseError, InterfaceError):
            raise
        except Exception:
            logger.exception("Entry %s could not be looked at.", entry_id)
            rounds = []
        self._entries.popleft()
        self._rounds.extend((entry_id, played) for played in rounds)

    def _look_closer(self) -> None:
        """Ask about the next round, or take the answer if it is there."""
        entry_id, played = self._rounds[0]
        if self._looker is None:
            self._looker = _Looker()
        try:
            if not self._looker.is_asked:
                self._looker.ask(played.games)
                return
            if not self._looker.has_answered():
                return
            found = self._looker.answer()
        except (OSError, msgspec.MsgspecError) as error:
            self.end()
            if not self._has_failed:
                # It may have been killed for what others took of the memory: once more.
                self._has_failed = True
                return
            logger.error(
                "Round %s of entry %s could not be looked at: %s",
                played.number,
                entry_id,
                type(error).__name__,
            )
            found = None
        flags.flag_foresight(entry_id=entry_id, number=played.number, found=found)
        self._rounds.popleft()
        self._has_failed = False


class _Looker:
    """The process that computes: it is asked a line, and answers a line."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair()
        with theirs:
            end = theirs.fileno()
            self._process = subprocess.Popen(_COMMAND, cwd=settings.BASE_DIR, stdin=end, stdout=end)
        self._answers = self._line.makefile("rb")
        self.is_asked = False

    def ask(self, games: tuple[foresight.Played, ...]) -> None:
        """Ask about the games of a round. Raises `OSError` if nobody is there."""
        self._line.sendall(msgspec.json.encode(games) + b"\n")
        self.is_asked = True

    def has_answered(self) -> bool:
        """Return whether `answer` will not have to wait."""
        return bool(select.select([self._line], [], [], 0)[0])

    def answer(self) -> foresight.Found | None:
        """Return the answer. Raises `OSError` or `msgspec.MsgspecError` if there is none."""
        self.is_asked = False
        return msgspec.json.decode(self._answers.readline(), type=foresight.Found | None)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._answers.close()
        self._line.close()
        self._process.kill()
        self._process.wait()
