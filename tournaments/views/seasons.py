"""A club's seasons, and what it holds again and again."""

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.views import PlayerRequest
from tournaments import dates, selectors, services
from tournaments.forms import SeasonForm
from tournaments.models import Season
from tournaments.views.club_access import about_club, club_of, directed_club_of
from tournaments.views.common import directs, seen_by

#: Dates of a recurring tournament that are shown.
_DAYS_SHOWN: Final = 3


@never_cache
@require_safe
def seasons(request: HttpRequest, slug: str) -> HttpResponse:
    """List a club's seasons."""
    club = club_of(request, slug)
    context = {**about_club(request, club), "seasons": selectors.seasons.seasons_of(club=club)}
    return render(request, "seasons/seasons.html", context)


@never_cache
@require_safe
def season(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the table of a season."""
    found = _season_of(slug)
    context = {
        **about_club(request, found.club),
        "season": found,
        "table": selectors.seasons.season_table(season=found),
    }
    return render(request, "seasons/season.html", context)


def _season_of(slug: str) -> Season:
    try:
        return selectors.seasons.season_of(slug=slug)
    except Season.DoesNotExist:
        raise Http404 from None


def _directed_season(request: PlayerRequest, slug: str) -> Season:
    found = _season_of(slug)
    if not directs(found.club, request.user):
        raise PermissionDenied
    return found


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def season_new(request: PlayerRequest, slug: str) -> HttpResponse:
    """Start a season of a club."""
    club = directed_club_of(request, slug)
    today = dates.wall(timezone.now(), club.zone).date()
    form = SeasonForm(request.POST or None, club=club, today=today)
    if form.is_valid():
        try:
            made = services.create_season(club=club, plan=form.plan)
        except ValidationError as error:
            form.refuse(error)
        else:
            return redirect("season", made.slug)
    context = {**about_club(request, club), "form": form, "season": None}
    return render(request, "seasons/form.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def season_edit(request: PlayerRequest, slug: str) -> HttpResponse:
    """Change a season, and choose the tournaments that it adds up."""
    found = _directed_season(request, slug)
    # Before the form: rather too old than too new.
    seen = services.seen_of_season(season=found)
    today = dates.wall(timezone.now(), found.club.zone).date()
    form = SeasonForm(request.POST or None, club=found.club, today=today, season=found)
    if form.is_valid():
        try:
            changed = services.update_season(
                season=found,
                plan=form.plan,
                tournaments=form.chosen,
                seen=request.POST.get("seen"),
            )
        except ValidationError as error:
            form.refuse(error)
        else:
            messages.success(request, _("The changes are kept."))
            return redirect("season", changed.slug)

    def look_again() -> str:
        found.refresh_from_db()
        return services.seen_of_season(season=found)

    seen = seen_by(request, form, seen, look_again=look_again)
    context = {**about_club(request, found.club), "form": form, "season": found, "seen": seen}
    return render(request, "seasons/form.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def season_delete(request: PlayerRequest, slug: str) -> HttpResponse:
    """Ask, and then delete a season; its tournaments stay."""
    found = _directed_season(request, slug)
    if request.method == "POST":
        services.delete_season(season=found)
        messages.success(request, _("The season is deleted. Its tournaments are still there."))
        return redirect("seasons", found.club.slug)
    context = {**about_club(request, found.club), "season": found}
    return render(request, "seasons/delete.html", context)


@login_required
@never_cache
@require_safe
def recurrences(request: PlayerRequest, slug: str) -> HttpResponse:
    """List what a club holds again and again."""
    club = directed_club_of(request, slug)
    rows = [
        (row, services.next_days(row, days=_DAYS_SHOWN))
        for row in selectors.seasons.recurrences_of(club=club)
    ]
    context = {**about_club(request, club), "rows": rows}
    return render(request, "tournaments/setup/recurring.html", context)


@login_required
@require_POST
def recurrence(request: PlayerRequest, slug: str, recurrence_id: int) -> HttpResponse:
    """Pause, go on with, or end what a club holds again and again."""
    club = directed_club_of(request, slug)
    row = get_object_or_404(selectors.seasons.recurrences_of(club=club), pk=recurrence_id)
    change = {
        "pause": services.pause_recurring,
        "resume": services.resume_recurring,
        "end": services.end_recurring,
    }.get(request.POST.get("do", ""))
    if change is None:
        raise Http404
    change(recurrence=row)
    return redirect("recurrences", slug)
