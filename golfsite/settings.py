"""The site's settings: one file, read from the environment, safe by default.

Without any variable set the site is the embedded one: SQLite, the in-memory channel layer, one
process, plain HTTP on this computer. `docs/running.md` lists every variable.
"""

import contextlib
import os
import secrets
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from psycopg_pool import ConnectionPool


class _Environment(environ.Env):
    """Environment variables; one that cannot be read is named, so that one line says it all."""

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().get_value(var, *args, **kwargs)
        except ValueError as error:
            raise ImproperlyConfigured(f"{var} cannot be read: {error}.") from error


env = _Environment()

BASE_DIR = Path(__file__).resolve().parent.parent
#: Where the embedded site keeps what it writes: its database and its secret key.
DATA_DIR = Path(env.str("GOLF_DATA_DIR", default="") or BASE_DIR / "data").absolute()

DEBUG = env.bool("GOLF_DEBUG", default=False)
#: In production: served over TLS by a proxy that sets X-Forwarded-Proto.
HTTPS = env.bool("GOLF_HTTPS", default=False)
#: How many server processes serve this site together; the in-memory layer allows one.
PROCESSES = env.int("GOLF_PROCESSES", default=1)
#: On how many computers these processes run; SQLite and a key in a file allow one.
SERVERS = env.int("GOLF_SERVERS", default=1)
DATABASE_URL = env.str("DATABASE_URL", default="")
REDIS_URL = env.str("REDIS_URL", default="")
ALLOWED_HOSTS = env.list("GOLF_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("GOLF_TRUSTED_ORIGINS", default=[])


def _embedded_secret_key() -> str:
    """Return the key that the embedded site made for itself, making it at the first start."""
    path = DATA_DIR / "secret_key"
    key = secrets.token_urlsafe(60)  # nothing that a shell or a file of variables reads otherwise
    try:
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            # Whole or not at all, and never twice: two processes may start together.
            with tempfile.NamedTemporaryFile("w", dir=DATA_DIR) as written:
                written.write(key)
                written.flush()
                with contextlib.suppress(FileExistsError):
                    os.link(written.name, path)
        return path.read_text()
    except OSError:
        # `serve` says what is wrong with the folder; other commands get by with a passing key.
        return key


if HTTPS and not env.str("GOLF_SECRET_KEY", default=""):
    raise ImproperlyConfigured("GOLF_HTTPS needs GOLF_SECRET_KEY: a long random text.")
if HTTPS or SERVERS > 1:
    _public = "GOLF_HTTPS" if HTTPS else "GOLF_SERVERS above 1"
    if DEBUG:
        raise ImproperlyConfigured(f"{_public} refuses GOLF_DEBUG: it would show secrets.")
    if "*" in ALLOWED_HOSTS:
        raise ImproperlyConfigured(f"{_public} refuses * in GOLF_HOSTS: name the hosts.")
if PROCESSES > 1 and not REDIS_URL:
    raise ImproperlyConfigured(
        "GOLF_PROCESSES above 1 needs REDIS_URL: the in-memory layer serves one process."
    )

if SERVERS > 1:
    if SERVERS > PROCESSES:
        raise ImproperlyConfigured(
            "GOLF_SERVERS above GOLF_PROCESSES: GOLF_PROCESSES counts those of all servers."
        )
    if not DATABASE_URL.startswith(("postgresql://", "postgres://")):
        raise ImproperlyConfigured(
            "GOLF_SERVERS above 1 needs PostgreSQL in DATABASE_URL: SQLite serves one computer."
        )
    if not env.str("GOLF_SECRET_KEY", default=""):
        raise ImproperlyConfigured("GOLF_SERVERS above 1 needs GOLF_SECRET_KEY, the same on all.")

SECRET_KEY = env.str("GOLF_SECRET_KEY", default="") or _embedded_secret_key()

INSTALLED_APPS = [
    "daphne",
    "servestatic.runserver_nostatic",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "axes",
    "golfsite",
    "games",
    "tournaments",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "golfsite.static_files.StaticFilesMiddleware",
    # Pages hold no secret but the CSRF token, which is masked anew in each answer (BREACH).
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "golfsite.headers.PermissionsPolicyMiddleware",
    "golfsite.headers.FreshPagesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "golfsite.languages.PlayerLanguageMiddleware",
    "golfsite.zones.ReaderZoneMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "golfsite.tracing.NotesMiddleware",
]

ROOT_URLCONF = "golfsite.urls"
ASGI_APPLICATION = "golfsite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.debug",
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- what is stored --------------------------------------------------------------------------

#: Connections to PostgreSQL that one process may hold.
POOL_SIZE = env.int("GOLF_POOL_SIZE", default=10)
#: Database threads of one process, for all that sockets ask; the journal has one of its own.
DATABASE_THREADS = env.int("GOLF_DATABASE_THREADS", default=4)
#: Those threads and the journal's keep their connections; a page and `/readyz` borrow one each.
_POOL_AT_LEAST = DATABASE_THREADS + 3
if DATABASE_URL:
    if not DATABASE_URL.startswith(("postgresql://", "postgres://", "sqlite:///")):
        raise ImproperlyConfigured(
            "DATABASE_URL cannot be read: it is postgresql://user:password@host:port/name."
        )
    _database = env.db_url_config(DATABASE_URL)
else:
    _database = {"ENGINE": "django.db.backends.sqlite3", "NAME": DATA_DIR / "golf.sqlite3"}
if _database["ENGINE"] == "django.db.backends.sqlite3":
    _database["OPTIONS"] = {
        # A deferred transaction that turns into a writer fails with "database is locked".
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    # A database in memory belongs to one connection; the live tests share theirs between threads.
    _database["TEST"] = {"NAME": DATA_DIR / "test.sqlite3"}
else:
    if POOL_SIZE < _POOL_AT_LEAST:
        # The journal might never get one, and no move would be stored.
        raise ImproperlyConfigured(
            f"GOLF_POOL_SIZE is at least {_POOL_AT_LEAST}: GOLF_DATABASE_THREADS and 3 more."
        )
    _database["OPTIONS"] = {
        # What the address asks for, such as ?sslmode=require.
        **_database.get("OPTIONS", {}),
        # Under Daphne CONN_MAX_AGE leaks connections; the pool does not. Together the processes'
        # pools stay below the server's limit.
        "pool": {
            "min_size": 1,
            "max_size": POOL_SIZE,
            "timeout": 10,
            # An attempt to connect waits twice as long each time. To give up soon, and to look
            # whether a connection is missing, finds a server that is back within a second or two.
            "reconnect_timeout": 2,
            "reconnect_failed": ConnectionPool.check,
        },
        "options": "-c lock_timeout=2s -c statement_timeout=30s"
        " -c idle_in_transaction_session_timeout=60s",
    }
DATABASES = {"default": _database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

if REDIS_URL:
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {
                # A socket time-out would end idle subscriptions (channels_redis#422).
                "hosts": [
                    {"address": REDIS_URL, "socket_timeout": None, "socket_connect_timeout": 5}
                ],
                "prefix": env.str("GOLF_REDIS_PREFIX", default="golf"),
            },
        }
    }
else:
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels.layers.InMemoryChannelLayer",
            # By default a member is dropped from its group after a day; ours are dropped by us.
            "CONFIG": {"group_expiry": 60 * 60 * 24 * 365 * 100},
        }
    }

