"""What a director decides: each decision is one row, and the figures follow from all of them.

A decision is checked, written and carried out in one transaction. Whoever decides says what he saw
(`selectors.seen_of`): if somebody else has decided about the same thing meanwhile, he is told
(``changed_meanwhile``) and may decide all the same, knowing it. So two directors at once lose
nothing: both rows stand, and the last one holds. The same decision sent twice is one decision.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from games import services as games_services
from games.engine import GameCode
from games.locks import held, hold_in_order
from games.models import Player
from tournaments import selectors
from tournaments.models import (
    Correction,
    Division,
    Entry,
    Hole,
    HoleResult,
    Tournament,
)
from tournaments.selectors.decided import STATUS_AFTER
from tournaments.selectors.directing import may_play_until
from tournaments.selectors.playing import Course
from tournaments.selectors.trace import TOPICS, history_of, seen_of
from tournaments.services.deadlines import refresh_deadlines, stop_playing
from tournaments.services.errors import TournamentError
from tournaments.services.playing import board_name, check_division, hold_hole
from tournaments.services.results import (
    announce,
    played_figures,
    refresh_entry,
    refresh_holes,
    refresh_totals,
)

Kind = Correction.Kind

LONGEST_REASON: Final = 300
MOST_STROKES: Final = 35
MOST_APP_SCORE: Final = 350
#: No window is extended beyond this after the tournament's closing time: it is a slip of the hand.
LONGEST_EXTENSION: Final = timedelta(days=31)

_TOPIC: Final = {kind: topic for topic, kinds in TOPICS.items() for kind in kinds}
#: What is of no use once the cards have been revealed.
_BEFORE_THE_REVEAL: Final = (Kind.ADD, Kind.EXTEND)
#: What changes until when an entry may play.
_ABOUT_TIME: Final = frozenset({Kind.EXTEND, *STATUS_AFTER})
#: What only a director makes of an entry, and takes back.
DECIDED_STATUSES: Final = frozenset(set(STATUS_AFTER.values()) - {Entry.Status.ACTIVE})
_DIRECTION_MARKS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_UNWANTED_CATEGORIES: Final = frozenset({"Cc", "Cn", "Co", "Cs", "Zl", "Zp"})

#: How something is, as `Correction` holds it.
_Side = dict[str, Any]
#: Looks at what a decision is about and returns how it is before and after it; or refuses it.
_Change = Callable[[Entry, Hole | None], tuple[_Side, _Side]]


# --- results -----------------------------------------------------------------------------------


def adjust_hole(
    *,
    entry: Entry,
    number: int,
    strokes: int,
    app_score: int,
    by: Player,
    reason: str,
    seen: str | None = None,
) -> Correction:
    """Let a hole of an entry count what the director says, also one that was never played.

    Raises `ValidationError` by field: ``strokes_range``, ``app_score_range`` and those of
    `clean_reason`; `TournamentError` ``draft``, ``final``, ``no_such_hole``, ``in_play`` and
    ``changed_meanwhile``.
    """
    after = {"strokes": strokes, "app_score": app_score}

    def change(entry: Entry, hole: Hole | None) -> tuple[_Side, _Side]:
        _check_figures(entry.tournament, strokes, app_score)
        result = _result_of(entry, hole)
        if result is not None and is_in_play(result):
            raise TournamentError("in_play")
        return _figures(result), after

    return _about_entry(_ruling(Kind.ADJUST, by, reason, seen, after), entry, change, number)


def restore_hole(
    *, entry: Entry, number: int, by: Player, reason: str, seen: str | None = None
) -> Correction:
    """Take back what a director said of a hole: what was played counts again, if anything was.

    Raises as `adjust_hole`, and `TournamentError` ``unchanged`` where nothing was adjusted.
    """

    def change(entry: Entry, hole: Hole | None) -> tuple[_Side, _Side]:
        result = _result_of(entry, hole)
        if result is None or not result.is_corrected:
            raise TournamentError("unchanged")
        played = played_figures(result, entry.tournament)
        after = {} if played is None else {"strokes": played[0], "app_score": played[1]}
        return _figures(result), after

    return _about_entry(_ruling(Kind.RESTORE, by, reason, seen), entry, change, number)


def lowest_strokes(*, tournament: Tournament) -> int:
    """Return the fewest strokes that a hole can take: minus the stock where below par counts."""
    if tournament.strokes_kind != Tournament.StrokesKind.BELOW_PAR:
        return 0
    return -len(GameCode(version=1, rules=tournament.rule_set, number=0).deal().stock)


def _check_figures(tournament: Tournament, strokes: int, app_score: int) -> None:
    lowest = lowest_strokes(tournament=tournament)
    errors = {}
    if not lowest <= strokes <= MOST_STROKES:
        errors["strokes"] = ValidationError(
            _("Strokes go from %(lowest)s to %(most)s."),
            "strokes_range",
            params={"lowest": lowest, "most": MOST_STROKES},
        )
    if not 0 <= app_score <= MOST_APP_SCORE:
        errors["app_score"] = ValidationError(
            _("An app score goes from 0 to %(most)s."),
            "app_score_range",
            params={"most": MOST_APP_SCORE},
        )
    if errors:
        raise ValidationError(errors)


def _result_of(entry: Entry, hole: Hole | None) -> HoleResult | None:
    return HoleResult.objects.select_related("game").filter(entry=entry, hole=hole).first()


def is_in_play(result: HoleResult) -> bool:
    """Return whether a hole goes on; one that is damaged waits for a director's word."""
    game = result.game
    return not result.is_final and (game is None or game.damaged_at is None)


