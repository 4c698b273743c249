"""Rooms and races, made with the real services."""

from datetime import timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from games.models import Game, Player
from tournaments import services
from tournaments.models import HoleResult, Room, Round, Seat, Tournament
from tournaments.services import rooms

from .factories import first_legal, new_account, play


def new_room(host: Player | None = None, **settings: Any) -> Room:
    """A room whose host is there, by default an account called Ann."""
    host = host or new_account("Ann")
    room = rooms.open_room(host=host, settings=rooms.RoomSettings(**settings))
    rooms.mark_seen(room_id=room.pk, player_id=host.pk)
    return room


def sit(room: Room, player: Player | str) -> Seat:
    """Let a player, by default a new account of that name, sit down and be there."""
    player = new_account(player) if isinstance(player, str) else player
    seat = rooms.take_seat(room=room, player=player)
    rooms.mark_seen(room_id=room.pk, player_id=player.pk)
    return seat


def start(room: Room) -> Tournament:
    """Let the host start the race, and its first hole begin."""
    race = rooms.start_race(room=room, by=Player.objects.get(pk=room.host_id))
    begin(race)
    race.refresh_from_db()
    return race


def begin(race: Tournament) -> None:
    """Let the instant of the hole that is counted down to be a second ago."""
    games = Game.objects.filter(hole_result__hole__tournament=race, started_at__gt=timezone.now())
    first = games.first()
    assert first is not None
    assert first.started_at is not None
    let_race_pass(race, first.started_at - timezone.now() + timedelta(seconds=1))


def let_race_pass(race: Tournament, by: timedelta) -> None:
    """Move all times of a race into the past."""
    of_race = {"hole_result__hole__tournament": race}
    games = Game.objects.filter(**of_race)
    games.filter(finished_at=None).update(
        started_at=F("started_at") - by, closes_at=F("closes_at") - by
    )
    games.exclude(finished_at=None).update(
        started_at=F("started_at") - by,
        closes_at=F("closes_at") - by,
        finished_at=F("finished_at") - by,
    )
    for rows in (Tournament.objects.filter(pk=race.pk), Round.objects.filter(tournament=race)):
        rows.update(opens_at=F("opens_at") - by, closes_at=F("closes_at") - by)


def game_of(race: Tournament, name: str, hole: int = 1) -> Game:
    """The game of the entry of that name."""
    return Game.objects.get(
        hole_result__hole__tournament=race,
        hole_result__entry__name=name,
        hole_result__hole__number=hole,
    )


def racing(race: Tournament, hole: int = 1) -> list[str]:
    """The names of those who have a game of a hole."""
    results = HoleResult.objects.filter(hole__tournament=race, hole__number=hole)
    return list(results.order_by("pk").values_list("entry__name", flat=True))


def finish(race: Tournament, name: str, hole: int = 1, *, give_up: bool = False) -> Game:
    """Let somebody play a hole to its end, or give it up at once."""
    game = game_of(race, name, hole)
    return play(game, "g" if give_up else first_legal(game))


def finish_hole(race: Tournament, hole: int = 1) -> None:
    for name in racing(race, hole):
        game = game_of(race, name, hole)
        if game.finished_at is None:
            play(game, first_legal(game))


def race_all(room: Room) -> Tournament:
    """Start a race and play all of its holes to the end."""
    race = start(room)
    for number in range(1, room.holes + 1):
        if number > 1:
            begin(race)
        finish_hole(race, number)
    race.refresh_from_db()
    return race


def tick() -> int:
    """Do what a director does for rooms."""
    now = timezone.now()
    services.close_games_due(now=now)
    return rooms.keep_rooms(now=now)
