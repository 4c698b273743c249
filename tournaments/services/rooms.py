"""Rooms and their races: taking a seat, being ready, starting, going from hole to hole, ending.

A race is a tournament whose holes are started by its room, each for everybody at one instant. What
is due in it is found in the database each time, so it does not matter who looks, how often, or
which process was killed in between.

Whoever changes a room holds its row, and takes it before any other but that of the player who is
given a seat (player, room, then as everywhere).
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import (
    Case,
    DateTimeField,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.views.decorators.debug import sensitive_variables

from games import live
from games import services as games_services
from games.engine import EASY, GameCode, RuleSet
from games.locks import held, hold_in_order
from games.models import Game, Player
from tournaments.models import (
    Entry,
    Hole,
    HoleResult,
    Room,
    Round,
    Seat,
    Tournament,
)
from tournaments.selectors.rooms import PRESENCE, connected, hub_room, is_connected, is_open
from tournaments.services.closing import Attempt, close_tournament, record_finished
from tournaments.services.daily import house_club
from tournaments.services.errors import TournamentError
from tournaments.services.plan import Plan, Refusals, whole_window
from tournaments.services.playing import name_key
from tournaments.services.ratings import rate_race
from tournaments.services.results import announce
from tournaments.services.setup import check_codes, create_tournament, set_status

logger = logging.getLogger(__name__)

#: Living rooms that one player may host, and seats of a room.
MOST_ROOMS: Final = 3
MOST_SEATS: Final = 100
#: From the start to the first cards, and from one hole to the next.
COUNTDOWN: Final = timedelta(seconds=5)
BETWEEN: Final = timedelta(seconds=10)
#: How long a room lives that nobody is in, and a race waits for somebody to come back.
IDLE: Final = timedelta(minutes=10)
#: How often it is written down of a room's players that they are there.
SEEN_EVERY: Final = timedelta(seconds=10)
#: How many must be ready for a race to start by itself.
_COMPANY: Final = 2
#: A race is over this long after its last hole's limit, whatever happens.
_SLACK: Final = timedelta(minutes=30)
_SLUG_CHARACTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_ENDS: Final = (Game.State.WON, Game.State.BLOCKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomSettings:
    """What the host decides; the fields are those of `Room`.

    `codes` are pasted deals, one for each hole of the next race, which is friendly then.
    """

    is_public: bool = False
    rules: RuleSet = EASY
    ranking: str = Room.Ranking.STROKES
    strokes_kind: str = Tournament.StrokesKind.TRADITIONAL
    holes: int = 1
    hole_minutes: int = 10
    grace_seconds: int = 60
    undo_allowed: bool = False
    hints_allowed: bool = False
    codes: tuple[GameCode, ...] = ()


_COLUMNS: Final = (
    "is_public", "ranking", "strokes_kind", "holes", "hole_minutes", "grace_seconds",
    "undo_allowed", "hints_allowed",
)  # fmt: skip


@sensitive_variables()
def settings_of(*, room: Room) -> RoomSettings:
    """Return what a room is set to."""
    return RoomSettings(
        rules=RuleSet.parse(room.rules),
        codes=tuple(GameCode.parse(text) for text in room.codes.split()),
        **{name: getattr(room, name) for name in _COLUMNS},
    )


# --- the room ----------------------------------------------------------------------------------


@sensitive_variables()
def open_room(*, host: Player, settings: RoomSettings) -> Room:
    """Open a room, in which the host has the first seat. Anybody may, guests included.

    Raises `TournamentError` ``too_many_rooms``, and `ValidationError` by field: those of `Room`
    itself, and for `codes` ``codes_count``, ``rules_differ``, ``deal_twice`` and ``deal_used`` as
    `create_tournament` does.
    """
    with transaction.atomic():
        # One after another: two windows do not open the fourth room together.
        host = games_services.hold_player(player=host)
        if Room.objects.filter(host=host, closed_at=None).count() >= MOST_ROOMS:
            raise TournamentError("too_many_rooms")
        room = Room(host=host)
        _set(room, settings)
        _save_new(room)
        Seat.objects.create(room=room, player=host, name=host.name, name_key=name_key(host.name))
    return room


def _save_new(room: Room) -> None:
    """Save a room under a code that is free; of 33 million they seldom meet."""
    for is_last in (False, False, True):
        try:
            with transaction.atomic():
                room.save()
            return
        except IntegrityError:
            if is_last:
                raise
            room.code = Room._meta.get_field("code").get_default()


@sensitive_variables()
def _set(room: Room, settings: RoomSettings) -> None:
    for name in _COLUMNS:
        setattr(room, name, getattr(settings, name))
    if settings.ranking == Room.Ranking.CLEARED:
        room.strokes_kind = Tournament.StrokesKind.TRADITIONAL
    room.rules = settings.rules.text
    room.codes = " ".join(code.text for code in settings.codes)
    refusals = Refusals()
    with refusals.gather():
        room.full_clean(exclude=["host", "code"])
    if settings.codes:
        check_codes(
            settings.codes,
            rules=settings.rules,
            holes=settings.holes,
            refusals=refusals,
            is_friendly=True,
        )
    refusals.raise_if_any()


@sensitive_variables()
def change_room(*, room: Room, by: Player, settings: RoomSettings) -> Room:
    """Set a room anew while people gather; nobody is ready after it. Idempotent.

    Raises `TournamentError` ``room_closed``, ``not_host``, ``race_running``, and `ValidationError`
    as `open_room` does.
    """
    with transaction.atomic():
        locked = _gathering(room, by)
        _set(locked, settings)
        locked.save(update_fields=[*_COLUMNS, "rules", "codes"])
        Seat.objects.filter(room=locked).update(is_ready=False)
        _touch(locked)
    return locked


def _locked(room_id: int) -> Room:
    return held(Room.objects).get(pk=room_id)


def _living(room: Room) -> Room:
    """Return the room, locked, as it is now. Raises `TournamentError` ``room_closed``."""
    locked = _locked(room.pk)
    if locked.is_closed:
        raise TournamentError("room_closed")
    return locked


def _gathering(room: Room, by: Player) -> Room:
    """Return the room, locked, for its host while no race is under way."""
    locked = _living(room)
    if locked.host_id != by.pk:
        raise TournamentError("not_host")
    if _running(locked) is not None:
        raise TournamentError("race_running")
    return locked


def _running(room: Room) -> Tournament | None:
    return Tournament.objects.filter(room=room, closed_at=None).first()


def _touch(room: Room) -> None:
    """Give the room its next version, and tell it after the commit; comes last."""
    row = Room.objects.filter(pk=room.pk)
    row.update(version=F("version") + 1, used_at=timezone.now())
    room.refresh_from_db(fields=["version", "used_at"])
    tell = partial(live.publish, hub_room(code=room.code), room.version)
    transaction.on_commit(tell, robust=True)


# --- seats -------------------------------------------------------------------------------------


def _taken(room: Room) -> QuerySet[Seat]:
    return Seat.objects.filter(room=room, left_at=None, is_removed=False)


def take_seat(*, room: Room, player: Player) -> Seat:
    """Sit down, or come back to one's seat. Idempotent.

    While a race is under way one waits for its next hole.

    Raises `TournamentError` ``room_closed``, ``removed_seat``, ``room_full``; `PermissionDenied`
    as `games.services.hold_player` does.
    """
    with transaction.atomic():
        player = games_services.hold_player(player=player)
        locked = _living(room)
        seat = Seat.objects.filter(room=locked, player=player).first()
        if seat is not None and seat.is_removed:
            raise TournamentError("removed_seat")
        if seat is not None and seat.is_taken:
            return seat
        if _taken(locked).count() >= MOST_SEATS:
            raise TournamentError("room_full")
        if seat is None:
            name, key = _free_name(locked, player.name)
            seat = Seat.objects.create(room=locked, player=player, name=name, name_key=key)
        else:
            seat.left_at, seat.joined_at, seat.is_ready = None, timezone.now(), False
            seat.save(update_fields=["left_at", "joined_at", "is_ready"])
        if not _taken(locked).filter(player=locked.host_id).exists():
            _set_host(locked, seat)
        _touch(locked)
    return seat


def _free_name(room: Room, name: str) -> tuple[str, str]:
    """Return a name for a room with its key, numbered where one there looks like it."""
    keys = set(Seat.objects.filter(room=room).values_list("name_key", flat=True))
    for number in count(1):
        numbered = name if number == 1 else f"{name} ({number})"
        key = name_key(numbered)
        if key not in keys:
            return numbered, key
    raise AssertionError("unreachable")


def _set_host(room: Room, seat: Seat) -> None:
    """Let somebody else be host. Deals that the last one has pasted go with him.

    The next race is another one without them: nobody is ready for that yet.
    """
    room.host_id = seat.player_id
    if room.codes:
        room.codes = ""
        Seat.objects.filter(room=room).update(is_ready=False)
    room.save(update_fields=["host", "codes"])


def leave_seat(*, room: Room, player: Player) -> None:
    """Get up for good: a hole in progress is over, and no further one begins. Idempotent.

    Where the host leaves, who has been there longest is the host.
    """
    with transaction.atomic():
        locked = _locked(room.pk)
        seat = _taken(locked).filter(player=player).first()
        if seat is None:
            return
        seat.left_at, seat.is_ready, seat.seen_at = timezone.now(), False, None
        seat.save(update_fields=["left_at", "is_ready", "seen_at"])
        _pass_on(locked, player)
        race = _running(locked)
        if race is not None:
            _end_hole(race, player)
        _touch(locked)
        if race is None:
            _start_if_all_ready(locked)


def _pass_on(room: Room, player: Player) -> None:
    """Let somebody else be host where the host has left: first of those who are connected."""
    if room.host_id != player.pk:
        return
    now = timezone.now()
    seats = sorted(
        _taken(room), key=lambda seat: (not is_connected(seat, now), seat.joined_at, seat.pk)
    )
    if seats:
        _set_host(room, seats[0])


def _end_hole(race: Tournament, player: Player) -> None:
    """Let the hole that a player has in progress be over at once, or as soon as it starts."""
    now = timezone.now()
    games = Game.objects.filter(hole_result__hole__tournament=race, player=player, finished_at=None)
    for game in games:
        _move_deadline(game, max(now, game.started_at or now))


def _move_deadline(game: Game, closes_at: datetime) -> None:
    if games_services.move_deadline(game=game, closes_at=closes_at):
        tell = partial(live.tell_deadline, player_id=game.player_id, game_id=game.pk)
        transaction.on_commit(tell, robust=True)


def remove_seat(*, room: Room, seat_id: int, by: Player) -> None:
    """Take somebody's seat away before the start; who had it cannot come back. Idempotent.

    Raises `TournamentError` ``room_closed``, ``not_host``, ``race_running``, ``no_seat``, and
    ``own_seat``.
    """
    with transaction.atomic():
        locked = _gathering(room, by)
        seat = Seat.objects.filter(room=locked, pk=seat_id).first()
        if seat is None:
            raise TournamentError("no_seat")
        if seat.player_id == by.pk:
            raise TournamentError("own_seat")
        if seat.is_removed:
            return
        seat.is_removed, seat.is_ready, seat.seen_at = True, False, None
        seat.save(update_fields=["is_removed", "is_ready", "seen_at"])
        _touch(locked)
        _start_if_all_ready(locked)


def set_ready(*, room: Room, player: Player, is_ready: bool) -> None:
    """Be ready for the next race, or not. Idempotent.

    Once all who are connected are ready, two at least, the race starts.

    Raises `TournamentError` ``room_closed``, ``no_seat``, ``race_running``.
    """
    with transaction.atomic():
        locked = _living(room)
        seat = _taken(locked).filter(player=player).first()
        if seat is None:
            raise TournamentError("no_seat")
        if _running(locked) is not None:
            raise TournamentError("race_running")
        if seat.is_ready == is_ready:
            return
        seat.is_ready = is_ready
        seat.save(update_fields=["is_ready"])
        _touch(locked)
        _start_if_all_ready(locked)


def hand_over(*, guest: Player, into: Player) -> None:
    """Give a guest's seats and rooms to an account, inside the caller's transaction.

    Where the account has a seat of its own it sits there, and the guest, whom nobody is any more,
    has left. A hole in progress goes on where the account takes the guest's entry over. The rooms
    are told, so that every process knows whose seat it is.
    """
    rooms = Room.objects.filter(Q(host=guest) | Q(seats__player=guest))
    for room_id in sorted(set(rooms.values_list("pk", flat=True))):
        room = _locked(room_id)
        seats = {seat.player_id: seat for seat in Seat.objects.filter(room=room)}
        seat, own = seats.get(guest.pk), seats.get(into.pk)
        if seat is not None and own is None:
            Seat.objects.filter(pk=seat.pk).update(player=into)
        elif seat is not None and own is not None and seat.is_taken:
            now = timezone.now()
            Seat.objects.filter(pk=seat.pk).update(left_at=now, is_ready=False, seen_at=None)
            Seat.objects.filter(pk=own.pk, is_removed=False).update(left_at=None)
            race = _running(room)
            if race is not None and Entry.objects.filter(tournament=race, player=into).exists():
                _end_hole(race, guest)
        if room.host_id == guest.pk:
            room.host_id = into.pk
            room.save(update_fields=["host"])
        _touch(room)


def depart(*, player: Player, name: str) -> None:
    """Let a player get up everywhere for good, inside the caller's transaction.

    His seats go by the pseudonym `name` from now on.
    """
    seats = Seat.objects.filter(player=player).select_related("room").order_by("room_id")
    for seat in seats:
        leave_seat(room=seat.room, player=player)
        room = _locked(seat.room_id)
        shown, key = _free_name(room, name)
        Seat.objects.filter(pk=seat.pk).update(name=shown, name_key=key)
        _touch(room)


def mark_seen(*, room_id: int, player_id: int) -> bool:
    """Note that a socket of the player's has come; return whether he has a seat."""
    now = timezone.now()
    seats = Seat.objects.filter(room=room_id, player=player_id, left_at=None, is_removed=False)
    seat = seats.first()
    if seat is None:
        return False
    if is_connected(seat, now):
        return True  # `mark_heard` keeps it so
    with transaction.atomic():
        room = _locked(room_id)
        if seats.update(seen_at=now) and not room.is_closed:
            _touch(room)
    return True


