"""Addresses and questions that no page leads to are answered, and never with a failure."""

import re
from itertools import product

import pytest
from django.test import Client

from games.models import Player
from tests.harness.processes import ROOT
from tests.tournaments.world import World

from .addresses import addresses
from .ground import FIELDS, browser, paths_to, things, undone

pytestmark = pytest.mark.django_db

#: What stands where a number or a word is expected, as it is typed into an address.
ODD = (
    "%00", "a%00b", "%FF%FE", "%ED%A0%80", "-1", "0", "9223372036854775808", "9" * 40, "1e400",
    "NaN", "%E2%80%AE", "..%2F..%2Fetc", "%27%22%3E%3Cxss%3E", "x" * 2000, "%D9%A1", "",
)  # fmt: skip
_ASKED = re.compile(r"""GET(?:\.get\(|\.getlist\(|\[)\s*["'](\w+)["']""")


@pytest.fixture
def world(db: None) -> World:
    return World("North")


def names_asked() -> set[str]:
    """The names of everything that a view reads from its address."""
    found = {"next", "q", "page", "all", "a", "b", "division", "round", "text", "status", "kind"}
    for app in ("games", "tournaments", "golfsite"):
        for path in (ROOT / app).rglob("*.py"):
            found |= set(_ASKED.findall(path.read_text()))
    return found


def failures(client: Client, paths: set[str]) -> list[str]:
    """Ask for pages; return which were answered with a failure."""
    client.raise_request_exception = False
    failed = []
    for path in sorted(paths):
        with undone(client):
            if client.get(path).status_code >= 500:
                failed.append(path)
    return failed


@pytest.mark.parametrize("who", ["nobody", "owner", "superuser"])
def test_odd_parts_of_addresses_are_no_failures(world: World, who: str) -> None:
    root = Player.objects.create_superuser("root", name="Root")
    client = browser({"nobody": None, "owner": world.owner, "superuser": root}[who])
    values = things(world)
    paths = set()
    for address in addresses():
        kind = address.route.partition("/")[0]
        for odd_one in address.parameters:
            usual = {**values, "slug": values.get(kind, ("x",))}
            here = {name: usual.get(name, ("1",))[:1] for name in address.parameters}
            paths |= set(address.paths({**here, odd_one: tuple(odd for odd in ODD if odd)}))
    assert len(paths) > 1000
    assert failures(client, paths) == []


def test_odd_questions_are_no_failures(world: World) -> None:
    names = sorted(names_asked())
    assert len(names) > 12
    usual = {path for address, path in paths_to(things(world)) if "step" not in address.parameters}
    client = browser(world.owner)
    shown = {path for path in usual if client.get(path).status_code == 200}
    questions = ["&".join(f"{name}={odd}" for name in names) for odd in ODD]
    asked = {f"{path}?{question}" for path, question in product(shown, questions)}
    # Each by itself where the first of all would hide the others.
    asked |= {
        f"{path}?{name}={odd}"
        for path, name, odd in product(shown, names, ("%00", "9" * 40, "%ED%A0%80"))
        if path.count("/") <= 5
    }
    assert failures(client, asked) == []


@pytest.mark.parametrize(
    "odd", ["\0", "9" * 40, "-1", "\ud800", "\u202e", "x" * 5000, "NaN", "1e400"]
)
def test_odd_fields_of_forms_are_no_failures(world: World, odd: str) -> None:
    client = browser(world.owner)
    client.raise_request_exception = False
    odd = odd.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    failed = []
    for _, path in paths_to(things(world)):
        with undone(client):
            if client.post(path, dict.fromkeys(FIELDS, odd)).status_code >= 500:
                failed.append(path)
    assert failed == []
