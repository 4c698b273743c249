"""What is done to accounts: user names, guests who become accounts, links, the log."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection
from django.db.models import F
from django.utils import timezone
from pytest_django import Settings

from games import deletion, names, selectors, services
from games.models import AccountEvent, Arrival, Game, Player, username_key_of
from games.services import AccountError
from games.signals import player_merged
from tests.games.factories import games_written, new_game, new_player

pytestmark = pytest.mark.django_db
PASSWORD = "a good long phrase"
Kind = AccountEvent.Kind


def account(username: str = "aino", **fields: Any) -> Player:
    player = services.sign_up(username=username, name=username.title()[:30], password=PASSWORD)
    for name, value in fields.items():
        setattr(player, name, value)
    player.save()
    return player


def superuser() -> Player:
    return account("root", is_staff=True, is_superuser=True)


def events() -> list[tuple[str, str, str | None, str]]:
    rows = AccountEvent.objects.order_by("pk").select_related("player", "by")
    return [(row.kind, row.player.name, row.by and row.by.name, row.note) for row in rows]


def at_once(*actions: Callable[[], Any]) -> list[str]:
    """Do all in threads of their own, and return what came of each, sorted."""
    outcomes: list[str] = []
    together = threading.Barrier(len(actions))

    def run(action: Callable[[], Any]) -> None:
        together.wait()
        try:
            action()
            outcomes.append("done")
        except AccountError as error:
            outcomes.append(error.code)
        except ValidationError as error:
            outcomes.append(",".join(error.message_dict))
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(outcomes)


class TestUserNames:
    @pytest.mark.parametrize(
        "username",
        ["aino", "AINO", "аino", "аinо", "Ａｉｎｏ", "ainо", "ain0", "αino", "Aіno"],
    )
    def test_one_that_looks_like_another_is_taken(self, username: str) -> None:
        account("aino")
        with pytest.raises(ValidationError) as refused:
            account(username)
        assert list(refused.value.message_dict) == ["username"]
        assert Player.objects.count() == 1

    @pytest.mark.parametrize(
        ("first", "second"), [("paypal", "paypaI"), ("nina", "ΝΙΝΑ"), ("bob", "ВОВ")]
    )
    def test_neither_does_one_pretend_in_capitals(self, first: str, second: str) -> None:
        account(first)
        with pytest.raises(ValidationError) as refused:
            account(second)
        assert refused.value.error_dict["username"][0].code == "unique"

    @pytest.mark.parametrize(
        "username", ["Борис", "محمد", "李明", "Σοφία", "zoë", "aino2", "a_b.c-d"]
    )
    def test_of_any_alphabet_is_fine(self, username: str) -> None:
        account("aino")
        player = account(username)
        assert player.username == username
        assert player.username_key == names.skeleton(username)

    @pytest.mark.parametrize(
        ("username", "code"), [("ainoБ", "mixed_scripts"), ("ai\u3164no", "characters")]
    )
    def test_is_refused_as_a_name_is(self, username: str, code: str) -> None:
        with pytest.raises(ValidationError) as refused:
            account(username)
        assert [error.code for error in refused.value.error_dict["username"]] == [code]

    def test_is_composed(self) -> None:
        assert (
            account("zoe\N{COMBINING DIAERESIS}").username
            == "zo\N{LATIN SMALL LETTER E WITH DIAERESIS}"
        )

    def test_has_its_key_whoever_saves_it(self) -> None:
        made = Player.objects.create_user("Made", password=PASSWORD)
        assert made.username_key == "rnade"
        made.username = "Other"
        made.save(update_fields=["username"])
        made.refresh_from_db()
        assert (made.username, made.username_key) == ("Other", "other")
        made.name = "Name"
        made.save()
        with pytest.raises(IntegrityError):
            Player.objects.create_user("OTHER", password=PASSWORD)

    def test_a_guest_needs_no_key(self) -> None:
        assert new_player().username_key is None

    def test_a_clash_from_of_old_can_be_saved(self) -> None:
        first = account("aino")
        second = Player(username="AINO", name="Second", username_key="aino 9", password="!")
        second.save()
        for player in (first, second):
            player.full_clean()
            player.save()
        assert sorted(Player.objects.values_list("username_key", flat=True)) == ["aino", "aino 9"]

    def test_of_the_longest_the_key_fits(self) -> None:
        assert account("m" * 150).username_key == ("rn" * 150)[:200]

    @pytest.mark.django_db(transaction=True)
    def test_of_two_who_want_look_alikes_at_once_one_gets_it(self) -> None:
        def sign_up(username: str) -> Callable[[], Any]:
            return lambda: services.sign_up(username=username, name="A", password=PASSWORD)

        assert at_once(sign_up("aino"), sign_up("AINO")) == ["done", "username"]


class TestBecomingAnAccount:
    def become(self, guest: Player, **fields: str) -> Player:
        return services.become_account(
            player=guest, **({"username": "aino", "name": "Aino", "password": PASSWORD} | fields)
        )

    def test_keeps_everything(self) -> None:
        guest = new_player()
        games = [new_game(guest), new_game(guest)]
        services.set_preferences(player=guest, theme="dark")
        player = self.become(guest)
        assert player.pk == guest.pk
        assert (player.username, player.name, player.is_guest) == ("aino", "Aino", False)
        assert player.check_password(PASSWORD)
        assert player.preferences == {"theme": "dark"}
        assert set(selectors.games_of(player=player)) == set(games)
        assert selectors.player_to_log_in(username="AINO") == player
        assert events() == [("became_account", "Aino", "Aino", guest.username)]

    @pytest.mark.parametrize(
        ("fields", "at"),
        [
            ({"username": "BORIS"}, "username"),
            ({"username": "bоris"}, "username"),
            ({"username": "a b"}, "username"),
            ({"name": "x" * 31}, "name"),
        ],
    )
    def test_changes_nothing_when_something_is_wrong(self, fields: dict[str, str], at: str) -> None:
        account("boris")
        guest = new_player()
        with pytest.raises(ValidationError) as refused:
            self.become(guest, **fields)
        assert list(refused.value.message_dict) == [at]
        with pytest.raises(ValidationError):
            self.become(guest, password="short")
        stored = Player.objects.get(pk=guest.pk)
        assert (stored.username, stored.name, stored.is_guest) == (guest.username, guest.name, True)
        assert events() == []

    def test_is_for_guests(self) -> None:
        with pytest.raises(AccountError) as refused:
            self.become(account("boris"))
        assert refused.value.code == "not_guest"

    @pytest.mark.django_db(transaction=True)
    def test_in_two_windows_at_once_happens_once(self) -> None:
        guest = new_player()
        outcomes = at_once(
            lambda: self.become(guest, username="aino"),
            lambda: self.become(guest, username="boris"),
        )
        assert outcomes == ["done", "not_guest"]
        assert AccountEvent.objects.count() == 1

    @pytest.mark.django_db(transaction=True)
    def test_of_two_guests_who_want_one_name_one_gets_it(self) -> None:
        guests = [new_player(), new_player()]
        outcomes = at_once(*(lambda guest=guest: self.become(guest) for guest in guests))
        assert outcomes == ["done", "username"]
        assert Player.objects.filter(is_guest=True).count() == 1


class TestMerging:
    def test_moves_the_games_and_shuts_the_guest(self) -> None:
        guest, member = new_player(), account()
        games = {new_game(guest), new_game(guest), new_game(member)}
        other = new_game()
        merged = services.merge_guest(guest=guest, into=member)
        assert (merged.moved, merged.stayed) == (2, 0)
        assert set(selectors.games_of(player=member)) == games
        assert Game.objects.get(pk=other.pk).player == other.player
        guest.refresh_from_db()
        assert (guest.is_active, guest.is_guest) == (False, True)
        assert events() == [
            ("merged", "Aino", "Aino", f"{guest.username} {guest.name}: 2 + 0"),
            ("deactivated", guest.name, "Aino", "aino"),
        ]

    def test_writes_to_games_in_the_order_of_their_keys(self) -> None:
        """As the journal does: a guest may end two of them at this moment."""
        guest, member = new_player(), account()
        keys = [new_game(guest).pk for _ in range(3)]
        with games_written() as written:
            services.merge_guest(guest=guest, into=member)
        assert written == keys

    def test_leaves_what_another_app_says(self) -> None:
        guest, member = new_player(), account()
        moving, staying = new_game(guest), new_game(guest)
        told: list[tuple[Player, Player, bool]] = []

        def stay(guest: Player, into: Player, **_: Any) -> list[int]:
            told.append((guest, into, connection.in_atomic_block))
            return [staying.pk]

        player_merged.connect(stay)
        try:
            merged = services.merge_guest(guest=guest, into=member)
        finally:
            player_merged.disconnect(stay)
        assert told == [(guest, member, True)]
        assert (merged.moved, merged.stayed) == (1, 1)
        assert list(selectors.games_of(player=member)) == [moving]
        assert list(selectors.games_of(player=guest)) == [staying]
        guest.refresh_from_db()
        assert guest.is_active

    def test_happens_as_a_whole_or_not_at_all(self) -> None:
        guest, member = new_player(), account()
        game = new_game(guest)

        def fail(**_: Any) -> None:
            raise RuntimeError("no")

        player_merged.connect(fail)
        try:
            with pytest.raises(RuntimeError):
                services.merge_guest(guest=guest, into=member)
        finally:
            player_merged.disconnect(fail)
        assert list(selectors.games_of(player=guest)) == [game]
        assert events() == []

    def test_is_from_a_guest_to_an_account(self) -> None:
        guest, member = new_player(), account()
        with pytest.raises(AccountError) as refused:
            services.merge_guest(guest=guest, into=new_player())
        assert refused.value.code == "guest"
        with pytest.raises(AccountError) as refused:
            services.merge_guest(guest=account("boris"), into=member)
        assert refused.value.code == "not_guest"

    def test_twice_does_no_more(self) -> None:
        guest, member = new_player(), account()
        new_game(guest)
        services.merge_guest(guest=guest, into=member)
        assert services.merge_guest(guest=guest, into=member).moved == 0
        assert selectors.games_of(player=member).count() == 1


class TestPasswordLink:
    def token(self, link: services.PasswordLink) -> str:
        return link.path.rstrip("/").rpartition("/")[2]

    def use(self, player: Player, link: services.PasswordLink) -> None:
        services.reset_password(player=player, token=self.token(link), password="sixteen in stock")

    def is_void(self, player: Player, link: services.PasswordLink) -> bool:
        player.refresh_from_db()
        before = player.password
        with pytest.raises(AccountError) as refused:
            self.use(player, link)
        player.refresh_from_db()
        return (refused.value.code, player.password) == ("link_void", before)

    def test_sets_the_password_once(self) -> None:
        player, root = account(), superuser()
        link = services.issue_password_link(player=player, by=root)
        hours = (link.ends_at - timezone.now()) / timedelta(hours=1)
        assert 47.9 < hours <= 48
        self.use(player, link)
        player.refresh_from_db()
        assert player.check_password("sixteen in stock")
        assert self.is_void(player, link)
        assert events() == [
            ("password_link_issued", "Aino", "Root", ""),
            ("password_reset", "Aino", None, ""),
        ]

    def test_ends_after_two_days(self, monkeypatch: pytest.MonkeyPatch) -> None:
        player, root = account(), superuser()
        link = services.issue_password_link(player=player, by=root)
        now = services.link_tokens._now()
        monkeypatch.setattr(services.link_tokens, "_now", lambda: now + timedelta(hours=48.1))
        assert self.is_void(player, link)
        monkeypatch.setattr(services.link_tokens, "_now", lambda: now + timedelta(hours=47.9))
        self.use(player, link)

    def test_a_later_one_makes_it_void(self) -> None:
        player, root = account(), superuser()
        first = services.issue_password_link(player=player, by=root)
        second = services.issue_password_link(player=player, by=root)
        assert first.path != second.path
        assert self.is_void(player, first)
        self.use(player, second)

    def test_anothers_link_does_not(self) -> None:
        player, root = account(), superuser()
        link = services.issue_password_link(player=player, by=root)
        other = services.issue_password_link(player=account("boris"), by=root)
        assert self.is_void(player, other)
        self.use(player, link)

    def test_a_log_in_makes_it_void(self) -> None:
        player, root = account(), superuser()
        link = services.issue_password_link(player=player, by=root)
        Player.objects.filter(pk=player.pk).update(last_login=timezone.now())
        assert self.is_void(player, link)

    def test_a_new_password_makes_it_void(self) -> None:
        player, root = account(), superuser()
        link = services.issue_password_link(player=player, by=root)
        player.set_password("another long phrase")
        player.save()
        assert self.is_void(player, link)

    def test_being_shut_out_makes_it_void(self) -> None:
        player, root = account(), superuser()
        link = services.issue_password_link(player=player, by=root)
        services.deactivate(player=player, by=root)
        assert self.is_void(player, link)

    @pytest.mark.parametrize("right", ["is_staff", "is_superuser"])
    def test_more_rights_on_the_site_make_it_void(self, right: str) -> None:
        player, root = account(), superuser()
        link = services.issue_password_link(player=player, by=root)
        Player.objects.filter(pk=player.pk).update(**{right: True})
        assert self.is_void(player, link)

    def test_is_made_void_once(self) -> None:
        player, root = account(), superuser()
        services.void_password_links(player=player, by=root)
        link = services.issue_password_link(player=player, by=root)
        for _ in range(2):
            services.void_password_links(player=player, by=root)
        assert self.is_void(player, link)
        assert [kind for kind, *_ in events()] == ["password_link_issued", "password_link_void"]
        self.use(player, services.issue_password_link(player=player, by=root))

    def test_a_bad_password_uses_nothing_up(self) -> None:
        player, root = account(), superuser()
        link = services.issue_password_link(player=player, by=root)
        with pytest.raises(ValidationError):
            services.reset_password(player=player, token=self.token(link), password="short")
        self.use(player, link)

    def test_is_given_for_whom_it_is_of_use(self) -> None:
        root = superuser()
        director = account("director", is_staff=True)
        shut = account("shut", is_active=False)
        for player, by, code in [
            (new_player(), root, "guest"),
            (shut, root, "inactive"),
            (director, account("other", is_staff=True), "staff"),
            (root, director, "staff"),
        ]:
            with pytest.raises(AccountError) as refused:
                services.issue_password_link(player=player, by=by)
            assert refused.value.code == code
        assert events() == []
        services.issue_password_link(player=director, by=root)
        assert len(events()) == 1

    @pytest.mark.django_db(transaction=True)
    def test_used_twice_at_once_works_once(self) -> None:
        player = account()
        link = services.issue_password_link(player=player, by=superuser())
        outcomes = at_once(lambda: self.use(player, link), lambda: self.use(player, link))
        assert outcomes == ["done", "link_void"]
        assert AccountEvent.objects.filter(kind=Kind.PASSWORD_RESET).count() == 1


class TestShuttingOut:
    def test_and_letting_in_again(self) -> None:
        player, root = account(), superuser()
        for _ in range(2):
            services.deactivate(player=player, by=root)
        assert not Player.objects.get(pk=player.pk).is_active
        for _ in range(2):
            services.activate(player=player, by=root)
        assert Player.objects.get(pk=player.pk).is_active
        assert events() == [("deactivated", "Aino", "Root", ""), ("activated", "Aino", "Root", "")]

    def test_who_is_gone_for_good_is_not_let_in(self) -> None:
        player, root = account(), superuser()
        deletion.delete_player(player=player)
        services.activate(player=player, by=root)
        assert (player.is_active, Player.objects.get(pk=player.pk).is_active) == (False, False)

    def test_is_not_for_ones_equals(self) -> None:
        root = superuser()
        director = account("director", is_staff=True)
        for player, by, code in [(root, root, "itself"), (root, director, "staff")]:
            with pytest.raises(AccountError) as refused:
                services.deactivate(player=player, by=by)
            assert refused.value.code == code
        assert Player.objects.filter(is_active=False).count() == 0


def test_renaming_is_logged() -> None:
    player = new_player()
    before = player.name
    services.rename(player=player, name="Aino")
    services.rename(player=player, name="Aino")
    assert Player.objects.get(pk=player.pk).name == "Aino"
    assert events() == [("renamed", "Aino", "Aino", f"{before} → Aino")]
    with pytest.raises(names.BadName):
        services.rename(player=player, name="Ai\u202eno")
    assert Player.objects.get(pk=player.pk).name == "Aino"


class TestArrivals:
    HERE = "203.0.113.7"

    def test_are_so_many_an_hour_from_one_address(self, settings: Settings) -> None:
        settings.ARRIVALS_PER_HOUR = 3
        for _ in range(3):
            services.admit(address=self.HERE)
            Arrival.objects.update(at=F("at") - timedelta(minutes=10))
        oldest = Arrival.objects.earliest("at").at
        with pytest.raises(services.TooManyArrivals) as refused:
            services.admit(address=self.HERE)
        assert refused.value.until == oldest + timedelta(hours=1)
        services.admit(address="198.51.100.1")
        Arrival.objects.update(at=F("at") - timedelta(minutes=30))
        services.admit(address=self.HERE)
        # What is older than an hour is kept no longer.
        assert Arrival.objects.filter(address=self.HERE).count() == 3

    def test_of_many_at_once_are_no_more(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Another one is let in at the moment when this one is written down."""
        settings.ARRIVALS_PER_HOUR = 1
        create = Arrival.objects.create

        def create_second(**fields: Any) -> Arrival:
            create(**fields)
            return create(**fields)

        monkeypatch.setattr(Arrival.objects, "create", create_second)
        with pytest.raises(services.TooManyArrivals):
            services.admit(address=self.HERE)
        assert Arrival.objects.count() == 1

    def test_from_this_computer_are_free(self, settings: Settings) -> None:
        settings.ARRIVALS_PER_HOUR = 1
        for address in ("127.0.0.1", "::1") * 2:
            services.admit(address=address)
        assert Arrival.objects.count() == 0

    def test_can_be_free_altogether(self, settings: Settings) -> None:
        settings.ARRIVALS_PER_HOUR = 0
        for _ in range(3):
            services.admit(address=self.HERE)
        assert Arrival.objects.count() == 0


def test_the_key_of_a_user_name_leaves_room_for_a_number() -> None:
    longest = username_key_of("m" * 150)
    field = Player._meta.get_field("username_key")
    assert len(f"{longest} {2**63}") <= field.max_length