def mark_heard(*, room_id: int, heard: Mapping[int, datetime]) -> None:
    """Note when players were last heard of who are there, by their ids: all in one statement.

    Who counts as gone meanwhile stays gone: only `mark_seen` brings somebody back, and tells it.
    Nobody is set back: another process may have heard of the player later.
    """
    times = [
        When(player=player_id, seen_at__lt=at, then=Value(at, output_field=DateTimeField()))
        for player_id, at in heard.items()
    ]
    if times:
        seats = Seat.objects.filter(room=room_id, player__in=list(heard), seen_at__isnull=False)
        seats.update(seen_at=Case(*times, default=F("seen_at")))


def mark_gone(*, room_id: int, player_id: int) -> None:
    """Note that the player's last socket is gone. Idempotent."""
    seats = Seat.objects.filter(room=room_id, player=player_id, seen_at__isnull=False)
    if not seats.exists():
        return
    with transaction.atomic():
        room = _locked(room_id)
        if seats.update(seen_at=None):
            _touch(room)


# --- the start ---------------------------------------------------------------------------------


def start_race(*, room: Room, by: Player) -> Tournament:
    """Start the race at the host's word; one that has started is returned.

    The host takes part, and whoever is ready or connected. A host who is alone may try the cards.

    Raises `TournamentError` ``room_closed``, ``not_host``, ``no_seat``.
    """
    with transaction.atomic():
        locked = _living(room)
        if locked.host_id != by.pk:
            raise TournamentError("not_host")
        running = _running(locked)
        if running is not None:
            return running
        if not _taken(locked).filter(player=by).exists():
            raise TournamentError("no_seat")
        return _start(locked)


