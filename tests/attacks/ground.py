"""A club with one of everything, who comes to it, and all that is stored of it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Any, Final

from django.apps import apps
from django.db import models, transaction
from django.test import Client

from games import services as games_services
from games.engine import EASY
from games.models import Game, Player
from tests.harness.forms import Form, forms_of
from tests.tournaments.factories import play
from tests.tournaments.racing import new_room, start
from tests.tournaments.world import World
from tournaments.models import AllowedName, Device, Membership
from tournaments.views import directing

from .addresses import Address, addresses

#: Everything that a form of the site asks for, as somebody would fill it in who means harm.
FIELDS: Final = {
    "name": "Taken over", "slug": "taken-over", "reason": "Because.", "note": "Seen.",
    "strokes": "0", "app_score": "350", "until": "2030-01-01T00:00", "division": "",
    "username": "SouthOwner", "role": "owner", "about": "Mine.", "joining": "open",
    "password": "guessed it", "time_zone": "UTC", "rules": "E", "label": "Mine", "sure": "on",
    "confirm": "on", "understood": "on", "is_public": "on", "guests_welcome": "on", "holes": "9",
    "publish": "1", "every": "week", "first_on": "2030-01-01", "starts_on": "2030-01-01",
    "ends_on": "2030-12-31", "points": "10 8 6", "opens_at": "2030-01-01T00:00",
    "closes_at": "2030-01-02T00:00", "action": "delete_selected", "_selected_action": "1",
    "post": "yes", "deal": "1", "rule_set": "code", "code": "GO1-E-AAAAAAB", "show": "on",
}  # fmt: skip

_RULES: Final = {
    "tournament_decide_entry": directing.ENTRY_RULES,
    "tournament_decide_result": directing.RESULT_RULES,
    "tournament_decide_hole": directing.HOLE_RULES,
}

Values = Mapping[str, tuple[object, ...]]


def browser(player: Player | None) -> Client:
    """Return the browser of somebody who is logged in, or of nobody."""
    client = Client()
    if player is not None:
        client.force_login(player)
    return client


@contextmanager
def undone(client: Client) -> Iterator[None]:
    """Let everything that is asked for inside be as if it had not been."""
    cookies = copy(client.cookies)
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    client.cookies = cookies


def practice_of(player: Player) -> Game:
    """Return a finished game of practice."""
    code = games_services.random_practice_code(rules=EASY)
    return play(games_services.new_practice_game(player=player, code=code), "g")


def things(world: World) -> dict[str, tuple[object, ...]]:
    """What belongs to a club, by the names that addresses have for it; a `slug` by its folder."""
    club, player = world.club, world.entry.player
    allowed = AllowedName.objects.create(club=club, username="someone", username_key="someone")
    device = Device.objects.create(key="k" * 32, tablet_of=club, label="Tablet")
    room = new_room(player)
    race = start(room)
    secret = [result.game.public_id for result in world.entry.results.all()]
    return {
        "membership_id": (Membership.objects.get(club=club, player=world.owner).pk,),
        "allowed_id": (allowed.pk,),
        "device_id": (device.pk,),
        "entry_id": (world.entry.pk,),
        "number": (1, 2),
        "flag_id": (world.flag.pk,),
        "recurrence_id": (world.recurrence.pk,),
        "step": tuple(directing.STEPS),
        "public_id": (practice_of(player).public_id, *secret),
        "seat_id": (room.seats.get().pk,),
        "clubs": (club.slug,),
        "tournaments": (world.tournament.slug,),
        "seasons": (world.season.slug,),
        "code": (room.code,),
        "races": (race.slug,),
    }


def paths_to(values: Values) -> Iterator[tuple[Address, str]]:
    """Every address outside of the admin with these values, and the paths of it.

    Addresses with a part of which there is no value are left out.
    """
    for address in addresses():
        kind = address.route.partition("/")[0]
        rules = tuple(_RULES.get(address.name, {}))
        here = {**values, "slug": values.get(kind, ()), "rule": rules}
        if address.name.startswith("admin:") or not here.keys() >= set(address.parameters):
            continue
        for path in address.paths(here):
            yield address, path


#: What a form is filled in with whatever stands in it; the rest is left as it is.
_FILLED: Final = ("name", "reason", "note", "about", "label", "strokes", "app_score", "until")


def plain(name: str) -> str:
    """Return the name of a field without what tells it from those of other forms on its page."""
    return name.rpartition("-")[2]


def forms_of_an_owner(values: Values, owner: Player) -> list[Form]:
    """Return every form that an owner finds, filled in as he would; each address once."""
    client = browser(owner)
    found: dict[str, Form] = {}
    for _, path in paths_to(values):
        response = client.get(path)
        if response.status_code != 200 or "html" not in response["Content-Type"]:
            continue
        for form in forms_of(path, response.content.decode()):
            if form.method == "post" and not form.path.startswith(("/log-", "/language/")):
                form.fields = {
                    name: FIELDS.get(plain(name), "") if not value or plain(name) in _FILLED
                    else value
                    for name, value in form.fields.items()
                }  # fmt: skip
                found.setdefault(form.path, form)
    return list(found.values())


#: What changes of a row when somebody else comes along, and says nothing of it.
_COUNTED: Final = {
    "games.player": {"last_login"},
    "tournaments.tournament": {"board_version", "version"},
    "tournaments.room": {"version", "used_at"},
}

Rows = dict[tuple[str, Any], dict[str, Any]]


def rows() -> Rows:
    """Everything that is stored of games and tournaments, by model and key."""
    found: Rows = {}
    for app in ("games", "tournaments"):
        for model in apps.get_app_config(app).get_models():
            label = model._meta.label_lower
            for row in _values(model):
                kept = {k: v for k, v in row.items() if k not in _COUNTED.get(label, ())}
                found[label, row["pk"]] = kept
    return found


def _values(model: type[models.Model]) -> Any:
    fields = [field.attname for field in model._meta.concrete_fields]
    return model._default_manager.values("pk", *fields)
