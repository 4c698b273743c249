"""What a director should look at when a tournament is over. A flag decides nothing by itself.

An entry is looked at by itself and in one go, so that a loop can do a little at a time. What takes
long is pure (`tournaments.foresight`) and may run in another process (`tournaments.lookout`).
"""

from collections import defaultdict
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from games import words
from games.models import Move, Player
from tournaments import foresight
from tournaments.models import Entry, Flag, HoleResult, Tournament
from tournaments.selectors.clubs import may_direct
from tournaments.services.corrections import has_unwanted_characters
from tournaments.services.errors import NotAllowed

#: Nobody reads a deal and then plays each card faster than this, in milliseconds; of a few cards
#: it says nothing.
FASTEST: Final = 200
FEWEST_CARDS: Final = 15
LONGEST_NOTE: Final = 300


class PlayedRound(NamedTuple):
    """The finished games of one entry in one round."""

    number: int
    games: tuple[foresight.Played, ...]


def raise_flags(*, tournament: Tournament) -> int:
    """Look at every entry of a tournament that is over, and return how many flags are new.

    Idempotent. It takes seconds for a good card, so it is nothing for a request.
    """
    if not tournament.is_revealed:
        return 0
    raised = 0
    for entry_id in entries_to_look_at(tournament=tournament):
        raised += flag_entry(entry_id=entry_id)
        for played in rounds_of(entry_id=entry_id):
            found = foresight.look(played.games)
            raised += flag_foresight(entry_id=entry_id, number=played.number, found=found)
    flags_raised(tournament=tournament, now=timezone.now())
    return raised


def tournament_to_look_at() -> Tournament | None:
    """Return a tournament that is over and was not looked at, the one that ended first.

    Races are not looked at: no director waits for them, and whoever sits there sees the others.
    """
    waiting = Tournament.objects.filter(closed_at__isnull=False, flags_raised_at=None, room=None)
    return waiting.order_by("closed_at", "pk").first()


def flags_raised(*, tournament: Tournament, now: datetime) -> None:
    """Write down that all entries were looked at. Idempotent."""
    Tournament.objects.filter(pk=tournament.pk, flags_raised_at=None).update(flags_raised_at=now)


def entries_to_look_at(*, tournament: Tournament) -> list[int]:
    """Return the ids of the entries that have played."""
    entries = Entry.objects.filter(tournament=tournament, results__game__isnull=False)
    return list(entries.order_by("pk").values_list("pk", flat=True).distinct())


def flag_entry(*, entry_id: int) -> int:
    """Flag what the database can tell of an entry, and return how many flags are new."""
    results = HoleResult.objects.filter(entry=entry_id, game__finished_at__isnull=False)
    played = list(results.select_related("game", "hole", "device", "entry__tournament"))
    return _flag_speed(entry_id, played) + _flag_devices(entry_id, played)


def _flag_speed(entry_id: int, played: list[HoleResult]) -> int:
    """Flag holes that were cleared faster than people play.

    The time runs from the moment when the cards were sent, so that moves which a bad connection
    has held up, and delivered all at once, are no haste. Draws do not count: a setting of the board
    makes them by itself.
    """
    raised = 0
    for result in played:
        game = result.game
        if game is None or game.started_at is None or game.finished_at is None:
            continue
        ms = (game.finished_at - game.started_at) // timedelta(milliseconds=1)
        if game.cleared >= FEWEST_CARDS and ms < game.cleared * FASTEST:
            number = result.hole.number
            details = {"hole": number, "cards": game.cleared, "ms": ms}
            raised += _raise(entry_id, Flag.Kind.SPEED, f"hole {number}", details)
    return raised


def _flag_devices(entry_id: int, played: list[HoleResult]) -> int:
    """Flag who played a hole in the same browser as another entry, the club's tablets apart."""
    alone = Q(pk__in=[])
    for result in played:
        device = result.device
        if device is None or device.tablet_of_id == result.entry.tournament.club_id:
            continue
        alone |= Q(hole=result.hole_id, device=device.pk)
    others = HoleResult.objects.filter(alone).exclude(entry=entry_id)
    holes: dict[int, list[int]] = defaultdict(list)
    for other_id, number in others.order_by("hole__number").values_list("entry", "hole__number"):
        holes[other_id].append(number)
    return sum(
        _raise(
            entry_id,
            Flag.Kind.DEVICE,
            f"entry {other_id}",
            {"other": other_id, "holes": numbers},
        )
        for other_id, numbers in holes.items()
    )


def rounds_of(*, entry_id: int) -> list[PlayedRound]:
    """Return the finished games of an entry, round by round."""
    results = HoleResult.objects.filter(entry=entry_id, game__finished_at__isnull=False)
    columns = ("game_id", "game__deal_code", "hole__round__number")
    played = list(results.order_by("hole__number").values_list(*columns))
    actions: dict[int, list[str]] = defaultdict(list)
    moves = Move.objects.filter(game__in=[game_id for game_id, *_ in played])
    for game_id, action in moves.order_by("game", "turn").values_list("game_id", "action"):
        actions[game_id].append(action)
    games: dict[int, list[foresight.Played]] = defaultdict(list)
    for game_id, code, number in played:
        games[number].append(foresight.Played(code, "".join(actions[game_id])))
    return [PlayedRound(number, tuple(games[number])) for number in sorted(games)]


def flag_foresight(*, entry_id: int, number: int, found: foresight.Found | None) -> int:
    """Flag a round that was played as if the stock were known; return how many flags are new."""
    if found is None or not found.is_flagged:
        return 0
    details = {"round": number, **asdict(found)}
    return _raise(entry_id, Flag.Kind.FORESIGHT, f"round {number}", details)


def _raise(entry_id: int, kind: Flag.Kind, key: str, details: dict[str, Any]) -> int:
    """Raise a flag unless there is one; what a director has seen already is not shown anew."""
    _there, created = Flag.objects.get_or_create(
        entry_id=entry_id, kind=kind, key=key, defaults={"details": details}
    )
    return int(created)


def mark_seen(*, flag: Flag, by: Player, note: str | None = None) -> Flag:
    """Write down that a director has looked at a flag, and what came of it. Idempotent.

    The first one who has stays; a note can be changed by whoever directs the club, and without one
    what was noted stays.

    Raises `TournamentError` ``not_allowed``, and `ValidationError` at `note`: ``note_long``, or
    ``characters`` for some that nobody sees or that turn the direction of text.
    """
    club = flag.entry.tournament.club
    if not may_direct(club=club, player=by):
        raise NotAllowed
    row = Flag.objects.filter(pk=flag.pk)
    if note is not None:
        note = _checked_note(note)
    row.filter(seen_at=None).update(seen_by=by, seen_at=timezone.now())
    if note is not None:
        row.update(note=note)
    flag.refresh_from_db(fields=["seen_by", "seen_at", "note"])
    return flag


def _checked_note(note: str) -> str:
    note = note.strip()
    if len(note) > LONGEST_NOTE:
        text = _("A note has at most %(most)d characters.") % {"most": LONGEST_NOTE}
        raise ValidationError({"note": ValidationError(text, "note_long")})
    if has_unwanted_characters(note):
        text = str(words.NAME_ERRORS["characters"])
        raise ValidationError({"note": ValidationError(text, "characters")})
    return note
