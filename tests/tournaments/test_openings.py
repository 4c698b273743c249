"""A director may look at the deals, and then no longer ranks."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tournaments import scorecard, selectors, services
from tournaments.models import DealOpening, Entry, Tournament
from tournaments.selectors.fairness import deals_of, opening_of
from tournaments.services.results import refresh_entry

from .factories import (
    let_time_pass,
    new_account,
    new_entry,
    new_member,
    new_tournament,
    play_holes,
    secrets_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def running() -> Tournament:
    return new_tournament(codes=None, holes=2)


@pytest.fixture
def director(running: Tournament) -> Player:
    return new_member(running.club, "Dora", role="director")


def status_of(tournament: Tournament, player: Player) -> str:
    return Entry.objects.get(tournament=tournament, player=player).status


def test_who_has_seen_the_deals_enters_without_a_rank(
    running: Tournament, director: Player
) -> None:
    services.open_deals(tournament=running, by=director)
    entry = services.enter(tournament=running, player=director)
    refresh_entry(entry_id=entry.pk)
    assert status_of(running, director) == Entry.Status.UNRANKED
    entry.refresh_from_db()
    assert entry.may_play


def test_who_has_entered_loses_the_rank(running: Tournament, director: Player) -> None:
    services.enter(tournament=running, player=director)
    version = Tournament.objects.get(pk=running.pk).board_version
    services.open_deals(tournament=running, by=director)
    assert status_of(running, director) == Entry.Status.UNRANKED
    assert Tournament.objects.get(pk=running.pk).board_version > version  # the boards hear of it


def test_it_is_the_same_after_all_holes(running: Tournament, director: Player) -> None:
    entry = play_holes(services.enter(tournament=running, player=director), last=2)
    play_holes(new_entry(running, "Ann"), last=2)
    services.open_deals(tournament=running, by=director)
    entry.refresh_from_db()
    assert (entry.status, entry.thru) == (Entry.Status.UNRANKED, 2)
    let_time_pass(running)
    services.close_due(now=timezone.now())
    board = selectors.leaderboard(tournament=Tournament.objects.get(pk=running.pk))
    assert [(row.name, row.standing.place, row.standing.reason) for row in board.rows] == [
        ("Ann", 1, None),
        ("Dora", None, scorecard.Reason.NOT_RANKED),
    ]


def test_opening_twice_is_one_opening(running: Tournament, director: Player) -> None:
    first = services.open_deals(tournament=running, by=director)
    assert services.open_deals(tournament=running, by=director) == first
    assert DealOpening.objects.count() == 1
    assert opening_of(tournament=running, player=director) == first


def test_only_a_director_may(running: Tournament) -> None:
    for player in (new_account(), new_member(running.club), new_entry(running).player):
        with pytest.raises(services.TournamentError, match="not_allowed"):
            services.open_deals(tournament=running, by=player)
    assert not DealOpening.objects.exists()
    assert services.open_deals(
        tournament=running, by=Player.objects.create_superuser("root", password="x", name="R")
    )


def test_once_everybody_sees_them_there_is_nothing_to_open(
    running: Tournament, director: Player
) -> None:
    entry = play_holes(services.enter(tournament=running, player=director), last=2)
    let_time_pass(running)
    services.close_due(now=timezone.now())
    with pytest.raises(services.TournamentError, match="revealed"):
        services.open_deals(tournament=running, by=director)
    entry.refresh_from_db()
    assert entry.status == Entry.Status.ACTIVE


def test_the_selector_hands_deals_to_nobody_else(running: Tournament, director: Player) -> None:
    services.open_deals(tournament=running, by=director)
    other = new_member(running.club, role="owner")
    for player in (None, other, new_account()):
        with pytest.raises(DealOpening.DoesNotExist):
            deals_of(tournament=running, player=player)
    dealt = deals_of(tournament=running, player=director)
    codes = running.holes.order_by("number").values_list("deal_code", flat=True)
    assert [deal.code for deal in dealt] == list(codes)
    assert {len(deal.columns) for deal in dealt} == {7}
    assert {len(deal.stock) for deal in dealt} == {16}
    assert all(deal.code not in repr(deal) for deal in dealt)


class TestThePage:
    def url(self, tournament: Tournament) -> str:
        return reverse("tournament_deals", args=[tournament.slug])

    def test_it_warns_first_and_asks(
        self, client: Client, running: Tournament, director: Player
    ) -> None:
        client.force_login(director)
        page = client.get(self.url(running)).content.decode()
        assert "you can no longer rank in it" in page
        assert [secret for secret in secrets_of(running) if secret in page] == []
        refused = client.post(self.url(running)).content.decode()
        assert refused.count("Tick this box if you really want to see the deals.") == 2
        assert not DealOpening.objects.exists()

    def test_it_shows_codes_and_cards_after_that(
        self, client: Client, running: Tournament, director: Player
    ) -> None:
        services.enter(tournament=running, player=director)
        client.force_login(director)
        answer = client.post(self.url(running), {"confirm": "on"})
        assert (answer.status_code, answer["Location"]) == (302, self.url(running))
        page = client.get(self.url(running))
        text = page.content.decode()
        assert page["Cache-Control"].startswith("max-age=0, no-cache, no-store")
        for hole in running.holes.all():
            assert hole.deal_code in text
        assert text.count("data-card=") == 2 * 52
        assert DealOpening.objects.get().player == director
        assert status_of(running, director) == Entry.Status.UNRANKED

    def test_others_do_not_get_there(self, client: Client, running: Tournament) -> None:
        url = self.url(running)
        assert client.get(url)["Location"] == f"{reverse('login')}?next={url}"
        client.force_login(new_member(running.club))
        assert client.get(url).status_code == 403
        assert client.post(url, {"confirm": "on"}).status_code == 403
        assert not DealOpening.objects.exists()

    def test_another_director_sees_the_warning(
        self, client: Client, running: Tournament, director: Player
    ) -> None:
        services.open_deals(tournament=running, by=director)
        client.force_login(new_member(running.club, role="owner"))
        page = client.get(self.url(running)).content.decode()
        assert [secret for secret in secrets_of(running) if secret in page] == []

    def test_afterwards_it_leads_to_the_proof(
        self, client: Client, running: Tournament, director: Player
    ) -> None:
        let_time_pass(running)
        services.close_due(now=timezone.now())
        client.force_login(director)
        proof = reverse("tournament_proof", args=[running.slug])
        assert client.get(self.url(running))["Location"] == proof
        assert client.post(self.url(running), {"confirm": "on"})["Location"] == proof
