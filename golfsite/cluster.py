"""The site as it runs on several processes, all on this computer: for tests and trials.

nginx in front, two or more Daphne processes, the director, PostgreSQL and Redis: what
`docker-compose.yml` runs in containers, from programs that are installed here. Everything listens
on 127.0.0.1, has passwords that are drawn anew, and stores in one folder, which is removed in the
end.
"""

import contextlib
import ctypes
import http.client
import os
import pwd
import random
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final

from golfsite.serving import CannotServe

ROOT: Final = Path(__file__).resolve().parent.parent
#: Each program that is needed, and the package that has it in Debian.
PACKAGES: Final = {
    "nginx": "nginx-light",
    "redis-server": "redis-server",
    "initdb": "postgresql",
    "postgres": "postgresql",
}
#: Seconds that a part has to answer after its start, and to end when told to.
READY_TIMEOUT: Final = 60.0
STOP_TIMEOUT: Final = 15.0
#: A part that ends by itself is started again, so often within so many seconds; then all ends.
RESTARTS: Final = 5
RESTART_WINDOW: Final = 30.0
#: Seconds over which the sockets of a process are told to go elsewhere before it is restarted.
DRAIN_SECONDS: Final = 2.0
_PR_SET_PDEATHSIG: Final = 1


class Stopped(Exception):
    """Somebody asked for the end while something was waited for."""


def find_program(name: str) -> str | None:
    """Return where a program is: on PATH, among the system's, or PostgreSQL's newest."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"),
        key=lambda folder: int(re.sub(r"\D", "", folder.parent.name) or 0),
        reverse=True,
    )
    places = os.pathsep.join(
        [os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin", *map(str, folders)]
    )
    return shutil.which(name, path=places)


def find_programs() -> dict[str, str]:
    """Return where each program is; raise `CannotServe` naming all that are missing."""
    found = {name: find_program(name) for name in PACKAGES}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        packages = " ".join(dict.fromkeys(PACKAGES[name] for name in missing))
        raise CannotServe(
            f"Not installed: {', '.join(missing)}. On Debian: apt-get install {packages}"
        )
    return {name: path for name, path in found.items() if path is not None}


def free_port(taken: set[int]) -> int:
    """Return a port of 127.0.0.1 that nothing listens on, and add it to `taken`.

    It lies below those that the system gives to outgoing connections: a process that is restarted
    must find it free again.
    """
    for port in random.sample(range(20_000, 32_000), 200):
        with socket.socket() as probe, contextlib.suppress(OSError):
            if port not in taken:
                probe.bind(("127.0.0.1", port))
                taken.add(port)
                return port
    raise CannotServe("There is no free port between 20000 and 32000.")


@dataclass
class Part:
    """One program of the cluster.

    `answers` says whether it is of use yet. `end` is the signal that ends it soon and in order; it
    gets it as well when this process is killed. `log` is where it writes; without one its errors
    go where ours go.
    """

    name: str
    command: Sequence[str]
    answers: Callable[[], bool]
    end: signal.Signals = signal.SIGTERM
    env: Mapping[str, str] | None = None
    log: Path | None = None
    user: int | None = None
    group: int | None = None
    process: subprocess.Popen[bytes] | None = None
    ended_at: list[float] = field(default_factory=list)

    def start(self) -> None:
        """Start it; `answers` says when it is ready."""
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(self.log.open("ab")) if self.log else None
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log or subprocess.DEVNULL,
                stderr=log,
                cwd=ROOT if self.user is None else "/",
                env=self.env,
                # Ctrl-C is for this process, which ends the others in their order.
                start_new_session=True,
                user=self.user,
                group=self.group,
                extra_groups=None if self.user is None else [],
                preexec_fn=_follow(self.end),  # noqa: PLW1509 - this process has one thread
            )

    @property
    def status(self) -> int | None:
        """The exit status of a part that has ended, else None."""
        return None if self.process is None else self.process.poll()

    def stop(self) -> None:
        """End it, if need be by force."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(self.end)
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def last_words(self) -> str:
        """Return the end of what it wrote, where that is kept."""
        if self.log is None or not self.log.exists():
            return ""
        return "\n" + "\n".join(self.log.read_text(errors="replace").splitlines()[-10:])


def _follow(end: signal.Signals) -> Callable[[], None]:
    """Return what lets a child be ended by the system should this process be killed (Linux)."""
    if sys.platform != "linux":
        return lambda: None
    system = ctypes.CDLL(None, use_errno=True)
    return lambda: system.prctl(_PR_SET_PDEATHSIG, int(end)) and None


