"""Clubs: the list, one of them, founding, settings, the invitation, joining and leaving."""

import io
from typing import Any, Final

import segno
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import words
from games.models import Player
from games.views import PlayerRequest
from tournaments import calendars, selectors, services
from tournaments.forms import ClubForm, JoinForm
from tournaments.models import Club, Tournament
from tournaments.views.club_access import (
    about_club,
    account_url,
    add_errors,
    club_of,
    club_search_of,
    directed_club_of,
    tell,
)
from tournaments.views.common import ERRORS, player_of, seen_by

_CLUBS_A_PAGE: Final = 30
_PAST_A_PAGE: Final = 12


@never_cache
@require_safe
def clubs(request: HttpRequest) -> HttpResponse:
    """List the visitor's own clubs, those that expect him, and all that he may know of."""
    player, search = player_of(request), club_search_of(request)
    found = Paginator(selectors.clubs.clubs_to_list(player=player, search=search), _CLUBS_A_PAGE)
    context = {
        "mine": [] if player is None else selectors.clubs.my_clubs(player=player),
        "expecting": [] if player is None else selectors.clubs.clubs_expecting(player=player),
        "page": found.get_page(request.GET.get("page")),
        "search": search,
    }
    return render(request, "clubs/clubs.html", context)


@login_required
@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club_new(request: PlayerRequest) -> HttpResponse:
    """Found a club."""
    if request.user.is_guest:
        return redirect(account_url(request, request.path))
    form = ClubForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            club = services.found_club(by=request.user, **form.settings)
        except ValidationError as error:
            add_errors(form, error)
        except services.TournamentError as error:
            tell(request, error)
        else:
            return redirect("club", club.slug)
    return render(request, "clubs/new.html", {"form": form})


@never_cache
@require_safe
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a club: what it is, its tournaments, and what there is to do for who asks."""
    if slug == selectors.clubs.HOUSE_CLUB:
        return redirect("tournaments")  # the site's own, for the nine holes of each day
    found = club_of(request, slug)
    player, shown = player_of(request), about_club(request, found)
    of_club = {"club": found}
    past = Paginator(
        selectors.past_tournaments(player=player).filter(**of_club), _PAST_A_PAGE
    ).get_page(request.GET.get("page"))
    calendar = _calendar_url(request, found, is_member=shown["is_member"])
    lists = {
        "drafts": list(selectors.clubs.drafts_of(club=found)) if shown["directs"] else [],
        "open": list(selectors.open_tournaments(player=player).filter(**of_club)),
        "upcoming": list(selectors.upcoming_tournaments(player=player).filter(**of_club)),
    }
    context = {
        **shown,
        **_doors(found, player, shown),
        **lists,
        "past": past,
        "is_played": any(lists.values()) or bool(past.object_list),
        "rules_name": words.rules_name(found.rule_set),
        "members": selectors.clubs.count_members(club=found),
        "calendar": calendar,
        "calendar_app": f"webcal{calendar[calendar.find('://') :]}",
    }
    return render(request, "clubs/club.html", context)


def _doors(club: Club, player: Player | None, shown: dict[str, Any]) -> dict[str, Any]:
    """Return which way in there is for who asks: `ask`, `link`, `list`, or none."""
    if shown["is_member"] or (shown["membership"] and shown["membership"].status == "banned"):
        return {"door": ""}
    if player is not None and selectors.clubs.allowed_name_of(club=club, player=player):
        return {"door": "ask", "expected": True}
    doors = {Club.Joining.LINK: "link", Club.Joining.LIST: "list"}
    return {"door": doors.get(Club.Joining(club.joining), "ask")}


@login_required
@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club_settings(request: PlayerRequest, slug: str) -> HttpResponse:
    """Change a club's settings."""
    found = directed_club_of(request, slug)
    seen = services.seen_of_club(club=found)
    form = ClubForm(request.POST or None, club=found)
    if request.method == "POST" and form.is_valid():
        try:
            services.update_club(
                club=found, by=request.user, seen=request.POST.get("seen"), **form.settings
            )
        except ValidationError as error:
            add_errors(form, error)
        except services.TournamentError as error:
            tell(request, error)
        else:
            messages.success(request, _("The settings are kept."))
            return redirect("club_settings", slug)

    def look_again() -> str:
        return services.seen_of_club(club=directed_club_of(request, slug))

    seen = seen_by(request, form, seen, look_again=look_again)
    context = {**about_club(request, found), "form": form, "seen": seen}
    return render(request, "clubs/settings.html", context)


# --- the invitation ----------------------------------------------------------------------------


@login_required
@never_cache
@require_safe
def club_invitation(request: PlayerRequest, slug: str) -> HttpResponse:
    """Show directors the invitation link, to copy, to print, and as a QR code."""
    found = directed_club_of(request, slug)
    context = {**about_club(request, found), "url": _invitation_url(request, found)}
    return render(request, "clubs/invitation.html", context)


