"""A guest's entries go with the games to the account that takes them over."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import services as games_services
from games.models import Player
from games.signals import belongings_asked
from tests.games.factories import new_game
from tests.tournaments.factories import new_club, new_player, new_tournament, play
from tournaments import services
from tournaments.models import DealOpening, Entry, HoleResult, Membership, Tournament

pytestmark = pytest.mark.django_db


def member() -> Player:
    return games_services.sign_up(username="aino", name="Aino", password="seven columns")


def start(player: Player, tournament: Tournament, number: int = 1) -> HoleResult:
    entry = services.enter(tournament=tournament, player=player)
    return services.start_hole(entry=entry, number=number)


def version(tournament: Tournament) -> int:
    return Tournament.objects.get(pk=tournament.pk).board_version


def test_an_entry_moves_with_its_results() -> None:
    guest, player, tournament = new_player(), member(), new_tournament()
    result = start(guest, tournament)
    play(result.game, "ddg")
    services.record_result(game_id=result.game_id)
    before = version(tournament)
    merged = games_services.merge_guest(guest=guest, into=player)
    assert (merged.moved, merged.stayed) == (1, 0)
    entry = Entry.objects.get()
    assert (entry.player, entry.thru) == (player, 1)
    result.refresh_from_db()
    assert (result.entry, result.game.player) == (entry, player)
    # Whoever looks at the leaderboard learns of it.
    assert version(tournament) == before + 1
    # The next hole is the account's.
    assert services.start_hole(entry=entry, number=2).game.player == player
    guest.refresh_from_db()
    assert not guest.is_active


def test_where_the_account_has_one_of_its_own_the_guests_stays_with_its_games() -> None:
    guest, player = new_player(), member()
    both, guests_only = new_tournament(), new_tournament()
    own = start(player, both)
    staying = start(guest, both)
    moving = start(guest, guests_only)
    practice = new_game(guest)
    before = version(both)
    merged = games_services.merge_guest(guest=guest, into=player)
    assert (merged.moved, merged.stayed) == (2, 1)
    for result, owner in ((own, player), (staying, guest), (moving, player)):
        result.refresh_from_db()
        assert (result.entry.player, result.game.player) == (owner, owner)
    practice.refresh_from_db()
    assert practice.player == player
    assert version(both) == before
    guest.refresh_from_db()
    assert guest.is_active


def test_an_entry_that_stays_without_games_keeps_the_guest() -> None:
    guest, player, tournament = new_player(), member(), new_tournament()
    for each in (guest, player):
        services.enter(tournament=tournament, player=each)
    merged = games_services.merge_guest(guest=guest, into=player)
    assert (merged.moved, merged.stayed) == (0, 0)
    assert {entry.player for entry in Entry.objects.all()} == {guest, player}
    guest.refresh_from_db()
    assert guest.is_active


def test_whoever_saw_the_deals_has_seen_them_under_either_name() -> None:
    now = timezone.now()
    guest, player = new_player(), member()
    guest_saw, member_saw = new_tournament(), new_tournament()
    DealOpening.objects.create(tournament=guest_saw, player=guest, at=now)
    DealOpening.objects.create(tournament=member_saw, player=player, at=now)
    entry = services.enter(tournament=member_saw, player=guest)
    games_services.merge_guest(guest=guest, into=player)
    entry.refresh_from_db()
    assert (entry.player, entry.status) == (player, Entry.Status.UNRANKED)
    assert {opening.player for opening in DealOpening.objects.all()} == {player}


def test_a_guests_place_in_a_club_moves_unless_the_account_has_one() -> None:
    guest, player = new_player(), member()
    both, guests_only = new_club(), new_club()
    for club, who in ((both, guest), (both, player), (guests_only, guest)):
        Membership.objects.create(
            club=club, player=who, name=who.name, name_key=f"{who.pk}", status="banned"
        )
    games_services.merge_guest(guest=guest, into=player)
    places = {(row.club, row.player) for row in Membership.objects.all()}
    assert places == {(both, guest), (both, player), (guests_only, player)}
    assert set(Membership.objects.values_list("status", flat=True)) == {"banned"}


def test_a_guest_is_told_of_tournaments() -> None:
    guest, player = new_player(), member()
    said = [told for _r, told in belongings_asked.send(sender=Player, player=guest) if told]
    assert said == []
    for _ in range(2):
        services.enter(tournament=new_tournament(), player=guest)
    browser = Client()
    browser.force_login(guest)
    browser.post(reverse("login"), {"username": "aino", "password": "seven columns"})
    page = browser.get(reverse("take_over")).content.decode()
    assert "<li>0 games</li><li>2 tournaments entered</li>" in page
    browser.post(reverse("take_over"))
    assert {entry.player for entry in Entry.objects.all()} == {player}
