"""Everything that is written about players and games, but for the moves themselves."""

import logging
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.views.decorators.debug import sensitive_variables

from games import addresses, journal, log_in, names, selectors
from games.engine import GameCode, Play, RuleSet
from games.locks import held, hold_in_order
from games.models import (
    AccountEvent,
    Arrival,
    Game,
    Move,
    Player,
    new_public_id,
    new_share_token,
    username_key_of,
)
from games.signals import game_damaged, game_finished, player_merged

logger = logging.getLogger(__name__)

_MS = timedelta(milliseconds=1)
#: How long an arrival counts.
_HOUR: Final = timedelta(hours=1)
#: How many deals a GO1 code can number: seven letters.
_PRACTICE_DEALS = 26**7


# --- accounts ----------------------------------------------------------------------------------


class AccountError(Exception):
    """Something that cannot be done to an account, with a stable `code`.

    ``not_guest``: it is no guest, or no longer one. ``guest``: it is one. ``inactive``: it is
    shut. ``staff``: only a superuser may do it to somebody of the staff. ``itself``: nobody shuts
    his own account. ``link_void``: the link was used or replaced, is too old, or never was one.
    ``last_owner``: it is the only owner of a club with other members.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class TooManyArrivals(Exception):
    """An address has made all guests and accounts that it may; the next one `until`."""

    def __init__(self, until: datetime) -> None:
        super().__init__(until)
        self.until = until


def admit(*, address: str) -> None:
    """Count in somebody at `address` who wants to be a guest or to have an account.

    Raises `TooManyArrivals`. This computer itself may do as it likes: tests and bots run there.
    """
    most = settings.ARRIVALS_PER_HOUR
    if not most or addresses.is_loopback(address):
        return
    now = timezone.now()
    Arrival.objects.filter(at__lte=now - _HOUR).delete()
    # Written before the others are counted: many at once would all find the last place free. Two
    # who come for it together may both be turned away.
    mine = Arrival.objects.create(address=address, at=now)
    others = Arrival.objects.filter(address=address).exclude(pk=mine.pk).order_by("-at")
    latest = list(others.values_list("at", flat=True)[:most])
    if len(latest) == most:
        mine.delete()
        raise TooManyArrivals(latest[-1] + _HOUR)


def create_guest(*, name: str) -> Player:
    """Create a player without a password, known by the session alone."""
    player = Player(username=f"guest-{get_random_string(12).lower()}", name=name, is_guest=True)
    player.set_unusable_password()
    player.save()
    return player


@sensitive_variables("password")
def sign_up(*, username: str, name: str, password: str) -> Player:
    """Create an account.

    Raises `django.core.exceptions.ValidationError` for a bad user name, name or password.
    """
    player = Player()
    _describe(player, username=username, name=name, password=password)
    try:
        with transaction.atomic():
            player.save()
    except IntegrityError:
        # Somebody took the user name in between: the same complaint as a moment later.
        player.username_key = None
        player.full_clean()
        raise
    return player


@sensitive_variables("password")
def become_account(*, player: Player, username: str, name: str, password: str) -> Player:
    """Make an account of a guest, who keeps everything, and return it.

    Sessions of the guest end unless they are told of the new password.

    Raises `ValidationError` as `sign_up` does, and `AccountError` ``not_guest``.
    """
    account = Player.objects.get(pk=player.pk)
    if not account.is_guest or not account.is_active:
        raise AccountError("not_guest")
    account.is_guest = False
    _describe(account, username=username, name=name, password=password)
    fields = {
        "username": account.username,
        "username_key": username_key_of(account.username),
        "name": name,
        "password": account.password,
        "is_guest": False,
    }
    try:
        with transaction.atomic():
            # Two windows may do this at once; the first one stands.
            mine = Player.objects.filter(pk=account.pk, is_guest=True, is_active=True)
            if not mine.update(**fields):
                raise AccountError("not_guest")
            _log(account, AccountEvent.Kind.BECAME_ACCOUNT, by=account, note=player.username)
    except IntegrityError:
        account.full_clean()
        raise
    return Player.objects.get(pk=account.pk)


@sensitive_variables("password")
def _describe(player: Player, *, username: str, name: str, password: str) -> None:
    """Fill in an account that is yet to be saved; raise `ValidationError` where it cannot be."""
    player.username, player.name = Player.normalize_username(username), name
    validate_password(password, player)
    player.set_password(password)
    player.full_clean()


def rename(*, player: Player, name: str) -> None:
    """Give the player another name on the board.

    Raises `games.names.BadName`, and `PermissionDenied` as `hold_player` does.
    """
    names.check(name)
    with transaction.atomic():
        before = hold_player(player=player).name
        if name != before:
            Player.objects.filter(pk=player.pk).update(name=name)
            _log(player, AccountEvent.Kind.RENAMED, by=player, note=f"{before} → {name}")
    player.name = name


def hold_player(*, player: Player) -> Player:
    """Return a player as stored, held until the end of the transaction, before any other row.

    Whoever gives a player something under a name holds him: who deletes himself at that moment is
    waited for, or has everything taken away.

    Raises `PermissionDenied` where he has gone for good: his session is over, and no page need
    catch this.
    """
    stored = held(Player.objects).get(pk=player.pk)
    if stored.deleted_at is not None:
        raise PermissionDenied
    return stored


@dataclass(frozen=True, slots=True)
class Merged:
    """What `merge_guest` did: games that the account has now, and games that stayed."""

    moved: int
    stayed: int


def merge_guest(*, guest: Player, into: Player) -> Merged:
    """Give a guest's games, and what other apps keep of the guest, to an account.

    What the account cannot have, such as a second entry in one tournament, stays with the guest.
    A guest who has nothing left is shut. The caller knows that both are the same person.

    Raises `AccountError` ``not_guest`` when `guest` is no guest any more, and ``guest`` when
    `into` is one; `PermissionDenied` as `hold_player` does.
    """
    if into.is_guest:
        raise AccountError("guest")
    with transaction.atomic():
        hold_player(player=into)  # the account before its guests, as where it is deleted
        # Two windows may do this at once; the second one waits, and finds less.
        locked = held(Player.objects).filter(pk=guest.pk, is_guest=True)
        if not locked.exists():
            raise AccountError("not_guest")
        answers = player_merged.send(sender=Player, guest=guest, into=into)
        stay = {game_id for _receiver, ids in answers for game_id in ids or ()}
        games = Game.objects.filter(player=guest).exclude(pk__in=stay)
        moved = Game.objects.filter(pk__in=hold_in_order(games)).update(player=into)
        note = f"{guest.username} {guest.name}: {moved} + {len(stay)}"
        _log(into, AccountEvent.Kind.MERGED, by=into, note=note)
        if not selectors.has_belongings(player=guest):
            Player.objects.filter(pk=guest.pk).update(is_active=False)
            _log(guest, AccountEvent.Kind.DEACTIVATED, by=into, note=into.username)
    return Merged(moved=moved, stayed=len(stay))


class _LinkTokens(PasswordResetTokenGenerator):
    """Tokens for 48 hours, unless a new password, a log-in, a later link or more rights come."""

    key_salt = "games.password_link"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        newest = _links_of(user).values_list("pk", flat=True).first()
        rights = (user.is_staff, user.is_superuser)
        return f"{super()._make_hash_value(user, timestamp)}{newest}{rights}"


def _links_of(player: Player) -> QuerySet[AccountEvent]:
    """Return what was done with the player's password links, the latest first."""
    kinds = (AccountEvent.Kind.PASSWORD_LINK_ISSUED, AccountEvent.Kind.PASSWORD_LINK_VOID)
    return AccountEvent.objects.filter(player=player, kind__in=kinds).order_by("-pk")


