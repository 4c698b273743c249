"""The leaderboard, scorecards, and the replays of a tournament that is over."""

from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games import transcript
from games.models import Game, Player
from tournaments import selectors, sharing
from tournaments.views.common import about, entry_to_show, tournament_of

#: More pages than any board has; a longer number is not worth reading.
_LAST_PAGE: Final = 10**6


@never_cache
@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the leaderboard; it updates itself."""
    context = _board(request, slug)
    context["social"] = sharing.of_board(request, context["tournament"], context["board"])
    return render(request, "tournaments/leaderboard.html", context)


@never_cache
@require_safe
def leaderboard_table(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the leaderboard's table alone, for the page that updates itself."""
    return render(request, "tournaments/leaderboard_table.html", _board(request, slug))


@never_cache
@require_safe
def scorecard(request: HttpRequest, slug: str, entry_id: int) -> HttpResponse:
    """Show an entry's scorecard."""
    found = tournament_of(slug)
    entry = entry_to_show(found, entry_id)
    card = selectors.scorecard_of(entry=entry)
    context = {
        **about(found),
        "entry": entry,
        "card": card,
        "social": sharing.of_card(request, found, card),
    }
    return render(request, "tournaments/scorecard.html", context)


@require_safe
def hole_replay(request: HttpRequest, slug: str, entry_id: int, number: int) -> HttpResponse:
    """Tell the moves of a hole; before the tournament is closed there is no such page."""
    found = tournament_of(slug)
    entry = entry_to_show(found, entry_id)
    try:
        game = selectors.finished_game_of(entry=entry, number=number)
    except Game.DoesNotExist:
        raise Http404 from None
    context = {
        **about(found),
        "entry": entry,
        "number": number,
        "game": game,
        "par": selectors.par_of(tournament=found, number=number),
        "transcript": transcript.of(game),
    }
    return render(request, "tournaments/replay.html", context)


def _board(request: HttpRequest, slug: str) -> dict[str, Any]:
    found = tournament_of(slug)
    asked = request.GET.get("page", "1")
    page = min(int(asked), _LAST_PAGE) if asked.isdecimal() and len(asked) < 10 else 1
    player = request.user if isinstance(request.user, Player) else None
    board = selectors.leaderboard(tournament=found, page=page, player=player)
    return {**about(found), "board": board}
