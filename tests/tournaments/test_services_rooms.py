"""Rooms: who may do what, and how a race goes from its start to the next one."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from games.engine import CLASSIC, GameCode
from games.models import Game, Player
from games.services import merge_guest
from tournaments import bundle, selectors, services, verification
from tournaments.models import (
    ROOM_CHARACTERS,
    Entry,
    HoleResult,
    Room,
    Seat,
    StatusChange,
    Tournament,
)
from tournaments.selectors.bundles import bundle_of
from tournaments.services import results, rooms

from .factories import codes, codes_of, new_account, new_player, secrets_of
from .racing import (
    begin,
    finish,
    finish_hole,
    game_of,
    let_race_pass,
    new_room,
    race_all,
    racing,
    sit,
    start,
    tick,
)
from .test_concurrency import at_once

pytestmark = pytest.mark.django_db


def refused(call: Any, **arguments: Any) -> str:
    with pytest.raises(services.TournamentError) as caught:
        call(**arguments)
    return caught.value.code


def phase(room: Room) -> str:
    return selectors.rooms.race_state(room=room).phase


# --- the room ----------------------------------------------------------------------------------


def test_anybody_opens_a_room_and_sits_in_it() -> None:
    guest = new_player("Gus")
    room = rooms.open_room(host=guest, settings=rooms.RoomSettings(holes=3, is_public=True))
    assert len(room.code) == 5
    assert set(room.code) <= set(ROOM_CHARACTERS)
    assert (room.host, room.holes, room.is_public, room.is_friendly) == (guest, 3, True, False)
    seat = Seat.objects.get()
    assert (seat.player, seat.name, seat.is_ready, seat.seen_at) == (guest, "Gus", False, None)
    assert selectors.rooms.room_of_code(code=f" {room.code[:2].lower()} {room.code[2:]}") == room
    assert rooms.settings_of(room=room) == rooms.RoomSettings(holes=3, is_public=True)


def test_a_player_hosts_three_living_rooms() -> None:
    host = new_account("Ann")
    first, *_others = (rooms.open_room(host=host, settings=rooms.RoomSettings()) for _ in range(3))
    assert refused(rooms.open_room, host=host, settings=rooms.RoomSettings()) == "too_many_rooms"
    Room.objects.filter(pk=first.pk).update(closed_at=timezone.now())
    rooms.open_room(host=host, settings=rooms.RoomSettings())
    assert Room.objects.count() == 4


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"holes": 0}, {"holes": ["min_value"]}),
        ({"holes": 10}, {"holes": ["max_value"]}),
        ({"hole_minutes": 0}, {"hole_minutes": ["min_value"]}),
        ({"hole_minutes": 61}, {"hole_minutes": ["max_value"]}),
        ({"grace_seconds": 601}, {"grace_seconds": ["max_value"]}),
        ({"ranking": "luck"}, {"ranking": ["invalid_choice"]}),
        ({"codes": tuple(codes(2))}, {"codes": ["codes_count"]}),
        ({"codes": tuple(codes(1, CLASSIC))}, {"codes": ["rules_differ"]}),
        ({"codes": tuple(codes(1) * 2), "holes": 2}, {"codes": ["deal_twice"]}),
    ],
)
def test_settings_that_no_race_can_have(
    settings: dict[str, Any], found: dict[str, list[str]]
) -> None:
    with pytest.raises(ValidationError) as caught:
        rooms.open_room(host=new_account("Ann"), settings=rooms.RoomSettings(**settings))
    errors = {field: each for field, each in codes_of(caught.value).items() if field}
    assert errors == found
    assert not Room.objects.exists()


def test_the_host_sets_the_room_anew_and_nobody_is_ready_any_more() -> None:
    room = new_room()
    bo = sit(room, "Bo").player
    rooms.set_ready(room=room, player=bo, is_ready=True)
    settings = rooms.RoomSettings(holes=9, rules=CLASSIC, ranking=Room.Ranking.CLEARED)
    assert refused(rooms.change_room, room=room, by=bo, settings=settings) == "not_host"
    version = Room.objects.get().version
    rooms.change_room(room=room, by=room.host, settings=settings)
    room.refresh_from_db()
    assert (rooms.settings_of(room=room), room.version) == (settings, version + 1)
    assert not Seat.objects.filter(is_ready=True).exists()
    start(room)
    assert refused(rooms.change_room, room=room, by=room.host, settings=settings) == "race_running"


# --- seats -------------------------------------------------------------------------------------


def test_names_that_look_alike_are_numbered() -> None:
    room = new_room(new_player("Bob"))
    seats = [rooms.take_seat(room=room, player=new_player(name)) for name in ("Bob", "B0b", "Al")]
    assert [seat.name for seat in seats] == ["Bob (2)", "B0b (3)", "Al"]


def test_a_seat_is_taken_once_and_kept() -> None:
    room = new_room()
    bo = new_account("Bo")
    seat = rooms.take_seat(room=room, player=bo)
    version = Room.objects.get().version
    assert rooms.take_seat(room=room, player=bo) == seat
    assert Room.objects.get().version == version
    rooms.leave_seat(room=room, player=bo)
    rooms.leave_seat(room=room, player=bo)
    assert not Seat.objects.get(player=bo).is_taken
    assert rooms.take_seat(room=room, player=bo) == seat
    assert (Seat.objects.count(), Seat.objects.get(player=bo).is_taken) == (2, True)


def test_a_room_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "MOST_SEATS", 2)
    room = new_room()
    bo = sit(room, "Bo").player
    assert refused(rooms.take_seat, room=room, player=new_player()) == "room_full"
    rooms.leave_seat(room=room, player=bo)
    rooms.take_seat(room=room, player=new_player())


def test_whose_seat_was_taken_away_cannot_come_back() -> None:
    room = new_room()
    bo, cy = sit(room, "Bo"), sit(room, "Cy")
    remove = rooms.remove_seat
    assert refused(remove, room=room, seat_id=bo.pk, by=cy.player) == "not_host"
    assert refused(remove, room=room, seat_id=10**6, by=room.host) == "no_seat"
    own = Seat.objects.get(player=room.host)
    assert refused(remove, room=room, seat_id=own.pk, by=room.host) == "own_seat"
    rooms.remove_seat(room=room, seat_id=bo.pk, by=room.host)
    rooms.remove_seat(room=room, seat_id=bo.pk, by=room.host)
    assert refused(rooms.take_seat, room=room, player=bo.player) == "removed_seat"
    assert not rooms.mark_seen(room_id=room.pk, player_id=bo.player_id)
    assert refused(rooms.set_ready, room=room, player=bo.player, is_ready=True) == "no_seat"
    start(room)
    assert refused(remove, room=room, seat_id=cy.pk, by=room.host) == "race_running"


def test_where_the_host_leaves_another_one_is_host() -> None:
    room = new_room()
    away = rooms.take_seat(room=room, player=new_account("Bo"))
    cy = sit(room, "Cy")
    rooms.leave_seat(room=room, player=room.host)
    assert Room.objects.get().host == cy.player
    rooms.leave_seat(room=room, player=cy.player)
    assert Room.objects.get().host == away.player
    rooms.leave_seat(room=room, player=away.player)
    late = sit(room, "Di")
    assert Room.objects.get().host == late.player


def test_presence_is_noted_seldom_and_told_when_it_changes(
    django_assert_num_queries: Any,
) -> None:
    room = new_room()
    bo = rooms.take_seat(room=room, player=new_account("Bo"))
    before = Room.objects.get().version
    assert rooms.mark_seen(room_id=room.pk, player_id=bo.player_id)
    assert Room.objects.get().version == before + 1
    with django_assert_num_queries(1):
        rooms.mark_seen(room_id=room.pk, player_id=bo.player_id)
    times = {
        player_id: timezone.now() + timedelta(seconds=at)
        for at, player_id in enumerate((bo.player_id, room.host_id, new_player().pk))
    }
    with django_assert_num_queries(1):
        rooms.mark_heard(room_id=room.pk, heard=times)
    assert {seat.player_id: seat.seen_at for seat in Seat.objects.all()} == {
        player_id: times[player_id] for player_id in (bo.player_id, room.host_id)
    }
    assert Room.objects.get().version == before + 1
    rooms.mark_gone(room_id=room.pk, player_id=bo.player_id)
    rooms.mark_gone(room_id=room.pk, player_id=bo.player_id)
    assert Room.objects.get().version == before + 2
    rooms.mark_heard(room_id=room.pk, heard=times)
    assert Seat.objects.get(pk=bo.pk).seen_at is None
    assert not rooms.mark_seen(room_id=room.pk, player_id=new_player().pk)


def test_a_process_with_a_dead_socket_does_not_set_back_what_another_one_heard() -> None:
    room = new_room()
    bo = sit(room, "Bo")
    now = timezone.now()
    here, dead = (
        {bo.player_id: now + timedelta(seconds=seconds), room.host_id: now} for seconds in (30, 3)
    )
    rooms.mark_heard(room_id=room.pk, heard=here)
    rooms.mark_heard(room_id=room.pk, heard=dead)
    assert Seat.objects.get(pk=bo.pk).seen_at == here[bo.player_id]


# --- the start ---------------------------------------------------------------------------------


def test_all_who_are_there_are_ready_and_it_starts() -> None:
    room = new_room()
    bo = sit(room, "Bo").player
    away = rooms.take_seat(room=room, player=new_account("Cy"))
    rooms.set_ready(room=room, player=bo, is_ready=True)
    assert selectors.rooms.running_race(room=room) is None
    rooms.set_ready(room=room, player=bo, is_ready=False)
    rooms.set_ready(room=room, player=room.host, is_ready=True)
    rooms.set_ready(room=room, player=bo, is_ready=True)
    race = selectors.rooms.running_race(room=room)
    assert race is not None
    assert racing(race) == ["Ann", "Bo"]
    assert refused(rooms.set_ready, room=room, player=bo, is_ready=False) == "race_running"
    assert not Entry.objects.filter(player=away.player).exists()


def test_who_is_alone_is_not_everybody() -> None:
    room = new_room()
    rooms.set_ready(room=room, player=room.host, is_ready=True)
    assert selectors.rooms.running_race(room=room) is None


def test_whoever_is_not_ready_leaves_and_it_starts() -> None:
    room = new_room()
    bo, cy = sit(room, "Bo").player, sit(room, "Cy")
    for player in (room.host, bo):
        rooms.set_ready(room=room, player=player, is_ready=True)
    rooms.remove_seat(room=room, seat_id=cy.pk, by=room.host)
    assert selectors.rooms.running_race(room=room) is not None


def test_the_host_starts_a_race_of_its_own_kind() -> None:
    room = new_room(
        rules=CLASSIC, holes=3, hole_minutes=4, ranking=Room.Ranking.APP_SCORE, undo_allowed=True
    )
    sit(room, "Bo")
    bo = Player.objects.get(name="Bo")
    assert refused(rooms.start_race, room=room, by=bo) == "not_host"
    before = timezone.now()
    race = rooms.start_race(room=room, by=room.host)
    assert rooms.start_race(room=room, by=room.host) == race
    assert (race.room, race.club.slug, race.name) == (room, "house", f"{room.code} 1")
    assert (race.rules, race.rank_by, race.tie_break) == ("C", "app_score", "race")
    assert (race.window, race.unplayed, race.hole_minutes) == ("race", "worst", 4)
    assert (race.undo_allowed, race.hints_allowed, race.is_friendly) == (True, False, False)
    assert (race.status, race.holes.count(), race.commitment != "") == ("open", 3, True)
    assert [(row.after, row.by) for row in StatusChange.objects.all()] == [("open", None)]
    games = [game_of(race, name) for name in ("Ann", "Bo")]
    assert {game.started_at for game in games} == {race.opens_at}
    assert before + timedelta(seconds=4.9) < race.opens_at < timezone.now() + rooms.COUNTDOWN
    assert race.opens_at.microsecond % 1000 == 0
    for game in games:
        assert game.closes_at == race.opens_at + timedelta(minutes=4)
        assert (game.is_secret, game.feed) == (True, f"room:{room.code}")
        assert (game.undo_allowed, game.hints_allowed, game.deal_code[:6]) == (
            True,
            False,
            "GO2-C-",
        )
    assert Game.objects.filter(hole_result__hole__number__gt=1).count() == 0
    assert phase(room) == "countdown"


def test_a_race_is_in_no_list_and_nobody_enters_it_elsewhere() -> None:
    room = new_room()
    race = start(room)
    assert selectors.open_tournaments().count() == 0
    assert selectors.clubs_tournaments(player=room.host).count() == 0
    assert selectors.clubs.rounds_to_come_and_past(club=race.club) == []
    assert services.flags.tournament_to_look_at() is None
    assert refused(services.enter, tournament=race, player=new_account("Bo")) == "in_room"
    entry = Entry.objects.get()
    HoleResult.objects.all().delete()
    assert refused(services.start_hole, entry=entry, number=1) == "in_room"


def test_two_who_start_at_once_start_one_race(transactional_db: None) -> None:
    room = new_room()
    players = [room.host, *(sit(room, name).player for name in ("Bo", "Cy", "Di"))]
    at_once(
        *[
            lambda player=player: rooms.set_ready(room=room, player=player, is_ready=True)
            for player in players
        ],
        lambda: rooms.start_race(room=room, by=room.host),
    )
    race = Tournament.objects.get()
    assert sorted(racing(race)) == ["Ann", "Bo", "Cy", "Di"]


def test_seats_are_taken_at_once_under_names_of_their_own(transactional_db: None) -> None:
    room = new_room()
    players = [new_player("Sam") for _ in range(6)]
    works = [lambda each=each: rooms.take_seat(room=room, player=each) for each in players]
    at_once(*works)
    assert sorted(Seat.objects.values_list("name", flat=True)) == [
        "Ann", "Sam", "Sam (2)", "Sam (3)", "Sam (4)", "Sam (5)", "Sam (6)",
    ]  # fmt: skip


# --- from hole to hole -------------------------------------------------------------------------


def test_the_first_finisher_sets_the_time_of_the_others(told: list[tuple[int, int]]) -> None:
    room = new_room(grace_seconds=30)
    sit(room, "Bo")
    sit(room, "Cy")
    race = start(room)
    finish(race, "Cy", give_up=True)
    slow = game_of(race, "Ann")
    assert slow.closes_at == race.opens_at + timedelta(minutes=10)
    first = finish(race, "Bo")
    slow.refresh_from_db()
    assert first.finished_at is not None
    assert slow.closes_at == first.finished_at + timedelta(seconds=30)
    state = selectors.rooms.race_state(room=room)
    assert state.race is not None
    assert state.race.limited
    assert state.race.closes_at == int(slow.closes_at.timestamp() * 1000)


def test_the_first_finisher_gives_nobody_more_time() -> None:
    room = new_room(grace_seconds=600, hole_minutes=1)
    sit(room, "Bo")
    race = start(room)
    limit = game_of(race, "Ann").closes_at
    finish(race, "Bo")
    assert game_of(race, "Ann").closes_at == limit


def test_when_a_hole_is_over_the_next_one_is_set() -> None:
    room = new_room(holes=3)
    sit(room, "Bo")
    race = start(room)
    finish(race, "Ann")
    sit(room, "Late")
    assert racing(race) == ["Ann", "Bo"]
    before = timezone.now()
    finish(race, "Bo")
    assert racing(race, 2) == ["Ann", "Bo", "Late"]
    starts = {game_of(race, name, 2).started_at for name in ("Ann", "Bo", "Late")}
    assert len(starts) == 1
    starts_at = starts.pop()
    assert starts_at is not None
    assert before + timedelta(seconds=9.9) < starts_at < timezone.now() + rooms.BETWEEN
    assert (phase(room), selectors.rooms.running_race(room=room)) == ("between", race)
    rooms.advance_room(room_id=room.pk)
    assert racing(race, 3) == []
    race.refresh_from_db()
    assert race.closes_at > starts_at + timedelta(minutes=20)


def test_a_hole_ends_by_the_clock_for_who_is_not_there() -> None:
    room = new_room(holes=2, grace_seconds=20)
    bo = sit(room, "Bo")
    race = start(room)
    rooms.mark_gone(room_id=room.pk, player_id=bo.player_id)
    finish(race, "Ann")
    assert racing(race, 2) == []
    let_race_pass(race, timedelta(minutes=2))
    tick()
    assert game_of(race, "Bo").state == Game.State.CLOSED
    assert racing(race, 2) == ["Ann", "Bo"]


def test_the_end_of_a_race_and_a_rematch() -> None:
    room = new_room()
    bo = sit(room, "Bo").player
    race = start(room)
    hidden = secrets_of(race)
    assert not any(text in str(selectors.rooms.race_state(room=room)) for text in hidden)
    finish_hole(race)
    race.refresh_from_db()
    assert (race.status, race.is_revealed) == ("final", True)
    assert [(row.after, row.by) for row in StatusChange.objects.order_by("pk")] == [
        ("open", None), ("closed", None), ("final", None),
    ]  # fmt: skip
    assert not Game.objects.filter(is_secret=True).exists()
    state = selectors.rooms.race_state(room=room)
    assert (state.phase, state.race, [seat.ready for seat in state.seats]) == (
        "gathering", None, [False, False],
    )  # fmt: skip
    assert state.last is not None
    assert state.last.slug == race.slug
    places = [standing.place for standing in selectors.standings(tournament=race)]
    assert sorted(seat.place or 0 for seat in state.seats) == places
    for player in (room.host, bo):
        rooms.set_ready(room=room, player=player, is_ready=True)
    again = selectors.rooms.running_race(room=room)
    assert again is not None
    assert (again.name, again.pk != race.pk) == (f"{room.code} 2", True)
    assert list(selectors.rooms.races_of(room=room)) == [race]


def test_holes_that_were_not_raced_count_as_the_worst() -> None:
    room = new_room(holes=2)
    sit(room, "Bo")
    race = start(room)
    late = sit(room, "Late")
    never = rooms.take_seat(room=room, player=new_account("Never"))
    finish_hole(race)
    begin(race)
    finish_hole(race, 2)
    race.refresh_from_db()
    board = selectors.leaderboard(tournament=race)
    by_name = {row.name: row for row in board.rows}
    assert sorted(by_name) == ["Ann", "Bo", "Late"]
    assert [hole.is_unplayed for hole in by_name["Late"].holes] == [True, False]
    second = HoleResult.objects.get(entry__player=late.player).strokes
    assert by_name["Late"].totals.strokes == 35 + (second or 0)
    assert not Entry.objects.filter(player=never.player).exists()


def test_the_time_of_a_race_counts_from_its_start() -> None:
    room = new_room()
    race = start(room)
    game = finish(race, "Ann")
    last = game.moves.order_by("-turn").values_list("ms", flat=True).first()
    assert (game.time_ms, Entry.objects.get().time_ms) == (last, last)


def test_whoever_leaves_plays_no_further_hole() -> None:
    room = new_room(holes=2)
    bo = sit(room, "Bo").player
    race = start(room)
    rooms.leave_seat(room=room, player=bo)
    assert game_of(race, "Bo").closes_at <= timezone.now()
    tick()
    finish(race, "Ann")
    assert racing(race, 2) == ["Ann"]
    state = selectors.rooms.race_state(room=room)
    assert [seat.name for seat in state.seats] == ["Ann"]
    rooms.take_seat(room=room, player=bo)
    begin(race)
    finish(race, "Ann", 2)
    race.refresh_from_db()
    assert race.status == "final"
    assert [row.name for row in selectors.leaderboard(tournament=race).rows] == ["Ann", "Bo"]


def test_whoever_leaves_during_the_countdown_is_out_when_it_starts() -> None:
    room = new_room()
    bo = sit(room, "Bo").player
    race = rooms.start_race(room=room, by=room.host)
    rooms.leave_seat(room=room, player=bo)
    game = game_of(race, "Bo")
    assert game.closes_at == game.started_at
    begin(race)
    tick()
    game.refresh_from_db()
    assert (game.state, game.finished_at) == (Game.State.CLOSED, game.started_at)


def test_where_nobody_is_left_the_race_ends() -> None:
    room = new_room(holes=9)
    race = start(room)
    rooms.leave_seat(room=room, player=room.host)
    tick()
    race.refresh_from_db()
    assert (race.status, racing(race, 2)) == ("final", [])


def test_the_next_hole_waits_for_somebody_to_come_back() -> None:
    room = new_room(holes=2)
    race = start(room)
    rooms.mark_gone(room_id=room.pk, player_id=room.host_id)
    finish(race, "Ann")
    state = selectors.rooms.race_state(room=room)
    assert state.race is not None
    assert (state.phase, state.race.hole, state.race.starts_at) == ("between", 2, None)
    tick()
    assert racing(race, 2) == []
    rooms.mark_seen(room_id=room.pk, player_id=room.host_id)
    tick()
    assert racing(race, 2) == ["Ann"]


def test_a_race_that_nobody_comes_back_to_ends_with_what_was_played() -> None:
    room = new_room(holes=2)
    race = start(room)
    rooms.mark_gone(room_id=room.pk, player_id=room.host_id)
    finish(race, "Ann")
    let_race_pass(race, rooms.IDLE + timedelta(minutes=5))
    tick()
    race.refresh_from_db()
    assert race.status == "final"
    row = selectors.leaderboard(tournament=race).rows[0]
    assert [hole.is_unplayed for hole in row.holes] == [False, True]


def test_a_race_that_was_closed_by_its_time_becomes_final() -> None:
    room = new_room()
    race = start(room)
    let_race_pass(race, timedelta(hours=2))
    services.close_due(now=timezone.now())
    race.refresh_from_db()
    assert race.status == "closed"
    tick()
    race.refresh_from_db()
    assert race.status == "final"


def test_more_time_that_was_given_holds_up_nothing() -> None:
    room = new_room()
    sit(room, "Bo")
    race = start(room)
    until = timezone.now() + timedelta(days=1)
    services.extend_window(
        entry=race.entries.get(name="Bo"), until=until, by=room.host, reason="The line was down."
    )
    assert game_of(race, "Bo").closes_at < until
    finish_hole(race)
    race.refresh_from_db()
    assert race.status == "final"


def test_a_damaged_game_stops_nobody() -> None:
    room = new_room(holes=2)
    sit(room, "Bo")
    race = start(room)
    Game.objects.filter(pk=game_of(race, "Bo").pk).update(damaged_at=timezone.now())
    finish(race, "Ann")
    assert racing(race, 2) == ["Ann", "Bo"]


def test_games_that_end_at_once_set_one_next_hole(transactional_db: None) -> None:
    room = new_room(holes=2)
    for name in ("Bo", "Cy", "Di"):
        sit(room, name)
    race = start(room)
    at_once(
        *[lambda name=name: finish(race, name) for name in ("Ann", "Bo", "Cy", "Di")],
        tick,
        tick,
    )
    tick()
    assert racing(race, 2) == ["Ann", "Bo", "Cy", "Di"]
    assert Entry.objects.filter(thru=1).count() == 4


def test_a_result_is_recorded_while_the_next_hole_is_set(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next hole adds to an entry that is held just then by who waits for the board."""
    room = new_room(holes=2)
    sit(room, "Bo")
    race = start(room)
    finish(race, "Ann")
    ann = Entry.objects.get(name="Ann")
    HoleResult.objects.filter(entry=ann).update(is_final=False, strokes=None, app_score=None)
    is_held, is_set = threading.Event(), threading.Event()
    # On SQLite the other one waits for all of this, and whoever waits for him does so in vain.
    meets = connection.vendor == "postgresql"
    met: list[bool] = []

    def announce_ann(tournament_id: int, *, entry_id: int | None = None) -> None:
        if entry_id == ann.pk:
            is_held.set()
            met.append(is_set.wait(timeout=30 if meets else 0.2))
        announce(tournament_id, entry_id=entry_id)

    def announce_hole(tournament_id: int) -> None:
        announce(tournament_id)
        is_set.set()

    announce = results.announce
    monkeypatch.setattr(results, "announce", announce_ann)
    monkeypatch.setattr(rooms, "announce", announce_hole)

    def finish_bo() -> None:
        assert is_held.wait(timeout=30)
        finish(race, "Bo")

    at_once(lambda: services.refresh_entry(entry_id=ann.pk), finish_bo)
    assert met == [meets]
    assert racing(race, 2) == ["Ann", "Bo"]
    assert Entry.objects.filter(thru=1).count() == 2