#: Makes and checks the tokens of `issue_password_link`.
link_tokens = _LinkTokens()


@dataclass(frozen=True, slots=True)
class PasswordLink:
    """A one-time link to a new password: its path on this site, and when it ends."""

    path: str
    ends_at: datetime


def issue_password_link(*, player: Player, by: Player) -> PasswordLink:
    """Return a link by which whoever has it can set the account's password, once; log who made it.

    It is void after `settings.PASSWORD_RESET_TIMEOUT` seconds, a log-in of the player, another
    password, a later link, more rights on the site, or `void_password_links`. It is shown once and
    stored nowhere.

    Raises `AccountError` ``guest``, ``inactive`` or ``staff``. Whether `by` may do it at all is
    for the caller to know.
    """
    if player.is_guest:
        raise AccountError("guest")
    if not player.is_active:
        raise AccountError("inactive")
    _check_staff(player, by)
    _log(player, AccountEvent.Kind.PASSWORD_LINK_ISSUED, by=by)
    # As it is stored now: what is in memory may be older than the last log-in.
    token = link_tokens.make_token(Player.objects.get(pk=player.pk))
    uid = urlsafe_base64_encode(force_bytes(player.pk))
    return PasswordLink(
        path=reverse("password_link", args=[uid, token]),
        ends_at=timezone.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT),
    )


