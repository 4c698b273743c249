"""Everything that is written about players and games, but for the moves themselves."""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

from games import journal, selectors
from games.engine import GameCode, Play, RuleSet
from games.models import Game, Player, new_share_token
from games.signals import game_finished

#: How many deals a GO1 code can number: seven letters.
_PRACTICE_DEALS = 26**7


def create_guest(*, name: str) -> Player:
    """Create a player without a password, known by the session alone."""
    player = Player(username=f"guest-{get_random_string(12).lower()}", name=name, is_guest=True)
    player.set_unusable_password()
    player.save()
    return player


def sign_up(*, username: str, name: str, password: str) -> Player:
    """Create an account.

    Raises `django.core.exceptions.ValidationError` for a bad user name, name or password.
    """
    player = Player(username=username, name=name)
    validate_password(password, player)
    player.set_password(password)
    player.full_clean()
    try:
        with transaction.atomic():
            player.save()
    except IntegrityError:
        # Somebody took the user name in between: the same complaint as a moment later.
        player.full_clean()
        raise
    return player


def set_preferences(*, player: Player, **preferences: str | bool) -> None:
    """Keep these preferences with the player; others stay as they are."""
    with transaction.atomic():
        kept = Player.objects.select_for_update().get(pk=player.pk)
        kept.preferences |= preferences
        kept.save(update_fields=["preferences"])
    player.preferences = kept.preferences


def random_practice_code(*, rules: RuleSet) -> GameCode:
    """Return the code of a random practice deal under `rules`."""
    return GameCode(version=1, rules=rules, number=secrets.randbelow(_PRACTICE_DEALS))


def new_practice_game(*, player: Player, code: GameCode) -> Game:
    """Create a game of the deal that `code` names, with undo and hints."""
    return Game.objects.create(player=player, deal_code=code.text)


def repeat_game(*, game: Game) -> Game:
    """Create a practice game of the same cards and rules.

    Raises `ValueError` while the cards of `game` are secret.
    """
    if game.is_secret:
        raise ValueError("a secret deal cannot be practised")
    return Game.objects.create(player=game.player, deal_code=game.deal_code)


def new_competition_game(
    *, player: Player, code: GameCode, closes_at: datetime, undo: bool, hints: bool
) -> Game:
    """Create a game whose cards stay secret until `reveal_games`."""
    return Game.objects.create(
        player=player,
        deal_code=code.text,
        is_secret=True,
        closes_at=closes_at,
        undo_allowed=undo,
        hints_allowed=hints,
    )


def start_clock(*, game_id: int) -> datetime:
    """Set the game's start to now, once: its cards are about to be sent. Return its start.

    Raises `Game.DoesNotExist`.
    """
    started = Game.objects.values_list("started_at", flat=True)
    started_at = started.get(pk=game_id)
    if started_at is None:
        started_at = timezone.now()
        if not Game.objects.filter(pk=game_id, started_at=None).update(started_at=started_at):
            return start_clock(game_id=game_id)
    return started_at


def figures_of(*, play: Play, first_ms: int, last_ms: int) -> dict[str, Any]:
    """Return the columns of `Game` that are a copy of what the journal makes of a game.

    `first_ms` and `last_ms` are the times of the first and the last action.
    """
    figures = play.figures()
    figures["moves_made"] = figures.pop("moves")
    return {**figures, "state": play.state, "turn": play.turn, "time_ms": last_ms - first_ms}


def refresh_figures(*, game_id: int) -> Game:
    """Rewrite the copied figures of a game from its moves, and return it. Idempotent."""
    with transaction.atomic():
        # Not against the key: a move that arrives meanwhile need not wait.
        game = Game.objects.select_for_update(no_key=True).get(pk=game_id)
        moves = selectors.moves_of(game_id=game_id)
        play = selectors.play_of(game=game, actions="".join(move.action for move in moves))
        times = [move.ms for move in moves] or [0]
        fields = figures_of(play=play, first_ms=times[0], last_ms=times[-1])
        if play.final and game.finished_at is None and game.started_at is not None:
            fields["finished_at"] = game.started_at + timedelta(milliseconds=times[-1])
        for name, value in fields.items():
            setattr(game, name, value)
        game.save(update_fields=list(fields))
    return game


def close_game(*, game_id: int) -> Game:
    """End a game at its deadline where it lies: the cards that are left count. Idempotent.

    An action that arrives at the same moment either stands before the end or is refused; both
    write the same turn, and only one of them can.
    """
    started_at = start_clock(game_id=game_id)
    while True:
        game = Game.objects.get(pk=game_id)
        moves = selectors.moves_of(game_id=game_id)
        play = selectors.play_of(game=game, actions="".join(move.action for move in moves))
        if play.final:
            return refresh_figures(game_id=game_id)
        ended_at = min(timezone.now(), game.closes_at or timezone.now())
        end = (ended_at - started_at) // timedelta(milliseconds=1)
        last_ms = max([0, end, *(move.ms for move in moves)])
        (stored,) = journal.write(
            [journal.Row(game_id=game_id, turn=play.turn, action="c", ms=last_ms)]
        )
        if isinstance(stored, Exception):
            raise stored
        if stored:
            return refresh_figures(game_id=game_id)


def discard_game(*, game_id: int) -> bool:
    """Delete a game whose cards were never sent; return whether it was one."""
    deleted, _ = Game.objects.filter(pk=game_id, started_at=None).delete()
    return bool(deleted)


def announce_finished(*, game_id: int) -> None:
    """Tell the other apps that a competition's game is final; a failing receiver is logged only."""
    game_finished.send_robust(sender=Game, game_id=game_id)


def reveal_games(*, game_ids: Iterable[int]) -> None:
    """Open the cards and codes of games that nobody can play any more."""
    Game.objects.filter(pk__in=game_ids, is_secret=True).exclude(finished_at=None).update(
        is_secret=False
    )


def share_game(*, game: Game) -> Game:
    """Give a finished game an address that everybody who has it may see. Idempotent.

    Raises `ValueError` while the game goes on or its cards are secret.
    """
    if game.finished_at is None or game.is_secret:
        raise ValueError("only a finished game with open cards can be shared")
    Game.objects.filter(pk=game.pk, share_token=None).update(share_token=new_share_token())
    game.refresh_from_db(fields=["share_token"])
    return game


def stop_sharing(*, game: Game) -> None:
    """Take the game's address away; sharing it again gives it another one. Idempotent."""
    Game.objects.filter(pk=game.pk).update(share_token=None)
    game.share_token = None
