"""The compose file, the image and the proxy: they name what exists and keep no secret."""

import importlib
import re
import secrets
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
import yaml
from django.core.management import get_commands

from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT, Program, accepts_connections, free_port, wait_until

OURS = {"web-1", "web-2", "director", "migrate"}


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


@pytest.fixture(scope="module")
def services(compose):
    return compose["services"]


def variables(text):
    """Return the variables that compose fills in, with what stands after their names."""
    return re.findall(r"\$\{(\w+)([^}]*)\}", text)


def test_the_parts_of_the_site(services):
    assert set(services) == OURS | {"proxy", "postgresql", "redis"}


def test_every_part_that_stays_comes_back_and_is_watched(services):
    for name, service in services.items():
        if name == "migrate":
            assert service["restart"] == "on-failure:3"
        else:
            assert service["restart"] == "unless-stopped", name
            check = service["healthcheck"]
            assert check["test"][0] == "CMD", name
            assert {"interval", "timeout", "retries"} <= set(check), name


def is_healthy(service, port, there):
    """Return what the health check of a service says, asked at `there` instead of `port`."""
    _, *words = service["healthcheck"]["test"]
    command = [word.replace(str(port), str(there)) for word in words]
    done = subprocess.run([sys.executable, *command[1:]], capture_output=True, check=False)
    return done.returncode == 0


def test_the_health_checks_see_who_serves_and_who_does_not(services, serve):
    site = serve()
    assert is_healthy(services["web-1"], 8000, urlsplit(site.url).port)
    assert not is_healthy(services["web-1"], 8000, free_port())


def test_the_health_check_of_the_director_sees_whether_it_looks(services, serve, tmp_path):
    site, port = serve(start=False), free_port()
    command = [sys.executable, "manage.py", "director", "--metrics-port", str(port)]
    director = Program(
        command, log=tmp_path / "director.log", answers=lambda: accepts_connections(port),
        env=site.env,
    )  # fmt: skip
    try:
        director.start()
        # It runs, but there is no database that it could look through.
        assert not is_healthy(services["director"], 9101, port)
        site.manage("migrate", "--verbosity", "0")
        wait_until(lambda: is_healthy(services["director"], 9101, port), what="a look")
    finally:
        director.stop()
    assert not is_healthy(services["director"], 9101, port)


def test_only_the_proxy_is_reachable(services):
    assert {name for name, service in services.items() if "ports" in service} == {"proxy"}


def test_nothing_waits_for_what_is_not_there(services):
    waits = {
        (name, other, how["condition"])
        for name, service in services.items()
        for other, how in service.get("depends_on", {}).items()
    }
    for _name, other, condition in waits:
        assert other in services
        if condition == "service_healthy":
            assert "healthcheck" in services[other]
    for web in ("web-1", "web-2", "director"):
        assert (web, "migrate", "service_completed_successfully") in waits


def test_no_secret_stands_in_the_file(services):
    found = []
    for service in services.values():
        for name, value in service.get("environment", {}).items():
            if re.search("SECRET|PASSWORD|KEY|TOKEN", name):
                found.append(name)
                assert re.fullmatch(r"\$\{\w+(:\?[^}]+|:-)?\}", value), name
            for password in re.findall(r"://[^:/@]+:([^@]+)@", str(value)):
                found.append("url")
                assert re.fullmatch(r"\$\{\w+(:\?[^}]+)?\}", password), name
    assert {"GOLF_SECRET_KEY", "POSTGRES_PASSWORD", "url"} <= set(found)


def test_secrets_have_no_default_and_are_asked_for():
    text = (ROOT / "docker-compose.yml").read_text()
    for secret in ("GOLF_SECRET_KEY", "GOLF_DATABASE_PASSWORD", "GOLF_DOMAIN"):
        uses = [rest for name, rest in variables(text) if name == secret]
        assert any(rest.startswith(":?") for rest in uses), secret
        assert not any(rest.startswith((":-", "-")) for rest in uses), secret


def test_every_variable_of_the_site_is_one_that_it_reads(services):
    settings = (ROOT / "golfsite" / "settings.py").read_text()
    read = set(re.findall(r"""env\.\w+\(\s*["'](\w+)["']""", settings))
    for name in OURS:
        assert set(services[name]["environment"]) <= read, name
        assert services[name]["environment"]["GOLF_HTTPS"] == "1"


