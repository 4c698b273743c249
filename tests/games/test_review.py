"""The review of a finished game, and practice from its positions."""

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import IntegrityError, transaction
from django.urls import reverse

from games import analysis, review, selectors, services, solving
from games.engine import Cost, GameCode, Play, solver
from games.models import Game

from .factories import PUBLISHED, PUBLISHED_LINE, new_game, new_player
from .test_views import client_of, finish

pytestmark = pytest.mark.django_db

#: Draws away what could be cleared, takes a part of it back, and gives up.
ACTIONS = "dddduddg"


def away(*_: object, **__: object) -> Any:
    raise solving.Unavailable


class TestReview:
    def test_says_what_each_action_cost_and_how_it_is_done(self) -> None:
        game = finish(new_game(), ACTIONS)
        found = review.of(game=game)
        course = solver.solve_line(PUBLISHED.deal(), PUBLISHED.rules, ACTIONS)
        assert (found.strokes, found.fewest, found.lost) == (35, 0, 35)
        assert sum(step.cost.strokes for step in found.told.steps if step.cost) == 35
        assert found.lost_at is not None
        assert course[found.lost_at - 1].strokes == 0 < course[found.lost_at].strokes
        best = Play.replay(PUBLISHED.deal(), PUBLISHED.rules, solver_line())
        assert found.line.steps[-1].position.heights == "0000000"
        assert found.line.steps[-1].position.stock == best.stock_left == found.best.stock_left
        assert [step.number for step in found.costly][-1] == len(ACTIONS)

    def test_counts_below_par_where_that_is_played(self) -> None:
        game = finish(new_game(), PUBLISHED_LINE)
        assert game.strokes_below_par == -3
        found = review.of(game=game, below_par=True)
        assert (found.strokes, found.fewest, found.lost) == (-3, -7, 4)
        plain = review.of(game=game)
        assert (plain.strokes, plain.fewest, plain.lost, plain.lost_at) == (0, 0, 0, None)

    def test_words_of_a_cost(self) -> None:
        found = review.of(game=finish(new_game(), ACTIONS))
        step = found.told.steps[0]
        notes = [
            (Cost(0), ""),
            (Cost(1), "cost 1 stroke"),
            (Cost(2), "cost 2 strokes"),
            (Cost(0, 2), "would have cost 2 strokes, but was taken back"),
        ]
        for cost, note in notes:
            told = found.told.with_costs([cost] * len(found.told.steps))
            assert told.steps[0].note == note
        assert told.replay()["steps"][1]["text"] == f"{step.text} · {notes[-1][1]}"

    def test_is_none_of_a_game_that_goes_on_or_is_secret(self) -> None:
        game = new_game()
        with pytest.raises(ValueError, match="goes on"):
            review.of(game=game)
        game = finish(game)
        game.is_secret = True
        with pytest.raises(ValueError, match="secret"):
            review.of(game=game)
        with pytest.raises(ValueError, match="looked into"):
            review.actions_to(game=game, line=review.PLAYED, at=1)


def solver_line() -> str:
    return solver.solve(PUBLISHED.deal(), PUBLISHED.rules).line


