"""The deploy checks, and what the settings refuse by themselves."""

import json
import re
import subprocess
import sys

import pytest
from django.db import connection
from django.db.backends.sqlite3.base import DatabaseWrapper as SQLite

from golfsite import checks
from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT

SAFE = {
    "GOLF_HTTPS": "1",
    "GOLF_SECRET_KEY": "0f7y&n2s@k9!q4w6z8x1c3v5b7m0a2d4g6h8j0l2p4r6t8u0-5e3i1o9",
    "GOLF_HOSTS": "golf.example",
    "GOLF_TRUSTED_ORIGINS": "https://golf.example",
}


def deploy_check(tmp_path, **variables):
    """Run `check --deploy` with a safe site's variables, some of them changed (None: unset)."""
    environment = clean_environment(GOLF_DATA_DIR=str(tmp_path)) | SAFE | variables
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_safe_site_passes(tmp_path):
    outcome = deploy_check(tmp_path)
    assert outcome.stdout == "System check identified no issues (0 silenced).\n"
    assert (outcome.returncode, outcome.stderr) == (0, "")


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({"GOLF_SECRET_KEY": None}, "GOLF_HTTPS needs GOLF_SECRET_KEY: a long random text."),
        ({"GOLF_DEBUG": "1"}, "GOLF_HTTPS refuses GOLF_DEBUG: it would show secrets."),
        (
            {"GOLF_HOSTS": "golf.example,*"},
            "GOLF_HTTPS refuses * in GOLF_HOSTS: name the hosts.",
        ),
        (
            {"GOLF_HTTPS": None, "GOLF_SERVERS": "2", "GOLF_DEBUG": "1"},
            "GOLF_SERVERS above 1 refuses GOLF_DEBUG: it would show secrets.",
        ),
        (
            {"GOLF_HTTPS": None, "GOLF_SERVERS": "2", "GOLF_HOSTS": "*"},
            "GOLF_SERVERS above 1 refuses * in GOLF_HOSTS: name the hosts.",
        ),
        (
            {"GOLF_PROCESSES": "2"},
            "GOLF_PROCESSES above 1 needs REDIS_URL: the in-memory layer serves one process.",
        ),
        (
            {"GOLF_SERVERS": "2"},
            "GOLF_SERVERS above GOLF_PROCESSES: GOLF_PROCESSES counts those of all servers.",
        ),
        (
            {"GOLF_SERVERS": "2", "GOLF_PROCESSES": "2", "REDIS_URL": "redis://r:6379/0"},
            "GOLF_SERVERS above 1 needs PostgreSQL in DATABASE_URL: SQLite serves one computer.",
        ),
        (
            {
                "GOLF_SERVERS": "2",
                "GOLF_PROCESSES": "4",
                "REDIS_URL": "redis://r:6379/0",
                "DATABASE_URL": "postgresql://golf@db/golf",
                "GOLF_SECRET_KEY": None,
                "GOLF_HTTPS": None,
            },
            "GOLF_SERVERS above 1 needs GOLF_SECRET_KEY, the same on all.",
        ),
        (
            {"DATABASE_URL": "postgresql://golf@db/golf", "GOLF_POOL_SIZE": "6"},
            "GOLF_POOL_SIZE is at least 7: GOLF_DATABASE_THREADS and 3 more.",
        ),
        (
            {"GOLF_LOG_IN_FAILURES": "0"},
            "GOLF_LOG_IN_FAILURES and GOLF_LOG_IN_WAIT are at least 1.",
        ),
    ],
)
def test_what_is_unsafe_beyond_doubt_does_not_start(tmp_path, variables, line):
    outcome = deploy_check(tmp_path, **variables)
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (1, "", f"{line}\n")


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({"GOLF_HOSTS": None}, "golf.W002"),
        ({"GOLF_TRUSTED_ORIGINS": "https://golf.example,http://golf.example"}, "golf.E003"),
        ({"GOLF_PROXIES": "0"}, "golf.W008"),
        ({"GOLF_SECRET_KEY": "short"}, "security.W009"),
        ({"GOLF_METRICS_TOKEN": "guess"}, "golf.W009"),
        ({"GOLF_HTTPS": None}, "security.W008"),
    ],
)
def test_the_deploy_check_names_what_is_unsafe(tmp_path, variables, found):
    outcome = deploy_check(tmp_path, **variables)
    assert outcome.returncode == 1
    assert f"({found})" in outcome.stderr


