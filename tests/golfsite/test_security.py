"""What the answers and cookies of the site allow, at home and in production."""

import json
import subprocess
import sys

import pytest
from django.test import Client

from games.models import Player
from golfsite.headers import PERMISSIONS_POLICY
from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT
from tests.tournaments.factories import new_club
from tournaments.models import Club

OVERRIDE = "Spring\N{RIGHT-TO-LEFT OVERRIDE}eniN"

_CODE = """
import json
import django
django.setup()
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)
client = Client(SERVER_NAME="golf.example")
plain = client.get("/log-in/")
client.post("/language/", {"language": "en"}, secure=True)
client.post("/guest/", {"name": "Aino"}, secure=True)
page = client.get("/", secure=True)
print(json.dumps({
    "redirect": [plain.status_code, plain["Location"]],
    "headers": dict(page.headers.items()),
    "cookies": {name: {key: cookie[key] for key in ("secure", "httponly", "samesite")}
        for name, cookie in client.cookies.items()},
}))
"""


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What a site over HTTPS answers."""
    folder = tmp_path_factory.mktemp("production")
    done = subprocess.run(
        [sys.executable, "-c", _CODE],
        cwd=ROOT,
        env=clean_environment(
            GOLF_HTTPS="1",
            GOLF_HOSTS="golf.example",
            GOLF_SECRET_KEY="k" * 60,
            GOLF_DATA_DIR=str(folder),
            GOLF_STATIC_ROOT=str(folder / "static"),
            DATABASE_URL=f"sqlite:///{folder}/golf.sqlite3",
        )
        | {"DJANGO_SETTINGS_MODULE": "golfsite.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, dict[str, str]] = json.loads(done.stdout)
    return answers


class TestInProduction:
    def test_plain_http_is_turned_away(self, production: dict[str, dict[str, str]]) -> None:
        assert production["redirect"] == [301, "https://golf.example/log-in/"]

    def test_browsers_come_back_over_https_only(
        self, production: dict[str, dict[str, str]]
    ) -> None:
        assert production["headers"]["Strict-Transport-Security"] == (
            "max-age=31536000; includeSubDomains; preload"
        )

    def test_cookies_stay_between_the_browser_and_the_site(
        self, production: dict[str, dict[str, str]]
    ) -> None:
        kept = {"secure": True, "httponly": True, "samesite": "Lax"}
        names = {"sessionid", "csrftoken", "django_language"}
        assert production["cookies"] == dict.fromkeys(names, kept)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/rules/", "/nothing/", "/admin/login/"])
def test_every_answer_is_guarded(client: Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Permissions-Policy"] == PERMISSIONS_POLICY
    policy = dict(
        directive.strip().partition(" ")[::2]
        for directive in headers["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["form-action"] == "'self'"


def test_what_is_denied() -> None:
    denied = PERMISSIONS_POLICY.split(", ")
    assert {"camera=()", "microphone=()", "geolocation=()"} <= set(denied)
    assert not any(policy.startswith(("clipboard", "web-share")) for policy in denied)


@pytest.mark.django_db
class TestNames:
    """A mark that turns the direction of text could disguise a line of a list."""

    @pytest.fixture
    def director(self, admin_client: Client) -> Client:
        return admin_client

    def test_of_clubs(self, director: Client) -> None:
        club = new_club(name="Spring")
        fields = {
            "name": OVERRIDE,
            "slug": "spring",
            "about": "",
            "time_zone": "Europe/Sofia",
            "rules": "E",
            "joining": "link",
        }
        for path in ("add/", f"{club.pk}/change/"):
            page = director.post(f"/admin/tournaments/club/{path}", fields)
            assert page.status_code == 200
            assert "marks that turn the direction of text" in page.content.decode()
        assert list(Club.objects.values_list("name", flat=True)) == ["Spring"]
        fields["name"] = "Spring"
        assert director.post("/admin/tournaments/club/add/", fields).status_code == 302

    def test_of_players(self, director: Client) -> None:
        fields = {
            "username": "aino",
            "name": OVERRIDE,
            "usable_password": "true",
            "password1": "a pass for the tests",
            "password2": "a pass for the tests",
        }
        page = director.post("/admin/games/player/add/", fields)
        assert page.status_code == 200
        assert "marks that turn the direction of text" in page.content.decode()
        assert not Player.objects.filter(username="aino").exists()
        fields["name"] = "Aino"
        assert director.post("/admin/games/player/add/", fields).status_code == 302
        assert Player.objects.filter(username="aino").exists()
