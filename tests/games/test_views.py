"""The pages of players and their games."""

import re
from typing import Any, ClassVar

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games import journal, services
from games.engine import GameCode, RuleSet
from games.models import Game, Player

from .factories import PUBLISHED, PUBLISHED_LINE, new_game, new_player

pytestmark = pytest.mark.django_db


def client_of(player: Player) -> Client:
    client = Client()
    client.force_login(player)
    return client


def finish(game: Game, actions: str = PUBLISHED_LINE) -> Game:
    rows = [
        journal.Row(game_id=game.pk, turn=turn, action=action, ms=1000 * (turn + 1))
        for turn, action in enumerate(actions)
    ]
    assert journal.write(rows) == [True] * len(rows)
    return services.refresh_figures(game_id=game.pk)


def player_of(client: Client) -> Player | None:
    return Player.objects.filter(pk=client.session.get("_auth_user_id")).first()


def errors_of(response: Any) -> list[str]:
    """The complaints that a page shows at its fields."""
    assert response.status_code == 200
    lists = re.findall(r'<ul class="errors"[^>]*>(.*?)</ul>', response.content.decode(), re.DOTALL)
    return [text for found in lists for text in re.findall(r"<li>(.*?)</li>", found)]


class TestGuest:
    def test_a_nickname_is_enough(self, client: Client) -> None:
        response = client.post(reverse("guest"), {"name": " Aino "})
        assert (response.status_code, response["Location"]) == (302, reverse("home"))
        player = player_of(client)
        assert player is not None
        assert (player.name, player.is_guest, player.has_usable_password()) == ("Aino", True, False)

    def test_goes_straight_to_a_game(self, client: Client) -> None:
        response = client.post(reverse("guest"), {"name": "Aino", "deal": "1"})
        game = Game.objects.get(player=player_of(client))
        assert response["Location"] == reverse("game", args=[game.public_id])
        assert game.rules == RuleSet()

    def test_goes_where_it_was_going(self, client: Client) -> None:
        response = client.post(reverse("guest"), {"name": "Aino", "next": "/practice/?a=1"})
        assert response["Location"] == "/practice/?a=1"

    @pytest.mark.parametrize(
        "next_url", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil"]
    )
    def test_never_leaves_the_site(self, client: Client, next_url: str) -> None:
        response = client.post(reverse("guest"), {"name": "Aino", "next": next_url})
        assert response["Location"] == reverse("home")

    def test_whoever_is_logged_in_stays_who_he_is(self) -> None:
        guest = new_player()
        client = client_of(guest)
        client.post(reverse("guest"), {"name": "Somebody else", "deal": "1"})
        assert player_of(client) == guest
        assert Game.objects.get().player == guest
        assert Player.objects.count() == 1

    def test_a_bad_name_is_explained_on_a_page_that_keeps_the_way(self, client: Client) -> None:
        response = client.post(
            reverse("guest"), {"name": "\u202eonia", "next": "/practice/", "deal": "1"}
        )
        assert errors_of(response) == [
            "Please leave out control characters and marks that turn the direction of text."
        ]
        page = response.content.decode()
        assert '<input type="hidden" name="next" value="/practice/">' in page
        assert '<input type="hidden" name="deal" value="1">' in page
        assert Player.objects.count() == 0

    def test_is_no_link(self, client: Client) -> None:
        response = client.get(reverse("guest"))
        assert (response.status_code, response["Location"]) == (302, reverse("login"))

    def test_needs_the_token_of_the_form(self) -> None:
        client = Client(enforce_csrf_checks=True)
        response = client.post(reverse("guest"), {"name": "Aino"})
        assert response.status_code == 403
        assert "That page was too old" in response.content.decode()
        assert Player.objects.count() == 0


