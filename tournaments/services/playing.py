"""Entering, and starting a hole."""

from itertools import count

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from games import services as games_services
from games.engine import GameCode
from games.models import Player
from tournaments.models import Entry, Hole, HoleResult, Tournament
from tournaments.services.errors import TournamentError
from tournaments.services.results import announce


def enter(*, tournament: Tournament, player: Player) -> Entry:
    """Enter the player, also before the opening; an entry that exists is returned.

    Raises `TournamentError` ``closed``.
    """
    entry = Entry.objects.filter(tournament=tournament, player=player).first()
    if entry is not None:
        return entry
    if tournament.phase(timezone.now()) in (Tournament.Phase.CLOSING, Tournament.Phase.CLOSED):
        raise TournamentError("closed")
    with transaction.atomic():
        name, key = board_name(tournament=tournament, player=player)
        entry, created = Entry.objects.get_or_create(
            tournament=tournament, player=player, defaults={"name": name, "name_key": key}
        )
        if created:
            announce(tournament.pk)
    return entry


def board_name(*, tournament: Tournament, player: Player) -> tuple[str, str]:
    """Return the player's name with its key, numbered where the board has one like it."""
    taken = set(Entry.objects.filter(tournament=tournament).values_list("name_key", flat=True))
    for number in count(1):
        name = player.name if number == 1 else f"{player.name} ({number})"
        if name.casefold() not in taken:
            return name, name.casefold()
    raise AssertionError("unreachable")


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


def start_hole(*, entry: Entry, number: int) -> HoleResult:
    """Start the entry's one attempt at a hole; an attempt that exists is returned.

    Raises `TournamentError` ``no_such_hole``, ``not_started``, ``closed``, ``previous_hole``.
    """
    found = _result_of(entry, number)
    if found is not None:
        return found
    try:
        return _start(entry, number)
    except IntegrityError:
        # Another tab was faster, and the game that was made here is gone with the transaction.
        found = _result_of(entry, number)
        if found is None:
            raise
        return found


@sensitive_variables()
def _start(entry: Entry, number: int) -> HoleResult:
    with transaction.atomic():
        # Whoever changes or closes the tournament holds the holes too: what is read now stands.
        holes = Hole.objects.select_for_update(no_key=True, of=("self",))
        hole = holes.filter(tournament_id=entry.tournament_id, number=number).first()
        if hole is None:
            raise TournamentError("no_such_hole")
        tournament = Tournament.objects.get(pk=entry.tournament_id)
        _check_window(tournament)
        _check_previous(entry, number)
        game = games_services.new_competition_game(
            player=entry.player,
            code=GameCode.parse(hole.deal_code),
            closes_at=tournament.closes_at,
            undo=tournament.undo_allowed,
            hints=tournament.hints_allowed,
        )
        return HoleResult.objects.create(entry=entry, hole=hole, game=game)


def _result_of(entry: Entry, number: int) -> HoleResult | None:
    results = HoleResult.objects.select_related("game", "hole")
    return results.filter(entry=entry, hole__number=number).first()


def _check_window(tournament: Tournament) -> None:
    phase = tournament.phase(timezone.now())
    if phase == Tournament.Phase.UPCOMING:
        raise TournamentError("not_started")
    if phase != Tournament.Phase.OPEN:
        raise TournamentError("closed")


def _check_previous(entry: Entry, number: int) -> None:
    """Holes are played in order. The game is asked: its result may be recorded a moment later."""
    if number > 1:
        previous = _result_of(entry, number - 1)
        if previous is None or previous.game is None or previous.game.finished_at is None:
            raise TournamentError("previous_hole")