# --- pasted deals ------------------------------------------------------------------------------


def test_a_race_on_a_pasted_deal_is_friendly_and_the_next_one_is_not() -> None:
    code = GameCode.parse("GO1-E-AAAAAAB")
    room = new_room(codes=(code,))
    assert room.is_friendly
    race = race_all(room)
    assert (race.is_friendly, race.holes.get().deal_code) == (True, "GO1-E-AAAAAAB")
    room.refresh_from_db()
    assert not room.is_friendly
    again = race_all(room)
    assert (again.is_friendly, again.holes.get().deal_code[:4]) == (False, "GO2-")


def test_pasted_deals_are_the_secret_of_who_has_pasted_them() -> None:
    code = GameCode.parse("GO1-E-AAAAAAB")
    room = new_room(codes=(code,))
    ann, bo = room.host, sit(room, "Bo").player
    rooms.set_ready(room=room, player=bo, is_ready=True)
    rooms.leave_seat(room=room, player=ann)
    room.refresh_from_db()
    assert (room.host, room.codes, room.is_friendly) == (bo, "", False)
    assert not Seat.objects.filter(is_ready=True).exists()
    # The same where the host was the last one, and somebody else comes by the link.
    room = new_room(ann, codes=(code,))
    rooms.leave_seat(room=room, player=ann)
    assert Room.objects.get(pk=room.pk).codes == code.text
    cy = sit(room, "Cy").player
    room.refresh_from_db()
    assert (room.host, room.codes) == (cy, "")


