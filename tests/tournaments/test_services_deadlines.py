"""The deadlines of holes in progress follow what sets them, and the end waits for who has time."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from games import services as games_services
from games.models import Game
from tests.games.factories import games_written
from tournaments import services
from tournaments.models import Correction, Entry, Tournament
from tournaments.services import life

from .factories import (
    closes_at,
    decide,
    extend,
    let_time_pass,
    new_entry,
    new_tournament,
    play_holes,
    set_rounds,
)

pytestmark = pytest.mark.django_db
Capture = Callable[..., Any]
Window = Tournament.Window


def refused(code: str) -> Any:
    return pytest.raises(services.TournamentError, match=f"^{code}$")


def test_more_time_moves_the_deadline_of_a_hole_in_progress(
    tournament: Tournament, told: list[tuple[int, int]], django_capture_on_commit_callbacks: Capture
) -> None:
    entry, other = new_entry(tournament), new_entry(tournament)
    done = play_holes(entry, last=1).results.get().game
    for each, number in ((entry, 2), (other, 1)):
        services.start_hole(entry=each, number=number)
    until = tournament.closes_at + timedelta(hours=2)
    with django_capture_on_commit_callbacks(execute=True):
        extend(entry, until)
    assert (closes_at(entry, 2), closes_at(other, 1)) == (until, tournament.closes_at)
    assert Game.objects.get(pk=done.pk).closes_at == tournament.closes_at
    tournament.refresh_from_db()
    assert (tournament.extended_to, tournament.ends_at) == (until, until)
    assert told == [
        (entry.player_id, Game.objects.get(hole_result__entry=entry, state="playing").pk)
    ]


@pytest.mark.parametrize("how", ["other times", "over now"])
def test_deadlines_are_moved_in_the_order_of_the_games(tournament: Tournament, how: str) -> None:
    """As the journal writes: two that meet on two games would wait for each other."""
    entries = [new_entry(tournament) for _ in range(3)]
    for entry in reversed(entries):
        services.start_hole(entry=entry, number=1)
    set_rounds(tournament, (-1, 2))
    tournament.refresh_from_db()
    with games_written() as written:
        if how == "over now":
            services.close_now(tournament=tournament)
        else:
            services.refresh_deadlines(tournament=tournament)
    moved = list(dict.fromkeys(written))
    assert moved == sorted(moved)
    assert len(moved) == 3


def test_with_more_time_holes_are_started_after_the_end(tournament: Tournament) -> None:
    entry, other = (play_holes(new_entry(tournament), last=1) for _ in range(2))
    extend(entry, tournament.closes_at + timedelta(hours=2))
    let_time_pass(tournament)
    assert services.start_hole(entry=entry, number=2).game is not None
    assert closes_at(entry, 2) == Entry.objects.get(pk=entry.pk).extended_to
    with refused("closed"):
        services.start_hole(entry=other, number=2)
    let_time_pass(tournament, by=timedelta(hours=2))
    entry.refresh_from_db()
    with refused("closed"):
        services.start_hole(entry=entry, number=3)


def test_more_time_outlasts_one_s_own_minutes() -> None:
    tournament = new_tournament(window=Window.PERSONAL, personal_minutes=10)
    entry = play_holes(new_entry(tournament), last=1)
    let_time_pass(tournament, by=timedelta(minutes=11))
    with refused("time_over"):
        services.start_hole(entry=entry, number=2)
    until = timezone.now() + timedelta(minutes=20)
    extend(entry, until)
    services.start_hole(entry=entry, number=2)
    assert closes_at(entry, 2) == until


def test_more_time_does_not_lengthen_a_holes_own_limit() -> None:
    tournament = new_tournament(hole_minutes=10)
    entry = new_entry(tournament)
    result = services.start_hole(entry=entry, number=1)
    started_at = games_services.start_clock(game_id=result.game.pk)
    extend(entry, tournament.closes_at + timedelta(hours=2))
    assert closes_at(entry, 1) == started_at + timedelta(minutes=10)


def test_the_last_word_about_the_time_holds_and_the_latest_of_all_keeps_it_open(
    tournament: Tournament,
) -> None:
    first, second = (new_entry(tournament) for _ in range(2))
    services.start_hole(entry=first, number=1)
    end = tournament.closes_at
    extend(first, end + timedelta(hours=5))
    extend(second, end + timedelta(hours=3))
    extend(first, end + timedelta(hours=1))
    tournament.refresh_from_db()
    assert tournament.extended_to == end + timedelta(hours=3)
    assert closes_at(first, 1) == end + timedelta(hours=1)


def test_who_is_out_keeps_nothing_open(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    services.start_hole(entry=entry, number=1)
    until = tournament.closes_at + timedelta(hours=5)
    extend(entry, until)
    decide(entry, "disqualify")
    tournament.refresh_from_db()
    assert (tournament.extended_to, closes_at(entry, 1)) == (None, tournament.closes_at)
    decide(entry, "reinstate")
    tournament.refresh_from_db()
    assert (tournament.extended_to, closes_at(entry, 1)) == (until, until)


def test_after_the_reveal_there_is_no_more_time(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament), last=1)
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    with refused("revealed"):
        extend(entry, timezone.now() + timedelta(hours=1))
    with refused("revealed"):
        services.apply_extension(entry=entry)
    entry.refresh_from_db()
    assert (entry.extended_to, Correction.objects.count()) == (None, 0)
    # What is decided about the entry afterwards is not about its time.
    assert decide(entry, "disqualify").status == "disqualified"


def test_time_that_is_within_everybodys_may_still_be_more_than_one_s_own() -> None:
    tournament = new_tournament(window=Window.PERSONAL, personal_minutes=10)
    entry = play_holes(new_entry(tournament), last=1)
    soon = timezone.now() + timedelta(minutes=5)
    with pytest.raises(ValidationError) as caught:
        extend(entry, soon)
    assert caught.value.error_dict["until"][0].code == "until_early"
    assert extend(entry, soon + timedelta(minutes=10)).extended_to is not None


def with_closing(tournament: Tournament, *times: datetime) -> None:
    """Move the closing times of the rounds, as a director does."""
    plan = services.plan_of(Tournament.objects.get(pk=tournament.pk))
    rounds = tuple(
        replace(each, closes_at=time) for each, time in zip(plan.rounds, times, strict=True)
    )
    services.update_tournament(tournament=tournament, plan=replace(plan, rounds=rounds))
    tournament.refresh_from_db()


def test_holes_in_progress_follow_a_closing_time_that_is_moved(tournament: Tournament) -> None:
    entry, given = new_entry(tournament), new_entry(tournament)
    done = play_holes(entry, last=1).results.get().game
    for each, number in ((entry, 2), (given, 1)):
        services.start_hole(entry=each, number=number)
    until = extend(given, tournament.closes_at + timedelta(hours=2)).extended_to
    before = tournament.closes_at
    for moved in (before + timedelta(hours=1), before - timedelta(minutes=30)):
        with_closing(tournament, moved)
        assert (closes_at(entry, 2), closes_at(given, 1)) == (moved, until)
    assert Game.objects.get(pk=done.pk).closes_at == before
    assert tournament.extended_to == until


def test_holes_of_one_round_do_not_follow_another(tournament: Tournament) -> None:
    tournament = new_tournament(holes=18)
    set_rounds(tournament, (-1, 1), (2, 3))
    entry = new_entry(tournament)
    services.start_hole(entry=entry, number=1)
    first, last = (each.closes_at for each in services.plan_of(tournament).rounds)
    with_closing(tournament, first, last + timedelta(hours=1))
    assert closes_at(entry, 1) == first
    with_closing(tournament, first + timedelta(minutes=5), last)
    assert closes_at(entry, 1) == first + timedelta(minutes=5)


def test_a_tournament_that_is_closed_early_is_over_for_who_has_more_time_too(
    tournament: Tournament,
) -> None:
    given, idle = new_entry(tournament), new_entry(tournament)
    services.start_hole(entry=given, number=1)
    for entry in (given, idle):
        extend(entry, tournament.closes_at + timedelta(hours=2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(life, "close_tournament", lambda **_: False)  # before the holes are closed
        services.close_now(tournament=tournament, by=given.player)
    with refused("closed"):
        services.start_hole(entry=idle, number=1)
    assert services.close_due(now=timezone.now()) == 1
    assert Tournament.objects.get().status == "closed"
