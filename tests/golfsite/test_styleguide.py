from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.template import Template
from django.test import Client, RequestFactory
from django.test.signals import template_rendered

from golfsite.styleguide import styleguide

#: What is not shown: what needs a game that goes on, and what nobody sees.
_ELSEWHERE = {
    "board.html", "board_head.html", "game_state.html", "ghost.html", "seen.html", "social.html",
}  # fmt: skip
#: What is shown by its parts.
_PARTS = {"game_told.html"}

pytestmark = pytest.mark.django_db


def shown(rf: RequestFactory) -> tuple[str, set[str]]:
    """The page, and the names of the components in it."""
    names: set[str] = set()

    def note(template: Template, **_: Any) -> None:
        folder, _slash, name = (template.name or "").rpartition("/")
        if folder == "components":
            names.add(name)

    request = rf.get("/styleguide/")
    request.user = AnonymousUser()
    template_rendered.connect(note)
    try:
        return styleguide(request).content.decode(), names
    finally:
        template_rendered.disconnect(note)


def test_it_is_for_developers(client: Client) -> None:
    assert client.get("/styleguide/").status_code == 404


def test_it_shows_every_component(rf: RequestFactory) -> None:
    page, names = shown(rf)
    there = {path.name for path in (settings.BASE_DIR / "templates/components").glob("*.html")}
    assert there - names == _ELSEWHERE | _PARTS
    for part in ("button primary", "notice error", "table standings", "table scorecard", "stepper"):
        assert f'class="{part}"' in page
    assert (page.count("<dialog"), page.count('class="deal-picture"')) == (2, 2)