class TestWaysIn:
    @pytest.mark.parametrize("name", ["practice", "my_games", "password_change"])
    def test_a_page_of_ones_own_asks_who_is_playing(self, client: Client, name: str) -> None:
        response = client.get(reverse(name), follow=True)
        assert response.redirect_chain == [(f"{reverse('login')}?next={reverse(name)}", 302)]
        page = response.content.decode()
        # As a guest, with an account, and by signing up: all three go on to the page.
        assert page.count(f'<input type="hidden" name="next" value="{reverse(name)}">') == 2
        assert f'href="{reverse("signup")}?next={reverse(name)}"' in page
        assert f'action="{reverse("guest")}"' in page

    def test_log_in_goes_on(self, client: Client) -> None:
        services.sign_up(username="aino", name="Aino", password="seven columns")
        response = client.post(
            reverse("login"),
            {"username": "aino", "password": "seven columns", "next": reverse("practice")},
        )
        assert response["Location"] == reverse("practice")

    def test_log_in_never_leaves_the_site(self, client: Client) -> None:
        services.sign_up(username="aino", name="Aino", password="seven columns")
        response = client.post(
            reverse("login"),
            {"username": "aino", "password": "seven columns", "next": "https://evil.example/"},
        )
        assert response["Location"] == reverse("home")

    def test_a_wrong_password_tells_nothing_more(self, client: Client) -> None:
        services.sign_up(username="aino", name="Aino", password="seven columns")
        wrong = client.post(reverse("login"), {"username": "aino", "password": "eight"})
        unknown = client.post(reverse("login"), {"username": "nobody", "password": "eight"})
        message = "That user name and password do not go together."
        for response in (wrong, unknown):
            assert response.content.decode().count(message) == 1

    def test_a_member_logs_out_at_once(self) -> None:
        client = client_of(services.sign_up(username="a", name="A", password="seven columns"))
        response = client.post(reverse("logout"))
        assert response["Location"] == reverse("home")
        assert player_of(client) is None

    def test_a_guest_is_asked_before_he_is_gone_for_good(self) -> None:
        guest = new_player()
        client = client_of(guest)
        assert f'href="{reverse("logout")}"' in client.get(reverse("home")).content.decode()
        page = client.get(reverse("logout")).content.decode()
        assert "Leave for good?" in page
        assert player_of(client) == guest
        client.post(reverse("logout"))
        assert player_of(client) is None


class TestSignUp:
    FIELDS: ClassVar[dict[str, str]] = {
        "username": "aino",
        "name": "Aino",
        "password": "seven columns",
    }

    def test_makes_an_account_and_goes_on(self, client: Client) -> None:
        response = client.post(reverse("signup"), {**self.FIELDS, "next": "/practice/"})
        assert response["Location"] == "/practice/"
        player = player_of(client)
        assert player is not None
        assert (player.username, player.name, player.is_guest) == ("aino", "Aino", False)
        assert player.check_password("seven columns")

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("username", "ai no", "Enter a valid username."),
            ("username", "taken", "This user name is taken, or looks like one that is."),
            ("password", "short", "This password is too short."),
            ("password", "8274619350274", "This password is entirely numeric."),
            ("name", "", "Please choose a name."),
            ("name", "a\u2067b", "Please leave out control characters"),
        ],
    )
    def test_says_what_is_wrong_where(
        self, client: Client, field: str, value: str, message: str
    ) -> None:
        services.sign_up(username="taken", name="T", password="seven columns")
        response = client.post(reverse("signup"), {**self.FIELDS, field: value})
        errors = errors_of(response)
        assert [error[: len(message)] for error in errors] == [message]
        assert f'id="id_{field}_error"' in response.content.decode()
        assert Player.objects.count() == 1

    def test_shows_no_password_again(self, client: Client) -> None:
        response = client.post(reverse("signup"), {**self.FIELDS, "name": ""})
        assert "seven columns" not in response.content.decode()

    def test_a_password_can_be_changed(self) -> None:
        player = services.sign_up(**self.FIELDS)
        response = client_of(player).post(
            reverse("password_change"),
            {
                "old_password": "seven columns",
                "new_password1": "sixteen in stock",
                "new_password2": "sixteen in stock",
            },
        )
        assert response["Location"] == reverse("account")
        player.refresh_from_db()
        assert player.check_password("sixteen in stock")


