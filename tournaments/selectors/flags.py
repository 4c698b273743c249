"""What a director should look at in a tournament that is over."""

from dataclasses import dataclass
from typing import Final

from django.db.models import F

from tournaments.models import Entry, Flag, Tournament

#: More than so many nobody can imagine.
MANY: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ShownFlag:
    """A flag with what its words need.

    `other` is the entry that played in the same browser. `one_in` is how many rounds of somebody
    who cannot see the stock there are to one like this, `MANY` for more.
    """

    flag: Flag
    other: Entry | None = None
    one_in: int | None = None


def flags_of(*, tournament: Tournament) -> list[ShownFlag]:
    """Return the flags of a tournament: those that nobody has seen first, then the latest."""
    flags = list(
        Flag.objects.filter(entry__tournament=tournament)
        .select_related("entry", "seen_by")
        .order_by(F("seen_at").desc(nulls_first=True), "-pk")
    )
    others = Entry.objects.in_bulk(flag.details["other"] for flag in flags if _has_other(flag))
    return [
        ShownFlag(
            flag,
            other=others.get(flag.details["other"]) if _has_other(flag) else None,
            one_in=min(MANY, round(1 / flag.details["chance"]))
            if flag.kind == Flag.Kind.FORESIGHT
            else None,
        )
        for flag in flags
    ]


def _has_other(flag: Flag) -> bool:
    return flag.kind == Flag.Kind.DEVICE


def flag_of(*, tournament: Tournament, flag_id: int) -> Flag:
    """Return a flag of the tournament. Raises `Flag.DoesNotExist`."""
    return Flag.objects.select_related("entry__tournament__club").get(
        pk=flag_id, entry__tournament=tournament
    )


def count_unseen_flags(*, tournament: Tournament) -> int:
    """Return how many flags no director has looked at."""
    return Flag.objects.filter(entry__tournament=tournament, seen_at=None).count()
