"""The deadlines of holes in progress follow what sets them, and the end waits for who has time."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from games import services as games_services
from games.models import Game
from tournaments import services
from tournaments.models import Correction, Entry, Tournament

from .factories import (
    closes_at,
    decide,
    extend,
    let_time_pass,
    new_entry,
    new_tournament,
    play_holes,
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
    services.apply_extension(entry=entry)
    tournament.refresh_from_db()
    assert (tournament.extended_to, closes_at(entry, 1)) == (None, tournament.closes_at)
    decide(entry, "reinstate")
    services.apply_extension(entry=entry)
    tournament.refresh_from_db()
    assert (tournament.extended_to, closes_at(entry, 1)) == (until, until)


def test_after_the_reveal_there_is_no_more_time(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament), last=1)
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    with refused("revealed"), transaction.atomic():
        extend(entry, timezone.now() + timedelta(hours=1))
    entry.refresh_from_db()
    assert (entry.extended_to, Correction.objects.count()) == (None, 0)
