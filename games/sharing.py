"""Finished games that their players share: a page and a picture for whoever has the link.

Only the player makes a link, and can take it back; another one is made the next time, so an
address never shows anything but the one finished game. A game in play, or one whose cards are
secret, has neither page nor picture.
"""

from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games import pictures, selectors, services, transcript, words
from games.engine import PAR, GameCode, Play, card_text, describe
from games.engine.scoring import standing
from games.forms import GuestForm
from games.models import Game, Player
from games.social import Social, in_order, social
from games.templatetags.golf import signed
from games.views import PlayerRequest, admits, deal_against, enter_as_guest, to_race

_A_YEAR: Final = 60 * 60 * 24 * 365


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def share(request: PlayerRequest, public_id: str) -> HttpResponse:
    """Make the link of one's own finished game."""
    game = _own_game(request, public_id)
    if game.finished_at is None or request.method != "POST":
        return redirect("game", game.public_id)
    services.share_game(game=game)
    return _to_link(game)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: PlayerRequest, public_id: str) -> HttpResponse:
    """Take the link of one's own game away."""
    game = _own_game(request, public_id)
    if request.method != "POST":
        return redirect("game", game.public_id)
    services.stop_sharing(game=game)
    return _to_link(game)


def _own_game(request: PlayerRequest, public_id: str) -> Game:
    try:
        game = selectors.game_of(player=request.user, public_id=public_id)
    except Game.DoesNotExist:
        raise Http404 from None
    if game.is_secret or game.given:
        raise Http404
    return game


def _to_link(game: Game) -> HttpResponse:
    return redirect(reverse("game_moves", args=[game.public_id]) + "#share")


@never_cache
@require_safe
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """Show a shared game."""
    return _page(request, _shared_game(token), GuestForm())


def _page(request: HttpRequest, game: Game, guest_form: GuestForm) -> HttpResponse:
    context = {
        "game": game,
        "par": PAR,
        "result": result(game),
        "board": describe(selectors.play_of(game=game)),
        "transcript": transcript.of(game),
        "guest_form": guest_form,
        "social": _social(request, game),
    }
    return render(request, "games/shared.html", context)


@never_cache
@admits
@require_http_methods(["GET", "HEAD", "POST"])
def play(request: HttpRequest, token: str) -> HttpResponse:
    """Deal the cards of a shared game to whoever asks, as a guest if need be."""
    return _deal(request, token)


@never_cache
@admits
@require_http_methods(["GET", "HEAD", "POST"])
def ghost(request: HttpRequest, token: str) -> HttpResponse:
    """Deal the same, to be raced against the ghost of the shared game."""
    return _deal(request, token, is_race=True)


def _deal(request: HttpRequest, token: str, *, is_race: bool = False) -> HttpResponse:
    game = _shared_game(token)
    if request.method != "POST":
        return redirect("share", token)
    player = request.user
    if not isinstance(player, Player):
        form = GuestForm(request.POST)
        if not form.is_valid():
            return _page(request, game, form)
        player = enter_as_guest(request, name=form.cleaned_data["name"])
    if is_race:
        return to_race(deal_against(player=player, ghost=game), token)
    code = GameCode.parse(game.deal_code)
    return redirect("game", services.new_practice_game(player=player, code=code).public_id)


@cache_control(public=True, max_age=_A_YEAR, immutable=True)
@require_safe
def picture(request: HttpRequest, token: str) -> HttpResponse:
    """Draw a shared game. It names nobody, and neither game nor address ever change."""
    png = pictures.draw_game(picture_of(_shared_game(token)))
    return HttpResponse(png, content_type="image/png")


def _shared_game(token: str) -> Game:
    try:
        return selectors.shared_game(token=token)
    except Game.DoesNotExist:
        raise Http404 from None


def picture_of(game: Game) -> pictures.GamePicture:
    """Return what the picture of a finished game shows."""
    code = GameCode.parse(game.deal_code)
    position = Play(code.deal(), code.rules)
    pile = [] if position.waste is None else [card_text(position.waste)]
    for action in standing(selectors.actions_of(game_id=game.pk)):
        position.act(action)
        if position.waste is not None:
            pile.append(card_text(position.waste))
    return pictures.GamePicture(
        columns=tuple(tuple(map(card_text, column)) for column in position.columns),
        pile=tuple(pile),
        stock_left=position.stock_left,
        code=game.deal_code,
        strokes=game.strokes,
        to_par=game.strokes - PAR,
        app_score=game.app_score,
    )


def result(game: Game) -> str:
    """Return how a finished game ended, in a few words."""
    if game.state == Game.State.WON:
        return _("All cards cleared")
    left = ngettext(
        "%(count)s card left on the table", "%(count)s cards left on the table", game.left
    )
    return left % {"count": game.left}


def _social(request: HttpRequest, game: Game) -> Social:
    figures = {
        "rules": words.rules_name(game.rules),
        "to_par": in_order(signed(game.strokes - PAR)),
        "score": game.app_score,
    }
    return social(
        request,
        title=_("%(name)s: %(result)s") % {"name": game.player, "result": result(game)},
        description=_(
            "Golf solitaire (%(rules)s): %(to_par)s against par, score %(score)s. "
            "Play the same cards and do better."
        )
        % figures,
        image=reverse("share_picture", args=[game.share_token]),
        alt=_("The table at the end of the game: %(result)s.") % {"result": result(game)},
    )
