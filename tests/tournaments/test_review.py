"""Reviews of tournament holes: only when nobody can play them any more."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import analysis, selectors, solving
from games import services as games_services
from games.engine import EASY, GameCode
from games.models import BestResult, Game
from tournaments import services
from tournaments.models import Tournament

from . import racing
from .factories import let_time_pass, new_entry, new_player, new_tournament, play, play_hole

pytestmark = pytest.mark.django_db


def client_of(player: object) -> Client:
    client = Client()
    client.force_login(player)  # type: ignore[arg-type]
    return client


def over(tournament: Tournament) -> Tournament:
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    tournament.refresh_from_db()
    return tournament


def test_a_hole_is_reviewed_after_the_reveal_and_by_everybody() -> None:
    tournament = new_tournament(holes=1)
    entry = new_entry(tournament)
    game = play_hole(entry, 1).game
    page = reverse("hole_replay", args=[tournament.slug, entry.pk, 1])
    what_if = reverse("hole_what_if", args=[tournament.slug, entry.pk, 1])
    asked = {"line": "best", "at": "3"}
    other = new_player()
    assert client_of(entry.player).get(page).status_code == 404
    assert client_of(entry.player).post(what_if, asked).status_code == 404
    over(tournament)
    body = Client().get(page).content.decode()
    best = analysis.best_of(code=GameCode.parse(game.deal_code))
    assert "What was possible" in body
    assert "Play on from here" in body
    assert Client().post(what_if, asked)["Location"].startswith(reverse("login"))
    response = client_of(other).post(what_if, asked)
    made = Game.objects.get(player=other)
    assert response["Location"] == reverse("game", args=[made.public_id])
    assert (made.given, made.deal_code) == (3, game.deal_code)
    assert selectors.actions_of(game_id=made.pk) == best.line[:3]


def test_a_hole_that_counts_below_par_is_reviewed_so() -> None:
    tournament = new_tournament(holes=1, strokes_kind=Tournament.StrokesKind.BELOW_PAR)
    entry = new_entry(tournament)
    play_hole(entry, 1)
    over(tournament)
    entry.refresh_from_db()
    game = entry.results.get().game
    best = analysis.best_of(code=GameCode.parse(game.deal_code)).best
    body = Client().get(reverse("hole_replay", args=[tournament.slug, entry.pk, 1]))
    lost = game.strokes_below_par - best.strokes_below_par
    assert f'<div><dt>Lost</dt><dd><bdi dir="ltr">{lost}</bdi></dd></div>' in body.content.decode()


def test_a_deal_that_a_friendly_event_plays_is_not_looked_into(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nobody_asks(*_: object) -> None:
        raise AssertionError("the solver was asked")

    code = GameCode(1, EASY, 77)
    tournament = new_tournament(codes=[code], holes=1, is_friendly=True)
    player = new_player()
    other_rules = GameCode.parse(code.text.replace("-E-", "-C-"))
    game = play(games_services.new_practice_game(player=player, code=other_rules), "g")
    page = reverse("game_moves", args=[game.public_id])
    with monkeypatch.context() as patch:
        patch.setattr(solving, "solve", nobody_asks)
        patch.setattr(solving, "solve_line", nobody_asks)
        body = client_of(player).get(page).content.decode()
        assert "when nobody plays these cards in a tournament any more" in body
        what_if = reverse("game_what_if", args=[game.public_id])
        client_of(player).post(what_if, {"line": "best", "at": "2"})
    assert Game.objects.filter(player=player).count() == 1
    over(tournament)
    assert "What was possible</h2>" in client_of(player).get(page).content.decode()


def test_a_friendly_event_tells_nothing_of_a_deal_that_another_one_plays() -> None:
    code = GameCode(1, EASY, 77)
    first = new_tournament(codes=[code], holes=1, is_friendly=True)
    entry = new_entry(first)
    play_hole(entry, 1)
    over(first)
    other = new_tournament(codes=[code], holes=1, is_friendly=True)
    pages = {
        reverse("hole_replay", args=[first.slug, entry.pk, 1]): "What was possible</h2>",
        reverse("tournament_figures", args=[first.slug]): "Best possible, all holes",
        reverse("hole_figures", args=[first.slug, 1]): "Best possible",
    }
    for page, told in pages.items():
        body = Client().get(page).content.decode()
        assert "when nobody plays these cards in a tournament any more" in body
        assert told not in body
    assert not BestResult.objects.exists()
    over(other)
    for page, told in pages.items():
        assert told in Client().get(page).content.decode()


def test_who_pastes_a_deal_takes_no_review_away_from_a_real_competition() -> None:
    tournament = new_tournament(holes=1)
    entry = new_entry(tournament)
    play_hole(entry, 1)
    code = GameCode.parse(over(tournament).holes.get().deal_code)
    new_tournament(codes=[code], holes=1, is_friendly=True)
    page = reverse("hole_replay", args=[tournament.slug, entry.pk, 1])
    assert "What was possible</h2>" in Client().get(page).content.decode()
    page = reverse("tournament_figures", args=[tournament.slug])
    assert "Best possible, all holes" in Client().get(page).content.decode()


def test_a_deal_that_a_room_races_is_not_looked_into() -> None:
    player, code = new_player(), GameCode(1, EASY, 77)
    game = play(games_services.new_practice_game(player=player, code=code), "g")
    assert analysis.is_open(game=game)
    race = racing.start(racing.new_room(codes=(code,)))
    assert not analysis.is_open(game=game)
    racing.finish_hole(race)
    assert analysis.is_open(game=game)
