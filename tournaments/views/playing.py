"""Entering a tournament, playing a hole of it, leaving it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games import resume
from games.models import Player
from games.open_games import ms_since_1970
from tournaments import devices, selectors, services
from tournaments.models import Division, Entry, Tournament
from tournaments.selectors.playing import Course
from tournaments.views.common import ERRORS, about, entry_of, player_of, tournament_of


def what_comes_next(
    request: HttpRequest, tournament: Tournament, entry: Entry | None
) -> dict[str, Any]:
    """Return what tournaments/turn.html shows: what who asks can do now, or why nothing."""
    now = timezone.now()
    if entry is None:
        refusal = selectors.playing.refusal_to_enter(
            tournament=tournament, player=player_of(request), now=now
        )
        return {
            "refusal": refusal and ERRORS[refusal],
            "divisions": selectors.playing.divisions_of(tournament=tournament),
        }
    turn = Course(entry=entry, now=now, tournament=tournament).turn()
    return {"entry": entry, "turn": turn, "refusal": turn.code and ERRORS[turn.code]}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter the tournament, in a division where there are any.

    A stranger is asked who he is first, and comes back here (GET) to what he has pressed.
    """
    found = tournament_of(slug)
    page = reverse("tournament", args=[slug])
    is_pressed = request.method == "POST"
    if not isinstance(request.user, Player):
        return resume.ask_who_is_playing(request) if is_pressed else redirect(page)
    if not is_pressed and not resume.is_due(request):
        return redirect(page)
    try:
        division = _division(found, request.POST.get("division", ""))
        services.enter(tournament=found, player=request.user, division=division)
    except services.TournamentError as error:
        messages.error(request, ERRORS[error.code])
    return redirect(page)


def _division(tournament: Tournament, chosen: str) -> Division | None:
    if not chosen:
        return None
    for division in selectors.playing.divisions_of(tournament=tournament):
        if str(division.pk) == chosen:
            return division
    raise services.TournamentError("no_such_division")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask whether to leave the tournament for good, or leave it (POST)."""
    found = tournament_of(slug)
    page = reverse("tournament", args=[slug])
    if not isinstance(request.user, Player):
        return redirect_to_login(page)
    entry = entry_of(request, found)
    if entry is None:
        messages.error(request, ERRORS["not_entered"])
        return redirect(page)
    if request.method != "POST":
        context = {**about(found), "entry": entry}
        return render(request, "tournaments/withdraw.html", context)
    try:
        services.withdraw(entry=entry)
    except services.TournamentError as error:
        messages.error(request, ERRORS[error.code])
    else:
        messages.success(request, _("You have left the tournament."))
    return redirect(page)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def hole(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Start a hole (POST), or show its board; the cards come over its socket."""
    found = tournament_of(slug)
    page = reverse("tournament", args=[slug])
    if found.is_race:
        return redirect(page)
    if not isinstance(request.user, Player):
        return redirect_to_login(page)
    entry = entry_of(request, found)
    if entry is None:
        messages.error(request, ERRORS["not_entered"])
        return redirect(page)
    if request.method == "POST":
        return _start_hole(request, entry, number, page)
    course = Course(entry=entry, now=timezone.now(), tournament=found)
    if number not in course.holes:
        raise Http404
    result = course.result(number)
    if result is None or result.game is None:
        return redirect(page)
    shown = course.holes[number]
    context = {
        **about(found),
        "entry": entry,
        "game": result.game,
        "hole": shown,
        "holes": len(course.holes),
        "is_limited": course.is_limited,
        "links": _links(course, number),
        "par": shown.par,
    }
    return render(request, "tournaments/hole.html", context)


def _links(course: Course, number: int) -> dict[str, Any]:
    slug = course.tournament.slug
    links: dict[str, Any] = {
        "tournament": reverse("tournament", args=[slug]),
        "leaderboard": reverse("leaderboard", args=[slug]),
        "scorecard": reverse("scorecard", args=[slug, course.entry.pk]),
    }
    following = course.following(number)
    if following.number is not None and following.closes_at is not None:
        links["next_post"] = reverse("hole", args=[slug, following.number])
        links["next_until"] = ms_since_1970(following.closes_at)
    return links


def _start_hole(request: HttpRequest, entry: Entry, number: int, page: str) -> HttpResponse:
    device = devices.device_of(request)
    response = redirect(request.path)
    try:
        result = services.start_hole(entry=entry, number=number, device=device)
    except services.TournamentError as error:
        messages.error(request, ERRORS[error.code])
        response = redirect(page)
    else:
        if result.game is None:
            messages.info(request, ERRORS["given"])
            response = redirect(page)
    devices.remember(response, device)
    return response
