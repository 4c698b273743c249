"""What a site keeps hidden, read from its own database, and a tap on the wire to look for it.

Run as `python -m tests.attacks.hidden read SLUG…`, `… paths SLUG…` or `… root` in the environment
of the site; all print JSON.
"""

import asyncio
import json
import re
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import TracebackType
from typing import Any, Self

import django
import numpy as np

from games.engine import GameCode, card_text
from tests.harness.site import Site

# --- what is hidden -------------------------------------------------------------------------------

#: So many cards in a row are no coincidence; two or three could lie so in another deal's columns.
RUN = 4
#: Numbers in a row are more often something else.
RUN_OF_NUMBERS = 7
#: What may stand between cards that are written down.
_BETWEEN = ("", " ", ",", ", ", "/", "|", "-", " - ", "\n", '","', '", "', "', '")
_RANK_NAMES = dict(
    zip("A23456789TJQK", ("ace", *map(str, range(2, 11)), "jack", "queen", "king"), strict=True)
)
_SUIT_NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
_SIGNS = dict(zip("SHDC", "♠♥♦♣", strict=True))


def spellings(card: int) -> tuple[str, ...]:
    """Return the ways in which a card is written anywhere, in the same order for all cards."""
    rank, suit = card_text(card)
    shown = "10" if rank == "T" else rank
    return (
        f"{rank}{suit}",
        f"{rank}{suit}".lower(),
        f"{shown}{_SIGNS[suit]}",
        f"{_SIGNS[suit]}{shown}",
        f"{_RANK_NAMES[rank]} of {_SUIT_NAMES[suit]}",
    )


@dataclass(frozen=True)
class Secret:
    """A text that nobody may be sent, and what it would give away."""

    what: str
    text: str


def secrets_of_deal(code_text: str) -> Iterator[Secret]:
    """Return every text that would give a deal away: its code, its number, its stock."""
    code = GameCode.parse(code_text)
    texts = {
        "code": code.text,
        "part of the code that is drawn": code.text.rpartition("-")[2],
        "number": f"{code.number}",
        "number in hexadecimal": f"{code.number:x}",
    }
    for what, text in texts.items():
        yield from (Secret(what, each) for each in {text, text.lower(), text.upper()})
    stock = code.deal().stock
    for order in (stock, stock[::-1]):
        written = [*zip(*map(spellings, order), strict=True)]
        for cards, run in [*((each, RUN) for each in written), (order, RUN_OF_NUMBERS)]:
            for at, between in product(range(len(cards) - run + 1), _BETWEEN):
                if between or run == RUN:  # digits without anything between are any number
                    yield Secret("stock", between.join(map(str, cards[at : at + run])))


def secrets_of(told: dict[str, Any]) -> list[Secret]:
    """Return everything that is hidden of a tournament, as `read` tells it."""
    found = [secret for code in told["codes"] for secret in secrets_of_deal(code)]
    return [*found, Secret("salt", told["salt"])]


#: So many first bytes of each text are looked for first; none is shorter.
_HEAD = 8


