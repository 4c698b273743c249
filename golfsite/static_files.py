"""Scripts, styles and pictures as browsers get them: named by their content, compressed, for ever.

A page may then say `css/base.3f2a….css` and be sure what is in it; browsers keep it for years.
Nobody has to collect by hand: whoever starts the site calls `collect`, which does nothing where
nothing has changed. An image does it when it is built (`manage.py collectstatic`).
"""

import contextlib
import fcntl
import hashlib
import importlib.metadata
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage, staticfiles_storage
from django.core.management import call_command
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from servestatic.middleware import ServeStaticMiddleware
from servestatic.storage import CompressedManifestStaticFilesStorage
from servestatic.utils import run_async_in_thread

#: What turns the sources into what is served; another version of it may do so differently.
_TOOLS = ("Django", "servestatic")
_FINGERPRINT = "sources.txt"
#: How Django names a file by its content.
_NAMED_BY_CONTENT: Final = re.compile(r"\.[0-9a-f]{12}\.\w+$")


class StaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Files named by their content, with a compressed copy beside each, modules' imports too."""

    support_js_module_import_aggregation = True

    def load_manifest(self) -> tuple[dict[str, str], str]:
        """Read the manifest; one that somebody was killed over counts as none."""
        try:
            manifest: tuple[dict[str, str], str] = super().load_manifest()
        except ValueError:
            return {}, ""
        return manifest

    def post_process(self, *args: Any, **options: Any) -> Iterator[tuple[str, str | None, bool]]:
        """Do as Django does, then note what it was made of."""
        yield from super().post_process(*args, **options)
        if not options.get("dry_run"):
            (Path(self.location) / _FINGERPRINT).write_text(_fingerprint())


class StaticFilesMiddleware(ServeStaticMiddleware):
    """Hands out what this version has collected, and what those before and after it have.

    While an update goes on, a page that one process has made asks another for its scripts.
    """

    async def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, or hand on what is no file."""
        path = request.path_info
        if path not in self.files and _NAMED_BY_CONTENT.search(path):
            found = await run_async_in_thread(self.find_file, path)
            if found is not None:
                self.files[path] = found
        return await super().__call__(request)


def collect() -> None:
    """Bring the served files in line with their sources; quick where they are.

    Does nothing where the sources themselves are served (debug, tests). What running servers may
    still hand out is left in place. Raises `OSError` when the folder cannot be written to.
    """
    if not isinstance(staticfiles_storage, ManifestStaticFilesStorage):
        return
    folder = Path(settings.STATIC_ROOT)
    wanted = _fingerprint()
    if _collected(folder) == wanted:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        if _collected(folder) != wanted:  # another process was faster
            call_command("collectstatic", interactive=False, verbosity=0)
    # Whoever has looked at the manifest before has an old one.
    manifest: Any = staticfiles_storage.load_manifest()
    staticfiles_storage.hashed_files = manifest[0]


def _collected(folder: Path) -> str | None:
    """Return the fingerprint of the sources that the served files were made of."""
    try:
        return (folder / _FINGERPRINT).read_text()
    except FileNotFoundError:
        return None


def _fingerprint() -> str:
    """Return a hash of every source: what is in it counts, not when it was written."""
    digest = hashlib.sha256()
    for tool in _TOOLS:
        digest.update(f"{tool} {importlib.metadata.version(tool)}\n".encode())
    sources = [
        (name, Path(storage.path(name)))
        for finder in finders.get_finders()
        for name, storage in finder.list(None)
    ]
    for name, path in sorted(sources):
        content = path.read_bytes()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process collects into the folder, and keep them waiting."""
    with (folder / "collect.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
