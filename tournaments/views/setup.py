"""The pages on which directors set a tournament up."""

from collections.abc import Callable
from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.views import PlayerRequest
from tournaments import services
from tournaments.forms import PlanForm, RecurrenceForm, stage_of
from tournaments.models import Club, Tournament
from tournaments.services import Plan
from tournaments.views.club_access import directed_club_of
from tournaments.views.common import seen_by
from tournaments.views.directing import DirectorsRequest, for_directors

page = require_http_methods(["GET", "HEAD", "POST"])
#: Why a tournament is not deleted.
KEPT: Final[dict[str, Promise]] = {
    "has_results": gettext_lazy("Holes of this tournament have been played, and results are kept."),
    "is_template": gettext_lazy("A recurring tournament is a copy of this one. End that first."),
}


@login_required
@never_cache
@page
def tournament_new(request: PlayerRequest, slug: str) -> HttpResponse:
    """Set up a new tournament of a club."""
    club = directed_club_of(request, slug)
    return _create(request, club, services.usual_plan(club=club, now=timezone.now()))


@page
@for_directors
def tournament_copy(request: DirectorsRequest, tournament: Tournament) -> HttpResponse:
    """Set up the next tournament like this one; nothing is stored before the form is sent."""
    plan = services.copy_plan(tournament=tournament, now=timezone.now())
    return _create(request, tournament.club, plan, copy_of=tournament)


def _create(
    request: PlayerRequest | DirectorsRequest,
    club: Club,
    plan: Plan,
    copy_of: Tournament | None = None,
) -> HttpResponse:
    form = PlanForm(request.POST or None, club=club, plan=plan)

    def save() -> Tournament:
        made = services.create_tournament(
            club=club,
            plan=form.plan,
            codes=form.dealt,
            is_friendly=bool(form.is_friendly),
            copy_of=copy_of,
        )
        if "publish" in request.POST:
            return services.publish(tournament=made, by=request.user)
        return made

    made = _saved(form, save)
    if made is None:
        context = {"form": form, "club": club, "copy_of": copy_of, "tournament": None}
        return render(request, "tournaments/setup/form.html", context)
    if made.status == Tournament.Status.OPEN:
        messages.success(request, _("It is published. Send its address to your players."))
    else:
        messages.success(request, _("It is kept as a draft, which only directors see."))
    _tell_of_twice(request, form)
    return redirect("tournament", made.slug)


@page
@for_directors
def tournament_edit(request: DirectorsRequest, tournament: Tournament) -> HttpResponse:
    """Change a tournament, as far as it can still be changed."""
    # Before the form: rather too old than too new.
    seen = services.seen_of_tournament(tournament=tournament)
    form = PlanForm(
        request.POST or None,
        club=tournament.club,
        plan=services.plan_of(tournament),
        stage=stage_of(tournament),
        is_friendly=tournament.is_friendly,
    )

    def save() -> Tournament:
        return services.update_tournament(
            tournament=tournament,
            plan=form.plan,
            codes=form.dealt,
            is_friendly=form.is_friendly,
            by=request.user,
            seen=request.POST.get("seen"),
        )

    def look_again() -> str:
        tournament.refresh_from_db()
        return services.seen_of_tournament(tournament=tournament)

    changed = _saved(form, save)
    if changed is None:
        seen = seen_by(request, form, seen, look_again=look_again)
        context = {"form": form, "club": tournament.club, "tournament": tournament, "seen": seen}
        return render(request, "tournaments/setup/form.html", context)
    messages.success(request, _("The changes are kept."))
    _tell_of_twice(request, form)
    return redirect("tournament", changed.slug)


def _saved(form: PlanForm, save: Callable[[], Tournament]) -> Tournament | None:
    """Return what a valid form makes; None where it, or the service, is not content."""
    if not form.is_valid():
        return None
    try:
        return save()
    except ValidationError as error:
        form.refuse(error)
        return None


def _tell_of_twice(request: HttpRequest, form: PlanForm) -> None:
    for label in form.twice():
        text = _(
            "%(label)s: the clock is put back then and shows this time twice. The first is meant."
        )
        messages.info(request, text % {"label": label})


@page
@for_directors
def tournament_delete(request: DirectorsRequest, tournament: Tournament) -> HttpResponse:
    """Ask, and then delete a tournament that nobody has played."""
    if request.method == "POST":
        try:
            services.delete_tournament(tournament=tournament)
        except services.TournamentError as error:
            messages.error(request, str(KEPT[error.code]))
            return redirect("tournament", tournament.slug)
        messages.success(request, _("The tournament is deleted."))
        return redirect("tournaments")
    return render(request, "tournaments/setup/delete.html", {"tournament": tournament})


@page
@for_directors
def tournament_repeat(request: DirectorsRequest, tournament: Tournament) -> HttpResponse:
    """Let a tournament be held again and again."""
    usual = {"first_on": services.copy_day(tournament=tournament, now=timezone.now())}
    form = RecurrenceForm(request.POST or None, initial=usual)
    if form.is_valid():
        try:
            services.start_recurring(tournament=tournament, **form.cleaned_data)
        except ValidationError as error:
            form.refuse(error)
        else:
            messages.success(request, _("It will be held again and again."))
            return redirect("recurrences", tournament.club.slug)
    context = {"tournament": tournament, "form": form}
    return render(request, "tournaments/setup/repeat.html", context)
