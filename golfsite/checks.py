"""Checks of a site that is about to serve the public: `manage.py check --deploy`.

What is unsafe beyond doubt is refused by the settings themselves; see `golfsite/settings.py`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004
from django.db import connections

_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}
#: Connections beside those of the web processes: the director's and the commands'.
_BESIDE_THE_POOLS = 8
#: Characters of a token that cannot be guessed.
_TOKEN_LENGTH = 20


@register(Tags.security, deploy=True)
def check_hosts(**kwargs: Any) -> list[CheckMessage]:
    """Visitors come by a name of the site's, and no other site may speak for it."""
    found: list[CheckMessage] = []
    if "*" in settings.ALLOWED_HOSTS:
        found.append(Error("GOLF_HOSTS admits every name: name the site's own.", id="golf.E001"))
    elif _LOOPBACK.issuperset(settings.ALLOWED_HOSTS):
        found.append(
            Warning(
                "GOLF_HOSTS names this computer only: visitors would be turned away.",
                id="golf.W002",
            )
        )
    plain = [
        origin for origin in settings.CSRF_TRUSTED_ORIGINS if not origin.startswith("https://")
    ]
    if plain:
        found.append(
            Error(
                f"GOLF_TRUSTED_ORIGINS has {', '.join(plain)}: whoever is on the line could act "
                "in a player's name. Name https:// origins only.",
                id="golf.E003",
            )
        )
    return found


@register(Tags.security, deploy=True)
def check_proxies(**kwargs: Any) -> list[CheckMessage]:
    """Visitors have addresses of their own, by which too many attempts are counted."""
    if not settings.HTTPS or settings.PROXIES:
        return []
    return [
        Warning(
            "GOLF_PROXIES is 0, but GOLF_HTTPS says that there is a proxy: all visitors would have "
            "its address, and one who guesses passwords would lock all of them out.",
            id="golf.W008",
        )
    ]


@register(Tags.security, deploy=True)
def check_metrics_token(**kwargs: Any) -> list[CheckMessage]:
    """Who may see the figures has a token that nobody guesses."""
    if not settings.METRICS_TOKEN or len(settings.METRICS_TOKEN) >= _TOKEN_LENGTH:
        return []
    return [
        Warning(
            f"GOLF_METRICS_TOKEN has less than {_TOKEN_LENGTH} characters: draw a long one.",
            id="golf.W009",
        )
    ]


@register(Tags.security, deploy=True)
def check_content_security_policy(**kwargs: Any) -> list[CheckMessage]:
    """Scripts and styles come from the site itself, never from within a page."""
    policy = getattr(settings, "CONTENT_SECURITY_POLICY", None) or {}
    directives: dict[str, Sequence[str]] = policy.get("DIRECTIVES", {})
    if not directives:
        return [Error("There is no CONTENT_SECURITY_POLICY.", id="golf.E004")]
    unsafe = [
        f"{name} {source}"
        for name, sources in directives.items()
        for source in sources
        if "unsafe" in source or source in {"*", "http:", "https:"}
    ]
    if unsafe:
        return [
            Error(f"CONTENT_SECURITY_POLICY allows {', '.join(sorted(unsafe))}.", id="golf.E005")
        ]
    return []


@register(Tags.database)
def check_connections(databases: Iterable[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """All processes' pools together fit into what the PostgreSQL server allows."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        if connection.vendor != "postgresql":
            continue
        wanted = settings.PROCESSES * settings.POOL_SIZE + _BESIDE_THE_POOLS
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT current_setting('max_connections')::int"
                " - current_setting('superuser_reserved_connections')::int"
            )
            (allowed,) = cursor.fetchone()
        if wanted > allowed:
            found.append(
                Warning(
                    f"{settings.PROCESSES} processes may want {wanted} connections, the database "
                    f"allows {allowed}: lower GOLF_POOL_SIZE or raise max_connections.",
                    id="golf.W006",
                )
            )
    return found


@register(Tags.database)
def check_sqlite_journal(
    databases: Iterable[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The SQLite file keeps a write-ahead log, which some network file systems cannot."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        if connection.vendor != "sqlite" or connection.is_in_memory_db():  # type: ignore[attr-defined]
            continue
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA journal_mode")
            (mode,) = cursor.fetchone()
        if mode != "wal":
            found.append(
                Warning(
                    f"SQLite writes in {mode} mode instead of WAL: keep GOLF_DATA_DIR on a disk "
                    "of this computer.",
                    id="golf.W007",
                )
            )
    return found
