"""Sharing a finished game: who may, who sees it, and what the link shows."""

import re
from html import unescape
from io import BytesIO
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image
from pytest_django import DjangoAssertNumQueries

from games import services, sharing
from games.engine import EASY, GameCode
from games.models import Game, Player

from .factories import PUBLISHED, PUBLISHED_LINE, new_game, new_player
from .test_views import client_of, finish

pytestmark = pytest.mark.django_db
SECRET = GameCode.secret(EASY, 2**127 + 777)


def shared(actions: str = PUBLISHED_LINE, player: Player | None = None) -> Game:
    return services.share_game(game=finish(new_game(player), actions))


def secret_game(player: Player) -> Game:
    game = services.new_competition_game(
        player=player, code=SECRET, closes_at=timezone.now(), undo=False, hints=False
    )
    services.start_clock(game_id=game.pk)
    return services.close_game(game_id=game.pk)


def addresses(game: Game) -> tuple[str, str]:
    return reverse("share", args=[game.share_token]), reverse(
        "share_picture", args=[game.share_token]
    )


def meta(response: Any) -> dict[str, str]:
    found = re.findall(
        r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"',
        response.content.decode(),
    )
    return {name: unescape(content) for name, content in found}


class TestPermission:
    def test_the_player_makes_the_link(self) -> None:
        player = new_player()
        game = finish(new_game(player))
        client = client_of(player)
        response = client.post(reverse("game_share", args=[game.public_id]))
        assert response["Location"] == reverse("game_moves", args=[game.public_id]) + "#share"
        game.refresh_from_db()
        assert game.share_token is not None
        page = client.get(reverse("game_moves", args=[game.public_id])).content.decode()
        assert f'value="http://testserver/share/{game.share_token}/"' in page
        assert Client().get(addresses(game)[0]).status_code == 200

    def test_pressing_twice_changes_nothing(self) -> None:
        game = shared()
        token = game.share_token
        client_of(game.player).post(reverse("game_share", args=[game.public_id]))
        game.refresh_from_db()
        assert game.share_token == token

    def test_nothing_is_shared_by_itself(self) -> None:
        game = finish(new_game())
        assert game.share_token is None
        client = client_of(game.player)
        page = client.get(reverse("game_moves", args=[game.public_id])).content.decode()
        assert f'action="{reverse("game_share", args=[game.public_id])}"' in page
        assert "/share/" not in page.replace(reverse("game_share", args=[game.public_id]), "")
        # The game's own id is no way in.
        assert Client().get(f"/share/{game.public_id}/").status_code == 404

    def test_nobody_shares_the_game_of_another(self) -> None:
        game = finish(new_game())
        for name in ("game_share", "game_stop_sharing"):
            address = reverse(name, args=[game.public_id])
            assert client_of(new_player()).post(address).status_code == 404
            assert Client().post(address)["Location"].startswith(reverse("login"))
            # Whoever comes back from a log-in comes by a link.
            response = client_of(game.player).get(address)
            assert response["Location"] == reverse("game", args=[game.public_id])
        game.refresh_from_db()
        assert game.share_token is None

    def test_a_game_in_play_is_not_shared(self) -> None:
        game = new_game()
        client = client_of(game.player)
        response = client.post(reverse("game_share", args=[game.public_id]))
        assert response["Location"] == reverse("game", args=[game.public_id])
        game.refresh_from_db()
        assert game.share_token is None

    def test_a_secret_game_is_not_shared_before_the_reveal(self) -> None:
        game = secret_game(new_player())
        client, address = client_of(game.player), reverse("game_share", args=[game.public_id])
        assert client.post(address).status_code == 404
        services.reveal_games(game_ids=[game.pk])
        assert client.post(address).status_code == 302
        game.refresh_from_db()
        assert Client().get(addresses(game)[0]).status_code == 200

    def test_the_services_refuse_it_too(self) -> None:
        for game in (new_game(), secret_game(new_player())):
            with pytest.raises(ValueError, match="finished game with open cards"):
                services.share_game(game=game)

    def test_and_so_does_the_database(self) -> None:
        for game in (new_game(), secret_game(new_player())):
            with pytest.raises(IntegrityError), transaction.atomic():
                Game.objects.filter(pk=game.pk).update(share_token="abc")

    def test_a_link_that_was_taken_back_is_gone_for_good(self) -> None:
        game = shared()
        old = addresses(game)
        client_of(game.player).post(reverse("game_stop_sharing", args=[game.public_id]))
        assert [Client().get(address).status_code for address in old] == [404, 404]
        game.refresh_from_db()
        assert addresses(services.share_game(game=game)) != old
        assert [Client().get(address).status_code for address in old] == [404, 404]


