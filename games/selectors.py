"""Everything that is read about players and games."""

from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.db.models import QuerySet
from django.http import HttpRequest

from games.engine import GameCode, Play
from games.models import Game, Move, Player


def player_of_session(*, session_key: str | None) -> int | None:
    """Return the id of the player who is logged in there, as Django finds it for a page."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = get_user(request)
    return user.pk if user.is_authenticated and user.is_active else None


def games_of(*, player: Player) -> QuerySet[Game]:
    """Return the player's games, the newest first."""
    return Game.objects.filter(player=player)


def game_of(*, player: Player, public_id: str) -> Game:
    """Return the player's game of that address.

    Raises `Game.DoesNotExist` when there is none, also when it is somebody else's.
    """
    return Game.objects.get(public_id=public_id, player=player)


def shared_game(*, token: str) -> Game:
    """Return the game that its player shares at that address, with its player.

    Raises `Game.DoesNotExist`.
    """
    return Game.objects.select_related("player").get(share_token=token, is_secret=False)


def owner_of(*, public_id: str) -> tuple[int, int]:
    """Return the ids of the game of that address and of its player.

    Raises `Game.DoesNotExist`.
    """
    game = Game.objects.only("pk", "player_id").get(public_id=public_id)
    return game.pk, game.player_id


def moves_of(*, game_id: int) -> list[Move]:
    """Return the journal of a game in order."""
    return list(Move.objects.filter(game_id=game_id).order_by("turn"))


def actions_of(*, game_id: int) -> str:
    """Return the journal of a game as one string of actions, `"d52u…"`."""
    actions = Move.objects.filter(game_id=game_id).order_by("turn").values_list("action", flat=True)
    return "".join(actions)


def play_of(*, game: Game, actions: str | None = None) -> Play:
    """Return the game as the engine sees it after `actions`, by default all that are stored."""
    code = GameCode.parse(game.deal_code)
    return Play.replay(
        code.deal(),
        code.rules,
        actions_of(game_id=game.pk) if actions is None else actions,
        undo=game.undo_allowed,
        hints=game.hints_allowed,
    )
