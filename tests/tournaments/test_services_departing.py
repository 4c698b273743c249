"""Nobody is left anywhere who has gone for good, and what is kept is told completely."""

import json
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import CharField, JSONField, TextField
from django.test import Client
from django.urls import reverse

from games import deletion
from games import services as games_services
from games.models import Player
from tournaments import selectors, services
from tournaments.models import (
    BundleChange,
    Membership,
    Rating,
    RatingChange,
    Seat,
)
from tournaments.services import rooms

from .factories import (
    new_account,
    new_club,
    new_member,
    new_player,
    new_tournament,
    play_hole,
)
from .racing import begin, finish, game_of, new_room, race_all, racing, sit, start, tick

pytestmark = pytest.mark.django_db

#: What the player is called in different places; nobody else is.
NAMES = ("zebedee", "quux", "zebbo", "zeb the ace")


def zebedee() -> Player:
    player = games_services.sign_up(
        username="zebedee", name="Zebedee Quux", password="seven columns"
    )
    games_services.rename(player=player, name="Zebbo")
    return player


def where_named() -> list[str]:
    """The columns in which any of the names stands, of all tables."""
    found = []
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if not isinstance(field, CharField | TextField | JSONField):
                continue
            values = model._default_manager.values_list(field.attname, flat=True)
            texts = [json.dumps(value, default=str).casefold() for value in values]
            if any(name in text for name in NAMES for text in texts):
                found.append(f"{model._meta.label}.{field.name}")
    return found


def test_no_name_is_left_in_any_table() -> None:
    player = zebedee()
    # A guest of his, whose entry cannot move: he has one there already.
    tournament = new_tournament(holes=1)
    guest = new_player("Zeb the ace")
    both = [services.enter(tournament=tournament, player=each) for each in (player, guest)]
    for entry in both:
        play_hole(entry, 1)
    games_services.merge_guest(guest=guest, into=player)
    other_guest = new_player("Zeb the ace")
    games_services.merge_guest(guest=other_guest, into=player)
    club = new_club()
    owner = new_member(club, "Olga", role="owner")
    services.allow_name(club=club, by=owner, username=player.username, name="Zebbo Q")
    services.join_club(club=club, player=player)
    membership = Membership.objects.get(player=player)
    services.rename_member(membership=membership, name="Zebedee", by=owner)
    services.set_role(membership=membership, role="director", by=owner)
    room = new_room(player)
    sit(room, "Ann")
    race_all(room)
    left = new_room(new_account("Bo"))
    sit(left, player)
    rooms.leave_seat(room=left, player=player)
    superuser = Player.objects.create_superuser("root", name="Root")
    LogEntry.objects.create(
        user=superuser,
        content_type=ContentType.objects.get_for_model(Player),
        object_id=str(player.pk),
        object_repr=str(player),
        action_flag=CHANGE,
    )
    Client().post(reverse("login"), {"username": "zebedee", "password": "a guess"})
    assert "tournaments.Seat.name" in where_named()
    deletion.delete_player(player=player)
    assert where_named() == []


class TestRaces:
    def test_who_goes_in_the_middle_of_a_race_is_out_of_it_and_the_race_goes_on(self) -> None:
        room = new_room(holes=2)
        bo = sit(room, "Bo").player
        sit(room, "Cy")
        race = start(room)
        name = deletion.delete_player(player=Player.objects.get(name="Ann"))
        room.refresh_from_db()
        assert room.host == bo
        assert Seat.objects.get(name=name).left_at is not None
        assert "Ann" not in str(selectors.rooms.race_state(room=room))
        assert game_of(race, name).closes_at is not None
        tick()
        for racer in ("Bo", "Cy"):
            finish(race, racer)
        begin(race)
        assert racing(race, 2) == ["Bo", "Cy"]
        for racer in ("Bo", "Cy"):
            finish(race, racer, 2)
        race.refresh_from_db()
        assert race.status == "final"
        assert set(race.entries.values_list("name", flat=True)) == {name, "Bo", "Cy"}
        # Who is gone is no account any more.
        rated = set(RatingChange.objects.values_list("player__name", flat=True))
        assert rated == {"Bo", "Cy"}

    def test_a_race_that_is_over_keeps_its_result_and_says_that_its_file_is_new(self) -> None:
        room = new_room()
        sit(room, "Bo")
        race = race_all(room)
        name = deletion.delete_player(player=Player.objects.get(name="Bo"))
        assert list(BundleChange.objects.values_list("tournament", "name")) == [(race.pk, name)]
        assert not Rating.objects.filter(player__name=name).exists()
        body = Client().get(reverse("race", args=[room.code, race.slug])).content.decode()
        assert name in body
        assert ">Bo<" not in body

    def test_the_seat_of_who_is_gone_is_free_of_the_name(self) -> None:
        room = new_room()
        bo = sit(room, "Bo").player
        version = room.version
        deletion.delete_player(player=bo)
        assert sit(room, "Bo").name == "Bo"
        room.refresh_from_db()
        assert room.version > version


def relations_to_players() -> set[str]:
    """All columns that name a player."""
    return {
        f"{model._meta.model_name}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.related_model is Player
    }


#: What names a player and is not in his own data: the site's own bookkeeping, or others' rows in
#: which he only did something.
NOT_HIS = {
    "logentry.user",  # of who runs the site
    "accountevent.by",  # the events themselves are those of the account that they are about
    "allowedname.added_by",
    "flag.seen_by",
    "joinattempt.player",  # wrong passwords of the last minutes
}
#: By column, the list of the data that has it.
HIS: dict[str, str] = {
    "accountevent.player": "account_events",
    "clubevent.by": "club_events",
    "clubevent.player": "club_events",
    "correction.by": "corrections",
    "dealopening.player": "deals_seen",
    "entry.player": "entries",
    "game.player": "games",
    "membership.player": "memberships",
    "rating.player": "rating",
    "ratingchange.player": "rating_changes",
    "room.host": "rooms",
    "seat.player": "seats",
    "statuschange.by": "status_changes",
}


def test_every_column_that_names_a_player_is_in_his_data_or_known_to_be_none_of_it() -> None:
    assert relations_to_players() == set(HIS) | NOT_HIS
    assert set(HIS.values()) <= set(deletion.data_of(player=zebedee()))


def test_the_data_of_who_races_have_the_rooms_seats_and_ratings() -> None:
    room = new_room(holes=3)
    bo = sit(room, "Bo").player
    race = race_all(room)
    host = Player.objects.get(name="Ann")
    data: dict[str, Any] = json.loads(json.dumps(deletion.data_of(player=host), default=str))
    (own,) = data["rooms"]
    assert (own["code"], own["holes"]) == (room.code, 3)
    assert "codes" not in own
    (seat,) = data["seats"]
    assert (seat["room__code"], seat["name"], seat["is_removed"]) == (room.code, "Ann", False)
    (change,) = data["rating_changes"]
    assert change["tournament__slug"] == race.slug
    assert data["rating"] == [
        {"mu": change["mu_after"], "sigma": change["sigma_after"], "races": 1}
    ]
    of_bo = deletion.data_of(player=bo)
    assert of_bo["rooms"] == []
    assert [row["name"] for row in of_bo["seats"]] == ["Bo"]
