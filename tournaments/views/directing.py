"""What a club's directors do with a tournament, and what everybody may read of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games.models import Player
from tournaments import services
from tournaments.forms.directing import (
    AddPlayerForm,
    AdjustForm,
    DecisionForm,
    DivisionForm,
    EntryFilterForm,
    ExtendForm,
    StepForm,
    TraceFilterForm,
)
from tournaments.models import Correction, Entry, Hole, Tournament
from tournaments.selectors.directing import (
    card_to_direct,
    counts_of,
    entries_of,
    entry_to_direct,
    hole_to_direct,
    holes_to_direct,
    may_play_until,
    members_to_add,
    result_to_direct,
)
from tournaments.selectors.exports import EXPORTS
from tournaments.selectors.sight import view_for
from tournaments.selectors.trace import (
    Topic,
    corrections_of,
    decisions,
    history_of,
    seen_of,
    status_changes_of,
)
from tournaments.views.common import about, directs, player_of, tournament_of

_ENTRIES_A_PAGE: Final = 50
_DECISIONS_A_PAGE: Final = 50
#: Decisions that the director's page shows; the others are a page of their own.
_LATEST: Final = 10

REFUSALS: Final[dict[str, Promise]] = {
    "draft": gettext_lazy("Nothing is corrected before the tournament is published."),
    "final": gettext_lazy("The tournament is final. Reopen it first."),
    "revealed": gettext_lazy("The cards are known to all: nobody can play any more."),
    "in_play": gettext_lazy("This hole is being played. Decide when it is over."),
    "not_playing": gettext_lazy("This entry does not compete."),
    "unchanged": gettext_lazy("That is so already: there is nothing to take back."),
    "already_entered": gettext_lazy(
        "This player has entered. An entry that was removed can be reinstated."
    ),
    "banned": gettext_lazy("This player is banned from the club."),
    "no_such_hole": gettext_lazy("This tournament has no such hole."),
    "no_such_division": gettext_lazy("This tournament has no such division."),
    "division_needed": gettext_lazy("Choose a division."),
}


class DirectorsRequest(HttpRequest):
    """A request behind `for_directors`."""

    user: Player


def for_directors(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let only directors of the club see a tournament's page: others are told so, or log in."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, **others: Any) -> HttpResponse:
        player = player_of(request)
        if player is None:
            return redirect_to_login(request.get_full_path())
        found = tournament_of(slug, player=player)
        if not directs(found.club, player):
            raise PermissionDenied
        return view(request, found, **others)

    return guarded


# --- what there is -------------------------------------------------------------------------------


@require_safe
@for_directors
def direct(request: DirectorsRequest, tournament: Tournament) -> HttpResponse:
    """Show a director all that there is, and what can be done next."""
    form = EntryFilterForm(request.GET)
    chosen = form.cleaned_data if form.is_valid() else {}
    entries = entries_of(
        tournament=tournament, text=chosen.get("text", ""), status=chosen.get("status", "")
    )
    context = {
        **about(tournament),
        "counts": counts_of(tournament=tournament),
        "filter": form,
        "is_filtered": any(chosen.values()),
        "entries": _page(request, entries, _ENTRIES_A_PAGE),
        "has_divisions": tournament.divisions.exists(),
        "holes": holes_to_direct(tournament=tournament),
        "latest": decisions(corrections_of(tournament=tournament)[:_LATEST]),
        "changes": status_changes_of(tournament=tournament),
        "steps": _steps(tournament),
        "exports": EXPORTS,
        "refused": _refused(tournament),
    }
    return render(request, "tournaments/directing/direct.html", context)


@require_safe
@for_directors
def direct_entry(request: DirectorsRequest, tournament: Tournament, entry_id: int) -> HttpResponse:
    """Show a director one entry: its card, what was decided about it, what can be."""
    entry = _entry(tournament, entry_id)
    context = {
        **about(tournament),
        "entry": entry,
        "holes": card_to_direct(entry=entry),
        "decisions": decisions(corrections_of(tournament=tournament, entry=entry)),
        "refused": _refused(tournament),
        "is_out": entry.status in services.DECIDED_STATUSES,
        "has_divisions": tournament.divisions.exists(),
        "may_play_until": _may_play_until(tournament, entry),
    }
    return render(request, "tournaments/directing/entry.html", context)


def _may_play_until(tournament: Tournament, entry: Entry) -> datetime | None:
    """Return until when an entry may play, None where it plays no more."""
    if tournament.is_revealed or not entry.may_play:
        return None
    return may_play_until(entry=entry, now=timezone.now())


@never_cache
@require_safe
def corrections(request: HttpRequest, slug: str) -> HttpResponse:
    """Show everybody what was decided, for whom, when, why and by whom."""
    player = player_of(request)
    found = tournament_of(slug, player=player)
    form = TraceFilterForm(request.GET)
    chosen = form.cleaned_data if form.is_valid() else {}
    view = view_for(tournament=found, player=player)
    rows = corrections_of(tournament=found, view=view, **chosen)
    page = _page(request, rows, _DECISIONS_A_PAGE)
    context = {
        **about(found),
        "filter": form,
        "is_filtered": any(chosen.values()),
        "decisions": decisions(page.object_list, view=view),
        "page": page,
        "changes": status_changes_of(tournament=found),
        "may_direct": directs(found.club, player),
    }
    return render(request, "tournaments/directing/corrections.html", context)


def _posted(request: HttpRequest) -> QueryDict | None:
    """Return what was sent, also when that is nothing."""
    return request.POST if request.method == "POST" else None


def _page(request: HttpRequest, rows: QuerySet[Any], size: int) -> Page[Any]:
    return Paginator(rows, size).get_page(request.GET.get("page"))


def _refused(tournament: Tournament) -> Promise | None:
    """Return why nothing is corrected here, None where it is."""
    try:
        services.check_correctable(tournament=tournament)
    except services.TournamentError as error:
        return REFUSALS[error.code]
    return None


def _entry(tournament: Tournament, entry_id: int) -> Entry:
    try:
        return entry_to_direct(tournament=tournament, entry_id=entry_id)
    except Entry.DoesNotExist:
        raise Http404 from None


def _hole(tournament: Tournament, number: int) -> Hole:
    try:
        return hole_to_direct(tournament=tournament, number=number)
    except Hole.DoesNotExist:
        raise Http404 from None


# --- the steps of its life -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A step that can be taken: what it is called, and what comes of it."""

    title: Promise
    text: Promise
    is_reason_needed: bool = False
    is_grave: bool = False


