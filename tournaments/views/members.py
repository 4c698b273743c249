"""A club's people: members and what directors do with them, the list, the log, the tablets."""

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.views import PlayerRequest
from tournaments import devices, selectors, services
from tournaments.forms import (
    AllowedNameForm,
    ImportForm,
    MemberNameForm,
    RoleForm,
    TabletForm,
    describe_event,
)
from tournaments.models import Membership
from tournaments.views.club_access import (
    about_club,
    add_errors,
    club_of,
    club_search_of,
    directed_club_of,
    member_of,
    tell,
)

_ROWS_A_PAGE: Final = 50


@never_cache
@require_safe
def club_members(request: HttpRequest, slug: str) -> HttpResponse:
    """List the members; directors also see who does not belong to the club any more."""
    found, search = club_of(request, slug), club_search_of(request)
    shown = about_club(request, found)
    former = shown["directs"] and "former" in request.GET
    rows = selectors.clubs.former_members_of if former else selectors.clubs.members_of
    pages = Paginator(rows(club=found, search=search), _ROWS_A_PAGE)
    context = {
        **shown,
        "page": pages.get_page(request.GET.get("page")),
        "search": search,
        "former": former,
    }
    return render(request, "clubs/members.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def my_membership(request: PlayerRequest, slug: str) -> HttpResponse:
    """Change one's own name in the club."""
    found = club_of(request, slug)
    shown = about_club(request, found)
    if not shown["is_member"]:
        return redirect("club", slug)
    form = _name_form(request, shown["membership"])
    if request.method == "POST" and _rename(request, shown["membership"], form):
        return redirect("club", slug)
    return render(request, "clubs/my_membership.html", {**shown, "form": form})


# --- one member, for directors -----------------------------------------------------------------


@login_required
@never_cache
@require_safe
def club_member(request: PlayerRequest, slug: str, membership_id: int) -> HttpResponse:
    """Show directors what they may do with a member."""
    return _show_member(request, slug, membership_id)


def _show_member(
    request: PlayerRequest, slug: str, membership_id: int, name_form: MemberNameForm | None = None
) -> HttpResponse:
    found = directed_club_of(request, slug)
    member = member_of(found, membership_id)
    shown = about_club(request, found)
    context = {
        **shown,
        "member": member,
        "is_me": member.player_id == request.user.pk,
        # Directors stand above ordinary members only.
        "is_below": shown["owns"] or member.role == Membership.Role.MEMBER,
        "may_help": member.is_active and not selectors.clubs.has_more_rights(player=member.player),
        "name_form": name_form or MemberNameForm(initial={"name": member.name}),
        "role_form": RoleForm(initial={"role": member.role}),
    }
    return render(request, "clubs/member.html", context)


@login_required
@require_POST
def club_member_rename(request: PlayerRequest, slug: str, membership_id: int) -> HttpResponse:
    """Give a member another name."""
    member = member_of(directed_club_of(request, slug), membership_id)
    form = _name_form(request, member)
    if _rename(request, member, form):
        return redirect("club_member", slug, membership_id)
    return _show_member(request, slug, membership_id, form)


@login_required
@require_POST
def club_member_role(request: PlayerRequest, slug: str, membership_id: int) -> HttpResponse:
    """Give a member another role."""
    member = member_of(directed_club_of(request, slug), membership_id)
    form = RoleForm(request.POST)
    if form.is_valid():
        return _act(
            request,
            lambda: services.set_role(
                membership=member, role=form.cleaned_data["role"], by=request.user
            ),
            _("The role is changed."),
            member,
        )
    messages.error(request, _("There is no such role."))
    return redirect("club_member", slug, membership_id)


@login_required
@require_POST
def club_member_remove(request: PlayerRequest, slug: str, membership_id: int) -> HttpResponse:
    """End a membership."""
    member = member_of(directed_club_of(request, slug), membership_id)
    return _act(
        request,
        lambda: services.remove_member(membership=member, by=request.user),
        _("%(name)s does not belong to the club any more.") % {"name": member.name},
        member,
    )


@login_required
@require_POST
def club_member_ban(request: PlayerRequest, slug: str, membership_id: int) -> HttpResponse:
    """Keep somebody out for good."""
    member = member_of(directed_club_of(request, slug), membership_id)
    return _act(
        request,
        lambda: services.ban_member(membership=member, by=request.user),
        _("%(name)s is banned.") % {"name": member.name},
        member,
    )


@login_required
@require_POST
def club_member_restore(request: PlayerRequest, slug: str, membership_id: int) -> HttpResponse:
    """Take a removal or a ban back."""
    member = member_of(directed_club_of(request, slug), membership_id)
    return _act(
        request,
        lambda: services.restore_member(membership=member, by=request.user),
        _("This is taken back."),
        member,
    )


@login_required
@never_cache
@require_POST
def club_member_password(request: PlayerRequest, slug: str, membership_id: int) -> HttpResponse:
    """Show the link by which a member chooses a new password; it is shown this once."""
    found = directed_club_of(request, slug)
    member = member_of(found, membership_id)
    try:
        link = services.issue_password_link(membership=member, by=request.user)
    except services.TournamentError as error:
        tell(request, error)
        return redirect("club_member", slug, membership_id)
    context = {
        **about_club(request, found),
        "member": member,
        "url": request.build_absolute_uri(link.path),
        "ends_at": link.ends_at,
    }
    return render(request, "clubs/password_link.html", context)


def _act(
    request: PlayerRequest, act: Callable[[], Any], done: str, member: Membership
) -> HttpResponse:
    """Call a service, say what came of it, and show the member again."""
    try:
        act()
    except services.TournamentError as error:
        tell(request, error)
    else:
        messages.success(request, done)
    return redirect("club_member", member.club.slug, member.pk)


def _name_form(request: HttpRequest, member: Membership) -> MemberNameForm:
    return MemberNameForm(request.POST or None, initial={"name": member.name})


def _rename(request: PlayerRequest, member: Membership, form: MemberNameForm) -> bool:
    """Change the name, or say at the form why not."""
    if not form.is_valid():
        return False
    try:
        services.rename_member(membership=member, name=form.cleaned_data["name"], by=request.user)
    except ValidationError as error:
        add_errors(form, error)
        return False
    except services.TournamentError as error:
        tell(request, error)
    else:
        messages.success(request, _("The name is changed."))
    return True


# --- the list ----------------------------------------------------------------------------------


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club_list(request: PlayerRequest, slug: str) -> HttpResponse:
    """Show directors who may join without link and password, and put a name on that list."""
    found = directed_club_of(request, slug)
    shown = about_club(request, found)
    form = AllowedNameForm(request.POST or None, gives_roles=shown["owns"])
    if request.method == "POST" and form.is_valid():
        try:
            services.allow_name(club=found, by=request.user, **form.cleaned_data)
        except ValidationError as error:
            add_errors(form, error)
        except services.TournamentError as error:
            tell(request, error)
        else:
            said = _("%(name)s is on the list.") % {"name": form.cleaned_data["username"]}
            messages.success(request, said)
            return redirect("club_list", slug)
    names = Paginator(selectors.clubs.names_on_the_list_of(club=found), _ROWS_A_PAGE)
    context = {**shown, "form": form, "page": names.get_page(request.GET.get("page"))}
    return render(request, "clubs/list.html", context)


@login_required
@require_POST
def club_list_remove(request: PlayerRequest, slug: str, allowed_id: int) -> HttpResponse:
    """Take a name off the list."""
    found = directed_club_of(request, slug)
    allowed = get_object_or_404(selectors.clubs.names_on_the_list_of(club=found), pk=allowed_id)
    services.disallow_name(allowed=allowed, by=request.user)
    messages.success(request, _("%(name)s is off the list.") % {"name": allowed.username})
    return redirect("club_list", slug)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club_import(request: PlayerRequest, slug: str) -> HttpResponse:
    """Look through a file of members, then put them on the list.

    What was looked at comes back with the second request, so nothing is kept in between.
    """
    found = directed_club_of(request, slug)
    confirmed = "text" in request.POST
    is_upload = request.method == "POST" and not confirmed
    form = ImportForm(request.POST, request.FILES) if is_upload else ImportForm()
    context = {**about_club(request, found), "form": form}
    data = request.POST["text"].encode() if confirmed else _uploaded(form)
    if data is not None:
        try:
            imported = services.import_names(
                club=found, by=request.user, data=data, dry_run=not confirmed
            )
        except ValidationError as error:
            context["problem"] = error.messages[0]
        else:
            if confirmed and not imported.errors:
                messages.success(request, _("The list is imported."))
                return redirect("club_list", slug)
            context |= {"imported": imported, "text": data.decode("utf-8-sig")}
    return render(request, "clubs/import.html", context)


def _uploaded(form: ImportForm) -> bytes | None:
    """Return the file, or as much of it as is more than one may have; None without any."""
    if not form.is_valid():
        return None
    data: bytes = form.cleaned_data["file"].read(services.MOST_IMPORT_BYTES + 1)
    return data


# --- the log and the tablets -------------------------------------------------------------------


@login_required
@never_cache
@require_safe
def club_events(request: PlayerRequest, slug: str) -> HttpResponse:
    """Show directors what was done in the club, when and by whom."""
    found = directed_club_of(request, slug)
    pages = Paginator(selectors.clubs.events_of(club=found), _ROWS_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    context = {
        **about_club(request, found),
        "page": page,
        "lines": [(event, describe_event(event)) for event in page],
    }
    return render(request, "clubs/events.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club_tablets(request: PlayerRequest, slug: str) -> HttpResponse:
    """Show directors the club's tablets, and make the browser in use one of them."""
    found = directed_club_of(request, slug)
    form = TabletForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        device = devices.device_of(request)
        response = redirect("club_tablets", slug)
        try:
            services.mark_tablet(
                device=device, club=found, by=request.user, label=form.cleaned_data["label"]
            )
        except services.TournamentError as error:
            tell(request, error)
        else:
            messages.success(request, _("This browser is a tablet of the club now."))
            devices.remember(response, device)
        return response
    context = {
        **about_club(request, found),
        "form": form,
        "tablets": selectors.clubs.tablets_of(club=found),
        "this": devices.known_device(request),
    }
    return render(request, "clubs/tablets.html", context)


@login_required
@require_POST
def club_tablet_unmark(request: PlayerRequest, slug: str, device_id: int) -> HttpResponse:
    """Make a tablet of the club an ordinary browser again."""
    found = directed_club_of(request, slug)
    device = get_object_or_404(selectors.clubs.tablets_of(club=found), pk=device_id)
    services.unmark_tablet(device=device, club=found, by=request.user)
    messages.success(request, _("The mark is taken away."))
    return redirect("club_tablets", slug)
