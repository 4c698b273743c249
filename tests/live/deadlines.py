"""Moves deadlines on a site's own database, as another process does, and looks what came of it.

Run as `python -m tests.live.deadlines COMMAND …` in the environment of the site; prints JSON.
"""

import json
import sys
from typing import Any

import django

from tests.harness.site import Site


def run(site: Site, command: str, *arguments: object) -> Any:
    """Run a command of this module on a site's database; return what it found."""
    return site.run_module(__name__, command, *arguments, timeout=120)


def _extend(slug: str, seconds: str) -> int:
    """Give every entry so many seconds from now, as a director does; return ms since 1970."""
    from datetime import timedelta

    from django.utils import timezone

    from games.open_games import ms_since_1970
    from tournaments import services
    from tournaments.models import Entry

    until = timezone.now() + timedelta(seconds=float(seconds))
    for entry in Entry.objects.filter(tournament__slug=slug):
        services.extend_window(entry=entry, until=until, by=entry.player, reason="A power cut.")
    return ms_since_1970(until)


def _end(slug: str, seconds: str) -> None:
    """Let the tournament end so many seconds from now, for who has not been given more time."""
    from datetime import timedelta

    from django.utils import timezone

    from tournaments import services
    from tournaments.models import Round, Tournament

    closes_at = timezone.now() + timedelta(seconds=float(seconds))
    Round.objects.filter(tournament__slug=slug).update(closes_at=closes_at)
    Tournament.objects.filter(slug=slug).update(closes_at=closes_at)
    services.refresh_deadlines(tournament=Tournament.objects.get(slug=slug))


def _fill(slug: str, entries: str) -> None:
    """Put so many holes in progress into a tournament that was over a second ago."""
    from datetime import timedelta

    from django.utils import timezone

    from games.models import Game, Move, Player
    from tournaments.models import Entry, Hole, HoleResult, Round, Tournament

    tournament = Tournament.objects.get(slug=slug)
    hole = Hole.objects.get(tournament=tournament, number=1)
    over = timezone.now() - timedelta(seconds=1)
    start = over - timedelta(hours=1)
    names = [f"Player {number}" for number in range(int(entries))]
    players = Player.objects.bulk_create(
        Player(username=name, name=name, is_guest=True) for name in names
    )
    games = Game.objects.bulk_create(
        Game(
            player=player, deal_code=hole.deal_code, is_secret=True, undo_allowed=False,
            hints_allowed=False, started_at=start, closes_at=over,
        )
        for player in players
    )  # fmt: skip
    Move.objects.bulk_create(Move(game=game, turn=0, action="d", ms=5) for game in games)
    made = Entry.objects.bulk_create(
        Entry(
            tournament=tournament, player=player, name=player.name, name_key=player.name,
            started_at=start,
        )
        for player in players
    )  # fmt: skip
    HoleResult.objects.bulk_create(
        HoleResult(entry=entry, hole=hole, game=game)
        for entry, game in zip(made, games, strict=True)
    )
    for rows in (Tournament.objects.filter(pk=tournament.pk), Round.objects.all()):
        rows.update(opens_at=start, closes_at=over)


def _count(slug: str) -> dict[str, Any]:
    """Return how far the closing has come."""
    from games.models import Game, Move
    from tournaments.models import Entry, HoleResult, StatusChange, Tournament

    games = Game.objects.filter(hole_result__hole__tournament__slug=slug)
    results = HoleResult.objects.filter(hole__tournament__slug=slug)
    return {
        "status": Tournament.objects.get(slug=slug).status,
        "steps": StatusChange.objects.filter(tournament__slug=slug, after="closed").count(),
        "closed": games.filter(state="closed", finished_at__isnull=False).count(),
        "ends": Move.objects.filter(game__in=games, action="c").count(),
        "secret": games.filter(is_secret=True).count(),
        "recorded": results.filter(is_final=True, strokes=35, app_score=0).count(),
        "thru": Entry.objects.filter(tournament__slug=slug, thru=1).count(),
    }


if __name__ == "__main__":
    django.setup()
    command = {"extend": _extend, "end": _end, "fill": _fill, "count": _count}[sys.argv[1]]
    sys.stdout.write(json.dumps(command(*sys.argv[2:])))
