"""What the directors' decisions come to, now or at an earlier time.

A correction is a row that is never changed, and the last one about a thing is what holds. So what
held at a time is what the rows up to then say.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from tournaments.models import Correction, Entry, HoleResult, PlayedHole


class Adjusted(NamedTuple):
    """What a hole comes to by a director's word, and since when."""

    strokes: int
    app_score: int
    at: datetime


@dataclass(slots=True)
class Decided:
    """What holds of an entry by decision.

    `adjusted` are results by the hole's id; `status` is None where none was given, or the last one
    was taken back.
    """

    adjusted: dict[int, Adjusted] = field(default_factory=dict)
    status: Entry.Status | None = None
    extended_to: datetime | None = None


#: What an entry is after a correction.
STATUS_AFTER: Final[dict[str, Entry.Status]] = {
    Correction.Kind.DISQUALIFY: Entry.Status.DISQUALIFIED,
    Correction.Kind.WITHDRAW: Entry.Status.WITHDRAWN,
    Correction.Kind.REMOVE: Entry.Status.REMOVED,
    Correction.Kind.REINSTATE: Entry.Status.ACTIVE,
}


def decided(rows: Iterable[Correction], *, until: datetime | None = None) -> Decided:
    """Return what an entry's corrections come to, by default all of them; in the order made."""
    found = Decided()
    for row in rows:
        if until is not None and row.at > until:
            continue
        if row.kind == Correction.Kind.ADJUST and row.hole_id is not None:
            after = row.after
            found.adjusted[row.hole_id] = Adjusted(after["strokes"], after["app_score"], row.at)
        elif row.kind == Correction.Kind.RESTORE and row.hole_id is not None:
            found.adjusted.pop(row.hole_id, None)
        elif row.kind in STATUS_AFTER:
            status = STATUS_AFTER[row.kind]
            found.status = None if status == Entry.Status.ACTIVE else status
        elif row.kind == Correction.Kind.EXTEND:
            found.extended_to = datetime.fromisoformat(row.after["until"])
    return found


def status_of(given: Entry.Status | None, *, is_cut: bool, has_seen_deals: bool) -> Entry.Status:
    """Return the status of an entry: a director's word, the cut, the deals seen, in that order."""
    if given is not None:
        return given
    if is_cut:
        return Entry.Status.CUT
    return Entry.Status.UNRANKED if has_seen_deals else Entry.Status.ACTIVE


def void_holes(*, tournament_id: int, until: datetime | None = None) -> set[int]:
    """Return the ids of the holes that were voided last, not brought back."""
    kinds = (Correction.Kind.VOID, Correction.Kind.UNVOID)
    rows = Correction.objects.filter(tournament=tournament_id, kind__in=kinds).order_by("pk")
    if until is not None:
        rows = rows.filter(at__lte=until)
    last = dict(rows.exclude(hole=None).values_list("hole_id", "kind"))
    return {hole for hole, kind in last.items() if kind == Correction.Kind.VOID and hole}


def played_hole(result: HoleResult, adjusted: Adjusted | None) -> PlayedHole:
    """Return a final hole as its entry keeps it.

    It became final with its game; one without a game, when a director gave it.
    """
    if result.strokes is None or result.app_score is None:
        raise ValueError("the hole is not final")
    game = result.game
    final_at = game.finished_at if game is not None else None
    if final_at is None and adjusted is not None:
        final_at = adjusted.at
    return PlayedHole(
        number=result.hole.number,
        strokes=result.strokes,
        app_score=result.app_score,
        time_ms=0 if game is None else game.time_ms,
        at=0 if final_at is None else milliseconds(final_at),
        undos=0 if game is None else game.undos,
        hints=0 if game is None else game.hints,
        is_corrected=adjusted is not None,
    )


def milliseconds(time: datetime) -> int:
    """Return a time in whole ms since 1970, as `PlayedHole.at` has it."""
    return int(time.timestamp() * 1000)
