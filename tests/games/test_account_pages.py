"""The pages of one's own account, and what a browser's session knows of it."""

import re
from typing import Any, ClassVar

import pytest
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from games import selectors, services
from games.models import AccountEvent, Game, Player
from tests.games.factories import new_game, new_player
from tests.games.test_views import client_of, errors_of, player_of

pytestmark = pytest.mark.django_db
PASSWORD = "seven columns"
FIELDS = {"username": "aino", "name": "Aino", "password": PASSWORD}
HERE = "203.0.113.7"


def member(username: str = "aino") -> Player:
    return services.sign_up(username=username, name=username.title(), password=PASSWORD)


def text_of(response: Any) -> str:
    """Return what a page says, without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", response.content.decode()))


class TestAccount:
    def test_is_where_ones_name_leads(self) -> None:
        client = client_of(new_player())
        page = client.get(reverse("home")).content.decode()
        assert f'<a class="who" href="{reverse("account")}"' in page

    def test_changes_the_name(self) -> None:
        player = new_player()
        client = client_of(player)
        response = client.post(reverse("account"), {"name": " Σοφία "})
        assert response["Location"] == reverse("account")
        player.refresh_from_db()
        assert player.name == "Σοφία"
        assert "Your name is changed." in client.get(reverse("account")).content.decode()

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("", "Please choose a name."),
            ("x" * 31, "A name has at most 30 characters."),
            ("Bоris", "Please write each word with the letters of one alphabet."),
        ],
    )
    def test_says_what_is_wrong_and_keeps_what_was_typed(self, name: str, message: str) -> None:
        player = new_player()
        response = client_of(player).post(reverse("account"), {"name": name})
        assert errors_of(response) == [message]
        assert f'value="{name}"' in response.content.decode() or not name
        assert Player.objects.get(pk=player.pk).name == player.name

    def test_of_a_member_names_the_user_name_and_the_password(self) -> None:
        page = client_of(member()).get(reverse("account")).content.decode()
        assert '<bdi class="code">aino</bdi>' in page
        assert f'href="{reverse("password_change")}"' in page
        assert reverse("keep_games") not in page

    def test_of_a_guest_offers_to_keep_the_games(self) -> None:
        page = client_of(new_player()).get(reverse("account")).content.decode()
        assert page.count(f'href="{reverse("keep_games")}"') == 1
        assert reverse("password_change") not in page
        assert "guest-" not in page

    def test_changes_the_language(self) -> None:
        client = client_of(new_player())
        page = client.get(reverse("account")).content.decode()
        assert '<option value="fi" lang="fi">Suomi</option>' in page
        client.post(reverse("language"), {"language": "fi", "next": reverse("account")})
        page = client.get(reverse("account")).content.decode()
        assert '<option value="fi" lang="fi" selected>Suomi</option>' in page

    def test_is_a_players(self, client: Client) -> None:
        for name in ("account", "keep_games", "take_over"):
            response = client.get(reverse(name))
            assert response["Location"] == f"{reverse('login')}?next={reverse(name)}"


class TestKeepingTheGames:
    def test_leaves_everything_as_it_is(self) -> None:
        guest = new_player()
        game = new_game(guest)
        client = client_of(guest)
        key = client.session.session_key
        response = client.post(reverse("keep_games"), FIELDS)
        assert response["Location"] == reverse("my_games")
        player = player_of(client)
        assert player is not None
        assert (player.pk, player.username, player.is_guest) == (guest.pk, "aino", False)
        assert client.get(reverse("game", args=[game.public_id])).status_code == 200
        # The sockets of other windows are known by the session's key, and look at it now and then.
        assert client.session.session_key == key
        assert selectors.player_of_session(session_key=key) == guest.pk
        other = Client()
        other.post(reverse("login"), {"username": "AINO", "password": PASSWORD})
        assert player_of(other) == player

    def test_goes_on(self) -> None:
        client = client_of(new_player())
        response = client.post(reverse("keep_games"), {**FIELDS, "next": "/practice/"})
        assert response["Location"] == "/practice/"

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("username", "BORIS", "This user name is taken, or looks like one that is."),
            ("username", "ai no", "Enter a valid username."),
            ("password", "short", "This password is too short."),
            ("name", "", "Please choose a name."),
        ],
    )
    def test_says_what_is_wrong(self, field: str, value: str, message: str) -> None:
        member("boris")
        guest = new_player()
        response = client_of(guest).post(reverse("keep_games"), {**FIELDS, field: value})
        assert [error[: len(message)] for error in errors_of(response)] == [message]
        assert f'id="id_{field}_error"' in response.content.decode()
        assert Player.objects.get(pk=guest.pk).is_guest

    def test_begins_with_the_name_that_the_guest_has(self) -> None:
        guest = new_player()
        page = client_of(guest).get(reverse("keep_games")).content.decode()
        assert f'value="{guest.name}"' in page

    def test_is_for_guests(self) -> None:
        client = client_of(member())
        for response in (client.get(reverse("keep_games")), client.post(reverse("keep_games"))):
            assert response["Location"] == reverse("account")

    def test_is_where_a_guest_signs_up(self) -> None:
        client = client_of(new_player())
        response = client.get(reverse("signup"), {"next": "/practice/"})
        assert response["Location"] == f"{reverse('keep_games')}?next=%2Fpractice%2F"
        assert client.post(reverse("signup"), FIELDS).status_code == 302
        assert Player.objects.filter(is_guest=False).count() == 0

    def test_is_offered_beside_the_games_and_before_leaving(self) -> None:
        client = client_of(new_player())
        for name in ("my_games", "logout", "login"):
            assert f'href="{reverse("keep_games")}"' in client.get(reverse(name)).content.decode()


class TestTakingOver:
    LOG_IN: ClassVar[dict[str, str]] = {"username": "aino", "password": PASSWORD}

    def log_in(self, guest: Player, **fields: str) -> tuple[Client, Any]:
        """Log in as Aino in the browser of a guest."""
        client = client_of(guest)
        return client, client.post(reverse("login"), {**self.LOG_IN, **fields})

    def test_is_offered_after_the_log_in(self) -> None:
        player, guest = member(), new_player()
        new_game(guest), new_game(guest)
        client, response = self.log_in(guest, next="/practice/")
        assert response["Location"] == f"{reverse('take_over')}?next=%2Fpractice%2F"
        page = client.get(response["Location"])
        assert f"as the guest {guest.name} ." in text_of(page)
        assert "<li>2 games</li>" in page.content.decode()
        assert player_of(client) == player
        assert Game.objects.filter(player=player).count() == 0
        assert f'href="{reverse("take_over")}"' in client.get(reverse("account")).content.decode()

    def test_moves_the_games_and_goes_on(self) -> None:
        player, guest = member(), new_player()
        game = new_game(guest)
        client, _response = self.log_in(guest)
        response = client.post(reverse("take_over"), {"next": "/practice/"})
        assert response["Location"] == "/practice/"
        assert list(selectors.games_of(player=player)) == [game]
        assert "1 game is yours now." in client.get(reverse("my_games")).content.decode()
        # It is asked once.
        assert client.get(reverse("take_over"))["Location"] == reverse("my_games")
        assert reverse("take_over") not in client.get(reverse("account")).content.decode()

    def test_can_be_refused(self) -> None:
        player, guest = member(), new_player()
        game = new_game(guest)
        client, _response = self.log_in(guest)
        response = client.post(reverse("take_over"), {"leave": "1"})
        assert response["Location"] == reverse("my_games")
        assert list(selectors.games_of(player=guest)) == [game]
        assert Player.objects.get(pk=guest.pk).is_active
        assert client.post(reverse("take_over")).status_code == 302
        assert selectors.games_of(player=player).count() == 0

    def test_is_not_offered_for_nothing(self) -> None:
        member()
        client, response = self.log_in(new_player())
        assert response["Location"] == reverse("home")
        assert client.get(reverse("take_over"))["Location"] == reverse("my_games")

    def test_is_not_offered_to_anybody_else(self) -> None:
        member()
        guest = new_player()
        new_game(guest)
        client = Client()
        client.post(reverse("login"), self.LOG_IN)
        client.post(reverse("take_over"), {"guest": guest.pk, "guest_before": guest.pk})
        assert selectors.games_of(player=guest).count() == 1

    def test_is_not_offered_between_members(self) -> None:
        member()
        other = member("boris")
        new_game(other)
        client, response = self.log_in(other)
        assert response["Location"] == reverse("home")
        client.post(reverse("take_over"))
        assert selectors.games_of(player=other).count() == 1

    def test_does_nothing_once_the_guest_is_an_account(self) -> None:
        player, guest = member(), new_player()
        new_game(guest)
        client, _response = self.log_in(guest)
        services.become_account(player=guest, username="guest", name="G", password=PASSWORD)
        client.post(reverse("take_over"))
        assert selectors.games_of(player=player).count() == 0

    def test_forgets_the_guest_at_the_log_out(self) -> None:
        player, guest = member(), new_player()
        new_game(guest)
        client, _response = self.log_in(guest)
        client.post(reverse("logout"))
        client.post(reverse("login"), self.LOG_IN)
        client.post(reverse("take_over"))
        assert selectors.games_of(player=player).count() == 0

    @pytest.mark.parametrize("games", [1, 3])
    def test_asks_the_database_as_often_for_many(
        self, games: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        member()
        guest = new_player()
        for _ in range(games):
            new_game(guest)
        client, _response = self.log_in(guest)
        client.get(reverse("take_over"))
        # The session, the player, the guest, his games, his entries.
        with django_assert_num_queries(5):
            client.get(reverse("take_over"))


class TestPasswordLink:
    NEW: ClassVar[dict[str, str]] = {
        "new_password1": "sixteen in stock",
        "new_password2": "sixteen in stock",
    }

    def link(self, player: Player) -> str:
        by = Player.objects.create_superuser("root", password="x", name="Root")
        return services.issue_password_link(player=player, by=by).path

    def test_lets_choose_a_password_once(self, client: Client) -> None:
        player = member()
        path = self.link(player)
        response = client.get(path, follow=True)
        page = response.content.decode()
        # The token is out of the address, and no page keeps it.
        assert path.rstrip("/").rpartition("/")[2] not in response.redirect_chain[-1][0] + page
        assert "Your user name is aino ." in text_of(response)
        assert "no-store" in response["Cache-Control"]
        done = client.post(response.redirect_chain[-1][0], self.NEW, follow=True)
        assert done.redirect_chain == [(reverse("login"), 302)]
        assert "Your password is set. Log in with it." in done.content.decode()
        player.refresh_from_db()
        assert player.check_password("sixteen in stock")
        again = Client().get(path, follow=True)
        assert "This link does not work any more" in again.content.decode()
        assert "new_password1" not in again.content.decode()

    def test_ends_the_sessions_that_knew_the_old_one(self, client: Client) -> None:
        player = member()
        elsewhere = client_of(player)
        path = self.link(player)
        assert player_of(elsewhere) == player
        client.post(client.get(path)["Location"], self.NEW)
        request = HttpRequest()
        request.session = elsewhere.session
        assert get_user(request).is_anonymous

    def test_says_what_is_wrong_and_can_be_tried_again(self, client: Client) -> None:
        player = member()
        address = client.get(self.link(player))["Location"]
        bad = client.post(address, {"new_password1": "short", "new_password2": "short"})
        assert "This password is too short." in errors_of(bad)[0]
        assert client.post(address, self.NEW).status_code == 302
        player.refresh_from_db()
        assert player.check_password("sixteen in stock")

    def test_that_was_used_in_another_window_changes_nothing(self, client: Client) -> None:
        player = member()
        path = self.link(player)
        address = client.get(path)["Location"]
        other = Client()
        other.post(other.get(path)["Location"], self.NEW)
        late = {"new_password1": "another long one", "new_password2": "another long one"}
        response = client.post(address, late)
        assert "This link does not work any more" in response.content.decode()
        player.refresh_from_db()
        assert player.check_password("sixteen in stock")

    def test_of_nobody_says_so(self, client: Client) -> None:
        guest = new_player()
        path = self.link(member())
        uid = path.split("/")[3]
        for address in (
            path.replace(uid, "MTIzNDU2"),
            path[:-3] + "xx/",
            reverse("password_link", args=["x", "y-z"]),
        ):
            response = client.get(address)
            assert "This link does not work any more" in response.content.decode()
        assert not guest.has_usable_password()

    def test_lets_somebody_who_was_locked_out_try_again(self) -> None:
        player = member()
        for _ in range(5):
            Client().post(reverse("login"), {"username": "aino", "password": "wrong"})
        client = Client()
        client.post(client.get(self.link(player))["Location"], self.NEW)
        new = {"username": "aino", "password": "sixteen in stock"}
        assert client.post(reverse("login"), new).status_code == 302

    def test_a_changed_password_is_logged_too(self) -> None:
        player = member()
        fields = {"old_password": PASSWORD, **self.NEW}
        client_of(player).post(reverse("password_change"), fields)
        event = AccountEvent.objects.get()
        assert (event.kind, event.player, event.by) == ("password_changed", player, player)


class TestArrivals:
    """Guests and accounts that one address makes."""

    def test_are_limited_together(self, settings: Settings) -> None:
        settings.ARRIVALS_PER_HOUR = 2
        assert self.post("guest", {"name": "One"}).status_code == 302
        assert self.post("signup", {**FIELDS, "username": "two"}).status_code == 302
        for name in ("guest", "signup"):
            response = self.post(name, {**FIELDS, "username": "three"})
            page = text_of(response)
            assert response.status_code == 429
            assert "Many people have just begun to play from where you are." in page
            assert "Try again in 60 minutes." in page
            assert 0 < int(response["Retry-After"]) <= 3600
        assert self.post("guest", {"name": "Else"}, address="198.51.100.1").status_code == 302
        assert Player.objects.count() == 3

    def test_count_when_a_user_name_is_tried(self, settings: Settings) -> None:
        """Else a list of names could be tried for who has an account."""
        settings.ARRIVALS_PER_HOUR = 2
        member()
        taken = [self.post("signup", FIELDS).status_code for _ in range(3)]
        assert taken == [200, 200, 429]
        client = client_of(new_player())
        assert client.post(reverse("keep_games"), FIELDS, REMOTE_ADDR=HERE).status_code == 429

    def test_do_not_count_when_a_form_is_wrong(self, settings: Settings) -> None:
        settings.ARRIVALS_PER_HOUR = 1
        for _ in range(3):
            assert self.post("guest", {"name": ""}).status_code == 200
        assert self.post("guest", {"name": "Aino"}).status_code == 302

    def test_of_whoever_is_somebody_are_none(self, settings: Settings) -> None:
        settings.ARRIVALS_PER_HOUR = 1
        client = client_of(new_player())
        for _ in range(3):
            response = client.post(reverse("guest"), {"deal": "1"}, REMOTE_ADDR=HERE)
            assert response.status_code == 302
        assert Game.objects.count() == 3

    def post(self, name: str, fields: dict[str, str], *, address: str = HERE) -> Any:
        return Client().post(reverse(name), fields, REMOTE_ADDR=address)
