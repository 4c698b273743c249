"""Build .venv with this Python from a locked list of packages; `setup.sh` says when.

Two builds at once would spoil each other: the second waits for the first and finds it done.
"""

import contextlib
import fcntl
import filecmp
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LISTS = ROOT / "requirements"
#: Whoever installs dev.txt has base.txt too.
HOLDS = {"base": ("base",), "dev": ("base", "dev")}


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Wait until no other build of this folder runs; a killed one holds nothing up."""
    folder = os.open(LISTS, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _stamp(name: str) -> Path:
    return VENV / f"installed-{name}.txt"


def _installed(name: str) -> bool:
    """Return whether .venv holds exactly what `name`.txt lists now, for this Python."""
    stamp, listed = _stamp(name), LISTS / f"{name}.txt"
    return stamp.exists() and filecmp.cmp(stamp, listed, shallow=False) and _same_python()


def _same_python() -> bool:
    asked = "import sys; print(sys.version_info[:2])"
    with contextlib.suppress(OSError):
        answer = subprocess.run(
            [VENV / "bin" / "python", "-c", asked], capture_output=True, text=True, check=False
        )
        return answer.stdout.strip() == str(sys.version_info[:2])
    return False


def _build(wanted: str) -> None:
    if not _installed("base") or _stamp(wanted).exists():
        # Packages that an old list asked for must not stay, nor half of a build.
        if VENV.is_symlink():
            VENV.unlink()
        shutil.rmtree(VENV, ignore_errors=True)
        venv.create(VENV, with_pip=True, symlinks=True)
    for name in HOLDS[wanted]:
        _stamp(name).unlink(missing_ok=True)
    subprocess.run(
        [
            VENV / "bin" / "python", "-m", "pip", "install", "-qq",
            "--disable-pip-version-check", "--no-input", "--require-hashes",
            "--requirement", LISTS / f"{wanted}.txt",
        ],
        check=True,
    )  # fmt: skip
    for name in HOLDS[wanted]:
        whole = _stamp(f"{name}-part")
        shutil.copyfile(LISTS / f"{name}.txt", whole)
        whole.rename(_stamp(name))


def main(wanted: str) -> int:
    """Build .venv so that it holds `wanted` ("base" or "dev"); return the exit status."""
    with _alone():
        if _installed(wanted):
            return 0
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        print(f"Building .venv with Python {version}; this takes a minute, once.", flush=True)  # noqa: T201
        try:
            _build(wanted)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.stderr.write(f"The packages could not be installed: {error}\n")
            return 1
        except KeyboardInterrupt:
            return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
