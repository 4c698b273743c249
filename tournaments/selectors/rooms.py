"""Rooms: who is there, how their race stands, and whose boards a reader may see.

What a room shows is made of two parts. A `Reading` is what the database says, and holds as long as
the room has the same version. The rows of the hole in progress change with every move; a process
that shows the room hears them (`tournaments.live_rooms`), anybody else replays the games.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from games import selectors as games_selectors
from games.models import Game, Move, Player
from games.protocol import progress_row
from games.selectors import DamagedGame
from tournaments import scorecard
from tournaments.models import (
    ROOM_CHARACTERS,
    Entry,
    Hole,
    HoleResult,
    Rating,
    RatingChange,
    Room,
    Seat,
    Tournament,
    holes_of_text,
)
from tournaments.protocol import (
    Last,
    Phase,
    Race,
    RaceProgress,
    RoomState,
    Row,
    SeatState,
    Settings,
    You,
)
from tournaments.selectors.decided import milliseconds

#: A seat is connected whose socket was heard of this long ago at most; clients ping every 15 s.
PRESENCE: Final = timedelta(seconds=25)
#: Below so many races a rating is provisional.
SETTLED_RACES: Final = 5
#: How a rating is shown: everybody starts at the first number, and a player of average strength
#: comes towards 1500 as the races make it surer.
SHOWN_START: Final = 1000
_SHOWN_UNIT: Final = 30
_DEVIATIONS: Final = 3


def hub_room(*, code: str) -> str:
    """Return the name under which `games.live` knows a room."""
    return f"room:{code}"


def room_of_code(*, code: str) -> Room:
    """Return the room of a code as people type it: any case, with spaces and hyphens.

    Raises `Room.DoesNotExist`.
    """
    typed = "".join(character for character in code[:40].upper() if character in ROOM_CHARACTERS)
    return Room.objects.select_related("host").get(code=typed)


def room_of_address(*, code: str) -> Room:
    """Return the room of exactly that code. Raises `Room.DoesNotExist`."""
    return Room.objects.select_related("host").get(code=code)


def version_of(*, room_id: int) -> int:
    """Return the room's version. Raises `Room.DoesNotExist`."""
    return Room.objects.values_list("version", flat=True).get(pk=room_id)


def player_of_id(*, player_id: int) -> Player:
    """Return a player. Raises `Player.DoesNotExist`."""
    return Player.objects.get(pk=player_id)


@dataclass(frozen=True, slots=True)
class LobbyRoom:
    """A public room as the lobby lists it: `seats` are taken, `connected` of them are there.

    `is_racing` says whether a race is under way.
    """

    room: Room
    host_name: str
    seats: int
    connected: int
    is_racing: bool


_TAKEN: Final = Q(left_at=None, is_removed=False)


def connected(now: datetime, prefix: str = "") -> Q:
    """Return the condition that a seat is connected at `now`; `prefix` leads to the seat."""
    return Q(**{f"{prefix}seen_at__gt": now - PRESENCE})


def is_connected(seat: Seat, now: datetime) -> bool:
    """Return whether a socket of the seat's player is there."""
    return seat.is_taken and seat.seen_at is not None and seat.seen_at > now - PRESENCE


def _with_counts(rooms: QuerySet[Room], now: datetime) -> list[LobbyRoom]:
    taken = Q(seats__left_at=None, seats__is_removed=False)
    races = Tournament.objects.filter(room=OuterRef("pk"), closed_at=None)
    host_seat = Seat.objects.filter(room=OuterRef("pk"), player=OuterRef("host")).values("name")
    rows = rooms.annotate(
        taken=Count("seats", filter=taken),
        there=Count("seats", filter=taken & connected(now, "seats__")),
        racing=Exists(races),
        host_name=host_seat[:1],
    ).select_related("host")
    return [
        LobbyRoom(row, row.host_name or row.host.name, row.taken, row.there, row.racing)
        for row in rows.order_by("pk")
    ]


def public_rooms() -> list[LobbyRoom]:
    """Return the public rooms that somebody is in, those that gather first, the fullest first."""
    rooms = _with_counts(Room.objects.filter(is_public=True, closed_at=None), timezone.now())
    there = [room for room in rooms if room.connected]
    return sorted(there, key=lambda each: (each.is_racing, -each.connected, each.room.pk))


