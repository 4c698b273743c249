"""While a tournament runs nobody sees a code or a card, on whichever page and in the admin."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import services as games_services
from games.engine import EASY, GameCode
from games.models import AccountEvent, Game, Player
from tournaments import services
from tournaments.models import (
    Club,
    ClubEvent,
    Correction,
    Device,
    Entry,
    Flag,
    Hole,
    HoleResult,
    Membership,
    Rating,
    RatingChange,
    Recurrence,
    Room,
    Season,
    Seat,
    StatusChange,
    Tournament,
)

from .factories import (
    first_legal,
    let_time_pass,
    new_account,
    new_entry,
    new_tournament,
    play,
    play_hole,
    secrets_of,
)
from .racing import begin, finish_hole, new_room, sit, start
from .world import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def running() -> Tournament:
    """One hole finished, one in progress, one only started, all the others to come."""
    tournament = new_tournament(codes=None)
    ahead, behind, idle = (new_entry(tournament, name) for name in ("Ann", "Bo", "Cy"))
    play_hole(ahead, 1)
    result = services.start_hole(entry=ahead, number=2)
    play(result.game, first_legal(result.game)[:6])
    services.start_hole(entry=behind, number=1)
    assert idle.results.count() == 0
    return tournament


def pages(tournament: Tournament) -> Iterator[str]:
    slug = tournament.slug
    yield reverse("home")
    yield reverse("tournaments")
    for name in (
        "tournament", "leaderboard", "leaderboard_table", "tournament_proof", "tournament_bundle",
    ):  # fmt: skip
        yield reverse(name, args=[slug])
    for name in ("tournament_deals", "tournament_flags"):
        yield reverse(name, args=[slug])
    for entry in tournament.entries.all():
        yield reverse("scorecard", args=[slug, entry.pk])
        for number in range(1, 10):
            yield reverse("hole_replay", args=[slug, entry.pk, number])
    for number in range(1, 11):
        yield reverse("hole", args=[slug, number])
    yield reverse("my_games")
    for game in Game.objects.all():
        yield reverse("game", args=[game.public_id])
        yield reverse("game_moves", args=[game.public_id])


_TRACES: tuple[Any, ...] = (
    AccountEvent, ClubEvent, Correction, Flag, Membership, Rating, RatingChange, Recurrence, Room,
    Season, Seat, StatusChange,
)  # fmt: skip


def admin_pages(tournament: Tournament) -> Iterator[str]:
    rows: list[Any] = [
        *Club.objects.all(),
        tournament,
        *Entry.objects.all(),
        *HoleResult.objects.all(),
        *Game.objects.all(),
        *Player.objects.all(),
        *(row for model in _TRACES for row in model.objects.all()),
    ]
    models = {type(row) for row in rows}
    yield reverse("admin:index")
    for model in models:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{name}_changelist")
        yield reverse(f"{name}_changelist") + "?q=a&e=1"
        yield reverse(f"{name}_add")
    for row in rows:
        name = f"admin:{row._meta.app_label}_{row._meta.model_name}"
        for view in ("change", "delete", "history"):
            yield reverse(f"{name}_{view}", args=[row.pk])
    for code in tournament.holes.values_list("deal_code", flat=True)[:2]:
        # What a person who guesses would ask; the answer must be the same for right and wrong.
        for lookup in ("deal_code", "holes__deal_code__startswith", "game__deal_code"):
            for model in ("tournament", "entry", "holeresult"):
                yield reverse(f"admin:tournaments_{model}_changelist") + f"?{lookup}={code[:9]}"


def leaks(client: Client, urls: Iterator[str], secrets: list[str]) -> list[tuple[str, str]]:
    found = []
    for url in urls:
        response = client.get(url, follow=True)
        assert response.status_code in {200, 400, 403, 404}, url
        body = response.content.decode()
        found += [(url, secret) for secret in secrets if secret in body]
    return found


def test_every_admin_of_these_apps_is_looked_at() -> None:
    shown = {
        model for model in admin.site._registry if model._meta.app_label in {"games", "tournaments"}
    }
    assert shown == {Player, Game, Club, Tournament, Entry, HoleResult, *_TRACES}
    assert not admin.site.is_registered(Hole)
    assert not admin.site.is_registered(Device)


@pytest.mark.parametrize("who", ["nobody", "player", "director"])
def test_no_page_gives_a_deal_away(running: Tournament, who: str) -> None:
    client = Client()
    if who == "player":
        client.force_login(running.entries.get(player__name="Ann").player)
    elif who == "director":
        client.force_login(Player.objects.create_superuser("director", password="x", name="D"))
    assert leaks(client, pages(running), secrets_of(running)) == []


def test_no_admin_view_gives_a_deal_away(running: Tournament) -> None:
    director = Player.objects.create_superuser("director", password="x", name="D")
    client = Client()
    client.force_login(director)
    LogEntry.objects.create(
        user=director,
        content_type=ContentType.objects.get_for_model(Tournament),
        object_id=str(running.pk),
        object_repr=str(running),
        action_flag=CHANGE,
        change_message='[{"changed": {"fields": ["name"]}}]',
    )
    assert leaks(client, admin_pages(running), secrets_of(running)) == []


@pytest.mark.parametrize("who", ["nobody", "racer", "superuser"])
def test_no_page_gives_the_deals_of_a_race_away(who: str) -> None:
    """Neither those of the holes to come, nor of one that is over while the race goes on."""
    room = new_room(holes=3)
    sit(room, "Bo")
    race = start(room)
    finish_hole(race)
    begin(race)
    other = new_room(new_account("Cy"), codes=(GameCode.secret(EASY, 10**35),))
    secrets = [*secrets_of(race), other.codes]
    client = Client()
    if who == "racer":
        client.force_login(room.host)
    elif who == "superuser":
        client.force_login(Player.objects.create_superuser("root", password="x", name="Root"))
    assert leaks(client, pages(race), secrets) == []
    assert leaks(client, admin_pages(race), secrets) == []


@pytest.mark.parametrize("who", ["superuser", "owner"])
def test_no_admin_view_shows_any_other_secret(who: str) -> None:
    """Of a club with one of everything: salts, invitations, tokens, passwords and their hashes."""
    world = World("North")
    player = world.owner
    player.is_staff, player.is_superuser = True, who == "superuser"
    player.save()
    device = Device.objects.create(key="k" * 32, tablet_of=world.club, label="Tablet")
    HoleResult.objects.update(device=device)
    practice = games_services.new_practice_game(
        player=world.entry.player, code=games_services.random_practice_code(rules=EASY)
    )
    shared = games_services.share_game(game=play(practice, "g"))
    club, tournament = Club.objects.get(), Tournament.objects.get()
    kept = [*club.join_password.split("$")[1:], *player.password.split("$")[1:]]
    secrets = [
        club.invitation,
        club.join_password,
        *(part[:6] for part in kept),
        player.password,
        tournament.salt,
        shared.share_token,
        device.key,
        "North opens it",
        *secrets_of(tournament),
    ]
    assert [secret for secret in secrets if not secret] == []
    client = Client()
    client.force_login(player)
    assert leaks(client, admin_pages(tournament), secrets) == []


def test_what_the_database_says_of_a_row_is_not_logged(
    running: Tournament, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL quotes the row that fails a check, and with it the code."""
    code = running.holes.first().deal_code

    def fail(**kwargs: Any) -> None:
        from django.db import IntegrityError

        raise IntegrityError(f"new row violates a check. Failing row contains ({code})")

    monkeypatch.setattr(games_services, "close_game", fail)
    let_time_pass(running)
    assert services.close_due(now=timezone.now()) == 0
    assert Client().get(reverse("leaderboard", args=[running.slug])).status_code == 200
    # The one in progress; the one that was only started is taken back.
    game = Game.objects.get(finished_at=None)
    assert caplog.messages == [f"Game {game.pk} was not closed: IntegrityError"]
    assert code not in caplog.text


def test_the_same_pages_do_show_the_deals_once_it_is_over(running: Tournament) -> None:
    """So that the tests above cannot pass by looking in the wrong place."""
    let_time_pass(running)
    services.close_due(now=timezone.now())
    client = Client()
    codes = secrets_of(running)[:1]
    assert {secret for _, secret in leaks(client, pages(running), codes)} == set(codes)
    client.force_login(Player.objects.create_superuser("director", password="x", name="D"))
    shown = {secret for _, secret in leaks(client, admin_pages(running), secrets_of(running))}
    assert set(running.holes.values_list("deal_code", flat=True)) <= shown
