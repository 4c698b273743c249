#!/bin/sh
# setup.sh base|dev: make .venv hold what requirements/base.txt or dev.txt lock. Where it already
# does, nothing happens, and quickly: `make serve` comes through here each time.
#
# .venv/installed-base.txt and installed-dev.txt are copies of what was installed. They are written
# last, so that an interrupted build counts as none.
set -eu
cd "$(dirname "$0")/.."
wanted=$1
asked=${PYTHON:-}

supported() { # prints the version of a Python that can build .venv; else says why not, and fails
    "$1" -c '
import sys
if sys.version_info < (3, 11):
    sys.exit("is Python %d.%d" % sys.version_info[:2])
try:
    import ensurepip, venv
except ImportError:
    sys.exit("has no venv module (Debian: install python3-venv)")
print("%d.%d" % sys.version_info[:2])
' 2>&1
}

first_line() { # what a version manager says of a Python that it does not have is longer
    printf '%s\n' "$1" | head -n 1
}

if [ -n "$asked" ]; then
    if ! command -v "$asked" >/dev/null 2>&1; then
        echo "Golf needs Python 3.11 or newer with venv: there is no $asked." >&2
        exit 1
    fi
    if ! version=$(supported "$asked"); then
        echo "Golf needs Python 3.11 or newer with venv: $asked $(first_line "$version")." >&2
        exit 1
    fi
fi

current=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || current=
if [ -n "$current" ] && [ "${version:-$current}" = "$current" ] &&
    cmp -s "requirements/$wanted.txt" ".venv/installed-$wanted.txt"; then
    exit 0
fi

python=$asked
reason="found none"
if [ -z "$python" ]; then
    for candidate in python3.13 python3.12 python3.11 python3; do
        command -v "$candidate" >/dev/null 2>&1 || continue
        if why=$(supported "$candidate"); then
            python=$candidate
            break
        fi
        reason="$candidate $(first_line "$why")"
    done
fi
if [ -z "$python" ]; then
    echo "Golf needs Python 3.11 or newer with venv: $reason. Name one: make PYTHON=…" >&2
    exit 1
fi
exec "$python" requirements/build_venv.py "$wanted"