def _start_if_all_ready(room: Room) -> None:
    now = timezone.now()
    there = list(_taken(room).filter(connected(now)))
    if len(there) >= _COMPANY and all(seat.is_ready for seat in there):
        _start(room)


@sensitive_variables()
def _start(room: Room) -> Tournament:
    """Make the race of a locked room, and set its first hole."""
    settings = settings_of(room=room)
    now = timezone.now()
    starts_at = _whole_ms(now + COUNTDOWN)
    number = Tournament.objects.filter(room=room).count() + 1
    plan = Plan(
        name=f"{room.code} {number}",
        slug=f"race-{get_random_string(10, _SLUG_CHARACTERS)}",
        rules=settings.rules,
        rounds=whole_window(
            opens_at=starts_at,
            closes_at=_ends_at(starts_at, settings.hole_minutes, settings.holes),
            holes=settings.holes,
        ),
        rank_by=settings.ranking,
        strokes_kind=settings.strokes_kind,
        undo_allowed=settings.undo_allowed,
        hints_allowed=settings.hints_allowed,
        tie_break=Tournament.TieBreak.RACE,
        unplayed=Tournament.Unplayed.WORST,
        window=Tournament.Window.RACE,
        hole_minutes=settings.hole_minutes,
    )
    race = create_tournament(
        club=house_club(),
        plan=plan,
        codes=settings.codes or None,
        is_friendly=bool(settings.codes),
        room=room,
    )
    set_status(tournament=race, after=Tournament.Status.OPEN)
    here = Q(is_ready=True) | Q(player=room.host_id) | connected(now)
    _set_hole(room, race, 1, list(_taken(room).filter(here).order_by("pk")), starts_at)
    # Pasted deals are known after the race, so the next one has others.
    Room.objects.filter(pk=room.pk).update(codes="")
    _touch(room)
    return race


