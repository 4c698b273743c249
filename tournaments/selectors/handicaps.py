"""Club handicaps: what a player's earlier rounds in the club come to."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any, Final

from django.db.models import Count, F, Q, QuerySet, Sum, Window
from django.db.models.functions import RowNumber

from tournaments import scorecard
from tournaments.models import ROUND, Entry, Hole, Tournament, holes_of_text
from tournaments.selectors.sight import KEPT_BACK

#: Entries whose rounds do not count: the player was not one of the field.
NOT_ONE_OF_THE_FIELD: Final = (
    Entry.Status.DISQUALIFIED,
    Entry.Status.REMOVED,
    Entry.Status.UNRANKED,
)
#: Parameters of one statement; SQLite allows a limited number.
_CHUNK: Final = 500


def has_handicaps(tournament: Tournament) -> bool:
    """Return whether a net board is reckoned: days and races belong to no club of members."""
    return tournament.day is None and not tournament.is_race


def earlier_tournaments(tournament: Tournament) -> QuerySet[Tournament]:
    """Return the club's tournaments whose rounds count for a handicap in this one.

    They were over before it opened, had the same way to count strokes, and were played on deals
    that nobody knew. One whose result is still kept from the public does not count yet.
    """
    return Tournament.objects.filter(
        ~KEPT_BACK,
        ~Q(pk=tournament.pk),
        club=tournament.club_id,
        closed_at__lte=tournament.opens_at,
        strokes_kind=tournament.strokes_kind,
        is_friendly=False,
        day=None,
        room=None,
    )


def fingerprint(tournament: Tournament) -> tuple[int, int]:
    """Return numbers that change whenever an earlier result does, and with it a handicap."""
    found = earlier_tournaments(tournament).aggregate(
        count=Count("pk"), versions=Sum("board_version")
    )
    return found["count"], found["versions"] or 0


def handicaps(*, tournament: Tournament, player_ids: Collection[int]) -> dict[int, int | None]:
    """Return the handicap of each of these players, in tenths of a stroke for nine holes."""
    ids = list(player_ids)
    courses = _courses(tournament)
    found: dict[int, int | None] = {}
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        rounds = _rounds(tournament, courses, chunk, latest=scorecard.MOST_ROUNDS)
        # An entry with nine holes may hold no complete nine; then older ones have to be looked at.
        short = [
            player_id
            for player_id, (entries, nines) in rounds.items()
            if entries == scorecard.MOST_ROUNDS and len(nines) < scorecard.MOST_ROUNDS
        ]
        if short:
            rounds |= _rounds(tournament, courses, short, latest=None)
        for player_id in chunk:
            _entries, nines = rounds.get(player_id, (0, []))
            found[player_id] = scorecard.club_handicap(nines)
    return found


#: The par of the nine holes of one round, by number.
_Nine = dict[int, int]


def _courses(tournament: Tournament) -> dict[int, list[_Nine]]:
    """Return the nines of the earlier tournaments, the last round first.

    Nine holes of which one is void are none.
    """
    holes: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    rows = Hole.objects.filter(
        tournament__in=earlier_tournaments(tournament), is_void=False
    ).order_by("tournament", "-round__number")
    for tournament_id, round_id, number, par in rows.values_list(
        "tournament_id", "round_id", "number", "par"
    ):
        holes[tournament_id, round_id][number] = par
    courses: dict[int, list[_Nine]] = defaultdict(list)
    for (tournament_id, _round_id), pars in holes.items():
        if len(pars) == ROUND:
            courses[tournament_id].append(pars)
    return courses


def _rounds(
    tournament: Tournament, courses: dict[int, list[_Nine]], ids: list[int], *, latest: int | None
) -> dict[int, tuple[int, list[int]]]:
    """Return for each player how many entries were looked at, and the nines, the latest first."""
    rows: QuerySet[Entry, Any] = Entry.objects.filter(
        player__in=ids, tournament__in=earlier_tournaments(tournament), thru__gte=ROUND
    ).exclude(status__in=NOT_ONE_OF_THE_FIELD)
    order = (F("tournament__closes_at").desc(), F("tournament").desc())
    if latest is not None:
        rows = rows.annotate(
            nth=Window(RowNumber(), partition_by=F("player"), order_by=order)
        ).filter(nth__lte=latest)
    found: dict[int, tuple[int, list[int]]] = {}
    for player_id, tournament_id, played in rows.order_by("player", *order).values_list(
        "player_id", "tournament_id", "played"
    ):
        entries, nines = found.get(player_id, (0, []))
        nines += _nines(courses.get(tournament_id, []), played)
        found[player_id] = entries + 1, nines[: scorecard.MOST_ROUNDS]
    return found


def _nines(course: list[_Nine], played: str) -> Iterator[int]:
    """Return strokes against par of the complete nines of an entry, the last first."""
    strokes = {hole.number: hole.strokes for hole in holes_of_text(played)}
    for nine in course:
        if nine.keys() <= strokes.keys():
            yield sum(strokes[number] - par for number, par in nine.items())
