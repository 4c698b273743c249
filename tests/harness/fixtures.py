"""The fixtures of the harness; `tests/conftest.py` says how they are used."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from golfsite.cluster import find_programs
from golfsite.serving import CannotServe
from tests.harness.cluster import Cluster
from tests.harness.databases import PostgreSQL, Redis, postgresql_programs
from tests.harness.processes import find_program
from tests.harness.site import Site

_Server = TypeVar("_Server", PostgreSQL, Redis)


def _running(server: _Server) -> Iterator[_Server]:
    try:
        server.start()
        yield server
    finally:
        server.stop()


def _running_postgresql() -> Iterator[PostgreSQL]:
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: no initdb and postgres found")
    yield from _running(PostgreSQL(**programs))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A running PostgreSQL server, fsync on; skips where PostgreSQL is not installed."""
    yield from _running_postgresql()


@pytest.fixture
def own_postgresql() -> Iterator[PostgreSQL]:
    """The same for one test, which may stop it."""
    yield from _running_postgresql()


@pytest.fixture(scope="session")
def postgresql_url(postgresql: PostgreSQL) -> str:
    """The URL of the PostgreSQL server's first database, which is empty."""
    return postgresql.url()


@pytest.fixture
def postgresql_database(postgresql: PostgreSQL) -> Callable[[], str]:
    """A function that makes a new, migrated database and returns its URL."""
    return postgresql.migrated_database


def _running_redis() -> Iterator[Redis]:
    program = find_program("redis-server")
    if program is None:
        pytest.skip("Redis is not installed: no redis-server found")
    yield from _running(Redis(program=program))


@pytest.fixture(scope="session")
def _redis() -> Iterator[Redis]:
    yield from _running_redis()


@pytest.fixture
def own_redis() -> Iterator[Redis]:
    """A Redis server for one test, which may stop it."""
    yield from _running_redis()


@pytest.fixture
def redis_url(_redis: Redis) -> str:
    """The URL of a running Redis server with nothing stored in it.

    Published messages go to every subscriber of the server, whatever its database: who shares the
    server sets a GOLF_REDIS_PREFIX of its own, as `serve` does.
    """
    _redis.flush()
    return _redis.url


class Serve(Protocol):
    """Start the site; see `tests/conftest.py`."""

    def __call__(
        self,
        *,
        database: str = "sqlite",
        redis: bool | None = None,
        processes: int = 1,
        start: bool = True,
        **env: str,
    ) -> Site: ...


@pytest.fixture
def serve(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Serve]:
    """A function that starts the real site and returns it as a `Site`."""
    sites: list[Site] = []

    def start_site(
        *,
        database: str = "sqlite",
        redis: bool | None = None,
        processes: int = 1,
        start: bool = True,
        **env: str,
    ) -> Site:
        folder = tmp_path / f"site-{len(sites) + 1}"
        if database == "postgresql":
            env["DATABASE_URL"] = request.getfixturevalue("postgresql_database")()
        elif database != "sqlite":
            raise ValueError(f"no such database: {database}")
        if redis or (redis is None and processes > 1):
            env["REDIS_URL"] = request.getfixturevalue("redis_url")
            env["GOLF_REDIS_PREFIX"] = f"golf-{os.getpid()}-{folder}"
        site = Site(folder=folder, processes=processes, env=env)
        sites.append(site)
        if start:
            site.start()
        return site

    try:
        yield start_site
    finally:
        for site in sites:
            site.stop()
        # Shown by pytest beside a test that failed.
        print("\n".join(site.log() for site in sites))


class Report(Protocol):
    """Print after how many seconds something was back."""

    def __call__(self, what: str, seconds: float) -> None: ...


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Report:
    """A function that prints a time to recover, for whoever looks on."""

    def tell(what: str, seconds: float) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n{what}: back after {seconds:.1f} s ")

    return tell


class StartCluster(Protocol):
    """Start `manage.py cluster`; see `tests/conftest.py`."""

    def __call__(self, *, processes: int = 2, **env: str) -> Cluster: ...


@pytest.fixture
def start_cluster(tmp_path: Path) -> Iterator[StartCluster]:
    """A function that starts the site on several processes; skips where a program is missing."""
    try:
        find_programs()
    except CannotServe as error:
        pytest.skip(str(error))
    clusters: list[Cluster] = []

    def start(*, processes: int = 2, **env: str) -> Cluster:
        folder = tmp_path / f"cluster-{len(clusters) + 1}"
        cluster = Cluster(folder=folder, processes=processes, **env)
        clusters.append(cluster)
        cluster.start()
        return cluster

    # PostgreSQL runs as somebody else, who must find his way to his folder.
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o711)
    try:
        yield start
    finally:
        for cluster in clusters:
            cluster.stop()
        print("\n".join(cluster.log() for cluster in clusters))
