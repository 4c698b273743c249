"""The demo: made once, kept up to date, only on the embedded site."""

import stat
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from games.models import Player
from tournaments import services
from tournaments.demo import create_demo
from tournaments.models import Club, Hole, Tournament

from .factories import let_time_pass, new_club

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedded(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    settings.DATABASE_URL = ""


def test_a_newcomer_finds_a_club_an_open_tournament_and_three_logins() -> None:
    info = create_demo()
    tournament = Tournament.objects.get()
    assert (info.created, info.slug, info.path) == (
        True,
        "demo-nine-holes",
        "/tournaments/demo-nine-holes/",
    )
    assert tournament.phase(timezone.now()) == Tournament.Phase.OPEN
    assert (tournament.closes_at - timezone.now()).days in (29, 30)
    assert Hole.objects.count() == 9
    assert [(login.username, login.is_director) for login in info.logins] == [
        ("director", True),
        ("alex", False),
        ("robin", False),
    ]
    for login in info.logins:
        player = Player.objects.get(username=login.username)
        assert player.check_password(login.password)
        assert (player.is_staff, player.is_superuser) == (login.is_director, login.is_director)
    members = Club.objects.get().memberships.values_list("player__username", "role")
    assert dict(members) == {"director": "owner", "alex": "member", "robin": "member"}


def test_a_second_start_makes_nothing_and_tells_the_same() -> None:
    first = create_demo()
    second = create_demo()
    assert (second.created, second.slug, second.logins) == (False, first.slug, first.logins)
    assert (Club.objects.count(), Tournament.objects.count(), Player.objects.count()) == (1, 1, 3)


def test_the_password_is_drawn_for_each_site_and_kept_for_its_owner(
    settings: Any, tmp_path: Path
) -> None:
    first = create_demo().logins[0].password
    file = tmp_path / "demo_password"
    assert file.read_text() == f"{first}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    settings.DATA_DIR = tmp_path / "other"
    settings.DATA_DIR.mkdir()
    assert create_demo().logins[0].password != first


def test_a_changed_login_is_left_alone() -> None:
    create_demo()
    director = Player.objects.get(username="director")
    director.set_password("another one, chosen by hand")
    director.save()
    create_demo()
    director.refresh_from_db()
    assert director.check_password("another one, chosen by hand")


def test_when_the_tournament_is_over_there_is_a_next_one() -> None:
    create_demo()
    let_time_pass(Tournament.objects.get())
    services.close_due(now=timezone.now())
    info = create_demo()
    assert (info.created, info.slug) == (True, "demo-nine-holes-2")
    assert Tournament.objects.count() == 2


def test_a_site_with_clubs_of_its_own_is_left_alone() -> None:
    new_club()
    info = create_demo()
    assert (info.created, info.slug, info.path, info.logins) == (False, None, None, ())
    assert (Tournament.objects.count(), Player.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("DATABASE_URL", "postgresql://db/golf"), ("HTTPS", True), ("PROCESSES", 2)],
)
def test_no_other_site_gets_a_demo(settings: Any, name: str, value: Any) -> None:
    setattr(settings, name, value)
    with pytest.raises(ImproperlyConfigured, match="embedded site only"):
        create_demo()
    assert Player.objects.count() == 0
