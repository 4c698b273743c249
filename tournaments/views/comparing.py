"""Two lines of a hole side by side, and races against the ghosts of its games."""

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games import comparison
from games.models import Player
from games.views import deal_against, game_of, show_board
from tournaments import selectors
from tournaments.models import Hole, HoleResult
from tournaments.views.boards import finished_game
from tournaments.views.common import about, entry_to_show, number_of, player_of, tournament_of


@never_cache
@require_safe
def hole_compare(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the lines that two entries, `a` and `b`, took on a hole.

    Who is not chosen is the reader, or the best of the others. Before the reveal there is no page.
    """
    found = tournament_of(slug)
    player = player_of(request)
    view = selectors.view_for(tournament=found, player=player)
    if not selectors.figures.may_see_cards(tournament=found, view=view):
        raise Http404
    try:
        par = selectors.par_of(tournament=found, number=number)
    except Hole.DoesNotExist:
        raise Http404 from None
    lines = selectors.cards.lines_of_hole(tournament=found, number=number)
    chosen = _chosen(request, lines, player)
    context = {
        **about(found),
        "number": number,
        "par": par,
        "lines": lines,
        "chosen": chosen,
        "player": player,
    }
    if len(chosen) == 2:
        games = [result.game for result in chosen if result.game is not None]
        compared = comparison.of(*games)
        sides = zip(chosen, (compared.first, compared.second), strict=True)
        context |= {"compared": compared, "sides": list(sides)}
    return render(request, "tournaments/compare.html", context)


def _chosen(
    request: HttpRequest, lines: list[HoleResult], player: Player | None
) -> list[HoleResult]:
    """Return the results to compare, two where there are so many. Raises `Http404`."""
    by_entry = {result.entry_id: result for result in lines}
    asked = [number_of(request, name) for name in ("a", "b")]
    if any(pk is not None and pk not in by_entry for pk in asked):
        raise Http404
    first, second = (None if pk is None else by_entry[pk] for pk in asked)
    own = None
    if player is not None:
        own = next((each for each in lines if each.entry.player_id == player.pk), None)
    if first is None:
        others = [each for each in lines if each is not second]
        first = own if own in others else next(iter(others), None)
    if second is None or second is first:
        second = next((each for each in lines if each is not first), None)
    return [each for each in (first, second) if each is not None]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def hole_ghost(request: HttpRequest, slug: str, entry_id: int, number: int) -> HttpResponse:
    """Deal a game of practice against the ghost of a hole that may be seen."""
    found = tournament_of(slug)
    entry = entry_to_show(found, entry_id)
    ghost = finished_game(request, found, entry, number)
    page = reverse("hole_replay", args=[slug, entry.pk, number])
    if request.method != "POST":
        return redirect(page)
    if not isinstance(request.user, Player):
        return redirect_to_login(page)
    game = deal_against(player=request.user, ghost=ghost)
    return redirect("ghost_race", slug, entry.pk, number, game.public_id)


@never_cache
@require_safe
def ghost_race(
    request: HttpRequest, slug: str, entry_id: int, number: int, public_id: str
) -> HttpResponse:
    """Show the board of a game against such a ghost."""
    found = tournament_of(slug)
    entry = entry_to_show(found, entry_id)
    ghost = finished_game(request, found, entry, number)
    if not isinstance(request.user, Player):
        return redirect_to_login(request.path)
    game = game_of(request.user, public_id)
    return show_board(
        request,
        game,
        ghost=ghost,
        ghost_name=entry.name,
        again=reverse("hole_ghost", args=[slug, entry.pk, number]),
    )
