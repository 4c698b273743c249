"""Makes rooms with people in them on a site's own database, and reads what became of them.

Run as `python -m tests.live.rooms make JSON`, `… read CODE` or `… rooms` in the environment of the
site; all print JSON.
"""

import json
import sys
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

import django
from yarl import URL

from tests.harness.site import Site
from tests.harness.visitor import Line, Visitor


@dataclass(frozen=True)
class Seated:
    """Somebody who sits in a room: the seat, the name, and the cookie of the session."""

    seat: int
    name: str
    cookie: str

    def sits_at(self, visitor: Visitor) -> Visitor:
        """Let a visitor be this player."""
        name, value = self.cookie.split("=", 1)
        cookie: SimpleCookie = SimpleCookie()
        cookie[name] = value
        visitor.http.cookie_jar.update_cookies(cookie, URL(visitor.url))
        return visitor


@dataclass(frozen=True)
class MadeRoom:
    """A room by its code, and those who sit in it, the host first."""

    code: str
    seats: list[Seated]

    @property
    def path(self) -> str:
        """The address of its socket."""
        return f"/ws/rooms/{self.code}/"


def make_rooms(
    site: Site, *, rooms: int = 1, seats: int = 2, accounts: bool = False, **settings: Any
) -> list[MadeRoom]:
    """Open rooms in which so many guests, or accounts, sit."""
    order = {"rooms": rooms, "seats": seats, "accounts": accounts, "settings": settings}
    made = site.run_module(__name__, "make", json.dumps(order))
    return [MadeRoom(each["code"], [Seated(**seat) for seat in each["seats"]]) for each in made]


def make_room(site: Site, **options: Any) -> MadeRoom:
    """Open one room, as `make_rooms` does."""
    (room,) = make_rooms(site, **options)
    return room


def read_races(site: Site, code: str) -> list[dict[str, Any]]:
    """Return the races of a room in order: `slug`, `status`, `starts`, and its `board`.

    `starts` has the instants of the holes. A row of the board has `name`, `place`, `figure` and
    `time`.
    """
    found: list[dict[str, Any]] = site.run_module(__name__, "read", code)
    return found


def do(site: Site, what: str, code: str) -> object:
    """Do something in a room: `seat` gives another guest a seat, and returns who it is."""
    return site.run_module(__name__, what, code)


async def enter(visitor: Visitor, room: MadeRoom) -> tuple[Line, dict[str, Any], dict[str, Any]]:
    """Open the socket of a room; return it with the state and the reader's own part."""
    line = await visitor.connect(room.path)
    return line, await hear(line, "room"), await hear(line, "you")


async def hear(line: Line, kind: str, seconds: float = 20) -> dict[str, Any]:
    """Return the next message of a kind; others are passed over."""
    while True:
        message = await line.hear(seconds)
        if message["type"] == kind:
            return message


# --- in the environment of the site ------------------------------------------------------------


def _make(order: str) -> list[dict[str, Any]]:
    from tournaments.services import rooms

    told = json.loads(order)
    made = []
    for number in range(told["rooms"]):
        host = _player(f"Host {number}", is_account=told["accounts"])
        room = rooms.open_room(host=host, settings=rooms.RoomSettings(**told["settings"]))
        seats = [_seated(room, host)]
        for seat in range(1, told["seats"]):
            player = _player(f"Racer {number}-{seat}", is_account=told["accounts"])
            seats.append(_seated(room, player))
        made.append({"code": room.code, "seats": seats})
    return made


def _player(name: str, *, is_account: bool) -> Any:
    from games import services
    from games.models import Player

    if not is_account:
        return services.create_guest(name=name)
    player = Player(username=name.replace(" ", ""), name=name)
    player.set_unusable_password()
    player.save()
    return player


def _seated(room: Any, player: Any) -> dict[str, Any]:
    from django.conf import settings
    from django.test import Client

    from tournaments.services import rooms

    seat = rooms.take_seat(room=room, player=player)
    browser = Client()
    browser.force_login(player)
    cookie = settings.SESSION_COOKIE_NAME
    return {
        "seat": seat.pk,
        "name": seat.name,
        "cookie": f"{cookie}={browser.cookies[cookie].value}",
    }


def _seat(code: str) -> dict[str, Any]:
    from tournaments import selectors

    room = selectors.rooms.room_of_code(code=code)
    return _seated(room, _player("Late", is_account=False))


def _read(code: str) -> list[dict[str, Any]]:
    from games.models import Game
    from tournaments import selectors
    from tournaments.models import Tournament

    races = []
    for race in Tournament.objects.filter(room__code=code).order_by("pk"):
        games = Game.objects.filter(hole_result__hole__tournament=race)
        instants = games.order_by().values_list("hole_result__hole__number", "started_at")
        starts = instants.distinct()
        board = selectors.leaderboard(tournament=race, size=1000)
        times = dict(race.entries.values_list("pk", "time_ms"))
        races.append(
            {
                "slug": race.slug,
                "status": race.status,
                "starts": [[number, at.timestamp() * 1000] for number, at in sorted(starts) if at],
                "board": [
                    {
                        "name": row.name,
                        "place": row.standing.place_text,
                        "figure": row.standing.figure,
                        "time": times[row.entry_id],
                    }
                    for row in board.rows
                ],
            }
        )
    return races


if __name__ == "__main__":
    django.setup()
    command = {"make": _make, "read": _read, "seat": _seat}[sys.argv[1]]
    sys.stdout.write(json.dumps(command(*sys.argv[2:])))