class Search:
    """Looks for very many texts at once in all that was sent.

    Places are sorted out by the first bytes of the texts, in numbers of two bytes each, so that
    few places are left to compare.
    """

    def __init__(self, secrets: Sequence[Secret]) -> None:
        self._what = {secret.text.encode(): secret.what for secret in secrets}
        self._by_head: dict[bytes, list[bytes]] = {}
        self._tables = np.zeros((_HEAD // 2, 65_536), dtype=bool)
        for text in self._what:
            assert len(text) >= _HEAD, text
            self._by_head.setdefault(text[:_HEAD], []).append(text)
            for at, table in enumerate(self._tables):
                table[text[2 * at] << 8 | text[2 * at + 1]] = True

    def __call__(self, sent: bytes) -> set[str]:
        """Return what was found of hidden things."""
        single = np.frombuffer(sent + bytes(_HEAD), dtype=np.uint8)
        pairs = single[:-1].astype(np.uint16) << 8 | single[1:]
        places = np.arange(len(sent))
        for at, table in enumerate(self._tables):
            places = places[table[pairs[places + 2 * at]]]
        return {
            self._what[text]
            for place in places.tolist()
            for text in self._by_head.get(sent[place : place + _HEAD], ())
            if sent.startswith(text, place)
        }


# --- the wire -------------------------------------------------------------------------------------

_CHUNK = re.compile(rb"\r\n[0-9a-fA-F]{1,8}\r\n")


class Tap:
    """A wire between people and a site, on which everything that the site sends is kept.

    Use as an asynchronous context manager; `url` is where the site is to be found then.
    """

    def __init__(self, site: Site) -> None:
        self._host, port = site.url.removeprefix("http://").split(":")
        self._port = int(port)
        self.wires: list[bytearray] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kept = bytearray()
        self.wires.append(kept)
        there, theirs = await asyncio.open_connection(self._host, self._port)
        await asyncio.gather(_pass_on(reader, theirs), _pass_on(there, writer, kept))

    def sent(self) -> bytes:
        """Return everything that was sent so far, a connection after the other.

        What was cut into chunks on its way is put together.
        """
        whole = b"\0\0".join(map(bytes, self.wires))
        assert b"content-encoding: gzip" not in whole.lower()
        return whole + b"\0\0" + _CHUNK.sub(b"", whole)

    def frames(self) -> Iterator[list[dict[str, Any]]]:
        """Return the messages of each websocket."""
        for wire in self.wires:
            _, upgraded, rest = bytes(wire).partition(b"HTTP/1.1 101 ")
            if upgraded:
                yield list(_messages(rest.partition(b"\r\n\r\n")[2]))


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray | None = None
) -> None:
    """Pass on what somebody says: the site's is kept, and nobody asks it to compress anything."""
    try:
        while data := await reader.read(65_536):
            if kept is None:
                data = data.replace(b"Accept-Encoding:", b"Not-An-Encoding:")
            else:
                kept += data
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


def _messages(data: bytes) -> Iterator[dict[str, Any]]:
    """Read the text frames of a server, which masks nothing."""
    at = 0
    while at + 2 <= len(data):
        opcode, length = data[at] & 0xF, data[at + 1]
        at += 2
        if length == 126:
            (length,) = struct.unpack_from(">H", data, at)
            at += 2
        elif length == 127:
            (length,) = struct.unpack_from(">Q", data, at)
            at += 8
        if opcode == 1 and at + length <= len(data):
            yield json.loads(data[at : at + length])
        at += length


# --- from the site --------------------------------------------------------------------------------


@dataclass
class Told:
    """What the site's database has of tournaments."""

    secrets: list[Secret] = field(default_factory=list)
    #: The code of each game, by its public id.
    games: dict[str, str] = field(default_factory=dict)
    #: What stands in addresses.
    values: dict[str, tuple[object, ...]] = field(default_factory=dict)


def read(site: Site, *slugs: str) -> Told:
    """Read what is hidden of tournaments, and where their pages are."""
    told = Told()
    for one in site.run_module(__name__, "read", *slugs):
        told.secrets += secrets_of(one)
        told.games |= one["games"]
        for name, values in one["values"].items():
            told.values[name] = tuple(dict.fromkeys((*told.values.get(name, ()), *values)))
    return told


def admin_paths(site: Site, slug: str) -> list[str]:
    """Return the paths of the admin's pages, of a few rows of each kind."""
    paths: list[str] = site.run_module(__name__, "paths", slug)
    return paths


def superuser(site: Site) -> str:
    """Make a superuser; return the cookie of the session."""
    cookie: str = site.run_module(__name__, "root")
    return cookie


def _read(*slugs: str) -> list[dict[str, Any]]:
    from games.models import Game
    from tournaments.models import Tournament

    found = []
    for slug in slugs:
        tournament = Tournament.objects.select_related("club", "room").get(slug=slug)
        games = Game.objects.filter(hole_result__hole__tournament=tournament)
        by_id = dict(games.order_by("pk").values_list("public_id", "deal_code"))
        entries = list(tournament.entries.order_by("pk").values_list("pk", flat=True))
        values: dict[str, list[Any]] = {
            "tournaments": [slug],
            "entry_id": entries[:2],
            "number": [1, 2],
            "public_id": [*by_id][:3],
        }
        if tournament.club is not None:
            values["clubs"] = [tournament.club.slug]
        if tournament.room is not None:
            values |= {"code": [tournament.room.code], "races": [slug]}
        found.append(
            {
                "codes": list(tournament.holes.values_list("deal_code", flat=True)),
                "salt": tournament.salt,
                "games": by_id,
                "values": values,
            }
        )
    return found


def _paths(slug: str) -> list[str]:
    from django.contrib import admin
    from django.urls import reverse

    from tournaments.models import Tournament

    tournament = Tournament.objects.get(slug=slug)
    paths = [reverse("admin:index")]
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        paths += [reverse(f"{name}_changelist"), reverse(f"{name}_changelist") + "?q=GO2&e=1"]
        rows = [tournament] if model is Tournament else model._default_manager.all()[:2]
        for view, row in product(("change", "delete", "history"), rows):
            paths.append(reverse(f"{name}_{view}", args=[row.pk]))
    return paths


def _root() -> str:
    from django.conf import settings
    from django.test import Client

    from games.models import Player

    browser = Client()
    browser.force_login(Player.objects.create_superuser("root", name="Root"))
    cookie = settings.SESSION_COOKIE_NAME
    return f"{cookie}={browser.cookies[cookie].value}"


if __name__ == "__main__":
    django.setup()
    command: Any = {"read": _read, "paths": _paths, "root": _root}[sys.argv[1]]
    sys.stdout.write(json.dumps(command(*sys.argv[2:])))
