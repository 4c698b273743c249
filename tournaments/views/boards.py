"""The leaderboard, scorecards, matches, and the replays of a tournament that is over."""

from dataclasses import replace
from typing import Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import ghosts, review
from games.models import Game, Player
from games.views import go_on_from
from tournaments import selectors, services, sharing
from tournaments.models import Division, Entry, Tournament
from tournaments.selectors import Format
from tournaments.views import rendered
from tournaments.views.common import (
    ERRORS,
    about,
    entry_to_show,
    number_of,
    search_of,
    tournament_of,
)
from tournaments.views.rendered import Asked

#: More pages than any board has; a longer number is not worth reading.
_LAST_PAGE: Final = 10**6
#: Rows of a board that is printed.
_ALL: Final = 1000
_LONGEST_NAME: Final = 40
#: Rows that can be read from the other side of a club room.
SCREEN_ROWS: Final = 10
#: Seconds for which the screen shows a page.
_SECONDS, _FEWEST, _MOST = 12, 4, 120


@never_cache
@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the leaderboard; it updates itself."""
    found = tournament_of(slug)
    asked = _asked(request, found)
    state = _state(found, asked)
    page = rendered.page_of(found, asked, phase=state, template=rendered.BOARD)
    mine = _mine(request, found, asked)
    own = None
    if mine is not None:
        html = rendered.own_row_html(found, page.board, mine.row)
        own = (mine.row.entry_id, html)
    context = {
        **about(found),
        "asked": asked,
        "board": page.board,
        "columns": rendered.columns_of(found, page.board),
        "table": page.html(mine=own),
        "mine": mine,
        "divisions": selectors.divisions_of(tournament=found),
        "formats": selectors.formats_of(found),
        "may_reveal": _may_reveal(request, found),
        "social": sharing.of_board(request, found, _board_of_all(found, asked, page)),
    }
    return render(request, "tournaments/leaderboard.html", context)


@never_cache
@require_safe
def leaderboard_table(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the leaderboard's table alone, for the page that updates itself; the same to all."""
    found = tournament_of(slug)
    asked = _asked(request, found)
    page = rendered.page_of(found, asked, phase=_state(found, asked), template=rendered.BOARD)
    return page.response(request)