STEPS: Final = {
    services.Step.PUBLISH: _Step(
        title=gettext_lazy("Publish"),
        text=gettext_lazy("Everybody can see the tournament, and players can enter."),
    ),
    services.Step.UNPUBLISH: _Step(
        title=gettext_lazy("Take back to a draft"),
        text=gettext_lazy("Only directors see it, until you publish it again."),
    ),
    services.Step.CLOSE: _Step(
        title=gettext_lazy("Close now"),
        text=gettext_lazy(
            "Nobody plays any more, whatever time was left: holes in progress are closed where "
            "they lie, and the cards are shown to all. This cannot be taken back."
        ),
        is_grave=True,
    ),
    services.Step.REVIEW: _Step(
        title=gettext_lazy("Start the review"),
        text=gettext_lazy("Everybody sees that you check the results. You can still correct them."),
    ),
    services.Step.FINALISE: _Step(
        title=gettext_lazy("Make it final"),
        text=gettext_lazy("The results stand, and nothing is corrected any more."),
    ),
    services.Step.REOPEN: _Step(
        title=gettext_lazy("Reopen it for corrections"),
        text=gettext_lazy("You can correct results again. Nobody plays again."),
        is_reason_needed=True,
    ),
}
STEP_REFUSALS: Final[dict[str, Promise]] = {
    "bad_step": gettext_lazy("The tournament has changed meanwhile: this is no step from here."),
    "still_open": gettext_lazy("The tournament is still open."),
    "not_started": gettext_lazy("The tournament has not opened yet."),
    "has_entries": gettext_lazy("Somebody has entered, so it stays published."),
}


def _steps(tournament: Tournament) -> list[tuple[str, _Step]]:
    steps = services.steps(tournament=tournament, now=timezone.now())
    return [(step.value, STEPS[step]) for step in steps]


@require_http_methods(["GET", "HEAD", "POST"])
@for_directors
def take_step(request: DirectorsRequest, tournament: Tournament, step: str) -> HttpResponse:
    """Say what a step in the tournament's life means, and take it."""
    if step not in services.Step.__members__.values():
        raise Http404
    chosen = services.Step(step)
    about_step = STEPS[chosen]
    form = StepForm(_posted(request), is_reason_needed=about_step.is_reason_needed)
    if request.method == "POST" and form.is_valid():
        try:
            services.take_step(
                tournament=tournament,
                step=chosen,
                by=request.user,
                reason=form.cleaned_data["reason"],
            )
        except ValidationError as error:
            form.refuse(error)
        except services.TournamentError as error:
            form.add_error(None, ValidationError(str(STEP_REFUSALS[error.code]), error.code))
        else:
            return redirect("tournament_direct", tournament.slug)
    context = {**about(tournament), "step": about_step, "form": form}
    return render(request, "tournaments/directing/step.html", context)


