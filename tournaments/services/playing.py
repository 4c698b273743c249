"""Entering, starting a hole, being given more time, withdrawing."""

import hashlib
from datetime import timedelta
from itertools import count
from typing import Final

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop
from django.views.decorators.debug import sensitive_variables

from games import names
from games import services as games_services
from games.engine import GameCode
from games.locks import held
from games.models import Player
from tournaments.models import (
    Correction,
    DealOpening,
    Device,
    Division,
    Entry,
    Hole,
    HoleResult,
    Tournament,
)
from tournaments.selectors import clubs
from tournaments.selectors.playing import Course, refusal_to_enter, why_ended
from tournaments.services.closing import make_cuts
from tournaments.services.deadlines import refresh_deadlines, stop_playing
from tournaments.services.errors import TournamentError
from tournaments.services.results import announce, refresh_entry

#: Why an entry was withdrawn by its player himself.
WITHDREW: Final = gettext_noop("The player has withdrawn.")

_LONGEST_KEY: Final = Entry._meta.get_field("name_key").max_length or 0


def enter(*, tournament: Tournament, player: Player, division: Division | None = None) -> Entry:
    """Enter the player, also before the opening; an entry that exists is returned.

    `division` is chosen where the tournament has any.

    Raises `TournamentError` as `selectors.playing.refusal_to_enter` says, ``division_needed``,
    ``no_such_division``, and ``withdrawn`` or ``removed`` for who was there before;
    `PermissionDenied` as `games.services.hold_player` does.
    """
    for is_last in (False, False, True):
        try:
            return _enter(tournament, player, division)
        except IntegrityError:
            # A director has added somebody meanwhile: this player, or one of that name. Look again.
            if is_last:
                raise
    raise AssertionError("unreachable")


def _enter(tournament: Tournament, player: Player, division: Division | None) -> Entry:
    with transaction.atomic():
        player = games_services.hold_player(player=player)
        hold_hole(tournament_id=tournament.pk)
        # One after another: the last place is taken once.
        stored = held(Tournament.objects).select_related("club").get(pk=tournament.pk)
        entry = Entry.objects.filter(tournament=stored, player=player).first()
        if entry is not None:
            return _still_there(entry)
        refusal = refusal_to_enter(tournament=stored, player=player, now=timezone.now())
        if refusal is not None:
            raise TournamentError(refusal)
        check_division(tournament=stored, division=division)
        name, key = board_name(tournament=stored, player=player)
        # Whoever has seen the deals plays along without a place.
        has_seen = DealOpening.objects.filter(tournament=stored, player=player).exists()
        entry = Entry.objects.create(
            tournament=stored,
            player=player,
            name=name,
            name_key=key,
            division=division,
            status=Entry.Status.UNRANKED if has_seen else Entry.Status.ACTIVE,
        )
        announce(stored.pk, entry_id=entry.pk)
    return entry


def _still_there(entry: Entry) -> Entry:
    """Return an entry that exists, unless its player has left for good."""
    if entry.status in (Entry.Status.WITHDRAWN, Entry.Status.REMOVED):
        raise TournamentError(entry.status)
    return entry


def hold_hole(*, tournament_id: int, number: int = 1) -> Hole:
    """Return a hole, held until the end of the transaction, and with it what its tournament says.

    Whoever changes, cuts or closes a tournament, or looks at its deals, holds all its holes, and
    whoever decides about an entry by what the tournament says holds one of them before the entry.

    Raises `TournamentError` ``no_such_hole``.
    """
    hole = held(Hole.objects).filter(tournament=tournament_id, number=number).first()
    if hole is None:
        raise TournamentError("no_such_hole")
    return hole


def check_division(*, tournament: Tournament, division: Division | None) -> None:
    """Raise `TournamentError` ``division_needed`` or ``no_such_division``."""
    divisions = Division.objects.filter(tournament=tournament)
    if division is not None and not divisions.filter(pk=division.pk).exists():
        raise TournamentError("no_such_division")
    if division is None and divisions.exists():
        raise TournamentError("division_needed")


def board_name(*, tournament: Tournament, player: Player) -> tuple[str, str]:
    """Return the player's name for a board with its key, numbered where the board has one like it.

    A member plays under the name in the club, others under their own.
    """
    membership = clubs.membership_of(club=tournament.club, player=player)
    name = player.name if membership is None or not membership.is_active else membership.name
    return free_board_name(tournament=tournament, name=name)


def free_board_name(*, tournament: Tournament, name: str) -> tuple[str, str]:
    """Return a name for a board with its key, numbered where the board has one like it."""
    taken = set(Entry.objects.filter(tournament=tournament).values_list("name_key", flat=True))
    for number in count(1):
        numbered = name if number == 1 else f"{name} ({number})"
        key = name_key(numbered)
        if key not in taken:
            return numbered, key
    raise AssertionError("unreachable")


