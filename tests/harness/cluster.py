"""`manage.py cluster` as a test runs it: the site on several processes behind nginx."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from tests.harness.commands import Commands
from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT, StartError, wait_until


class Cluster(Commands):
    """A running cluster; `env` holds the variables of its processes.

    `start` returns once it says that it is there, and raises `StartError` if it does not.
    """

    def __init__(self, *, folder: Path, processes: int = 2, **env: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "cluster.log"
        self._command = [
            sys.executable, "manage.py", "cluster", "--port", "0", "--processes", str(processes),
        ]  # fmt: skip
        self._given = clean_environment(
            GOLF_DATA_DIR=str(folder / "beside"), TMPDIR=str(folder), PYTHONUNBUFFERED="1"
        )
        self._given |= env
        self._process: subprocess.Popen[bytes] | None = None
        self.env: dict[str, str] = {}

    def start(self) -> None:
        """Start it."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=self._given,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        process = self._process
        wait_until(
            lambda: "Ctrl-C stops it" in self.log() or process.poll() is not None,
            seconds=120,
            what="the cluster's start",
        )
        if process.poll() is not None:
            raise StartError(self.log())
        lines = shlex.split((self.folder / "environment").read_text())
        ours = dict(line.split("=", 1) for line in lines if line != "export")
        self.env = self._given | ours

    @property
    def pid(self) -> int:
        """The process that looks after the others."""
        if self._process is None:
            raise StartError("the cluster was not started")
        return self._process.pid

    @property
    def folder(self) -> Path:
        """Where it stores everything."""
        return Path(self._found(r"site: \. (\S+)/environment"))

    @property
    def url(self) -> str:
        """The address of nginx, without a slash at its end."""
        return self._found(r"Golf is at (\S+)/\n")

    @property
    def urls(self) -> list[str]:
        """The same, as a site of one address has it."""
        return [self.url]

    @property
    def web_ports(self) -> list[int]:
        """The ports of the web processes."""
        return [int(port) for port in re.findall(r"listens on port (\d+)", self.log())]

    def _found(self, pattern: str) -> str:
        found = re.search(pattern, self.log())
        if found is None:
            raise StartError(self.log())
        return found[1]

    def parts(self) -> dict[int, str]:
        """Return the command lines of the processes that it has started, by their ids."""
        found = {}
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(status.read_text().rpartition(")")[2].split()[1])
                command = (status.parent / "cmdline").read_text().replace("\0", " ").strip()
            except OSError:
                continue
            if parent == self.pid:
                found[int(status.parent.name)] = command
        return found

    def pid_of(self, *words: str) -> int:
        """Return the id of the part whose command line has all `words`."""
        found = [pid for pid, line in self.parts().items() if all(word in line for word in words)]
        if len(found) != 1:
            raise StartError(f"{words}: {self.parts()}")
        return found[0]

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the process that looks after the others."""
        if self._process is not None:
            self._process.send_signal(number)

    def restart_in_turn(self) -> None:
        """Restart the web processes one after the other; return once all are back."""
        before = self.log().count("All web processes are restarted.")
        self.send_signal(signal.SIGHUP)
        wait_until(
            lambda: self.log().count("All web processes are restarted.") > before,
            seconds=60,
            what="the restart",
        )

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int | None:
        """End it; return its exit status."""
        if self._process is None:
            return None
        self._process.send_signal(number)
        try:
            return self._process.wait(40)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def log(self) -> str:
        """Return everything that it has printed."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""
