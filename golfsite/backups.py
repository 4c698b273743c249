"""One file that holds all that the site stores, taken while it serves, and put back elsewhere.

For SQLite it is a database, made by SQLite's own online backup; for PostgreSQL what `pg_dump`
writes in its custom format. It holds secret deals and the hashes of passwords, so nobody else may
read it.
"""

import os
import sqlite3
import subprocess
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection
from psycopg.conninfo import conninfo_to_dict

from golfsite.cluster import find_program

_VARIABLES: Final = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}
#: Pages that SQLite copies before it lets others write.
_PAGES: Final = 2000


class BackupError(Exception):
    """A backup cannot be made or put back; the text says why in one line."""


def make(path: Path) -> None:
    """Write a backup to a new file; raise `BackupError` where that cannot be done."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror}.") from error
    try:
        if connection.vendor == "postgresql":
            _run("pg_dump", "--format=custom", f"--file={path}")
        else:
            _copy(Path(connection.settings_dict["NAME"]), path)
            _check(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def restore(path: Path) -> None:
    """Put a backup back into an empty database; raise `BackupError` where that cannot be done."""
    if not path.is_file():
        raise BackupError(f"There is no file {path}.")
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
    connection.close()
    if tables:
        raise BackupError("The database is not empty: give a new one.")
    if connection.vendor == "postgresql":
        name = str(connection.settings_dict["NAME"])
        _run(
            "pg_restore", "--exit-on-error", "--single-transaction", "--no-owner",
            f"--dbname={name}", str(path),
        )  # fmt: skip
    else:
        _check(path)
        _copy(path, Path(connection.settings_dict["NAME"]))


def _copy(source: Path, target: Path) -> None:
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as read,
            closing(sqlite3.connect(target)) as written,
        ):
            read.backup(written, pages=_PAGES)
    except sqlite3.Error as error:
        raise BackupError(f"SQLite cannot copy {source}: {error}.") from error


def _check(path: Path) -> None:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as copy:
            (found,) = copy.execute("PRAGMA integrity_check").fetchone()
    except sqlite3.Error as error:
        raise BackupError(f"{path} is no SQLite database: {error}.") from error
    if found != "ok":
        raise BackupError(f"{path} is damaged: {found}.")


def _run(name: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs on the site's database."""
    program = find_program(name)
    if program is None:
        raise BackupError(f"Not installed: {name}. On Debian: apt-get install postgresql-client")
    done = subprocess.run(
        [program, "--no-password", *arguments],
        env={**os.environ, **_server(settings.DATABASE_URL)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BackupError(f"{name} failed: {done.stderr.strip()}")


def _server(url: str) -> Mapping[str, str]:
    """Return the variables of PostgreSQL's programs: on a command line all could read them."""
    parts = conninfo_to_dict(url)
    return {_VARIABLES[name]: str(value) for name, value in parts.items() if name in _VARIABLES}