def test_as_many_processes_as_there_are(services):
    webs = [name for name in services if name.startswith("web")]
    assert services["director"]["environment"]["GOLF_PROCESSES"] == str(len(webs))
    caddy = (ROOT / "deploy" / "Caddyfile").read_text()
    upstreams = re.search(r"reverse_proxy (.+) \{", caddy)[1].split()
    assert upstreams == [f"{name}:8000" for name in webs]


def test_the_commands_exist(services):
    for name in ("web-1", "web-2"):
        words = services[name]["command"].split()
        assert words[0] == "daphne"
        module, application = words[-1].split(":")
        assert callable(getattr(importlib.import_module(module), application))
        assert words[words.index("--port") + 1] == "8000"
    for name in ("director", "migrate"):
        words = services[name]["command"].split()
        assert words[:2] == ["python", "manage.py"]
        assert words[2] in get_commands()


def test_every_named_volume_is_declared(compose, services):
    used = {
        volume.split(":")[0]
        for service in services.values()
        for volume in service.get("volumes", [])
        if not volume.startswith(".")
    }
    assert used == set(compose["volumes"])


def test_every_mounted_file_exists(services):
    for service in services.values():
        for volume in service.get("volumes", []):
            if volume.startswith("."):
                assert (ROOT / volume.split(":")[0]).exists()


class TestImage:
    text = (ROOT / "Dockerfile").read_text()

    def test_it_copies_what_serving_needs_and_what_exists(self):
        copied = set(re.findall(r"^COPY (?!--from)(\S+) ", self.text, re.MULTILINE))
        assert all((ROOT / source).exists() for source in copied)
        needed = {"manage.py", "requirements/base.txt", "games", "golfsite", "tournaments"}
        needed |= {name for name in ("templates", "static", "locale") if (ROOT / name).exists()}
        assert copied == needed

    def test_packages_are_checked_and_the_server_is_not_root(self):
        assert "--require-hashes" in self.text
        assert re.search(r"^USER (?!root)\w+$", self.text, re.MULTILINE)

    def test_nothing_private_is_sent_to_the_build(self):
        ignored = (ROOT / ".dockerignore").read_text().splitlines()
        assert {".git", ".venv", "data"} <= set(ignored)


@pytest.mark.parametrize("name", ["Caddyfile", "nginx-site.conf"])
def test_both_proxies_keep_the_same_rules(name):
    text = (ROOT / "deploy" / name).read_text()
    assert re.search(r"/metrics(?: \{\s+return)? 404", text)
    assert re.search(r"max_(?:body_)?size 256k", text, re.IGNORECASE)
    assert re.search(r"X-Request-ID (?:\$request_id|\{http\.request\.uuid\})", text)
    assert re.search(r"50[234] 50[234] 50[234]", text)
    for rule in ("down.html", "Cache-Control no-store", "Retry-After 10"):
        assert rule in text


def test_every_command_of_the_documents_exists():
    for name in ("docs/running.md", "SECURITY.md", "docs/decisions/running.md"):
        named = re.findall(r"manage\.py ([a-z_]+)", (ROOT / name).read_text())
        assert set(named) - set(get_commands()) == set()
        assert named, name


def settings_of_the_documents(first):
    """Return the variables of the block in docs/running.md that begins with `first`.

    As systemd reads such a file: whatever stands behind a value belongs to it.
    """
    text = (ROOT / "docs" / "running.md").read_text()
    block = re.search(rf"^    {first}=(?:.*\n    )*.*", text, re.MULTILINE)[0]
    lines = [line.strip() for line in block.splitlines()]
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def test_the_three_servers_of_the_documents_start(tmp_path):
    drawn = secrets.token_urlsafe(60)
    written = {
        name: value.replace("…", drawn)
        for name, value in settings_of_the_documents("GOLF_HTTPS").items()
    }
    assert {"GOLF_SERVERS", "GOLF_SECRET_KEY", "DATABASE_URL", "REDIS_URL"} <= set(written)
    outcome = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env=clean_environment(GOLF_DATA_DIR=str(tmp_path)) | written,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (outcome.returncode, outcome.stderr) == (0, "")


def test_the_variables_of_one_host_are_those_that_compose_asks_for():
    text = (ROOT / "docker-compose.yml").read_text()
    needed = {name for name, rest in variables(text) if rest.startswith(":?")}
    assert set(settings_of_the_documents("GOLF_DOMAIN")) == needed
