"""Whatever is not written here is listed with its licence, version and hash, and is what it says.

Everything else under static/ is the site's own: small, readable, unminified text.
"""

import hashlib
import re
import tomllib

import pytest

from tests.harness.processes import ROOT

STATIC = ROOT / "static"
VENDOR = STATIC / "vendor"
LIST = VENDOR / "VENDORED.toml"
#: What gives away somebody else's work in a file of ours.
FOREIGN = re.compile(
    rb"@licen[cs]e|@preserve|copyright|sourceMappingURL|MIT License", re.IGNORECASE
)


def problems(vendor, listed):
    """Return what is wrong with the folder of vendored files, given the list of them."""
    found = []
    known = {vendor / "VENDORED.toml"}
    for entry in listed:
        folder = vendor / entry["name"]
        missing = {"version", "licence", "licence_file", "source", "files"} - set(entry)
        if missing or not entry["files"]:
            found.append(f"{entry['name']}: incomplete")
            continue
        licence = folder / entry["licence_file"]
        if not licence.is_file() or not licence.read_bytes().strip():
            found.append(f"{entry['name']}: no licence")
        known.add(licence)
        for name, expected in entry["files"].items():
            path = folder / name
            known.add(path)
            if not path.is_file():
                found.append(f"{entry['name']}/{name}: missing")
            elif hashlib.sha256(path.read_bytes()).hexdigest() != expected:
                found.append(f"{entry['name']}/{name}: changed")
    strangers = {path for path in vendor.rglob("*") if path.is_file()} - known
    return found + [f"{path.relative_to(vendor)}: not listed" for path in sorted(strangers)]


def test_what_is_vendored_is_what_the_list_says():
    assert problems(VENDOR, tomllib.loads(LIST.read_text())["vendored"]) == []


def test_nothing_else_under_static_is_somebody_elses():
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    ours = [path for path in files if VENDOR not in path.parents]
    assert STATIC / "css" / "base.css" in ours
    for path in ours:
        content = path.read_bytes()
        assert path.suffix in {".css", ".js", ".svg"}, path
        assert FOREIGN.search(content) is None, path
        assert max(map(len, content.splitlines())) < 600, f"{path} is minified"


@pytest.fixture
def vendor(tmp_path):
    folder = tmp_path / "thing"
    folder.mkdir()
    (folder / "thing.js").write_text("export {};\n")
    (folder / "LICENSE").write_text("Do as you like.\n")
    return tmp_path


def entry(**changes):
    return {
        "name": "thing",
        "version": "1.0",
        "licence": "MIT",
        "licence_file": "LICENSE",
        "source": "https://thing.example",
        "files": {"thing.js": hashlib.sha256(b"export {};\n").hexdigest()},
        **changes,
    }


def test_a_good_list_passes(vendor):
    assert problems(vendor, [entry()]) == []


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ([], ["thing/LICENSE: not listed", "thing/thing.js: not listed"]),
        ([entry(files={"thing.js": "0" * 64})], ["thing/thing.js: changed"]),
        (
            [entry(files={"other.js": "0" * 64})],
            ["thing/other.js: missing", "thing/thing.js: not listed"],
        ),
        ([entry(licence_file="COPYING")], ["thing: no licence", "thing/LICENSE: not listed"]),
        (
            [entry(files={})],
            ["thing: incomplete", "thing/LICENSE: not listed", "thing/thing.js: not listed"],
        ),
    ],
)
def test_what_the_check_finds(vendor, listed, found):
    assert problems(vendor, listed) == found