def rooms_of(*, player: Player) -> list[Room]:
    """Return the living rooms that the player hosts or sits in, the last used first."""
    seats = Seat.objects.filter(_TAKEN, room=OuterRef("pk"), player=player)
    rooms = Room.objects.filter(Q(host=player) | Exists(seats), closed_at=None)
    return list(rooms.order_by("-used_at", "-pk"))


def sits_in(*, code: str, player: Player) -> bool:
    """Return whether the player has a seat in the room of exactly that code."""
    return Seat.objects.filter(_TAKEN, room__code=code, player=player).exists()


def seat_of(*, room: Room, player: Player) -> Seat | None:
    """Return the player's seat, also one that was left or taken away; None when there is none."""
    return Seat.objects.filter(room=room, player=player).first()


def running_race(*, room: Room) -> Tournament | None:
    """Return the race that is under way, None while people gather."""
    return Tournament.objects.filter(room=room, closed_at=None).select_related("club").first()


def races_of(*, room: Room) -> QuerySet[Tournament]:
    """Return the races of a room that are over, the latest first."""
    over = Tournament.objects.filter(room=room, closed_at__isnull=False)
    return over.select_related("club").order_by("-pk")


# --- the state ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameRead:
    """A seat's game of the hole; `row` where it is final."""

    pk: int
    public_id: str
    is_final: bool
    row: Row | None


@dataclass(frozen=True, slots=True)
class SeatRead:
    """A seat that is taken, or that raced and was left.

    `scores` are the holes that are over for it, without the one of its `game`.
    """

    id: int
    player_id: int
    name: str
    is_guest: bool
    is_taken: bool
    is_ready: bool
    is_connected: bool
    joined_at: datetime
    rating: "ShownRating | None"
    scores: tuple[scorecard.HoleScore, ...]
    is_in: bool
    out: scorecard.Reason | None
    game: GameRead | None


@dataclass(frozen=True)
class RaceRead:
    """A race of the room: the one under way, or the last one.

    `hole` is the hole that has been set last; it `is_over` once nobody plays it any more.
    `starts_at` and `closes_at` are its instant and the last deadline.
    """

    tournament: Tournament
    number: int
    holes: tuple[scorecard.Hole, ...]
    hole: int
    is_over: bool
    starts_at: datetime | None
    closes_at: datetime | None
    is_limited: bool

    @property
    def untouched(self) -> Row:
        """The row of a game in which nothing was done yet."""
        rules = self.tournament.rule_set
        stock = 16 + rules.jokers + (rules.waste == "empty")
        return (35, stock, 0, 35, 35, 0, 0, 0)

    @property
    def is_running(self) -> bool:
        """Whether it is under way."""
        return self.tournament.closed_at is None

    def has_started(self, now: datetime) -> bool:
        """Whether the hole has started at `now`."""
        return self.starts_at is not None and self.starts_at <= now

    def terms(self, through: int) -> scorecard.Terms:
        """Return how it is ranked after the hole `through`."""
        return scorecard.Terms(
            self.holes[:through],
            rank_by=scorecard.RankBy(self.tournament.rank_by),
            tie_break=scorecard.TieBreak.RACE,
            unplayed=scorecard.Unplayed.WORST,
            closed=True,
        )