def void_password_links(*, player: Player, by: Player) -> None:
    """Make the player's links void, since `by` lets the player do more than who made one may.

    Idempotent, and logged only where there is a link.
    """
    latest = _links_of(player).first()
    if latest is not None and latest.kind == AccountEvent.Kind.PASSWORD_LINK_ISSUED:
        _log(player, AccountEvent.Kind.PASSWORD_LINK_VOID, by=by)


@sensitive_variables("token", "password")
def reset_password(*, player: Player, token: str, password: str) -> None:
    """Set the password of an account by the token of a link, which is used up.

    Sessions that knew the old password end; the caller closes the sockets.

    Raises `AccountError` ``link_void``, and `ValidationError` for a bad password.
    """
    stored = Player.objects.filter(pk=player.pk, is_active=True, is_guest=False).first()
    if stored is None or not link_tokens.check_token(stored, token):
        raise AccountError("link_void")
    before = stored.password
    validate_password(password, stored)
    stored.set_password(password)
    with transaction.atomic():
        # The link may be used twice at once; it works once.
        if not Player.objects.filter(pk=stored.pk, password=before).update(
            password=stored.password
        ):
            raise AccountError("link_void")
        _log(stored, AccountEvent.Kind.PASSWORD_RESET, by=None)
        log_in.forget_failures(player=stored)


def note_password_change(*, player: Player, by: Player) -> None:
    """Log that the player's password was changed."""
    _log(player, AccountEvent.Kind.PASSWORD_CHANGED, by=by)


def deactivate(*, player: Player, by: Player) -> None:
    """Shut a player out; sessions end, and the caller closes the sockets. Idempotent.

    Raises `AccountError` ``staff`` or ``itself``.
    """
    _check_staff(player, by)
    if player.pk == by.pk:
        raise AccountError("itself")
    _set_active(player, by, is_active=False)


def activate(*, player: Player, by: Player) -> None:
    """Let a player in again, unless he is gone for good. Idempotent.

    Raises `AccountError` ``staff``.
    """
    _check_staff(player, by)
    _set_active(player, by, is_active=True)


def _set_active(player: Player, by: Player, *, is_active: bool) -> None:
    kind = AccountEvent.Kind.ACTIVATED if is_active else AccountEvent.Kind.DEACTIVATED
    with transaction.atomic():
        rows = Player.objects.filter(pk=player.pk, is_active=not is_active, deleted_at=None)
        if rows.update(is_active=is_active):
            _log(player, kind, by=by)
    player.refresh_from_db(fields=["is_active"])


def _check_staff(player: Player, by: Player) -> None:
    if (player.is_staff or player.is_superuser) and not by.is_superuser:
        raise AccountError("staff")


def _log(player: Player, kind: AccountEvent.Kind, *, by: Player | None, note: str = "") -> None:
    AccountEvent.objects.create(player=player, kind=kind, by=by, note=note[:255])


def show_figures(*, player: Player, is_public: bool) -> None:
    """Let everybody see the page with the player's figures, or nobody else. Idempotent.

    Shown again it has the address that it had.
    """
    if is_public:
        Player.objects.filter(pk=player.pk, page_id=None).update(page_id=new_public_id())
    Player.objects.filter(pk=player.pk).update(is_public=is_public)
    player.refresh_from_db(fields=["is_public", "page_id"])


def set_preferences(*, player: Player, **preferences: str | bool) -> None:
    """Keep these preferences with the player; others stay as they are."""
    with transaction.atomic():
        kept = held(Player.objects).get(pk=player.pk)
        kept.preferences |= preferences
        kept.save(update_fields=["preferences"])
    player.preferences = kept.preferences


# --- games -------------------------------------------------------------------------------------


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


def practise_from(*, player: Player, code: GameCode, actions: str) -> Game:
    """Create a practice game in which some plays and draws have been made already.

    It goes on from there, and all of it can be undone.

    Raises `ValueError` where the rules do not allow them, and where nothing is left to play.
    """
    play = Play.replay(code.deal(), code.rules, actions)
    if play.final:
        raise ValueError("nothing is left to play")
    with transaction.atomic():
        game = Game.objects.create(player=player, deal_code=code.text, given=len(actions))
        rows = [
            journal.Row(game_id=game.pk, turn=turn, action=action, ms=0)
            for turn, action in enumerate(actions)
        ]
        journal.write(rows)
        return refresh_figures(game_id=game.pk)


