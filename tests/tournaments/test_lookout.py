"""Beside the director somebody looks through what is over, without being in the way."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from django.db import OperationalError
from django.utils import timezone

from games.engine import GameCode, RuleSet
from games.engine.solver import solve
from tests.harness.processes import ROOT, wait_until
from tournaments import director, services
from tournaments.lookout import Lookout
from tournaments.models import Flag, Tournament
from tournaments.services import flags

from .factories import let_time_pass, new_entry, new_tournament, play


@pytest.fixture
def lookout() -> Iterator[Lookout]:
    lookout = Lookout()
    yield lookout
    lookout.end()


def over_with_a_reader(holes: int = 9) -> Tournament:
    tournament = new_tournament(rules=RuleSet.parse("S"), holes=holes)
    entry = new_entry(tournament, "Rea")
    for hole in tournament.holes.order_by("number"):
        result = services.start_hole(entry=entry, number=hole.number)
        code = GameCode.parse(hole.deal_code)
        play(result.game, solve(code.deal(), code.rules).line)
    let_time_pass(tournament)
    services.close_due(now=timezone.now())
    return Tournament.objects.get(pk=tournament.pk)


def kill_the_process(lookout: Lookout) -> None:
    """Kill the process that looks at a round, as soon as it is asked."""
    while lookout._looker is None or not lookout._looker.is_asked:
        lookout.step()
    lookout._looker._process.kill()


@pytest.mark.django_db
class TestSteps:
    def test_all_is_looked_at_and_then_there_is_nothing_to_do(self, lookout: Lookout) -> None:
        tournament = over_with_a_reader()
        wait_until(lambda: not lookout.step(), seconds=120, what="the lookout to be done")
        assert Flag.objects.get(kind="foresight").entry.name == "Rea"
        tournament.refresh_from_db()
        assert tournament.flags_raised_at is not None
        assert lookout.step() is False

    def test_no_step_waits(self, lookout: Lookout) -> None:
        """The process stands still, and every step comes back all the same."""
        over_with_a_reader(2)
        while lookout._looker is None or not lookout._looker.is_asked:
            lookout.step()
        pid = lookout._looker._process.pid
        os.kill(pid, signal.SIGSTOP)
        answers = [lookout.step() for _ in range(20)]
        assert answers == [True] * 20
        os.kill(pid, signal.SIGCONT)
        wait_until(lambda: not lookout.step(), seconds=120, what="the lookout to be done")

    def test_the_process_gives_way_to_everything_else(self, lookout: Lookout) -> None:
        over_with_a_reader(1)
        while lookout._looker is None or not lookout._looker.is_asked:
            lookout.step()
        pid = lookout._looker._process.pid
        wait_until(
            lambda: os.getpriority(os.PRIO_PROCESS, pid) == 19, seconds=60, what="a low priority"
        )
        lookout.end()
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

    def test_a_round_over_which_a_process_died_is_looked_at_by_another(
        self, lookout: Lookout, caplog: pytest.LogCaptureFixture
    ) -> None:
        over_with_a_reader()
        kill_the_process(lookout)
        wait_until(lambda: not lookout.step(), seconds=120, what="the lookout to be done")
        assert Flag.objects.get(kind="foresight").entry.name == "Rea"
        assert caplog.messages == []

    def test_a_round_over_which_two_processes_died_does_not_stop_the_others(
        self, lookout: Lookout, caplog: pytest.LogCaptureFixture
    ) -> None:
        first, second = over_with_a_reader(2), over_with_a_reader(2)
        kill_the_process(lookout)
        while lookout._looker is not None:
            lookout.step()
        kill_the_process(lookout)
        wait_until(lambda: not lookout.step(), seconds=120, what="the lookout to be done")
        assert len(caplog.messages) == 1
        assert caplog.messages[0].startswith("Round 1 of entry ")
        for tournament in (first, second):
            tournament.refresh_from_db()
            assert tournament.flags_raised_at is not None

    def test_it_goes_on_where_the_database_went_away(
        self, lookout: Lookout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        over_with_a_reader(1)
        lookout.step()

        def fail(**kwargs: object) -> int:
            raise OperationalError

        with monkeypatch.context() as patch:
            patch.setattr(flags, "flag_entry", fail)
            with pytest.raises(OperationalError):
                lookout.step()
        looked_at = []
        flag_entry = flags.flag_entry
        monkeypatch.setattr(
            flags,
            "flag_entry",
            lambda entry_id: looked_at.append(entry_id) or flag_entry(entry_id=entry_id),
        )
        lookout.step()
        assert len(looked_at) == 1

    def test_an_entry_that_cannot_be_read_does_not_stop_the_others(
        self,
        lookout: Lookout,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        tournament = over_with_a_reader(1)

        def fail(**kwargs: object) -> int:
            raise ZeroDivisionError

        monkeypatch.setattr(flags, "flag_entry", fail)
        while lookout.step():
            pass
        entry = tournament.entries.get()
        assert caplog.messages == [f"Entry {entry.pk} could not be looked at."]
        tournament.refresh_from_db()
        assert tournament.flags_raised_at is not None


def test_the_director_looks_beside_its_deadlines(transactional_db: None) -> None:
    tournament = over_with_a_reader(1)
    stop = threading.Event()
    thread = threading.Thread(target=director.run, args=(stop,), kwargs={"interval": 0.02})
    thread.start()

    def is_done() -> bool:
        return Tournament.objects.filter(pk=tournament.pk, flags_raised_at__isnull=False).exists()

    try:
        wait_until(is_done, seconds=120, what="the end of the lookout")
    finally:
        stop.set()
        thread.join(20)
    assert not thread.is_alive()


def test_a_server_starts_without_the_solver() -> None:
    """What it needs is loaded in the process that computes."""
    code = (
        "import django, sys; django.setup(); import tournaments.director, tournaments.urls;"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"