@dataclass(frozen=True)
class Reading:
    """What the database says of a room, at the room's `version` at the least."""

    room: Room
    seats: tuple[SeatRead, ...]
    race: RaceRead | None

    @cached_property
    def _taken(self) -> tuple[SeatRead, ...]:
        return tuple(seat for seat in self.seats if seat.is_taken)

    @cached_property
    def seat_of_game(self) -> dict[int, int]:
        """The seats by the ids of the games of the hole."""
        return {seat.game.pk: seat.id for seat in self.seats if seat.game is not None}

    def phase(self, now: datetime) -> Phase:
        """Return what the room does at `now`."""
        if self.room.is_closed:
            return "closed"
        race = self.race
        if race is None or not race.is_running:
            return "gathering"
        if race.is_over or not race.has_started(now):
            return "countdown" if race.hole == 1 and not race.is_over else "between"
        return "playing"

    def state(self, rows: Mapping[int, Row], now: datetime) -> RoomState:
        """Return the message `room`; `rows` are the games in progress, by their ids."""
        race = self.race
        current = self._rows(rows, now)
        standings = self._standings(current)
        return RoomState(
            room=self.room.code,
            version=self.room.version,
            now=milliseconds(now),
            phase=self.phase(now),
            host=next((s.id for s in self._taken if s.player_id == self.room.host_id), None),
            settings=_settings(self.room),
            race=None if race is None or not race.is_running else _race(race),
            last=self._last(),
            seats=[
                self._seat(seat, current.get(seat.id), standings.get(seat.id))
                for seat in self._taken
            ],
        )

    def places(self, rows: Mapping[int, Row], now: datetime) -> dict[int, int]:
        """Return the places of all seats that have one, by their ids."""
        standings = self._standings(self._rows(rows, now))
        return {
            seat_id: standing.place
            for seat_id, standing in standings.items()
            if standing.place is not None
        }

    def progress(
        self, rows: Mapping[int, Row], new: Mapping[int, Row], now: datetime
    ) -> RaceProgress:
        """Return the message `progress` of the rows that are `new`, among all of them."""
        seats = self.seat_of_game
        return RaceProgress(
            room=hub_room(code=self.room.code),
            rows={str(seats[game_id]): row for game_id, row in new.items() if game_id in seats},
            places={str(seat_id): place for seat_id, place in self.places(rows, now).items()},
        )

    def you(self, player_id: int | None, now: datetime) -> You:
        """Return what of the room is a player's own; None is a visitor."""
        seat = next((seat for seat in self._taken if seat.player_id == player_id), None)
        is_racing = self.race is not None and self.race.is_running
        game = None if seat is None or not is_racing else seat.game
        can_watch = self._can_watch(seat, now)
        return You(
            seat=None if seat is None else seat.id,
            host=player_id is not None and player_id == self.room.host_id,
            game=None if game is None else game.public_id,
            can_watch=can_watch,
            watch={
                str(other.id): other.game.public_id
                for other in self.seats
                if can_watch and other.game is not None and other is not seat
            },
        )

    def _can_watch(self, seat: SeatRead | None, now: datetime) -> bool:
        race = self.race
        if race is None or not race.is_running or not race.has_started(now):
            return False
        if race.is_over:
            return True
        return seat is not None and (seat.game is None or seat.game.is_final)

    def _rows(self, rows: Mapping[int, Row], now: datetime) -> dict[int, Row]:
        """Return the rows of the hole by seat, once it has started."""
        if self.race is None or not self.race.has_started(now):
            return {}
        return {
            seat.id: seat.game.row or rows.get(seat.game.pk) or self.race.untouched
            for seat in self.seats
            if seat.game is not None
        }

    def _standings(self, current: Mapping[int, Row]) -> dict[int, scorecard.Standing[int]]:
        """Return how the race stands, as if the hole were closed where it lies."""
        race = self.race
        if race is None:
            return {}
        through = race.hole if current else race.hole - 1
        lines = []
        for seat in self.seats:
            if not seat.is_in:
                continue
            scores = seat.scores
            row = current.get(seat.id)
            if row is not None:
                scores += (_score(race, row),)
            lines.append(scorecard.Line(seat.id, scores, seat.out, seat.name))
        if through == 0:
            return {}
        return {standing.key: standing for standing in scorecard.rank(lines, race.terms(through))}

    def _seat(
        self, seat: SeatRead, row: Row | None, standing: scorecard.Standing[int] | None
    ) -> SeatState:
        totals, time_ms = self._totals(seat, row, standing)
        return SeatState(
            id=seat.id,
            name=seat.name,
            guest=seat.is_guest,
            ready=seat.is_ready,
            connected=seat.is_connected,
            since=milliseconds(seat.joined_at),
            rating=None if seat.rating is None else seat.rating.number,
            provisional=seat.rating is None or seat.rating.is_provisional,
            playing=seat.game is not None and self.race is not None and self.race.is_running,
            thru=totals.thru,
            strokes=totals.strokes,
            to_par=totals.to_par,
            app_score=totals.app_score,
            time=time_ms,
            place=None if standing is None else standing.place,
            row=row,
        )

    def _totals(
        self, seat: SeatRead, row: Row | None, standing: scorecard.Standing[int] | None
    ) -> tuple[scorecard.Totals, int]:
        """Return the totals and the time of the holes that are over for a seat.

        What it has missed counts as the worst, as it does in its place.
        """
        scores, race = seat.scores, self.race
        hole = None if race is None or row is None else _score(race, row)
        if race is not None and hole is not None and (race.is_over or (row and row[6])):
            scores, hole = (*scores, hole), None
        totals = scorecard.totals(scores)
        time_ms = sum(score.time_ms for score in scores)
        if standing is None:
            return totals, time_ms
        counted = standing.totals
        now = (0, 0, 0) if hole is None else (hole.strokes, hole.to_par, hole.app_score)
        return scorecard.Totals(
            totals.thru,
            counted.strokes - now[0],
            counted.to_par - now[1],
            counted.app_score - now[2],
        ), time_ms

    def _last(self) -> Last | None:
        race = self.race
        if race is None or race.is_running:
            return None
        return Last(slug=race.tournament.slug)