def test_the_key_that_a_site_draws_can_be_carried_to_another(tmp_path):
    deploy_check(tmp_path, GOLF_HTTPS=None, GOLF_SECRET_KEY=None)
    key = (tmp_path / "secret_key").read_text()
    assert re.fullmatch(r"[A-Za-z0-9_-]{80}", key)
    assert deploy_check(tmp_path, GOLF_SECRET_KEY=key).returncode == 0


def ids(messages):
    return [message.id for message in messages]


def test_every_host_is_refused(settings):
    settings.ALLOWED_HOSTS = ["*"]
    assert ids(checks.check_hosts()) == ["golf.E001"]


@pytest.mark.parametrize(
    ("directives", "found"),
    [
        ({}, ["golf.E004"]),
        ({"script-src": ["'self'", "'unsafe-inline'"]}, ["golf.E005"]),
        ({"img-src": ["*"]}, ["golf.E005"]),
        ({"script-src": ["'self'"], "img-src": ["data:"]}, []),
    ],
)
def test_a_lax_content_security_policy_is_refused(settings, directives, found):
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": directives}
    assert ids(checks.check_content_security_policy()) == found


@pytest.mark.django_db
def test_more_connections_than_the_database_allows(settings):
    settings.PROCESSES, settings.POOL_SIZE = 40, 20
    found = ids(checks.check_connections(databases=["default"]))
    assert found == (["golf.W006"] if connection.vendor == "postgresql" else [])
    settings.PROCESSES = 1
    assert checks.check_connections(databases=["default"]) == []
    assert checks.check_connections(databases=None) == []


@pytest.mark.django_db
@pytest.mark.parametrize(("mode", "found"), [("WAL", []), ("DELETE", ["golf.W007"])])
def test_sqlite_without_a_write_ahead_log(tmp_path, monkeypatch, mode, found):
    options = {"init_command": f"PRAGMA journal_mode={mode}"}
    changed = {"NAME": tmp_path / "golf.sqlite3", "OPTIONS": options}
    kept = SQLite(connection.settings_dict | changed, "kept")
    monkeypatch.setattr(checks, "connections", {"kept": kept})
    try:
        assert ids(checks.check_sqlite_journal(databases=["kept"])) == found
    finally:
        kept.close()


def test_a_safe_site_of_several_servers_passes(tmp_path):
    outcome = deploy_check(
        tmp_path,
        GOLF_SERVERS="3",
        GOLF_PROCESSES="4",
        REDIS_URL="redis://redis:6379/0",
        DATABASE_URL="postgresql://golf@postgresql/golf",
        GOLF_METRICS_TOKEN="a long token that nobody guesses",
        GOLF_LOG_FORMAT="json",
    )
    assert outcome.stdout == "System check identified no issues (0 silenced).\n"
    assert (outcome.returncode, outcome.stderr) == (0, "")


def test_what_the_address_of_the_database_asks_for_is_kept(tmp_path):
    asked = {"sslmode": "verify-full", "sslrootcert": "/etc/golf/root.crt"}
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    code = (
        "import json; from django.db import connection;"
        "print(json.dumps(connection.get_connection_params(), default=str))"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup(); {code}"],
        cwd=ROOT,
        env=clean_environment(
            GOLF_DATA_DIR=str(tmp_path),
            DATABASE_URL=f"postgresql://golf@db/golf?{query}",
            DJANGO_SETTINGS_MODULE="golfsite.settings",
        ),
        capture_output=True,
        text=True,
        check=True,
    )
    parameters = json.loads(outcome.stdout)
    assert {name: parameters.get(name) for name in asked} == asked
    assert "lock_timeout" in parameters["options"]
