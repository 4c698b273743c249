"""Names and texts that are meant to be something else: markup, scripts, formulas, turned letters.

Every name and text that people can give is such a one here, and every page, file and picture that
shows any of them is looked at.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import icalendar
import pytest
from django.test import Client
from django.utils import timezone
from PIL import Image

from games import services as games_services
from games.models import Player
from tests.harness.forms import Form
from tests.tournaments.factories import new_member
from tests.tournaments.racing import new_room, race_all, sit
from tests.tournaments.test_secrecy import admin_pages
from tests.tournaments.world import World
from tournaments import services
from tournaments.models import AllowedName, Club, Device, Division, Flag, Season, Tournament

from .ground import browser, forms_of_an_owner, paths_to, plain, practice_of, rows, things, undone

pytestmark = pytest.mark.django_db

#: A formula for spreadsheets, placeholders for texts and templates, the end of an attribute with
#: either quote, and an element with a script, whose name no address has by chance: what those are
#: made of has no o.
HOSTILE = "=%s{{7}}'\"><oxo onload=x>"
#: A user name has fewer letters to choose from.
HOSTILE_USERNAME = "+1-1@SUM"


def hostile(world: World) -> World:
    """Let everything in the world that has a name have a hostile one."""
    numbers = iter("abcdefghijklmnopqrstuvwxyz")
    for player in Player.objects.all():
        player.name = f"{HOSTILE}{next(numbers)}"
        player.save()
    Player.objects.filter(pk=world.owner.pk).update(username=HOSTILE_USERNAME)
    Club.objects.update(name=f"{HOSTILE} club", about=f"{HOSTILE}\n\n{HOSTILE}")
    Tournament.objects.update(name=f"{HOSTILE} nine", about=f"{HOSTILE}\n\n{HOSTILE}")
    Division.objects.update(name=f"{HOSTILE} division")
    Season.objects.update(name=f"{HOSTILE} season")
    for model in (world.tournament.entries.model, world.club.memberships.model):
        for row in model.objects.all():
            model.objects.filter(pk=row.pk).update(name=f"{HOSTILE}{next(numbers)}")
    Device.objects.update(label=f"{HOSTILE} tablet")
    AllowedName.objects.update(name=f"{HOSTILE}{next(numbers)}", username=HOSTILE_USERNAME)
    Flag.objects.update(note=f"{HOSTILE} note", seen_at=timezone.now(), seen_by=world.owner)
    world.owner.refresh_from_db()
    world.club.refresh_from_db()
    entry = world.entry
    entry.refresh_from_db()
    by = world.owner
    reason = f"{HOSTILE} reason"
    services.adjust_hole(entry=entry, number=1, strokes=5, app_score=300, by=by, reason=reason)
    services.void_hole(tournament=world.tournament, number=3, by=by, reason=reason)
    player = new_member(world.club, "Renamed")
    membership = world.club.memberships.get(player=player)
    services.rename_member(membership=membership, name=f"{HOSTILE}z", by=by)
    return world


@pytest.fixture
def world(db: None) -> World:
    return World("North")


def values_of(world: World) -> dict[str, tuple[object, ...]]:
    """What stands in addresses, those that are secrets as well."""
    found = things(world)
    room = new_room(Player.objects.get(pk=world.owner.pk), holes=1)
    sit(room, games_services.create_guest(name="Bo"))
    race = race_all(room)
    player = world.entry.player
    shared = games_services.share_game(game=practice_of(player))
    games_services.show_figures(player=player, is_public=True)
    player.refresh_from_db()
    return {
        **found,
        "code": (*found["code"], room.code),
        "races": (*found["races"], race.slug),
        "seat_id": (*found["seat_id"], *room.seats.values_list("pk", flat=True)),
        "token": (shared.share_token,),
        "invitation": (world.club.invitation,),
        "page_id": (player.page_id,),
    }


# --- what is shown --------------------------------------------------------------------------------


class Markup(HTMLParser):
    """Notes what a browser would make of the hostile name, and where it is shown as it is."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.made: list[str] = []
        self.shown = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "oxo" or any(name.startswith("on") or name == "oxo" for name, _ in attrs):
            self.made.append(self.get_starttag_text() or tag)
        self.shown += sum(HOSTILE in (value or "") for _, value in attrs)

    def handle_data(self, data: str) -> None:
        self.shown += HOSTILE in data


def check_page(body: str) -> int:
    """Check a page; return how often it shows a hostile name."""
    assert "<oxo" not in body.lower()
    markup = Markup(body)
    assert markup.made == []
    return markup.shown


def check_csv(body: str) -> int:
    """No cell is a formula, whatever a spreadsheet takes for its beginning."""
    cells = [cell for row in csv.reader(io.StringIO(body)) for cell in row]
    for cell in cells:
        is_number = cell.removeprefix("-").replace(".", "").isdigit()
        assert is_number or not cell.lstrip("\ufeff \t\r\n").startswith(tuple("=+-@＝＋－＠")), cell
    return sum(HOSTILE in cell for cell in cells)


def check_calendar(body: bytes) -> int:
    """Names are text of their event, and make no lines of their own."""
    calendar = icalendar.Calendar.from_ical(body)
    events = calendar.walk("VEVENT")
    assert body.count(b"BEGIN:VEVENT") == len(events)
    return sum(HOSTILE in str(event["SUMMARY"]) for event in events)


def check_svg(body: bytes) -> int:
    """It is a drawing and nothing else."""
    tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(body).iter()}
    assert tags <= {"svg", "path", "g", "title", "desc", "rect"}
    return 0


def check_json(body: bytes) -> int:
    """It is JSON, and nobody takes it for anything else."""
    return json.dumps(json.loads(body), ensure_ascii=False).count("<oxo")


