"""Two of everything at once: browsers, servers, directors. Nothing is lost and nothing doubled."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from games.engine import CLASSIC
from games.models import Game, Move
from tournaments import services
from tournaments.models import Entry, HoleResult, Tournament

from .factories import (
    first_legal,
    let_time_pass,
    new_entry,
    new_player,
    new_tournament,
    play,
)

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Run everything at the same moment, each in a thread of its own; return what came of it.

    Each takes a connection, and a process has ten.
    """
    assert len(works) < 10
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=10)
            return work()
        except (services.TournamentError, ValidationError) as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(run, works))


def test_a_player_enters_once() -> None:
    tournament, player = new_tournament(), new_player()
    entries = at_once(*[lambda: services.enter(tournament=tournament, player=player)] * 4)
    assert set(entries) == {Entry.objects.get()}
    tournament.refresh_from_db()
    assert tournament.board_version == 1


def test_many_players_enter() -> None:
    tournament = new_tournament()
    players = [new_player() for _ in range(6)]
    works = [
        lambda player=player: services.enter(tournament=tournament, player=player)
        for player in players
    ]
    at_once(*works)
    tournament.refresh_from_db()
    assert (Entry.objects.count(), tournament.board_version) == (6, 6)


def test_two_tabs_start_one_attempt() -> None:
    tournament = new_tournament()
    entry = new_entry(tournament)
    results = at_once(*[lambda: services.start_hole(entry=entry, number=1)] * 4)
    assert set(results) == {HoleResult.objects.get()}
    assert Game.objects.count() == 1


def test_results_of_many_entries_are_all_counted() -> None:
    tournament = new_tournament()
    results = [services.start_hole(entry=new_entry(tournament), number=1) for _ in range(4)]
    for result in results:
        play(result.game, first_legal(result.game), announce=False)
    tournament.refresh_from_db()
    before = tournament.board_version
    works = [
        lambda result=result: services.record_result(game_id=result.game_id)
        for result in results
        for _ in range(2)
    ]
    at_once(*works)
    tournament.refresh_from_db()
    assert set(Entry.objects.values_list("thru", flat=True)) == {1}
    assert tournament.board_version == before + 4


def test_one_entrys_results_are_all_counted() -> None:
    tournament = new_tournament()
    entry = new_entry(tournament)
    games = []
    for number in range(1, 5):
        result = services.start_hole(entry=entry, number=number)
        games.append(play(result.game, first_legal(result.game), announce=False))
    works = [lambda game=game: services.record_result(game_id=game.pk) for game in games]
    at_once(*works, lambda: services.recompute(tournament=tournament))
    entry.refresh_from_db()
    assert (entry.thru, entry.strokes) == (4, sum(game.strokes for game in games))
    assert HoleResult.objects.filter(is_final=True).count() == 4


def test_several_directors_close_once() -> None:
    tournament = new_tournament()
    for _ in range(3):
        result = services.start_hole(entry=new_entry(tournament), number=1)
        play(result.game, first_legal(result.game)[:4])
    let_time_pass(tournament)
    now = timezone.now()
    closed = at_once(*[lambda: services.close_due(now=now)] * 3)
    if sum(closed) == 0:  # each may have met the other's unfinished work; the next look ends it
        closed.append(services.close_due(now=now))
    assert sum(closed) == 1
    assert Move.objects.filter(action="c").count() == 3
    assert set(Entry.objects.values_list("thru", flat=True)) == {1}
    assert set(Game.objects.values_list("is_secret", flat=True)) == {False}


def test_a_start_and_the_close_agree() -> None:
    """Whoever starts at the last moment is either refused, or closed like everybody else."""
    for _ in range(5):
        tournament = new_tournament()
        entries = [new_entry(tournament) for _ in range(3)]
        after = tournament.closes_at + timedelta(seconds=1)
        starts = [
            lambda entry=entry: services.start_hole(entry=entry, number=1) for entry in entries
        ]
        at_once(*starts, lambda now=after: services.close_due(now=now))
        services.close_due(now=after)
        tournament.refresh_from_db()
        assert tournament.closed_at is not None
        games = Game.objects.filter(hole_result__hole__tournament=tournament)
        assert [game.is_secret for game in games if game.finished_at is None] == []
        assert set(games.values_list("state", flat=True)) <= {"closed"}
        results = HoleResult.objects.filter(hole__tournament=tournament)
        assert set(results.values_list("is_final", flat=True)) <= {True}


def test_a_start_and_a_change_of_the_rules_agree() -> None:
    """Either the first hole is of the new rules, or the change came too late."""
    for _ in range(5):
        tournament = new_tournament()
        entry = new_entry(tournament)

        def change(tournament: Tournament = tournament) -> Tournament:
            return services.update_tournament(
                tournament=tournament,
                club=tournament.club,
                name=tournament.name,
                slug=tournament.slug,
                rules=CLASSIC,
                rank_by=tournament.rank_by,
                opens_at=tournament.opens_at,
                closes_at=tournament.closes_at,
            )

        started, _ = at_once(lambda entry=entry: services.start_hole(entry=entry, number=1), change)
        tournament.refresh_from_db()
        assert started.game.rules == tournament.rule_set
        assert started.game.deal_code == tournament.holes.get(number=1).deal_code