def _figures(result: HoleResult | None) -> _Side:
    if result is None or not result.is_final:
        return {}
    return {"strokes": result.strokes, "app_score": result.app_score}


# --- holes -------------------------------------------------------------------------------------


def void_hole(
    *, tournament: Tournament, number: int, by: Player, reason: str, seen: str | None = None
) -> Correction:
    """Let a hole count for nobody, and its par neither.

    Raises `ValidationError` as `clean_reason`; `TournamentError` ``draft``, ``final``,
    ``no_such_hole`` and ``changed_meanwhile``.
    """
    return _about_hole(_ruling(Kind.VOID, by, reason, seen, {"is_void": True}), tournament, number)


def unvoid_hole(
    *, tournament: Tournament, number: int, by: Player, reason: str, seen: str | None = None
) -> Correction:
    """Let a voided hole count again.

    Raises as `void_hole`, and `TournamentError` ``unchanged`` where it counts already.
    """
    ruling = _ruling(Kind.UNVOID, by, reason, seen, {"is_void": False})
    return _about_hole(ruling, tournament, number)


# --- entries -----------------------------------------------------------------------------------


def disqualify(*, entry: Entry, by: Player, reason: str, seen: str | None = None) -> Correction:
    """Take an entry out of the competition; it stands last, without a place.

    Raises `ValidationError` as `clean_reason`; `TournamentError` ``draft``, ``final`` and
    ``changed_meanwhile``.
    """
    return _set_status(Kind.DISQUALIFY, entry, by, reason, seen)


def withdraw_entry(*, entry: Entry, by: Player, reason: str, seen: str | None = None) -> Correction:
    """Note that a player does not go on; the entry stands last, without a place.

    The hole in progress is closed where it lies.

    Raises as `disqualify`.
    """
    return _set_status(Kind.WITHDRAW, entry, by, reason, seen)


def hide_entry(*, entry: Entry, by: Player, reason: str, seen: str | None = None) -> Correction:
    """Take an entry from the board; its games and results are kept, and it can be reinstated.

    Raises as `disqualify`.
    """
    return _set_status(Kind.REMOVE, entry, by, reason, seen)


def reinstate(*, entry: Entry, by: Player, reason: str, seen: str | None = None) -> Correction:
    """Let an entry compete again that was disqualified, withdrawn or removed.

    Raises as `disqualify`, and `TournamentError` ``unchanged`` where it is none of these.
    """
    return _set_status(Kind.REINSTATE, entry, by, reason, seen)


def _set_status(kind: Kind, entry: Entry, by: Player, reason: str, seen: str | None) -> Correction:
    after: _Side = {"status": STATUS_AFTER[kind].value}

    def change(entry: Entry, hole: Hole | None) -> tuple[_Side, _Side]:
        if kind == Kind.REINSTATE and entry.status not in DECIDED_STATUSES:
            raise TournamentError("unchanged")
        return {"status": entry.status}, after

    return _about_entry(_ruling(kind, by, reason, seen, after), entry, change)


def add_player(
    *,
    tournament: Tournament,
    player: Player,
    by: Player,
    reason: str,
    division: Division | None = None,
) -> Correction:
    """Enter a player, whether or not he could still do so himself.

    Raises `ValidationError` as `clean_reason`; `TournamentError` ``draft``, ``final``,
    ``revealed`` (the cards are known to all), ``banned``, ``already_entered`` (also by an entry
    that was removed, which can be reinstated), ``division_needed`` and ``no_such_division``.
    """
    ruling = _ruling(Kind.ADD, by, reason, None, {"status": Entry.Status.ACTIVE.value})
    for is_last in (False, False, True):
        try:
            return _add(ruling, tournament, player, division)
        except IntegrityError:
            # Somebody has entered meanwhile: this player, or one of that name. Look again.
            if is_last:
                raise
    raise AssertionError("unreachable")