def new_competition_game(
    *,
    player: Player,
    code: GameCode,
    closes_at: datetime,
    undo: bool,
    hints: bool,
    limit: timedelta | None = None,
    started_at: datetime | None = None,
    feed: str = "",
) -> Game:
    """Create a game whose cards stay secret until `reveal_games`.

    It is closed at `closes_at`, and at the latest `limit` after its cards were first sent. By
    default it starts when they are first sent; with `started_at` at that instant, whoever is there.
    `feed` names the room that hears how it goes.
    """
    return Game.objects.create(
        player=player,
        deal_code=code.text,
        is_secret=True,
        closes_at=closes_at,
        undo_allowed=undo,
        hints_allowed=hints,
        limit_ms=None if limit is None else limit // _MS,
        started_at=started_at,
        feed=feed,
    )


def new_race_games(
    *,
    players: Sequence[Player],
    code: GameCode,
    started_at: datetime,
    closes_at: datetime,
    undo: bool,
    hints: bool,
    feed: str,
) -> list[Game]:
    """Create a game of one secret deal for each player, in their order; as `new_competition_game`.

    All start at one instant, also for who is not there.
    """
    return Game.objects.bulk_create(
        Game(
            player=player,
            deal_code=code.text,
            is_secret=True,
            closes_at=closes_at,
            undo_allowed=undo,
            hints_allowed=hints,
            started_at=started_at,
            feed=feed,
        )
        for player in players
    )


def start_clock(*, game_id: int) -> datetime:
    """Set the game's start to now unless it has one: its cards are about to be sent. Return it.

    A game with a time limit gets its deadline now. Raises `Game.DoesNotExist`.
    """
    game = Game.objects.only("started_at", "closes_at", "limit_ms").get(pk=game_id)
    if game.started_at is not None:
        return game.started_at
    started_at = timezone.now()
    closes_at = within_limit(game.closes_at, started_at=started_at, limit_ms=game.limit_ms)
    row = Game.objects.filter(pk=game_id, started_at=None, closes_at=game.closes_at)
    if not row.update(started_at=started_at, closes_at=closes_at):
        return start_clock(game_id=game_id)
    return started_at


def within_limit(
    closes_at: datetime | None, *, started_at: datetime | None, limit_ms: int | None
) -> datetime | None:
    """Return a deadline as the time limit of a game leaves it."""
    if closes_at is None or started_at is None or limit_ms is None:
        return closes_at
    return min(closes_at, started_at + timedelta(milliseconds=limit_ms))


def move_deadline(*, game: Game, closes_at: datetime) -> bool:
    """Let a game that goes on be closed at another time, within its time limit.

    Returns whether that is news; `games.live.tell_deadline` brings it to who plays.
    """
    moved = within_limit(closes_at, started_at=game.started_at, limit_ms=game.limit_ms)
    if moved == game.closes_at:
        return False
    # The start sets a deadline too: whichever comes second reckons with the other.
    row = Game.objects.filter(pk=game.pk, finished_at=None, started_at=game.started_at)
    if row.update(closes_at=moved):
        return True
    game.refresh_from_db()
    return game.finished_at is None and move_deadline(game=game, closes_at=closes_at)


def figures_of(*, play: Play, first_ms: int, last_ms: int) -> dict[str, Any]:
    """Return the columns of `Game` that are a copy of what the journal makes of a game.

    `first_ms` is from when its time counts (`counted_from`), `last_ms` the time of the last action.
    """
    figures = play.figures()
    figures["moves_made"] = figures.pop("moves")
    return {**figures, "state": play.state, "turn": play.turn, "time_ms": last_ms - first_ms}


def counted_from(*, game: Game, first_ms: int) -> int:
    """Return from when a game's time counts, in ms since its start.

    From its first action, at `first_ms`; of a race from the start, which all have in common.
    """
    return 0 if game.feed else first_ms


def refresh_figures(*, game_id: int) -> Game:
    """Rewrite the copied figures of a game from its moves, and return it. Idempotent.

    A game that was damaged and has been mended goes on. Raises `games.selectors.DamagedGame`.
    """
    with transaction.atomic():
        game = held(Game.objects).get(pk=game_id)
        play, moves = selectors.journal_of(game=game)
        fields = _copied(game, play, [move.ms for move in moves])
        for name, value in fields.items():
            setattr(game, name, value)
        game.save(update_fields=list(fields))
    return game


def refresh_many(*, game_ids: Collection[int]) -> None:
    """Bring the copied figures of games in line with their moves, and report damaged ones.

    Idempotent. Looks at all of them at once and holds nobody up; what is out of line is rewritten
    game by game, as by `refresh_figures`.
    """
    games = Game.objects.filter(pk__in=game_ids)
    for game, play, times in list(selectors.journals_of(games=games)):
        if play is not None:
            fields = _copied(game, play, times)
            if all(getattr(game, name) == value for name, value in fields.items()):
                continue
        try:
            refresh_figures(game_id=game.pk)
        except selectors.DamagedGame:
            report_damaged(game_id=game.pk)