@login_required
@never_cache
@require_safe
def club_invitation_code(request: PlayerRequest, slug: str) -> HttpResponse:
    """Draw the invitation link as a QR code."""
    found = directed_club_of(request, slug)
    drawn = io.BytesIO()
    segno.make(_invitation_url(request, found), error="m", micro=False).save(
        drawn, kind="svg", xmldecl=False, omitsize=True, border=4, dark="#000", light="#fff"
    )
    return HttpResponse(drawn.getvalue(), content_type="image/svg+xml")


@login_required
@require_POST
def club_invitation_renew(request: PlayerRequest, slug: str) -> HttpResponse:
    """Make another invitation link, and the old one void."""
    found = directed_club_of(request, slug)
    services.renew_invitation(club=found, by=request.user)
    messages.success(request, _("This is the new link. The old one does not work any more."))
    return redirect("club_invitation", slug)


def _invitation_url(request: HttpRequest, club: Club) -> str:
    return request.build_absolute_uri(reverse("invitation", args=[club.invitation]))


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, invitation: str) -> HttpResponse:
    """Show the club that a link invites to, also a hidden one, and let the visitor join."""
    try:
        found = selectors.clubs.club_of_invitation(invitation=invitation)
    except Club.DoesNotExist:
        return render(request, "clubs/invitation_void.html", status=404)
    return _join(request, found, invitation)


# --- joining and leaving -----------------------------------------------------------------------


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club_join(request: HttpRequest, slug: str) -> HttpResponse:
    """Let the visitor join without an invitation link, where that is a way in."""
    player = player_of(request)
    try:
        found = selectors.clubs.club_to_join(slug=slug, player=player)
    except Club.DoesNotExist:
        raise Http404 from None
    return _join(request, found, "")


def _join(request: HttpRequest, club: Club, invitation: str) -> HttpResponse:
    player, shown = player_of(request), about_club(request, club)
    shown["members"] = selectors.clubs.count_members(club=club)
    if shown["is_member"]:
        return redirect("club", club.slug)
    if player is None or player.is_guest:
        context = {**shown, "account_url": account_url(request, request.path), "form": None}
        return render(request, "clubs/join.html", context)
    listed = selectors.clubs.allowed_name_of(club=club, player=player)
    form = JoinForm(
        request.POST or None,
        asks_password=club.joining == Club.Joining.PASSWORD and listed is None,
        initial={"name": (listed.name if listed else "") or player.name},
    )
    if request.method == "POST" and form.is_valid():
        try:
            services.join_club(club=club, player=player, invitation=invitation, **form.cleaned_data)
        except ValidationError as error:
            add_errors(form, error)
        except services.TournamentError as error:
            if error.code == "not_allowed":
                return redirect(request.path)  # another way in is asked for by now
            _refuse(form, error)
        else:
            messages.success(request, _("Welcome to %(club)s!") % {"club": club.name})
            return redirect("club", club.slug)
    context = {**shown, **_doors(club, player, shown), "form": form}
    if invitation and context["door"] == "link":
        context["door"] = "ask"
    return render(request, "clubs/join.html", context)


def _refuse(form: JoinForm, error: services.TournamentError) -> None:
    """Say what keeps the player out, at the password if it is that."""
    field = "password" if error.code in ("password", "too_many_tries") else None
    form.add_error(field, ValidationError(str(ERRORS[error.code]), error.code))


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club_leave(request: PlayerRequest, slug: str) -> HttpResponse:
    """Ask, then end the membership of who asks."""
    found = club_of(request, slug)
    shown = about_club(request, found)
    if not shown["is_member"]:
        return redirect("club", slug)
    if request.method != "POST":
        return render(request, "clubs/leave.html", shown)
    try:
        services.leave_club(club=found, player=request.user)
    except services.TournamentError as error:
        tell(request, error)
        return redirect("club", slug)
    messages.success(request, _("You have left %(club)s.") % {"club": found.name})
    return redirect("clubs")


# --- the calendar ------------------------------------------------------------------------------


@require_safe
def club_calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer the club's tournaments as a calendar; a hidden club's only to its members' keys."""
    key = request.GET.get("key", "")
    try:
        found = selectors.clubs.club_with_calendar(slug=slug)
    except Club.DoesNotExist:
        raise Http404 from None
    if found.is_hidden and not calendars.fits(club=found, key=key):
        raise Http404

    def url_of(tournament: Tournament) -> str:
        return request.build_absolute_uri(reverse("tournament", args=[tournament.slug]))

    url = request.build_absolute_uri(reverse("club", args=[slug]))
    return HttpResponse(
        calendars.club_calendar(club=found, url=url, url_of=url_of),
        content_type="text/calendar; charset=utf-8",
        headers={
            "Content-Disposition": f'inline; filename="{slug}.ics"',
            "Cache-Control": "private, max-age=600",
        },
    )


def _calendar_url(request: HttpRequest, club: Club, *, is_member: bool) -> str:
    """Return the whole address to subscribe to, empty for whom there is none."""
    player = player_of(request)
    url = request.build_absolute_uri(reverse("club_calendar", args=[club.slug]))
    if not club.is_hidden:
        return url
    if player is None or not is_member:
        return ""
    return f"{url}?key={calendars.key_of(club=club, player=player)}"
