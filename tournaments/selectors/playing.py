"""What may be entered and played at a moment, until when, and why not.

Services ask before they write, pages before they offer: the same lines decide for both.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from games.models import Game, Player
from tournaments.models import Division, Entry, Hole, HoleResult, Round, Tournament
from tournaments.selectors import clubs

#: Why an entry plays no more, by its status.
_ENDED: Final = {
    Entry.Status.WITHDRAWN: "withdrawn",
    Entry.Status.DISQUALIFIED: "disqualified",
    Entry.Status.CUT: "missed_cut",
    Entry.Status.REMOVED: "removed",
}
#: Reasons that time takes away.
_NOT_YET: Final = frozenset({"not_started", "round_not_started", "cut_pending"})


def entries_close_at(*, tournament: Tournament) -> datetime:
    """Return until when one can enter: a shotgun's field is complete when it starts."""
    if tournament.entries_close_at is not None:
        return tournament.entries_close_at
    is_shotgun = tournament.window == Tournament.Window.SHOTGUN
    return tournament.opens_at if is_shotgun else tournament.closes_at


def divisions_of(*, tournament: Tournament) -> list[Division]:
    """Return the divisions that one can enter in, in the director's order."""
    return list(Division.objects.filter(tournament=tournament).order_by("pk"))


def refusal_to_enter(*, tournament: Tournament, player: Player | None, now: datetime) -> str | None:
    """Return why the player cannot enter now, None if he can.

    ``not_published``, ``in_room`` (of a race), ``closed``, ``entries_closed``, ``full``, or as
    `clubs.may_enter`. Whether he has entered already is not asked; of a visitor, whether he may.
    """
    if tournament.is_race:
        return "in_room"
    if tournament.status == Tournament.Status.DRAFT:
        return "not_published"
    if tournament.status != Tournament.Status.OPEN or now >= tournament.closes_at:
        return "closed"
    if now >= entries_close_at(tournament=tournament):
        return "entries_closed"
    refusal = None
    if player is not None:
        refusal = clubs.may_enter(club=tournament.club, player=player)
    if refusal is None and is_full(tournament=tournament):
        return "full"
    return refusal


def is_full(*, tournament: Tournament) -> bool:
    """Return whether all places are taken; who has left makes room."""
    if tournament.most_entries is None:
        return False
    gone = (Entry.Status.WITHDRAWN, Entry.Status.REMOVED)
    entries = Entry.objects.filter(tournament=tournament).exclude(status__in=gone)
    return entries.count() >= tournament.most_entries


def why_ended(*, entry: Entry) -> str | None:
    """Return why the entry plays no more whatever the time, None if it does."""
    return _ENDED.get(Entry.Status(entry.status))


@dataclass(frozen=True, slots=True)
class Turn:
    """What comes next for an entry's player.

    `number` is the hole to go on with, whose attempt is `game`, or to start; None when no hole is
    left to play. `code` says why nothing can be played now, None where something can or all is
    done; `opens_at` is when it can, where that is known. `closes_at` is the end of the time.
    """

    number: int | None = None
    game: Game | None = None
    code: str | None = None
    opens_at: datetime | None = None
    closes_at: datetime | None = None