def _whole_ms(moment: datetime) -> datetime:
    """Return a moment in whole milliseconds, as the protocol tells it."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _ends_at(starts_at: datetime, minutes: int, holes: int) -> datetime:
    """Return when so many holes are over at the latest."""
    return starts_at + holes * (timedelta(minutes=minutes) + BETWEEN) + _SLACK


@sensitive_variables()
def _set_hole(
    room: Room, race: Tournament, number: int, seats: Sequence[Seat], starts_at: datetime
) -> None:
    """Give each seat a game of a hole that starts at an instant to come."""
    hole = held(Hole.objects).get(tournament=race, number=number)
    minutes = race.hole_minutes or 0
    entries = {entry.player_id: entry for entry in Entry.objects.filter(tournament=race)}
    Entry.objects.bulk_create(
        Entry(
            tournament=race,
            player_id=seat.player_id,
            name=seat.name,
            name_key=seat.name_key,
            started_at=starts_at,
        )
        for seat in seats
        if seat.player_id not in entries
    )
    playing = Entry.objects.filter(
        tournament=race, player__in=[seat.player_id for seat in seats]
    ).select_related("player")
    field = [entry for entry in playing.order_by("pk") if entry.may_play]
    games = games_services.new_race_games(
        players=[entry.player for entry in field],
        code=GameCode.parse(hole.deal_code),
        started_at=starts_at,
        closes_at=starts_at + timedelta(minutes=minutes),
        undo=race.undo_allowed,
        hints=race.hints_allowed,
        feed=hub_room(code=room.code),
    )
    HoleResult.objects.bulk_create(
        HoleResult(entry=entry, hole=hole, game=game)
        for entry, game in zip(field, games, strict=True)
    )
    holes_left = Hole.objects.filter(tournament=race, number__gte=number).count()
    closes_at = _ends_at(starts_at, minutes, holes_left)
    Round.objects.filter(tournament=race).update(closes_at=closes_at)
    Tournament.objects.filter(pk=race.pk).update(closes_at=closes_at)
    announce(race.pk)


# --- from hole to hole -------------------------------------------------------------------------


def advance_after(*, game_id: int) -> None:
    """Do what is due in the race that a game which has just ended belongs to, if it is one."""
    rooms = HoleResult.objects.filter(game=game_id, hole__tournament__room__isnull=False)
    for room_id in rooms.values_list("hole__tournament__room", flat=True):
        advance_room(room_id=room_id, is_news=True)


def advance_room(*, room_id: int, now: datetime | None = None, is_news: bool = False) -> None:
    """Do what is due in a room's race. Idempotent; for after each game's end, and for each second.

    The first finisher of a hole sets the time of the others; when a hole is over for all the next
    one is set, and after the last one the race is closed, revealed and final. With `is_news` the
    room is told in any case: a game has ended.
    """
    now = now or timezone.now()
    due = _due(room_id, now)
    if due is None and not is_news:
        return
    if due is not None and due.ends:
        # Each in a transaction of its own: whoever records one now holds it, and waits for ours.
        record_finished(tournament=due.race)
    with transaction.atomic():
        room = _locked(room_id)
        due = _due(room_id, now)  # somebody else may have done it meanwhile
        if due is not None:
            due.do(room, now)
        if due is not None or is_news:
            _touch(room)


@dataclass(frozen=True, slots=True)
class _Due:
    """What is to be done about a race's hole: limit the games to a time, set the next, or end."""

    race: Tournament
    limit: Sequence[Game] = ()
    limit_to: datetime | None = None
    next_hole: int | None = None
    seats: Sequence[Seat] = ()

    @property
    def ends(self) -> bool:
        """Whether the race is to end."""
        return self.limit_to is None and self.next_hole is None

    def do(self, room: Room, now: datetime) -> None:
        """Do it, holding the room."""
        if self.limit_to is not None:
            for game in self.limit:
                _move_deadline(game, self.limit_to)
        elif self.next_hole is not None:
            _set_hole(room, self.race, self.next_hole, self.seats, _whole_ms(now + BETWEEN))
        else:
            _finish(room, self.race, now)