def name_key(name: str) -> str:
    """Return the key under which names that look alike are one on a board."""
    key = names.skeleton(name)
    # Some single letters look like whole words; a key that is too long is as good when hashed.
    return key if len(key) <= _LONGEST_KEY else hashlib.sha256(key.encode()).hexdigest()


def remove_entry(*, entry: Entry) -> None:
    """Take back an entry that has not started a hole.

    Raises `TournamentError` ``has_results``.
    """
    try:
        with transaction.atomic():
            if Entry.objects.filter(pk=entry.pk).delete()[0]:
                announce(entry.tournament_id)
    except IntegrityError as error:  # the results protect what they belong to
        raise TournamentError("has_results") from error


def withdraw(*, entry: Entry) -> None:
    """Let a player leave for good; the hole in progress is closed where it lies. Idempotent.

    Before the first hole the entry is taken back as if it had never been, and may be made again.

    Raises `TournamentError` ``closed``, ``disqualified``, ``missed_cut``, ``removed``.
    """
    with transaction.atomic():
        hold_hole(tournament_id=entry.tournament_id)
        locked = held(Entry.objects).filter(pk=entry.pk).first()
        if locked is None or locked.status == Entry.Status.WITHDRAWN:
            return
        ended = why_ended(entry=locked)
        tournament = Tournament.objects.get(pk=locked.tournament_id)
        is_over = tournament.status != Tournament.Status.OPEN or tournament.is_revealed
        if is_over or ended is not None:
            raise TournamentError(ended or "closed")
        if _took_back(locked):
            return
        Correction.objects.create(
            tournament=tournament,
            entry=locked,
            kind=Correction.Kind.WITHDRAW,
            by_id=locked.player_id,
            at=timezone.now(),
            reason=WITHDREW,
            before={"status": locked.status},
            after={"status": Entry.Status.WITHDRAWN},
        )
        refresh_entry(entry_id=locked.pk)
        refresh_deadlines(tournament=tournament, entry=locked)
        stop_playing(entries=Entry.objects.filter(pk=locked.pk))


def _took_back(entry: Entry) -> bool:
    """Take an entry back that has left no trace; False if it has."""
    try:
        remove_entry(entry=entry)
    except TournamentError:
        return False
    return True


def start_hole(*, entry: Entry, number: int, device: Device | None = None) -> HoleResult:
    """Start the entry's one attempt at a hole; what exists of it is returned.

    That may be a result without a game, which a director gave. `device` is the browser.

    Raises `TournamentError` as `selectors.playing.Course.refusal` says, and ``banned``: who was
    banned from the club after entering ends the hole in progress and starts no other.
    """
    found = _result_of(entry, number)
    if found is not None:
        return found
    try:
        return _start_after_cuts(entry, number, device)
    except IntegrityError:
        # Another tab was faster, and the game that was made here is gone with the transaction.
        found = _result_of(entry, number)
        if found is None:
            raise
        return found


def _start_after_cuts(entry: Entry, number: int, device: Device | None) -> HoleResult:
    try:
        return _start(entry, number, device)
    except TournamentError as error:
        if error.code != "cut_pending":
            raise
    make_cuts(now=timezone.now(), tournament_id=entry.tournament_id)
    return _start(entry, number, device)  # here, or by somebody at the same moment


@sensitive_variables()
def _start(entry: Entry, number: int, device: Device | None) -> HoleResult:
    with transaction.atomic():
        hole = hold_hole(tournament_id=entry.tournament_id, number=number)
        # Without its player: after a wait a row that joins another one by then would not be found.
        locked = held(Entry.objects).filter(pk=entry.pk).first()
        if locked is None:
            raise TournamentError("not_entered")
        now = timezone.now()
        course = Course(entry=locked, now=now)
        refusal = course.refusal(number)
        if refusal is not None:
            raise TournamentError(refusal)
        if clubs.is_banned(club=course.tournament.club, player=locked.player):
            raise TournamentError("banned")
        if locked.started_at is None:
            locked.started_at = now
            locked.save(update_fields=["started_at"])
        minutes = course.tournament.hole_minutes
        game = games_services.new_competition_game(
            player=locked.player,
            code=GameCode.parse(hole.deal_code),
            closes_at=course.closes_at(number),
            limit=None if minutes is None else timedelta(minutes=minutes),
            undo=course.tournament.undo_allowed,
            hints=course.tournament.hints_allowed,
        )
        return HoleResult.objects.create(entry=locked, hole=hole, game=game, device=device)


def _result_of(entry: Entry, number: int) -> HoleResult | None:
    results = HoleResult.objects.select_related("game", "hole")
    return results.filter(entry=entry, hole__number=number).first()
