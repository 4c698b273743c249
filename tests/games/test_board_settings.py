"""The settings of the board, kept with the player."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import services
from games.models import BOARD_SETTINGS, Player

from .factories import new_game, new_player
from .test_views import client_of

pytestmark = pytest.mark.django_db


def keep(client: Client, **fields: Any) -> tuple[int, str]:
    """Send settings; return the status and the code of what is wrong."""
    response = client.post(reverse("board_settings"), fields)
    return response.status_code, response.json()["code"] if response.content else ""


def kept(player: Player) -> dict[str, Any]:
    player.refresh_from_db()
    return player.preferences


def test_a_guests_settings_are_kept() -> None:
    player = services.create_guest(name="Aino")
    client = client_of(player)
    assert keep(client, theme="dark", sound="on") == (204, "")
    assert keep(client, sound="off", motion="slow") == (204, "")
    assert kept(player) == {"theme": "dark", "sound": False, "motion": "slow"}


def test_every_value_of_every_setting_can_be_chosen() -> None:
    player = new_player()
    client = client_of(player)
    for name, values in BOARD_SETTINGS.items():
        for value in values:
            spelled = {True: "on", False: "off"}.get(value, value)  # type: ignore[call-overload]
            assert keep(client, **{name: spelled}) == (204, "")
            assert kept(player)[name] is value or kept(player)[name] == value
    assert set(kept(player)) == set(BOARD_SETTINGS)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "no_setting"),
        ({"colour": "red"}, "unknown_setting"),
        ({"language": "fi"}, "unknown_setting"),
        ({"theme": "dark", "is_staff": "on"}, "unknown_setting"),
        ({"theme": "purple"}, "bad_value"),
        ({"theme": ""}, "bad_value"),
        ({"sound": "true"}, "bad_value"),
        ({"theme": "dark", "motion": "x" * 10_000}, "bad_value"),
    ],
)
def test_anything_else_is_refused_as_a_whole(fields: dict[str, str], code: str) -> None:
    player = new_player()
    services.set_preferences(player=player, language="bg")
    assert keep(client_of(player), **fields) == (400, code)
    assert kept(player) == {"language": "bg"}


def test_a_visitor_has_nothing_to_keep_them_with(client: Client) -> None:
    assert keep(client, theme="dark") == (403, "not_logged_in")
    assert client.get(reverse("board_settings")).status_code == 405


def test_a_strange_site_cannot_set_them() -> None:
    player = new_player()
    client = Client(enforce_csrf_checks=True)
    client.force_login(player)
    assert client.post(reverse("board_settings"), {"theme": "dark"}).status_code == 403
    assert kept(player) == {}


def test_the_page_carries_what_is_known_of_them() -> None:
    player = new_player()
    services.set_preferences(
        player=player, theme="dark", zen=True, clock=False, motion="sideways", language="en"
    )
    game = new_game(player=player)
    page = client_of(player).get(reverse("game", args=[game.public_id])).content.decode()
    data = re.search(r'<script id="board-settings"[^>]*>(.*?)</script>', page)
    assert data is not None
    assert json.loads(data[1]) == {
        "standard": {name: values[0] for name, values in BOARD_SETTINGS.items()},
        "kept": {"theme": "dark", "zen": True, "clock": False},
    }
    assert re.search(r'<html [^>]*data-theme="dark"', page)
    assert re.search(r"<golf-board [^>]*data-zen data-no-clock data-numbers>", page)


def test_the_form_offers_each_of_them() -> None:
    player = new_player()
    page = client_of(player).get(reverse("game", args=[new_game(player=player).public_id]))
    document = page.content.decode()
    form = document[document.index('data-part="settings-form"') :]
    form = form[: form.index("</form>")]
    assert set(re.findall(r'<(?:input type="checkbox"|select) name="(\w+)"', form)) == set(
        BOARD_SETTINGS
    )
    for name, values in BOARD_SETTINGS.items():
        if isinstance(values[0], str):
            select = form[form.index(f'<select name="{name}"') :]
            options = re.findall(r'<option value="(\w+)"', select[: select.index("</select>")])
            assert set(options) == set(values)


def test_a_competition_offers_no_help() -> None:
    player = new_player()
    game = new_game(player=player)
    type(game).objects.filter(pk=game.pk).update(is_secret=True)
    page = client_of(player).get(reverse("game", args=[game.public_id])).content.decode()
    helps = ("show_playable", "auto_draw")
    assert [name for name in helps if f'<input type="checkbox" name="{name}"' in page] == []
    assert 'data-do="pause"' not in page
