"""Static files as a browser gets them: named by content, kept for years, compressed, collected."""

import gzip
import json
import re
import subprocess
import sys

import pytest

from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT

_CODE = """
import asyncio, json, sys
from pathlib import Path
from golfsite.asgi import pages
from django.contrib.staticfiles.storage import staticfiles_storage

async def get(path, **headers):
    sent = []
    scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
        "query_string": b"", "root_path": "", "headers": [(b"host", b"localhost"),
        *((name.replace("_", "-").encode(), value.encode()) for name, value in headers.items())]}
    waits = asyncio.Queue()
    await waits.put({"type": "http.request", "body": b"", "more_body": False})
    async def send(message):
        sent.append(message)
    await pages(scope, waits.get, send)
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return [sent[0]["status"], {k.decode().lower(): v.decode() for k, v in sent[0]["headers"]},
        body.hex()]

async def main():
    answers = {}
    for name in ("js/board/main.js", "css/base.css", "favicon.svg"):
        url = staticfiles_storage.url(name)
        answers[name] = [url, await get(url), await get(url, accept_encoding="gzip, br")]
    answers["plain"] = await get("/static/css/base.css")
    # Another version of the site collects into the same folder, while this one serves.
    for name in ("css/later.0123456789ab.css", "css/later.css"):
        (Path(staticfiles_storage.location) / name).write_text("p { margin: 1px }")
    for name in (
        "css/later.0123456789ab.css", "css/later.css", "css/never.0123456789ab.css",
        "staticfiles.json", "../data/secret.0123456789ab.txt",
    ):
        answers[name] = await get(f"/static/{name}")
    print(json.dumps(answers))

asyncio.run(main())
"""


def environment(tmp_path, **variables):
    return clean_environment(
        GOLF_DATA_DIR=str(tmp_path / "data"),
        GOLF_STATIC_ROOT=str(tmp_path / "static"),
        GOLF_SECRET_KEY="k" * 50,
        **variables,
    )


def run(tmp_path, *arguments, **variables):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment(tmp_path, **variables),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("static-files")
    (folder / "data").mkdir()
    (folder / "data" / "secret.0123456789ab.txt").write_text("a secret")
    return json.loads(run(folder, "-c", _CODE))


@pytest.mark.parametrize("name", ["js/board/main.js", "css/base.css", "favicon.svg"])
def test_a_file_is_named_by_its_content_and_kept_for_years(answers, name):
    url, (status, headers, body), _ = answers[name]
    stem, suffix = name.rsplit(".", 1)
    assert re.fullmatch(rf"/static/{re.escape(stem)}\.[0-9a-f]{{12}}\.{suffix}", url)
    assert status == 200
    age = int(re.search(r"max-age=(\d+)", headers["cache-control"])[1])
    assert age >= 365 * 24 * 60 * 60
    assert "immutable" in headers["cache-control"]
    assert "public" in headers["cache-control"]
    assert headers["x-content-type-options"] == "nosniff"
    if suffix != "js":  # whose imports are rewritten
        assert bytes.fromhex(body) == (ROOT / "static" / name).read_bytes()


@pytest.mark.parametrize("name", ["js/board/main.js", "css/base.css"])
def test_it_is_sent_compressed_to_whoever_understands_it(answers, name):
    _, (_, plain, body), (_, packed, sent) = answers[name]
    assert "content-encoding" not in plain
    assert packed["content-encoding"] == "gzip"
    assert "accept-encoding" in packed["vary"].lower()
    assert gzip.decompress(bytes.fromhex(sent)) == bytes.fromhex(body)
    assert len(sent) < len(body) * 0.6


def test_modules_import_each_other_by_the_names_they_are_served_under(answers):
    script = bytes.fromhex(answers["js/board/main.js"][1][2]).decode()
    imported = re.findall(r'from "([^"]+)"', script)
    assert len(imported) > 5
    assert all(re.search(r"\.[0-9a-f]{12}\.js$", name) for name in imported)
    source = (ROOT / "static/js/board/main.js").read_text()
    assert re.sub(r"\.[0-9a-f]{12}\.js", ".js", script) == source


def test_the_name_without_a_hash_is_not_served(answers):
    assert answers["plain"][0] == 404


def test_what_another_version_has_collected_is_served_too(answers):
    status, headers, body = answers["css/later.0123456789ab.css"]
    assert (status, bytes.fromhex(body)) == (200, b"p { margin: 1px }")
    assert headers["content-type"].startswith("text/css")
    others = ("css/later.css", "css/never.0123456789ab.css", "staticfiles.json")
    assert [answers[name][0] for name in others] == [404] * 3


def test_nothing_but_static_files_is(answers):
    assert answers["../data/secret.0123456789ab.txt"][0] == 404


_COLLECT = "import django; django.setup(); from golfsite import static_files as s; s.collect()"
#: The same where nothing may be collected; prints the seconds of processor time that it took.
_COLLECT_NOTHING = """
import time, django
django.setup()
from golfsite import static_files
static_files.call_command = None
began = time.process_time()
static_files.collect()
print(time.process_time() - began)
"""
_ENV = {"DJANGO_SETTINGS_MODULE": "golfsite.settings"}


def test_nothing_is_collected_twice(tmp_path):
    run(tmp_path, "manage.py", "collectstatic", "--no-input", "--verbosity", "0")
    manifest = tmp_path / "static" / "staticfiles.json"
    written = manifest.stat().st_mtime_ns
    for path in (tmp_path / "static").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    # It takes a twentieth of a second; on the clock it takes what others leave of the machine.
    assert float(run(tmp_path, "-c", _COLLECT_NOTHING, **_ENV)) < 1
    assert manifest.stat().st_mtime_ns == written
    assert not (tmp_path / "static" / "collect.lock").exists()


def test_what_has_changed_is_collected_again(tmp_path):
    run(tmp_path, "-c", _COLLECT, **_ENV)
    folder = tmp_path / "static"
    manifest = (folder / "staticfiles.json").read_text()
    (folder / "sources.txt").write_text("the sources of another version")
    (folder / "staticfiles.json").write_text("{}")
    run(tmp_path, "-c", _COLLECT, **_ENV)
    paths = json.loads((folder / "staticfiles.json").read_text())["paths"]
    assert paths == json.loads(manifest)["paths"]
    assert (folder / "sources.txt").read_text() != "the sources of another version"


def test_several_servers_that_start_together_collect_once(tmp_path):
    started = [
        subprocess.Popen(
            [sys.executable, "-c", _COLLECT + "; print(len(s.staticfiles_storage.hashed_files))"],
            cwd=ROOT,
            env=environment(tmp_path, **_ENV),
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    known = [process.communicate(timeout=60)[0] for process in started]
    assert [process.returncode for process in started] == [0] * 4
    assert len(set(known)) == 1
    assert int(known[0]) > 20


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "static").write_text("a file")
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", "--no-demo", "--port", "0"],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"CommandError: The static files cannot be written to {tmp_path / 'static'} "
        "(Not a directory). Set GOLF_STATIC_ROOT to a folder that can."
    )
