"""The pages of rooms and races, as a visitor, a guest, a host and others see them."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tournaments import guesses, selectors, services
from tournaments.models import ROOM_CHARACTERS, Room, Seat
from tournaments.scorecard import to_par_text
from tournaments.services import rooms
from tournaments.views.common import ERRORS

from .factories import codes, new_account, new_player
from .racing import begin, finish_hole, new_room, race_all, sit, start

pytestmark = pytest.mark.django_db

#: Of a room's page, for who has a seat.
QUERIES = 11
SETTINGS = {
    "holes": "3",
    "rule_set": "C",
    "ranking": "app_score",
    "strokes_kind": "below_par",
    "hole_minutes": "7",
    "grace_seconds": "30",
    "hints_allowed": "on",
    "is_public": "on",
}


def as_(player: Player) -> Client:
    client = Client()
    client.force_login(player)
    return client


def text(response: Any, status: int = 200) -> str:
    """The words of a page's main part, without its tags and scripts."""
    assert response.status_code == status
    body = response.content.decode().split('<main id="main"')[1].split("</main>")[0]
    body = re.sub(r"<script.*?</script>", " ", body, flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", body).split()))


def page(room: Room, name: str = "room", *args: Any) -> str:
    return reverse(name, args=[room.code, *args])


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def data(response: Any, name: str) -> Any:
    """What the page tells its scripts."""
    found = re.search(
        rf'<script id="{name}" type="application/json">(.*?)</script>', response.content.decode()
    )
    assert found is not None
    return json.loads(found[1])


class TestLobby:
    def test_an_empty_one_says_what_to_do(self, client: Client) -> None:
        words = text(client.get(reverse("races")))
        assert "No public room is open right now" in words
        assert "Your rooms" not in words

    def test_public_rooms_in_which_somebody_is(self, client: Client) -> None:
        shown = new_room(is_public=True, holes=3)
        new_room(new_account("Bo"))
        assert client.get(reverse("races_list")).context["rooms"] == (
            selectors.rooms.public_rooms()
        )
        words = text(client.get(reverse("races")))
        listed = f"{shown.code} Ann Easy · 3 holes · strokes, then time gathering 1 player is there"
        assert listed in words
        assert listed in " ".join(
            re.sub(r"<[^>]+>", " ", client.get(reverse("races_list")).content.decode()).split()
        )

    def test_a_room_that_races_is_listed_as_such(self, client: Client) -> None:
        start(new_room(is_public=True))
        assert "racing 1 player is there" in text(client.get(reverse("races")))

    def test_ones_own_rooms(self) -> None:
        room = new_room()
        assert f"Your rooms {room.code} host" in text(as_(room.host).get(reverse("races")))

    def test_a_code_typed_in_any_way_leads_to_its_room(self, client: Client) -> None:
        room = new_room()
        typed = f" {room.code[:2].lower()} {room.code[2:].lower()}"
        response = client.get(reverse("races"), {"code": typed})
        assert (response.status_code, response.headers["Location"]) == (302, page(room))

    def test_a_code_of_no_room_is_told_at_the_field(self, client: Client) -> None:
        words = text(client.get(reverse("races"), {"code": "QQQQQ"}))
        assert "There is no room with this code." in words

    @pytest.mark.parametrize("rows", [1, 3])
    def test_the_same_queries_however_long(self, rows: int, django_assert_num_queries: Any) -> None:
        ann = new_account("Ann")
        for number in range(rows):
            room = new_room(new_account(f"Host {number}"), is_public=True)
            sit(room, ann)
        client = as_(ann)
        with django_assert_num_queries(4):
            client.get(reverse("races"))


class TestOpening:
    def test_one_click_for_who_has_a_name(self) -> None:
        guest = new_player("Gus")
        response = as_(guest).post(reverse("room_new"))
        room = Room.objects.get()
        assert response.headers["Location"] == page(room)
        assert (room.host, room.is_public) == (guest, False)

    def test_a_public_one(self) -> None:
        as_(new_account("Ann")).post(reverse("room_new"), {"public": "1"})
        assert Room.objects.get().is_public

    def test_a_visitor_gives_a_name(self, client: Client) -> None:
        response = client.post(reverse("room_new"), {"name": ""})
        assert "Please choose a name." in text(response)
        response = client.post(reverse("room_new"), {"name": "Gus"}, follow=True)
        room = Room.objects.get()
        assert response.redirect_chain == [(page(room), 302)]
        assert (room.host.name, room.host.is_guest) == ("Gus", True)

    def test_so_many_and_no_more(self) -> None:
        ann = new_account("Ann")
        for _ in range(rooms.MOST_ROOMS):
            new_room(ann)
        response = as_(ann).post(reverse("room_new"), follow=True)
        assert said(response) == [str(ERRORS["too_many_rooms"])]

    def test_an_address_that_was_posted_to_leads_to_the_lobby(self, client: Client) -> None:
        assert client.get(reverse("room_new")).headers["Location"] == reverse("races")


class TestRoom:
    def test_the_state_comes_with_the_page(self) -> None:
        room = new_room(holes=3)
        sit(room, "Bo")
        response = as_(room.host).get(page(room))
        state, you = data(response, "room-said")
        assert (state["type"], state["room"], state["phase"]) == ("room", room.code, "gathering")
        assert [seat["name"] for seat in state["seats"]] == ["Ann", "Bo"]
        assert (you["seat"], you["host"]) == (Seat.objects.get(player=room.host).pk, True)
        words = text(response)
        assert "Leave the room" in words
        assert "Take a seat" not in words

    def test_a_visitor_takes_a_seat_by_a_name(self, client: Client) -> None:
        room = new_room()
        assert "Nickname Take a seat" in text(client.get(page(room)))
        assert "Please choose a name." in text(client.post(page(room, "room_join"), {"name": " "}))
        response = client.post(page(room, "room_join"), {"name": "Gus"}, follow=True)
        assert response.redirect_chain == [(page(room), 302)]
        assert "Take a seat" not in text(response)
        assert list(room.seats.values_list("name", flat=True)) == ["Ann", "Gus"]

    def test_who_has_a_name_takes_a_seat_in_one_click(self) -> None:
        room, bo = new_room(), new_account("Bo")
        client = as_(bo)
        words = text(client.get(page(room)))
        assert "Take a seat" in words
        assert "Nickname" not in words
        client.post(page(room, "room_join"))
        client.post(page(room, "room_join"))
        assert room.seats.filter(player=bo).count() == 1

    def test_a_code_in_small_letters_leads_to_the_address(self, client: Client) -> None:
        room = new_room()
        response = client.get(reverse("room", args=[room.code.lower()]))
        assert response.headers["Location"] == page(room)
        assert client.get(reverse("room", args=["QQQQQ"])).status_code == 404

    def test_the_link_as_a_qr_code(self, client: Client) -> None:
        response = client.get(page(new_room(), "room_code"))
        assert response.headers["Content-Type"] == "image/svg+xml"
        assert response.content.startswith(b"<svg")

    def test_leaving(self) -> None:
        room = new_room()
        bo = sit(room, "Bo").player
        response = as_(bo).post(page(room, "room_leave"), follow=True)
        assert said(response) == ["You have left the room."]
        assert not room.seats.get(player=bo).is_taken

    def test_a_closed_room_says_so_and_keeps_its_races(self, client: Client) -> None:
        room = new_room()
        race = race_all(room)
        Room.objects.update(closed_at=timezone.now())
        response = client.get(page(room))
        assert "This room is closed" in text(response)
        assert page(room, "race", race.slug) in response.content.decode()
        joined = as_(new_account("Bo")).post(page(room, "room_join"), follow=True)
        assert said(joined) == [str(ERRORS["room_closed"])]

    @pytest.mark.parametrize("seats", [1, 4])
    def test_the_same_queries_however_many(
        self, seats: int, django_assert_num_queries: Any
    ) -> None:
        room = new_room()
        for number in range(seats):
            sit(room, f"Player {number}")
        client = as_(room.host)
        with django_assert_num_queries(QUERIES):
            client.get(page(room))


class TestGuessing:
    """Codes are invitations: they are not found by trying."""

    def wrong(self, client: Client, count: int) -> None:
        for number in range(count):
            code = f"AAAA{ROOM_CHARACTERS[number]}"
            assert client.get(reverse("room", args=[code])).status_code == 404

    def test_an_address_has_a_few_wrong_codes(self) -> None:
        found = new_room()
        address = reverse("room", args=[found.code])
        somewhere, elsewhere = Client(REMOTE_ADDR="203.0.113.7"), Client(REMOTE_ADDR="203.0.113.8")
        self.wrong(somewhere, guesses.BURST)
        for page in (
            address,
            reverse("room", args=["AAAAA"]),
            reverse("room_code", args=["AAAAA"]),
        ):
            refused = somewhere.get(page)
            assert (refused.status_code, refused["Retry-After"]) == (429, "60")
            assert "max-age=86400" not in refused.headers.get("Cache-Control", "")
        assert "Too many wrong codes of rooms" in refused.content.decode()
        assert somewhere.post(reverse("room_join", args=["AAAAA"])).status_code == 429
        assert somewhere.get(reverse("races"), {"code": found.code}).status_code == 429
        # The lobby is there, and so is the room for everybody else.
        assert somewhere.get(reverse("races")).status_code == 200
        assert elsewhere.get(address).status_code == 200

    def test_typed_codes_count_and_right_ones_do_not(self) -> None:
        found = new_room()
        client = Client(REMOTE_ADDR="203.0.113.7")
        for _ in range(2 * guesses.BURST):
            assert client.get(reverse("races"), {"code": found.code}).status_code == 302
        for _ in range(guesses.BURST):
            assert client.get(reverse("races"), {"code": "AAAAA"}).status_code == 200
        assert client.get(reverse("races"), {"code": "AAAAA"}).status_code == 429

    def test_who_sits_there_is_let_in_all_the_same(self) -> None:
        found = new_room()
        client = Client(REMOTE_ADDR="203.0.113.7")
        client.force_login(found.host)
        self.wrong(client, guesses.BURST)
        assert client.get(reverse("room", args=[found.code])).status_code == 200
        assert client.get(reverse("room", args=["AAAAA"])).status_code == 429

    def test_this_computer_may_do_as_it_likes(self, client: Client) -> None:
        self.wrong(client, guesses.BURST + 5)


class TestRemoving:
    def test_the_host_takes_a_seat_away_for_good(self) -> None:
        room = new_room()
        seat = sit(room, "Bo")
        as_(room.host).post(page(room, "room_remove", seat.pk))
        seat.refresh_from_db()
        assert seat.is_removed
        client = as_(seat.player)
        words = text(client.get(page(room)))
        assert "you cannot come back to this room" in words
        assert "Take a seat" not in words
        response = client.post(page(room, "room_join"), follow=True)
        assert said(response) == [str(ERRORS["removed_seat"])]

    def test_nobody_else_does(self) -> None:
        room = new_room()
        seat = sit(room, "Bo")
        response = as_(seat.player).post(page(room, "room_remove", seat.pk), follow=True)
        assert said(response) == [str(ERRORS["not_host"])]
        seat.refresh_from_db()
        assert not seat.is_removed


class TestSettings:
    def test_the_host_sets_the_next_race(self) -> None:
        room = new_room()
        client = as_(room.host)
        assert "The next race" in text(client.get(page(room, "room_settings")))
        response = client.post(page(room, "room_settings"), SETTINGS)
        assert response.headers["Location"] == page(room)
        room.refresh_from_db()
        shown = (room.holes, room.rules, room.ranking, room.strokes_kind, room.hole_minutes)
        assert shown == (3, "C", "app_score", "below_par", 7)
        shown = (room.grace_seconds, room.undo_allowed, room.hints_allowed, room.is_public)
        assert shown == (30, False, True, True)

    def test_rules_of_ones_own(self) -> None:
        room = new_room()
        own = {"rule_set": "custom", "king_ace": "apart", "on_king": "nothing", "jokers": "2"}
        as_(room.host).post(page(room, "room_settings"), {**SETTINGS, **own})
        room.refresh_from_db()
        rules = rooms.settings_of(room=room).rules
        assert (rules.king_ace, rules.on_king, rules.jokers) == ("apart", "nothing", 2)
        form = as_(room.host).get(page(room, "room_settings")).context["form"]
        assert (form.initial["rule_set"], form.initial["jokers"]) == ("custom", 2)

    def test_pasted_deals_decide_rules_and_holes_and_only_the_host_sees_them(self) -> None:
        room = new_room()
        texts = [code.text for code in codes(2)]
        pasted = {**SETTINGS, "codes": "\n".join(texts)}
        as_(room.host).post(page(room, "room_settings"), pasted)
        room.refresh_from_db()
        assert (room.holes, room.rules, room.is_friendly) == (2, "E", True)
        shown = as_(room.host).get(page(room, "room_settings")).content.decode()
        assert texts[1] in shown
        for client in (as_(room.host), as_(sit(room, "Bo").player), Client()):
            assert texts[1] not in client.get(page(room)).content.decode()
        assert as_(sit(room, "Cy").player).get(page(room, "room_settings")).status_code == 403

    @pytest.mark.parametrize(
        ("field", "value", "error"),
        [
            ("holes", "2", "Select a valid choice. 2 is not one of the available choices."),
            ("hole_minutes", "0", "Ensure this value is greater than or equal to 1."),
            ("grace_seconds", "601", "Ensure this value is less than or equal to 600."),
            ("codes", "GO1-E", "Code 1: The number at the end has too few or too many characters."),
            ("codes", "GO1-E-AAAAAAB\n" * 10, "A race has at most 9 holes."),
            ("codes", "GO1-E-AAAAAAB GO1-E-AAAAAAB", None),
        ],
    )  # fmt: skip
    def test_what_no_race_can_have_is_told_at_its_field(
        self, field: str, value: str, error: str | None
    ) -> None:
        room = new_room()
        before = rooms.settings_of(room=room)
        response = as_(room.host).post(page(room, "room_settings"), {**SETTINGS, field: value})
        assert response.status_code == 200
        errors = dict(response.context["form"].errors)
        assert list(errors) == [field]
        if error is not None:
            assert errors[field] == [error]
        room.refresh_from_db()
        assert rooms.settings_of(room=room) == before

    def test_the_services_refusals_are_told_too(self) -> None:
        room = new_room()
        twice = {**SETTINGS, "codes": "GO1-E-AAAAAAB\nGO1-E-AAAAAAB"}
        response = as_(room.host).post(page(room, "room_settings"), twice)
        assert list(response.context["form"].errors) == ["codes"]
        start(room)
        response = as_(room.host).post(page(room, "room_settings"), SETTINGS, follow=True)
        assert said(response) == [str(ERRORS["race_running"])]


class TestRace:
    def test_results_with_both_scorings_times_and_every_line(self, client: Client) -> None:
        room = new_room()
        for name in ("Bo", "Cy"):
            sit(room, name)
        race = race_all(room)
        response = client.get(page(room, "race", race.slug))
        rows = response.context["rows"]
        assert sorted(row["row"].name for row in rows) == ["Ann", "Bo", "Cy"]
        words = text(response)
        for each in rows:
            entry = race.entries.get(name=each["row"].name)
            change = selectors.rooms.rating_changes(tournament=race)[entry.player_id]
            to_par = to_par_text(entry.to_par)
            minutes, seconds = divmod(entry.time_ms // 1000, 60)
            figures = f"{entry.strokes} {to_par} {entry.app_score} {minutes}:{seconds:02}"
            rating = f"{change.before} → {change.after} provisional"
            assert f"{entry.name} {figures} {rating} Hole 1" in words
            replay = reverse("hole_replay", args=[race.slug, entry.pk, 1])
            assert replay in response.content.decode()
            assert client.get(replay).status_code == 200

    def test_a_hole_that_somebody_has_missed_has_no_line(self, client: Client) -> None:
        room = new_room(holes=3)
        race = start(room)
        late = sit(room, "Late")
        for number in (1, 2, 3):
            finish_hole(race, number)
            if number < 3:
                begin(race)
        entry = race.entries.get(player=late.player)
        shown = client.get(page(room, "race", race.slug)).content.decode()
        links = [reverse("hole_replay", args=[race.slug, entry.pk, at]) in shown for at in (1, 2)]
        assert links == [False, True]

    def test_one_that_is_under_way_is_shown_in_its_room(self, client: Client) -> None:
        room = new_room()
        race = start(room)
        assert client.get(page(room, "race", race.slug)).headers["Location"] == page(room)

    def test_it_is_of_its_own_room_only(self, client: Client) -> None:
        race = race_all(new_room())
        other = new_room(new_account("Bo"))
        assert client.get(page(other, "race", race.slug)).status_code == 404
        assert client.get(page(other, "race", "no-such-race")).status_code == 404

    def test_addresses_of_tournaments_lead_there(self, client: Client) -> None:
        room = new_room()
        race = race_all(room)
        there = page(room, "race", race.slug)
        assert client.get(reverse("tournament", args=[race.slug])).headers["Location"] == there
        hole = reverse("hole", args=[race.slug, 1])
        assert client.get(hole).headers["Location"] == reverse("tournament", args=[race.slug])
        board = client.get(reverse("leaderboard", args=[race.slug])).content.decode()
        assert page(room) in board
        assert reverse("club", args=[race.club.slug]) not in board


def test_every_refusal_of_rooms_has_a_sentence() -> None:
    documented = services.TournamentError.__init__.__doc__ or services.TournamentError.__doc__ or ""
    of_rooms = documented.partition("Of rooms:")[2]
    codes_ = set(re.findall(r"``(\w+)``", of_rooms))
    assert codes_ >= {"too_many_rooms", "room_closed", "no_seat", "not_host", "in_room"}
    assert codes_ - set(ERRORS) == set()


def test_the_first_page_leads_to_races(client: Client) -> None:
    words = text(client.get(reverse("home")))
    assert "Race friends Join by code" in words
    room = new_room(is_public=True)
    assert "1 public room" in text(client.get(reverse("home")))
    response = as_(room.host).get(reverse("home")).content.decode()
    assert f'action="{reverse("room_new")}"' in response