# --- decisions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """A decision that can be made: what it is called, and who carries it out.

    `is_grave`: it takes something from somebody.
    """

    title: Promise
    text: Promise
    topic: Topic
    decide: Callable[..., Correction]
    form: type[DecisionForm] = DecisionForm
    is_grave: bool = False


ENTRY_RULES: Final = {
    "disqualify": _Rule(
        title=gettext_lazy("Disqualify"),
        text=gettext_lazy("The entry stands last, without a place. It can be reinstated."),
        topic=Topic.STATUS,
        decide=services.disqualify,
        is_grave=True,
    ),
    "withdraw": _Rule(
        title=gettext_lazy("Withdraw"),
        text=gettext_lazy(
            "The player does not go on: the entry stands last, without a place. "
            "It can be reinstated."
        ),
        topic=Topic.STATUS,
        decide=services.withdraw_entry,
        is_grave=True,
    ),
    "remove": _Rule(
        title=gettext_lazy("Remove from the board"),
        text=gettext_lazy(
            "The entry is no longer shown. Its games and results are kept, "
            "and reinstating brings them back."
        ),
        topic=Topic.STATUS,
        decide=services.hide_entry,
        is_grave=True,
    ),
    "reinstate": _Rule(
        title=gettext_lazy("Reinstate"),
        text=gettext_lazy("The entry competes again, with all its results."),
        topic=Topic.STATUS,
        decide=services.reinstate,
    ),
    "extend": _Rule(
        title=gettext_lazy("Give more time"),
        text=gettext_lazy(
            "This player alone may play until then. Nothing is revealed before, to anybody."
        ),
        topic=Topic.WINDOW,
        decide=services.extend_window,
        form=ExtendForm,
    ),
    "division": _Rule(
        title=gettext_lazy("Change the division"),
        text=gettext_lazy("The entry competes in the division that you choose."),
        topic=Topic.DIVISION,
        decide=services.change_division,
        form=DivisionForm,
    ),
}
RESULT_RULES: Final = {
    "adjust": _Rule(
        title=gettext_lazy("Adjust the hole"),
        text=gettext_lazy(
            "The hole counts what you write here. What was played is kept, and can count again."
        ),
        topic=Topic.RESULT,
        decide=services.adjust_hole,
        form=AdjustForm,
    ),
    "restore": _Rule(
        title=gettext_lazy("Take the adjustment back"),
        text=gettext_lazy(
            "What was played counts again. A hole that was not played has no result again."
        ),
        topic=Topic.RESULT,
        decide=services.restore_hole,
    ),
}
HOLE_RULES: Final = {
    "void": _Rule(
        title=gettext_lazy("Void the hole for all"),
        text=gettext_lazy(
            "The hole counts for nobody, and its par neither. Its results are kept, "
            "and can count again."
        ),
        topic=Topic.HOLE,
        decide=services.void_hole,
        is_grave=True,
    ),
    "unvoid": _Rule(
        title=gettext_lazy("Let the hole count again"),
        text=gettext_lazy("The hole counts for everybody, and so does its par."),
        topic=Topic.HOLE,
        decide=services.unvoid_hole,
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
@for_directors
def decide_entry(
    request: DirectorsRequest, tournament: Tournament, entry_id: int, rule: str
) -> HttpResponse:
    """Decide about an entry."""
    entry = _entry(tournament, entry_id)
    page = reverse("tournament_direct_entry", args=[tournament.slug, entry.pk])
    return _decide(request, _About(tournament, _rule(ENTRY_RULES, rule), page, entry=entry))


@require_http_methods(["GET", "HEAD", "POST"])
@for_directors
def decide_result(
    request: DirectorsRequest,
    tournament: Tournament,
    entry_id: int,
    number: int,
    rule: str,
) -> HttpResponse:
    """Decide about a hole of an entry."""
    entry, hole = _entry(tournament, entry_id), _hole(tournament, number)
    page = reverse("tournament_direct_entry", args=[tournament.slug, entry.pk])
    found = _About(tournament, _rule(RESULT_RULES, rule), page, entry=entry, hole=hole)
    return _decide(request, found)


@require_http_methods(["GET", "HEAD", "POST"])
@for_directors
def decide_hole(
    request: DirectorsRequest, tournament: Tournament, number: int, rule: str
) -> HttpResponse:
    """Decide about a hole of everybody."""
    hole = _hole(tournament, number)
    page = reverse("tournament_direct", args=[tournament.slug]) + "#holes"
    return _decide(request, _About(tournament, _rule(HOLE_RULES, rule), page, hole=hole))


@require_http_methods(["GET", "HEAD", "POST"])
@for_directors
def add_player(request: DirectorsRequest, tournament: Tournament) -> HttpResponse:
    """Enter a player."""
    form = AddPlayerForm(_posted(request), tournament=tournament)
    if request.method == "POST" and form.is_valid():
        try:
            row = services.add_player(
                tournament=tournament,
                player=form.cleaned_data["player"],
                division=form.cleaned_data.get("division"),
                reason=form.cleaned_data["reason"],
                by=request.user,
            )
        except ValidationError as error:
            form.refuse(error)
        except services.TournamentError as error:
            form.add_error(None, ValidationError(str(REFUSALS[error.code]), error.code))
        else:
            messages.success(request, _said(row))
            return redirect("tournament_direct_entry", tournament.slug, row.entry_id)
    context = {
        **about(tournament),
        "form": form,
        "members": members_to_add(tournament=tournament),
        "refused": _refused(tournament),
    }
    return render(request, "tournaments/directing/add.html", context)


@dataclass(frozen=True, slots=True)
class _About:
    """What a decision is about, and the page that it is made from."""

    tournament: Tournament
    rule: _Rule
    page: str
    entry: Entry | None = None
    hole: Hole | None = None

    def form(self, request: HttpRequest) -> DecisionForm:
        """Return the form, with what the director has typed."""
        about: dict[str, Any] = {}
        if self.rule.form is not DecisionForm:
            about["tournament"] = self.tournament
        if self.rule.form is AdjustForm:
            about["result"] = self.result
        elif about:
            about["entry"] = self.entry
        return self.rule.form(_posted(request), **about)

    @property
    def result(self) -> Any:
        """What the hole has come to for the entry."""
        if self.entry is None or self.hole is None:
            return None
        return result_to_direct(entry=self.entry, hole=self.hole)

    def decide(self, **fields: Any) -> Correction:
        """Let the service decide."""
        if self.entry is None:
            fields["tournament"] = self.tournament
        else:
            fields["entry"] = self.entry
        if self.hole is not None:
            fields["number"] = self.hole.number
        return self.rule.decide(**fields)


def _rule(rules: dict[str, _Rule], name: str) -> _Rule:
    if name not in rules:
        raise Http404
    return rules[name]


def _decide(request: DirectorsRequest, found: _About) -> HttpResponse:
    """Show what is to be decided with what was decided before, and decide it."""
    topic, entry, hole = found.rule.topic, found.entry, found.hole
    seen = seen_of(
        topic=topic, entry=entry, hole=hole
    )  # before the rest: rather too old than too new
    form = found.form(request)
    is_told = False
    if request.method == "POST":
        posted = request.POST.get("seen", "")
        if form.is_valid():
            try:
                row = found.decide(by=request.user, seen=posted, **form.cleaned_data)
            except ValidationError as error:
                form.refuse(error)
            except services.TournamentError as error:
                is_told = error.code == "changed_meanwhile"
                if not is_told:
                    form.add_error(None, ValidationError(str(REFUSALS[error.code]), error.code))
            else:
                messages.success(request, _said(row))
                return redirect(found.page)
        # What happened meanwhile is told once the rest is right.
        seen = _look_again(found) if is_told else posted
    context = {
        **about(found.tournament),
        "rule": found.rule,
        "page": found.page,
        "entry": entry,
        "hole": hole,
        "result": found.result,
        "form": form,
        "seen": seen,
        "is_told": is_told,
        "decisions": decisions(history_of(topic=topic, entry=entry, hole=hole))[::-1],
        "refused": _refused(found.tournament),
        "zone": found.tournament.club.zone,
    }
    return render(request, "tournaments/directing/decide.html", context)


def _look_again(found: _About) -> str:
    """Return what can be seen by now, which this request may have come too early for at first.

    What is shown is read after it.
    """
    seen = seen_of(topic=found.rule.topic, entry=found.entry, hole=found.hole)
    if found.entry is not None:
        found.entry.refresh_from_db(fields=["status"])
    if found.hole is not None:
        found.hole.refresh_from_db(fields=["is_void"])
    return seen


def _said(row: Correction) -> str:
    return _("Decided: %(what)s.") % {"what": row.get_kind_display()}