class Cluster:
    """The parts of the site, from their start to their end.

    :param processes: how many web processes.
    :param port: where nginx listens.
    :param say: called with each line for whoever looks on.
    """

    def __init__(self, *, processes: int, port: int, say: Callable[[str], None]) -> None:
        self._say = say
        self._programs = find_programs()
        self._asked: list[int] = []
        taken = {port}
        self.port = port or free_port(taken)
        self._database_port, self._redis_port = free_port(taken), free_port(taken)
        self.web_ports = [free_port(taken) for _ in range(processes)]
        self._database_password, self._redis_password = secrets.token_hex(16), secrets.token_hex(16)
        self._ids = _unprivileged()
        self._running: list[Part] = []

    def run(self) -> None:
        """Run it until SIGTERM or Ctrl-C; SIGHUP restarts the web processes one by one.

        Raises `CannotServe` when a part cannot be run.
        """
        signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        before = {number: signal.signal(number, self._ask) for number in signals}
        self.folder = Path(tempfile.mkdtemp(prefix="golf-cluster-"))
        try:
            # Those who run as somebody else find their own folders in it; the others are private.
            self.folder.chmod(0o711)
            self._prepare()
            with contextlib.suppress(Stopped):
                self._start()
                self._announce()
                self._watch()
        finally:
            for part in reversed(self._running):
                part.stop()
            shutil.rmtree(self.folder, ignore_errors=True)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self._asked.append(number)

    @property
    def _is_stopped(self) -> bool:
        return any(number != signal.SIGHUP for number in self._asked)

    # --- what the parts are -------------------------------------------------------------------

    def _prepare(self) -> None:
        database = f"golf:{self._database_password}@127.0.0.1:{self._database_port}"
        ours = {
            "DATABASE_URL": f"postgresql://{database}/postgres",
            "REDIS_URL": f"redis://:{self._redis_password}@127.0.0.1:{self._redis_port}/0",
            "GOLF_SECRET_KEY": secrets.token_urlsafe(60),
            "GOLF_DATA_DIR": str(self.folder / "data"),
            "GOLF_PROCESSES": str(len(self.web_ports)),
            "GOLF_SERVERS": "1",
            "GOLF_PROXIES": "1",
            "GOLF_HTTPS": "0",
            "GOLF_DEBUG": "0",
            "GOLF_HOSTS": "localhost,127.0.0.1",
            "GOLF_TRUSTED_ORIGINS": "",
        }
        self._env = {**os.environ, "PYTHONUNBUFFERED": "1", **ours}
        environment = self.folder / "environment"
        _write_privately(environment, "".join(f"export {n}='{v}'\n" for n, v in ours.items()))
        logs = self.folder / "logs"
        logs.mkdir(mode=0o700)
        self._database = self._postgresql(logs)
        self._redis = self._redis_server(logs)
        self._webs = [self._web(number, port) for number, port in enumerate(self.web_ports, 1)]
        self._director = Part(
            "director", [sys.executable, "manage.py", "director"], lambda: True, env=self._env
        )
        self._proxy = self._nginx(logs)

    def _postgresql(self, logs: Path) -> Part:
        data = self.folder / "postgresql"
        data.mkdir(mode=0o700)
        password = self.folder / "password"
        _write_privately(password, self._database_password)
        user, group = self._ids
        if user is not None and group is not None:
            os.chown(data, user, group)
            os.chown(password, user, group)
        made = subprocess.run(
            [
                self._programs["initdb"], "--pgdata", str(data), "--username", "golf",
                "--auth", "scram-sha-256", "--pwfile", str(password), "--encoding", "UTF8",
                "--locale", "C", "--no-sync",
            ],
            user=user, group=group, extra_groups=None if user is None else [],
            cwd="/", capture_output=True, text=True, check=False, start_new_session=True,
        )  # fmt: skip
        if made.returncode:
            raise CannotServe(f"PostgreSQL cannot make a database: {made.stderr.strip()}")
        password.unlink()
        return Part(
            "PostgreSQL",
            [
                self._programs["postgres"], "-D", str(data), "-p", str(self._database_port),
                "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
                "-c", "timezone=UTC", "-c", "lc_messages=C",
            ],
            self._database_answers,
            end=signal.SIGINT,  # ends the connections that are left, too
            log=logs / "postgresql.log", user=user, group=group,
        )  # fmt: skip

    def _database_answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self._env["DATABASE_URL"], connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _redis_server(self, logs: Path) -> Part:
        # In a file, since everybody on this computer sees what is on a command line.
        configuration = self.folder / "redis.conf"
        lines = (
            "bind 127.0.0.1", f"port {self._redis_port}", f"requirepass {self._redis_password}",
            'save ""', "appendonly no", f"dir {logs}",
        )  # fmt: skip
        _write_privately(configuration, "\n".join(lines) + "\n")
        return Part(
            "Redis",
            [self._programs["redis-server"], str(configuration)],
            lambda: _accepts_connections(self._redis_port),
            log=logs / "redis.log",
        )

    def _web(self, number: int, port: int) -> Part:
        command = [
            sys.executable, "-m", "daphne", "--bind", "127.0.0.1", "--port", str(port),
            "--no-server-name", "--verbosity", "0", "--ping-interval", "20",
            "--ping-timeout", "30", "--application-close-timeout", "5",
            "golfsite.asgi:application",
        ]  # fmt: skip
        return Part(
            f"web {number}", command, lambda: _status(port, "/readyz") == 200, env=self._env
        )

    def _nginx(self, logs: Path) -> Part:
        pages = self.folder / "pages"
        pages.mkdir()
        shutil.copy(ROOT / "deploy" / "down.html", pages)
        (pages / "down.html").chmod(0o644)
        made = self.folder / "nginx"
        made.mkdir()
        configuration = self.folder / "nginx.conf"
        _write_privately(
            configuration,
            nginx_configuration(folder=made, pages=pages, port=self.port, webs=self.web_ports),
        )
        return Part(
            "nginx",
            [
                self._programs["nginx"], "-p", str(made), "-c", str(configuration),
                "-e", str(logs / "nginx.log"), "-g", "daemon off;",
            ],
            lambda: _status(self.port, "/healthz") == 200,
            log=logs / "nginx.log",
        )  # fmt: skip

    # --- from start to end --------------------------------------------------------------------

    def _start(self) -> None:
        self._start_parts(self._database, self._redis)
        migrated = self._manage("migrate", "--no-input", "--verbosity", "0")
        if migrated.returncode:
            raise CannotServe(f"The database cannot be set up: {migrated.stderr.strip()}")
        self._start_parts(*self._webs, self._director)
        self._start_parts(self._proxy)

    def _start_parts(self, *parts: Part) -> None:
        """Start parts together, and return when each answers."""
        for part in parts:
            part.start()
            self._running.append(part)
        for part in parts:
            self._await(part)

    def _await(self, part: Part) -> None:
        deadline = time.monotonic() + READY_TIMEOUT
        while not part.answers():
            if self._is_stopped:
                raise Stopped
            if part.status is not None or time.monotonic() > deadline:
                what = "does not answer" if part.status is None else "ended at its start"
                raise CannotServe(f"{part.name} {what}.{part.last_words()}")
            time.sleep(0.05)

    def _manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=self._env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False, start_new_session=True,
        )  # fmt: skip

    def _announce(self) -> None:
        self._say(f"Golf is at http://127.0.0.1:{self.port}/")
        for part, port in zip(self._webs, self.web_ports, strict=True):
            self._say(f"  {part.name} listens on port {port}")
        self._say(f"  commands on this site: . {self.folder}/environment; python manage.py …")
        self._say(f"  kill -HUP {os.getpid()} restarts the web processes, one after the other")
        self._say("Ctrl-C stops it, and removes all that it has stored.")

    def _watch(self) -> None:
        """Start again what ends by itself, until asked to stop."""
        while not self._is_stopped:
            for part in self._running:
                if part.status is not None:
                    self._start_again(part)
            if signal.SIGHUP in self._asked:
                self._asked.remove(signal.SIGHUP)
                self._restart_in_turn()
            time.sleep(0.1)

    def _start_again(self, part: Part) -> None:
        now = time.monotonic()
        part.ended_at = [at for at in part.ended_at if now - at < RESTART_WINDOW] + [now]
        if len(part.ended_at) > RESTARTS:
            raise CannotServe(
                f"{part.name} ended {len(part.ended_at)} times within {RESTART_WINDOW:.0f} s."
                f"{part.last_words()}"
            )
        self._say(f"{part.name} has ended ({part.status}), and is started again.")
        part.start()
        time.sleep(0.5)  # what fails at once must not be tried without a pause

    def _restart_in_turn(self) -> None:
        """Restart the web processes so that players notice nothing but the board's banner."""
        for part, port in zip(self._webs, self.web_ports, strict=True):
            drained = self._manage("drain", "--port", str(port), "--over", str(DRAIN_SECONDS))
            if drained.returncode:
                self._say(f"{part.name} is restarted all the same: {drained.stderr.strip()}")
            part.stop()
            part.start()
            self._await(part)
            self._say(f"{part.name} is restarted.")
        self._say("All web processes are restarted.")


