"""Players, their sessions and fresh games for one round, made in the database of the environment.

`python -m tests.bench.prepare PLAYERS GAMES SEED` prints, for each player, the session cookie and
the public ids of its games.
"""

import random
import sys

import django
import msgspec


def prepare(players: int, games: int, seed: int) -> list[tuple[str, list[str]]]:
    """Return for each player the value of the session cookie and the ids of new practice games."""
    from django.conf import settings
    from django.test import Client

    from games import services
    from games.engine import EASY, GameCode
    from games.models import Game, Player

    random_ = random.Random(seed)
    prepared = []
    for index in range(players):
        player = Player.objects.filter(name=f"Player {index}").first()
        player = player or services.create_guest(name=f"Player {index}")
        browser = Client()
        browser.force_login(player)
        made = Game.objects.bulk_create(
            Game(player=player, deal_code=GameCode(1, EASY, random_.randrange(26**7)).text)
            for _ in range(games)
        )
        cookie = (
            f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"
        )
        prepared.append((cookie, [game.public_id for game in made]))
    return prepared


if __name__ == "__main__":
    django.setup()
    from django.db import transaction

    with transaction.atomic():
        made = prepare(*map(int, sys.argv[1:4]))
    sys.stdout.write(msgspec.json.encode(made).decode())
