"""Everything that is read about players and games."""

from collections.abc import Iterable, Iterator
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.db.models import PROTECT, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import ngettext

from games.engine import Deal, GameCode, Play, RuleSet
from games.models import AccountEvent, Game, Move, Player, username_key_of
from games.signals import belongings_asked


class DamagedGame(Exception):
    """The stored moves are not those of such a game: they cannot be replayed."""


def player_of_session(*, session_key: str | None) -> int | None:
    """Return the id of the player who is logged in there, as Django finds it for a page."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = get_user(request)
    return user.pk if user.is_authenticated and user.is_active else None


def player_to_log_in(*, username: str) -> Player | None:
    """Return the account that `username` means: of that very name, else of one that looks alike."""
    key = username_key_of(username)
    found = Player.objects.filter(Q(username=username) | Q(username_key=key))
    return min(found, key=lambda player: player.username != username, default=None)


def has_belongings(*, player: Player) -> bool:
    """Return whether the player has a game, or anything else that another app keeps."""
    return any(
        QuerySet(relation.related_model).filter(**{relation.field.name: player}).exists()
        for relation in Player._meta.related_objects
        if relation.on_delete is PROTECT and relation.related_model is not AccountEvent
    )


def belongings_of(*, player: Player) -> list[str]:
    """Return sentences on what a player has: games, and whatever other apps keep."""
    games = Game.objects.filter(player=player).count()
    told = [ngettext("%(count)s game", "%(count)s games", games) % {"count": games}]
    for _receiver, sentences in belongings_asked.send(sender=Player, player=player):
        told += sentences or []
    return told


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


def journal_of(*, game: Game) -> tuple[Play, list[Move]]:
    """Return the game as the engine sees it now, and its moves in order.

    Raises `DamagedGame`.
    """
    moves = moves_of(game_id=game.pk)
    try:
        play = play_of(game=game, actions="".join(move.action for move in moves))
    except ValueError:  # a refused action, or none at all; what it says may quote a secret code
        raise DamagedGame from None
    if [move.turn for move in moves] != list(range(len(moves))):
        raise DamagedGame
    return play, moves


def journals_of(*, games: Iterable[Game]) -> Iterator[tuple[Game, Play | None, list[int]]]:
    """Yield each game, as the engine sees it, and the times of its moves in ms.

    All moves are read in one query. Without a play it is damaged, see `journal_of`.
    """
    by_id = {game.pk: game for game in games}
    moves: dict[int, list[tuple[int, str, int]]] = {game_id: [] for game_id in by_id}
    stored = Move.objects.filter(game__in=by_id).order_by("game_id", "turn")
    for game_id, turn, action, ms in stored.values_list("game_id", "turn", "action", "ms"):
        moves[game_id].append((turn, action, ms))
    codes: dict[str, tuple[Deal, RuleSet]] = {}
    for game_id, game in by_id.items():
        turns, actions, times = zip(*moves[game_id], strict=True) if moves[game_id] else ((),) * 3
        play = None
        if turns == tuple(range(len(turns))):
            try:
                if game.deal_code not in codes:
                    code = GameCode.parse(game.deal_code)
                    codes[game.deal_code] = code.deal(), code.rules
                play = Play.replay(
                    *codes[game.deal_code],
                    actions,
                    undo=game.undo_allowed,
                    hints=game.hints_allowed,
                )
            except ValueError:  # as `journal_of`
                play = None
        yield game, play, list(times)


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