def _due(room_id: int, now: datetime) -> _Due | None:
    races = _unfinished(Tournament.objects.filter(room=room_id)).select_related("room")
    race = races.order_by("-pk").first()
    if race is None or race.closed_at is not None:
        return None if race is None else _Due(race)
    results = HoleResult.objects.filter(hole__tournament=race)
    number = results.aggregate(last=Max("hole__number"))["last"] or 0
    of_hole = Game.objects.filter(hole_result__in=results.filter(hole__number=number))
    games = list(of_hole.order_by("pk"))
    going_on = [game for game in games if is_open(game)]
    if going_on:
        return _limit_due(race, games, going_on)
    if number < Hole.objects.filter(tournament=race).count():
        ended_at = max((game.finished_at or now for game in games), default=now)
        return _next_due(race, number, ended_at, now)
    return _Due(race)


def _limit_due(race: Tournament, games: Sequence[Game], going_on: Sequence[Game]) -> _Due | None:
    """Who has brought a hole to an end, not given it up, sets the time of the others."""
    ends = [
        game.finished_at for game in games if game.finished_at is not None and game.state in _ENDS
    ]
    if not ends or race.room is None:
        return None
    limit_to = min(ends) + timedelta(seconds=race.room.grace_seconds)
    late = [game for game in going_on if game.closes_at is None or game.closes_at > limit_to]
    return _Due(race, limit=late, limit_to=limit_to) if late else None


