"""The pages of one's own account: parse, call one service or selector, answer."""

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth import HASH_SESSION_KEY, authenticate, logout
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import SetPasswordForm
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from games import deletion, live, selectors, services
from games.addresses import client_address
from games.forms import DeleteForm, NameForm, SignUpForm
from games.models import Player
from games.views import (
    PlayerRequest,
    add_errors,
    admits,
    forget_guest,
    guest_before,
    next_url,
)

#: Where Django's view keeps the token of a link, out of the page's address.
_SESSION_TOKEN: Final = auth_views.INTERNAL_RESET_SESSION_TOKEN


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: PlayerRequest) -> HttpResponse:
    """Show what a player can change about himself, and change the name on the board."""
    form = NameForm(request.POST or None, initial={"name": request.user.name})
    if request.method == "POST" and form.is_valid():
        services.rename(player=request.user, name=form.cleaned_data["name"])
        messages.success(request, _("Your name is changed."))
        return redirect("account")
    context = {"form": form, "guest_before": guest_before(request)}
    return render(request, "games/account.html", context)


@login_required
@never_cache
@require_safe
def own_data(request: PlayerRequest) -> HttpResponse:
    """Hand out everything that is kept about the player, as a file."""
    response = JsonResponse(
        deletion.data_of(player=request.user),
        json_dumps_params={"ensure_ascii": False, "indent": 1},
    )
    response["Content-Disposition"] = 'attachment; filename="golf-my-data.json"'
    return response


@login_required
@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: PlayerRequest) -> HttpResponse:
    """Say what is deleted and what stays, ask for the password again, and do it."""
    player = request.user
    form = DeleteForm(request.POST or None, has_password=not player.is_guest)
    if request.method == "POST" and form.is_valid() and _is_it(request, form):
        try:
            name = deletion.delete_player(player=player)
        except services.AccountError as error:
            form.add_error(None, _REFUSED[error.code])
        else:
            live.close_sockets(player_id=player.pk)
            logout(request)
            deleted = _("Everything is deleted. Your results stay under the name %(name)s.")
            messages.success(request, deleted % {"name": name})
            return redirect("home")
    return render(request, "registration/delete.html", {"form": form})


#: Why somebody cannot go yet.
_REFUSED: Final = {
    "staff": gettext_lazy("Whoever runs this site gives that up first."),
    "last_owner": gettext_lazy(
        "You are the only owner of a club with other members. Make somebody else its owner first."
    ),
}


def _is_it(request: PlayerRequest, form: DeleteForm) -> bool:
    """Return whether it is the player who asks; wrong passwords count as at the log-in."""
    if request.user.is_guest:
        return True
    password = form.cleaned_data["password"]
    found = authenticate(request, username=request.user.username, password=password)
    if found is None or found.pk != request.user.pk:
        form.add_error("password", _("That is not your password."))
        return False
    return True


@login_required
@sensitive_post_parameters("password")
@never_cache
@admits
@require_http_methods(["GET", "HEAD", "POST"])
def keep_games(request: HttpRequest) -> HttpResponse:
    """Make an account of the guest who is logged in, and leave everything else as it is."""
    guest = request.user
    if not isinstance(guest, Player) or not guest.is_guest:
        return redirect("account")
    form = SignUpForm(request.POST or None, initial={"name": guest.name})
    if request.method == "POST" and form.is_valid():
        services.admit(address=client_address(request))
        try:
            _become_account(request, guest, form)
        except services.AccountError:
            return redirect("account")  # another window was faster
        except ValidationError as error:
            add_errors(form, error)
        else:
            messages.success(
                request, _("Your games are kept. Log in with your user name on any device.")
            )
            return redirect(next_url(request) or "my_games")
    context = {"form": form, "next": next_url(request)}
    return render(request, "registration/keep_games.html", context)


def _become_account(request: HttpRequest, guest: Player, form: SignUpForm) -> None:
    """Keep the session, under its key: the sockets of other windows are known by it."""
    # At one stroke, or a socket that looks at its session in between would find it void.
    with transaction.atomic():
        player = services.become_account(player=guest, **form.cleaned_data)
        request.session[HASH_SESSION_KEY] = player.get_session_auth_hash()
        request.session.save()


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def take_over(request: PlayerRequest) -> HttpResponse:
    """Offer a member the games that he played here as a guest, and give them to him.

    The session says which guest it was; nobody can name one.
    """
    url = next_url(request) or reverse("my_games")
    guest = guest_before(request)
    if guest is None:
        return redirect(url)
    if request.method != "POST":
        belongings = selectors.belongings_of(player=guest)
        context = {"guest": guest, "belongings": belongings, "next": url}
        return render(request, "registration/take_over.html", context)
    forget_guest(request)
    if "leave" not in request.POST:
        _take_over(request, guest)
    return redirect(url)


def _take_over(request: PlayerRequest, guest: Player) -> None:
    try:
        merged = services.merge_guest(guest=guest, into=request.user)
    except services.AccountError:
        return  # another window was faster
    live.close_sockets(player_id=guest.pk)
    taken = ngettext("%(count)s game is yours now.", "%(count)s games are yours now.", merged.moved)
    messages.success(request, taken % {"count": merged.moved})
    if merged.stayed:
        stayed = ngettext(
            "%(count)s game stays with the guest: you have a card of your own in its tournament.",
            "%(count)s games stay with the guest: you have cards of your own in their tournaments.",
            merged.stayed,
        )
        messages.warning(request, stayed % {"count": merged.stayed})


@method_decorator(sensitive_post_parameters(), name="dispatch")
@method_decorator(never_cache, name="dispatch")
class PasswordLinkView(auth_views.PasswordResetConfirmView):
    """Choose a password by a one-time link."""

    template_name = "registration/password_link.html"
    token_generator = services.link_tokens
    success_url = reverse_lazy("login")

    def get_user(self, uidb64: str) -> Player | None:
        """Return whose link it is; there is none for guests and for whoever was shut out."""
        player: Any = super().get_user(uidb64)
        return player if player is not None and player.is_active and not player.is_guest else None

    def form_valid(self, form: "SetPasswordForm[Player]") -> HttpResponse:
        """Set the password, and end every session and socket that knew the old one."""
        token = self.request.session.pop(_SESSION_TOKEN, "")
        password = form.cleaned_data["new_password1"]
        try:
            services.reset_password(player=form.user, token=token, password=password)
        except services.AccountError:
            self.validlink = False  # it was used in another window
            return self.render_to_response(self.get_context_data())
        live.close_sockets(player_id=form.user.pk)
        messages.success(self.request, _("Your password is set. Log in with it."))
        return redirect(self.get_success_url())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add whose password it is: who forgets one may have forgotten the other."""
        return super().get_context_data(**kwargs) | {"player": self.user}
