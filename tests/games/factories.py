"""What the tests of several modules need of players and games."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import services
from games.engine import GameCode
from games.models import Game, Player

#: The published deal under Easy: `d 5 2` are its first accepted actions.
PUBLISHED = GameCode.parse("GO1-E-AAAAAAB")
#: A whole won game of it.
PUBLISHED_LINE = "d52dd556616d47dd131442523d4d7d73d23246117d7dd356"

_numbers = count(1)


def new_player() -> Player:
    """Create a guest."""
    return services.create_guest(name=f"Player {next(_numbers)}")


def new_game(player: Player | None = None, *, started: bool = True) -> Game:
    """Create a practice game of the published deal, by default with its clock running."""
    game = services.new_practice_game(player=player or new_player(), code=PUBLISHED)
    if started:
        services.start_clock(game_id=game.pk)
        game.refresh_from_db()
    return game


@contextmanager
def games_written() -> Iterator[list[int]]:
    """The keys of games in the order in which they are written, each as often as it is."""
    written: list[int] = []
    with CaptureQueriesContext(connection) as asked:
        yield written
    for query in asked.captured_queries:
        found = re.search(
            r'UPDATE "games_game" .* "games_game"."id" (?:= |IN \()(\d+(?:, \d+)*)', query["sql"]
        )
        if found:
            written.extend(map(int, found[1].split(", ")))