class TestPage:
    def test_shows_both_lines_and_the_costs(self) -> None:
        game = finish(new_game(), ACTIONS)
        response = client_of(game.player).get(reverse("game_moves", args=[game.public_id]))
        body = response.content.decode()
        assert 'id="replay-played"' in body
        assert 'id="replay-best"' in body
        assert body.count("<golf-replay") == 2
        assert body.count('id="board-words"') == 1
        found = review.of(game=game)
        assert f"The best result went out of reach with move {found.lost_at}." in body
        assert f'data-lost-at="{found.lost_at}"' in body
        for step in found.costly:
            assert f"Move {step.number} – {step.text}: {step.note}" in body

    def test_leaves_it_out_without_the_solver(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(solving, "solve", away)
        monkeypatch.setattr(solving, "solve_line", away)
        analysis._course.cache_clear()
        game = finish(new_game(), ACTIONS)
        client = client_of(game.player)
        response = client.get(reverse("game_moves", args=[game.public_id]))
        body = response.content.decode()
        assert response.status_code == 200
        assert "cannot be worked out just now" in body
        assert 'id="replay-played"' in body
        assert "What was possible</h2>" not in body
        page = reverse("game_what_if", args=[game.public_id])
        response = client.post(page, {"line": "best", "at": "1"})
        assert response["Location"] == reverse("game_moves", args=[game.public_id])
        assert client.post(page, {"line": "played", "at": "1"})["Location"] != response["Location"]


class TestWhatIf:
    def test_goes_on_from_a_position_as_it_stood(self) -> None:
        game = finish(new_game(), ACTIONS)
        client = client_of(game.player)
        page = reverse("game_what_if", args=[game.public_id])
        client.post(page, {"line": "played", "at": "6"})
        made = Game.objects.filter(player=game.player).first()
        assert made is not None
        assert (made.given, made.is_secret, made.finished_at) == (4, False, None)
        assert made.deal_code == game.deal_code
        assert selectors.actions_of(game_id=made.pk) == "dddd"
        assert (
            selectors.play_of(game=made).text
            == selectors.play_of(game=game, actions=ACTIONS[:6]).text
        )
        assert [move.ms for move in selectors.moves_of(game_id=made.pk)] == [0] * 4
        board = client.get(reverse("game", args=[made.public_id])).content.decode()
        assert "it counts nowhere" in board
        assert reverse("game_share", args=[made.public_id]) not in board
        assert "from a position" in client.get(reverse("my_games")).content.decode()

    def test_goes_on_from_the_best_line(self) -> None:
        game = finish(new_game(), ACTIONS)
        client_of(game.player).post(
            reverse("game_what_if", args=[game.public_id]), {"line": "best", "at": "9"}
        )
        made = Game.objects.filter(player=game.player).first()
        assert made is not None
        assert selectors.actions_of(game_id=made.pk) == solver_line()[:9]

    @pytest.mark.parametrize(
        "asked",
        [
            {"line": "best", "at": "48"},
            {"line": "best", "at": "99"},
            {"line": "played", "at": "-1"},
            {"line": "played", "at": "²"},
            {"line": "other", "at": "1"},
            {},
        ],
    )
    def test_refuses_what_is_no_position_to_play_on_from(self, asked: dict[str, str]) -> None:
        game = finish(new_game(), ACTIONS)
        at_the_end = asked.get("at") == "48"
        if at_the_end:
            asked = {**asked, "at": str(len(solver_line()))}
        response = client_of(game.player).post(
            reverse("game_what_if", args=[game.public_id]), asked
        )
        assert response["Location"] == reverse("game_moves", args=[game.public_id])
        said = [str(message) for message in get_messages(response.wsgi_request)]
        assert said == ["There is nothing left to play from there."]
        assert Game.objects.count() == 1

    def test_of_somebody_elses_game_there_is_none(self) -> None:
        game = finish(new_game(), ACTIONS)
        page = reverse("game_what_if", args=[game.public_id])
        assert client_of(new_player()).post(page, {"line": "played", "at": "1"}).status_code == 404
        response = client_of(game.player).get(page)
        assert response["Location"] == reverse("game_moves", args=[game.public_id])

    def test_cannot_be_shared(self) -> None:
        player = new_player()
        game = services.practise_from(player=player, code=PUBLISHED, actions="d5")
        services.start_clock(game_id=game.pk)
        play_on = selectors.play_of(game=game)
        assert (play_on.turn, play_on.undos) == (2, 0)
        game = services.close_game(game_id=game.pk)
        with pytest.raises(ValueError, match="shared"):
            services.share_game(game=game)
        page = reverse("game_share", args=[game.public_id])
        assert client_of(player).post(page).status_code == 404
        moves = client_of(player).get(reverse("game_moves", args=[game.public_id]))
        assert "Share this game" not in moves.content.decode()

    def test_what_the_rules_forbid_is_no_beginning(self) -> None:
        with pytest.raises(ValueError, match="rank"):
            services.practise_from(player=new_player(), code=PUBLISHED, actions="1")
        with pytest.raises(ValueError, match="nothing is left"):
            services.practise_from(player=new_player(), code=PUBLISHED, actions=PUBLISHED_LINE)
        assert Game.objects.count() == 0

    def test_no_secret_game_begins_so(self) -> None:
        with pytest.raises(IntegrityError), transaction.atomic():
            Game.objects.create(
                player=new_player(), deal_code=PUBLISHED.text, is_secret=True, given=1
            )


def test_a_line_is_told_a_move_a_second() -> None:
    from games import transcript

    told = transcript.of_line(GameCode.parse("GO1-E-AAAAAAB"), "d52")
    assert [(step.number, step.ms) for step in told.steps] == [(1, 0), (2, 1000), (3, 2000)]
