"""That all was fair: the promise of the deals and its proof, the results, the deals, the flags."""

import threading
from typing import Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments import services
from tournaments.forms.fairness import OpenDealsForm, SeenForm
from tournaments.models import DealOpening, Flag, Tournament
from tournaments.selectors import fairness as selectors
from tournaments.selectors.bundles import bundle_of, may_have_bundle
from tournaments.selectors.flags import flag_of, flags_of
from tournaments.views.common import about, player_of, tournament_of
from tournaments.views.directing import DirectorsRequest, for_directors


@never_cache
@require_safe
@sensitive_variables()
def proof(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the promise of the deals, and once it is over what was promised and how to check it."""
    player = player_of(request)
    found = tournament_of(slug, player=player)
    context = {
        **about(found),
        "proof": selectors.proof_of(tournament=found),
        "openings": selectors.openings_of(tournament=found) if found.is_revealed else [],
        "has_bundle": may_have_bundle(tournament=found, player=player),
        "bundle_changes": selectors.bundle_changes_of(tournament=found),
    }
    return render(request, "tournaments/proof.html", context)


#: One bundle is made at a time in a process: a large one takes a second of computing.
_ONE_BUNDLE: Final = threading.Lock()


@never_cache
@require_safe
def bundle(request: HttpRequest, slug: str) -> HttpResponse:
    """Hand out all results in one file; before the end there is no such page."""
    player = player_of(request)
    found = tournament_of(slug, player=player)
    try:
        with _ONE_BUNDLE:
            data = b"".join(bundle_of(tournament=found, player=player))
    except Tournament.DoesNotExist:
        raise Http404 from None
    name = f'attachment; filename="{found.slug}.json"'
    headers = {"Content-Disposition": name}
    return HttpResponse(data, content_type="application/json", headers=headers)


@require_http_methods(["GET", "HEAD", "POST"])
@for_directors
@sensitive_variables()
def deals(request: DirectorsRequest, tournament: Tournament) -> HttpResponse:
    """Warn a director of what the deals cost, and show them to whoever has opened them."""
    if tournament.is_revealed:
        return redirect("tournament_proof", tournament.slug)
    try:
        dealt = selectors.deals_of(tournament=tournament, player=request.user)
    except DealOpening.DoesNotExist:
        return _open_deals(request, tournament)
    opening = selectors.opening_of(tournament=tournament, player=request.user)
    context = {**about(tournament), "deals": dealt, "opening": opening}
    return render(request, "tournaments/deals.html", context)


def _open_deals(request: DirectorsRequest, tournament: Tournament) -> HttpResponse:
    form = OpenDealsForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            services.open_deals(tournament=tournament, by=request.user)
        except services.TournamentError as error:
            if error.code != "revealed":
                raise PermissionDenied from None
        return redirect(request.path)
    context = {**about(tournament), "form": form}
    return render(request, "tournaments/open_deals.html", context)


@require_safe
@for_directors
def flags(request: DirectorsRequest, tournament: Tournament) -> HttpResponse:
    """List what looks odd."""
    return _flags(request, tournament)


def _flags(
    request: DirectorsRequest, tournament: Tournament, refused: SeenForm | None = None
) -> HttpResponse:
    shown = flags_of(tournament=tournament)
    forms = {
        row.flag.pk: SeenForm(prefix=f"flag-{row.flag.pk}", initial={"note": row.flag.note})
        for row in shown
    }
    if refused is not None:
        forms |= {pk: refused for pk, form in forms.items() if form.prefix == refused.prefix}
    context = {**about(tournament), "flags": [(row, forms[row.flag.pk]) for row in shown]}
    return render(request, "tournaments/flags.html", context)


@require_POST
@for_directors
def flag_seen(request: DirectorsRequest, tournament: Tournament, flag_id: int) -> HttpResponse:
    """Write down that a director has looked at a flag."""
    try:
        flag = flag_of(tournament=tournament, flag_id=flag_id)
    except Flag.DoesNotExist:
        raise Http404 from None
    form = SeenForm(request.POST, prefix=f"flag-{flag.pk}")
    if not form.is_valid():
        return _flags(request, tournament, refused=form)
    services.mark_seen(flag=flag, by=request.user, note=form.cleaned_data["note"])
    messages.success(request, _("Noted."))
    return redirect("tournament_flags", tournament.slug)
