"""One bot: a browser's worth of HTTP and one websocket, and a record of its own of all it did."""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import aiohttp

from tournaments.bots.pages import Attributes, Page
from tournaments.bots.recount import RANKS, Board
from tournaments.bots.strategies import Strategy

#: Seconds that an answer may take before the socket is given up as dead.
ANSWER_TIMEOUT = 20.0
#: The longest pause between two attempts to reach the server, in seconds.
LONGEST_PAUSE = 2.0
#: How often an action is a slip that must be refused, is sent twice, or is cut off from its answer.
SLIPS, DOUBLES, CUTS = 0.02, 0.02, 0.004

#: What comes of a server that is away.
GONE = (aiohttp.ClientError, ConnectionError, TimeoutError)
_FATAL_CLOSES = {4401: "not_logged_in", 4403: "forbidden", 4404: "not_found"}


class Difference(Exception):
    """What the server says is not what the bot has counted."""


class Unplayable(Exception):
    """The site does not let the bot play on; the text says where and why."""


class Lost(Exception):
    """The socket is gone, or the bot has left it: connect again."""


@dataclass(frozen=True)
class Addresses:
    """Where the pages of one tournament are, as paths; those of scorecards start with `cards`."""

    home: str
    guest: str
    tournament: str
    enter: str
    leaderboard: str
    cards: str
    hole: Callable[[int], str]


@dataclass
class Tally:
    """What a crowd has done so far; `note` is told of each acknowledged action."""

    note: Callable[[str, int, str], None]
    counts: Counter[str] = field(default_factory=Counter)

    def acknowledge(self, game: str, turn: int, action: str) -> None:
        """Count an acknowledged action."""
        self.counts["acknowledged"] += 1
        self.note(game, turn, action)


