"""How long the figures of a large field take: `python -m tests.bench.figures [--entries 500]`.

Measured in one process on a database of its own (SQLite, or DATABASE_URL): nine holes that all
have played to the end, with all their moves. Exits with 1 where a median is above what is allowed.
"""

import argparse
import itertools
import json
import random
import shutil
import statistics
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.bench.boards import ms, set_up
from tests.bench.pages import RESULTS

#: Milliseconds that a page may take at the median.
LIMIT = 200.0
ROUNDS = 15


def _actions(deal: Any, rules: Any, chance: random.Random) -> tuple[str, dict[str, Any]]:
    from games import services
    from games.engine import Play

    play = Play(deal, rules, undo=False)
    while not play.final:
        cards = play.legal().strip("d")
        play.act(chance.choice(cards) if cards and chance.random() < 0.95 else play.legal()[-1])
    return play.journal, services.figures_of(play=play, first_ms=0, last_ms=60_000)


def _fill(entries: int) -> Any:
    """Let so many players finish nine holes each, and close the tournament."""
    from django.utils import timezone

    from games.engine import GameCode
    from games.models import Game, Move, Player
    from tests.tournaments.factories import let_time_pass, new_tournament
    from tournaments import services
    from tournaments.models import Entry, HoleResult

    chance = random.Random(1)
    tournament = new_tournament(codes=None)
    Player.objects.bulk_create(
        Player(username=f"player-{number}", name=f"Player {number}", password="!")
        for number in range(entries)
    )
    players = list(Player.objects.filter(username__startswith="player-").order_by("pk"))
    Entry.objects.bulk_create(
        Entry(tournament=tournament, player=player, name=player.name, name_key=player.username)
        for player in players
    )
    now = timezone.now()
    for hole in tournament.holes.order_by("number"):
        code = GameCode.parse(hole.deal_code)
        deal = code.deal()
        games, journals = [], []
        for player in players:
            actions, figures = _actions(deal, code.rules, chance)
            journals.append(actions)
            games.append(
                Game(
                    player=player,
                    deal_code=code.text,
                    is_secret=True,
                    undo_allowed=False,
                    closes_at=tournament.closes_at,
                    started_at=now - timedelta(minutes=1),
                    finished_at=now,
                    **figures,
                )
            )
        made = Game.objects.bulk_create(games, batch_size=500)
        Move.objects.bulk_create(
            (
                Move(game=game, turn=turn, action=action, ms=turn * 1000)
                for game, actions in zip(made, journals, strict=True)
                for turn, action in enumerate(actions)
            ),
            batch_size=2000,
        )
        of_player = dict(Entry.objects.filter(tournament=tournament).values_list("player", "pk"))
        HoleResult.objects.bulk_create(
            HoleResult(entry_id=of_player[game.player_id], hole=hole, game=game) for game in made
        )
    for entry in Entry.objects.filter(tournament=tournament):
        services.refresh_entry(entry_id=entry.pk)
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    return tournament


def _measure(entries: int) -> dict[str, list[float]]:
    from django.test import Client
    from django.urls import reverse

    from games.models import Player

    tournament = _fill(entries)
    entry = tournament.entries.order_by("pk")[entries // 2]
    client = Client(headers={"accept-encoding": "gzip"})

    def get(name: str, *args: Any) -> None:
        assert client.get(reverse(name, args=args)).status_code == 200

    get("home")
    slug = tournament.slug
    found = {
        "first of all": [ms(lambda: get("tournament_figures", slug))],
        "first of holes": [ms(lambda n=n: get("hole_figures", slug, n)) for n in range(1, 10)],
    }
    review = [(slug, entry.pk, number) for number in range(1, 10)]
    found["first of reviews"] = [ms(lambda args=args: get("hole_replay", *args)) for args in review]
    pages: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
        "field": ("tournament_figures", [(slug,)]),
        "hole": ("hole_figures", [(slug, number) for number in range(1, 10)]),
        "leaderboard": ("leaderboard", [(slug,)]),
        "scorecard": ("scorecard", [(slug, entry.pk)]),
        "review": ("hole_replay", review),
    }
    for name, (page, asked) in pages.items():
        found[name] = [
            ms(lambda page=page, args=args: get(page, *args))
            for args in itertools.islice(itertools.cycle(asked), ROUNDS)
        ]
    client.force_login(Player.objects.get(pk=entry.player_id))
    found["my figures"] = [ms(lambda: get("my_figures")) for _ in range(ROUNDS)]
    return found


def main() -> int:
    """Measure, print and write; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tests.bench.figures", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--entries", type=int, default=500)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="golf-bench-figures-")
    try:
        set_up(folder)
        found = _measure(options.entries)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    medians = {name: statistics.median(times) for name, times in found.items()}
    for name, median in medians.items():
        each = " ".join(f"{time:.0f}" for time in found[name])
        sys.stdout.write(f"{name:18}{median:8.1f} ms   ({each})\n")
    # What is made first is made once for all; what is asked for all day is what counts.
    asked = [name for name in medians if not name.startswith("first")]
    RESULTS.mkdir(exist_ok=True)
    written = {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "entries": options.entries,
        "limit": LIMIT,
        "asked": asked,
        "medians": medians,
    }
    (RESULTS / "figures.json").write_text(json.dumps(written, indent=2) + "\n")
    missed = [name for name in asked if medians[name] > LIMIT]
    for name in missed:
        sys.stdout.write(f"The {name} takes longer than {LIMIT:g} ms.\n")
    return 1 if missed else 0


if __name__ == "__main__":
    # The solver's process is spawned, and imports this module anew.
    sys.exit(main())
