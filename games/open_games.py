"""Games in memory while somebody has them open: one engine state for each game and process.

The database is the truth. What is here is a copy that saves replaying a game for every action; it
is thrown away and read again whenever a write shows that it is out of date.
"""

import asyncio
import logging
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from django.db import Error

from games import selectors, services
from games.database import in_database_thread
from games.engine import Closed, NotStarted, Play, Refusal, StaleTurn
from games.journal import Journal, Row
from games.live import Hub
from games.models import Game
from games.protocol import (
    Deadline,
    Done,
    Moved,
    Opening,
    Position,
    Refused,
    Waiting,
    position_of,
    progress_row,
)
from games.selectors import DamagedGame

logger = logging.getLogger(__name__)

#: Positions of a game whose hints are kept.
HINTS_KEPT: Final = 64


class Follower(Protocol):
    """A socket that has the game open."""

    def send_soon(self, message: Moved) -> None:
        """Send `message` without waiting for it."""


def now_ms() -> int:
    """Return the server's clock: ms since 1970."""
    return time.time_ns() // 1_000_000


def ms_since_1970(moment: datetime) -> int:
    """Return `moment` as the clock of the protocol has it."""
    return int(moment.timestamp() * 1000)


@dataclass(slots=True)
class Record:
    """What the database knows of a game: `times` are ms since its start, the others since 1970."""

    game: Game
    play: Play
    started_at: datetime
    times: list[int]
    started: int
    closes: int | None

    def position(self) -> Position:
        """Return what its player may see of the game now."""
        if self.game.feed:
            first = 0
        elif self.times:
            first = self.times[0]
        else:
            return position_of(self.play, elapsed=0)
        if self.play.final:
            return position_of(self.play, elapsed=self.times[-1] - first)
        return position_of(self.play, elapsed=max(0, now_ms() - self.started - first))


def read_record(game_id: int) -> Record:
    """Read a game whose cards are about to be sent, and replay it.

    Raises `Game.DoesNotExist`, and `DamagedGame` after it has been reported.
    """
    started_at = services.start_clock(game_id=game_id)
    game = Game.objects.get(pk=game_id)
    try:
        play, moves = selectors.journal_of(game=game)
    except DamagedGame:
        services.report_damaged(game_id=game_id)
        raise
    return Record(
        game=game,
        play=play,
        times=[move.ms for move in moves],
        started_at=started_at,
        started=ms_since_1970(started_at),
        closes=None if game.closes_at is None else ms_since_1970(game.closes_at),
    )