def _score(race: RaceRead, row: Row) -> scorecard.HoleScore:
    """Return a row as a hole that is over; one that goes on has taken all the time there is.

    So a draw costs nobody his place, and who has finished is ahead of who has not.
    """
    _left, _stock, _streak, strokes, below_par, app_score, is_final, ms = row
    if race.tournament.strokes_kind == Tournament.StrokesKind.BELOW_PAR:
        strokes = below_par
    limit = (race.tournament.hole_minutes or 0) * 60_000
    time_ms = ms if is_final else limit
    hole = race.holes[race.hole - 1]
    return scorecard.HoleScore(hole.number, hole.par, strokes, app_score, time_ms)


def _settings(room: Room) -> Settings:
    return Settings(
        public=room.is_public,
        rules=room.rules,
        ranking=room.ranking,
        strokes_kind=room.strokes_kind,
        holes=room.holes,
        hole_minutes=room.hole_minutes,
        grace_seconds=room.grace_seconds,
        undo=room.undo_allowed,
        hints=room.hints_allowed,
        friendly=room.is_friendly,
    )


def _race(race: RaceRead) -> Race:
    waits = race.is_over
    starts_at = None if waits else race.starts_at
    closes_at = None if waits else race.closes_at
    return Race(
        slug=race.tournament.slug,
        number=race.number,
        hole=min(race.hole + waits, len(race.holes)),
        holes=len(race.holes),
        starts_at=None if starts_at is None else milliseconds(starts_at),
        closes_at=None if closes_at is None else milliseconds(closes_at),
        limited=race.is_limited and not waits,
    )


def read_room(*, room_id: int) -> Reading:
    """Return what the database says of a room. Raises `Room.DoesNotExist`."""
    # The version is read first: whatever changes from here on has a later one.
    room = Room.objects.get(pk=room_id)
    now = timezone.now()
    race = Tournament.objects.filter(room=room).order_by("-pk").first()
    seats = list(Seat.objects.filter(room=room).select_related("player__rating").order_by("pk"))
    if race is None:
        taken = tuple(_seat_read(seat, now) for seat in seats if seat.is_taken)
        return Reading(room, taken, None)
    entries = {
        entry.player_id: entry
        for entry in Entry.objects.filter(tournament=race).exclude(status=Entry.Status.REMOVED)
    }
    results = list(
        HoleResult.objects.filter(hole__tournament=race, game__isnull=False)
        .select_related("game", "hole")
        .order_by("hole__number", "pk")
    )
    hole = max((result.hole.number for result in results), default=1)
    games = {
        result.entry_id: result.game
        for result in results
        if result.hole.number == hole and result.game is not None
    }
    course = Hole.objects.filter(tournament=race).order_by("number").values_list("number", "par")
    pars = dict(course)
    deadlines = [game.closes_at for game in games.values() if game.closes_at is not None]
    starts_at = next((game.started_at for game in games.values()), None)
    limit = timedelta(minutes=race.hole_minutes or 0)
    closes_at = max(
        (game.closes_at for game in games.values() if game.closes_at and is_open(game)),
        default=max(deadlines, default=None),
    )
    read = RaceRead(
        tournament=race,
        number=Tournament.objects.filter(room=room, pk__lte=race.pk).count(),
        holes=tuple(scorecard.Hole(number, par) for number, par in pars.items()),
        hole=hole,
        is_over=bool(games) and not any(is_open(game) for game in games.values()),
        starts_at=starts_at,
        closes_at=closes_at,
        is_limited=starts_at is not None
        and closes_at is not None
        and closes_at < starts_at + limit,
    )
    found = []
    for seat in seats:
        entry = entries.get(seat.player_id)
        if entry is None:
            found += [_seat_read(seat, now)] * seat.is_taken
            continue
        game = games.get(entry.pk)
        scores = _scores(entry, pars, without=None if game is None else hole)
        found.append(_seat_read(seat, now, entry=entry, scores=scores, game=game))
    return Reading(room, tuple(found), read)