# --- who plays -------------------------------------------------------------------------------

AUTH_USER_MODEL = "games.Player"
AUTHENTICATION_BACKENDS = [
    "games.log_in.PlayerBackend",
    # Sessions that began before the one above was there name this one, guests' above all.
    "django.contrib.auth.backends.ModelBackend",
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
PASSWORD_RESET_TIMEOUT = 60 * 60 * 48  # a one-time link to a new password
SESSION_COOKIE_AGE = 60 * 60 * 24 * 180  # a guest is known by the session alone
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True  # forms carry the token, no script asks for it

# --- how often somebody may try ---------------------------------------------------------------

#: The site's own proxies between a visitor and this process: each adds to X-Forwarded-For.
PROXIES = env.int("GOLF_PROXIES", default=1 if HTTPS else 0)
#: Wrong passwords for one user name from one address, until both have to wait together.
LOG_IN_FAILURES = env.int("GOLF_LOG_IN_FAILURES", default=5)
#: Minutes that they wait, from the last wrong one on.
LOG_IN_WAIT = env.int("GOLF_LOG_IN_WAIT", default=15)
#: Guests and accounts that one address may make within an hour; 0 for any number.
ARRIVALS_PER_HOUR = env.int("GOLF_ARRIVALS_PER_HOUR", default=100)

if LOG_IN_FAILURES < 1 or LOG_IN_WAIT < 1:
    raise ImproperlyConfigured("GOLF_LOG_IN_FAILURES and GOLF_LOG_IN_WAIT are at least 1.")
if PROXIES < 0 or ARRIVALS_PER_HOUR < 0:
    raise ImproperlyConfigured("GOLF_PROXIES and GOLF_ARRIVALS_PER_HOUR are at least 0.")
AXES_HANDLER = "games.log_in.LogInThrottle"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "username", "ip_address"]
AXES_FAILURE_LIMIT = LOG_IN_FAILURES
AXES_COOLOFF_TIME = timedelta(minutes=LOG_IN_WAIT)
#: Whoever waits and tries all the same does not wait longer for it.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_USERNAME_FORM_FIELD = "username"
AXES_USERNAME_CALLABLE = "games.log_in.name_to_count"
AXES_CLIENT_IP_CALLABLE = "games.addresses.client_address"
AXES_LOCKOUT_CALLABLE = "games.views.locked_out"
#: Nothing is kept of a log-in that succeeds, and its pages of the admin would show nothing.
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# --- today's nine ----------------------------------------------------------------------------

