"""Going for good, what is kept about a player, and the page that hands it out."""

import json
import re

import pytest
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse

from games import deletion, services
from games.models import AccountEvent, Game, Move, Player
from games.services import AccountError

from .factories import PUBLISHED, new_game, new_player
from .test_views import client_of, errors_of, finish

pytestmark = pytest.mark.django_db

PASSWORD = "quiet-otter-31"


def account(username: str = "aino", name: str = "Aino Mäkinen") -> Player:
    return services.sign_up(username=username, name=name, password=PASSWORD)


def logged_in(player: Player) -> Client:
    client = Client()
    page = reverse("login")
    client.post(page, {"username": player.username, "password": PASSWORD})
    assert client.session[SESSION_KEY] == str(player.pk)
    return client


class TestDeletion:
    def test_leaves_nothing_but_a_pseudonym(self) -> None:
        player = account()
        services.rename(player=player, name="Aino M.")
        services.show_figures(player=player, is_public=True)
        services.set_preferences(player=player, theme="dark")
        services.share_game(game=finish(new_game(player)))
        Client().post(reverse("login"), {"username": "aino", "password": "a guess"})
        name = deletion.delete_player(player=player)
        assert re.fullmatch(r"Player [0-9A-F]{4}", name)
        left = Player.objects.get(pk=player.pk)
        assert (left.name, left.is_active, left.has_usable_password()) == (name, False, False)
        assert (left.page_id, left.is_public, left.preferences) == (None, False, {})
        assert left.deleted_at is not None
        assert Game.objects.count() == 0
        assert Move.objects.count() == 0
        (event,) = AccountEvent.objects.filter(player=player)
        assert (event.kind, event.note) == (AccountEvent.Kind.DELETED, "")
        kept = json.dumps(deletion.data_of(player=left), default=str)
        assert not [word for word in ("aino", "Aino", "Mäkinen") if word in kept]
        assert not Player.objects.filter(username_key__contains="aino").exists()

    def test_is_done_once(self) -> None:
        player = new_player()
        name = deletion.delete_player(player=player)
        at = Player.objects.get(pk=player.pk).deleted_at
        assert deletion.delete_player(player=player) == name
        assert Player.objects.get(pk=player.pk).deleted_at == at
        assert AccountEvent.objects.count() == 1

    def test_lets_the_user_name_be_taken_again(self) -> None:
        deletion.delete_player(player=account())
        assert account().name == "Aino Mäkinen"

    def test_is_not_for_who_runs_the_site(self) -> None:
        staff = Player.objects.create_superuser("director", name="Director")
        with pytest.raises(AccountError) as refused:
            deletion.delete_player(player=staff)
        assert refused.value.code == "staff"
        assert Player.objects.get(pk=staff.pk).name == "Director"

    def test_leaves_other_players_as_they_are(self) -> None:
        other = finish(new_game())
        deletion.delete_player(player=finish(new_game()).player)
        assert Game.objects.get() == other
        assert Move.objects.filter(game=other).exists()


class TestPage:
    page = reverse("delete_account")

    def test_asks_for_the_password_again(self) -> None:
        player = account()
        client = logged_in(player)
        assert 'name="password"' in client.get(self.page).content.decode()
        for password, said in (("", None), ("wrong", "That is not your password.")):
            response = client.post(self.page, {"password": password, "is_sure": "on"})
            errors = errors_of(response)
            assert len(errors) == 1
            assert said is None or errors == [said]
        response = client.post(self.page, {"password": PASSWORD})
        assert errors_of(response) == ["Please say that you know this."]
        assert Player.objects.get(pk=player.pk).deleted_at is None

    def test_deletes_and_logs_out_everywhere(self) -> None:
        player = account()
        here, elsewhere = logged_in(player), logged_in(player)
        response = here.post(self.page, {"password": PASSWORD, "is_sure": "on"}, follow=True)
        name = Player.objects.get(pk=player.pk).name
        assert f"Your results stay under the name {name}" in response.content.decode()
        assert SESSION_KEY not in here.session
        assert elsewhere.get(reverse("account")).status_code == 302
        page = reverse("login")
        refused = here.post(page, {"username": "aino", "password": PASSWORD})
        assert refused.status_code == 200

    def test_guests_go_without_a_password(self) -> None:
        guest = new_player()
        client = client_of(guest)
        assert 'name="password"' not in client.get(self.page).content.decode()
        assert client.post(self.page, {"is_sure": "on"}).status_code == 302
        assert Player.objects.get(pk=guest.pk).deleted_at is not None

    def test_says_why_not(self) -> None:
        staff = Player.objects.create_superuser("director", password=PASSWORD, name="Director")
        response = logged_in(staff).post(self.page, {"password": PASSWORD, "is_sure": "on"})
        assert "Whoever runs this site" in response.content.decode()

    def test_is_a_players(self, client: Client) -> None:
        for name in ("delete_account", "own_data"):
            response = client.get(reverse(name))
            assert response["Location"].startswith(reverse("login"))


class TestOwnData:
    def test_is_everything(self) -> None:
        player = account()
        services.rename(player=player, name="Aino M.")
        game = finish(new_game(player), "d52ug")
        finish(new_game())  # somebody else's
        client = logged_in(player)
        Client().post(reverse("login"), {"username": "aino", "password": "a guess"})
        response = client.get(reverse("own_data"))
        assert "golf-my-data.json" in response["Content-Disposition"]
        data = response.json()
        assert data["account"]["username"] == "aino"
        assert player.password not in response.content.decode()
        assert [event["note"] for event in data["account_events"]] == ["Aino Mäkinen → Aino M."]
        (told,) = data["games"]
        assert (told["public_id"], told["deal_code"]) == (game.public_id, PUBLISHED.text)
        assert (told["actions"], told["times_ms"]) == ("d52ug", [1000, 2000, 3000, 4000, 5000])
        (failed,) = data["failed_log_ins"]
        assert failed["failures_since_start"] == 1
        assert data["entries"] == data["memberships"] == []

    def test_keeps_what_is_secret(self) -> None:
        game = new_game()
        Game.objects.filter(pk=game.pk).update(is_secret=True)
        response = client_of(game.player).get(reverse("own_data"))
        assert response.json()["games"][0]["deal_code"] is None
        assert PUBLISHED.text not in response.content.decode()