@never_cache
@require_safe
def leaderboard_mine(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the reader's own place alone, for the page that updates itself."""
    found = tournament_of(slug)
    asked = _asked(request, found)
    page = rendered.page_of(found, asked, phase=_state(found, asked), template=rendered.BOARD)
    context = {
        "tournament": found,
        "asked": asked,
        "columns": rendered.columns_of(found, page.board),
        "mine": _mine(request, found, asked),
    }
    return render(request, "tournaments/leaderboard_mine.html", context)


@never_cache
@require_POST
def reveal(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a frozen standing to everybody."""
    found = tournament_of(slug)
    if not (
        isinstance(request.user, Player)
        and selectors.clubs.may_direct(club=found.club, player=request.user)
    ):
        raise PermissionDenied
    try:
        services.reveal_standings(tournament=found)
    except services.TournamentError as error:
        messages.error(request, ERRORS[error.code])
    return redirect("leaderboard", slug)


@never_cache
@require_safe
def screen(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the leaderboard to a room: page after page by itself, what everybody may see."""
    found = tournament_of(slug)
    asked = _asked_by_all(request, found)
    page = rendered.page_of(found, asked, phase=_state(found, asked), template=rendered.SCREEN)
    context = {
        **about(found),
        "asked": asked,
        "rows": page.html(),
        "next_page": page.board.page % page.board.pages + 1,
        "seconds": min(max(number_of(request, "seconds") or _SECONDS, _FEWEST), _MOST),
    }
    return render(request, "tournaments/screen.html", context)


@never_cache
@require_safe
def screen_rows(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a page of the screen alone."""
    found = tournament_of(slug)
    asked = _asked_by_all(request, found)
    page = rendered.page_of(found, asked, phase=_state(found, asked), template=rendered.SCREEN)
    return page.response(request)


@never_cache
@require_safe
def scorecard(request: HttpRequest, slug: str, entry_id: int) -> HttpResponse:
    """Show an entry's scorecard."""
    found = tournament_of(slug)
    entry = entry_to_show(found, entry_id)
    player = _player(request)
    view = selectors.card_view(tournament=found, player=player, entry=entry)
    row = selectors.row_of(tournament=found, entry_id=entry.pk, view=view)
    context = {
        **about(found),
        "entry": entry,
        "row": row,
        "rounds": [] if row is None else selectors.rounds_of(row),
        "view": view,
        # Who sees no more than their own card does not see where it stands.
        "has_place": view == selectors.view_for(tournament=found, player=player),
        "moves": selectors.moves_of_holes(entry=entry) if view.is_whole else {},
        "social": sharing.of_card(request, found, entry),
    }
    return render(request, "tournaments/scorecard.html", context)


@never_cache
@require_safe
def match(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a match between two entries, or let the reader choose them."""
    found = tournament_of(slug)
    view = selectors.view_for(tournament=found, player=_player(request))
    chosen = [number_of(request, name) for name in ("a", "b")]
    entries = [None if pk is None else entry_to_show(found, pk) for pk in chosen]
    first, second = entries
    if first is not None and second is not None and first != second:
        board = selectors.match_of(
            tournament=found, first_id=first.pk, second_id=second.pk, view=view
        )
        if board is None:
            raise Http404
        context = {**about(found), "board": board, "view": view}
        return render(request, "tournaments/match.html", context)
    asked = _asked(request, found)
    listed = selectors.leaderboard(tournament=found, view=view, page=asked.page, query=asked.query)
    context = {**about(found), "first": first, "listed": listed, "asked": asked}
    return render(request, "tournaments/match_choice.html", context)


@require_safe
def hole_replay(request: HttpRequest, slug: str, entry_id: int, number: int) -> HttpResponse:
    """Tell the moves of a hole, and what they cost; before they may be seen there is no page."""
    found = tournament_of(slug)
    entry = entry_to_show(found, entry_id)
    game = finished_game(request, found, entry, number)
    below_par = found.strokes_kind == Tournament.StrokesKind.BELOW_PAR
    context = {
        **about(found),
        "entry": entry,
        "number": number,
        "game": game,
        "par": selectors.par_of(tournament=found, number=number),
        "has_ghost": ghosts.is_raceable(game),
        **review.to_show(game=game, below_par=below_par),
    }
    return render(request, "tournaments/replay.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def hole_what_if(request: HttpRequest, slug: str, entry_id: int, number: int) -> HttpResponse:
    """Deal a game of practice from a position of a hole that may be seen."""
    found = tournament_of(slug)
    entry = entry_to_show(found, entry_id)
    game = finished_game(request, found, entry, number)
    page = reverse("hole_replay", args=[slug, entry.pk, number])
    return go_on_from(request, game, page) if request.method == "POST" else redirect(page)


def finished_game(request: HttpRequest, tournament: Tournament, entry: Entry, number: int) -> Game:
    """Return the game of a hole that the reader may see. Raises `Http404`."""
    view = selectors.card_view(tournament=tournament, player=_player(request), entry=entry)
    try:
        return selectors.finished_game_of(entry=entry, number=number, view=view)
    except Game.DoesNotExist:
        raise Http404 from None


# --- what was asked for ------------------------------------------------------------------------


def _player(request: HttpRequest) -> Player | None:
    return request.user if isinstance(request.user, Player) else None


def _asked(request: HttpRequest, tournament: Tournament) -> Asked:
    """Return which board was asked for, by who may see what of it. Raises `Http404`."""
    format_ = request.GET.get("format", Format.STROKE)
    if format_ not in selectors.formats_of(tournament):
        raise Http404
    is_whole = "all" in request.GET
    return Asked(
        view=selectors.view_for(tournament=tournament, player=_player(request)),
        page=1 if is_whole else min(number_of(request, "page") or 1, _LAST_PAGE),
        size=_ALL if is_whole else selectors.PAGE,
        format=Format(format_),
        division=_division(request, tournament),
        query=search_of(request, longest=_LONGEST_NAME),
    )


def _asked_by_all(request: HttpRequest, tournament: Tournament) -> Asked:
    """Return which page of the screen was asked for; it shows what everybody may see."""
    view = selectors.view_for(tournament=tournament, player=None)
    return replace(_asked(request, tournament), view=view, size=SCREEN_ROWS, query="")


def _division(request: HttpRequest, tournament: Tournament) -> Division | None:
    if "division" not in request.GET:
        return None
    number = number_of(request, "division")
    for division in selectors.divisions_of(tournament=tournament):
        if division.pk == number:
            return division
    raise Http404


def _state(tournament: Tournament, asked: Asked) -> str:
    """Return a text that differs wherever what stands around the table does."""
    phase, view = about(tournament)["phase"], asked.view
    return f"{phase}-{tournament.status}-{view.through}-{view.at and view.at.timestamp()}"


def _mine(request: HttpRequest, tournament: Tournament, asked: Asked) -> selectors.OwnRow | None:
    """Return the reader's own row, None for a visitor and for who is not on this board."""
    player = _player(request)
    if player is None:
        return None
    return selectors.own_row(
        tournament=tournament,
        player=player,
        view=asked.view,
        format=asked.format,
        division=asked.division,
        query=asked.query,
        size=asked.size,
    )


def _board_of_all(
    tournament: Tournament, asked: Asked, page: rendered.Rendered
) -> selectors.Leaderboard:
    """Return the head of the board as everybody may see it, for links to it."""
    view = selectors.view_for(tournament=tournament, player=None)
    if asked == Asked(view=view):
        return page.board
    return selectors.leaderboard(tournament=tournament, view=view, size=sharing.LEADERS)


def _may_reveal(request: HttpRequest, tournament: Tournament) -> bool:
    player = _player(request)
    is_kept = not selectors.view_for(tournament=tournament, player=None).is_whole
    is_frozen = is_kept and tournament.visibility == Tournament.Visibility.FROZEN
    return (
        is_frozen
        and player is not None
        and selectors.clubs.may_direct(club=tournament.club, player=player)
    )