class TestPractice:
    @pytest.mark.parametrize("letter", ["E", "C", "S"])
    def test_deals_under_a_named_rule_set(self, letter: str) -> None:
        client = client_of(new_player())
        response = client.post(reverse("practice"), {"rule_set": letter})
        game = Game.objects.get()
        assert response["Location"] == reverse("game", args=[game.public_id])
        assert game.rules == RuleSet.parse(letter)
        assert (game.undo_allowed, game.hints_allowed, game.is_secret) == (True, True, False)

    def test_deals_a_pasted_code(self) -> None:
        client = client_of(new_player())
        client.post(reverse("practice"), {"rule_set": "code", "code": "go1eaaaaaab"})
        assert Game.objects.get().deal_code == "GO1-E-AAAAAAB"

    def test_deals_under_rules_of_ones_own(self) -> None:
        client = client_of(new_player())
        client.post(reverse("practice"), {"rule_set": "custom", "jokers": "1", "waste": "empty"})
        assert Game.objects.get().rules == RuleSet(jokers=1, waste="empty")

    def test_says_what_is_wrong_with_a_code(self) -> None:
        client = client_of(new_player())
        response = client.post(reverse("practice"), {"rule_set": "code", "code": "GO1-E-AAA"})
        assert errors_of(response) == ["The number at the end has too few or too many characters."]
        assert Game.objects.count() == 0


class TestBoard:
    def test_shows_the_code_and_the_way_to_the_cards(self) -> None:
        game = new_game()
        response = client_of(game.player).get(reverse("game", args=[game.public_id]))
        page = response.content.decode()
        assert f'data-socket="/ws/games/{game.public_id}/"' in page
        assert "GO1-E-AAAAAAB" in page
        assert reverse("game_repeat", args=[game.public_id]) in page

    def test_is_nobody_elses(self) -> None:
        game = new_game()
        for address in ("game", "game_moves"):
            response = client_of(new_player()).get(reverse(address, args=[game.public_id]))
            assert response.status_code == 404
        response = client_of(new_player()).post(reverse("game_repeat", args=[game.public_id]))
        assert response.status_code == 404
        assert Game.objects.count() == 1

    def test_keeps_a_secret(self) -> None:
        code = GameCode.secret(RuleSet(), 12345)
        game = services.new_competition_game(
            player=new_player(), code=code, closes_at=timezone.now(), undo=False, hints=False
        )
        client = client_of(game.player)
        page = client.get(reverse("game", args=[game.public_id])).content.decode()
        assert code.text not in page
        assert code.text.rpartition("-")[2] not in page
        assert "repeat" not in page
        assert code.text not in client.get(reverse("my_games")).content.decode()
        assert client.get(reverse("game_moves", args=[game.public_id])).status_code == 404
        assert client.post(reverse("game_repeat", args=[game.public_id])).status_code == 404
        assert Game.objects.count() == 1

    def test_can_be_played_again_on_the_same_cards(self) -> None:
        game = new_game()
        response = client_of(game.player).post(reverse("game_repeat", args=[game.public_id]))
        again = Game.objects.exclude(pk=game.pk).get()
        assert response["Location"] == reverse("game", args=[again.public_id])
        assert (again.player, again.deal_code, again.turn) == (game.player, PUBLISHED.text, 0)

    def test_is_no_link_but_leads_to_the_game(self) -> None:
        """A log-in that was asked for in between comes back by a link."""
        game = new_game()
        address = reverse("game_repeat", args=[game.public_id])
        response = client_of(game.player).get(address)
        assert response["Location"] == reverse("game", args=[game.public_id])
        assert client_of(new_player()).get(address).status_code == 404
        assert Game.objects.count() == 1