class TestPage:
    def test_shows_how_the_game_ended(self, client: Client) -> None:
        game = shared(PUBLISHED_LINE[:30] + "g")
        response = client.get(addresses(game)[0])
        page = response.content.decode()
        assert "14 cards left on the table" in page
        assert f"<bdi>{game.player}</bdi>" in page
        # 14 cards, the stock and the waste; in the deal that is told 52 more.
        assert page.count('<span class="card ') == 14 + 2
        assert page.count('<span class="card"') == 52
        figures = re.findall(r"<dt>([^<]+)</dt><dd>(.*?)</dd>", page)
        assert [(name, re.sub("<[^>]+>", "", text)) for name, text in figures][:3] == [
            ("To par", "+9"),
            ("Strokes", "14"),
            ("Score", "70"),
        ]

    def test_hides_the_moves_from_who_wants_to_play(self, client: Client) -> None:
        page = client.get(addresses(shared())[0]).content.decode()
        before, _, inside = page.partition('<details class="spoiler">')
        assert "column 5: 9 of clubs" in inside
        assert "column 5: 9 of clubs" not in before

    def test_is_kept_by_nobody_and_found_by_no_search(self, client: Client) -> None:
        response = client.get(addresses(shared())[0])
        assert "no-store" in response["Cache-Control"]
        assert '<meta name="robots" content="noindex">' in response.content.decode()

    def test_the_link_shows_a_picture_elsewhere(self, client: Client) -> None:
        game = shared()
        page, picture = addresses(game)
        response = client.get(page, headers={"host": "localhost:8000"})
        assert meta(response) == {
            "og:type": "website",
            "og:site_name": "Golf Solitaire",
            "og:title": f"{game.player}: All cards cleared",
            "og:description": "Golf solitaire (Easy): −5 against par, score 350. "
            "Play the same cards and do better.",
            "og:url": f"http://localhost:8000{page}",
            "og:image": f"http://localhost:8000{picture}",
            "og:image:type": "image/png",
            "og:image:width": "1200",
            "og:image:height": "630",
            "og:image:alt": "The table at the end of the game: All cards cleared.",
            "twitter:card": "summary_large_image",
        }

    def test_names_are_escaped(self, client: Client) -> None:
        game = shared(player=services.create_guest(name='"><script>alert(1)</script>'))
        page = client.get(addresses(game)[0]).content.decode()
        assert "<script>alert" not in page
        assert page.count("&lt;script&gt;alert(1)") >= 3

    @pytest.mark.parametrize("actions", [PUBLISHED_LINE, "ddg"])
    def test_takes_the_same_queries_whatever_was_played(
        self, client: Client, django_assert_num_queries: DjangoAssertNumQueries, actions: str
    ) -> None:
        address = addresses(shared(actions))[0]
        with django_assert_num_queries(3):  # the game with its player, its moves twice
            client.get(address)


