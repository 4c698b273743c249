"""The site's own settings, away from whatever the shell or this computer's site has set.

The tests write to a folder of their own, which is gone afterwards. With GOLF_TEST_DATABASE_URL
the tests of the database run on that server instead of SQLite.
"""

import atexit
import os
import shutil
import tempfile

from tests.harness.environment import clean_environment

_data = tempfile.mkdtemp(prefix="golf-tests-")
atexit.register(shutil.rmtree, _data, ignore_errors=True)

_database_url = os.environ.get("GOLF_TEST_DATABASE_URL", "")
for _name in set(os.environ) - set(clean_environment()):
    del os.environ[_name]
os.environ["GOLF_DATA_DIR"] = _data
os.environ["GOLF_SECRET_KEY"] = "a key for tests, long enough to sign whatever they need signed"
if _database_url:
    os.environ["DATABASE_URL"] = _database_url

from golfsite.settings import *  # noqa: E402, F403
from golfsite.settings import DATABASES, STORAGES  # noqa: E402

# Each test has threads of its own, and those of a test that broke off would keep what they took
# from the pool. The servers that the live tests start have theirs.
DATABASES["default"]["OPTIONS"].pop("pool", None)

# Where eight write to one row, the last waits for seven commits, and on a busy machine that takes
# longer than a visitor should. Two that wait for each other are ended after a second all the same.
if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    DATABASES["default"]["OPTIONS"]["options"] += " -c lock_timeout=20s"

#: Passwords are hashed by the thousand here; the strength of the hash is not what is tested.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Nothing is collected here; the servers that the live tests start hand out what is.
STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
SERVESTATIC_USE_FINDERS = True

#: Only the tests of today's nine have one.
DAILY_NINE = False
