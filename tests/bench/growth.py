"""Whether it stays as quick as it grows: with more players, and with more moves in the database.

`python -m tests.bench.growth MOVES` stores so many moves in the database of the environment.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable
from contextlib import ExitStack
from statistics import median

import django

from tests.bench.lines import Line
from tests.bench.load import Result
from tests.bench.servers import DATABASES, NAMES, SITE, Bench, Database

#: Players of one process, who all play as fast as they are answered.
PLAYERS = (50, 200, 1_000)
#: Stored moves, and how fast is played with them.
STORED = (1_000, 100_000, 10_000_000)
PACED_PLAYERS, PACE = 200, 300.0
#: Moves of each stored game.
LENGTH = 50
#: Games whose moves are stored together.
CHUNK = 10_000
#: How much more or less than the median of all counts as noise.
NOISE = 0.25


def measure(bench: Bench) -> list[Line]:
    """Measure both on both databases."""
    lines = []
    for database in DATABASES:
        lines += [_with_players(bench, database), _with_moves(bench, database)]
    return lines


def _with_players(bench: Bench, database: Database) -> Line:
    found: dict[int, list[float]] = defaultdict(list)
    with bench.serving(f"growth, {NAMES[database]}", SITE, database) as server:
        for number in range(bench.options.rounds):
            for players in PLAYERS if number % 2 == 0 else reversed(PLAYERS):
                seats = server.seats(players=players, seed=number, games=1)
                found[players].append(server.load(seats, endless=True).rate)
    rates = [median(found[players]) for players in PLAYERS]
    return Line(
        f"moves/s of {_listed(PLAYERS)} players, {NAMES[database]}",
        "flat within noise",
        f"{_listed(map(round, rates))} /s",
        is_flat(rates),
        {"rates": {str(players): found[players] for players in PLAYERS}},
    )


def _with_moves(bench: Bench, database: Database) -> Line:
    found: dict[int, list[Result]] = defaultdict(list)
    with ExitStack() as stack:
        servers = {}
        for moves in STORED:
            server = stack.enter_context(
                bench.serving(f"{moves:,} moves, {NAMES[database]}", SITE, database)
            )
            server.run("tests.bench.growth", str(moves))
            server.count_stored()
            servers[server] = moves
        for number, server in bench.rounds(list(servers)):
            seats = server.seats(players=PACED_PLAYERS, seed=number, games=1)
            found[servers[server]].append(server.load(seats, pace=PACE, endless=True))
    middle = [median(result.median for result in found[moves]) for moves in STORED]
    high = [median(result.p99 for result in found[moves]) for moves in STORED]
    return Line(
        f"answer time with {_listed(STORED)} stored moves, {NAMES[database]}",
        "flat within noise",
        f"median {' / '.join(f'{ms:.1f}' for ms in middle)} ms,"
        f" p99 {' / '.join(f'{ms:.1f}' for ms in high)} ms",
        is_flat(middle),
        {
            "median": {str(moves): [r.median for r in found[moves]] for moves in STORED},
            "p99": {str(moves): [r.p99 for r in found[moves]] for moves in STORED},
        },
    )


def is_flat(figures: list[float]) -> bool:
    """Return whether no figure is further from the middle one than noise is."""
    middle = median(figures)
    return all(abs(figure - middle) <= NOISE * middle for figure in figures)


def _listed(numbers: Iterable[int]) -> str:
    return " / ".join(f"{number:,}" for number in numbers)


def store(moves: int) -> None:
    """Store games of one player with so many moves in all."""
    from django.db import connection, transaction
    from django.utils import timezone

    from games import services
    from games.models import Game, Move, new_public_id

    owner = services.create_guest(name="Past")
    now = timezone.now()
    Game.objects.bulk_create(
        (
            Game(
                public_id=new_public_id(), player=owner, deal_code="GO1-E-AAAAAAB",
                started_at=now, finished_at=now, state="given_up",
            )
            for _ in range(moves // LENGTH)
        ),
        batch_size=500,
    )  # fmt: skip
    games = list(Game.objects.filter(player=owner).order_by("pk").values_list("pk", flat=True))
    with transaction.atomic(), connection.cursor() as cursor:
        for at in range(0, len(games), CHUNK):
            chunk = games[at : at + CHUNK]
            cursor.execute(
                "WITH RECURSIVE numbers (number) AS"
                " (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < %s - 1)"
                f" INSERT INTO {Move._meta.db_table} (game_id, turn, action, ms)"
                " SELECT id, number, CASE number %% 2 WHEN 0 THEN 'd' ELSE 'u' END, number * 1000"
                f" FROM {Game._meta.db_table} CROSS JOIN numbers WHERE id BETWEEN %s AND %s"
                " ORDER BY id, number",
                [LENGTH, chunk[0], chunk[-1]],
            )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


if __name__ == "__main__":
    django.setup()
    store(int(sys.argv[1]))
