"""Rooms, seats and ratings in the admin: for superusers, to be read."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from games.models import Player
from tournaments.models import Rating, RatingChange, Room, Seat

from .factories import codes, new_account
from .racing import finish, finish_hole, new_room, sit, start

pytestmark = pytest.mark.django_db
MODELS = ("room", "seat", "rating", "ratingchange")


@pytest.fixture
def root(db: None) -> Client:
    client = Client()
    client.force_login(Player.objects.create_superuser("root", name="Root"))
    return client


def changelist(model: str) -> str:
    return reverse(f"admin:tournaments_{model}_changelist")


def race(number: int) -> Room:
    """A room with two accounts, and a race of theirs that is over."""
    room = new_room(new_account(f"Ann {number}"))
    sit(room, f"Bo {number}")
    held = start(room)
    finish(held, f"Bo {number}", give_up=True)
    finish_hole(held)
    return room


@pytest.mark.parametrize("model", MODELS)
def test_a_list_takes_the_same_queries_with_few_rows_and_with_many(
    root: Client, model: str, django_assert_max_num_queries: Any
) -> None:
    def queries() -> int:
        with django_assert_max_num_queries(20) as captured:
            assert root.get(changelist(model), {"q": "A"}).status_code == 200
        return len(captured)

    race(1)
    root.get(changelist(model))
    few = queries()
    race(2)
    race(3)
    assert queries() == few


def test_the_page_of_a_room_does_not_ask_once_for_each_seat(
    root: Client, django_assert_max_num_queries: Any
) -> None:
    def queries(seats: int) -> int:
        room = new_room(new_account(f"Host {seats}"))
        for seat in range(seats):
            sit(room, f"P {seats} {seat}")
        url = reverse("admin:tournaments_room_change", args=[room.pk])
        root.get(url)
        with django_assert_max_num_queries(12) as captured:
            assert root.get(url).status_code == 200
        return len(captured)

    assert queries(1) == queries(4)


def test_nothing_is_changed_there_and_no_deal_is_shown(root: Client) -> None:
    code = codes(1)[0]
    room = new_room(codes=(code,))
    url = reverse("admin:tournaments_room_change", args=[room.pk])
    page = root.get(url).content.decode()
    assert room.code in page
    assert code.text not in page
    assert root.post(url, {"code": "AAAAA"}).status_code == 403
    for row in (room, Seat.objects.get()):
        delete = reverse(f"admin:tournaments_{row._meta.model_name}_delete", args=[row.pk])
        assert root.get(delete).status_code == 403
    assert root.get(reverse("admin:tournaments_room_add")).status_code == 403


def test_whoever_is_no_superuser_sees_nothing_of_them() -> None:
    room = race(1)
    staff = new_account("Staff", is_staff=True)
    staff.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(staff)
    for model in MODELS:
        assert client.get(changelist(model)).status_code == 403
    assert (Rating.objects.count(), RatingChange.objects.count()) == (2, 2)
    assert room.code not in client.get(reverse("admin:index")).content.decode()
