"""The pages of tournaments: parse, call one service or selector, answer."""

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import transcript, words
from games.models import Game, Player
from tournaments import selectors, services, sharing
from tournaments.forms import describe_rules
from tournaments.models import Entry, Tournament

_A_PAGE: Final = 30
#: Days whose nine holes are listed beside today's.
_DAYS_BACK: Final = 7
#: More pages than any board has; a longer number is not worth reading.
_LAST_PAGE: Final = 10**6

ERRORS: Final = {
    "not_started": _("This tournament has not opened yet."),
    "closed": _("This tournament is over: no hole can be started any more."),
    "no_such_hole": _("This tournament has no such hole."),
    "previous_hole": _("Holes are played in order: finish the one before first."),
    "not_entered": _("Enter the tournament first."),
}


@never_cache
@require_safe
def tournaments(request: HttpRequest) -> HttpResponse:
    """List today's nine holes, and the tournaments that are open, to come and over."""
    past = Paginator(selectors.past_tournaments(), _A_PAGE)
    nine = services.todays_nine(now=timezone.now())
    context = {
        "nine": nine,
        "earlier": []
        if nine is None or nine.day is None
        else selectors.earlier_nines(day=nine.day, count=_DAYS_BACK),
        "open": selectors.open_tournaments(),
        "upcoming": selectors.upcoming_tournaments(),
        "past": past.get_page(request.GET.get("page")),
    }
    return render(request, "tournaments/tournaments.html", context)


@never_cache
@require_safe
def tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a tournament's rules and window, and the visitor's card."""
    found = _tournament(slug)
    entry = _entry(request, found)
    context = {
        **_about(found),
        "holes": selectors.holes_of(tournament=found),
        "card": None if entry is None else selectors.scorecard_of(entry=entry),
        "players": selectors.count_entries(tournament=found),
        "rules": describe_rules(found.rule_set),
    }
    return render(request, "tournaments/tournament.html", context)


@require_POST
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter the tournament."""
    found = _tournament(slug)
    page = reverse("tournament", args=[slug])
    if not isinstance(request.user, Player):
        return redirect_to_login(page)
    try:
        services.enter(tournament=found, player=request.user)
    except services.TournamentError as error:
        messages.error(request, ERRORS[error.code])
    return redirect(page)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def hole(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Start a hole (POST), or show its board; the cards come over its socket."""
    found = _tournament(slug)
    page = reverse("tournament", args=[slug])
    if not isinstance(request.user, Player):
        return redirect_to_login(page)
    entry = _entry(request, found)
    if entry is None:
        messages.error(request, ERRORS["not_entered"])
        return redirect(page)
    if request.method == "POST":
        return _start_hole(request, entry, number, page)
    card = selectors.scorecard_of(entry=entry)
    shown = next((hole for hole in card.holes if hole.number == number), None)
    if shown is None:
        raise Http404
    if shown.game is None:
        return redirect(page)
    links = {
        "tournament": page,
        "leaderboard": reverse("leaderboard", args=[slug]),
        "scorecard": reverse("scorecard", args=[slug, entry.pk]),
    }
    following = number + 1 if number < len(card.holes) else None
    if following is not None:
        links["next_post"] = reverse("hole", args=[slug, following])
    context = {
        **_about(found),
        "game": shown.game,
        "hole": shown,
        "holes": len(card.holes),
        "links": links,
        "par": shown.par,
    }
    return render(request, "tournaments/hole.html", context)


def _start_hole(request: HttpRequest, entry: Entry, number: int, page: str) -> HttpResponse:
    try:
        services.start_hole(entry=entry, number=number)
    except services.TournamentError as error:
        messages.error(request, ERRORS[error.code])
        return redirect(page)
    return redirect(request.path)


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
    found = _tournament(slug)
    entry = _entry_to_show(found, entry_id)
    card = selectors.scorecard_of(entry=entry)
    context = {
        **_about(found),
        "entry": entry,
        "card": card,
        "social": sharing.of_card(request, found, card),
    }
    return render(request, "tournaments/scorecard.html", context)


@require_safe
def hole_replay(request: HttpRequest, slug: str, entry_id: int, number: int) -> HttpResponse:
    """Tell the moves of a hole; before the tournament is closed there is no such page."""
    found = _tournament(slug)
    entry = _entry_to_show(found, entry_id)
    try:
        game = selectors.finished_game_of(entry=entry, number=number)
    except Game.DoesNotExist:
        raise Http404 from None
    context = {
        **_about(found),
        "entry": entry,
        "number": number,
        "game": game,
        "par": selectors.par_of(tournament=found, number=number),
        "transcript": transcript.of(game),
    }
    return render(request, "tournaments/replay.html", context)


def _tournament(slug: str) -> Tournament:
    """Return the tournament as it is now, closed if its time is over."""
    try:
        found = selectors.tournament_of(slug=slug)
    except Tournament.DoesNotExist:
        raise Http404 from None
    return services.close_while_reading(tournament=found, now=timezone.now())


def _about(tournament: Tournament) -> dict[str, Any]:
    """Return what every page of a tournament shows of it."""
    phase = tournament.phase(timezone.now())
    return {
        "tournament": tournament,
        "phase": phase,
        "rules_name": words.rules_name(tournament.rule_set),
        "is_open": phase == Tournament.Phase.OPEN,
        "is_over": phase in (Tournament.Phase.CLOSING, Tournament.Phase.CLOSED),
    }


def _entry(request: HttpRequest, tournament: Tournament) -> Entry | None:
    if not isinstance(request.user, Player):
        return None
    return selectors.entry_of(tournament=tournament, player=request.user)


def _entry_to_show(tournament: Tournament, entry_id: int) -> Entry:
    try:
        return selectors.entry_to_show(tournament=tournament, entry_id=entry_id)
    except Entry.DoesNotExist:
        raise Http404 from None


def _board(request: HttpRequest, slug: str) -> dict[str, Any]:
    found = _tournament(slug)
    asked = request.GET.get("page", "1")
    page = min(int(asked), _LAST_PAGE) if asked.isdecimal() and len(asked) < 10 else 1
    player = request.user if isinstance(request.user, Player) else None
    board = selectors.leaderboard(tournament=found, page=page, player=player)
    return {**_about(found), "board": board}
