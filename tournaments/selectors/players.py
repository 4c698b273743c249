"""What one player's rounds in all tournaments come to, and what is kept about a player.

Only what everybody may see of a tournament that is over counts: rounds of tournaments that go on,
or whose standing is frozen, come later.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import TruncDate
from django.utils import timezone

from games.models import Game, Player
from tournaments import records, scorecard
from tournaments.models import (
    ROUND,
    AllowedName,
    Club,
    ClubEvent,
    Correction,
    DealOpening,
    Entry,
    Flag,
    Hole,
    HoleResult,
    Membership,
    Rating,
    RatingChange,
    Room,
    Seat,
    StatusChange,
    Tournament,
    holes_of_text,
)
from tournaments.records import Days, Nine, Records
from tournaments.selectors.handicaps import NOT_ONE_OF_THE_FIELD, handicaps
from tournaments.verification.places import Card, places_of

#: Rounds of the chart of one's form.
FORM: Final = 20


@dataclass(frozen=True, slots=True)
class PlayerFigures:
    """What a player's games come to.

    :param tournaments: those that the rounds and the wins are of, by id.
    :param wins: tournaments in which nobody was ahead, the latest first.
    :param streak: the game with the longest streak, None before there is any.
    :param club: whose clock the days are counted by, and whose handicap it is; None for the
        site's own.
    :param handicap: in tenths of a stroke for nine holes.
    """

    records: Records
    tournaments: Mapping[int, Tournament]
    wins: tuple[Tournament, ...]
    streak: Game | None
    days: Days
    club: Club | None
    handicap: int | None

    @property
    def form(self) -> list[tuple[Nine, Tournament]]:
        """The last rounds, the latest first."""
        nines = reversed(self.records.form(FORM))
        return [(nine, self.tournaments[nine.tournament_id]) for nine in nines]


def player_to_show(*, page_id: str) -> Player:
    """Return the player who shows the page of that address to everybody.

    Raises `Player.DoesNotExist`, and says no more of who keeps the page private.
    """
    return Player.objects.get(page_id=page_id, is_public=True, is_active=True)


def figures_of(*, player: Player, for_all: bool) -> PlayerFigures:
    """Return what a player's games come to, in a fixed number of queries.

    `for_all`: as everybody may see it, without the tournaments of hidden clubs.
    """
    shown = _shown(for_all=for_all)
    entries = list(
        Entry.objects.filter(player=player, tournament__in=shown)
        .exclude(status__in=NOT_ONE_OF_THE_FIELD)
        .select_related("tournament__club")
        .order_by("tournament__closes_at", "tournament_id")
    )
    club = entries[-1].tournament.club if entries else None
    found = Records(tuple(_nines(entries)))
    return PlayerFigures(
        records=found,
        tournaments={entry.tournament_id: entry.tournament for entry in entries},
        wins=tuple(_wins(player, shown)),
        streak=_longest_streak(player),
        days=_days(player, ZoneInfo(settings.TIME_ZONE) if club is None else club.zone),
        club=club,
        handicap=None if club is None else _handicap(player, club),
    )


def _shown(*, for_all: bool) -> QuerySet[Tournament]:
    """Return the tournaments whose results are told: over, not frozen, and no races.

    A race of one's own with nobody else is no win, and its name has the code of a room.
    """
    frozen = Q(visibility=Tournament.Visibility.FROZEN, frozen_at__isnull=False, unfrozen_at=None)
    found = Tournament.objects.filter(~frozen, closed_at__isnull=False, room=None)
    return found.filter(club__is_hidden=False) if for_all else found


def _nines(entries: list[Entry]) -> list[Nine]:
    """Return the complete nines of entries, in the order in which they were finished."""
    pars: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    rows = Hole.objects.filter(
        tournament__in=[entry.tournament_id for entry in entries],
        tournament__strokes_kind=Tournament.StrokesKind.TRADITIONAL,
        is_void=False,
    )
    for tournament_id, round_, number, par in rows.order_by().values_list(
        "tournament_id", "round__number", "number", "par"
    ):
        pars[tournament_id, round_][number] = par
    by_tournament = {entry.tournament_id: entry for entry in entries}
    found = []
    for (tournament_id, round_), course in pars.items():
        entry = by_tournament[tournament_id]
        mine = [hole for hole in holes_of_text(entry.played) if hole.number in course]
        if len(course) != ROUND or len(mine) != ROUND:
            continue
        strokes, ended = sum(hole.strokes for hole in mine), max(hole.at for hole in mine)
        at = datetime.fromtimestamp(ended / 1000, UTC)
        day = at.astimezone(entry.tournament.club.zone).date()
        nine = Nine(
            tournament_id=tournament_id,
            number=round_,
            day=day,
            strokes=strokes,
            to_par=strokes - sum(course.values()),
            app_score=sum(hole.app_score for hole in mine),
        )
        found.append((ended, nine))
    return [nine for _ended, nine in sorted(found)]


def _placed() -> "QuerySet[Any]":
    """Return the entries that have a place at the end, with `figure`: a smaller one is better."""
    holes = Hole.objects.filter(tournament=OuterRef("tournament"), is_void=False)
    counts = holes.order_by().values("tournament").annotate(count=Count("pk")).values("count")
    strokes = F("strokes") + scorecard.WORST_STROKES * (F("counted") - F("thru"))
    by_score = Q(tournament__rank_by=Tournament.RankBy.APP_SCORE)
    return (
        Entry.objects.filter(status=Entry.Status.ACTIVE, thru__gt=0)
        .annotate(counted=Subquery(counts))
        .filter(Q(thru=F("counted")) | Q(tournament__unplayed=Tournament.Unplayed.WORST))
        .annotate(figure=Case(When(by_score, then=-F("app_score")), default=strokes))
    )


def _wins(player: Player, shown: QuerySet[Tournament]) -> list[Tournament]:
    """Return the tournaments in which nobody was ahead of the player, the latest first."""
    same = {"tournament": OuterRef("tournament")}
    ahead = _placed().filter(**same, figure__lt=OuterRef("figure"))
    mine = _placed().filter(player=player, tournament__in=shown).filter(~Exists(ahead))
    level = mine.filter(**same, figure=OuterRef("figure"))
    # Whoever is level is parted by what the tournament has chosen for that.
    rows = (
        _placed()
        .filter(Exists(level))
        .select_related("tournament__club")
        .order_by("-tournament__closes_at", "-tournament_id", "pk")
    )
    tied: dict[int, list[Entry]] = defaultdict(list)
    for row in rows:
        tied[row.tournament_id].append(row)
    courses: dict[int, list[dict[str, Any]]] = defaultdict(list)
    holes = Hole.objects.filter(tournament__in=list(tied)).order_by("tournament", "number")
    for hole in holes.values("tournament_id", "number", "par", "is_void"):
        courses[hole["tournament_id"]].append({**hole})
    return [
        entries[0].tournament
        for tournament_id, entries in tied.items()
        if _has_won(player, entries, courses[tournament_id])
    ]


def _has_won(player: Player, entries: list[Entry], holes: list[dict[str, Any]]) -> bool:
    tournament = entries[0].tournament
    pars = {hole["number"]: hole["par"] for hole in holes}
    cards = [
        Card(
            entry.pk,
            entry.name,
            entry.status,
            None,
            tuple(
                scorecard.HoleScore(
                    hole.number, pars[hole.number], hole.strokes, hole.app_score, hole.time_ms
                )
                for hole in holes_of_text(entry.played)
            ),
        )
        for entry in entries
    ]
    keys = ("rank_by", "tie_break", "unplayed")
    places = places_of({key: getattr(tournament, key) for key in keys}, holes, cards)
    return any(entry.player_id == player.pk and places[entry.pk].place == 1 for entry in entries)


def _longest_streak(player: Player) -> Game | None:
    """Return the game with the longest streak; of equals the first one."""
    games = _own_games(player).filter(is_secret=False, longest_streak__gt=0)
    return games.order_by("-longest_streak", "finished_at", "pk").first()


def _own_games(player: Player) -> QuerySet[Game]:
    """Return the games that were finished, but for those that began from a position."""
    return Game.objects.filter(player=player, finished_at__isnull=False, given=0)


def _days(player: Player, zone: ZoneInfo) -> Days:
    """Return the days in a row on which the player has finished a game."""
    days = _own_games(player).annotate(day=TruncDate("finished_at", tzinfo=zone))
    found = days.order_by().values_list("day", flat=True).distinct()
    return records.days_in_a_row(found, today=timezone.now().astimezone(zone).date())


def _handicap(player: Player, club: Club) -> int | None:
    """Return the handicap that the player would have in a tournament of the club now."""
    next_one = Tournament(
        club=club,
        opens_at=timezone.now() + timedelta(minutes=1),
        strokes_kind=Tournament.StrokesKind.TRADITIONAL,
    )
    return handicaps(tournament=next_one, player_ids=[player.pk])[player.pk]


# --- what is kept --------------------------------------------------------------------------------


def data_of(*, player: Player) -> dict[str, Any]:
    """Return what clubs and tournaments keep about a player: lists of records by what they are."""
    entries = Entry.objects.filter(player=player).order_by("pk")
    results = HoleResult.objects.filter(entry__player=player).order_by("entry", "hole__number")
    corrections = Correction.objects.filter(Q(entry__player=player) | Q(by=player)).order_by("pk")
    events = ClubEvent.objects.filter(Q(player=player) | Q(by=player)).order_by("pk")
    listed = AllowedName.objects.none()
    if player.username_key is not None:
        listed = AllowedName.objects.filter(username_key=player.username_key)
    return _races(player) | {
        "memberships": list(
            Membership.objects.filter(player=player)
            .order_by("pk")
            .values("club__name", "role", "status", "name", "joined_at")
        ),
        "club_lists": list(listed.order_by("pk").values("club__name", "username", "name", "role")),
        "club_events": list(events.values("club__name", "kind", "at", "note", "player__name")),
        "entries": list(
            entries.values(
                "tournament__slug", "name", "division__name", "status", "created_at", "started_at",
                "extended_to", "cut_after", "thru", "strokes", "to_par", "app_score", "time_ms",
                "corrections",
            )
        ),
        "results": list(
            results.values(
                "entry__tournament__slug", "hole__number", "game__public_id", "is_final",
                "is_corrected", "strokes", "app_score", "device__created_at", "device__label",
            )
        ),
        "corrections": list(
            corrections.values(
                "tournament__slug", "entry__name", "hole__number", "kind", "by__name", "at",
                "reason", "before", "after",
            )
        ),
        "flags": list(
            Flag.objects.filter(entry__player=player)
            .order_by("pk")
            .values("entry__tournament__slug", "kind", "details", "at", "seen_at", "note")
        ),
        "deals_seen": list(
            DealOpening.objects.filter(player=player)
            .order_by("pk")
            .values("tournament__slug", "at")
        ),
        "status_changes": list(
            StatusChange.objects.filter(by=player)
            .order_by("pk")
            .values("tournament__slug", "before", "after", "at", "reason", "round", "closes_at")
        ),
    }  # fmt: skip


def _races(player: Player) -> dict[str, Any]:
    """Return what rooms and races keep; the deals that a host has pasted are secret yet."""
    ratings = Rating.objects.filter(player=player)
    changes = RatingChange.objects.filter(player=player).order_by("pk")
    return {
        "rooms": list(
            Room.objects.filter(host=player)
            .order_by("pk")
            .values(
                "code", "is_public", "rules", "ranking", "strokes_kind", "holes", "hole_minutes",
                "grace_seconds", "undo_allowed", "hints_allowed", "created_at", "used_at",
                "closed_at",
            )
        ),
        "seats": list(
            Seat.objects.filter(player=player)
            .order_by("pk")
            .values(
                "room__code", "name", "is_ready", "is_removed", "joined_at", "left_at", "seen_at"
            )
        ),
        "rating": list(ratings.values("mu", "sigma", "races")),
        "rating_changes": list(
            changes.values(
                "tournament__slug", "place", "mu_before", "sigma_before", "mu_after",
                "sigma_after", "at",
            )
        ),
    }  # fmt: skip