def is_open(game: Game) -> bool:
    """Return whether a game of a race goes on; one whose moves cannot be read does not."""
    return game.finished_at is None and game.damaged_at is None


_OUT: Final = {
    Entry.Status.WITHDRAWN: scorecard.Reason.WITHDREW,
    Entry.Status.DISQUALIFIED: scorecard.Reason.DISQUALIFIED,
    Entry.Status.UNRANKED: scorecard.Reason.NOT_RANKED,
}


def _seat_read(
    seat: Seat,
    now: datetime,
    *,
    entry: Entry | None = None,
    scores: tuple[scorecard.HoleScore, ...] = (),
    game: Game | None = None,
) -> SeatRead:
    rating = getattr(seat.player, "rating", None)
    return SeatRead(
        id=seat.pk,
        player_id=seat.player_id,
        name=seat.name,
        is_guest=seat.player.is_guest,
        is_taken=seat.is_taken,
        is_ready=seat.is_ready,
        is_connected=is_connected(seat, now),
        joined_at=seat.joined_at,
        rating=None if rating is None else shown_rating(rating),
        scores=scores,
        is_in=entry is not None,
        out=None if entry is None else _OUT.get(Entry.Status(entry.status)),
        game=None if game is None else _game_read(game),
    )


def _scores(
    entry: Entry, pars: Mapping[int, int], *, without: int | None
) -> tuple[scorecard.HoleScore, ...]:
    """Return the holes that are over for an entry, without one."""
    return tuple(
        scorecard.HoleScore(
            each.number, pars[each.number], each.strokes, each.app_score, each.time_ms
        )
        for each in holes_of_text(entry.played)
        if each.number != without
    )


def _game_read(game: Game) -> GameRead:
    row = None
    if not is_open(game):
        figures = (game.left, game.stock_left, 0, game.strokes, game.strokes_below_par)
        row = (*figures, game.app_score, 1, game.time_ms)
    return GameRead(game.pk, game.public_id, not is_open(game), row)


def read_rows(reading: Reading) -> dict[int, Row]:
    """Return the rows of the games that go on, by their ids, from the journal."""
    open_ids = [
        seat.game.pk for seat in reading.seats if seat.game is not None and not seat.game.is_final
    ]
    if reading.race is None or not reading.race.has_started(timezone.now()):
        return {}
    journals: dict[int, list[tuple[str, int]]] = {game_id: [] for game_id in open_ids}
    moves = Move.objects.filter(game__in=open_ids).order_by("game", "turn")
    for game_id, action, ms in moves.values_list("game_id", "action", "ms"):
        journals[game_id].append((action, ms))
    rows: dict[int, Row] = {}
    for game in Game.objects.filter(pk__in=open_ids):
        journal = journals[game.pk]
        try:
            actions = "".join(action for action, _ms in journal)
            play = games_selectors.play_of(game=game, actions=actions)
        except (ValueError, DamagedGame):
            continue  # who plays it is told
        rows[game.pk] = tuple(progress_row(play, ms=journal[-1][1] if journal else 0))
    return rows


def race_state(*, room: Room) -> RoomState:
    """Return the whole state of a room as it is now, the message `room`."""
    reading = read_room(room_id=room.pk)
    return reading.state(read_rows(reading), timezone.now())


def you_of(*, room: Room, player: Player | None) -> You:
    """Return what of a room is the player's own, the message `you`; None is a visitor."""
    player_id = None if player is None else player.pk
    return read_room(room_id=room.pk).you(player_id, timezone.now())


# --- watching ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Watched:
    """A game of a race that somebody watches: its room, and the seat and the name of who plays."""

    game_id: int
    room_id: int
    code: str
    seat_id: int | None
    name: str


def watched_game(*, public_id: str) -> Watched:
    """Return a game of a race by its public id. Raises `Game.DoesNotExist`."""
    result = (
        HoleResult.objects.filter(game__public_id=public_id, hole__tournament__room__isnull=False)
        .select_related("entry", "hole__tournament__room")
        .first()
    )
    if result is None or result.game_id is None:
        raise Game.DoesNotExist
    room = result.hole.tournament.room
    if room is None:
        raise Game.DoesNotExist
    seat = Seat.objects.filter(room=room, player=result.entry.player_id).first()
    return Watched(
        game_id=result.game_id,
        room_id=room.pk,
        code=room.code,
        seat_id=None if seat is None else seat.pk,
        name=result.entry.name,
    )