def nginx_configuration(*, folder: Path, pages: Path, port: int, webs: Sequence[int]) -> str:
    """Return nginx's configuration for this computer, by the rules of `deploy/nginx-site.conf`.

    `folder` is what nginx writes to, `pages` has the page for when no process answers.
    """
    kept = "\n".join(
        f"    {name}_temp_path {folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # A process that is restarted is asked again at once: here nothing is far away.
    servers = "\n".join(f"        server 127.0.0.1:{web} max_fails=0;" for web in webs)
    return f"""worker_processes 1;
pid {folder}/nginx.pid;
events {{ worker_connections 8192; }}
http {{
{kept}
    types {{ text/html html; }}
    server_tokens off;
    upstream golf {{
        least_conn;
{servers}
    }}
    server {{
        listen 127.0.0.1:{port};
        set $down_page {pages};
        include {ROOT}/deploy/nginx-site.conf;
    }}
}}
"""


def _write_privately(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)


def _unprivileged() -> tuple[int, int] | tuple[None, None]:
    """Return whom PostgreSQL runs as, since it refuses to run as root; (None, None) for oneself."""
    if os.geteuid() != 0:
        return None, None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return entry.pw_uid, entry.pw_gid
    return 65534, 65534


def _accepts_connections(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _status(port: int, path: str) -> int | None:
    """Return the status of an answer on this computer, or None without one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
