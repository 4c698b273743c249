"""What was decided about a tournament: its corrections and the steps of its life."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from tournaments.models import (
    Correction,
    Entry,
    Hole,
    HoleResult,
    StatusChange,
    Tournament,
)
from tournaments.selectors.sight import WHOLE, View

Kind = Correction.Kind


class Topic(StrEnum):
    """What a correction is about. Of several about one thing the last one holds."""

    RESULT = "result"
    STATUS = "status"
    WINDOW = "window"
    DIVISION = "division"
    HOLE = "hole"


TOPICS: Final[dict[Topic, tuple[Kind, ...]]] = {
    Topic.RESULT: (Kind.ADJUST, Kind.RESTORE),
    Topic.STATUS: (Kind.ADD, Kind.DISQUALIFY, Kind.WITHDRAW, Kind.REMOVE, Kind.REINSTATE),
    Topic.WINDOW: (Kind.EXTEND,),
    Topic.DIVISION: (Kind.DIVISION,),
    Topic.HOLE: (Kind.VOID, Kind.UNVOID),
}

#: What `seen_of` says of a thing that nobody has decided about.
UNDECIDED: Final = "0"


def history_of(
    *, topic: Topic, entry: Entry | None = None, hole: Hole | None = None
) -> QuerySet[Correction]:
    """Return the corrections of one thing, oldest first, with who decided.

    A result is an entry's and a hole's, a void is a hole's, everything else is an entry's.
    """
    rows = Correction.objects.filter(kind__in=TOPICS[topic]).select_related("by", "entry")
    if topic != Topic.HOLE:
        rows = rows.filter(entry=entry)
    if topic in (Topic.HOLE, Topic.RESULT):
        rows = rows.filter(hole=hole)
    return rows.order_by("pk")


def seen_of(*, topic: Topic, entry: Entry | None = None, hole: Hole | None = None) -> str:
    """Return what a director sees of a thing before he decides about it, as a short text.

    It differs once anybody has decided, and for a result also once the hole has been played.
    """
    last = history_of(topic=topic, entry=entry, hole=hole).values_list("pk", flat=True).last()
    text = UNDECIDED if last is None else f"{last}"
    if topic == Topic.RESULT:
        result = HoleResult.objects.filter(entry=entry, hole=hole).first()
        if result is not None:
            text += f":{result.strokes}:{result.app_score}"
    return text


def seen_of_holes(*, tournament: Tournament) -> dict[int, str]:
    """Return what `seen_of` says of each hole that was decided about, by its number."""
    rows = Correction.objects.filter(tournament=tournament, kind__in=TOPICS[Topic.HOLE])
    columns = rows.exclude(hole=None).order_by("pk").values_list("hole__number", "pk")
    return {number: f"{pk}" for number, pk in columns if number is not None}


@dataclass(frozen=True, slots=True)
class Side:
    """How something was before a correction, or is after it; what is not concerned is None.

    `is_kept_back`: there are figures that the reader does not see yet.
    """

    strokes: int | None = None
    app_score: int | None = None
    status: str | None = None
    until: datetime | None = None
    division: str | None = None
    is_void: bool | None = None
    is_kept_back: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing, such as a result of a hole that nobody played."""
        return self == Side()


@dataclass(frozen=True, slots=True)
class Decision:
    """A correction as it is read, with its entry, its hole and who decided."""

    row: Correction
    before: Side
    after: Side

    @property
    def reason(self) -> str:
        """Why; a player's own step has a reason of ours, in the reader's language."""
        entry = self.row.entry
        is_own = entry is not None and entry.player_id == self.row.by_id
        return gettext(self.row.reason) if is_own else self.row.reason


def decisions(rows: Iterable[Correction], *, view: View = WHOLE) -> list[Decision]:
    """Return corrections as they are read, for a reader who sees so much (`view_for`)."""
    return [_decision(row, view) for row in rows]


def _decision(row: Correction, view: View) -> Decision:
    is_result = row.kind in TOPICS[Topic.RESULT]
    if is_result and not view.is_whole and row.hole and not view.shows_hole(row.hole.number):
        return Decision(row, Side(is_kept_back=True), Side(is_kept_back=True))
    return Decision(row, _side(row.before), _side(row.after))


def _side(data: dict[str, Any]) -> Side:
    status, until = data.get("status"), data.get("until")
    return Side(
        strokes=data.get("strokes"),
        app_score=data.get("app_score"),
        status=None if status is None else str(Entry.Status(status).label),
        until=None if until is None else datetime.fromisoformat(until),
        division=data.get("name", "") if "division" in data else None,
        is_void=data.get("is_void"),
    )


def corrections_of(
    *,
    tournament: Tournament,
    kind: str = "",
    text: str = "",
    entry: Entry | None = None,
    view: View = WHOLE,
) -> QuerySet[Correction]:
    """Return the corrections of a tournament, the latest first, with all that they name.

    Who sees the standing of an earlier time (`view_for`) sees what had been decided by then.

    :param kind: of this kind only (`Correction.Kind`); empty: of every kind.
    :param text: where it is in the entry's name, in the reason, or in the name of who decided.
    """
    rows = Correction.objects.filter(tournament=tournament).select_related("entry", "hole", "by")
    if kind:
        rows = rows.filter(kind=kind)
    if text:
        rows = rows.filter(
            Q(entry__name__icontains=text) | Q(reason__icontains=text) | Q(by__name__icontains=text)
        )
    if entry is not None:
        rows = rows.filter(entry=entry)
    if view.at is not None:
        rows = rows.filter(at__lte=view.at)
    return rows.order_by("-pk")


def status_changes_of(*, tournament: Tournament) -> QuerySet[StatusChange]:
    """Return the steps of a tournament's life, the latest first, with who took them."""
    rows = StatusChange.objects.filter(tournament=tournament).select_related("by")
    return rows.order_by("-pk")
