"""An error page of a site in debug shows no deal of a running tournament."""

import logging
import sys
from typing import Any
from unittest import mock

import pytest
from django.db import IntegrityError
from django.test import Client, RequestFactory
from django.urls import reverse
from django.views.debug import technical_500_response

from games.engine import EASY, GameCode, Play, card_text
from games.models import Game, Player
from golfsite import debug_pages
from tests.tournaments.factories import new_entry, new_tournament, play_hole, secrets_of
from tournaments import fairness
from tournaments.models import HoleResult, Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def running() -> Tournament:
    tournament = new_tournament(codes=None, slug="spring-open")
    play_hole(new_entry(tournament), 1)
    return tournament


def shown(rf: RequestFactory, **variables: Any) -> str:
    """The pages, for browsers and for programs, of an error where these are the variables."""

    def fail(locals_of_a_frame: dict[str, Any]) -> None:
        names = ", ".join(locals_of_a_frame)
        source = f"def deeper({names}):\n    raise LookupError(1)\ndeeper(**variables)"
        exec(source, {"variables": locals_of_a_frame, "__name__": "tournaments.somewhere"})

    try:
        fail(variables)
    except LookupError:
        raised = sys.exc_info()
    request = rf.get("/")
    plain = rf.get("/", headers={"accept": "application/json"})
    pages = [technical_500_response(asked, *raised).content for asked in (request, plain)]
    assert pages[0] != pages[1]
    return b"".join(pages).decode()


def found(page: str, tournament: Tournament) -> list[str]:
    return [secret for secret in secrets_of(tournament) if secret in page]


def test_what_harms_nobody_is_shown(rf: RequestFactory) -> None:
    page = shown(rf, slug="spring-open", number=7, is_open=True, nothing=None)
    for text in ("spring-open", "<pre>7</pre>", "<pre>True</pre>", "<pre>None</pre>"):
        assert text in page.replace("&#x27;", "'"), text


def test_no_variable_shows_a_deal(rf: RequestFactory, running: Tournament) -> None:
    hole = running.holes.get(number=1)
    code = GameCode.parse(hole.deal_code)
    deal = code.deal()
    salt = fairness.new_salt()
    position = Play(deal, EASY)
    variables = {
        "a": hole.deal_code,
        "b": [hole.deal_code],
        "c": {"code": hole.deal_code},
        "d": code,
        "e": deal,
        "f": position,
        "g": position.text,
        "h": list(deal.stock),
        "i": deal.columns,
        "j": hole.__dict__,
        "k": running.holes.values_list("deal_code", flat=True),
        "l": running.holes.values(),
        "m": running.holes.all(),
        "n": (part.deal_code for part in running.holes.all()),
        "o": salt,
        "p": fairness.committed_text(salt=salt, rules="E", codes=[hole.deal_code]),
        "q": [card_text(card) for card in deal.stock],
        "r": " ".join(card_text(card) for card in deal.stock),
        "s": str([card_text(card) for card in deal.stock]),
        "t": code.number,
        "u": hole.deal_code.encode(),
        "v": hole.deal_code.lower().replace("-", " ").upper(),
        "w": HoleResult.objects.select_related("game", "hole"),
        "x": Game.objects.values(),
        "y": f"Failing row contains (7, 1, {hole.deal_code}, 5)",
        "card": deal.stock[0],
        "waste": deal.waste,
    }
    page = shown(rf, **variables)
    row = " ".join(card_text(card) for card in deal.stock)
    secrets = [
        *secrets_of(running),
        row,
        row.replace(" ", ", "),
        row[:5],
        str(list(deal.stock)),
        ", ".join(map(str, deal.stock)),
        str(code.number),
        salt,
    ]
    assert [secret for secret in secrets if secret in page.replace("&#x27;", "")] == []
    assert page.count("&lt;int: not shown&gt;") == 2  # the card and the waste


def test_what_an_exception_says_is_hidden_too(rf: RequestFactory, running: Tournament) -> None:
    code = running.holes.first().deal_code
    try:
        try:
            raise IntegrityError(f"duplicate key. Failing row contains ({code})")
        except IntegrityError as error:
            error.add_note(f"while storing {code}")
            raise KeyError(code) from error
    except KeyError:
        raised = sys.exc_info()
    for headers in ({}, {"accept": "application/json"}):
        page = technical_500_response(rf.get("/", headers=headers), *raised).content.decode()
        assert "Failing row contains" in page
        assert found(page, running) == []


@pytest.mark.parametrize(
    ("where", "failing"),
    [
        ("tournaments.services.playing.games_services.new_competition_game", "start"),
        ("games.models.Game.save", "start"),
        ("games.engine.deals.GameCode.__post_init__", "start"),
        ("tournaments.services.playing.board_name", "enter"),
        ("tournaments.services.setup.Hole.objects.bulk_create", "create"),
        ("tournaments.models.Tournament.save", "create"),
    ],
)
def test_a_whole_site_in_debug_gives_no_deal_away(
    running: Tournament, settings: Any, where: str, failing: str
) -> None:
    settings.DEBUG = True
    client = Client(raise_request_exception=False)
    entry = running.entries.get()
    client.force_login(entry.player)
    if failing == "create":
        client.force_login(Player.objects.create_superuser("d", password="x", name="D"))
    if failing == "enter":
        client.force_login(Player.objects.create_user("e", password="x", name="E"))
    dealt: list[str] = []

    def fail(*args: Any, **kwargs: Any) -> None:
        frame = sys._getframe()
        while frame := frame.f_back:
            dealt.extend(code.text for code in frame.f_locals.get("codes", ()))
        raise SystemError("out of luck")

    create = {
        "club": running.club_id, "name": "Next", "slug": "next", "rule_set": "E",
        "rank_by": "strokes", "opens_at_0": "2040-01-01", "opens_at_1": "10:00",
        "closes_at_0": "2040-01-02", "closes_at_1": "10:00",
    }  # fmt: skip
    with mock.patch(where, fail):
        if failing == "start":
            page = client.post(reverse("hole", args=[running.slug, 2]))
        elif failing == "enter":
            page = client.post(reverse("tournament_enter", args=[running.slug]))
        else:
            page = client.post(reverse("admin:tournaments_tournament_add"), create)
            assert len(dealt) >= 9
    assert page.status_code == 500
    text = page.content.decode()
    assert "out of luck" in text
    assert found(text, running) == []
    assert [code for code in dealt if code.rpartition("-")[2] in text] == []


def test_only_what_looks_like_a_secret_is_taken_out() -> None:
    kept = (
        "Player 7 of club-12 opened /tournaments/spring-open/ at 10:30; id abcdefghjkmn, "
        "csrftoken 0123456789abcdef, 2026-11-30T00:22:00+00:00, ACES AND KINGS, <Game: k3m5>"
    )
    assert debug_pages.without_secrets(kept) == kept
    for secret in (
        "GO2-E-0123456789ABCDEFGHJKMNPQRS", "GO2-XLQA1D-0123456789ABCDEFGHJKMNPQRS",
        "GO1-E-AAAAAAB", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "ab" * 32, "6C5S", "TD, 9H, *",
        "['6C', '5S']", "6C 5S/AH", "340282366920938463463374607431768211455",
    ):  # fmt: skip
        left = debug_pages.without_secrets(f"<{secret}>")
        assert "*" * 20 in left, secret
        assert not any(part in left for part in ("ZZZ", "AAAB", "6C", "5S", "TD", "9H", "abab"))


def test_statements_are_not_logged_with_their_values() -> None:
    assert logging.getLogger("django.db.backends").level == logging.INFO
