"""Ghosts: what is told of a finished game to who races it, and who may."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import ghosts, selectors, services
from games.engine import GameCode, Play
from games.models import Game, Player

from .factories import PUBLISHED, PUBLISHED_LINE, new_game, new_player
from .test_share import shared
from .test_views import client_of, finish

pytestmark = pytest.mark.django_db
LOST = "can no longer be seen"


def told(response: Any) -> dict[str, Any] | None:
    """The ghost that a page of a board gives its script."""
    body = response.content.decode()
    found = re.search(r'<script id="ghost" type="application/json">(.*?)</script>', body)
    return None if found is None else json.loads(unescape(found[1]))


class TestFigures:
    def test_they_are_the_engines_at_each_time(self) -> None:
        actions = "dh52u2dg"
        game = finish(new_game(), actions)
        play = Play(PUBLISHED.deal(), PUBLISHED.rules)
        expected = [(0, 35, 16, 0, 35)]
        for turn, action in enumerate(actions):
            play.act(action)
            figures = (play.left, play.stock_left, play.streak, play.strokes)
            expected.append((1000 * turn, *figures))
        ghost = ghosts.of(game)
        assert list(ghost.moments) == expected
        assert expected[-1] == (7000, 33, 14, 0, 33)
        assert ghost.name == str(game.player)

    def test_the_time_begins_with_the_first_action(self) -> None:
        game = finish(new_game(), "d5g")
        for turn, ms in enumerate((5000, 5300, 9000)):
            game.moves.filter(turn=turn).update(ms=ms)
        Game.objects.filter(pk=game.pk).update(feed="a race")
        moments = ghosts.of(Game.objects.get(pk=game.pk)).moments
        assert [moment.ms for moment in moments] == [0, 0, 300, 4000]

    def test_no_card_and_no_column_is_told(self) -> None:
        data = ghosts.of(finish(new_game())).data()
        assert json.loads(json.dumps(data)) == data
        assert set(data) == {"name", "moments"}
        assert {key for moment in data["moments"] for key in moment} == {
            "ms", "left", "stock", "streak", "strokes",
        }  # fmt: skip
        assert all(
            isinstance(value, int) for moment in data["moments"] for value in moment.values()
        )

    def test_a_hole_that_a_deadline_closed_has_one(self) -> None:
        player = new_player()
        game = services.new_competition_game(
            player=player, code=PUBLISHED, closes_at=timezone.now(), undo=False, hints=False
        )
        services.start_clock(game_id=game.pk)
        services.close_game(game_id=game.pk)
        Game.objects.filter(pk=game.pk).update(is_secret=False)
        moments = ghosts.of(Game.objects.get(pk=game.pk)).moments
        assert [moment.left for moment in moments] == [35, 35]

    @pytest.mark.parametrize(
        "change",
        [{"is_secret": True}, {"finished_at": None}, {"given": 2}, {"damaged_at": timezone.now()}],
    )
    def test_other_games_have_none(self, change: dict[str, Any]) -> None:
        game = finish(new_game())
        for name, value in change.items():
            setattr(game, name, value)
        assert not ghosts.is_raceable(game)
        with pytest.raises(ValueError, match="no ghost"):
            ghosts.of(game)


class TestOwn:
    def test_the_same_cards_are_dealt_and_the_board_has_the_ghost(self) -> None:
        game = finish(new_game())
        client = client_of(game.player)
        page = client.get(reverse("game_moves", args=[game.public_id])).content.decode()
        address = reverse("game_ghost", args=[game.public_id])
        assert f'action="{address}"' in page
        response = client.post(address)
        made = Game.objects.exclude(pk=game.pk).get()
        assert (made.player, made.deal_code, made.given) == (game.player, game.deal_code, 0)
        assert (made.is_secret, made.closes_at) == (False, None)
        board = reverse("game", args=[made.public_id])
        assert response["Location"] == f"{board}?ghost={game.public_id}"
        response = client.get(response["Location"])
        assert told(response) == ghosts.of(game).data()
        body = response.content.decode()
        assert "Practice against a ghost: it counts nowhere." in body
        # Another try is one against the ghost, too.
        assert f'action="{address}"' in body
        assert reverse("game_repeat", args=[made.public_id]) not in body
        assert told(client.get(board)) is None

    def test_a_game_that_has_none_is_not_offered_nor_dealt(self) -> None:
        player = new_player()
        running = new_game(player)
        client = client_of(player)
        assert client.post(reverse("game_ghost", args=[running.public_id])).status_code == 404
        given = finish(new_game(player), "dg")
        Game.objects.filter(pk=given.pk).update(given=1)
        page = client.get(reverse("game_moves", args=[given.public_id])).content.decode()
        assert "Race this ghost" not in page
        assert client.post(reverse("game_ghost", args=[given.public_id])).status_code == 404
        assert Game.objects.count() == 2

    def test_a_link_shows_the_game(self) -> None:
        game = finish(new_game())
        address = reverse("game_ghost", args=[game.public_id])
        response = client_of(game.player).get(address)
        assert response["Location"] == reverse("game", args=[game.public_id])
        assert Client().post(address)["Location"].startswith(reverse("login"))

    def test_nobody_races_the_game_of_another_that_is_not_shared(self) -> None:
        game = finish(new_game())
        own = new_game()
        client = client_of(own.player)
        assert client.post(reverse("game_ghost", args=[game.public_id])).status_code == 404
        response = client.get(reverse("game", args=[own.public_id]), {"ghost": game.public_id})
        assert told(response) is None
        assert LOST in response.content.decode()

    @pytest.mark.parametrize("key", ["", "nothing", "\0", "x" * 500])
    def test_whatever_is_in_the_address_the_board_is_there(self, key: str) -> None:
        game = new_game()
        response = client_of(game.player).get(
            reverse("game", args=[game.public_id]), {"ghost": key}
        )
        assert response.status_code == 200
        assert told(response) is None
        assert LOST in response.content.decode()

    def test_a_ghost_of_other_cards_is_none(self) -> None:
        player = new_player()
        code = GameCode.parse("GO1-C-AAAAAAB")  # the same cards under other rules
        other = services.new_practice_game(player=player, code=code)
        services.start_clock(game_id=other.pk)
        other = finish(other, "g")
        game = new_game(player)
        response = client_of(player).get(
            reverse("game", args=[game.public_id]), {"ghost": other.public_id}
        )
        assert told(response) is None
        assert LOST in response.content.decode()

    def test_a_hole_of_a_competition_has_no_ghost_beside_it(self) -> None:
        player = new_player()
        ghost = finish(new_game(player))
        hole = services.new_competition_game(
            player=player, code=PUBLISHED, closes_at=None, undo=False, hints=False
        )
        response = client_of(player).get(
            reverse("game", args=[hole.public_id]), {"ghost": ghost.public_id}
        )
        assert told(response) is None


class TestShared:
    def test_a_stranger_becomes_a_guest_and_races(self) -> None:
        game = shared()
        client = Client()
        page = reverse("share", args=[game.share_token])
        address = reverse("share_ghost", args=[game.share_token])
        assert f'formaction="{address}"' in client.get(page).content.decode()
        assert client.get(address)["Location"] == page
        assert client.post(address, {"name": ""}).status_code == 200
        assert Game.objects.count() == 1
        response = client.post(address, {"name": "Aino"})
        made = Game.objects.get(player__name="Aino")
        board = reverse("game", args=[made.public_id])
        assert response["Location"] == f"{board}?ghost={game.share_token}"
        assert made.deal_code == game.deal_code
        assert selectors.actions_of(game_id=made.pk) == ""
        response = client.get(response["Location"])
        assert told(response) == ghosts.of(game).data()
        assert f'action="{address}"' in response.content.decode()

    def test_it_is_gone_when_sharing_ends(self) -> None:
        game = shared()
        token, player = game.share_token, new_player()
        client = client_of(player)
        place = client.post(reverse("share_ghost", args=[token]))["Location"]
        services.stop_sharing(game=game)
        response = client.get(place)
        assert told(response) is None
        assert LOST in response.content.decode()
        assert client.post(reverse("share_ghost", args=[token])).status_code == 404
        assert Player.objects.filter(pk=player.pk).get().games.count() == 1


def test_a_won_ghost_ends_with_nothing_left() -> None:
    last = ghosts.of(finish(new_game(), PUBLISHED_LINE)).moments[-1]
    assert (last.left, last.strokes) == (0, 0)
    assert last.ms == 1000 * (len(PUBLISHED_LINE) - 1)
