"""The real site as the other tests start it: alone, several at once, killed and started again."""

import json

import pytest

from tests.harness.processes import StartError, wait_until
from tests.harness.site import answers


def count_players(site):
    """Return how many players the site's database holds."""
    code = "from games.models import Player; print(Player.objects.count())"
    return int(site.manage("shell", "--verbosity", "0", "--command", code).stdout)


def test_a_killed_site_starts_again_at_its_address_with_its_data(serve):
    site = serve()
    code = "from games.services import create_guest; create_guest(name='Aino')"
    site.manage("shell", "--verbosity", "0", "--command", code)
    site.kill()
    assert not answers(site.url)
    site.start_again()
    assert answers(site.url)
    assert count_players(site) == 1


def test_each_site_has_a_database_of_its_own(serve):
    one, other = serve(), serve()
    code = "from games.services import create_guest; create_guest(name='Aino')"
    one.manage("shell", "--verbosity", "0", "--command", code)
    assert (count_players(one), count_players(other)) == (1, 0)


def test_several_processes_share_postgresql_and_redis(serve):
    site = serve(database="postgresql", processes=2)
    assert len(set(site.urls)) == 2
    assert all(answers(url) for url in site.urls)
    site.kill(1)
    assert [answers(url) for url in site.urls] == [True, False]
    site.start_again(1)
    assert [answers(url) for url in site.urls] == [True, True]


def test_one_process_serves_from_postgresql(serve):
    site = serve(database="postgresql")
    assert site.env["DATABASE_URL"].startswith("postgresql://")
    assert answers(site.url)
    assert site.terminate() == 0
    assert "Traceback" not in site.log()


def test_variables_reach_the_site(serve):
    site = serve(start=False, GOLF_SOCKET_RATE="7")
    code = "import json; from django.conf import settings; print(json.dumps(settings.SOCKET_RATE))"
    assert json.loads(site.manage("shell", "--verbosity", "0", "--command", code).stdout) == 7.0


def test_a_command_that_fails_is_reported_with_what_it_said(serve):
    site = serve(start=False)
    with pytest.raises(StartError, match="There is no port -1"):
        site.manage("serve", "--port", "-1")
    assert site.manage("serve", "--port", "-1", check=False).returncode == 1


def test_no_process_is_left_behind(serve):
    site = serve(database="postgresql", processes=2)
    site.stop()
    wait_until(lambda: not any(answers(url) for url in site.urls), what="the end")
