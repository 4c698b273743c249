"""What every page of a club needs: which one it is, who asks, and whether he may."""

from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.forms import Form
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from games.views import PlayerRequest
from tournaments import selectors, services
from tournaments.models import Club, Membership
from tournaments.views.common import ERRORS, player_of, search_of

#: A longer search is no name.
_LONGEST_SEARCH: Final = 60


def club_of(request: HttpRequest, slug: str) -> Club:
    """Return the club. Raises `Http404`, also for a hidden one of others."""
    try:
        return selectors.clubs.club_to_show(slug=slug, player=player_of(request))
    except Club.DoesNotExist:
        raise Http404 from None


def directed_club_of(request: PlayerRequest, slug: str) -> Club:
    """Return the club for whoever directs it. Raises `Http404` and `PermissionDenied`."""
    club = club_of(request, slug)
    if not selectors.clubs.may_direct(club=club, player=request.user):
        raise PermissionDenied
    return club


def member_of(club: Club, membership_id: int) -> Membership:
    """Return a membership of the club, also one that has ended. Raises `Http404`."""
    try:
        return selectors.clubs.member_of(club=club, membership_id=membership_id)
    except Membership.DoesNotExist:
        raise Http404 from None


def about_club(request: HttpRequest, club: Club) -> dict[str, Any]:
    """Return what every page of a club shows of it, and what who asks may do there."""
    player = player_of(request)
    membership = None if player is None else selectors.clubs.membership_of(club=club, player=player)
    is_member = membership is not None and membership.is_active
    directs = player is not None and (
        player.is_superuser or (membership is not None and membership.directs)
    )
    owns = is_member and membership is not None and membership.role == Membership.Role.OWNER
    return {
        "club": club,
        "membership": membership,
        "is_member": is_member,
        "directs": directs,
        "owns": owns or (player is not None and player.is_superuser),
    }


def club_search_of(request: HttpRequest) -> str:
    """Return what a list of clubs or members is searched for."""
    return search_of(request, longest=_LONGEST_SEARCH)


def account_url(request: HttpRequest, following: str) -> str:
    """Return where a guest makes an account of himself, or a visitor signs up, and comes back."""
    player = player_of(request)
    name = "keep_games" if player is not None and player.is_guest else "signup"
    return f"{reverse(name)}?{urlencode({'next': following})}"


def add_errors(form: Form, error: ValidationError) -> None:
    """Show a service's complaint at the fields that it is about."""
    if not hasattr(error, "error_dict"):
        form.add_error(None, error)
        return
    for field, errors in error.error_dict.items():
        form.add_error(field if field in form.fields else None, errors)


def tell(request: HttpRequest, error: services.TournamentError) -> None:
    """Say on the next page what a service refuses. Raises `PermissionDenied` for a role."""
    if error.code == "not_allowed":
        raise PermissionDenied
    messages.error(request, ERRORS[error.code])
