"""The harness itself: a skip can be made a failure, rows have no order by luck, servers end."""

import psycopg
import pytest
import redis
from django.db import connection
from django.db.models import Count

from games.models import Player
from tests.harness.databases import PostgreSQL
from tests.harness.processes import (
    ROOT,
    Program,
    StartError,
    accepts_connections,
    find_program,
    free_port,
)
from tournaments.models import Season


@pytest.fixture
def pytester(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return pytester


@pytest.fixture
def sample(pytester):
    pytester.makepyfile(
        """
        import pytest

        def test_runs():
            pass

        @pytest.mark.skip(reason="nothing here")
        def test_skips():
            pass

        def test_skips_inside():
            pytest.skip("not found")

        @pytest.mark.xfail(reason="known")
        def test_fails_as_expected():
            assert False
        """
    )
    return pytester


ARGUMENTS = (
    *("-p", "tests.harness.strict"),
    *("-p", "no:django", "-p", "no:asyncio", "-p", "no:cacheprovider"),
)


def test_skips_are_allowed_by_default(sample, monkeypatch):
    monkeypatch.delenv("GOLF_REQUIRE_ALL", raising=False)
    outcome = sample.runpytest_subprocess(*ARGUMENTS)
    assert outcome.parseoutcomes() == {"passed": 1, "skipped": 2, "xfailed": 1}
    assert outcome.ret == 0


@pytest.mark.parametrize("by", ["option", "variable"])
def test_under_the_switch_a_skip_is_a_failure(sample, monkeypatch, by):
    monkeypatch.setenv("GOLF_REQUIRE_ALL", "1" if by == "variable" else "0")
    outcome = sample.runpytest_subprocess(
        *ARGUMENTS, *(["--require-all"] if by == "option" else [])
    )
    assert outcome.parseoutcomes() == {"passed": 1, "failed": 2, "errors": 1}
    assert outcome.ret == 1
    outcome.stdout.fnmatch_lines(
        [
            "*nothing may be skipped in this run: Skipped: nothing here",
            "*nothing may be skipped in this run: Skipped: not found",
            "*nothing may be skipped in this run: known",
        ]
    )


def test_under_the_switch_a_skipped_module_is_a_failure(pytester):
    pytester.makepyfile("import pytest; pytest.skip('no such program', allow_module_level=True)")
    outcome = pytester.runpytest_subprocess(*ARGUMENTS, "--require-all")
    assert outcome.ret == 2
    outcome.stdout.fnmatch_lines(["*nothing may be skipped in this run: Skipped: no such program"])


@pytest.mark.parametrize("caught", ["KeyError", "BaseException"])
def test_a_run_that_is_told_to_stop_runs_no_further_test(pytester, caught):
    pytester.makepyfile(
        f"""
        import os, pathlib, signal, pytest

        @pytest.fixture(scope="session")
        def server():
            yield
            pathlib.Path("ended").touch()

        def test_first(server):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            except {caught}:
                pass

        def test_second():
            pathlib.Path("went-on").touch()
        """
    )
    outcome = pytester.runpytest_subprocess(*ARGUMENTS, "-p", "tests.harness.ending")
    assert outcome.ret != 0
    assert sorted(path.name for path in pytester.path.glob("[ew]*")) == ["ended"]


@pytest.mark.django_db
def test_a_query_that_leaves_its_models_order_out_is_an_error():
    seasons = Season.objects.annotate(count=Count("tournaments"))
    with pytest.raises(AssertionError, match=r"the order of tournaments\.Season is left out"):
        list(seasons)
    assert list(seasons.order_by("-starts_on")) == list(seasons.order_by()) == []
    assert seasons.count() == 0


@pytest.mark.django_db
def test_rows_without_an_order_come_backwards_from_sqlite():
    names = ["Ann", "Ben", "Cid"]
    Player.objects.bulk_create(Player(username=name, name=name) for name in names)
    rows = list(Player.objects.order_by().values_list("name", flat=True))
    if connection.vendor != "sqlite":
        rows.sort(reverse=True)  # there any order will do
    assert rows == names[::-1]


def test_a_program_that_ends_at_once_is_reported_with_its_output(tmp_path):
    program = Program(
        ["/bin/sh", "-c", "echo no such deal; exit 3"],
        log=tmp_path / "log",
        answers=lambda: False,
    )
    with pytest.raises(StartError, match="no such deal"):
        program.start()
    assert not program.running


def test_a_program_that_does_not_answer_is_ended(tmp_path):
    program = Program(
        ["/bin/sh", "-c", "exec sleep 60"], log=tmp_path / "log", answers=lambda: False, timeout=0.2
    )
    with pytest.raises(StartError, match="did not answer"):
        program.start()
    assert not program.running


def test_postgresql_syncs_to_disk_and_gives_each_test_a_new_database(postgresql_url, postgresql):
    with psycopg.connect(postgresql_url, autocommit=True) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
    names = {postgresql.new_database() for _ in range(3)}
    assert len(names) == 3


def test_a_stopped_postgresql_leaves_no_process_and_no_folder():
    if (initdb := find_program("initdb")) is None:
        pytest.skip("PostgreSQL is not installed: no initdb found")
    server = PostgreSQL(initdb=initdb, postgres=find_program("postgres") or "")
    server.start()
    # A connection that is still open does not hold up the end.
    with psycopg.connect(server.url()):
        server.stop()
    assert not accepts_connections(server.port)
    assert not server.folder.exists()


def test_redis_is_empty_at_first(redis_url):
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("a", "b")


def test_redis_is_empty_again(redis_url):
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0


def test_a_free_port_is_outside_the_range_of_outgoing_connections():
    port = free_port()
    assert 20_000 <= port < 32_000
    assert not accepts_connections(port)


class TestBrowser:
    def test_a_page_is_shown(self, page):
        page.set_content("<h1>Golf</h1>")
        assert page.locator("h1").inner_text() == "Golf"

    def test_each_page_has_the_size_and_language_it_was_given(self, new_page):
        page = new_page(width=320, height=640, locale="fi", color_scheme="dark")
        seen = page.evaluate(
            "[innerWidth, navigator.language, matchMedia('(prefers-color-scheme: dark)').matches]"
        )
        assert seen == [320, "fi", True]

    def test_an_allowed_error_passes(self, new_page):
        page = new_page(allow_errors=["^expected"])
        page.evaluate("console.error('expected: the server is away')")


def test_an_error_on_the_console_fails_the_test(pytester):
    if find_program("chromium", "chromium-browser", "google-chrome") is None:
        pytest.skip("Chromium is not installed")
    pytester.makepyfile(
        """
        def test_page(page):
            page.evaluate("console.error('something broke')")

        def test_script(page):
            page.set_content("<p>here</p>")
            page.evaluate("setTimeout(() => { throw new Error('thrown') })")
            page.wait_for_timeout(100)
        """
    )
    outcome = pytester.runpytest_subprocess(*ARGUMENTS, "-p", "tests.harness.browsers")
    assert outcome.parseoutcomes() == {"passed": 2, "errors": 2}
    outcome.stdout.fnmatch_lines(["*something broke*", "*thrown*"])
