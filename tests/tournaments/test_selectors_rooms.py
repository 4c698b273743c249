"""What a room shows, and to whom."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games import journal
from games.engine import RuleSet
from games.models import Game, Player
from games.selectors import actions_of
from tournaments import selectors
from tournaments.models import Room, Seat
from tournaments.protocol import RoomState, SeatState
from tournaments.selectors.rooms import may_watch, watched_game, you_of
from tournaments.services import rooms

from .factories import first_legal, new_account, new_player, secrets_of
from .racing import begin, finish, finish_hole, game_of, new_room, sit, start

pytestmark = pytest.mark.django_db


def state_of(room: Room) -> RoomState:
    return selectors.rooms.race_state(room=room)


def seat(state: RoomState, name: str) -> SeatState:
    return next(seat for seat in state.seats if seat.name == name)


def act(game: Game, actions: str, *times: int) -> None:
    """Store actions at these times, in ms since the start."""
    turn = len(actions_of(game_id=game.pk))
    rows = [
        journal.Row(game_id=game.pk, turn=turn + at, action=action, ms=ms)
        for at, (action, ms) in enumerate(zip(actions, times, strict=True))
    ]
    assert journal.write(rows) == [True] * len(rows)


def test_people_gather() -> None:
    room = new_room(holes=3, is_public=True, grace_seconds=45)
    rooms.take_seat(room=room, player=new_player("Gus"))
    rooms.set_ready(room=room, player=room.host, is_ready=True)
    room.refresh_from_db()
    state = state_of(room)
    assert (state.room, state.version, state.phase) == (room.code, room.version, "gathering")
    assert (state.race, state.last) == (None, None)
    assert state.host == Seat.objects.get(player=room.host).pk
    assert (state.settings.holes, state.settings.public, state.settings.grace_seconds) == (
        3, True, 45,
    )  # fmt: skip
    ann, gus = state.seats
    assert (ann.name, ann.guest, ann.ready, ann.connected) == ("Ann", False, True, True)
    assert (gus.name, gus.guest, gus.ready, gus.connected) == ("Gus", True, False, False)
    assert (ann.rating, ann.provisional, ann.place, ann.row, ann.thru) == (
        None, True, None, None, 0,
    )  # fmt: skip


def test_rows_and_places_of_the_hole_in_progress() -> None:
    room = new_room()
    for name in ("Bo", "Cy"):
        sit(room, name)
    race = rooms.start_race(room=room, by=room.host)
    state = state_of(room)
    assert (state.phase, [each.place for each in state.seats]) == ("countdown", [None] * 3)
    assert [each.playing for each in state.seats] == [True] * 3
    begin(race)
    state = state_of(room)
    assert state.phase == "playing"
    assert [(each.place, each.row) for each in state.seats] == [
        (1, (35, 16, 0, 35, 35, 0, 0, 0))
    ] * 3
    bo = game_of(race, "Bo")
    line = first_legal(bo)
    act(bo, "d", 900)
    assert seat(state_of(room), "Bo").row == (35, 15, 0, 35, 35, 0, 0, 900)
    assert seat(state_of(room), "Bo").place == 1  # who draws is not behind who thinks
    end = finish(race, "Cy")
    state = state_of(room)
    cy = seat(state, "Cy")
    assert cy.row == (
        end.left, end.stock_left, 0, end.strokes, end.strokes_below_par, end.app_score, 1,
        end.time_ms,
    )  # fmt: skip
    assert (cy.place, seat(state, "Ann").place, seat(state, "Bo").place) == (1, 2, 2)
    assert (cy.thru, cy.strokes, cy.to_par, cy.time) == (
        1, end.strokes, end.strokes - 5, end.time_ms,
    )  # fmt: skip
    assert not any(text in repr(state) for text in [*secrets_of(race), line])


def test_the_stock_before_the_first_move_is_that_of_the_rules() -> None:
    rules = RuleSet(jokers=2, waste="empty")
    room = new_room(rules=rules)
    race = start(room)
    untouched = seat(state_of(room), "Ann").row
    assert untouched == (35, 19, 0, 35, 35, 0, 0, 0)
    reading = selectors.rooms.read_room(room_id=room.pk)
    assert reading.state({}, timezone.now()).seats[0].row == untouched
    assert game_of(race, "Ann").rules == rules


def test_totals_and_places_between_holes_and_afterwards() -> None:
    room = new_room(holes=2)
    sit(room, "Bo")
    race = start(room)
    finish(race, "Bo", give_up=True)
    finish(race, "Ann")
    state = state_of(room)
    assert state.race is not None
    assert (state.phase, state.race.hole, state.race.holes, state.race.number) == (
        "between", 2, 2, 1,
    )  # fmt: skip
    assert state.race.starts_at is not None
    assert state.race.starts_at > state.now
    bo = seat(state, "Bo")
    assert (bo.thru, bo.strokes, bo.place, bo.row) == (1, 35, 2, None)
    begin(race)
    late = sit(room, "Late")
    finish_hole(race, 2)
    state = state_of(room)
    race.refresh_from_db()
    standings = {row.key: row for row in selectors.standings(tournament=race)}
    for each in state.seats[:2]:
        entry = race.entries.get(name=each.name)
        standing = standings[entry.pk]
        assert (each.place, each.thru, each.strokes, each.time) == (
            standing.place, 2, entry.strokes, entry.time_ms,
        )  # fmt: skip
    assert (seat(state, "Late").id, seat(state, "Late").place) == (late.pk, None)


def test_who_comes_late_counts_the_worst_for_what_is_over() -> None:
    room = new_room(holes=3)
    race = start(room)
    sit(room, "Late")
    finish(race, "Ann", give_up=True)
    begin(race)
    finish(race, "Late", 2, give_up=True)
    state = state_of(room)
    assert (seat(state, "Ann").place, seat(state, "Late").place) == (1, 2)


def test_the_number_of_queries_does_not_grow_with_the_seats(
    django_assert_num_queries: Any,
) -> None:
    def count(seats: int) -> int:
        room = new_room(new_account(f"Host {seats}"))
        for at in range(seats):
            sit(room, new_player(f"P {at}"))
        start(room)
        with django_assert_num_queries(9, exact=False) as counted:
            state_of(room)
        return len(counted)

    assert count(2) == count(6)


def test_you() -> None:
    room = new_room()
    bo = sit(room, "Bo").player
    visitor = you_of(room=room, player=None)
    assert (visitor.seat, visitor.host, visitor.game, visitor.can_watch) == (
        None, False, None, False,
    )  # fmt: skip
    race = start(room)
    ann, other = you_of(room=room, player=room.host), you_of(room=room, player=bo)
    assert (ann.host, other.host) == (True, False)
    assert (ann.game, other.game) == (
        game_of(race, "Ann").public_id, game_of(race, "Bo").public_id,
    )  # fmt: skip
    assert (ann.can_watch, ann.watch) == (False, {})
    finish(race, "Ann")
    ann = you_of(room=room, player=room.host)
    assert (ann.can_watch, ann.watch) == (
        True, {str(other.seat): game_of(race, "Bo").public_id},
    )  # fmt: skip


def test_boards_are_open_to_who_cannot_play_that_hole_any_more() -> None:
    room = new_room(holes=2)
    bo, cy = sit(room, "Bo").player, sit(room, "Cy").player
    race = rooms.start_race(room=room, by=room.host)
    late, visitor = sit(room, "Late").player, new_account("Visitor")
    left = sit(room, "Left").player
    rooms.leave_seat(room=room, player=left)
    game = game_of(race, "Bo")

    def watchers() -> list[str]:
        asked: list[Player | None] = [room.host, bo, cy, late, left, visitor, None]
        return [
            "nobody" if player is None else player.name
            for player in asked
            if may_watch(game_id=game.pk, player_id=None if player is None else player.pk)
        ]

    assert watchers() == []
    begin(race)
    assert watchers() == ["Late"]
    finish(race, "Ann")
    assert watchers() == ["Ann", "Late"]
    finish(race, "Cy", give_up=True)
    assert watchers() == ["Ann", "Cy", "Late"]
    finish(race, "Bo")
    assert watchers() == ["Ann", "Bo", "Cy", "Late", "Left", "Visitor", "nobody"]
    # The next hole is another one.
    assert not may_watch(game_id=game_of(race, "Bo", 2).pk, player_id=visitor.pk)


def test_only_games_of_races_are_watched() -> None:
    practice = Game.objects.create(player=new_player(), deal_code="GO1-E-AAAAAAB")
    with pytest.raises(Game.DoesNotExist):
        watched_game(public_id=practice.public_id)
    assert not may_watch(game_id=practice.pk, player_id=practice.player_id)
    room = new_room()
    race = start(room)
    watched = watched_game(public_id=game_of(race, "Ann").public_id)
    assert (watched.code, watched.name) == (room.code, "Ann")
    assert watched.seat_id == Seat.objects.get().pk


def test_the_lobby_lists_public_rooms_that_somebody_is_in(
    django_assert_num_queries: Any,
) -> None:
    gathering = new_room(new_account("Ann"), is_public=True)
    sit(gathering, "Bo")
    racing = new_room(new_account("Cy"), is_public=True)
    start(racing)
    small = new_room(new_account("Di"), is_public=True)
    new_room(new_account("Private"))
    rooms.open_room(host=new_account("Away"), settings=rooms.RoomSettings(is_public=True))
    with django_assert_num_queries(1):
        found = selectors.rooms.public_rooms()
    assert [(each.room, each.host_name, each.connected, each.is_racing) for each in found] == [
        (gathering, "Ann", 2, False), (small, "Di", 1, False), (racing, "Cy", 1, True),
    ]  # fmt: skip


def test_a_players_rooms() -> None:
    ann = new_account("Ann")
    own, other = new_room(ann), new_room(new_account("Bo"))
    assert selectors.rooms.rooms_of(player=ann) == [own]
    sit(other, ann)
    assert selectors.rooms.rooms_of(player=ann) == [other, own]
    rooms.leave_seat(room=other, player=ann)
    Room.objects.filter(pk=own.pk).update(closed_at=timezone.now())
    assert selectors.rooms.rooms_of(player=ann) == []


def test_a_presence_ends_by_itself() -> None:
    room = new_room()
    Seat.objects.update(seen_at=timezone.now() - timedelta(seconds=26))
    assert [each.connected for each in state_of(room).seats] == [False]


def test_holes_that_were_missed_count_as_the_worst_in_totals_as_in_places() -> None:
    room = new_room(holes=3)
    race = start(room)
    sit(room, "Late")
    finish(race, "Ann")
    begin(race)
    ann, late = state_of(room).seats
    first = race.entries.get(player=room.host)
    assert (ann.thru, ann.strokes, ann.app_score) == (1, first.strokes, first.app_score)
    # The hole in progress is in the row, not in the totals.
    assert (late.thru, late.strokes, late.to_par, late.app_score) == (0, 35, 30, 0)
    assert late.row is not None
    assert late.row[:4] == (35, 16, 0, 35)
    finish(race, "Late", 2, give_up=True)
    late = seat(state_of(room), "Late")
    assert (late.thru, late.strokes, late.to_par, late.app_score) == (1, 70, 60, 0)
