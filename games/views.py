"""The pages of players and their games: parse, call one service or selector, answer."""

import math
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.core.validators import slug_re
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from games import ghosts, live, log_in, review, selectors, services, solving, words
from games.addresses import client_address
from games.engine import EASY, PAR, GameCode
from games.forms import BoardSettingsForm, GuestForm, LoginForm, PracticeForm, SignUpForm
from games.models import Game, Player

_BACKEND = "games.log_in.PlayerBackend"
#: Where a session keeps the guest that it was before somebody logged in.
_GUEST_BEFORE = "guest_before"
_GAMES_A_PAGE = 30

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


class PlayerRequest(HttpRequest):
    """A request behind `login_required`."""

    user: Player


def next_url(request: HttpRequest) -> str:
    """Return the address of this site that the request names as `next`, or an empty text."""
    url = request.POST.get("next") or request.GET.get("next") or ""
    allowed = url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return url if allowed else ""


def too_many(request: HttpRequest, *, what: str, until: datetime) -> HttpResponse:
    """Answer 429: too many `what`: ``log_ins``, ``arrivals`` or ``codes``, and how long to wait."""
    seconds = max(1, math.ceil((until - timezone.now()).total_seconds()))
    context = {"what": what, "minutes": math.ceil(seconds / 60)}
    response = render(request, "429.html", context, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


@never_cache
def locked_out(request: HttpRequest, *args: Any) -> HttpResponse:
    """Tell somebody who tried too many passwords when to try again; axes calls this."""
    credentials = getattr(request, "axes_credentials", None)
    until = log_in.locked_until(request, credentials) or timezone.now()
    return too_many(request, what="log_ins", until=until)


def admits(view: View[P]) -> View[P]:
    """Let a view call `services.admit`, and answer whoever is not admitted."""

    @wraps(view)
    def admitting(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except services.TooManyArrivals as error:
            return too_many(request, what="arrivals", until=error.until)

    return admitting


def enter_as_guest(request: HttpRequest, *, name: str) -> Player:
    """Make a guest and log him in. Raises `services.TooManyArrivals`."""
    services.admit(address=client_address(request))
    player = services.create_guest(name=name)
    enter_as(request, player)
    return player


def enter_as(request: HttpRequest, player: Player) -> None:
    """Log the player in; whoever was logged in here before is so no longer.

    A guest who was, and leaves something, is remembered: his games can be taken over.
    """
    before = request.user
    if before.is_authenticated:
        live.close_sockets(player_id=before.pk, session_key=request.session.session_key)
    login(request, player, backend=_BACKEND)
    if isinstance(before, Player) and before.is_guest and selectors.has_belongings(player=before):
        request.session[_GUEST_BEFORE] = before.pk


def guest_before(request: HttpRequest) -> Player | None:
    """Return the guest that this browser was before its player logged in; None when it was none."""
    guest_id = request.session.get(_GUEST_BEFORE)
    guests = Player.objects.filter(is_guest=True, is_active=True)
    return guests.filter(pk=guest_id).first() if guest_id else None


def forget_guest(request: HttpRequest) -> None:
    """Ask no more about the guest that this browser was."""
    request.session.pop(_GUEST_BEFORE, None)


@admits
@require_http_methods(["GET", "HEAD", "POST"])
def guest(request: HttpRequest) -> HttpResponse:
    """Let a visitor play at once; whoever is logged in, also as a guest, stays who he is."""
    if request.method != "POST":  # the page of a refused nickname, loaded again
        return redirect("login")
    player = request.user
    if not isinstance(player, Player):
        form = GuestForm(request.POST)
        if not form.is_valid():
            return _enter(request, guest_form=form)
        player = enter_as_guest(request, name=form.cleaned_data["name"])
    if request.POST.get("deal"):
        return _deal_easy(player)
    return redirect(next_url(request) or "home")


def _deal_easy(player: Player) -> HttpResponse:
    code = services.random_practice_code(rules=EASY)
    return redirect("game", services.new_practice_game(player=player, code=code).public_id)


def _enter(request: HttpRequest, *, guest_form: GuestForm) -> HttpResponse:
    """The page that offers all three ways in."""
    context = {
        "form": LoginForm(request),
        "guest_form": guest_form,
        "next": next_url(request),
        "deal": request.POST.get("deal"),
    }
    return render(request, "registration/login.html", context)


class LoginView(auth_views.LoginView):
    """Log in, or play as a guest, or go and sign up; `next` is kept on all three ways."""

    form_class = LoginForm

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Log in as the account, and no longer as whoever was logged in here."""
        enter_as(self.request, form.get_user())
        url = self.get_success_url()
        if guest_before(self.request) is not None:
            url = f"{reverse('take_over')}?{urlencode({'next': url})}"
        return redirect(url)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the guest's form."""
        return super().get_context_data(**kwargs) | {"guest_form": GuestForm()}


@method_decorator(never_cache, name="dispatch")
class LogoutView(auth_views.LogoutView):
    """Log out; a guest is first told that nobody can come back as a guest."""

    http_method_names = ["get", "post", "options"]  # noqa: RUF012 (declared so by Django)

    def get(self, request: HttpRequest) -> HttpResponse:
        """Ask."""
        return render(request, "registration/logout.html")


class PasswordChangeView(auth_views.PasswordChangeView):
    """Choose another password."""

    template_name = "registration/password_change.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        """End the sockets of every session that knew the old password."""
        response = super().form_valid(form)
        services.note_password_change(player=form.user, by=form.user)
        live.close_sockets(player_id=form.user.pk)
        messages.success(self.request, _("Your password is changed."))
        return response


@sensitive_post_parameters("password")
@never_cache
@admits
@require_http_methods(["GET", "HEAD", "POST"])
def signup(request: HttpRequest) -> HttpResponse:
    """Make an account and log in; a guest keeps his games on a page of their own."""
    if isinstance(request.user, Player) and request.user.is_guest:
        return redirect(f"{reverse('keep_games')}?{urlencode({'next': next_url(request)})}")
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        services.admit(address=client_address(request))
        try:
            player = services.sign_up(**form.cleaned_data)
        except ValidationError as error:
            add_errors(form, error)
        else:
            enter_as(request, player)
            return redirect(next_url(request) or "home")
    return render(request, "registration/signup.html", {"form": form, "next": next_url(request)})


def add_errors(form: SignUpForm, error: ValidationError) -> None:
    """Show a service's complaint at the fields that it is about."""
    if not hasattr(error, "error_dict"):
        # Only the password is checked apart from the account.
        form.add_error("password", error)
        return
    for field, errors in error.error_dict.items():
        form.add_error(field if field in form.fields else None, errors)


@require_POST
def board_settings(request: HttpRequest) -> HttpResponse:
    """Keep settings of the board with the player, on every device; guests have theirs too.

    Answers 204, or a JSON object with the `code` of what is wrong: 403 `not_logged_in`, 400 with
    one of `BoardSettingsForm.code`; then nothing is kept.
    """
    if not isinstance(request.user, Player):
        return JsonResponse({"code": "not_logged_in"}, status=403)
    form = BoardSettingsForm(request.POST)
    if form.code:
        return JsonResponse({"code": form.code}, status=400)
    services.set_preferences(player=request.user, **form.cleaned_data)
    return HttpResponse(status=204)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: PlayerRequest) -> HttpResponse:
    """Choose a game of practice, and deal it."""
    form = PracticeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        code = form.cleaned_data.get("deal_code") or services.random_practice_code(
            rules=form.cleaned_data["rules"]
        )
        game = services.new_practice_game(player=request.user, code=code)
        return redirect("game", game.public_id)
    return render(request, "games/practice.html", {"form": form, "par": PAR})


@login_required
@never_cache
@require_GET
def game(request: PlayerRequest, public_id: str) -> HttpResponse:
    """Show the board of a game; the cards come over its socket.

    `ghost` in the address names a game to race against: one's own by its id, or a shared one by the
    token of its link.
    """
    found = game_of(request.user, public_id)
    key = request.GET.get("ghost")
    if key is None:
        return show_board(request, found)
    try:
        ghost, again = _ghost_of(request.user, key)
    except Game.DoesNotExist:
        return show_board(request, found, has_lost_ghost=True)
    return show_board(request, found, ghost=ghost, again=again)


def _ghost_of(player: Player, key: str) -> tuple[Game, str]:
    """Return the game that a player may race against, and the address that deals it again.

    Raises `Game.DoesNotExist`.
    """
    if not slug_re.match(key):  # as in the addresses of games; PostgreSQL takes no NUL
        raise Game.DoesNotExist
    try:
        ghost = selectors.game_of(player=player, public_id=key)
    except Game.DoesNotExist:
        return selectors.shared_game(token=key), reverse("share_ghost", args=[key])
    return ghost, reverse("game_ghost", args=[key])


def show_board(
    request: HttpRequest,
    game: Game,
    *,
    ghost: Game | None = None,
    ghost_name: str | None = None,
    again: str = "",
    has_lost_ghost: bool = False,
) -> HttpResponse:
    """Show the board of a player's own game, beside a ghost that he may see.

    `ghost_name` is as for `games.ghosts.of`, `again` is where the same race is dealt anew. A ghost
    of other cards is none.
    """
    links = {"new": reverse("practice"), "games": reverse("my_games")}
    if not game.is_secret:
        links["repeat"] = reverse("game_repeat", args=[game.public_id])
    if not game.is_secret and not game.given:
        links["share"] = reverse("game_share", args=[game.public_id])
    context: dict[str, Any] = {"game": game, "links": links, "par": PAR}
    if ghost is not None and _fits(ghost, game):
        links["repeat"] = again
        told = ghosts.of(ghost, name=ghost_name)
        context |= {"ghost": told.data(), "ghost_words": words.ghost_words()}
    elif ghost is not None or has_lost_ghost:
        context["has_lost_ghost"] = True
    return render(request, "games/board.html", context)


def _fits(ghost: Game, game: Game) -> bool:
    """Whether a game can be raced against a ghost: the same cards and rules, from the deal on."""
    is_practice = not game.is_secret and game.closes_at is None and not game.given
    return is_practice and ghost.deal_code == game.deal_code and ghosts.is_raceable(ghost)


def deal_against(*, player: Player, ghost: Game) -> Game:
    """Deal a game of practice with the cards of a ghost that the player may see.

    Raises `Http404` for a game that has no ghost.
    """
    if not ghosts.is_raceable(ghost):
        raise Http404
    code = GameCode.parse(ghost.deal_code)
    return services.new_practice_game(player=player, code=code)


def to_race(game: Game, key: str) -> HttpResponse:
    """Go to the board of a game that races against the ghost of a key."""
    return redirect(f"{reverse('game', args=[game.public_id])}?{urlencode({'ghost': key})}")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def game_ghost(request: PlayerRequest, public_id: str) -> HttpResponse:
    """Deal a game of practice against the ghost of one's own finished game."""
    found = game_of(request.user, public_id)
    if request.method != "POST":
        return redirect("game", found.public_id)
    return to_race(deal_against(player=request.user, ghost=found), found.public_id)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def game_repeat(request: PlayerRequest, public_id: str) -> HttpResponse:
    """Deal the same cards again; whoever comes by a link, such as after a log-in, sees the game."""
    found = game_of(request.user, public_id)
    if request.method != "POST":
        return redirect("game", found.public_id)
    if found.is_secret:
        raise Http404
    return redirect("game", services.repeat_game(game=found).public_id)


@login_required
@never_cache
@require_GET
def game_moves(request: PlayerRequest, public_id: str) -> HttpResponse:
    """Tell a finished game's moves; while its cards are secret there is no such page."""
    found = game_of(request.user, public_id)
    if found.is_secret:
        raise Http404
    if found.finished_at is None:
        return redirect("game", found.public_id)
    context = {
        "game": found,
        "par": PAR,
        "has_ghost": ghosts.is_raceable(found),
        **review.to_show(game=found),
    }
    return render(request, "games/moves.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def game_what_if(request: PlayerRequest, public_id: str) -> HttpResponse:
    """Deal a game of practice from a position of a finished one."""
    found = game_of(request.user, public_id)
    page = reverse("game_moves", args=[found.public_id])
    return go_on_from(request, found, page) if request.method == "POST" else redirect(page)


def go_on_from(request: HttpRequest, game: Game, page: str) -> HttpResponse:
    """Deal a game of practice from the position that a form of `page` names.

    `line` is one of `games.review`, `at` how many of its actions come before the position.
    """
    if not isinstance(request.user, Player):
        return redirect_to_login(page)
    at = request.POST.get("at", "")
    try:
        actions = review.actions_to(
            game=game,
            line=request.POST.get("line", ""),
            at=int(at) if at.isascii() and at.isdecimal() and len(at) < 6 else -1,
        )
        code = GameCode.parse(game.deal_code)
        made = services.practise_from(player=request.user, code=code, actions=actions)
    except solving.Unavailable:
        messages.error(request, _("The best line cannot be worked out just now."))
    except ValueError:
        messages.error(request, _("There is nothing left to play from there."))
    else:
        return redirect("game", made.public_id)
    return redirect(page)


@login_required
@never_cache
@require_GET
def my_games(request: PlayerRequest) -> HttpResponse:
    """List the player's games, the newest first."""
    pages = Paginator(selectors.games_of(player=request.user), _GAMES_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    return render(request, "games/my_games.html", {"page": page, "par": PAR})


def game_of(player: Player, public_id: str) -> Game:
    """Return a player's own game. Raises `Http404`."""
    try:
        return selectors.game_of(player=player, public_id=public_id)
    except Game.DoesNotExist:
        raise Http404 from None
