"""The whole story of a tournament, from the club's founding to the file that proves the results.

Everybody goes through the pages and the sockets only: a secretary, members who come by an
invitation, guests, forty players, two directors, and somebody who looks on and trusts nobody.
"""

import asyncio
import json
import random
import re
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.harness.fixtures import Serve
from tests.harness.site import Site
from tests.harness.visitor import Line, Visitor, form_in
from tests.live.tournament import recompute
from tournaments.bots.client import Addresses, Bot, Tally
from tournaments.bots.pages import Page
from tournaments.bots.recount import TABLEAU, Board
from tournaments.bots.standings import Record, board_differences, board_rows, card_differences
from tournaments.bots.strategies import (
    Strategy,
    at_random,
    hasty,
    longest_column,
    lowest_column,
)

SITES = [
    pytest.param("sqlite", 1, id="sqlite"),
    pytest.param("postgresql", 2, id="postgresql-two-processes"),
]
#: Nobody waits: the bots play as fast as the server answers.
QUICK = {"GOLF_SOCKET_RATE": "100000", "GOLF_SOCKET_BURST": "100000"}
ZONE = "Europe/Sofia"
PASSWORD = "seven-columns-of-5"
VOID = 2

#: How many cards the members clear on each hole. All of the first five have 30 without hole 2.
CARDS: dict[str, tuple[int, ...]] = {
    "Anna": (3, 0, 3, 4, 4, 4, 4, 4, 4),  # the best last six
    "Boris": (4, 0, 4, 3, 3, 4, 4, 4, 4),  # the best last three of the others
    "Chiara": (4, 0, 4, 4, 4, 4, 3, 3, 4),  # the best last hole of the others
    "Dana": (4, 5, 4, 4, 4, 4, 4, 3, 3),  # ahead of all of them by hole 2 alone
    "Emil": (4, 0, 4, 4, 4, 4, 4, 3, 3),  # as Dana but for hole 2
    "Farid": (3, 3, 3, 3, 4, 4, 4, 4, 3),
    "Greta": (3, 3, 3, 3, 3, 3, 3, 3, 3),
    "Hana": (3, 3, 3, 3, 3, 3, 3, 3, 3),
    "Ivan": (5, 5, 5, 5, 5, 5, 5, 5, 5),  # is disqualified
    "Jun": (5, 5, 5),  # withdraws
    "Kaisa": (3, 3, 3, 3, 3, 3, 3, 3, 3),  # comes late
}
#: Guests: one who does not come back after five holes, one who does not start, and many equals.
GUESTS: dict[str, tuple[int, ...]] = {
    "Leo": (2, 2, 2, 2, 2),
    "Mia": (),
    **{f"Guest {number}": (2,) * 9 for number in range(1, 20)},
}
PLAYERS = 40
#: Two guests play in each of these ways, from one seed: they have equal cards. None looks ahead,
#: which would take its time.
PAIRS: tuple[Strategy, ...] = (at_random, lowest_column, hasty, longest_column)


@dataclass(frozen=True)
class Decision:
    """What a director says of Hana's first hole."""

    by: str
    strokes: int
    reason: str


BY_TAPE = Decision("Olga", 31, "By the tape.")
BY_WITNESS = Decision("Petko", 30, "By the witness.")


def name_of(strategy: Strategy, number: int) -> str:
    """Return the name of one of the two guests who play in one way."""
    return f"{strategy.__name__.replace('_', ' ').capitalize()} {number}"


def clearing(cards: Sequence[int]) -> Strategy:
    """Clear so many cards on each hole in turn, the first that fit, and give up."""
    wanted, holes = 0, iter(cards)

    def choose(board: Board, chance: random.Random) -> str:
        nonlocal wanted
        if board.turn == 0:
            wanted = next(holes)
        cleared = TABLEAU - sum(map(len, board.columns))
        return "g" if cleared == wanted else board.legal()[0]

    return choose


class Member(Bot):
    """A player with an account, who has come to the club by its invitation."""

    async def join(self, invitation: str) -> Page:
        """Sign up on the way from the invitation link, and join."""
        await self._post(
            f"/sign-up/?next={invitation}",
            "/sign-up/",
            username=self.name.lower(),
            name=self.name,
            password=PASSWORD,
        )
        return await self._post(invitation, invitation, name=self.name)

    async def arrive(self) -> None:
        """Be there already: a member is logged in."""

    async def withdraw(self) -> Page:
        """Leave the tournament for good."""
        page = f"{self._addresses.tournament}withdraw/"
        return await self._post(page, page)


