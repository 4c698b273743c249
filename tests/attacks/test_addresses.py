"""Addresses and questions that no page leads to are answered, and never with a failure."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import Resolver404, resolve

from games.models import Player
from tests.tournaments.world import World

from .addresses import addresses
from .ground import FIELDS, browser, paths_to, practice_of, things, undone

pytestmark = pytest.mark.django_db

#: What stands where a number or a word is expected, as it is typed into an address.
ODD = (
    "%00", "a%00b", "%FF%FE", "%ED%A0%80", "-1", "0", "9223372036854775808", "9" * 40, "1e400",
    "NaN", "%E2%80%AE", "..%2F..%2Fetc", "%27%22%3E%3Cxss%3E", "x" * 2000, "%D9%A1", "",
)  # fmt: skip
#: What is asked with every name at once.
PROBES = ("1", "x", "%00", "9" * 40)


@pytest.fixture
def world(db: None) -> World:
    return World("North")


@contextmanager
def noting() -> Iterator[set[str]]:
    """Note what pages read of the questions in their addresses."""
    noted: set[str] = set()
    getlist, getitem, contains = QueryDict.getlist, QueryDict.__getitem__, QueryDict.__contains__

    def note_list(self: QueryDict, key: str, default: Any = None) -> Any:
        noted.add(key)
        return getlist(self, key, default)

    def note_item(self: QueryDict, key: str) -> Any:
        noted.add(key)
        return getitem(self, key)

    def note_contained(self: QueryDict, key: str) -> bool:
        noted.add(key)
        return contains(self, key)

    with (
        patch.object(QueryDict, "getlist", note_list),
        patch.object(QueryDict, "__getitem__", note_item),
        patch.object(QueryDict, "__contains__", note_contained),
    ):
        yield noted


def leads_somewhere(path: str) -> bool:
    """Whether a view is asked for this path, and not only the page for what there is not."""
    try:
        resolve(unquote(path))
    except Resolver404:
        return False
    return True


def failures(client: Client, paths: Iterable[str]) -> list[str]:
    """Ask for pages; return which were answered with a failure."""
    client.raise_request_exception = False
    failed = []
    for path in paths:
        with undone(client):
            if client.get(path).status_code >= 500:
                failed.append(path)
    return failed


@pytest.mark.parametrize("who", ["nobody", "owner", "superuser"])
def test_odd_parts_of_addresses_are_no_failures(world: World, who: str) -> None:
    root = Player.objects.create_superuser("root", name="Root")
    client = browser({"nobody": None, "owner": world.owner, "superuser": root}[who])
    values = things(world)
    paths: dict[str, None] = {}
    nowhere: dict[str, str] = {}
    for address in addresses():
        kind = address.route.partition("/")[0]
        for odd_one in address.parameters:
            usual = {**values, "slug": values.get(kind, ("x",))}
            here = {name: usual.get(name, ("1",))[:1] for name in address.parameters}
            for odd in filter(None, ODD):
                for path in address.paths({**here, odd_one: (odd,)}):
                    if leads_somewhere(path):
                        paths[path] = None
                    else:  # all of these are answered by the same page
                        nowhere[odd] = path
    assert len(paths) > 500
    assert len(nowhere) > 5
    assert failures(client, [*paths, *nowhere.values()]) == []


def test_odd_questions_are_no_failures(world: World) -> None:
    """Each page is asked with all that any page reads, and then with each that it reads itself."""
    client = browser(world.owner)
    values = things(world)
    values["public_id"] = (practice_of(world.owner).public_id, *values["public_id"])
    pages: dict[str, str] = {}
    read: dict[str, set[str]] = {}
    for address, path in paths_to(values):
        if address.name not in pages:
            with noting() as noted:
                is_shown = client.get(path).status_code == 200
            if is_shown:
                pages[address.name] = path
                read[path] = noted
    names = sorted(set().union(*read.values()))
    asked = {f"{path}?{name}={odd}" for path in read for name in read[path] for odd in ODD}
    everything = ["&".join(f"{name}={odd}" for name in names) for odd in PROBES]
    asked |= {f"{path}?{question}" for path in read for question in everything}
    print(f"{len(pages)} pages, {len(asked)} questions of {names}")
    assert failures(client, sorted(asked)) == []
    assert set(names) >= {"all", "code", "division", "format", "ghost", "kind", "next", "page", "q"}
    assert len(pages) > 60
    assert len(asked) > 600


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