class TestMyGames:
    def test_says_what_to_do_when_there_is_none(self) -> None:
        page = client_of(new_player()).get(reverse("my_games")).content.decode()
        assert "No games yet" in page
        assert f'<a class="button primary" href="{reverse("practice")}">' in page

    def test_lists_state_and_figures(self) -> None:
        game = finish(new_game())
        going_on = new_game(game.player)
        other = new_game()
        page = client_of(game.player).get(reverse("my_games")).content.decode()
        rows = re.findall(r'<li class="panel game-row">(.*?)</li>', page, re.DOTALL)
        assert len(rows) == 2
        newest, oldest = (re.sub(r"<[^>]*>|\s+", " ", row) for row in rows)
        assert "in play" in newest
        assert "Continue" in newest
        figures = re.sub(r"\s+", " ", oldest)
        assert "Strokes 0 To par \N{MINUS SIGN}5 Score 350 Moves 48 Time 0:47" in figures
        assert "cleared" in figures
        assert f'href="{reverse("game", args=[going_on.public_id])}"' in rows[0]
        assert f'href="{reverse("game_moves", args=[game.public_id])}"' in rows[1]
        assert other.public_id not in page

    @pytest.mark.parametrize("count", [1, 3])
    def test_asks_the_database_as_often_for_many(
        self, count: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        player = new_player()
        for _ in range(count):
            finish(new_game(player))
        client = client_of(player)
        # The session, the player, how many games there are, the games of the page.
        with django_assert_num_queries(4):
            client.get(reverse("my_games"))

    def test_has_pages(self) -> None:
        player = new_player()
        games = [new_game(player) for _ in range(31)]
        client = client_of(player)
        first = client.get(reverse("my_games")).content.decode()
        second = client.get(reverse("my_games"), {"page": "2"}).content.decode()
        assert [game.public_id in first for game in games] == [False] + [True] * 30
        assert [game.public_id in second for game in games] == [True] + [False] * 30
        assert "Page 1 of 2" in first


class TestMoves:
    def test_tells_the_whole_game(self) -> None:
        game = finish(new_game(), "d52ug")
        page = client_of(game.player).get(reverse("game_moves", args=[game.public_id]))
        table = page.content.decode().partition("<tbody>")[2]
        rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL)
        told = [re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", row)).strip() for row in rows]
        assert told == [
            "1 draw: 8 of spades – 0:01",
            "2 column 5: 9 of clubs – 0:02",
            "3 column 2: 8 of clubs – 0:03",
            "4 undo – 0:04",
            "5 given up cost 34 strokes 0:05",
        ]

    def test_waits_for_the_end(self) -> None:
        game = new_game()
        response = client_of(game.player).get(reverse("game_moves", args=[game.public_id]))
        assert response["Location"] == reverse("game", args=[game.public_id])


def test_names_are_text_everywhere(client: Client) -> None:
    client.post(reverse("guest"), {"name": "<img src=x onerror=alert(1)>"})
    for name in ("home", "practice", "my_games", "logout"):
        page = client.get(reverse(name)).content.decode()
        assert "<img" not in page
        assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_no_page_carries_a_script_or_a_style_of_its_own() -> None:
    game = finish(new_game())
    client = client_of(game.player)
    pages = [
        *(reverse(name) for name in ("home", "practice", "my_games", "login", "signup")),
        reverse("game", args=[game.public_id]),
        reverse("game_moves", args=[game.public_id]),
    ]
    for address in pages:
        page = client.get(address).content.decode()
        inline = [
            tag
            for tag in re.findall(r"<script[^>]*>", page)
            if "src=" not in tag and 'type="application/json"' not in tag
        ]
        assert inline == []
        assert re.findall(r"<style|\sstyle=|\son[a-z]+=|https?://", page) == []