def may_watch(*, game_id: int, player_id: int | None) -> bool:
    """Return whether a player, or with None a visitor, may see the board of a race's game now.

    Who can still play that hole never does: of those who sit in the room, who has finished it or
    has no game of it may; everybody, once the hole is over for all.
    """
    result = HoleResult.objects.filter(game=game_id).select_related("hole__tournament").first()
    if result is None or result.hole.tournament.room_id is None:
        return False
    games = Game.objects.filter(hole_result__hole=result.hole_id)
    going_on = games.filter(finished_at=None, damaged_at=None)
    if not going_on.exists():
        return True
    if player_id is None or games.filter(started_at__gt=timezone.now()).exists():
        return False
    seats = Seat.objects.filter(_TAKEN, room=result.hole.tournament.room_id, player=player_id)
    return seats.exists() and not going_on.filter(player=player_id).exists()


# --- races that are over -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RaceLine:
    """What an entry's race took in ms, and the numbers of the holes that it has played."""

    time_ms: int
    holes: tuple[int, ...]


def race_lines(*, tournament: Tournament) -> Mapping[int, RaceLine]:
    """Return what a race's page tells of each entry beside its totals, by the entry's id."""
    played: dict[int, list[int]] = {}
    results = HoleResult.objects.filter(entry__tournament=tournament, game__isnull=False)
    for entry_id, number in results.order_by("hole__number").values_list("entry", "hole__number"):
        played.setdefault(entry_id, []).append(number)
    times = Entry.objects.filter(tournament=tournament).values_list("pk", "time_ms")
    return {pk: RaceLine(time_ms, tuple(played.get(pk, ()))) for pk, time_ms in times}


# --- ratings -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShownRating:
    """A rating as it is shown: a whole number, and whether few races have made it."""

    number: int
    is_provisional: bool
    races: int


def shown_number(mu: float, sigma: float) -> int:
    """Return a rating as a number: what the player is at least, with near certainty.

    It is the mean less three deviations, so that it rises from 1000 with every race that makes
    the rating surer.
    """
    return round(SHOWN_START + _SHOWN_UNIT * (mu - _DEVIATIONS * sigma))


def shown_rating(rating: Rating) -> ShownRating:
    """Return a rating as it is shown."""
    return ShownRating(
        number=shown_number(rating.mu, rating.sigma),
        is_provisional=rating.races < SETTLED_RACES,
        races=rating.races,
    )


def rating_of(*, player: Player) -> ShownRating | None:
    """Return a player's rating, None before the first rated race and for guests."""
    rating = Rating.objects.filter(player=player).first()
    return None if rating is None else shown_rating(rating)


@dataclass(frozen=True, slots=True)
class ShownChange:
    """What a race made of a rating, as it is shown."""

    before: int
    after: int
    is_provisional: bool

    @property
    def difference(self) -> int:
        """By how much the rating rose."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class RatedRace:
    """A race and what it made of a player's rating."""

    race: Tournament
    place: int
    change: ShownChange


def rating_history(*, player: Player, latest: int) -> list[RatedRace]:
    """Return the latest races that made a player's rating, the latest first, with their rooms."""
    rows = _numbered(RatingChange.objects.filter(player=player))
    return [
        RatedRace(race=row.tournament, place=row.place, change=_shown_change(row))
        for row in rows.select_related("tournament__room").order_by("-pk")[:latest]
    ]


def rating_changes(*, tournament: Tournament) -> Mapping[int, ShownChange]:
    """Return what a race made of the ratings, by the player's id; empty for one without ratings."""
    rows = _numbered(RatingChange.objects.filter(tournament=tournament))
    return {row.player_id: _shown_change(row) for row in rows}


def _numbered(changes: "QuerySet[RatingChange]") -> "QuerySet[Any]":
    """Return changes of ratings with `races`: how many its player had raced with it."""
    so_far = RatingChange.objects.filter(player=OuterRef("player"), pk__lte=OuterRef("pk"))
    races = so_far.order_by().values("player").annotate(count=Count("pk")).values("count")
    return changes.annotate(races=Subquery(races))


def _shown_change(row: Any) -> ShownChange:
    return ShownChange(
        before=shown_number(row.mu_before, row.sigma_before),
        after=shown_number(row.mu_after, row.sigma_after),
        is_provisional=row.races < SETTLED_RACES,
    )
