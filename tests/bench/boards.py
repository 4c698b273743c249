"""How long a board takes: `python -m tests.bench.boards [--entries 10000]`.

Measured in one process on a database of its own (SQLite, or DATABASE_URL): the first page that
anybody asks for, the pages after it, and what one finished hole costs until everybody sees it.
Exits with 1 where a limit is missed.
"""

import argparse
import gc
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.bench.pages import RESULTS

#: Milliseconds: a page once the process has read the field, and a finished hole until it is shown.
LIMITS = {"page": 50.0, "hole": 20.0}
ROUNDS = 15


def set_up(folder: str) -> None:
    """Make a database of its own there, and use it in this process."""
    import django
    from django.core.management import call_command

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "golfsite.settings")
    os.environ |= {
        "GOLF_DATA_DIR": folder,
        "GOLF_HOSTS": "testserver",
        "GOLF_SECRET_KEY": "measured",
        "GOLF_STATIC_ROOT": f"{folder}/static",
    }
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    gc.collect()
    gc.freeze()  # as the server does


def _fill(entries: int) -> Any:
    """Make a tournament in which everybody has finished eight holes of nine."""
    from django.utils import timezone

    from games.models import Player
    from tests.tournaments.factories import new_tournament
    from tournaments.models import Entry, PlayedHole, holes_text

    chance = random.Random(1)
    tournament = new_tournament(tie_break="countback", codes=None)
    there = Player.objects.filter(username__startswith="player-").count()
    Player.objects.bulk_create(
        Player(username=f"player-{number}", name=f"Player {number}", password="!")
        for number in range(there, entries)
    )
    at = int(timezone.now().timestamp() * 1000)
    rows = []
    for player in Player.objects.filter(username__startswith="player-").order_by("pk")[:entries]:
        holes = [
            PlayedHole(number, chance.randrange(12), 100, 60_000, at, 0, 0, False)
            for number in range(1, 9)
        ]
        rows.append(
            Entry(
                tournament=tournament,
                player=player,
                name=player.name,
                name_key=player.username,
                played=holes_text(holes),
                thru=8,
            )
        )
    Entry.objects.bulk_create(rows, batch_size=500)
    return tournament


def _holes(tournament: Any, count: int) -> list[Any]:
    """Let some entries have really played eight holes, and return each one's ninth game."""
    from games.models import Game
    from tests.tournaments.factories import record
    from tournaments.models import Entry, HoleResult

    games = []
    now = datetime.now(UTC)
    hole = tournament.holes.get(number=9)
    for entry in Entry.objects.filter(tournament=tournament)[:count]:
        record(entry, *[5] * 8)
        game = Game.objects.create(
            player=entry.player, deal_code=hole.deal_code, is_secret=True, started_at=now
        )
        HoleResult.objects.create(entry=entry, hole=hole, game=game)
        games.append(game)
    return games


def ms(work: Callable[[], Any]) -> float:
    """Return how many milliseconds some work takes."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def _queries(entries: int) -> int:
    """Return how many queries the page of a board takes that nobody has asked for yet."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext
    from django.urls import reverse

    tournament = _fill(entries)
    address = reverse("leaderboard", args=[tournament.slug])
    with CaptureQueriesContext(connection) as queries:
        assert Client().get(address).status_code == 200
    tournament.entries.all().delete()
    return len(queries)


def _measure(entries: int) -> dict[str, list[float]]:
    from django.test import Client
    from django.urls import reverse

    from games.models import Game
    from tournaments import services

    tournament = _fill(entries)
    games = _holes(tournament, ROUNDS)
    board, table = (
        reverse(name, args=[tournament.slug]) for name in ("leaderboard", "leaderboard_table")
    )
    client = Client(headers={"accept-encoding": "gzip"})

    def get(address: str) -> None:
        assert client.get(address).status_code == 200

    get(reverse("home"))
    found: dict[str, list[float]] = {"cold": [ms(lambda: get(board))]}
    found["page"] = [ms(lambda: get(board)) for _ in range(ROUNDS)]
    found["another page"] = [ms(lambda n=n: get(f"{board}?page={n}")) for n in range(2, 8)]
    found["search"] = [ms(lambda n=n: get(f"{board}?q=player+{n}")) for n in range(6)]
    found["piece"] = [ms(lambda: get(table)) for _ in range(ROUNDS)]
    found["hole"] = []
    for at, game in enumerate(games):
        Game.objects.filter(pk=game.pk).update(
            finished_at=datetime.now(UTC) + timedelta(seconds=1), state="given_up", strokes=at,
            left=at, cleared=35 - at,
        )  # fmt: skip

        def finish(game: Any = game) -> None:
            services.record_result(game_id=game.pk)
            get(table)

        found["hole"].append(ms(finish))
    return found


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(prog="tests.bench.boards", description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=10_000)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="golf-bench-boards-")
    try:
        set_up(folder)
        queries = {entries: _queries(entries) for entries in (100, options.entries)}
        found = _measure(options.entries)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    medians = {name: statistics.median(times) for name, times in found.items()}
    for name, median in medians.items():
        each = " ".join(f"{time:.0f}" for time in found[name])
        sys.stdout.write(f"{name:14}{median:8.1f} ms   ({each})\n")
    words = " and ".join(f"{found} with {entries:,} entries" for entries, found in queries.items())
    sys.stdout.write(f"queries of a page that nobody has asked for yet: {words}\n")
    RESULTS.mkdir(exist_ok=True)
    written = {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "entries": options.entries,
        "limits": LIMITS,
        "queries": queries,
        "medians": medians,
    }
    (RESULTS / "boards.json").write_text(json.dumps(written, indent=2) + "\n")
    missed = [name for name, limit in LIMITS.items() if medians[name] > limit]
    for name in missed:
        sys.stdout.write(f"The {name} takes longer than {LIMITS[name]:g} ms.\n")
    if len(set(queries.values())) > 1:
        sys.stdout.write("More entries take more queries.\n")
        return 1
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