def _add(
    ruling: "_Ruling", tournament: Tournament, player: Player, division: Division | None
) -> Correction:
    with transaction.atomic():
        player = games_services.hold_player(player=player)
        hold_hole(tournament_id=tournament.pk)
        stored = _check_life(tournament.pk, ruling.kind)
        if selectors.clubs.may_enter(club=stored.club, player=player) == "banned":
            raise TournamentError("banned")
        if Entry.objects.filter(tournament=stored, player=player).exists():
            raise TournamentError("already_entered")
        check_division(tournament=stored, division=division)
        name, key = board_name(tournament=stored, player=player)
        entry = Entry.objects.create(
            tournament=stored, player=player, name=name, name_key=key, division=division
        )
        return _write(ruling, stored, entry, None, ({}, ruling.after or {}))


def change_division(
    *, entry: Entry, division: Division, by: Player, reason: str, seen: str | None = None
) -> Correction:
    """Let an entry compete in another division.

    Raises `ValidationError` as `clean_reason`; `TournamentError` ``draft``, ``final``,
    ``no_such_division`` and ``changed_meanwhile``.
    """
    after = _division(division)

    def change(entry: Entry, hole: Hole | None) -> tuple[_Side, _Side]:
        check_division(tournament=entry.tournament, division=division)
        return _division(entry.division), after

    return _about_entry(_ruling(Kind.DIVISION, by, reason, seen, after), entry, change)


def _division(division: Division | None) -> _Side:
    """Return a division with its name, which is read when it is no more."""
    if division is None:
        return {"division": None}
    return {"division": division.pk, "name": division.name}


def extend_window(
    *, entry: Entry, until: datetime, by: Player, reason: str, seen: str | None = None
) -> Correction:
    """Let one player play longer than the others; nothing is revealed before.

    Raises `ValidationError` by field: for `until` ``until_early`` (it has passed, or gives no more
    time than there is anyway) and ``until_late`` (`LONGEST_EXTENSION`), and those of
    `clean_reason`; `TournamentError` ``draft``, ``final``, ``revealed``, ``not_playing`` (the entry
    does not compete) and ``changed_meanwhile``.
    """
    after: _Side = {"until": until.isoformat()}

    def change(entry: Entry, hole: Hole | None) -> tuple[_Side, _Side]:
        if not entry.may_play:
            raise TournamentError("not_playing")
        now = timezone.now()
        _check_until(entry, until, now)
        before = may_play_until(entry=entry, now=now)
        return {"until": before.isoformat()}, after

    return _about_entry(_ruling(Kind.EXTEND, by, reason, seen, after), entry, change)


def _check_until(entry: Entry, until: datetime, now: datetime) -> None:
    tournament = entry.tournament
    course = Course(entry=entry, now=now, tournament=tournament)
    if until <= now or all(until <= course.usual_closes_at(number) for number in course.holes):
        raise ValidationError(
            {"until": ValidationError(_("This gives the player no more time."), "until_early")}
        )
    if until > tournament.closes_at + LONGEST_EXTENSION:
        text = _("That is more than a month after the tournament closes.")
        raise ValidationError({"until": ValidationError(text, "until_late")})


# --- what every decision has in common -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Ruling:
    """Who decides what, and why; `after` is what it comes to where that is known beforehand."""

    kind: Kind
    by: Player
    reason: str
    seen: str | None
    after: _Side | None


def _ruling(
    kind: Kind, by: Player, reason: str, seen: str | None, after: _Side | None = None
) -> _Ruling:
    return _Ruling(kind, by, clean_reason(reason), seen, after)


def has_unwanted_characters(text: str) -> bool:
    """Return whether a text has control characters or marks that turn its direction."""
    return any(
        character in _DIRECTION_MARKS or unicodedata.category(character) in _UNWANTED_CATEGORIES
        for character in text
    )


