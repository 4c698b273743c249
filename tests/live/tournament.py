"""Makes a tournament on a site's own database, and reads all that is stored of it.

Run as `python -m tests.live.tournament make RULES RANK_BY`, `… read SLUG` or `… recompute SLUG` in
the environment of the site; all print JSON.
"""

import json
import sys
from typing import Any

import django

from tests.harness.commands import Commands


def make_tournament(site: Commands, *, rules: str = "E", rank_by: str = "strokes") -> str:
    """Create a tournament that is open for a day; return its slug."""
    slug = site.run_module(__name__, "make", rules, rank_by)
    assert isinstance(slug, str)
    return slug


def read_tournament(site: Commands, slug: str) -> dict[str, Any]:
    """Return the rows of a tournament: `games` with their journals, `entries`, `board`."""
    stored = site.run_module(__name__, "read", slug)
    assert isinstance(stored, dict)
    return stored


def recompute(site: Commands, slug: str) -> dict[str, int]:
    """Make all figures anew; return how many `games` were played again and rows `corrected`."""
    done = site.run_module(__name__, "recompute", slug)
    assert isinstance(done, dict)
    return done


def _make(rules: str, rank_by: str) -> str:
    from datetime import timedelta

    from django.utils import timezone

    from games.engine import RuleSet
    from tournaments import services
    from tournaments.models import Club

    club, _ = Club.objects.get_or_create(
        slug="club", defaults={"name": "Club", "guests_welcome": True}
    )
    now = timezone.now()
    plan = services.Plan(
        name="Crowd",
        slug="crowd",
        rules=RuleSet.parse(rules),
        rank_by=rank_by,
        rounds=services.whole_window(opens_at=now, closes_at=now + timedelta(days=1)),
    )
    tournament = services.create_tournament(club=club, plan=plan)
    return services.publish(tournament=tournament).slug


def _read(slug: str) -> dict[str, Any]:
    from games.models import Game, Move
    from tournaments import selectors
    from tournaments.models import Entry, HoleResult

    games: dict[int, dict[str, Any]] = {}
    results = HoleResult.objects.filter(hole__tournament__slug=slug)
    for result in results.order_by("entry", "hole__number").values(
        "entry_id", "hole__number", "hole__deal_code", "hole__par", "is_final", "strokes",
        "app_score", "game_id",
    ):  # fmt: skip
        games[result["game_id"]] = {"result": result, "actions": "", "turns": []}
    for game in Game.objects.filter(pk__in=games).values():
        game["finished_at"] = game["finished_at"] is not None
        games[game["id"]]["game"] = {
            name: value for name, value in game.items() if not name.endswith("_at")
        } | {"finished": game["finished_at"]}
    for move in Move.objects.filter(game_id__in=games).order_by("game_id", "turn"):
        games[move.game_id]["actions"] += move.action
        games[move.game_id]["turns"].append(move.turn)
    board = selectors.leaderboard(tournament=selectors.tournament_of(slug=slug), size=1000)
    return {
        "games": list(games.values()),
        "entries": list(
            Entry.objects.filter(tournament__slug=slug)
            .order_by("id")
            .values("id", "player__name", "thru", "strokes", "to_par", "app_score")
        ),
        "board": [
            {"entry": row.entry_id, "place": row.standing.place_text, "name": row.name}
            for row in board.rows
        ],
    }


def _recompute(slug: str) -> dict[str, int]:
    from tournaments import selectors, services

    done = services.recompute(tournament=selectors.tournament_of(slug=slug))
    return {"games": done.games, "corrected": done.corrected}


if __name__ == "__main__":
    django.setup()
    command = {"make": _make, "read": _read, "recompute": _recompute}[sys.argv[1]]
    sys.stdout.write(json.dumps(command(*sys.argv[2:])))
