"""Where entries stand once a tournament is over: for who writes a bundle, and for who checks it."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from tournaments import scorecard

#: Why an entry has no place whatever its card.
_OUT: Final = {
    "withdrawn": scorecard.Reason.WITHDREW,
    "disqualified": scorecard.Reason.DISQUALIFIED,
    "cut": scorecard.Reason.MISSED_CUT,
    "unranked": scorecard.Reason.NOT_RANKED,
}
_REMOVED: Final = "removed"


class Place(NamedTuple):
    """Where an entry stands on a board."""

    place: int | None = None
    tied: bool = False
    reason: str | None = None


class Card(NamedTuple):
    """What decides where an entry stands: its status, and the holes that are final."""

    number: int
    name: str
    status: str
    division: int | None
    scores: tuple[scorecard.HoleScore, ...]


def places_of(
    tournament: Mapping[str, Any], holes: Iterable[Mapping[str, Any]], cards: Iterable[Card]
) -> dict[int, Place]:
    """Return where entries stand on a board once the tournament is over, by their numbers.

    :param tournament: its record, as `tournaments.bundle.RECORDS` has it; `holes` likewise.
    """
    terms = scorecard.Terms(
        holes=tuple(scorecard.Hole(hole["number"], hole["par"], hole["is_void"]) for hole in holes),
        rank_by=scorecard.RankBy(tournament["rank_by"]),
        tie_break=scorecard.TieBreak(tournament["tie_break"]),
        unplayed=scorecard.Unplayed(tournament["unplayed"]),
        closed=True,
    )
    shown, places = [], {}
    for card in cards:
        if card.status == _REMOVED:
            places[card.number] = Place(reason=_REMOVED)
        else:
            out = _OUT.get(card.status)
            shown.append(scorecard.Line(card.number, card.scores, out, card.name.casefold()))
    for row in scorecard.rank(shown, terms):
        reason = None if row.reason is None else row.reason.value
        places[row.key] = Place(row.place, row.tied, reason)
    return places
