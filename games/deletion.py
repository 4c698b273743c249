"""What becomes of a player who goes for good, and what is kept about one who stays."""

from collections.abc import Iterable
from typing import Any, Final

from axes.models import AccessAttempt
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.crypto import get_random_string

from games import log_in
from games.locks import held
from games.models import AccountEvent, Game, Move, Player, username_key_of
from games.services import AccountError
from games.signals import data_asked, player_deleted

#: The part of a pseudonym that tells one from another.
_CHARACTERS: Final = "0123456789ABCDEF"


def delete_player(*, player: Player) -> str:
    """Take a player out of everything for good, and return the pseudonym of the results that stay.

    What was played for nothing is deleted, with its moves; what was a result in a tournament stays
    as it is, under the pseudonym. Sessions end; the caller closes the sockets. Idempotent.

    Raises `AccountError` ``staff``, and ``last_owner`` of a club that others belong to.
    """
    with transaction.atomic():
        stored = held(Player.objects).get(pk=player.pk)
        if stored.deleted_at is not None:
            return stored.name
        if stored.is_staff or stored.is_superuser:
            raise AccountError("staff")
        for guest in _guests_of(stored):
            delete_player(player=guest)
        name = _pseudonym()
        answers: Any = player_deleted.send(sender=Player, player=stored, name=name)
        results = {game_id for _receiver, ids in answers for game_id in ids or ()}
        _delete_games(stored, results)
        log_in.forget_failures(player=stored)
        # They hold the names that the player had.
        AccountEvent.objects.filter(player=stored).delete()
        AccountEvent.objects.filter(by=stored).update(note="")
        forget_in_admin_log(Player, [stored.pk])
        AccountEvent.objects.create(player=stored, kind=AccountEvent.Kind.DELETED, by=stored)
        _leave_nothing(stored, name)
    return name


def _guests_of(player: Player) -> list[Player]:
    """Return the guests whose games the player has taken over: the same person, under other names.

    What the account could not have is theirs still.
    """
    merged = AccountEvent.objects.filter(player=player, kind=AccountEvent.Kind.MERGED)
    # `services.merge_guest` writes the guest's user name first.
    usernames = [note.partition(" ")[0] for note in merged.values_list("note", flat=True)]
    guests = Player.objects.filter(username__in=usernames, is_guest=True, deleted_at=None)
    return list(guests.order_by("pk"))


def forget_in_admin_log(model: type[Model], ids: Iterable[int]) -> None:
    """Take the names of rows out of what the admin has written down of changes to them."""
    rows = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(model), object_id__in=list(map(str, ids))
    )
    rows.update(object_repr="")


def _pseudonym() -> str:
    while True:
        name = f"Player {get_random_string(4, _CHARACTERS)}"
        if not Player.objects.filter(name=name).exists():
            return name


def _delete_games(player: Player, results: set[int]) -> None:
    games = Game.objects.filter(player=player)
    games.filter(pk__in=results).update(share_token=None)
    # Locked, so that no move comes to one of them while it goes.
    games = games.exclude(pk__in=results).select_for_update().order_by("pk")
    gone = list(games.values_list("pk", flat=True))
    for start in range(0, len(gone), 500):
        chunk = gone[start : start + 500]
        Move.objects.filter(game__in=chunk).delete()
        Game.objects.filter(pk__in=chunk).delete()


def _leave_nothing(player: Player, name: str) -> None:
    """Overwrite what is known of a player."""
    player.set_unusable_password()
    Player.objects.filter(pk=player.pk).update(
        username=f"deleted-{get_random_string(12).lower()}",
        username_key=None,
        password=player.password,
        name=name,
        first_name="",
        last_name="",
        email="",
        last_login=None,
        is_active=False,
        is_guest=True,
        is_public=False,
        page_id=None,
        preferences={},
        deleted_at=timezone.now(),
    )


def data_of(*, player: Player) -> dict[str, Any]:
    """Return everything that is kept about a player, ready for JSON.

    Codes of deals that are secret are left out, from the player as from everybody.
    """
    found: dict[str, Any] = {
        "account": _account(player),
        "account_events": list(
            AccountEvent.objects.filter(player=player)
            .order_by("pk")
            .values("kind", "at", "note", "by__name")
        ),
        "failed_log_ins": list(
            AccessAttempt.objects.filter(username=username_key_of(player.username))
            .order_by("pk")
            .values("attempt_time", "ip_address", "user_agent", "failures_since_start")
        ),
        "games": _games(player),
    }
    answers: Any = data_asked.send(sender=Player, player=player)
    for _receiver, more in answers:
        found |= more or {}
    return found


def _account(player: Player) -> dict[str, Any]:
    columns = (
        "username", "name", "is_guest", "is_public", "page_id", "first_name", "last_name", "email",
        "date_joined", "last_login", "is_active", "preferences",
    )  # fmt: skip
    return {column: getattr(player, column) for column in columns}


_FIGURES: Final = (
    "public_id", "deal_code", "is_secret", "undo_allowed", "hints_allowed", "created_at",
    "started_at", "closes_at", "finished_at", "state", "given", "cleared", "left", "stock_left",
    "moves_made", "undos", "hints", "app_score", "strokes", "strokes_below_par", "streak_score",
    "longest_streak", "time_ms", "share_token",
)  # fmt: skip


def _games(player: Player) -> list[dict[str, Any]]:
    games = Game.objects.filter(player=player).order_by("pk")
    found = {game.pop("pk"): game for game in games.values("pk", *_FIGURES)}
    for game in found.values():
        game["actions"], game["times_ms"] = "", []
        if game["is_secret"]:
            game["deal_code"] = None
    moves = Move.objects.filter(game__player=player).order_by("game", "turn")
    for game_id, action, ms in moves.values_list("game_id", "action", "ms"):
        found[game_id]["actions"] += action
        found[game_id]["times_ms"].append(ms)
    return list(found.values())
