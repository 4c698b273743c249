"""The admin of players and games: what it shows, what it hides, and that it changes no game."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import journal, services
from games.admin import PlayerAdmin
from games.deletion import delete_player
from games.engine import EASY, GameCode
from games.models import AccountEvent, Game, Move, Player

from .factories import PUBLISHED, new_game, new_player

pytestmark = pytest.mark.django_db
SECRET = GameCode.secret(EASY, 2**127 + 12345)


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(Player.objects.create_superuser("director", password="x", name="Director"))
    return client


def new_secret_game(player: Player | None = None) -> Game:
    game = services.new_competition_game(
        player=player or new_player(),
        code=SECRET,
        closes_at=timezone.now(),
        undo=False,
        hints=False,
    )
    services.start_clock(game_id=game.pk)
    return game


def move(game: Game, actions: str) -> None:
    rows = [journal.Row(game.pk, turn, action, turn) for turn, action in enumerate(actions)]
    assert journal.write(rows) == [True] * len(rows)
    services.refresh_figures(game_id=game.pk)


def change(row: Any) -> str:
    return reverse(f"admin:games_{row._meta.model_name}_change", args=[row.pk])


def delete(row: Any) -> str:
    return reverse(f"admin:games_{row._meta.model_name}_delete", args=[row.pk])


def changelist(model: str) -> str:
    return reverse(f"admin:games_{model}_changelist")


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


@pytest.mark.parametrize("model", ["player", "game", "accountevent"])
def test_a_list_takes_the_same_queries_with_one_row_and_with_three(
    staff: Client, model: str, django_assert_max_num_queries: Any
) -> None:
    def queries() -> int:
        with django_assert_max_num_queries(20) as captured:
            assert staff.get(changelist(model)).status_code == 200
        return len(captured)

    def more() -> None:
        services.rename(player=new_game().player, name="Renamed")

    more()
    staff.get(changelist(model))
    one = queries()
    for _ in range(2):
        more()
    assert queries() == one


@pytest.mark.parametrize("moves", [1, 3])
def test_a_game_takes_the_same_queries_however_long(
    staff: Client, moves: int, django_assert_num_queries: Any
) -> None:
    game = new_game()
    move(game, "d52"[:moves])
    staff.get(change(game))
    with django_assert_num_queries(6):
        assert staff.get(change(game)).status_code == 200


def test_a_game_that_is_no_secret_shows_its_code_its_deal_and_its_moves(staff: Client) -> None:
    game = new_game()
    move(game, "d5")
    page = staff.get(change(game)).content.decode()
    assert PUBLISHED.text in page
    assert "6C 5S QS TS 6H" in page
    assert "<li>draw: 8 of spades</li>\n<li>column 5: " in page


def test_games_are_found_by_address_player_and_open_code(staff: Client) -> None:
    game = new_game()
    new_game()
    other = services.new_practice_game(player=new_player(), code=GameCode.parse("GO1-E-AAAAAAC"))

    def found(term: str) -> list[Game]:
        return list(staff.get(changelist("game"), {"q": term}).context["cl"].result_list)

    assert found(game.public_id) == [game]
    assert found(game.player.username) == [game]
    assert found("go1-e-aaaaaac") == [other]


def test_lists_are_filtered(staff: Client) -> None:
    new_game()
    secret = new_secret_game()
    listed = staff.get(changelist("game"), {"is_secret__exact": "1"}).context["cl"]
    assert list(listed.result_list) == [secret]
    guests = staff.get(changelist("player"), {"is_guest__exact": "0"}).context["cl"]
    assert [player.username for player in guests.result_list] == ["director"]


# --- accounts ----------------------------------------------------------------------------------


def account(username: str = "aino", **fields: Any) -> Player:
    player = services.sign_up(username=username, name=username.title(), password="seven columns")
    for name, value in fields.items():
        setattr(player, name, value)
    player.save()
    return player


def helper(*permissions: str) -> tuple[Player, Client]:
    """Somebody of the staff who is no superuser."""
    player = account("helper", is_staff=True)
    player.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(player)
    return player, client


def act(client: Client, action: str, *players: Player) -> Any:
    fields = {"action": action, "_selected_action": [player.pk for player in players]}
    return client.post(changelist("player"), fields, follow=True)


def link_page(player: Player) -> str:
    return reverse("admin:games_player_password_link", args=[player.pk])


def logged() -> list[tuple[str, str, str]]:
    rows = AccountEvent.objects.order_by("pk").select_related("player", "by")
    return [(row.kind, row.player.username, row.by.username if row.by else "") for row in rows]


class TestPasswordLinks:
    def test_are_asked_for_and_shown_once(self, staff: Client) -> None:
        player = account()
        assert f'href="{link_page(player)}"' in staff.get(change(player)).content.decode()
        response = act(staff, "issue_password_link", player)
        assert response.redirect_chain == [(link_page(player), 302)]
        assert "Make the link" in response.content.decode()
        assert logged() == []
        shown = staff.post(link_page(player))
        assert "no-store" in shown["Cache-Control"]
        (url,) = re.findall(
            r'value="(http://testserver/password/link/[^"]+)"', shown.content.decode()
        )
        assert logged() == [("password_link_issued", "aino", "director")]
        assert "Choose a new password" in Client().get(url, follow=True).content.decode()
        assert url not in staff.get(link_page(player)).content.decode()

    def test_are_for_one_at_a_time(self, staff: Client) -> None:
        response = act(staff, "issue_password_link", account(), account("boris"))
        assert said(response) == ["Choose one player: a link is for one."]

    def test_are_not_for_guests(self, staff: Client) -> None:
        guest = new_player()
        assert link_page(guest) not in staff.get(change(guest)).content.decode()
        assert said(staff.post(link_page(guest), follow=True)) == ["A guest has no password."]

    def test_to_the_staff_are_a_superusers(self, staff: Client) -> None:
        _player, client = helper("view_player", "change_player")
        director = Player.objects.get(username="director")
        other = account("other", is_staff=True)
        for player in (director, other):
            for response in (client.get(link_page(player)), client.post(link_page(player))):
                assert response.status_code == 403
        assert client.post(link_page(account())).status_code == 200
        assert staff.post(link_page(other)).status_code == 200
        assert [username for _kind, username, _by in logged()] == ["aino", "other"]

    def test_need_the_permission_to_change_players(self) -> None:
        _player, client = helper("view_player")
        player = account()
        assert client.post(link_page(player)).status_code == 403
        assert link_page(player) not in client.get(change(player)).content.decode()
        assert Client().post(link_page(player)).status_code == 302
        assert logged() == []


class TestPower:
    """Whoever can set a password or a right of the staff has all of their rights."""

    def test_over_the_staff_is_a_superusers(self) -> None:
        _player, client = helper("view_player", "change_player", "delete_player")
        director = account("root", is_staff=True, is_superuser=True)
        password = reverse("admin:auth_user_password_change", args=[director.pk])
        fields = {"password1": "another long one", "password2": "another long one"}
        assert client.post(password, fields).status_code == 403
        assert client.post(change(director), {"username": "x"}).status_code == 403
        assert client.post(delete(director), {"post": "yes"}).status_code == 403
        assert act(client, "shut_out", director).status_code == 200
        director.refresh_from_db()
        assert director.is_active
        assert director.check_password("seven columns")

    def test_is_not_given_by_the_staff(self) -> None:
        _player, client = helper("view_player", "change_player")
        player = account()
        page = client.get(change(player)).content.decode()
        for name in ("is_staff", "is_superuser", "groups", "user_permissions"):
            assert f'name="{name}"' not in page
        fields = {
            "username": "aino", "name": "Aino B", "is_active": "on",
            "is_staff": "on", "is_superuser": "on",
        }  # fmt: skip
        assert client.post(change(player), fields).status_code == 302
        player.refresh_from_db()
        assert (player.name, player.is_staff, player.is_superuser) == ("Aino B", False, False)


class TestShuttingOut:
    def test_is_an_action_and_closes_sockets(
        self, staff: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        closed: list[int] = []
        monkeypatch.setattr(
            "games.live.close_sockets", lambda *, player_id: closed.append(player_id)
        )
        players = [account(), new_player()]
        response = act(staff, "shut_out", *players)
        assert said(response) == ["2 players are shut out."]
        assert sorted(closed) == sorted(player.pk for player in players)
        assert Player.objects.filter(is_active=False).count() == 2
        assert said(act(staff, "let_in", *players)) == ["2 players are let in."]
        assert Player.objects.filter(is_active=False).count() == 0
        kinds = [kind for kind, _player, _by in logged()]
        assert kinds == ["deactivated"] * 2 + ["activated"] * 2

    def test_of_oneself_is_refused(self, staff: Client) -> None:
        director = Player.objects.get(username="director")
        response = act(staff, "shut_out", director)
        assert said(response) == [
            "Director: You cannot shut yourself out.", "0 players are shut out.",
        ]  # fmt: skip
        director.refresh_from_db()
        assert director.is_active

    def test_in_the_form_is_logged_too(self, staff: Client) -> None:
        player = account()
        fields = {"username": "aino", "name": "Aino B"}
        assert staff.post(change(player), fields).status_code == 302
        player.refresh_from_db()
        assert (player.name, player.is_active) == ("Aino B", False)
        assert logged() == [("deactivated", "aino", "director")]


def test_a_password_that_the_staff_sets_is_logged(staff: Client) -> None:
    player = account()
    address = reverse("admin:auth_user_password_change", args=[player.pk])
    fields = {
        "usable_password": "true", "password1": "another long one", "password2": "another long one",
    }  # fmt: skip
    assert staff.post(address, fields).status_code == 302
    assert logged() == [("password_changed", "aino", "director")]


def test_who_is_deleted_is_read_and_not_changed(staff: Client) -> None:
    player = account()
    name = delete_player(player=player)
    password = reverse("admin:auth_user_password_change", args=[player.pk])
    assert staff.get(change(player)).status_code == 200
    assert staff.get(password).status_code == 403
    fields = {"username": "aino", "name": "Aino", "is_active": "on"}
    assert staff.post(change(player), fields).status_code == 403
    assert Player.objects.get(pk=player.pk).name == name


class TestWhatOthersChangeMeanwhile:
    """The row is read, others write to it, and then the admin saves."""

    @staticmethod
    def changed_before(
        monkeypatch: pytest.MonkeyPatch, on: type[Any], method: str, /, **fields: Any
    ) -> None:
        """Let all accounts be changed just before a method of the admin is called."""
        called = getattr(on, method)

        def changed(*args: Any, **kwargs: Any) -> Any:
            Player.objects.filter(is_superuser=False).update(**fields)
            return called(*args, **kwargs)

        monkeypatch.setattr(on, method, changed)

    def test_stays_when_the_form_changes_something_else(
        self, staff: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        player = account()
        others = {"password": "new", "preferences": {"sound": True}, "is_active": False}
        self.changed_before(monkeypatch, PlayerAdmin, "save_form", **others)
        fields = {"username": "aino", "name": "Aino B", "is_active": "on"}
        assert staff.post(change(player), fields).status_code == 302
        assert Player.objects.filter(pk=player.pk, name="Aino B", **others).exists()

    def test_stays_when_somebody_is_shut_out(
        self, staff: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        player = account()
        others = {"password": "new", "is_active": False}
        self.changed_before(monkeypatch, PlayerAdmin, "save_form", **others)
        fields = {"username": "aino", "name": "Aino"}
        assert staff.post(change(player), fields).status_code == 302
        assert Player.objects.filter(pk=player.pk, **others).exists()
        assert logged() == []  # by whoever did it meanwhile

    def test_stays_when_it_is_that_the_player_is_deleted(
        self, staff: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        player = account()
        self.changed_before(monkeypatch, PlayerAdmin, "save_form", deleted_at=timezone.now())
        fields = {"username": "aino", "name": "Aino B", "is_active": "on"}
        assert staff.post(change(player), fields).status_code == 403
        assert not Player.objects.filter(name="Aino B").exists()

    def test_stays_when_the_password_changes(
        self, staff: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        player = account()
        others = {"name": "Aino B", "preferences": {"sound": True}, "is_active": False}
        self.changed_before(monkeypatch, PlayerAdmin.change_password_form, "save", **others)
        fields = {
            "usable_password": "true",
            "password1": "another long one",
            "password2": "another long one",
        }
        address = reverse("admin:auth_user_password_change", args=[player.pk])
        assert staff.post(address, fields).status_code == 302
        found = Player.objects.filter(**others).get()
        assert found.check_password("another long one")


def test_whoever_tried_too_often_may_try_again(staff: Client) -> None:
    player = account()
    fields = {"username": "aino", "password": "wrong"}
    for _ in range(6):
        response = Client().post(reverse("login"), fields, REMOTE_ADDR="203.0.113.7")
    assert response.status_code == 429
    act(staff, "let_try_again", player)
    fields["password"] = "seven columns"
    response = Client().post(reverse("login"), fields, REMOTE_ADDR="203.0.113.7")
    assert response.status_code == 302


def test_players_are_found_by_names_that_look_alike(staff: Client) -> None:
    player = account("aino")
    account("boris")

    def found(term: str) -> list[Player]:
        return list(staff.get(changelist("player"), {"q": term}).context["cl"].result_list)

    for term in ("aino", "AIN", "аіno".replace("і", "i"), "аino"):
        assert found(term) == [player]
    assert found("nobody") == []


def test_a_user_name_that_looks_like_anothers_is_refused(staff: Client) -> None:
    account("aino")
    other = account("boris")
    fields = {"username": "AINO", "name": "Boris", "is_active": "on"}
    page = staff.post(change(other), fields)
    assert page.status_code == 200
    assert "This user name is taken, or looks like one that is." in page.content.decode()
    other.refresh_from_db()
    assert other.username == "boris"


def test_events_are_read_and_never_changed(staff: Client) -> None:
    player = account()
    services.rename(player=player, name="Aino B")
    event = AccountEvent.objects.get()
    page = staff.get(changelist("accountevent")).content.decode()
    assert "Aino → Aino B" in page
    assert staff.get(reverse("admin:games_accountevent_add")).status_code == 403
    assert staff.get(change(event)).status_code == 200
    assert staff.post(change(event), {"note": "x"}).status_code == 403
    assert staff.post(delete(event), {"post": "yes"}).status_code == 403
    assert AccountEvent.objects.get().note == "Aino → Aino B"


# --- secrecy -----------------------------------------------------------------------------------


def test_a_secret_game_shows_neither_code_nor_cards_nor_moves(staff: Client) -> None:
    game = new_secret_game()
    move(game, "dd")
    deal = SECRET.deal().text
    hidden = [SECRET.text, SECRET.text[-26:], *deal.split(" ")[0].split("/"), "draw: "]
    pages = [
        change(game),
        changelist("game"),
        changelist("game") + f"?q={game.public_id}",
        reverse("admin:games_game_history", args=[game.pk]),
        change(game.player),
        delete(game.player),
        reverse("admin:games_player_history", args=[game.player.pk]),
    ]
    for url in pages:
        body = staff.get(url, follow=True).content.decode()
        assert game.public_id in body or url != change(game)
        assert [text for text in hidden if text in body] == []
    assert staff.get(delete(game)).status_code == 403


@pytest.mark.parametrize(
    "lookup",
    [
        "deal_code",
        "deal_code__exact",
        "deal_code__startswith",
        "deal_code__gt",
        "deal_code__regex",
    ],
)
def test_a_secret_cannot_be_asked_for_in_the_address(staff: Client, lookup: str) -> None:
    new_secret_game()
    response = staff.get(changelist("game"), {lookup: SECRET.text})
    assert response.status_code == 400


@pytest.mark.parametrize("lookup", ["games__deal_code__startswith", "games__deal_code"])
def test_a_secret_cannot_be_asked_for_through_its_player(staff: Client, lookup: str) -> None:
    new_secret_game()
    assert staff.get(changelist("player"), {lookup: SECRET.text}).status_code == 400


@pytest.mark.parametrize("term", [SECRET.text, SECRET.text[:8], SECRET.text[-26:]])
def test_a_secret_cannot_be_searched_for(staff: Client, term: str) -> None:
    new_secret_game()
    assert staff.get(changelist("game"), {"q": term}).context["cl"].result_count == 0


def test_a_revealed_game_shows_everything(staff: Client) -> None:
    game = new_secret_game()
    move(game, "dc")
    services.reveal_games(game_ids=[game.pk])
    page = staff.get(change(game)).content.decode()
    assert SECRET.text in page
    assert "<li>closed by the deadline</li>" in page


# --- what is kept ------------------------------------------------------------------------------


def test_no_game_is_added_changed_or_deleted_by_hand(staff: Client) -> None:
    game = new_game()
    move(game, "d5")
    assert staff.get(reverse("admin:games_game_add")).status_code == 403
    assert staff.post(change(game), {"strokes": "0", "state": "won"}).status_code == 403
    assert staff.post(delete(game), {"post": "yes"}).status_code == 403
    data = {"action": "delete_selected", "post": "yes", "_selected_action": [game.pk]}
    staff.post(changelist("game"), data)
    before = Game.objects.values().get()
    assert (before["id"], before["strokes"]) == (game.pk, 34)
    assert list(Move.objects.order_by("turn").values_list("action", flat=True)) == ["d", "5"]


def test_a_player_with_games_is_kept_and_the_reason_is_given(staff: Client) -> None:
    player = new_game().player
    idle = new_player()
    reason = "This player has games, entries or a history, and those are kept."
    response = staff.post(delete(player), {"post": "yes"}, follow=True)
    assert said(response) == [reason]
    data = {
        "action": "delete_selected",
        "post": "yes",
        "_selected_action": [player.pk, idle.pk],
    }
    response = staff.post(changelist("player"), data, follow=True)
    assert said(response) == [f"{player} has results and is kept. Nothing was deleted."]
    assert Player.objects.filter(pk__in=[player.pk, idle.pk]).count() == 2


def test_a_player_without_games_can_be_deleted(staff: Client) -> None:
    player, other = new_player(), new_player()
    assert staff.post(delete(player), {"post": "yes"}).status_code == 302
    data = {"action": "delete_selected", "post": "yes", "_selected_action": [other.pk]}
    staff.post(changelist("player"), data)
    assert not Player.objects.filter(pk__in=[player.pk, other.pk]).exists()


def test_an_account_is_made_and_changed_as_django_does_it(staff: Client) -> None:
    data = {
        "username": "ann",
        "name": "Ann",
        "usable_password": "true",
        "password1": "cards on the table",
        "password2": "cards on the table",
    }
    response = staff.post(reverse("admin:games_player_add"), data)
    assert response.status_code == 302
    ann = Player.objects.get(username="ann")
    assert (ann.name, ann.is_guest, ann.check_password("cards on the table")) == (
        "Ann",
        False,
        True,
    )
    page = staff.get(change(ann)).content.decode()
    assert "Name on the board" in page
    assert "Preferences" in page


def test_who_only_looks_cannot_delete(db: None) -> None:
    viewer = Player.objects.create_user("viewer", password="x", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_player"))
    client = Client()
    client.force_login(viewer)
    player = new_game().player
    assert client.get(changelist("player")).status_code == 200
    assert client.post(delete(player), {"post": "yes"}).status_code == 403