class OpenGame:
    """One game, as the sockets of this process play it."""

    def __init__(self, record: Record, journal: Journal) -> None:
        self.game_id: int = record.game.pk
        self._followers: set[Follower] = set()
        # Those who have the position that a move goes on from.
        self._told: set[Follower] = set()
        self._journal = journal
        self._record = record
        self._is_current = True
        # What was just read needs no second look; later another process may have gone on.
        self._is_fresh = True
        # A hint is a search: a position that comes again must not cost it again.
        self._hints: dict[tuple[object, ...], str | None] = {}
        # One action after another, whichever of the player's sockets it comes from.
        self._turn_lock = asyncio.Lock()

    def follow(self, follower: Follower) -> None:
        """Count `follower` among the sockets of this game."""
        self._followers.add(follower)

    def leave(self, follower: Follower) -> bool:
        """Count `follower` out; return whether it was the last."""
        self._followers.discard(follower)
        self._told.discard(follower)
        return not self._followers

    @property
    def waits(self) -> float:
        """Seconds until the cards may be sent; 0 once the game has started."""
        return max(0, self._record.started - now_ms()) / 1000

    async def opening(self, *, to: Follower) -> Opening | Waiting:
        """Return all that the player may see now; `to` is told of what happens from here on.

        Before the start that is when it will be.
        """
        async with self._turn_lock:
            if self.waits:
                record = self._record
                public_id = record.game.public_id
                return Waiting(game=public_id, opens_at=record.started, now=now_ms())
            if not self._is_fresh:
                await self._read_again()
            self._is_fresh = False
            self._told.add(to)
            return self._opening()

    async def deadline(self) -> Deadline:
        """Return the deadline as it is now; it has been moved, perhaps by another process."""
        async with self._turn_lock:
            await self._read_again()
            return Deadline(closes_at=self._record.closes, now=now_ms())

    async def act(self, *, turn: int, action: str, row: int | None, by: Follower) -> Done | Refused:
        """Do one action that answers the position of `turn`; see `docs/protocol.md`.

        Returns after the action is stored, or with the reason why nothing has changed.
        Raises `games.journal.Unavailable` when it could not be stored.
        """
        async with self._turn_lock:
            answer = await self._act(turn, action, row)
        if isinstance(answer, Done) and not answer.repeated:
            moved = Moved(position=answer.position)
            for follower in self._told - {by}:
                follower.send_soon(moved)
        return answer

    async def _act(self, turn: int, action: str, row: int | None) -> Done | Refused:
        if self._record.started > now_ms():
            early = NotStarted()
            return Refused(
                turn=turn, action=action, code=early.code, params=early.params, position=None
            )
        if not self._is_current or turn > self._record.play.turn:
            await self._read_again()  # another process may have gone on
        self._is_fresh = False
        while True:
            record = self._record
            if record.play.action_of(turn) == action:
                return await self._repeat(turn, action)
            try:
                ms = self._check(turn)
                record.play.act(action, row)
            except Refusal as refusal:
                if isinstance(refusal, Closed) and await self._has_more_time():
                    continue
                return Refused(
                    turn=turn,
                    action=action,
                    code=refusal.code,
                    params=refusal.params,
                    position=self._position(),
                )
            stored = self._row(turn, action, ms)
            # Should this be interrupted, nobody here knows what was stored: then it is read again.
            self._is_current = False
            if await self._journal.append(stored):
                record.times.append(ms)
                self._is_current = True
                break
            await self._read_again()  # another process took the turn
        if record.game.feed:
            stands = progress_row(record.play, ms=ms)
            Hub.here().report(record.game.feed, str(self.game_id), stands)
        hint = await self._hint_of(record.play) if action == "h" else None
        if record.play.final and record.game.closes_at is not None:
            await self._announce()
        return Done(turn=turn, action=action, hint=hint, position=self._position())

    async def _announce(self) -> None:
        """Tell the other apps that the game is final, if they can be told now."""
        try:
            await in_database_thread(services.announce_finished, game_id=self.game_id)
        except Error as error:
            # The action is stored, and whoever waits for the result looks for it besides.
            logger.warning(
                "The end of game %s was not announced: %s", self.game_id, type(error).__name__
            )

    def _check(self, turn: int) -> int:
        """Return the time of an action in ms since the game's start, or raise a `Refusal`."""
        record = self._record
        now = now_ms()
        if self._deadline_passed(now):
            raise Closed
        if turn != record.play.turn:
            raise StaleTurn
        last = record.times[-1] if record.times else 0
        return max(last, now - record.started)

    def _row(self, turn: int, action: str, ms: int) -> Row:
        """Return what to write of an action that the engine has accepted."""
        record = self._record
        if not record.play.final:
            return Row(self.game_id, turn, action, ms)
        first = services.counted_from(
            game=record.game, first_ms=record.times[0] if record.times else ms
        )
        figures = services.figures_of(play=record.play, first_ms=first, last_ms=ms)
        figures["finished_at"] = record.started_at + timedelta(milliseconds=ms)
        return Row(self.game_id, turn, action, ms, figures)

    async def _read_again(self) -> None:
        self._record = await in_database_thread(read_record, self.game_id)
        self._is_current = True

    async def _repeat(self, turn: int, action: str) -> Done:
        """Answer an action that was accepted before from what happened then."""
        record = self._record
        hint = None
        if action == "h":
            before = record.play.journal[: turn + 1]
            hint = await self._hint_of(selectors.play_of(game=record.game, actions=before))
        return Done(turn=turn, action=action, hint=hint, repeated=True, position=self._position())

    async def _hint_of(self, play: Play) -> str | None:
        """Return the hint that `play` has just given."""
        seen = (play.columns, play.waste, play.stock_left)
        if seen not in self._hints:
            if len(self._hints) >= HINTS_KEPT:
                self._hints.clear()
            # The worst of searches takes a tenth of a second: the other players do not wait for it.
            self._hints[seen] = await asyncio.to_thread(lambda: play.last_hint)
        return self._hints[seen]

    async def _has_more_time(self) -> bool:
        """Look whether a deadline that has passed was moved: who told of it may not be heard."""
        if self._record.play.final:
            return False
        await self._read_again()
        return not self._deadline_passed(now_ms())

    def _deadline_passed(self, now: int) -> bool:
        closes = self._record.closes
        return closes is not None and now >= closes

    def _position(self) -> Position:
        return self._record.position()

    def _opening(self) -> Opening:
        game = self._record.game
        rules = game.rules
        return Opening(
            game=game.public_id,
            code=None if game.is_secret else game.deal_code,
            rules={"text": rules.text, **rules.fields()},
            fits=rules.table(),
            undo=game.undo_allowed,
            hints=game.hints_allowed,
            closes_at=self._record.closes,
            now=now_ms(),
            position=self._position(),
        )


class OpenGames:
    """The open games of one process, each kept while a socket follows it."""

    def __init__(self) -> None:
        self.journal = Journal()
        self._games: dict[int, OpenGame] = {}
        self._reading: dict[int, asyncio.Task[OpenGame]] = {}

    def __len__(self) -> int:
        """Return how many games are open."""
        return len(self._games)

    async def follow(self, game_id: int, follower: Follower) -> OpenGame:
        """Return the open game and count `follower` among its sockets.

        Raises `Game.DoesNotExist`.
        """
        game = self._games.get(game_id)
        if game is None:
            # Two sockets that come together must get the same object.
            task = self._reading.get(game_id)
            if task is None:
                task = asyncio.create_task(self._read(game_id))
                self._reading[game_id] = task
                task.add_done_callback(lambda _: self._reading.pop(game_id, None))
            game = await asyncio.shield(task)
        game = self._games.setdefault(game_id, game)
        game.follow(follower)
        return game

    async def _read(self, game_id: int) -> OpenGame:
        return OpenGame(await in_database_thread(read_record, game_id), self.journal)

    def leave(self, game: OpenGame, follower: Follower) -> None:
        """Count `follower` out; a game that nobody follows is let go."""
        if game.leave(follower) and self._games.get(game.game_id) is game:
            del self._games[game.game_id]
