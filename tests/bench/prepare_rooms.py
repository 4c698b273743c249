"""Rooms of ten in which a race is about to start, made in the database of the environment.

`python -m tests.bench.prepare_rooms ROOMS SEATS` prints for each player the session's cookie, the
public id of the game, the room's code, and the seat's id.
"""

import sys

import django
import msgspec


def prepare(rooms: int, seats: int) -> list[tuple[str, str, str, str]]:
    """Let so many guests sit in each room, and start every race."""
    from django.conf import settings
    from django.test import Client

    from games import services
    from games.models import Game
    from tournaments.models import Seat
    from tournaments.services import rooms as room_services

    prepared = []
    made = []
    for _ in range(rooms):
        host = services.create_guest(name="Host")
        room = room_services.open_room(
            host=host, settings=room_services.RoomSettings(undo_allowed=True)
        )
        players = [host, *(services.create_guest(name=f"Racer {n}") for n in range(1, seats))]
        for player in players[1:]:
            room_services.take_seat(room=room, player=player)
        Seat.objects.filter(room=room).update(is_ready=True)
        cookies = []
        for player in players:
            browser = Client()
            browser.force_login(player)
            cookies.append(browser.cookies[settings.SESSION_COOKIE_NAME].value)
        made.append((room, players, cookies))
    for room, players, cookies in made:
        room_services.start_race(room=room, by=players[0])
        for player, cookie in zip(players, cookies, strict=True):
            game = Game.objects.get(player=player)
            seat = Seat.objects.get(room=room, player=player)
            prepared.append(
                (
                    f"{settings.SESSION_COOKIE_NAME}={cookie}",
                    game.public_id,
                    room.code,
                    str(seat.pk),
                )
            )
    return prepared


if __name__ == "__main__":
    django.setup()
    sys.stdout.write(msgspec.json.encode(prepare(*map(int, sys.argv[1:3]))).decode())