class Course:
    """A tournament's holes as one entry finds them at `now`."""

    def __init__(
        self, *, entry: Entry, now: datetime, tournament: Tournament | None = None
    ) -> None:
        self.entry = entry
        self.now = now
        self.tournament = tournament or Tournament.objects.get(pk=entry.tournament_id)
        rounds = Round.objects.filter(tournament=entry.tournament_id).order_by("number")
        self.rounds = {round_.pk: round_ for round_ in rounds}
        holes = Hole.objects.filter(tournament=entry.tournament_id).order_by("number")
        self.holes = {hole.number: hole for hole in holes.defer("deal_code")}
        results = HoleResult.objects.filter(entry=entry).select_related("game").order_by()
        self._results = {result.hole_id: result for result in results}

    def result(self, number: int) -> HoleResult | None:
        """Return the entry's result of a hole, final or not."""
        return self._results.get(self.holes[number].pk)

    def closes_at(self, number: int) -> datetime:
        """Return until when the entry may play a hole, the time limit of the hole apart.

        An extension holds for the round's end and for one's own time alike, and never beyond the
        tournament's end: a director may have closed it for everybody.
        """
        closes_at = self.usual_closes_at(number)
        if not self.entry.may_play:
            return closes_at
        return min(self.entry.extended(closes_at), self.tournament.ends_at)

    def usual_closes_at(self, number: int) -> datetime:
        """Return until when the entry may play a hole without what a director has given it."""
        round_ = self._round_of(number)
        own = self._own_time(round_)
        return round_.closes_at if own is None else min(round_.closes_at, own)

    def refusal(self, number: int) -> str | None:
        """Return why a hole that was not started cannot be started now, None if it can.

        ``not_published``, ``no_such_hole``, ``in_room`` (of a race), ``closed``, ``withdrawn``,
        ``disqualified``, ``missed_cut``, ``removed``, ``not_started``, ``round_not_started``,
        ``round_closed``, ``time_over``, ``cut_pending``, ``previous_hole``. A void hole may be
        played: it counts for nobody, as long as no director takes that back.
        """
        if self.tournament.status == Tournament.Status.DRAFT:
            return "not_published"
        if number not in self.holes:
            return "no_such_hole"
        if self.tournament.is_race:
            return "in_room"
        if self.tournament.status != Tournament.Status.OPEN:
            return "closed"
        return why_ended(entry=self.entry) or self._early_or_late(number) or self._order(number)

    @property
    def is_limited(self) -> bool:
        """Whether the player's time is shorter than everybody's: it is shown running out."""
        is_personal = self.tournament.window == Tournament.Window.PERSONAL
        return is_personal or self.tournament.hole_minutes is not None

    def following(self, number: int) -> Turn:
        """Return the hole that can be started once a hole is over; none has no number."""
        if self.entry.may_play and not self.tournament.is_race:
            for other in self._to_play():
                if (
                    other > number
                    and not self._awaits_cut(other)
                    and not self._early_or_late(other)
                ):
                    return Turn(other, closes_at=self.closes_at(other))
        return Turn()

    def turn(self) -> Turn:
        """Return what the entry's player can do next."""
        ended = why_ended(entry=self.entry)
        if ended is not None:
            return Turn(code=ended)
        refused: dict[str, int] = {}
        for number in self._to_play():
            result = self.result(number)
            if result is not None and result.game is not None:
                return Turn(number, game=result.game, closes_at=result.game.closes_at)
            code = self.refusal(number)
            if code is None:
                return Turn(number, closes_at=self.closes_at(number))
            refused.setdefault(code, number)
        for code, number in refused.items():
            if code in _NOT_YET:
                opens_at = None if code == "cut_pending" else self._round_of(number).opens_at
                return Turn(number, code=code, opens_at=opens_at, closes_at=self.closes_at(number))
        return Turn(code=next(iter(refused), None))

    def _to_play(self) -> list[int]:
        """Return the holes that count and are not over for the entry."""
        return [
            number
            for number, hole in self.holes.items()
            if not hole.is_void and not self._is_over(number)
        ]

    def _round_of(self, number: int) -> Round:
        return self.rounds[self.holes[number].round_id]

    def _own_time(self, round_: Round) -> datetime | None:
        """Return the end of the minutes that begin with one's first hole, in each round anew.

        Whoever has not begun would begin now.
        """
        minutes = self.tournament.personal_minutes
        if self.tournament.window != Tournament.Window.PERSONAL or minutes is None:
            return None
        begun = [
            result.game.created_at
            for number, hole in self.holes.items()
            if hole.round_id == round_.pk
            and (result := self.result(number)) is not None
            and result.game is not None
        ]
        if len(self.rounds) == 1 and self.entry.started_at is not None:
            begun.append(self.entry.started_at)
        return min(begun, default=self.now) + timedelta(minutes=minutes)

    def _early_or_late(self, number: int) -> str | None:
        round_ = self._round_of(number)
        if self.now < round_.opens_at:
            return "not_started" if self.now < self.tournament.opens_at else "round_not_started"
        if self.now < self.closes_at(number) and round_.cut_at is None:
            return None
        end = min(self.entry.extended(self.tournament.closes_at), self.tournament.ends_at)
        if self.now >= end:
            return "closed"
        return "round_closed" if self.now >= round_.closes_at else "time_over"

    def _order(self, number: int) -> str | None:
        """Holes are played in order; what can no longer be played is passed over."""
        if self._awaits_cut(number):
            return "cut_pending"
        for before in self._to_play():
            if before < number and (self.result(before) or not self._early_or_late(before)):
                return "previous_hole"
        return None

    def _awaits_cut(self, number: int) -> bool:
        """Whether the cut after a round before is still to come."""
        round_ = self._round_of(number)
        return any(
            earlier.number < round_.number and earlier.cut_to is not None and earlier.cut_at is None
            for earlier in self.rounds.values()
        )

    def _is_over(self, number: int) -> bool:
        """Whether a hole is done for the entry; its result may be recorded a moment later."""
        result = self.result(number)
        if result is None:
            return False
        game = result.game
        if result.is_final or game is None or game.finished_at is not None:
            return True
        closes_at = game.closes_at
        return game.damaged_at is not None or (closes_at is not None and closes_at <= self.now)