def test_the_deal_of_a_race_that_goes_on_cannot_be_pasted() -> None:
    race = start(new_room())
    stolen = GameCode.parse(race.holes.get().deal_code)
    with pytest.raises(ValidationError) as caught:
        new_room(new_account("Bo"), codes=(stolen,))
    assert codes_of(caught.value)["codes"] == ["deal_used"]


# --- what is derived -----------------------------------------------------------------------------


def test_a_races_bundle_verifies_and_recompute_finds_nothing() -> None:
    room = new_room(holes=3, ranking=Room.Ranking.CLEARED)
    sit(room, "Bo")
    race = start(room)
    sit(room, "Late")
    finish_hole(race)
    begin(race)
    finish(race, "Bo", 2, give_up=True)
    finish_hole(race, 2)
    begin(race)
    finish_hole(race, 3)
    race.refresh_from_db()
    data = b"".join(bundle_of(tournament=race))
    report = verification.verify(data)
    assert (report.problems, report.entries, report.games) == ([], 3, 8)
    found = bundle.read(data)
    assert (found["tournament"]["window"], found["tournament"]["rank_by"]) == ("race", "cleared")
    assert services.recompute(tournament=race).corrected == 0


def test_a_bundle_in_which_somebody_started_earlier_is_found_out() -> None:
    room = new_room()
    sit(room, "Bo")
    race = start(room)
    Game.objects.filter(pk=game_of(race, "Bo").pk).update(
        started_at=race.opens_at - timedelta(seconds=3)
    )
    finish_hole(race)
    race.refresh_from_db()
    data = b"".join(bundle_of(tournament=race))
    problems = verification.verify(data).problems
    assert [problem.split(":")[0] for problem in problems] == ["entries[2].holes[1].started_at"]