class Bot:
    """One player. `play_round` plays the holes in order; `results` holds each hole's last position.

    :param servers: the processes of one site, `http://host:port` each. A bot starts with the
        first and goes to the next whenever it loses its connection.
    :param pace: actions a second at most; 0 is as fast as the server answers.
    """

    def __init__(
        self,
        *,
        name: str,
        servers: Sequence[str],
        addresses: Addresses,
        strategy: Strategy,
        chance: random.Random,
        pace: float,
        tally: Tally,
    ) -> None:
        self.name = name
        self.results: list[dict[str, Any]] = []
        self.scorecard = ""
        self.entry_id = 0
        self._servers = list(servers)
        self._addresses = addresses
        self._strategy = strategy
        # Three sources: a lost connection must not change which moves the seed decides on.
        self._chance = chance
        self._mishap = random.Random(chance.random())  # noqa: S311
        self._jitter = random.Random(chance.random())  # noqa: S311
        self._interval = 1 / pace if pace else 0.0
        self._next_at = 0.0
        self._tally = tally

    # --- pages -------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        self._http = aiohttp.ClientSession(
            # Cookies of a server without a name, such as 127.0.0.1, are kept only by an unsafe jar.
            cookie_jar=aiohttp.CookieJar(unsafe=True),
            timeout=aiohttp.ClientTimeout(total=ANSWER_TIMEOUT),
            headers={"Accept-Language": "en"},
        )
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._http.close()

    async def arrive(self) -> None:
        """Become somebody whom the site knows: a guest."""
        tournament = self._addresses.tournament
        await self._post(
            self._addresses.home, self._addresses.guest, name=self.name, next=tournament
        )

    async def enter(self) -> None:
        """Arrive, and enter the tournament."""
        await self.arrive()
        page = await self._post(self._addresses.tournament, self._addresses.enter)
        cards = [
            path for path in page.values("href", "a") if path.startswith(self._addresses.cards)
        ]
        if len(cards) != 1:
            raise Unplayable(f"{self.name}: the page {page.url} links to {len(cards)} scorecards")
        self.scorecard = cards[0]
        self.entry_id = int(self.scorecard.strip("/").split("/")[-1])

    async def play_round(self, holes: int) -> None:
        """Play the first holes of the tournament, each to its end."""
        for number in range(1, holes + 1):
            hole = self._addresses.hole(number)
            page = await self._post(self._addresses.tournament, hole, leads_to=hole)
            self.results.append(await self._play(_socket_path(page)))
            self._tally.counts["holes"] += 1

    async def page(self, path: str) -> Page:
        """Return the page at `path`, once the server answers."""
        attempt = 0
        while True:
            try:
                return await self._request("GET", path)
            except GONE:
                attempt += 1
                await self._pause(attempt)

    async def _post(
        self, on: str, path: str, *, leads_to: str | None = None, **fields: str
    ) -> Page:
        """Send the form that posts to `path`, found on the page at `on`, until it is answered.

        Every form of a bot may be sent twice without harm. It is read anew each time, since an
        answer that broke off may have brought a new token. A form that is gone by then has done
        its work: the page that it leads to is read, by default the one that it stood on.
        """
        attempt = 0
        while True:
            page = await self.page(on)
            hidden = page.form(path)
            if hidden is None and attempt:
                return page if leads_to is None else await self.page(leads_to)
            if hidden is None:
                raise Unplayable(f"{self.name}: the page {on} has no form for {path}")
            hidden.pop("deal", None)  # the home page's way straight into a game of practice
            try:
                return await self._request("POST", path, data=hidden | fields)
            except GONE:
                attempt += 1
                await self._pause(attempt)

    async def _request(self, method: str, path: str, data: Attributes | None = None) -> Page:
        """Ask once; raises one of `GONE` when the server is away."""
        url = self._servers[0] + path
        async with self._http.request(method, url, data=data) as response:
            text = await response.text()
        if response.status != 200:
            raise Unplayable(f"{self.name}: {method} {path} answered {response.status}")
        return Page(str(response.url), text)

    async def _pause(self, attempt: int) -> None:
        """Wait before the next attempt, longer each time and never all bots at once."""
        self._servers.append(self._servers.pop(0))
        longest = min(LONGEST_PAUSE, 0.1 * 2**attempt)
        await asyncio.sleep(self._jitter.uniform(longest / 4, longest))

    # --- the socket --------------------------------------------------------------------------

    async def _play(self, path: str) -> dict[str, Any]:
        """Play one game to its end, over as many sockets as it takes; return the last position."""
        game = GameRecord(self.name, path.strip("/").split("/")[-1])
        attempt = 0
        while True:
            server = self._servers[0]
            try:
                async with self._http.ws_connect(
                    server + path, headers={"Origin": server}, max_msg_size=65536
                ) as socket:
                    game.open(await _opening(socket))
                    attempt = 0
                    return await self._play_on(game, socket)
            except (Lost, *GONE):
                attempt += 1
                self._tally.counts["reconnects"] += 1
                await self._pause(attempt)

    async def _play_on(
        self, game: "GameRecord", socket: aiohttp.ClientWebSocketResponse
    ) -> dict[str, Any]:
        while game.pending or not game.board.final:
            if game.pending is None:
                await self._slip(game, socket)
                game.pending = self._choose(game.board)
            await self._in_time()
            turn, action = game.board.turn, game.pending
            await send(socket, {"type": "act", "turn": turn, "action": action})
            if self._mishap.random() < CUTS:
                raise Lost  # a tunnel: the answer never arrives
            await self._answered(game, socket)
            self._tally.acknowledge(game.id, turn, action)
            if self._mishap.random() < DOUBLES:
                await send(socket, {"type": "act", "turn": turn, "action": action})
                game.repeated(turn, action, await self._answer(game, socket))
        return game.shown

    def _choose(self, board: Board) -> str:
        return self._strategy(board, self._chance) if board.legal() else "g"

    async def _answered(self, game: "GameRecord", socket: aiohttp.ClientWebSocketResponse) -> None:
        """Wait until the pending action is acknowledged, and check the answer."""
        turn = game.board.turn
        while game.board.turn == turn:
            game.done(await self._answer(game, socket))

    async def _slip(self, game: "GameRecord", socket: aiohttp.ClientWebSocketResponse) -> None:
        """Now and then try what is not allowed: it must be refused for the right reason."""
        illegal = [a for a in "12345678d" if game.board.refusal(a) is not None]
        if not illegal or self._mishap.random() >= SLIPS:
            return
        action = self._mishap.choice(illegal)
        await self._in_time()
        await send(socket, {"type": "act", "turn": game.board.turn, "action": action})
        game.refused(action, await self._answer(game, socket))
        self._tally.counts["refused"] += 1

    async def _answer(
        self, game: "GameRecord", socket: aiohttp.ClientWebSocketResponse
    ) -> dict[str, Any]:
        """Return the next `done` or `refused`."""
        while True:
            message = await receive(socket)
            kind = message.get("type")
            if kind in ("done", "refused"):
                return message
            if kind == "error" and message["code"] in ("throttled", "unavailable"):
                self._tally.counts[message["code"]] += 1
                await asyncio.sleep(1)
                raise Lost  # the opening of the next socket says what is true
            if kind == "error":
                raise Difference(f"{game.label}: a well-formed message was answered {message}")

    async def _in_time(self) -> None:
        """Wait until the pace allows the next action."""
        now = time.monotonic()
        if now < self._next_at:
            await asyncio.sleep(self._next_at - now)
        # A bot that was held up does not make up for it with a burst.
        self._next_at = max(now, self._next_at) + self._interval