class Story:
    """A club's tournament under way: who takes part, and what the pages say of it."""

    def __init__(self, servers: Sequence[str], stack: AsyncExitStack) -> None:
        self.servers, self.stack = list(servers), stack
        self.bots: dict[str, Bot] = {}
        self.tally = Tally(lambda game, turn, action: None)
        self.club = self.invitation = self.slug = ""

    @property
    def page(self) -> str:
        return f"/tournaments/{self.slug}/"

    async def visitor(self, at: int) -> Visitor:
        """Return somebody with a browser of his own, at one of the processes."""
        return await self.stack.enter_async_context(Visitor(self.servers[at % len(self.servers)]))

    async def bot(self, kind: type[Bot], name: str, strategy: Strategy, seed: str = "story") -> Any:
        """Return a player with a browser of his own; the processes have their turns."""
        first = len(self.bots) % len(self.servers)
        made = kind(
            name=name,
            servers=[*self.servers[first:], *self.servers[:first]],
            addresses=self._addresses(),
            strategy=strategy,
            chance=random.Random(seed),
            pace=0,
            tally=self.tally,
        )
        self.bots[name] = made
        return await self.stack.enter_async_context(made)

    def _addresses(self) -> Addresses:
        # Members come before there is a tournament; its address is known, since they choose it.
        page = "/tournaments/autumn-nine/"
        return Addresses(
            home="/",
            guest="/guest/",
            tournament=page,
            enter=f"{page}enter/",
            leaderboard=f"{page}leaderboard/",
            cards=f"{page}scorecards/",
            hole=lambda number: f"{page}holes/{number}/",
        )

    def record(self, name: str) -> Record:
        """Return what a bot has on record of its own card."""
        return Record.of(name, self.bots[name].results)

    async def board(self, visitor: Visitor) -> Page:
        """Return the whole leaderboard."""
        path = f"{self.page}leaderboard/?all=1"
        return Page(visitor.url + path, await visitor.get(path))

    async def export(self, visitor: Visitor, name: str) -> list[dict[str, Any]]:
        """Return the rows of a table that can be downloaded."""
        text = await visitor.get(f"{self.page}exports/{name}.json")
        rows: list[dict[str, Any]] = json.loads(text)[name]
        return rows

    def decision(self, rule: str, *, name: str = "", hole: int = 0) -> str:
        """Return the director's page on which something is decided."""
        of_entry = f"entries/{self.bots[name].entry_id}/" if name else ""
        of_hole = f"holes/{hole}/" if hole else ""
        return f"{self.page}direct/{of_entry}{of_hole}{rule}/"