# --- by the clock ------------------------------------------------------------------------------


def test_where_there_is_no_room_a_look_is_one_query(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert rooms.keep_rooms(now=timezone.now()) == 0


def test_who_goes_without_a_word_is_noticed() -> None:
    room = new_room()
    bo = sit(room, "Bo")
    long_ago = timezone.now() - timedelta(seconds=26)
    Seat.objects.filter(pk=bo.pk).update(seen_at=long_ago)
    version = Room.objects.get().version
    tick()
    assert Room.objects.get().version == version + 1
    state = selectors.rooms.race_state(room=room)
    assert [(seat.name, seat.connected) for seat in state.seats] == [("Ann", True), ("Bo", False)]
    tick()
    assert Room.objects.get().version == version + 1


def test_a_room_that_nobody_is_in_is_closed_in_the_end() -> None:
    room = new_room()
    old = timezone.now() - rooms.IDLE - timedelta(seconds=1)
    Room.objects.update(used_at=old)
    tick()
    assert not Room.objects.get().is_closed
    rooms.mark_gone(room_id=room.pk, player_id=room.host_id)
    tick()
    assert not Room.objects.get().is_closed
    Room.objects.update(used_at=old)
    tick()
    room.refresh_from_db()
    assert (room.is_closed, phase(room)) == (True, "closed")
    for call, arguments in [
        (rooms.take_seat, {"player": new_account("Bo")}),
        (rooms.set_ready, {"player": room.host, "is_ready": True}),
        (rooms.start_race, {"by": room.host}),
        (rooms.change_room, {"by": room.host, "settings": rooms.RoomSettings()}),
    ]:
        assert refused(call, room=room, **arguments) == "room_closed"


def test_a_room_with_a_race_is_not_closed() -> None:
    room = new_room()
    start(room)
    rooms.mark_gone(room_id=room.pk, player_id=room.host_id)
    Room.objects.update(used_at=timezone.now() - timedelta(hours=1))
    tick()
    assert not Room.objects.get().is_closed


def test_one_room_that_fails_keeps_no_other_waiting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = new_room(holes=2), new_room(new_account("Bo"), holes=2)
    races = [start(first), start(second)]
    for race, name in zip(races, ("Ann", "Bo"), strict=True):
        finish(race, name)
        HoleResult.objects.filter(hole__number=2, hole__tournament=race).delete()
        Game.objects.filter(hole_result=None).delete()
    real = rooms.advance_room

    def fail(*, room_id: int, **options: Any) -> None:
        if room_id == first.pk:
            raise ValueError("broken")
        real(room_id=room_id, **options)

    monkeypatch.setattr(rooms, "advance_room", fail)
    tick()
    assert (racing(races[0], 2), racing(races[1], 2)) == ([], ["Bo"])
    assert f"Room {first.pk} was not kept: ValueError" in caplog.text


# --- guests who stay -----------------------------------------------------------------------------


def test_a_guests_seat_and_room_go_to_the_account() -> None:
    guest, account = new_player("Gus"), new_account("Ann")
    room = new_room(guest)
    race = start(room)
    merge_guest(guest=guest, into=account)
    assert Seat.objects.get().player == account
    assert Room.objects.get().host == account
    assert (Entry.objects.get().player, game_of(race, "Gus").player) == (account, account)
    assert selectors.rooms.you_of(room=room, player=account).game == game_of(race, "Gus").public_id


def test_where_the_account_sits_already_the_guests_seat_stays() -> None:
    guest, account = new_player("Gus"), new_account("Ann")
    room = new_room(guest)
    sit(room, account)
    race = start(room)
    merge_guest(guest=guest, into=account)
    assert Seat.objects.get(name="Gus").player == guest
    assert game_of(race, "Gus").player == guest
    assert Room.objects.get().host == account


def test_every_process_learns_whose_seat_it_is_now() -> None:
    guest, account = new_player("Gus"), new_account("Ann")
    room = new_room(new_account("Bo"))
    sit(room, guest)
    room.refresh_from_db()
    before = room.version
    merge_guest(guest=guest, into=account)
    room.refresh_from_db()
    assert room.version > before


def test_an_account_that_came_late_takes_over_the_race_of_its_guest() -> None:
    guest, account = new_player("Gus"), new_account("Ann")
    room = new_room(guest, holes=2)
    sit(room, "Bo")
    race = start(room)
    sit(room, account)
    merge_guest(guest=guest, into=account)
    assert Seat.objects.get(name="Gus").left_at is not None
    assert selectors.rooms.you_of(room=room, player=account).game == game_of(race, "Gus").public_id
    finish_hole(race)
    begin(race)
    assert racing(race, 2) == ["Gus", "Bo"]
    assert game_of(race, "Gus", 2).player == account


def test_a_guests_hole_that_nobody_can_go_on_with_is_over() -> None:
    guest, account = new_player("Gus"), new_account("Ann")
    room = new_room(guest)
    sit(room, account)
    race = start(room)
    merge_guest(guest=guest, into=account)
    tick()
    assert game_of(race, "Gus").finished_at is not None
    assert game_of(race, "Ann").finished_at is None
    assert Room.objects.get().host == account


def test_who_left_as_account_and_sits_as_guest_sits_as_account_again() -> None:
    guest, account = new_player("Gus"), new_account("Ann")
    room = new_room(new_account("Bo"))
    sit(room, account)
    rooms.leave_seat(room=room, player=account)
    sit(room, guest)
    merge_guest(guest=guest, into=account)
    assert [seat.name for seat in Seat.objects.filter(left_at=None)] == ["Bo", "Ann"]