class GameRecord:
    """One game as its bot has it on record, and the checks of all that the server says of it."""

    def __init__(self, player: str, game_id: str) -> None:
        self.id = game_id
        self.label = f"{player}, game {game_id}"
        self.pending: str | None = None
        self.shown: dict[str, Any] = {}
        self._board: Board | None = None
        self._seen: set[str] = set()
        self._elapsed = 0

    @property
    def board(self) -> Board:
        """The bot's own board."""
        if self._board is None:
            raise ValueError("no opening was received yet")
        return self._board

    def open(self, message: Mapping[str, Any]) -> None:
        """Take an opening: the start of the game, or what a new socket says of it.

        Every acknowledged action must stand; the pending one may stand or not. The code is secret
        until the game is over: what ended it may have ended the race, which reveals the cards.
        """
        self._same("type", message.get("type"), "opening")
        self._same("protocol", message["protocol"], 1)
        self._same("game", message["game"], self.id)
        position = message["position"]
        if not position["final"]:
            self._same("code", message["code"], None)
        if self._board is None:
            self._same("turn", position["turn"], 0)
            self._board = Board(message["rules"], position, undo=message["undo"])
            self._seen = {card for column in self._board.columns for card in column}
            self._see(self._board.waste)
            self._check_cards(message["rules"])
        self._check_fits(message["fits"])
        if position["turn"] == self.board.turn + 1 and self.pending:
            return  # it was stored; the answer to sending it again is compared in full
        self._compare(position)

    def done(self, message: Mapping[str, Any]) -> None:
        """Take the acknowledgement of the pending action."""
        turn, action = self.board.turn, self.pending or ""
        self._same("answer", _said(message), ("done", turn, action))
        drawn = message["position"]["waste"] if action == "d" else None
        if action == "d":
            self._see(drawn)
        self.board.act(action, drawn)
        self.pending = None
        self._compare(message["position"])

    def repeated(self, turn: int, action: str, message: Mapping[str, Any]) -> None:
        """Take the answer to an action that was acknowledged before: it must not count again."""
        self._same("answer", _said(message), ("done", turn, action))
        self._same("repeated", message.get("repeated"), True)
        self._compare(message["position"])

    def refused(self, action: str, message: Mapping[str, Any]) -> None:
        """Take the refusal of an action that is not allowed."""
        self._same("answer", _said(message), ("refused", self.board.turn, action))
        self._same(f"reason against {action}", message["code"], self.board.refusal(action))
        self._compare(message["position"])

    def _compare(self, position: Mapping[str, Any]) -> None:
        ours = self.board.position()
        theirs = dict(position)
        elapsed = theirs.pop("elapsed")
        wrong = [
            f"{name}: the server says {theirs.get(name)!r}, counted {ours.get(name)!r}"
            for name in sorted(ours.keys() | theirs.keys())
            if ours.get(name) != theirs.get(name)
        ]
        if wrong:
            raise Difference(f"{self.label}, after {self.board.actions!r}: {'; '.join(wrong)}")
        if elapsed < self._elapsed and not self.board.final:
            raise Difference(f"{self.label}: the time went from {self._elapsed} to {elapsed}")
        self._elapsed = elapsed
        self.shown = theirs

    def _see(self, card: str | None) -> None:
        """Note a card; each lies in the deck once."""
        if card in self._seen and card != "*":
            raise Difference(f"{self.label}: {card} came twice")
        if card is not None:
            self._seen.add(card)

    def _check_cards(self, rules: Mapping[str, Any]) -> None:
        board = self.board
        empty = rules["waste"] == "empty"
        self._same("columns", [len(column) for column in board.columns], [5] * 7)
        self._same("empty waste", board.waste is None, empty)
        self._same("stock", board.stock, 16 + rules["jokers"] + empty)

    def _check_fits(self, fits: Mapping[str, str]) -> None:
        for waste in (*RANKS, "*", ""):
            ours = "".join(rank for rank in RANKS + "*" if self.board.fits(rank, waste or None))
            self._same(f"what fits on {waste!r}", fits[waste], ours)

    def _same(self, what: str, theirs: object, ours: object) -> None:
        if theirs != ours:
            raise Difference(f"{self.label}: {what}: the server says {theirs!r}, not {ours!r}")


def _said(message: Mapping[str, Any]) -> tuple[Any, ...]:
    return message.get("type"), message.get("turn"), message.get("action")


async def send(socket: aiohttp.ClientWebSocketResponse, message: Mapping[str, Any]) -> None:
    """Send a message."""
    await socket.send_str(json.dumps(message))


async def receive(
    socket: aiohttp.ClientWebSocketResponse, *, seconds: float = ANSWER_TIMEOUT
) -> dict[str, Any]:
    """Return the next message. Raises `TimeoutError`, and `Lost` when the socket is gone."""
    frame = await socket.receive(timeout=seconds)
    if frame.type is aiohttp.WSMsgType.TEXT:
        message: dict[str, Any] = json.loads(frame.data)
        return message
    code = socket.close_code
    if code in _FATAL_CLOSES:
        raise Unplayable(f"the socket was closed with {code} ({_FATAL_CLOSES[code]})")
    raise Lost


async def _opening(socket: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
    """Return the first message that has cards; before the start of a race it is waited for."""
    message = await receive(socket)
    while message["type"] == "waiting":
        message = await receive(socket)
    return message


def _socket_path(page: Page) -> str:
    """The address of the game's socket, from the board element of its page."""
    sockets = page.values("data-socket", "golf-board")
    if len(sockets) != 1:
        raise Unplayable(f"the page {page.url} has {len(sockets)} boards")
    return sockets[0]