class TestPicture:
    def test_is_the_finished_table(self, client: Client) -> None:
        response = client.get(addresses(shared())[1])
        assert response["Content-Type"] == "image/png"
        assert Image.open(BytesIO(response.content)).size == (1200, 630)

    def test_may_be_kept_for_ever(self, client: Client) -> None:
        control = client.get(addresses(shared())[1])["Cache-Control"]
        assert set(control.split(", ")) == {"public", "max-age=31536000", "immutable"}

    def test_holds_the_cards_and_the_figures_of_the_game(self) -> None:
        picture = sharing.picture_of(shared(PUBLISHED_LINE[:30] + "g"))
        assert picture.columns == (
            ("6C", "5S"), ("2S", "KC"), ("TC", "AH", "2D"), ("3D",), ("JH",), ("TH", "4H"),
            ("3S", "7S", "3H"),
        )  # fmt: skip
        assert picture.pile[:4] == ("AC", "8S", "9C", "8C")
        assert picture.pile[-1] == "2H"
        assert len(picture.pile) == 31
        assert (picture.stock_left, picture.strokes, picture.to_par, picture.app_score) == (
            7,
            14,
            9,
            70,
        )
        assert picture.code == "GO1-E-AAAAAAB"

    def test_leaves_out_what_was_taken_back(self) -> None:
        assert sharing.picture_of(shared("d5uhudg")) == sharing.picture_of(shared("dg"))

    def test_there_is_none_for_a_game_that_is_not_shared(self, client: Client) -> None:
        for token in ("aaaaaaaaaaaaaaaa", finish(new_game()).public_id):
            response = client.get(reverse("share_picture", args=[token]))
            assert response.status_code == 404
            assert "There is nothing here" in response.content.decode()


class TestPlayThisDeal:
    def test_a_visitor_becomes_a_guest_and_gets_the_same_cards(self, client: Client) -> None:
        game = shared()
        response = client.post(reverse("share_play", args=[game.share_token]), {"name": "Boris"})
        dealt = Game.objects.exclude(pk=game.pk).get()
        assert response["Location"] == reverse("game", args=[dealt.public_id])
        assert (dealt.player.name, dealt.player.is_guest) == ("Boris", True)
        assert dealt.deal_code == PUBLISHED.text
        assert client.get(response["Location"]).status_code == 200

    def test_a_player_stays_who_he_is(self) -> None:
        game, player = shared(), new_player()
        client_of(player).post(reverse("share_play", args=[game.share_token]))
        assert Game.objects.exclude(pk=game.pk).get().player == player

    def test_a_competition_deal_after_the_reveal(self) -> None:
        game = secret_game(new_player())
        services.reveal_games(game_ids=[game.pk])
        game.refresh_from_db()
        services.share_game(game=game)
        client_of(new_player()).post(reverse("share_play", args=[game.share_token]))
        dealt = Game.objects.exclude(pk=game.pk).get()
        assert (dealt.deal_code, dealt.is_secret, dealt.undo_allowed) == (SECRET.text, False, True)

    def test_a_bad_name_is_explained(self, client: Client) -> None:
        game = shared()
        response = client.post(reverse("share_play", args=[game.share_token]), {"name": " "})
        assert "Please choose a name." in response.content.decode()
        assert Game.objects.count() == 1

    def test_needs_a_shared_game_and_a_form(self, client: Client) -> None:
        game = shared()
        address = reverse("share_play", args=[game.share_token])
        assert client.get(address)["Location"] == reverse("share", args=[game.share_token])
        assert Client(enforce_csrf_checks=True).post(address).status_code == 403
        services.stop_sharing(game=game)
        assert client.post(address, {"name": "Boris"}).status_code == 404
        assert Player.objects.count() == 1


def test_the_board_offers_to_share_practice_only() -> None:
    player = new_player()
    client = client_of(player)
    game, competition = new_game(player), secret_game(player)
    for each, offered in ((game, 1), (competition, 0)):
        page = client.get(reverse("game", args=[each.public_id])).content.decode()
        assert page.count(reverse("game_share", args=[each.public_id])) == offered
