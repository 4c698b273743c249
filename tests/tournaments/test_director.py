"""The director keeps deadlines, picks up what was left over, and outlives its database."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, OperationalError
from django.utils import timezone
from psycopg.errors import DeadlockDetected, LockNotAvailable, QueryCanceled

from tests.harness.processes import wait_until
from tournaments import director, services
from tournaments.models import HoleResult, Tournament

from .factories import first_legal, let_time_pass, new_entry, new_tournament, play


@pytest.fixture
def running(transactional_db: None) -> Iterator[threading.Event]:
    """A director that looks twenty times a second."""
    stop = threading.Event()
    thread = threading.Thread(target=director.run, args=(stop,), kwargs={"interval": 0.05})
    thread.start()
    yield stop
    stop.set()
    thread.join(10)
    assert not thread.is_alive()


def is_closed(tournament: Tournament) -> bool:
    return Tournament.objects.get(pk=tournament.pk).is_revealed


def test_a_tournament_is_closed_at_its_time(running: threading.Event) -> None:
    tournament = new_tournament()
    result = services.start_hole(entry=new_entry(tournament), number=1)
    play(result.game, first_legal(result.game)[:5])
    assert not is_closed(tournament)
    let_time_pass(tournament)
    wait_until(lambda: is_closed(tournament), seconds=10, what="the close")
    result.refresh_from_db()
    assert result.is_final


def test_a_result_that_was_left_over_is_recorded(running: threading.Event) -> None:
    result = services.start_hole(entry=new_entry(new_tournament()), number=1)
    play(result.game, first_legal(result.game), announce=False)
    wait_until(
        lambda: HoleResult.objects.get().is_final, seconds=10, what="the result to be recorded"
    )


def test_it_goes_on_after_the_database_was_away(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tournament = let_time_pass(new_tournament())
    real, failures = services.record_finished, iter([OperationalError("secret"), OSError("odd")])

    def sometimes_away(**kwargs: Any) -> int:
        for failure in failures:
            raise failure
        return real(**kwargs)

    monkeypatch.setattr(services, "record_finished", sometimes_away)
    stop = threading.Event()
    thread = threading.Thread(target=director.run, args=(stop,), kwargs={"interval": 0.01})
    thread.start()
    try:
        wait_until(lambda: is_closed(tournament), seconds=10, what="the close")
    finally:
        stop.set()
        thread.join(10)
    assert caplog.messages == [
        "The director cannot work: OperationalError",
        "The director cannot record results: OSError",
    ]


@pytest.mark.django_db
def test_one_look_does_all(tournament: Tournament) -> None:
    let_time_pass(tournament)
    director.tick()
    tournament.refresh_from_db()
    assert tournament.closed_at is not None
    assert tournament.closed_at <= timezone.now()


def test_a_job_that_fails_keeps_no_other_from_being_done_and_is_told_once(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tournament = let_time_pass(new_tournament())
    looks = director.Director(threading.Event())
    failing = {
        "record_finished": OSError("odd"),
        "todays_nine": IntegrityError("a row with a secret"),
    }
    with monkeypatch.context() as patch:
        for name, error in failing.items():
            patch.setattr(services, name, mock.Mock(side_effect=error))
        for _ in range(3):
            looks.look()
    assert is_closed(tournament)
    assert caplog.messages == [
        "The director cannot record results: OSError",
        "The director cannot open the day: IntegrityError",
    ]
    assert "secret" not in caplog.text
    looks.look()  # done at last: the next failure is news
    with monkeypatch.context() as patch:
        patch.setattr(services, "record_finished", mock.Mock(side_effect=OSError("odd")))
        looks.look()
    assert caplog.messages[2:] == ["The director cannot record results: OSError"]


@pytest.mark.parametrize("reason", [LockNotAvailable, DeadlockDetected, QueryCanceled])
def test_what_the_database_would_not_do_for_one_job_keeps_no_other_from_being_done(
    reason: type[Exception],
    transactional_db: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    tournament = let_time_pass(new_tournament())
    error = OperationalError("a row with a secret")
    error.__cause__ = reason()
    monkeypatch.setattr(services, "record_finished", mock.Mock(side_effect=error))
    director.tick()
    assert is_closed(tournament)
    assert caplog.messages == ["The director cannot record results: OperationalError"]


def test_who_is_told_to_stop_begins_nothing_more(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    tournament = let_time_pass(new_tournament())

    def stops(**_: Any) -> int:
        stop.set()
        return 0

    monkeypatch.setattr(services, "record_finished", stops)
    director.Director(stop).look()
    assert not is_closed(tournament)


@pytest.mark.parametrize("interval", ["0", "-1", "3601", "nan"])
def test_a_senseless_pause_is_refused(interval: str) -> None:
    with pytest.raises(CommandError, match="--interval is a number of seconds"):
        call_command("director", "--interval", interval)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_ends_in_order(tmp_path: Path, number: signal.Signals) -> None:
    env = {
        **os.environ,
        "GOLF_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "golfsite.settings",
    }
    env.pop("DATABASE_URL", None)
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "-v0"], env=env, check=True, timeout=60)
    command = [*manage, "director", "--interval", "0.05"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=env, **pipes) as process:
        try:
            wait_until(lambda: threads_of(process.pid) == 2, seconds=20, what="the director to run")
            process.send_signal(number)
            said, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, errors) == (0, "")
    assert said == "The director looks every 0.05 s. SIGTERM or Ctrl-C ends it.\n"


def threads_of(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("Threads:")[2].split()[0])
