"""The style guide: one page that shows every component in every state, in debug only.

The page is styleguide.html, beside this module and not among the templates, since it is for
developers and has nothing to translate.
"""

from pathlib import Path
from typing import Any

import msgspec
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.views.decorators.http import require_safe

from games import charts, transcript
from games.engine import EASY, PAR, GameCode, describe
from games.engine.play import Play
from games.forms import GuestForm, LoginForm
from tournaments.protocol import Race, RoomState, SeatState, Settings, You
from tournaments.views.room_words import EMOTES, room_words

_PAGE = Path(__file__).with_name("styleguide.html")
_CODE = GameCode.parse("GO1-E-AAAAAAB")
_LEVELS = (constants.SUCCESS, constants.WARNING, constants.ERROR, constants.INFO)
_ROWS = (
    charts.Row("1", 3, "+3"),
    charts.Row("2", -2, "−2", is_marked=True),
    charts.Row("3", 0, "0"),
)


@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    """Show every component in every state."""
    over = _played()
    context = {
        "guest_form": GuestForm({"name": ""}),
        "form": LoginForm(request, data={"username": "", "password": ""}),
        "shown_messages": [Message(level, "A message of this kind.") for level in _LEVELS],
        "page": Paginator(range(9), 3).page(2),
        "cards": ["AS", "TH", "QD", "7C", "*"],
        "boards": [describe(Play(_CODE.deal(), EASY)), describe(over)],
        "par": PAR,
        "transcript": transcript.of_line(_CODE, over.journal),
        "opening": transcript.of_line(_CODE, over.journal[:5]),
        "bar_chart": charts.bars(_ROWS),
        "line_chart": charts.line([4, -2, 7, 0, -5]),
        "emotes": EMOTES,
        "room_words": room_words(),
        "room_said": _shown_room(),
    }
    template = engines["django"].from_string(_PAGE.read_text(encoding="utf-8"))
    return HttpResponse(template.render(context, request))


def _played() -> Play:
    """Return a game of the shown deal by who takes whatever comes first."""
    play = Play(_CODE.deal(), EASY, undo=False)
    while play.legal():
        play.act(play.legal()[0])
    return play


def _shown_room() -> list[Any]:
    """Return the messages of a room in which there is one seat of each kind."""
    # Name, whether connected and playing, place, rating, and the row of the hole.
    shown = [
        ("Aino", True, True, 1, 1523, (0, 4, 0, 0, -4, 350, 1, 61_200)),
        ("W" * 30, True, True, 2, 1180, (12, 3, 4, 12, 12, 110, 0, 58_000)),
        ("محمد الفاسي", False, True, 2, None, (12, 9, 1, 12, 12, 110, 0, 57_000)),
        ("Boris", True, True, 4, 990, (21, 0, 0, 21, 21, 0, 1, 40_000)),
        ("Late Larry", True, False, None, None, None),
    ]
    seats = []
    for number, (name, connected, playing, place, rating, row) in enumerate(shown, 1):
        over = row if row and row[6] else (0,) * 8
        seats.append(
            SeatState(
                id=number, name=name, guest=rating is None, ready=number % 2 == 1,
                connected=connected, since=0, rating=rating, provisional=number > 1,
                playing=playing, thru=over[6], strokes=over[3], to_par=over[3] - PAR * over[6],
                app_score=over[5], time=over[7], place=place, row=row,
            )
        )  # fmt: skip
    settings = Settings(
        public=True, rules="E", ranking="strokes", strokes_kind="traditional", holes=3,
        hole_minutes=10, grace_seconds=60, undo=False, hints=False, friendly=False,
    )  # fmt: skip
    race = Race(
        slug="race", number=1, hole=1, holes=3, starts_at=0, closes_at=600_000, limited=True
    )
    state = RoomState(
        room="ABCDE", version=1, now=0, phase="playing", host=1, settings=settings, race=race,
        last=None, seats=seats,
    )  # fmt: skip
    you = You(seat=1, host=True, game=None, can_watch=True, watch={"2": "two", "3": "three"})
    return [msgspec.to_builtins(each) for each in (state, you)]
