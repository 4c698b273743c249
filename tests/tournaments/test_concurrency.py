"""Two of everything at once: browsers, servers, directors. Nothing is lost and nothing doubled."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from games.models import Game, Move, Player
from tournaments import services
from tournaments.models import Entry, HoleResult, Membership, Tournament
from tournaments.services.clubs import MOST_CLUBS

from .factories import (
    extend,
    first_legal,
    let_time_pass,
    new_account,
    new_club,
    new_entry,
    new_member,
    new_player,
    new_tournament,
    play,
    play_holes,
    set_rounds,
)
from .test_admin import change, form, hidden

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
            barrier.wait(timeout=60)
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


def test_the_last_places_are_taken_once() -> None:
    tournament = new_tournament(most_entries=3)
    players = [new_player() for _ in range(6)]
    works = [
        lambda player=player: services.enter(tournament=tournament, player=player)
        for player in players
    ]
    made = at_once(*works)
    assert sum(isinstance(each, Entry) for each in made) == Entry.objects.count() == 3
    assert {str(each) for each in made if not isinstance(each, Entry)} == {"full"}


def test_look_alike_names_that_come_together_are_numbered() -> None:
    tournament = new_tournament()
    players = [new_player(name) for name in ("Ann", "ANN", "ann", "aNN")]
    works = [
        lambda player=player: services.enter(tournament=tournament, player=player)
        for player in players
    ]
    at_once(*works)
    keys = set(Entry.objects.values_list("name_key", flat=True))
    assert keys == {services.name_key(name) for name in ("ann", "ann (2)", "ann (3)", "ann (4)")}


def test_leaving_and_starting_agree() -> None:
    """Either the entry is gone with no hole started, or the hole in progress is over."""
    for _ in range(5):
        tournament = new_tournament()
        entry = new_entry(tournament)
        started, left = at_once(
            lambda entry=entry: services.start_hole(entry=entry, number=1),
            lambda entry=entry: services.withdraw(entry=entry),
        )
        assert left is None
        found = Entry.objects.filter(pk=entry.pk).first()
        if found is None:
            assert str(started) == "not_entered"
            assert not Game.objects.filter(player=entry.player).exists()
        else:
            assert found.status == "withdrawn"
            closes_at = Game.objects.get(player=entry.player).closes_at
            assert closes_at is not None
            assert closes_at <= timezone.now()


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


def test_several_directors_and_readers_close_each_hole_once() -> None:
    tournament = new_tournament(hole_minutes=10)
    for _ in range(4):
        result = services.start_hole(entry=new_entry(tournament), number=1)
        play(result.game, first_legal(result.game)[:4])
    let_time_pass(tournament, by=timedelta(minutes=10))
    now = timezone.now()
    at_once(
        *[lambda: services.close_games_due(now=now)] * 3,
        *[lambda: services.close_while_reading(tournament=tournament, now=now)] * 2,
    )
    services.close_games_due(now=now)  # what each left to the other
    assert Move.objects.filter(action="c").count() == 4
    assert set(Entry.objects.values_list("thru", flat=True)) == {1}
    tournament.refresh_from_db()
    assert tournament.board_version == 8  # four have entered, four holes are final


def test_more_time_and_the_close_agree() -> None:
    """Who was given more time before the close plays on; who was closed before it does not."""
    for _ in range(5):
        tournament = new_tournament()
        entry = new_entry(tournament)
        game = services.start_hole(entry=entry, number=1).game
        play(game, first_legal(game)[:4])
        let_time_pass(tournament)
        now = timezone.now()
        until = now + timedelta(hours=1)
        given, closed = at_once(
            lambda entry=entry, until=until: extend(entry, until),
            lambda now=now: services.close_due(now=now),
        )
        tournament.refresh_from_db()
        game.refresh_from_db()
        if closed:
            assert str(given) == "revealed"
            assert (tournament.status, game.is_secret, game.state) == ("closed", False, "closed")
        else:
            assert (tournament.status, tournament.extended_to) == ("open", until)
            assert game.closes_at == until if game.finished_at is None else game.state == "closed"
            assert game.is_secret


def test_several_directors_make_one_cut() -> None:
    tournament = new_tournament(holes=10)
    set_rounds(tournament, (-1, 1), (2, 3), cut_to=1)
    entries = [play_holes(new_entry(tournament), last=9), new_entry(tournament)]
    let_time_pass(tournament, by=timedelta(hours=2, minutes=1))
    now = timezone.now()
    *cuts, started, refused = at_once(
        *[lambda: services.make_cuts(now=now)] * 3,
        *[lambda entry=entry: services.start_hole(entry=entry, number=10) for entry in entries],
    )
    assert sum(cuts) <= 1
    assert (started.hole.number, str(refused)) == (10, "missed_cut")
    statuses = Entry.objects.order_by("pk").values_list("status", "cut_after")
    assert list(statuses) == [("active", None), ("cut", 1)]


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


def test_a_start_and_a_change_of_the_format_agree() -> None:
    """Either the first hole is of the new format, or the change came too late."""
    for _ in range(5):
        tournament = new_tournament()
        entry = new_entry(tournament)

        def change(tournament: Tournament = tournament) -> Tournament:
            plan = replace(services.plan_of(tournament), undo_allowed=True)
            return services.update_tournament(tournament=tournament, plan=plan)

        started, _ = at_once(lambda entry=entry: services.start_hole(entry=entry, number=1), change)
        tournament.refresh_from_db()
        assert started.game.undo_allowed is tournament.undo_allowed


def test_of_two_owners_who_leave_at_once_one_stays() -> None:
    club = new_club()
    owners = [new_member(club, role=Membership.Role.OWNER) for _ in range(2)]
    answers = at_once(
        *[lambda player=player: services.leave_club(club=club, player=player) for player in owners]
    )
    refusals = [answer.code for answer in answers if answer is not None]
    assert refusals == ["last_owner"]
    assert Membership.objects.get(status="active").role == Membership.Role.OWNER


def test_of_four_who_take_one_name_at_once_one_has_it() -> None:
    club = new_club()
    answers = at_once(
        *[
            lambda player=player: services.join_club(club=club, player=player, name="Aino")
            for player in [new_account() for _ in range(4)]
        ]
    )
    assert sum(isinstance(answer, Membership) for answer in answers) == 1
    assert [
        answer.error_dict["name"][0].code
        for answer in answers
        if isinstance(answer, ValidationError)
    ] == ["name_taken"] * 3


def test_what_a_director_changes_while_the_admin_waits_for_it_stays() -> None:
    tournament = new_tournament()
    root = Client()
    root.force_login(Player.objects.create_superuser("root", name="Root"))
    is_changed = threading.Event()

    def direct() -> None:
        plan = replace(services.plan_of(tournament), about="News", most_entries=7)
        with transaction.atomic():
            services.update_tournament(tournament=tournament, plan=plan)
            is_changed.set()
            time.sleep(0.5)

    page = change(tournament)
    stays = {"slug": tournament.slug, "opens_at": tournament.opens_at}
    data = hidden(root.get(page)) | form(**stays, closes_at=tournament.closes_at)

    def rename() -> int:
        assert is_changed.wait(timeout=60)
        return root.post(page, data).status_code

    assert at_once(direct, rename)[1] == 302
    tournament.refresh_from_db()
    found = (tournament.name, tournament.about, tournament.most_entries)
    assert found == ("Spring Nine", "News", 7)


def test_a_player_owns_so_many_clubs_however_many_windows_found_them() -> None:
    ann = new_account()
    for number in range(MOST_CLUBS - 1):
        Membership.objects.create(
            club=new_club(), player=ann, role="owner", name="Ann", name_key=f"ann {number}"
        )
    works = [
        lambda number=number: services.found_club(by=ann, name=f"Club {number}")
        for number in range(4)
    ]
    answers = at_once(*works)
    assert [str(each) for each in answers if isinstance(each, services.TournamentError)] == [
        "too_many_clubs"
    ] * 3
    assert Membership.objects.filter(player=ann, role="owner").count() == MOST_CLUBS


def test_of_eight_guesses_at_once_five_are_tries() -> None:
    club = services.found_club(
        by=new_account(), name="Green Hill", joining="password", password="open sesame"
    )
    ann = new_account()
    answers = at_once(
        *[lambda: services.join_club(club=club, player=ann, password="open says me")] * 8
    )
    codes = sorted(answer.code for answer in answers)
    assert codes == ["password"] * 5 + ["too_many_tries"] * 3
