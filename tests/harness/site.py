"""The site itself as it is run for players: `manage.py serve`, or Daphne several times over."""

import shutil
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.harness.commands import Commands
from tests.harness.databases import SQLITE_FILE, migrated_file
from tests.harness.environment import clean_environment
from tests.harness.processes import Program, free_port

#: No test may reach the outside through a proxy that the shell has set.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def answers(url: str) -> bool:
    """Return whether the site at `url` says that it is well."""
    try:
        with _direct.open(f"{url}/readyz", timeout=5) as response:
            return bool(response.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def fetch(url: str) -> tuple[int, str]:
    """Return the status and the text of an answer, whatever the status is."""
    try:
        with _direct.open(url, timeout=20) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


class Site(Commands):
    """A running site: one or several server processes on one database.

    One process is `manage.py serve --no-demo`, which enforces deadlines itself; several are
    `daphne golfsite.asgi:application` on a port each, with one `manage.py director` beside them.

    `env` holds the variables that the processes run with; `data` is the folder that the embedded
    site writes to.
    """

    def __init__(self, *, folder: Path, processes: int, env: dict[str, str]) -> None:
        self.data = folder / "data"
        self.data.mkdir(parents=True, exist_ok=True)
        self.env = clean_environment(
            GOLF_DATA_DIR=str(self.data),
            GOLF_SECRET_KEY="a key for tests, long enough to sign whatever they need signed",
            GOLF_PROCESSES=str(processes),
            PYTHONUNBUFFERED="1",
        )
        self.env |= env
        ports = [free_port() for _ in range(processes)]
        self.urls = [f"http://127.0.0.1:{port}" for port in ports]
        self._logs = folder
        self._servers = [
            Program(
                self._command(port, alone=processes == 1),
                log=folder / f"server-{port}.log",
                answers=lambda port=port: answers(f"http://127.0.0.1:{port}"),  # type: ignore[misc]
                env=self.env,
            )
            for port in ports
        ]
        self._director = (
            Program(
                [sys.executable, "manage.py", "director"],
                log=folder / "director.log",
                answers=lambda: True,
                env=self.env,
            )
            if processes > 1
            else None
        )

    @staticmethod
    def _command(port: int, *, alone: bool) -> list[str]:
        if alone:
            return [sys.executable, "manage.py", "serve", "--no-demo", "--port", str(port)]
        return [
            sys.executable, "-m", "daphne", "--bind", "127.0.0.1", "--port", str(port),
            "--no-server-name", "--verbosity", "0", "golfsite.asgi:application",
        ]  # fmt: skip

    @property
    def url(self) -> str:
        """The address of the first process, without a slash at its end."""
        return self.urls[0]

    def start(self) -> None:
        """Migrate, start every process and return once each answers."""
        self._migrate()
        for server in self._servers:
            server.start()
        if self._director is not None:
            self._director.start()

    def _migrate(self) -> None:
        file = self.data / SQLITE_FILE
        if "DATABASE_URL" in self.env or file.exists():
            self.manage("migrate", "--verbosity", "0")
        else:
            shutil.copyfile(migrated_file(), file)

    def stop(self) -> None:
        """End every process that still runs."""
        for program in [*self._servers, *([self._director] if self._director else [])]:
            program.stop()

    def pid(self, index: int = 0) -> int:
        """Return the process id of one server."""
        return self._servers[index].pid

    def kill(self, index: int = 0) -> None:
        """End one server with SIGKILL."""
        self._servers[index].kill()

    def terminate(self, index: int = 0) -> int | None:
        """End one server in order (SIGTERM) and return its exit status."""
        return self._servers[index].stop()

    def kill_director(self) -> None:
        """End the director with SIGKILL."""
        if self._director is not None:
            self._director.kill()

    def start_director(self) -> None:
        """Start the director again."""
        if self._director is not None:
            self._director.start()

    def start_again(self, index: int = 0) -> None:
        """Start one server again, at the address it had; return once it answers."""
        self._servers[index].start()

    def log(self) -> str:
        """Return everything that the processes have printed."""
        return "\n".join(
            f"--- {path.name}\n{path.read_text(errors='replace')}"
            for path in sorted(self._logs.glob("*.log"))
        )


@contextmanager
def running(folder: Path, **env: str) -> Iterator[Site]:
    """One site of one process in `folder`, for what is no test or takes one for many tests."""
    site = Site(folder=folder, processes=1, env=env)
    try:
        site.start()
        yield site
    finally:
        site.stop()