def check_picture(body: bytes) -> int:
    """It is a picture without a word beside it."""
    with Image.open(io.BytesIO(body)) as picture:
        assert picture.info.keys() <= {"dpi"}
    return 0


def check_nothing(body: bytes) -> int:
    """It has no names."""
    assert b"oxo" not in body
    return 0


_CHECKS: dict[str, Callable[[bytes], int]] = {
    "text/html": lambda body: check_page(body.decode()),
    "text/csv": lambda body: check_csv(body.decode()),
    "application/json": check_json,
    "text/calendar": check_calendar,
    "image/svg+xml": check_svg,
    "image/png": check_picture,
    "text/javascript": check_nothing,
    "": check_nothing,
}


def check(response: Any) -> tuple[str, int]:
    """Check an answer of whatever kind; return the kind and how often it has a hostile name."""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "oxo" not in str(response.headers)
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return kind, _CHECKS[kind](body)


def look_at(client: Client, paths: Iterable[str]) -> Counter[str]:
    """Look at all pages; return how often hostile names were shown, by the kind of the answer."""
    shown: Counter[str] = Counter()
    for path in paths:
        with undone(client):
            response = client.get(path)
            assert response.status_code < 500, path
            try:
                kind, count = check(response)
            except AssertionError as error:
                raise AssertionError(path) from error
        shown[kind] += count
    return shown


def browsers(world: World) -> dict[str, Client]:
    root = Player.objects.create_superuser("root", name="Root")
    return {
        "nobody": browser(None),
        "player": browser(world.entry.player),
        "owner": browser(world.owner),
        "superuser": browser(root),
    }


@pytest.mark.parametrize("is_over", [False, True], ids=["while it runs", "when it is over"])
def test_hostile_names_are_names_everywhere(world: World, is_over: bool) -> None:
    values = values_of(world)
    hostile(world)
    if is_over:
        by, reason = world.owner, f"{HOSTILE} reason"
        now = services.close_now(tournament=world.tournament, by=by, reason=reason)
        now = services.finalise(tournament=now, by=by)
        now = services.reopen(tournament=now, by=by, reason=reason)
        services.finalise(tournament=now, by=by)
    paths = [path for _, path in paths_to(values)]
    shown = {who: look_at(client, paths) for who, client in browsers(world).items()}
    print(shown)
    for who, counts in shown.items():
        assert counts["text/html"] > 50, who
        assert min(counts["text/csv"], counts["application/json"]) > 3, who
        assert counts["text/calendar"] >= 1, who
    assert shown["owner"]["text/html"] > shown["nobody"]["text/html"]


def test_hostile_names_are_names_in_the_admin(world: World) -> None:
    values_of(world)
    hostile(world)
    client = browser(Player.objects.create_superuser("root", name="Root"))
    assert look_at(client, admin_pages(world.tournament))["text/html"] > 100


# --- what is taken --------------------------------------------------------------------------------

#: Marks that turn the direction of text, a character that nobody sees, a line of its own.
TURNED = ["Spring\u202eniN", "\u2067Spring", "Spring\x07"]
#: Languages without spaces need it to break lines, so a text may have it, and no name.
UNSEEN = "Spr\u200bing"
PLAIN = "Springtime"


#: What people say in words; everything else in a form is chosen, counted or dated.
_FREE = {
    "name", "about", "reason", "note", "label", "divisions", "username", "slug", "password",
    "time_zone", "codes", "rules", "text", "points",
}  # fmt: skip


def stored_by(client: Client, forms: list[Form], text: str) -> set[str]:
    """Send each form with a text in one field at a time; return where it was stored."""
    found = set()
    for form in forms:
        for field in sorted(form.fields):
            if plain(field) not in _FREE:
                continue
            with undone(client):
                response = client.post(form.path, {**form.fields, field: text})
                assert response.status_code < 500, (form.path, field)
                if response.status_code in {302, 204}:
                    found |= _where(text)
    return found


def _where(text: str) -> set[str]:
    """Return the fields in which a text is stored."""
    return {
        f"{model}.{name}"
        for (model, _), row in rows().items()
        for name, value in row.items()
        if text in (value if isinstance(value, str) else str(value))
    }


_TEXTS = {
    "tournaments.club.about", "tournaments.correction.reason", "tournaments.statuschange.reason",
}  # fmt: skip


def test_no_form_stores_what_turns_text_or_is_not_seen(world: World) -> None:
    client = browser(world.owner)
    forms = forms_of_an_owner(things(world), world.owner)
    where = stored_by(client, forms, PLAIN)
    print(len(forms), sorted(where))
    assert where >= {
        "games.player.name", "tournaments.club.name", "tournaments.club.about",
        "tournaments.membership.name", "tournaments.allowedname.name",
        "tournaments.allowedname.username", "tournaments.device.label",
        "tournaments.tournament.name", "tournaments.tournament.about",
        "tournaments.division.name", "tournaments.season.name", "tournaments.correction.reason",
        "tournaments.flag.note",
    }  # fmt: skip
    for text in TURNED:
        assert stored_by(client, forms, text) == set(), repr(text)
    assert stored_by(client, forms, UNSEEN) <= _TEXTS


@pytest.mark.parametrize("text", [*TURNED, UNSEEN])
def test_nobody_is_called_so(client: Client, text: str) -> None:
    """Neither a guest, nor an account, nor who joins by a list."""
    client.post("/guest/", {"name": text})
    client.post("/sign-up/", {"username": "anna", "name": text, "password": "seven-columns-of-5"})
    client.post("/sign-up/", {"username": text, "name": "Anna", "password": "seven-columns-of-5"})
    assert Player.objects.count() == 0