def _next_due(race: Tournament, number: int, ended_at: datetime, now: datetime) -> _Due | None:
    """Who raced so far goes on to the next hole, and who has come meanwhile joins.

    It waits until somebody is there to see it.
    """
    seats = Seat.objects.filter(room=race.room_id, left_at=None, is_removed=False)
    raced = Entry.objects.filter(tournament=race, player=OuterRef("player"))
    coming = list(seats.filter(connected(now) | Exists(raced)).order_by("pk"))
    if not coming or (
        ended_at < now - IDLE and not any(is_connected(seat, now) for seat in coming)
    ):
        return _Due(race)
    if not any(is_connected(seat, now) for seat in coming):
        return None
    return _Due(race, next_hole=number + 1, seats=coming)


def _finish(room: Room, race: Tournament, now: datetime) -> None:
    """Close, reveal and finish a race, and let the room gather again."""
    if race.closed_at is None and not _is_closed(race, now):
        return  # a result is yet to be recorded; a second later it is
    race.refresh_from_db()
    set_status(tournament=race, after=Tournament.Status.FINAL)
    rate_race(tournament=race)
    Seat.objects.filter(room=room).update(is_ready=False)


def _is_closed(race: Tournament, now: datetime) -> bool:
    """Let the race's time be over, and close it; False if it cannot be yet."""
    # In the order of everybody else: holes, then the tournament.
    hold_in_order(Hole.objects.filter(tournament=race))
    results = HoleResult.objects.filter(hole__tournament=race, is_final=False)
    if results.filter(game__damaged_at=None).exists():
        return False
    ended_at = max(now, race.opens_at + timedelta(milliseconds=1))
    Round.objects.filter(tournament=race).update(closes_at=ended_at)
    # All have played or left: more time that somebody was given has nothing left to wait for.
    Tournament.objects.filter(pk=race.pk).update(closes_at=ended_at, extended_to=None)
    race.refresh_from_db()
    return close_tournament(tournament=race, now=ended_at)