#: Nine holes for everybody, new each day at midnight in TIME_ZONE, by a club of the site's own.
DAILY_NINE = env.bool("GOLF_DAILY_NINE", default=True)
DAILY_NINE_CLUB = env.str("GOLF_DAILY_NINE_CLUB", default="Golf Solitaire")

# --- the sockets -----------------------------------------------------------------------------

#: Messages that one socket may send: so many a second for ever, and so many at once.
SOCKET_RATE = env.float("GOLF_SOCKET_RATE", default=20.0)
SOCKET_BURST = env.int("GOLF_SOCKET_BURST", default=60)
#: Sockets that one player may have open in one process.
SOCKETS_PER_PLAYER = env.int("GOLF_SOCKETS_PER_PLAYER", default=12)

# --- what is read ----------------------------------------------------------------------------

LANGUAGE_CODE = "en"
#: Each by its own name, for whoever cannot read the others.
LANGUAGES = [
    ("en", "English"),
    ("bg", "Български"),
    ("fi", "Suomi"),
    ("ar", "العربية"),
    ("ru", "Русский"),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["golfsite.formats"]
LANGUAGE_COOKIE_AGE = 60 * 60 * 24 * 365
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_HTTPONLY = True
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("GOLF_TIME_ZONE", default="UTC")

STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("GOLF_STATIC_ROOT", default=str(BASE_DIR / "staticfiles")))
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        # In debug straight from the source folders, so that a change shows at once.
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "golfsite.static_files.StaticFilesStorage"
    },
}
SERVESTATIC_KEEP_ONLY_HASHED_FILES = True
SERVESTATIC_ALLOW_ALL_ORIGINS = False

# --- safety ----------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
DEFAULT_EXCEPTION_REPORTER = "golfsite.debug_pages.Reporter"
DEFAULT_EXCEPTION_REPORTER_FILTER = "golfsite.debug_pages.SecretsFilter"
SECURE_REFERRER_POLICY = "same-origin"
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    LANGUAGE_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# --- what is seen of it by whoever runs it ----------------------------------------------------

#: Who sends it may see /metrics from anywhere; without one this computer alone may.
METRICS_TOKEN = env.str("GOLF_METRICS_TOKEN", default="")
LOG_FORMAT = env.str("GOLF_LOG_FORMAT", default="text")
_FORMATTERS = {"text": "golfsite.logs.TextLines", "json": "golfsite.logs.JsonLines"}
if LOG_FORMAT not in _FORMATTERS:
    raise ImproperlyConfigured("GOLF_LOG_FORMAT is text or json.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "context": {"()": "golfsite.logs.ContextFilter"},
        "outage": {"()": "golfsite.logs.OutageFilter"},
    },
    "formatters": {"line": {"()": _FORMATTERS[LOG_FORMAT]}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["context", "outage"],
        }
    },
    # In debug it writes every statement with its values, and so the codes of the deals.
    "loggers": {"django.db.backends": {"level": "INFO"}},
    "root": {"handlers": ["stderr"], "level": env.str("GOLF_LOG_LEVEL", default="WARNING")},
}
