"""Programs: where they are, how they are started, waited for and ended (by their own pid)."""

import contextlib
import os
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class StartError(Exception):
    """A program ended, or did not answer in time; the text holds what it printed."""


def find_program(*names: str) -> str | None:
    """Return the path of the first of `names` found on PATH or among PostgreSQL's programs.

    Debian keeps PostgreSQL's server programs off the PATH, a folder for each version; the newest
    version counts.
    """
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"),
        key=lambda folder: int(re.sub(r"\D", "", folder.parent.name) or 0),
        reverse=True,
    )
    for name in names:
        found = shutil.which(name) or next(
            (path for folder in folders if (path := shutil.which(name, path=str(folder)))), None
        )
        if found:
            return found
    return None


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that nothing listens on.

    It lies below the ports that the system gives to outgoing connections: a client that keeps
    trying to reach a killed server could otherwise take its port, or even connect to itself.
    """
    for port in random.sample(range(20_000, 32_000), 200):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise StartError("no free port between 20000 and 32000")


class Program:
    """One program that the tests run, with its output in a file.

    `answers` is asked until it returns True; `user` and `group` are ids to run under, where this
    process may choose.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path,
        answers: Callable[[], bool],
        env: Mapping[str, str] | None = None,
        user: int | None = None,
        group: int | None = None,
        timeout: float = 90,
    ) -> None:
        self.command = list(command)
        self.env = dict(env) if env is not None else None
        self._log = log
        self._answers = answers
        self._user = user
        self._group = group
        self._timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process's id."""
        if self._process is None:
            raise StartError(f"not running: {self.command}")
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def output(self) -> str:
        """Return everything that it has printed, over all its starts."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def start(self) -> None:
        """Start it and return once it answers; raise `StartError` if it does not."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=ROOT if self._user is None else "/",
                env=self.env,
                user=self._user,
                group=self._group,
                extra_groups=None if self._user is None else [],
            )
        deadline = time.monotonic() + self._timeout
        while not self._answers():
            if self._process.poll() is not None:
                raise StartError(f"{self.command} ended at its start:\n{self.output()}")
            if time.monotonic() > deadline:
                self.kill()
                raise StartError(f"{self.command} did not answer:\n{self.output()}")
            time.sleep(0.03)

    def kill(self) -> None:
        """End it with SIGKILL: nothing of its own runs any more."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self, *, sign: int = signal.SIGTERM, timeout: float = 40) -> int | None:
        """End it with a signal, or SIGKILL after `timeout` seconds; return its exit status."""
        if self._process is None:
            return None
        self._process.send_signal(sign)
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._process.returncode


def accepts_connections(port: int) -> bool:
    """Return whether something accepts connections on 127.0.0.1 and `port`."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def wait_until(
    condition: Callable[[], object], *, seconds: float = 30, what: str = "the condition"
) -> None:
    """Ask `condition` until its answer is true; raise `AssertionError` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come true within {seconds} s")
        time.sleep(0.02)


def unprivileged_ids() -> tuple[int, int] | tuple[None, None]:
    """Return a user and group id for a program that refuses to run as root.

    (None, None) where this process is not root and so stays who it is.
    """
    if os.geteuid() != 0:
        return None, None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return entry.pw_uid, entry.pw_gid
    return 65534, 65534
