"""What races make of ratings, and of whose."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games.services import show_figures
from tournaments import selectors, services
from tournaments.models import Entry, Rating, RatingChange, Tournament
from tournaments.services import rooms
from tournaments.services.ratings import rate_race

from .factories import codes, new_account, new_player
from .racing import finish, finish_hole, new_room, race_all, sit, start, tick

pytestmark = pytest.mark.django_db


def raced(room: Any, *give_up: str) -> Tournament:
    """A race of one hole in which some give up at once and the others play."""
    race = start(room)
    for name in give_up:
        finish(race, name, give_up=True)
    finish_hole(race)
    race.refresh_from_db()
    return race


def numbers() -> dict[str, int]:
    return {
        rating.player.name: selectors.rooms.shown_rating(rating).number
        for rating in Rating.objects.select_related("player")
    }


def test_the_winner_rises_and_the_loser_falls() -> None:
    room = new_room()
    bo = sit(room, "Bo").player
    race = raced(room, "Bo")
    changes = {change.player.name: change for change in RatingChange.objects.all()}
    assert {name: change.place for name, change in changes.items()} == {"Ann": 1, "Bo": 2}
    for change in changes.values():
        assert (change.mu_before, change.sigma_before) == (25, pytest.approx(25 / 3))
        assert change.sigma_after < change.sigma_before
        rating = Rating.objects.get(player=change.player)
        assert (rating.mu, rating.sigma, rating.races) == (
            change.mu_after, change.sigma_after, 1,
        )  # fmt: skip
    assert changes["Ann"].mu_after > 25 > changes["Bo"].mu_after
    assert numbers()["Ann"] > 1000 > numbers()["Bo"]
    shown = selectors.rooms.rating_changes(tournament=race)[bo.pk]
    assert (shown.before, shown.after, shown.is_provisional) == (1000, numbers()["Bo"], True)
    state = selectors.rooms.race_state(room=room)
    assert {seat.name: seat.rating for seat in state.seats} == numbers()


def test_a_race_is_rated_once() -> None:
    room = new_room()
    sit(room, "Bo")
    race = raced(room, "Bo")
    before = list(Rating.objects.values_list("mu", "sigma", "races"))
    assert rate_race(tournament=race) == 0
    assert list(Rating.objects.values_list("mu", "sigma", "races")) == before
    assert RatingChange.objects.count() == 2


def test_ties_are_ties() -> None:
    room = new_room()
    sit(room, "Bo")
    sit(room, "Cy")
    race = start(room)
    # Actions of a game that is given up at once carry the same time.
    for name in ("Ann", "Bo", "Cy"):
        finish(race, name, give_up=True)
    assert set(RatingChange.objects.values_list("place", flat=True)) == {1}
    assert len({round(mu, 9) for mu in Rating.objects.values_list("mu", flat=True)}) == 1


@pytest.mark.parametrize("others", [["guest"], ["guest", "guest"], []])
def test_guests_and_who_is_alone_among_them_keep_no_rating(others: list[str]) -> None:
    room = new_room()
    for at, _guest in enumerate(others):
        sit(room, new_player(f"Guest {at}"))
    race_all(room)
    assert (Rating.objects.count(), RatingChange.objects.count()) == (0, 0)


def test_a_guest_in_between_changes_nothing_for_the_accounts() -> None:
    room = new_room()
    sit(room, "Bo")
    sit(room, new_player("Gus"))
    raced(room, "Bo", "Gus")
    assert set(numbers()) == {"Ann", "Bo"}
    assert Entry.objects.count() == 3


def test_a_friendly_race_is_not_rated() -> None:
    room = new_room(codes=tuple(codes(1)))
    sit(room, "Bo")
    race_all(room)
    assert not Rating.objects.exists()


def test_a_rating_settles_after_five_races() -> None:
    room = new_room()
    bo = sit(room, "Bo").player
    for _ in range(4):
        raced(room, "Bo")
    four = selectors.rooms.rating_of(player=bo)
    raced(room, "Bo")
    five = selectors.rooms.rating_of(player=bo)
    assert four is not None
    assert five is not None
    assert (four.is_provisional, five.is_provisional, five.races) == (True, False, 5)
    assert selectors.rooms.rating_of(player=new_account("Cy")) is None


def test_who_is_not_ranked_is_not_rated() -> None:
    room = new_room()
    for name in ("Bo", "Cy"):
        sit(room, name)
    race = start(room)
    services.withdraw(entry=Entry.objects.get(name="Cy"))
    finish(race, "Bo", give_up=True)
    finish(race, "Ann")
    tick()
    assert set(numbers()) == {"Ann", "Bo"}


class TestPage:
    """The rating on the page of a player's figures."""

    def page(self, player: Any, *, who: Any = None) -> str:
        client = Client()
        if who is not None:
            client.force_login(who)
        own = who is not None and who.pk == player.pk
        address = reverse("my_figures") if own else reverse("player", args=[player.page_id])
        response = client.get(address)
        assert response.status_code == 200
        return response.content.decode()

    def test_the_history_with_its_marks_is_on_ones_own_page(self) -> None:
        room = new_room()
        bo = sit(room, "Bo").player
        races = [raced(room, "Bo")]
        body = self.page(bo, who=bo)
        assert "From two rated races on there is a chart." in body
        races.append(again(room, "Bo"))
        history = selectors.rooms.rating_history(player=bo, latest=20)
        assert [rated.race for rated in history] == races[::-1]
        assert [rated.place for rated in history] == [2, 2]
        latest, first = (rated.change for rated in history)
        assert (first.before, first.after) == (1000, latest.before)
        assert latest.after == numbers()["Bo"] == latest.before + latest.difference
        assert selectors.rooms.rating_history(player=bo, latest=1) == history[:1]
        body = self.page(bo, who=bo)
        # The rating itself, and each race of so few.
        assert body.count('<span class="badge">provisional</span>') == 3
        assert f'<bdi dir="ltr">{latest.after}</bdi>' in body
        for race in races:
            assert reverse("race", args=[room.code, race.slug]) in body
        assert body.count("<circle") == 2

    def test_others_see_it_where_they_see_the_page_and_no_code_of_a_room(self) -> None:
        room = new_room()
        bo = sit(room, "Bo").player
        raced(room, "Bo")
        assert bo.page_id is None
        show_figures(player=bo, is_public=True)
        bo.refresh_from_db()
        body = self.page(bo)
        assert "Rating in races" in body
        assert f'<bdi dir="ltr">{numbers()["Bo"]}</bdi>' in body
        assert reverse("room", args=[room.code]) not in body
        show_figures(player=bo, is_public=False)
        assert Client().get(reverse("player", args=[bo.page_id])).status_code == 404

    def test_who_has_raced_nobody_has_none(self) -> None:
        ann = new_account("Ann")
        assert "Rating in races" not in self.page(ann, who=ann)

    def test_a_long_history_costs_no_more(self) -> None:
        room = new_room()
        bo = sit(room, "Bo").player
        raced(room, "Bo")
        counts = []
        for _ in range(2):
            with CaptureQueriesContext(connection) as counted:
                selectors.rooms.rating_history(player=bo, latest=20)
            counts.append(len(counted))
            again(room, "Bo")
        assert counts == [1, 1]


def again(room: Any, *give_up: str) -> Tournament:
    """Another race of the same room, on the same terms."""
    room.refresh_from_db()
    for seat in room.seats.all():
        rooms.mark_seen(room_id=room.pk, player_id=seat.player_id)
    return raced(room, *give_up)
