"""What a site keeps hidden, read from its own database, and a tap on the wire to look for it.

Run as `python -m tests.attacks.hidden read SLUG…`, `… paths SLUG…` or `… root` in the environment
of the site; all print JSON.
"""

import asyncio
import json
import re
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import TracebackType
from typing import Any, Self

import django

from games.engine import GameCode, card_text
from tests.harness.processes import ROOT, StartError
from tests.harness.site import Site

# --- what is hidden -------------------------------------------------------------------------------

#: So many cards in a row are no coincidence; two or three could lie so in another deal's columns.
RUN = 4
#: What may stand between cards that are written down.
_BETWEEN = ("", " ", ",", ", ", "/", "|", "-", " - ", "\n", '","', '", "', "', '")
_RANK_NAMES = dict(
    zip("A23456789TJQK", ("ace", *map(str, range(2, 11)), "jack", "queen", "king"), strict=True)
)
_SUIT_NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
_SIGNS = dict(zip("SHDC", "♠♥♦♣", strict=True))


def _spellings(card: int) -> tuple[str, ...]:
    """The ways in which a card is written anywhere, the same for all cards in their order."""
    rank, suit = card_text(card)
    shown = "10" if rank == "T" else rank
    return (
        f"{rank}{suit}",
        f"{rank}{suit}".lower(),
        f"{shown}{_SIGNS[suit]}",
        f"{_SIGNS[suit]}{shown}",
        f"{_RANK_NAMES[rank]} of {_SUIT_NAMES[suit]}",
        f"{card}",
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
        for at in range(len(order) - RUN + 1):
            run = order[at : at + RUN]
            for cards, between in product(zip(*map(_spellings, run), strict=True), _BETWEEN):
                if cards[0].isdigit() and between == "":
                    continue  # digits in a row are anything
                yield Secret("stock", between.join(cards))


def secrets_of(told: dict[str, Any]) -> list[Secret]:
    """Return everything that is hidden of a tournament, as `read` tells it."""
    found = [secret for code in told["codes"] for secret in secrets_of_deal(code)]
    return [*found, Secret("salt", told["salt"])]


class Search:
    """Looks for many texts at once in what was sent."""

    def __init__(self, secrets: Sequence[Secret]) -> None:
        self._what = {secret.text.encode(): secret.what for secret in secrets}
        assert all(len(text) >= 8 for text in self._what)
        # By their first letters, so that it takes one look at each place.
        self._heads = re.compile(
            b"(?=(" + b"|".join(sorted({re.escape(text[:6]) for text in self._what})) + b"))"
        )
        self._by_head: dict[bytes, list[bytes]] = {}
        for text in self._what:
            self._by_head.setdefault(text[:6], []).append(text)

    def __call__(self, sent: bytes) -> set[str]:
        """Return what was found of hidden things."""
        return {
            self._what[text]
            for match in self._heads.finditer(sent)
            for text in self._by_head[match[1]]
            if sent.startswith(text, match.start())
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
        await asyncio.gather(_pass_on(reader, theirs, None), _pass_on(there, writer, kept))

    def sent(self) -> bytes:
        """Return everything that was sent so far, a connection after the other.

        What was cut into chunks on its way is put together.
        """
        whole = b"\0\0".join(map(bytes, self.wires))
        assert b"ontent-encoding: " not in whole.lower().replace(b"content-encoding: identity", b"")
        return whole + b"\0\0" + _CHUNK.sub(b"", whole)

    def frames(self) -> Iterator[list[dict[str, Any]]]:
        """Return the messages of each websocket."""
        for wire in self.wires:
            head, _, rest = bytes(wire).partition(b"\r\n\r\n")
            if head.startswith(b"HTTP/1.1 101"):
                yield list(_messages(rest))


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray | None
) -> None:
    try:
        while data := await reader.read(65_536):
            if kept is not None:
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
    for one in _run(site, "read", *slugs):
        told.secrets += secrets_of(one)
        told.games |= one["games"]
        for name, values in one["values"].items():
            told.values[name] = tuple(dict.fromkeys((*told.values.get(name, ()), *values)))
    return told


def admin_paths(site: Site, slug: str) -> list[str]:
    """Return the paths of the admin's pages, of a few rows of each kind."""
    paths: list[str] = _run(site, "paths", slug)
    return paths


def superuser(site: Site) -> str:
    """Make a superuser; return the cookie of the session."""
    cookie: str = _run(site, "root")
    return cookie


def _run(site: Site, *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "tests.attacks.hidden", *arguments],
        cwd=ROOT,
        env=site.env | {"DJANGO_SETTINGS_MODULE": "golfsite.settings"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise StartError(done.stderr)
    return json.loads(done.stdout)


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