def clean_reason(reason: str) -> str:
    """Return a reason as it is kept: in one line, without spaces around it.

    Raises `ValidationError` for the field `reason` with the code ``reason_required``,
    ``reason_long`` (`LONGEST_REASON`) or ``characters`` (it has some that nobody sees or that turn
    the direction of text).
    """
    text = unicodedata.normalize("NFC", " ".join(reason.split()))
    if has_unwanted_characters(text):
        error = ValidationError(
            _("Please leave out control characters and marks that turn the direction of text."),
            "characters",
        )
    elif not text:
        error = ValidationError(_("Say why, so that everybody can read it."), "reason_required")
    elif len(text) > LONGEST_REASON:
        error = ValidationError(
            _("A reason has at most %(most)s characters."),
            "reason_long",
            params={"most": LONGEST_REASON},
        )
    else:
        return text
    raise ValidationError({"reason": error})


def check_correctable(*, tournament: Tournament) -> None:
    """Raise `TournamentError` ``draft`` or ``final`` where nothing is corrected."""
    if tournament.status == Tournament.Status.DRAFT:
        raise TournamentError("draft")
    if tournament.status == Tournament.Status.FINAL:
        raise TournamentError("final")


def _check_life(tournament_id: int, kind: Kind) -> Tournament:
    tournament = Tournament.objects.select_related("club").get(pk=tournament_id)
    check_correctable(tournament=tournament)
    if kind in _BEFORE_THE_REVEAL and tournament.is_revealed:
        raise TournamentError("revealed")
    return tournament


def _about_entry(
    ruling: _Ruling, entry: Entry, change: _Change, number: int | None = None
) -> Correction:
    """Decide about an entry, or about one of its holes."""
    with transaction.atomic():
        # As for its start: it is either in play already, or never will be.
        held_hole = hold_hole(tournament_id=entry.tournament_id, number=number or 1)
        hole = held_hole if number else None
        # Without its division: after a wait a row that joins another one by then has none.
        locked = held(Entry.objects).get(pk=entry.pk)
        locked.tournament = _check_life(locked.tournament_id, ruling.kind)
        repeated = _meanwhile(ruling, locked, hole)
        if repeated is not None:
            return repeated
        if hole is not None:
            refresh_entry(entry_id=entry.pk)  # the hole may be over and not recorded yet
        return _write(ruling, locked.tournament, locked, hole, change(locked, hole))


def _about_hole(ruling: _Ruling, tournament: Tournament, number: int) -> Correction:
    """Decide about a hole of everybody."""
    with transaction.atomic():
        # All of them: which holes are void follows from the decisions about all.
        hold_in_order(Hole.objects.filter(tournament=tournament))
        hole = hold_hole(tournament_id=tournament.pk, number=number)
        stored = _check_life(tournament.pk, ruling.kind)
        repeated = _meanwhile(ruling, None, hole)
        if repeated is not None:
            return repeated
        if ruling.kind == Kind.UNVOID and not hole.is_void:
            raise TournamentError("unchanged")
        return _write(ruling, stored, None, hole, ({"is_void": hole.is_void}, ruling.after or {}))


def _meanwhile(ruling: _Ruling, entry: Entry | None, hole: Hole | None) -> Correction | None:
    """Return the row of this very decision, if it was sent twice.

    Raises `TournamentError` ``changed_meanwhile``.
    """
    topic = _TOPIC[ruling.kind]
    last = history_of(topic=topic, entry=entry, hole=hole).last()
    if (
        last is not None
        and (last.kind, last.by_id, last.reason) == (ruling.kind, ruling.by.pk, ruling.reason)
        and ruling.after in (None, last.after)
    ):
        return last
    if ruling.seen is not None and ruling.seen != seen_of(topic=topic, entry=entry, hole=hole):
        raise TournamentError("changed_meanwhile")
    return None


def _write(
    ruling: _Ruling,
    tournament: Tournament,
    entry: Entry | None,
    hole: Hole | None,
    sides: tuple[_Side, _Side],
) -> Correction:
    """Write the row, carry it out, and see that it is still allowed at the end."""
    row = Correction.objects.create(
        tournament=tournament,
        entry=entry,
        hole=hole,
        kind=ruling.kind,
        by=ruling.by,
        at=timezone.now(),
        reason=ruling.reason,
        before=sides[0],
        after=sides[1],
    )
    if entry is not None:
        refresh_entry(entry_id=entry.pk)
        if ruling.kind in _ABOUT_TIME:
            refresh_deadlines(tournament=tournament, entry=entry)
        if ruling.kind == Kind.WITHDRAW:
            stop_playing(entries=Entry.objects.filter(pk=entry.pk))
    else:
        refresh_holes(tournament=tournament)
        refresh_totals(tournament=tournament)
        announce(tournament.pk)
    # The news hold the tournament's row: who makes it final was faster, or comes after this.
    _check_life(tournament.pk, ruling.kind)
    return row