def _copied(game: Game, play: Play, times: Sequence[int]) -> dict[str, Any]:
    """Return the columns of a game that are copies, as its moves at these `times` (ms) have it."""
    first_ms, last_ms = (times[0], times[-1]) if times else (0, 0)
    first_ms = counted_from(game=game, first_ms=first_ms)
    fields = figures_of(play=play, first_ms=first_ms, last_ms=last_ms)
    fields["damaged_at"] = None
    if play.final and game.finished_at is None and game.started_at is not None:
        fields["finished_at"] = game.started_at + timedelta(milliseconds=last_ms)
    return fields


def close_game(*, game_id: int, due_by: datetime | None = None) -> Game:
    """End a game where it lies: the cards that are left count. Idempotent.

    With `due_by` only if its deadline is not later: whoever was given more time plays on.
    An action that arrives at the same moment either stands before the end or is refused; both
    write the same turn, and only one of them can. Raises `games.selectors.DamagedGame`.
    """
    start_clock(game_id=game_id)
    while True:
        game = Game.objects.get(pk=game_id)
        if due_by is not None and (game.closes_at is None or game.closes_at > due_by):
            return game
        play, moves = selectors.journal_of(game=game)
        if play.final:
            return refresh_figures(game_id=game_id)
        if _end(game, play, moves, due_by):
            return Game.objects.get(pk=game_id)


def _end(game: Game, play: Play, moves: Sequence[Move], due_by: datetime | None) -> bool:
    """Write the action that closes a game, with its figures; False if something came before it."""
    started_at = game.started_at or timezone.now()
    ended_at = min(timezone.now(), game.closes_at or timezone.now())
    last_ms = max([0, (ended_at - started_at) // _MS, *(move.ms for move in moves)])
    row = journal.Row(game_id=game.pk, turn=play.turn, action="c", ms=last_ms)
    play.close()
    first_ms = counted_from(game=game, first_ms=moves[0].ms if moves else last_ms)
    figures = figures_of(play=play, first_ms=first_ms, last_ms=last_ms)
    figures["finished_at"] = started_at + last_ms * _MS
    with transaction.atomic():
        (stored,) = journal.write([row])
        if isinstance(stored, Exception):
            raise stored
        due = Game.objects.filter(pk=game.pk, finished_at=None)
        if due_by is not None:
            due = due.filter(closes_at__lte=due_by)
        if stored and due.update(**figures):
            return True
        transaction.set_rollback(True)
    return False


def report_damaged(*, game_id: int) -> None:
    """Set a game aside whose moves cannot be replayed, and say so, once. Idempotent.

    Nobody plays it on and nothing closes it; whoever organises the competition is told.
    """
    game_damaged.send_robust(sender=Game, game_id=game_id)
    if Game.objects.filter(pk=game_id, damaged_at=None).update(damaged_at=timezone.now()):
        logger.error("The moves of game %s cannot be replayed: it is set aside.", game_id)


def discard_game(*, game_id: int) -> bool:
    """Delete a game whose cards were never sent; return whether it was one."""
    deleted, _ = Game.objects.filter(pk=game_id, started_at=None).delete()
    return bool(deleted)


def announce_finished(*, game_id: int) -> None:
    """Tell the other apps that a competition's game is final; a failing receiver is logged only."""
    game_finished.send_robust(sender=Game, game_id=game_id)


def reveal_games(*, game_ids: Iterable[int]) -> None:
    """Open the cards and codes of games that nobody can play any more."""
    with transaction.atomic():
        secret = Game.objects.filter(pk__in=game_ids, is_secret=True).exclude(finished_at=None)
        Game.objects.filter(pk__in=hold_in_order(secret)).update(is_secret=False)


def share_game(*, game: Game) -> Game:
    """Give a finished game an address that everybody who has it may see. Idempotent.

    Raises `ValueError` while the game goes on or its cards are secret, and for one that began from
    a position, whose result is not the player's alone.
    """
    if game.finished_at is None or game.is_secret or game.given:
        raise ValueError("only a finished game with open cards can be shared")
    Game.objects.filter(pk=game.pk, share_token=None).update(share_token=new_share_token())
    game.refresh_from_db(fields=["share_token"])
    return game


def stop_sharing(*, game: Game) -> None:
    """Take the game's address away; sharing it again gives it another one. Idempotent."""
    Game.objects.filter(pk=game.pk).update(share_token=None)
    game.share_token = None
