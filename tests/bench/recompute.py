"""How long a whole board takes, made anew from all its moves: `python -m tests.bench.recompute`.

10,000 entries of nine holes with fifty moves each, in a database of its own (SQLite, or
DATABASE_URL). Some figures are wrong, and must be right afterwards. Exits with 1 where it takes
longer than it may.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.bench.boards import set_up
from tests.bench.pages import RESULTS

#: Seconds for the whole board.
LIMIT = 60.0
#: Actions of each game.
LENGTH = 50
#: Entries that really played; the others have done the same.
PLAYED = 50
#: Results with wrong figures.
BROKEN = 9


def _actions(deal: Any, rules: Any, chance: random.Random) -> str:
    """Return the actions of a game; some draws are taken back, so that there are enough of them."""
    from games.engine import Play

    play = Play(deal, rules)
    while play.legal():
        cards = play.legal().strip("d")
        play.act(chance.choice(cards) if cards and chance.random() < 0.95 else play.legal()[-1])
    actions = play.journal + "g" * (not play.final)
    return "du" * ((LENGTH - len(actions)) // 2) + actions


def _play(tournament: Any, chance: random.Random) -> list[Any]:
    """Let some players finish all holes, and return their entries as the services make them."""
    from games import services as games_services
    from games.engine import GameCode, Play
    from games.models import Game, Move
    from tests.tournaments.factories import new_entry
    from tournaments import services
    from tournaments.models import HoleResult

    entries = [new_entry(tournament, f"Player {number}") for number in range(PLAYED)]
    started = datetime.now(UTC) - timedelta(minutes=1)
    for hole in tournament.holes.order_by("number"):
        code = GameCode.parse(hole.deal_code)
        deal = code.deal()
        for entry in entries:
            actions = _actions(deal, code.rules, chance)
            last = (len(actions) - 1) * 1000
            play = Play.replay(deal, code.rules, actions)
            game = Game.objects.create(
                player=entry.player,
                deal_code=code.text,
                is_secret=True,
                closes_at=tournament.closes_at,
                started_at=started,
                finished_at=started + timedelta(milliseconds=last),
                **games_services.figures_of(play=play, first_ms=0, last_ms=last),
            )
            Move.objects.bulk_create(
                Move(game=game, turn=turn, action=action, ms=turn * 1000)
                for turn, action in enumerate(actions)
            )
            HoleResult.objects.create(entry=entry, hole=hole, game=game)
    for entry in entries:
        services.refresh_entry(entry_id=entry.pk)
        entry.refresh_from_db()
    return entries


def _copy(entries: list[Any], count: int) -> None:
    """Let others have played just as these have, until there are `count` entries."""
    from django.db import connection

    from games.models import Game, Move, Player, new_public_id
    from tournaments.models import Entry, HoleResult

    Player.objects.bulk_create(
        Player(username=f"copy-{number}", name=f"Copy {number}", password="!")
        for number in range(count - len(entries))
    )
    players = list(Player.objects.filter(username__startswith="copy-").order_by("pk"))
    sources = [entries[at % len(entries)] for at in range(len(players))]
    made = Entry.objects.bulk_create(
        (
            _copied(source, player=player, name=player.name, name_key=player.username)
            for source, player in zip(sources, players, strict=True)
        ),
        batch_size=500,
    )
    results = {entry.pk: list(HoleResult.objects.filter(entry=entry)) for entry in entries}
    games = {game.pk: game for game in Game.objects.all()}
    pairs = [
        (entry, result)
        for source, entry in zip(sources, made, strict=True)
        for result in results[source.pk]
    ]
    played = Game.objects.bulk_create(
        (
            _copied(games[result.game_id], player_id=entry.player_id, public_id=new_public_id())
            for entry, result in pairs
        ),
        batch_size=500,
    )
    HoleResult.objects.bulk_create(
        (
            _copied(result, entry=entry, game=game)
            for (entry, result), game in zip(pairs, played, strict=True)
        ),
        batch_size=500,
    )
    copies = [(game.pk, result.game_id) for (_, result), game in zip(pairs, played, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE copies (game bigint, source bigint)")
        cursor.executemany("INSERT INTO copies VALUES (%s, %s)", copies)
        table = Move._meta.db_table
        cursor.execute(
            f"INSERT INTO {table} (game_id, turn, action, ms)"
            f" SELECT copies.game, turn, action, ms FROM copies JOIN {table} ON game_id = source"
            " ORDER BY copies.game, turn"
        )


def _copied(row: Any, **changed: Any) -> Any:
    """Return an unsaved copy of a row."""
    fields = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    copy = type(row)(**{**fields, "id": None})
    for name, value in changed.items():
        setattr(copy, name, value)
    return copy


def _measure(count: int) -> dict[str, int | float]:
    from games.models import Move
    from tests.tournaments.factories import new_tournament
    from tournaments import services
    from tournaments.models import HoleResult

    tournament = new_tournament(codes=None)
    _copy(_play(tournament, random.Random(1)), count)
    right = dict(HoleResult.objects.values_list("pk", "strokes"))
    step = len(right) // BROKEN
    for pk in sorted(right)[step // 2 :: step][:BROKEN]:
        HoleResult.objects.filter(pk=pk).update(strokes=34)
    began = time.perf_counter()
    done = services.recompute(tournament=tournament)
    seconds = time.perf_counter() - began
    if dict(HoleResult.objects.values_list("pk", "strokes")) != right:
        raise SystemExit("The results are not as they were.")
    return {
        "entries": count,
        "games": done.games,
        "moves": Move.objects.count(),
        "seconds": seconds,
        "broken": BROKEN,
        "corrected": done.corrected,
    }


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tests.bench.recompute", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--entries", type=int, default=10_000)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="golf-bench-recompute-")
    try:
        set_up(folder)
        found = _measure(options.entries)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.write(
        f"{found['moves']:,} moves of {found['games']:,} games: {found['seconds']:.1f} s,"
        f" {found['corrected']} of {found['broken']} put right\n"
    )
    RESULTS.mkdir(exist_ok=True)
    written = {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "limit": LIMIT,
        **found,
    }
    (RESULTS / "recompute.json").write_text(json.dumps(written, indent=2) + "\n")
    return int(found["seconds"] >= LIMIT)


if __name__ == "__main__":
    sys.exit(main())
