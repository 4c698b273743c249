"""Many bots at once, and the comparison of the pages with what they have on record."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from tournaments.bots.client import Addresses, Bot, Difference, Tally, Unplayable
from tournaments.bots.standings import (
    Record,
    board_differences,
    board_rows,
    card_differences,
    tie_break_of,
)
from tournaments.bots.strategies import STRATEGIES

#: Bots that may be logging in at the same moment.
ARRIVING = 10
#: Seconds that the pages may take to show the last result after a server came back.
SETTLE_TIMEOUT = 20.0
MOST_PLAYERS = 500

_NAMES = (
    "Ada", "Boris", "Chiara", "Dmitri", "Eeva", "Farid", "Greta", "Hana", "Ivan", "Jun", "Kaisa",
    "Leila", "Mateo", "Noor", "Olga", "Petko", "Quinn", "Rosa", "Samir", "Tuuli", "Uma", "Viktor",
    "Wanda", "Xenia", "Yusuf", "Zora",
)  # fmt: skip


@dataclass
class Report:
    """How a crowd has done. It has failed if there is a difference or a problem."""

    players: int
    holes: int = 0
    acknowledged: int = 0
    refused: int = 0
    reconnects: int = 0
    seconds: float = 0.0
    #: What the site said otherwise than counted.
    differences: list[str] = field(default_factory=list)
    #: Why bots could not play to the end.
    problems: list[str] = field(default_factory=list)


def name_of(index: int) -> str:
    """The name of the bot number `index`, from 0; no two share one."""
    again, which = divmod(index, len(_NAMES))
    return f"{_NAMES[which]} {again + 1}" if again else _NAMES[which]


class Crowd:
    """Bots of one tournament.

    :param servers: the processes of one site, over which the bots spread.
    :param holes: how many holes each bot plays.
    :param seed: decides how each bot chooses.
    :param pace: actions a second of each bot at most; 0 is as fast as the server answers.
    :param note: told the game, turn and action of each acknowledged action.
    """

    def __init__(
        self,
        *,
        servers: Sequence[str],
        addresses: Addresses,
        players: int,
        holes: int,
        seed: int,
        pace: float,
        note: Callable[[str, int, str], None],
    ) -> None:
        self._addresses = addresses
        self._holes = holes
        self._tally = Tally(note)
        self._report = Report(players=players)
        self._arriving = asyncio.Semaphore(ARRIVING)
        self._bots = [
            Bot(
                name=name_of(index),
                servers=[*servers[index % len(servers) :], *servers[: index % len(servers)]],
                addresses=addresses,
                strategy=STRATEGIES[index % len(STRATEGIES)],
                chance=random.Random(f"{seed}:{index}"),  # noqa: S311 (a choice of moves)
                pace=pace,
                tally=self._tally,
            )
            for index in range(players)
        ]

    async def play(self, *, limit: float) -> Report:
        """Let all play, compare all that the site shows, and return how it went.

        After `limit` seconds the bots are stopped, which is a problem.
        """
        report, counts = self._report, self._tally.counts
        began = time.monotonic()
        try:
            async with asyncio.timeout(limit):
                await asyncio.gather(*(self._play_and_check(bot) for bot in self._bots))
        except TimeoutError:
            report.problems.append(f"the bots were not done after {limit:g} seconds")
        report.seconds = time.monotonic() - began
        report.holes, report.acknowledged = counts["holes"], counts["acknowledged"]
        report.refused, report.reconnects = counts["refused"], counts["reconnects"]
        if not (report.problems or report.differences):
            await self._noting(self._check_board())
        return report

    async def _play_and_check(self, bot: Bot) -> None:
        async with bot:
            await self._noting(self._one(bot))

    async def _one(self, bot: Bot) -> None:
        async with self._arriving:
            await bot.enter()
        await bot.play_round(self._holes)

        async def look() -> list[str]:
            return card_differences(await bot.page(bot.scorecard), _record_of(bot))

        self._report.differences += await _settled(look)

    async def _check_board(self) -> None:
        records = {bot.entry_id: _record_of(bot) for bot in self._bots}

        async def look() -> list[str]:
            async with self._bots[0] as visitor:
                rows, number = [], 1
                while True:
                    page = await visitor.page(f"{self._addresses.leaderboard}?page={number}")
                    rows += board_rows(page)
                    if "next" not in page.values("rel", "a"):
                        return board_differences(rows, records, tie_break_of(page))
                    number += 1

        self._report.differences += await _settled(look)

    async def _noting(self, work: Awaitable[None]) -> None:
        """Wait for `work`; what is wrong with the site goes into the report."""
        try:
            await work
        except Difference as error:
            self._report.differences.append(str(error))
        except Unplayable as error:
            self._report.problems.append(str(error))


def _record_of(bot: Bot) -> Record:
    return Record.of(bot.name, bot.results)


async def _settled(look: Callable[[], Awaitable[list[str]]]) -> list[str]:
    """Look until there is no difference or the time is up; return what is left."""
    deadline = time.monotonic() + SETTLE_TIMEOUT
    while True:
        found = await look()
        if not found or time.monotonic() > deadline:
            return found
        await asyncio.sleep(0.25)
