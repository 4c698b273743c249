"""The embedded site: everything that Golf needs on one computer, in one process.

Pages and sockets by Daphne, deadlines by a director thread, an SQLite file, no service to install.
"""

import asyncio
import contextlib
import fcntl
import http.client
import logging
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf import settings
from django.http.request import validate_host

logger = logging.getLogger(__name__)

#: Seconds between two pings of a socket, and until one that stays silent is given up.
PING_INTERVAL, PING_TIMEOUT = 20, 30
#: Seconds that a socket's consumer has to end after its connection.
CLOSE_TIMEOUT = 5
#: Seconds until a started server must have answered, and for its sockets to be closed at the end.
READY_TIMEOUT, STOP_TIMEOUT = 30.0, 3.0

_LAST_PORT = 65_535
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (what is asked for, not a default)


class CannotServe(Exception):
    """Something on this computer is in the way; the text is one line that says what to do."""


def check_data_folder(folder: Path) -> None:
    """Make `folder` where it is missing; raise `CannotServe` unless it can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        for stored in (folder / "golf.sqlite3", folder / "serve.lock"):
            if stored.exists() and not os.access(stored, os.W_OK):
                raise PermissionError(0, f"{stored.name} is not yours")
    except OSError as error:
        raise CannotServe(
            f"The data folder {folder} cannot be written to ({error.strerror}). "
            "Set GOLF_DATA_DIR to one that can."
        ) from error


@contextlib.contextmanager
def sole_server(folder: Path) -> Iterator[Callable[[str], None]]:
    """Hold the data folder for this process; raise `CannotServe` while another one holds it.

    Two servers without Redis would not hear of each other's moves; with it, they may share. Gives
    a function to note the server's address, for the message that the next one gets. The lock is
    the kernel's: it ends with the process, however that ends.
    """
    with (folder / "serve.lock").open("a+") as lock:

        def note(url: str) -> None:
            lock.truncate(0)
            lock.write(url)
            lock.flush()

        if not settings.REDIS_URL:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                lock.seek(0)
                raise CannotServe(
                    f"Golf is already running on the data folder {folder}: {lock.read().strip()}"
                ) from error
        yield note


def check_port(host: str, port: int, *, command: str = "make serve") -> tuple[str, int]:
    """Return the numeric address and the port to listen on; port 0 becomes one that is free.

    Raises `CannotServe` when the port is taken or `host` is not this computer's; `command` is the
    one to give with another.
    """
    if not 0 <= port <= _LAST_PORT:
        raise CannotServe(f"There is no port {port}: they run from 1 to {_LAST_PORT}.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise CannotServe(f"{host} is no address of this computer.") from error
    with socket.socket(family, kind, protocol) as probe:
        # What the last server's connections left behind does not take the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as error:
            raise CannotServe(
                f"Port {port} of {host} cannot be had ({error.strerror}). "
                f"Choose another: {command} PORT={port + 1 if port < _LAST_PORT else 8000}"
            ) from error
        numeric: tuple[str, int] = probe.getsockname()[:2]
    return numeric


def check_host(host: str) -> None:
    """Raise `CannotServe` where a browser that came to `host` would be turned away."""
    bracketed = f"[{host}]" if ":" in host else host
    if host not in _ANYWHERE and not validate_host(bracketed, settings.ALLOWED_HOSTS):
        raise CannotServe(f"GOLF_HOSTS does not name {host}: its visitors would be turned away.")


def is_local(host: str) -> bool:
    """Return whether only this computer reaches `host`."""
    return host in {"localhost", "127.0.0.1", "::1"}


def address(host: str, port: int) -> str:
    """Return the address of the site for a browser on this computer."""
    host = _ANYWHERE.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


class Server:
    """Daphne and a director thread, in this process, until SIGTERM or Ctrl-C.

    :param on_ready: called once, in a thread of its own, when the site has answered a request.
    """

    def __init__(self, *, host: str, port: int, on_ready: Callable[[], None]) -> None:
        self._host = host
        self._port = port
        self._on_ready = on_ready
        self._ended = threading.Event()
        self._failure: str | None = None
        self._stopping: asyncio.Task[None] | None = None

    def run(self) -> None:
        """Serve until told to stop; raise `CannotServe` if the site does not answer."""
        from daphne import server as daphne
        from daphne.endpoints import build_endpoint_description_strings

        from golfsite.asgi import application
        from tournaments import director

        self._loop = daphne.twisted_loop
        serving = daphne.Server(
            application,
            endpoints=build_endpoint_description_strings(host=self._host, port=self._port),
            signal_handlers=False,
            ping_interval=PING_INTERVAL,
            ping_timeout=PING_TIMEOUT,
            application_close_timeout=CLOSE_TIMEOUT,
            verbosity=0,
            server_name="",
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self._stop)
        beside = [
            threading.Thread(target=director.run, args=(self._ended,), name="director"),
            threading.Thread(target=self._await_ready, name="ready"),
        ]
        for thread in beside:
            thread.start()
        try:
            serving.run()
        finally:
            self._ended.set()
            for thread in beside:
                thread.join(STOP_TIMEOUT)
        if serving.abort_start:
            raise CannotServe(f"Port {self._port} of {self._host} was taken just now.")
        if self._failure is not None:
            raise CannotServe(self._failure)

    def _stop(self) -> None:
        """Stop in order; asked a second time, at once."""
        if self._stopping is None:
            self._stopping = self._loop.create_task(self._close_sockets())
        else:
            self._end()

    async def _close_sockets(self) -> None:
        """Tell every client to come back, then let Daphne end."""
        from games.live import Hub

        self._ended.set()
        try:
            await asyncio.wait_for(Hub.here().shut_down(), STOP_TIMEOUT)
            await asyncio.sleep(0.05)  # let the close frames leave
        except Exception:
            logger.exception("The sockets could not be closed in order.")
        self._end()

    @staticmethod
    def _end() -> None:
        from twisted.internet import reactor

        reactor.stop()  # type: ignore[misc]

    def _await_ready(self) -> None:
        deadline = time.monotonic() + READY_TIMEOUT
        seen = "no answer"
        while not self._ended.is_set():
            try:
                seen = self._ask()
            except (OSError, http.client.HTTPException) as error:
                seen = f"{type(error).__name__}: {error}"
            if seen == "200":
                self._on_ready()
                return
            if time.monotonic() > deadline:
                self._failure = f"The site started, but does not answer well ({seen})."
                self._loop.call_soon_threadsafe(self._stop)
                return
            time.sleep(0.05)

    def _ask(self) -> str:
        host = _ANYWHERE.get(self._host, self._host)
        connection = http.client.HTTPConnection(host, self._port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return str(connection.getresponse().status)
        finally:
            connection.close()


def collect_static() -> None:
    """Bring the static files up to date; raise `CannotServe` where they cannot be written."""
    from golfsite import static_files

    try:
        static_files.collect()
    except OSError as error:
        raise CannotServe(
            f"The static files cannot be written to {settings.STATIC_ROOT} ({error.strerror}). "
            "Set GOLF_STATIC_ROOT to a folder that can."
        ) from error


def migrate() -> None:
    """Apply the migrations that are missing; where none is, this is quick.

    Raises `CannotServe` when the database cannot be reached.
    """
    import psycopg
    from django.core.management import call_command
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        if connection.vendor == "postgresql":
            # The pool would try for a while, and then not say why it cannot.
            psycopg.connect(settings.DATABASE_URL, connect_timeout=5).close()
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", verbosity=0, interactive=False)
    except (DatabaseError, psycopg.Error) as error:
        raise CannotServe(f"The database does not work: {str(error).splitlines()[0]}") from error
    finally:
        connection.close()