def places(page: Page, names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the place of players on a board, and what is noted beside their names."""
    rows = {row.cells[1].text: row for row in board_rows(page)}
    return {name: (rows[name].cells[0].text, rows[name].cells[1].note) for name in names}


def link_in(html: str, pattern: str) -> str:
    """Return the one address in a page that a pattern describes."""
    found = set(re.findall(rf'(?:href|value)="[^"]*?({pattern})"', html))
    assert len(found) == 1, f"{found} for {pattern}"
    return str(found.pop())


def clock(moment: datetime) -> str:
    """Return a time as it is typed, by the club's clock."""
    return moment.astimezone(ZoneInfo(ZONE)).strftime("%Y-%m-%dT%H:%M")


def text_of(html: str) -> str:
    """Return what is written on a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


# --- the story -----------------------------------------------------------------------------------


async def found_the_club(story: Story, secretary: Visitor) -> None:
    """A secretary signs up, founds a club and takes its invitation link."""
    await secretary.fill("/sign-up/", username="olga", name="Olga", password=PASSWORD)
    path, page = await secretary.fill(
        "/clubs/new/", name="The Nine O'Clock Club", time_zone=ZONE, guests_welcome="on"
    )
    assert path == "/clubs/the-nine-oclock-club/"
    story.club = path
    invitation = await secretary.get(link_in(page, f"{path}invitation/"))
    story.invitation = link_in(invitation, '/invitations/[^/"]+/')


async def join(story: Story, director: Visitor) -> None:
    """Members come by the link: one who is to direct, and those who play."""
    await director.fill(
        f"/sign-up/?next={story.invitation}", path="/sign-up/",
        username="petko", name="Petko", password=PASSWORD,
    )  # fmt: skip
    path, _ = await director.fill(story.invitation)
    assert path == story.club
    members = [await story.bot(Member, name, clearing(cards)) for name, cards in CARDS.items()]
    pages = await asyncio.gather(*(member.join(story.invitation) for member in members))
    assert {page.url.removeprefix(story.servers[0]) for page in pages[::2]} == {story.club}


async def set_it_up(story: Story, secretary: Visitor, onlooker: Visitor) -> str:
    """The secretary sets nine holes up and publishes them; return what is promised."""
    new = link_in(await secretary.get(story.club), f"{story.club}tournaments/new/")
    now = datetime.now(ZoneInfo(ZONE))
    path, _ = await secretary.fill(
        new,
        press="publish",
        name="Autumn nine",
        holes="9",
        tie_break="countback",
        opens_at=clock(now),
        closes_at=clock(now + timedelta(days=3)),
        entries_close_at=clock(now + timedelta(days=2)),
        most_entries=f"{PLAYERS}",
    )
    assert path == "/tournaments/autumn-nine/"
    story.slug = "autumn-nine"
    promised = re.search(r"\b[0-9a-f]{64}\b", await onlooker.get(path))
    assert promised is not None
    return promised[0]


async def play(story: Story) -> None:
    """All but the late one enter and play; members, guests, and pairs that play the same."""
    for strategy in PAIRS:
        for number in (1, 2):
            await story.bot(Bot, name_of(strategy, number), strategy, seed=strategy.__name__)
    for name, cards in GUESTS.items():
        await story.bot(Bot, name, clearing(cards))
    arriving = asyncio.Semaphore(10)
    holes = {name: len(cards) for name, cards in {**CARDS, **GUESTS}.items()}

    async def one(bot: Bot) -> None:
        async with arriving:
            await bot.enter()
        await bot.play_round(holes.get(bot.name, 9))

    async with asyncio.timeout(600):
        await asyncio.gather(*(one(bot) for bot in story.bots.values() if bot.name != "Kaisa"))
    assert len(story.bots) == PLAYERS
    for name, cards in {**CARDS, **GUESTS}.items():
        if name != "Kaisa":
            assert story.record(name).strokes == tuple(TABLEAU - each for each in cards)


async def come_late(story: Story, onlooker: Visitor) -> None:
    """The last place is taken while others have finished; after that there is none."""
    assert "All places are taken" not in text_of(await onlooker.get(story.page))
    late = story.bots["Kaisa"]
    await late.enter()
    await late.play_round(9)
    await onlooker.become_guest("One too many")
    assert "All places are taken." in text_of(await onlooker.get(story.page))
    assert f'action="{story.page}enter/"' not in await onlooker.get(story.page)


async def appoint(story: Story, secretary: Visitor) -> None:
    """The owner makes a member a director."""
    members = await secretary.get(f"{story.club}members/")
    found = re.search(rf'"({story.club}members/\d+/)">Manage<span[^>]*> Petko<', members)
    assert found is not None
    member = found[1]
    _, page = await secretary.fill(member, path=f"{member}role/", role="director")
    assert "The role is changed." in text_of(page)


async def correct_at_once(story: Story, secretary: Visitor, director: Visitor) -> Decision:
    """Two directors decide at the same moment; return which of two about one hole came last."""
    both = (secretary, director)

    async def at_once(*decided: tuple[str, dict[str, str]]) -> list[tuple[str, str]]:
        forms = [await who.open_form(page) for who, (page, _) in zip(both, decided, strict=True)]
        return await asyncio.gather(
            *(
                who.send(form, **fields)
                for who, form, (_, fields) in zip(both, forms, decided, strict=True)
            )
        )

    # About different things: both are done.
    answers = await at_once(
        (
            story.decision("adjust", name="Farid", hole=9),
            {"strokes": "31", "app_score": "0", "reason": "A card was counted twice."},
        ),
        (
            story.decision("adjust", name="Greta", hole=9),
            {"strokes": "33", "app_score": "0", "reason": "Helped by a neighbour."},
        ),
    )
    entries = f"{story.page}direct/entries/"
    assert [path for path, _ in answers] == [
        f"{entries}{story.bots[name].entry_id}/" for name in ("Farid", "Greta")
    ]
    # About one hole: one is done, the other is told and decides again.
    page = story.decision("adjust", name="Hana", hole=1)
    answers = await at_once(
        *(
            (page, {"strokes": f"{said.strokes}", "app_score": "0", "reason": said.reason})
            for said in (BY_TAPE, BY_WITNESS)
        )
    )
    hana = f"{entries}{story.bots['Hana'].entry_id}/"
    assert sorted(path for path, _ in answers) == sorted([hana, page])
    late = [path for path, _ in answers].index(page)
    told = answers[late][1]
    assert "Something has happened since you opened this page." in text_of(told)
    path, _ = await both[late].send(form_in(page, told))
    assert path == hana
    return (BY_TAPE, BY_WITNESS)[late]


async def take_step(story: Story, who: Visitor, step: str) -> None:
    """A director takes a step in the tournament's life."""
    path, _ = await who.fill(f"{story.page}direct/step/{step}/")
    assert path == f"{story.page}direct/"


async def check_the_board(story: Story, onlooker: Visitor, last: Decision) -> None:
    """Every figure and every place follows from what the bots have seen and the directors said."""
    records = {name: story.record(name) for name in story.bots}
    for name, hole, strokes in (("Farid", 9, 31), ("Greta", 9, 33), ("Hana", 1, last.strokes)):
        changed = [*records[name].strokes]
        changed[hole - 1] = strokes
        records[name] = replace(records[name], strokes=tuple(changed))
    page = await story.board(onlooker)
    by_entry = {bot.entry_id: records[name] for name, bot in story.bots.items()}
    assert board_differences(board_rows(page), by_entry, "countback") == []
    crafted = {
        "Anna": ("9", "ahead on the last 6 holes"),
        "Boris": ("10", "ahead on the last 3 holes"),
        "Chiara": ("11", "ahead on the last hole"),
        "Dana": ("T12", "behind on the last hole"),
        "Emil": ("T12", "behind on the last hole"),
        "Farid": ("14", "corrected"),
        "Hana": ("15", "corrected"),
        "Kaisa": ("16", ""),
        "Greta": ("17", "corrected"),
        **{f"Guest {number}": ("T18", "") for number in range(1, 20)},
    }
    assert places(page, crafted) == crafted
    # Who has no place stands last: not finished, withdrew, disqualified, not started.
    assert [
        (row.cells[0].text, row.cells[1].text, row.cells[1].note) for row in board_rows(page)[-4:]
    ] == [
        ("DNF", "Leo", ""),
        ("WD", "Jun", "corrected"),
        ("DQ", "Ivan", "corrected"),
        ("DNS", "Mia", ""),
    ]
    for strategy in PAIRS:
        pair = [name_of(strategy, number) for number in (1, 2)]
        assert records[pair[0]].strokes == records[pair[1]].strokes
        (first, _), (second, _) = places(page, pair).values()
        assert first == second
        assert first.startswith("T")
    head = [cell for cell in page.rows[0].cells if "void" in cell.classes]
    assert [cell.text for cell in head] == [f"{VOID}"]
    assert "40 players. Final." in text_of(await onlooker.get(f"{story.page}leaderboard/"))
    for name in CARDS:
        card = story.bots[name].scorecard
        found = Page(onlooker.url + card, await onlooker.get(card))
        assert card_differences(found, records[name]) == []


async def check_the_decisions(story: Story, onlooker: Visitor, last: Decision) -> None:
    """Whoever looks on can read all that was decided, by whom and why; nothing of it is lost."""
    columns = ("kind", "name", "hole", "before_strokes", "after_strokes", "after", "reason", "by")
    rows = [
        tuple(row[column] for column in columns)
        for row in await story.export(onlooker, "corrections")
    ]
    first = BY_WITNESS if last == BY_TAPE else BY_TAPE
    assert rows[:3] == [
        ("withdraw", "Jun", None, None, None, "withdrawn", "The player has withdrawn.", "Jun"),
        ("disqualify", "Ivan", None, None, None, "disqualified", "Played with two hands.", "Olga"),
        ("void", None, VOID, None, None, True, "A card was seen face up.", "Petko"),
    ]
    assert sorted(rows[3:5]) == [
        ("adjust", "Farid", 9, 32, 31, None, "A card was counted twice.", "Olga"),
        ("adjust", "Greta", 9, 32, 33, None, "Helped by a neighbour.", "Petko"),
    ]
    assert rows[5:] == [
        ("adjust", "Hana", 1, 32, first.strokes, None, first.reason, first.by),
        ("adjust", "Hana", 1, first.strokes, last.strokes, None, last.reason, last.by),
    ]
    shown = text_of(await onlooker.get(f"{story.page}corrections/"))
    assert [reason for *_, reason, _ in rows if reason not in shown] == []


async def check_the_proof(story: Story, site: Site, onlooker: Visitor, promised: str) -> bytes:
    """The results in one file are right, by themselves and by what was promised before."""
    data = (await onlooker.get(f"{story.page}bundle.json")).encode()
    file = site.data.parent / "autumn-nine.json"
    file.write_bytes(data)
    games = sum(len(bot.results) for bot in story.bots.values())
    actions = story.tally.counts["acknowledged"]
    right = (
        f"{file} is right: commitment, deals, figures and places of {PLAYERS} entries, "
        f"{games} games and {actions} actions.\n"
    )
    done = site.manage("verify", str(file), "--commitment", promised, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", right)
    assert recompute(site, story.slug) == {"games": games, "corrected": 0}
    assert (await onlooker.get(f"{story.page}bundle.json")).encode() == data
    return data


def check_that_one_byte_is_named(site: Site, data: bytes) -> None:
    """One move of one game is another one: the file says which."""
    entries = [entry["name"] for entry in json.loads(data)["entries"]]
    where = f"entries[{entries.index('Anna') + 1}].holes[1].actions"
    at = data.index(b'"actions":"', data.index(b'"name":"Anna"')) + len(b'"actions":"')
    changed = bytearray(data)
    changed[at] = ord("1") if changed[at] == ord("d") else ord("d")
    file = site.data.parent / "changed.json"
    file.write_bytes(changed)
    done = site.manage("verify", str(file), check=False)
    lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout, lines[0], lines[-1]) == (
        1,
        "",
        f"{where}: does not fit its sum: one of the two was changed",
        "digest: does not fit the file: something in it was changed",
    )


async def hear_of_the_last(story: Story, onlooker: Visitor, line: Line) -> None:
    """Whoever watches the board has heard of everything, whichever process it happened in."""
    (version,) = (await story.board(onlooker)).values("data-version", "div")
    while f"{(await line.hear())['version']}" != version:
        pass


async def is_away(visitor: Visitor, path: str) -> bool:
    """Whether there is no such page."""
    async with visitor.http.get(visitor.url + path) as response:
        return response.status == 404


@pytest.mark.parametrize(("database", "processes"), SITES)
async def test_a_whole_tournament_through_pages_and_sockets(
    serve: Serve, database: str, processes: int
) -> None:
    site = serve(database=database, processes=processes, **QUICK)
    async with AsyncExitStack() as stack:
        story = Story(site.urls, stack)
        secretary, director, onlooker = [await story.visitor(at) for at in (0, 1, 0)]
        await found_the_club(story, secretary)
        await join(story, director)
        promised = await set_it_up(story, secretary, onlooker)
        await play(story)
        await come_late(story, onlooker)
        await story.bots["Jun"].withdraw()
        path, _ = await secretary.fill(
            story.decision("disqualify", name="Ivan"), reason="Played with two hands."
        )
        assert path == f"{story.page}direct/entries/{story.bots['Ivan'].entry_id}/"
        assert await is_away(onlooker, f"{story.page}bundle.json")

        line = await onlooker.connect(f"/ws{story.page}")
        await take_step(story, secretary, "close")
        before = {
            "Dana": ("9", ""),
            "Anna": ("11", "ahead on the last 6 holes"),
            "Boris": ("12", "ahead on the last 3 holes"),
            "Chiara": ("13", "ahead on the last hole"),
            "Emil": ("14", "behind on the last hole"),
        }
        assert places(await story.board(onlooker), before) == before
        await appoint(story, secretary)
        await take_step(story, director, "review")
        await director.fill(story.decision("void", hole=VOID), reason="A card was seen face up.")
        last = await correct_at_once(story, secretary, director)
        await take_step(story, secretary, "finalise")
        refused = await director.get(story.decision("unvoid", hole=VOID))
        assert "The tournament is final. Reopen it first." in text_of(refused)

        await hear_of_the_last(story, onlooker, line)
        await check_the_board(story, onlooker, last)
        await check_the_decisions(story, onlooker, last)
        data = await check_the_proof(story, site, onlooker, promised)
        check_that_one_byte_is_named(site, data)