# --- by the clock ------------------------------------------------------------------------------


def keep_rooms(*, now: datetime, stop: Callable[[], bool] = lambda: False) -> int:
    """Advance all races, notice who is gone without a word, close rooms that nobody is in.

    Returns how many rooms were looked at: one query where there is none. One that fails keeps no
    other waiting.
    """
    races = _unfinished(Tournament.objects.filter(room=OuterRef("pk")))
    seen = Seat.objects.filter(room=OuterRef("pk"), seen_at__isnull=False)
    rooms = Room.objects.annotate(
        runs=Exists(races), is_used=Exists(seen), has_lost=Exists(_lost(seen, now))
    ).filter(closed_at=None)
    rows = list(rooms.order_by("pk").values_list("pk", "used_at", "runs", "is_used", "has_lost"))
    for room_id, used_at, runs, is_used, has_lost in rows:
        if stop():
            break
        with Attempt(f"Room {room_id} was not kept"):
            if has_lost:
                _forget_lost(room_id, now)
            if runs:
                advance_room(room_id=room_id, now=now)
            elif not is_used and used_at < now - IDLE:
                _close(room_id, now)
    return len(rows)


def _unfinished(races: QuerySet[Tournament]) -> QuerySet[Tournament]:
    """Return those races that are under way, or closed and not final yet."""
    return races.filter(Q(closed_at=None) | Q(status=Tournament.Status.CLOSED))


def _lost(seats: QuerySet[Seat], now: datetime) -> QuerySet[Seat]:
    """Return the seats whose sockets went without a word, with the server that had them."""
    return seats.filter(seen_at__lte=now - PRESENCE)


def _forget_lost(room_id: int, now: datetime) -> None:
    with transaction.atomic():
        room = _locked(room_id)
        if _lost(Seat.objects.filter(room=room), now).update(seen_at=None):
            _touch(room)


def _close(room_id: int, now: datetime) -> None:
    """Close a room for good, unless somebody has come meanwhile."""
    with transaction.atomic():
        room = _locked(room_id)
        is_used = Seat.objects.filter(room=room, seen_at__isnull=False).exists()
        if room.is_closed or is_used or room.used_at >= now - IDLE or _running(room) is not None:
            return
        room.closed_at = now
        room.save(update_fields=["closed_at"])
        _touch(room)
