"""Logging in: by which names, and how often somebody may try."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from axes.models import AccessAttempt, AccessLog
from django.contrib.auth import aauthenticate, authenticate
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from games import log_in, services
from games.models import Player

pytestmark = pytest.mark.django_db
PASSWORD = "seven columns"
HERE, THERE = "203.0.113.7", "198.51.100.1"


@pytest.fixture
def aino(db: None) -> Player:
    return services.sign_up(username="Aino", name="Aino", password=PASSWORD)


def attempt(
    username: str, password: str, *, address: str = HERE, client: Client | None = None
) -> Any:
    """Send the form of the log-in page."""
    fields = {"username": username, "password": password}
    return (client or Client()).post(reverse("login"), fields, REMOTE_ADDR=address)


def fail(username: str = "aino", *, times: int = 1, address: str = HERE) -> Any:
    for _ in range(times):
        response = attempt(username, "wrong", address=address)
    return response


def logs_in(username: str, *, address: str = HERE) -> bool:
    client = Client()
    response = attempt(username, PASSWORD, address=address, client=client)
    return response.status_code == 302 and "_auth_user_id" in client.session


def let_pass(minutes: float) -> None:
    """Let all attempts be older by so much."""
    for row in AccessAttempt.objects.all():
        AccessAttempt.objects.filter(pk=row.pk).update(
            attempt_time=row.attempt_time - timedelta(minutes=minutes)
        )


class TestNames:
    @pytest.mark.parametrize("username", ["Aino", "aino", "AINO", "Ａｉｎｏ", "аino"])
    def test_whatever_the_case(self, aino: Player, username: str) -> None:
        assert logs_in(username)

    @pytest.mark.parametrize("username", ["ain", "aino ä", "äino", "aino2", ""])
    def test_and_no_other(self, aino: Player, username: str) -> None:
        assert not logs_in(username)

    def test_two_that_clash_from_of_old_each_keep_their_own(self, aino: Player) -> None:
        old = Player(username="aino", name="Old", username_key=f"{aino.username_key} 7")
        old.set_password("sixteen in stock")
        old.save()
        assert logs_in("Aino")
        assert not logs_in("aino")
        client = Client()
        assert attempt("aino", "sixteen in stock", client=client).status_code == 302
        assert client.session["_auth_user_id"] == str(old.pk)
        # Who has the key is who is meant by any other spelling.
        assert logs_in("AINO")

    def test_a_guest_has_no_way_in(self) -> None:
        guest = services.create_guest(name="Guest")
        assert not logs_in(guest.username)

    def test_somebody_shut_out_has_none_either(self, aino: Player) -> None:
        Player.objects.update(is_active=False)
        assert not logs_in("aino")


@pytest.mark.django_db(transaction=True)
async def test_an_awaited_log_in_is_the_same() -> None:
    aino = await sync_to_async(services.sign_up)(username="Aino", name="A", password=PASSWORD)
    request = RequestFactory().post("/", REMOTE_ADDR=HERE)
    assert await aauthenticate(request, username="AINO", password=PASSWORD) == aino
    assert await aauthenticate(request, username="AINO", password="wrong") is None
    assert (await AccessAttempt.objects.aget()).failures_since_start == 1


class TestThrottle:
    def test_after_some_wrong_passwords_the_right_one_has_to_wait(self, aino: Player) -> None:
        assert [fail().status_code for _ in range(5)] == [200, 200, 200, 200, 429]
        response = attempt("aino", PASSWORD)
        page = response.content.decode()
        assert response.status_code == 429
        assert "There were too many wrong passwords." in page
        assert "Try again in 15 minutes." in page
        assert 14 * 60 < int(response["Retry-After"]) <= 15 * 60
        assert "no-store" in response["Cache-Control"]
        # Trying meanwhile makes it no longer.
        let_pass(14.5)
        assert fail().status_code == 429
        assert "Try again in 1 minute." in fail().content.decode()
        let_pass(0.6)
        assert logs_in("aino")

    def test_all_spellings_count_as_one(self, aino: Player) -> None:
        for username in ("aino", "AINO", "Aino", "aіno", "ａｉｎｏ"):
            fail(username)
        assert not logs_in("Aino")

    def test_a_name_that_nobody_has_is_treated_alike(self, aino: Player) -> None:
        known = [fail("aino") for _ in range(6)]
        unknown = [fail("nobody") for _ in range(6)]
        assert [r.status_code for r in known] == [r.status_code for r in unknown]
        for one, other in zip(known, unknown, strict=True):
            assert _plain(one, "aino") == _plain(other, "nobody")

    def test_an_unknown_name_takes_as_long(
        self, aino: Player, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hashed: list[str] = []
        encode = MD5PasswordHasher.encode

        def counted(self: Any, password: str, salt: str) -> str:
            hashed.append(password)
            return encode(self, password, salt)

        monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
        guest = services.create_guest(name="Guest")
        for username in ("aino", "nobody", guest.username):
            fail(username)
            assert len(hashed) == 1, username
            hashed.clear()

    def test_success_forgets_the_failures(self, aino: Player) -> None:
        fail(times=4)
        assert logs_in("aino")
        assert fail(times=4).status_code == 200
        assert logs_in("aino")

    def test_elsewhere_one_can_still_log_in(self, aino: Player) -> None:
        fail(times=5)
        assert not logs_in("aino")
        assert logs_in("aino", address=THERE)

    def test_another_from_here_can_still_log_in(self, aino: Player) -> None:
        services.sign_up(username="boris", name="Boris", password=PASSWORD)
        fail(times=5)
        assert logs_in("boris")

    def test_one_name_is_guarded_against_many_addresses(self, aino: Player) -> None:
        for number in range(12):
            assert logs_in("aino", address=THERE)
            fail(times=5, address=f"203.0.113.{number}")
        response = attempt("aino", PASSWORD, address=THERE)
        assert response.status_code == 429
        # It takes that many, so that few cannot lock somebody out.
        AccessAttempt.objects.filter(ip_address="203.0.113.0").delete()
        assert logs_in("aino", address=THERE)

    def test_one_address_cannot_try_many_names(self, aino: Player) -> None:
        for number in range(50):
            assert fail(f"player{number}").status_code == (429 if number == 49 else 200)
        assert not logs_in("aino")
        assert logs_in("aino", address=THERE)

    def test_a_log_in_of_ones_own_buys_no_guesses_at_anothers(self, aino: Player) -> None:
        services.sign_up(username="eve", name="Eve", password=PASSWORD)
        for _ in range(4):
            fail("aino")
            assert logs_in("eve")
        assert fail("aino").status_code == 429

    def test_waits_from_the_oldest_failure_that_counts(self, aino: Player) -> None:
        for number in range(12):
            fail(times=5, address=f"203.0.113.{number}")
        rows = list(AccessAttempt.objects.order_by("pk"))
        start = timezone.now() - timedelta(minutes=12)
        for minute, row in enumerate(rows):
            AccessAttempt.objects.filter(pk=row.pk).update(
                attempt_time=start + timedelta(minutes=minute)
            )
        request = RequestFactory().post("/", {"username": "aino"}, REMOTE_ADDR=THERE)
        until = log_in.locked_until(request)
        assert until == start + timedelta(minutes=15)

    def test_guesses_at_the_same_time_count_before_one_of_them_is_right(
        self, aino: Player, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All are let through; the others fail while the right one is being checked."""
        check = Player.check_password

        def slow(self: Player, password: str) -> bool:
            right = check(self, password)
            if right:
                fail(times=5)
            return right

        monkeypatch.setattr(Player, "check_password", slow)
        response = attempt("aino", PASSWORD)
        assert response.status_code == 429

    def test_the_admins_door_is_the_same(self, aino: Player) -> None:
        Player.objects.update(is_staff=True)
        fields = {"username": "AINO", "password": "wrong"}
        client = Client(REMOTE_ADDR=HERE)
        for _ in range(4):
            assert client.post(reverse("admin:login"), fields).status_code == 200
        assert client.post(reverse("admin:login"), fields).status_code == 429
        assert fail().status_code == 429
        fields["password"] = PASSWORD
        response = client.post(reverse("admin:login"), fields)
        assert response.status_code == 429
        assert "Try again in" in response.content.decode()

    def test_behind_a_proxy_the_visitor_counts_and_cannot_pretend(
        self, aino: Player, settings: Settings
    ) -> None:
        settings.PROXIES = 1
        fields = {"username": "aino", "password": "wrong"}
        for number in range(5):
            response = Client().post(
                reverse("login"),
                fields,
                REMOTE_ADDR="10.0.0.1",
                HTTP_X_FORWARDED_FOR=f"192.0.2.{number}, {HERE}",
            )
        assert response.status_code == 429
        assert {row.ip_address for row in AccessAttempt.objects.all()} == {HERE}

    def test_keeps_no_more_than_it_needs(self, aino: Player) -> None:
        Client().post(
            reverse("login") + "?next=/secret/",
            {"username": "aino", "password": "wrong", "more": "x" * 5000},
            REMOTE_ADDR=HERE,
            HTTP_USER_AGENT="Browser",
        )
        logs_in("aino", address=THERE)
        row = AccessAttempt.objects.values().get()
        kept = {name: value for name, value in row.items() if name not in {"id", "attempt_time"}}
        assert kept == {
            "username": "aino", "ip_address": HERE, "failures_since_start": 1,
            "user_agent": "", "http_accept": "", "path_info": "", "get_data": "", "post_data": "",
        }  # fmt: skip
        assert AccessLog.objects.count() == 0

    def test_forgets_in_time(self, aino: Player) -> None:
        fail("nobody")
        let_pass(16)
        fail("aino")
        assert [row.username for row in AccessAttempt.objects.all()] == ["aino"]

    def test_a_long_name_does_no_harm(self, aino: Player) -> None:
        assert fail("ﷺ" * 150).status_code == 200
        assert fail("m" * 150).status_code == 200

    def test_needs_to_know_who_asks(self, aino: Player) -> None:
        with pytest.raises(ValueError, match="request"):
            authenticate(username="aino", password=PASSWORD)


@pytest.mark.django_db(transaction=True)
def test_failures_at_the_same_time_all_count() -> None:
    together = threading.Barrier(4)

    def try_one() -> None:
        together.wait()
        try:
            fail("nobody")
        finally:
            connection.close()

    threads = [threading.Thread(target=try_one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert AccessAttempt.objects.get().failures_since_start == 4


def _plain(response: Any, username: str) -> str:
    """Return a page without what the visitor typed, and without its token."""
    page = response.content.decode().replace(username, "NAME")
    return "".join(line for line in page.splitlines() if "csrfmiddlewaretoken" not in line)
