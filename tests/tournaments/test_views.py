"""The pages of tournaments, as a visitor, a player and a late reader see them."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import services as games_services
from games.engine import RuleSet
from games.models import Game
from tournaments import services
from tournaments.models import Entry, Tournament

from .factories import (
    let_time_pass,
    new_club,
    new_entry,
    new_member,
    new_player,
    new_tournament,
    play_hole,
    play_holes,
)

pytestmark = pytest.mark.django_db


def client_of(entry_or_player: Any) -> Client:
    client = Client()
    client.force_login(getattr(entry_or_player, "player", entry_or_player))
    return client


def text(response: Any) -> str:
    """The words of a page, without its tags."""
    assert response.status_code == 200
    body = re.sub(r"<(script|style).*?</\1>", "", response.content.decode(), flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", body).split()))


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


# --- lists and the tournament's page -----------------------------------------------------------


def test_the_list_shows_what_is_open_to_come_and_over(client: Client) -> None:
    new_tournament(name="Spring Nine")
    new_tournament(name="Autumn Nine", opens_at=timezone.now() + timedelta(minutes=5))
    let_time_pass(new_tournament(name="Winter Nine"))
    page = text(client.get(reverse("tournaments")))
    order = [
        page.index(each)
        for each in ("Open now", "Spring Nine", "To come", "Autumn Nine", "Over", "Winter Nine")
    ]
    assert order == sorted(order)


def test_an_empty_list_says_so(client: Client) -> None:
    assert "No tournaments yet" in text(client.get(reverse("tournaments")))


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_takes_the_same_queries_however_long(
    client: Client, rows: int, django_assert_num_queries: Any
) -> None:
    for _ in range(rows):
        new_entry(new_tournament())
        let_time_pass(new_tournament())
    with django_assert_num_queries(4):
        client.get(reverse("tournaments"))


def test_a_visitor_reads_rules_window_and_zone(client: Client) -> None:
    club = new_club(name="Green Hill")
    rules = RuleSet(king_ace="apart", draw="when_stuck")
    tournament = new_tournament(club=club, name="Spring Nine", rules=rules)
    new_entry(tournament)
    page = text(client.get(reverse("tournament", args=[tournament.slug])))
    for words in (
        "Green Hill",
        "Spring Nine",
        "Custom rules",
        "Drawing: only when no card fits",
        "9 holes, par 45. Everyone gets the same cards",
        "The fewest strokes against par win",
        "Equal results share a place.",
        "1 player has entered.",
        "Opens:",
        "Closes:",
        "(UTC)",
        "Enter the tournament",
    ):
        assert words in page


def test_a_tournament_ranked_by_app_score_says_so(client: Client) -> None:
    tournament = new_tournament(rank_by="app_score")
    page = text(client.get(reverse("tournament", args=[tournament.slug])))
    assert "The highest app score wins" in page
    board = text(client.get(reverse("leaderboard", args=[tournament.slug])))
    assert "Ranked by app score." in board


@pytest.mark.parametrize("name", ["tournament", "leaderboard", "leaderboard_table"])
def test_there_is_no_such_tournament(client: Client, name: str) -> None:
    assert client.get(reverse(name, args=["nowhere"])).status_code == 404


# --- entering and playing ----------------------------------------------------------------------


def test_a_visitor_is_asked_to_log_in_and_comes_back(
    client: Client, tournament: Tournament
) -> None:
    page = reverse("tournament", args=[tournament.slug])
    for response in (
        client.post(reverse("hole", args=[tournament.slug, 1])),
        client.get(reverse("hole", args=[tournament.slug, 1])),
    ):
        assert response.status_code == 302
        assert response["Location"] == f"{reverse('login')}?next={page}"
    assert Entry.objects.count() == 0


def test_what_a_stranger_pressed_is_done_once_he_is_somebody(
    client: Client, tournament: Tournament
) -> None:
    page = reverse("tournament", args=[tournament.slug])
    enter = reverse("tournament_enter", args=[tournament.slug])
    assert client.get(enter)["Location"] == page
    response = client.post(enter)
    assert response["Location"] == f"{reverse('login')}?next={enter}"
    assert Entry.objects.count() == 0
    response = client.post(reverse("guest"), {"name": "Aino", "next": enter}, follow=True)
    assert response.redirect_chain == [(enter, 302), (page, 302)]
    assert [entry.name for entry in Entry.objects.all()] == ["Aino"]


def test_a_link_to_the_entering_enters_nobody(tournament: Tournament) -> None:
    page = reverse("tournament", args=[tournament.slug])
    client = client_of(new_player())
    assert client.get(reverse("tournament_enter", args=[tournament.slug]))["Location"] == page
    assert Entry.objects.count() == 0


def test_a_player_enters_plays_and_resumes(tournament: Tournament) -> None:
    player = new_player()
    client = client_of(player)
    page = reverse("tournament", args=[tournament.slug])
    hole = reverse("hole", args=[tournament.slug, 1])
    response = client.post(reverse("tournament_enter", args=[tournament.slug]), follow=True)
    assert response.redirect_chain == [(page, 302)]
    assert "Play hole 1" in text(response)
    response = client.post(hole, follow=True)
    game = Game.objects.get()
    assert response.redirect_chain == [(hole, 302)]
    assert "Hole 1 of 9" in text(response)
    assert f"/ws/games/{game.public_id}/" in response.content.decode()
    assert "Go on with hole 1" in text(client.get(page))
    client.post(hole)
    assert Game.objects.get() == game


def test_the_board_leads_to_the_next_hole_which_a_post_starts(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    play_hole(entry, 1)
    client = client_of(entry)
    response = client.get(reverse("hole", args=[tournament.slug, 1]))
    second = reverse("hole", args=[tournament.slug, 2])
    assert response.context["links"]["next_post"] == second
    assert "next_post" not in self_links(client, play_holes(entry, first=2), 9)


def self_links(client: Client, entry: Entry, number: int) -> dict[str, str]:
    response = client.get(reverse("hole", args=[entry.tournament.slug, number]))
    links: dict[str, str] = response.context["links"]
    return links


def test_getting_a_hole_never_starts_it(tournament: Tournament) -> None:
    client = client_of(new_entry(tournament))
    response = client.get(reverse("hole", args=[tournament.slug, 1]))
    assert (response.status_code, Game.objects.count()) == (302, 0)
    assert client.get(reverse("hole", args=[tournament.slug, 10])).status_code == 404


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (2, "Holes are played in order: finish the one before first."),
        (10, "This tournament has no such hole."),
    ],
)
def test_a_hole_that_cannot_start_says_why(tournament: Tournament, number: int, words: str) -> None:
    client = client_of(new_entry(tournament))
    response = client.post(reverse("hole", args=[tournament.slug, number]), follow=True)
    assert said(response) == [words]
    assert Game.objects.count() == 0


def test_who_has_not_entered_is_told(tournament: Tournament) -> None:
    client = client_of(new_player())
    response = client.post(reverse("hole", args=[tournament.slug, 1]), follow=True)
    assert said(response) == ["Enter the tournament first."]


def test_too_early_and_too_late_are_told() -> None:
    early = new_tournament(opens_at=timezone.now() + timedelta(minutes=5))
    entry = new_entry(early)
    response = client_of(entry).post(reverse("hole", args=[early.slug, 1]), follow=True)
    assert said(response) == ["This tournament has not opened yet."]
    assert "You have entered." in text(response)
    assert "Play hole" not in text(response)
    over = let_time_pass(new_tournament())
    client = client_of(new_player())
    response = client.post(reverse("tournament_enter", args=[over.slug]), follow=True)
    assert said(response) == ["This tournament is over: no hole can be started any more."]
    assert "Enter the tournament" not in text(response)


@pytest.mark.parametrize("name", ["tournament", "leaderboard", "tournaments"])
def test_pages_refuse_other_methods(tournament: Tournament, name: str) -> None:
    args = [] if name == "tournaments" else [tournament.slug]
    client = client_of(new_player())
    assert client.post(reverse(name, args=args)).status_code == 405


# --- read late ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tournament", "leaderboard", "leaderboard_table"])
def test_whatever_is_read_late_is_closed_although_no_director_came(
    client: Client, tournament: Tournament, name: str
) -> None:
    entry = new_entry(tournament, "Ann")
    result = services.start_hole(entry=entry, number=1)
    games_services.start_clock(game_id=result.game_id)
    let_time_pass(tournament)
    page = text(client.get(reverse(name, args=[tournament.slug])))
    tournament.refresh_from_db()
    entry.refresh_from_db()
    assert tournament.is_revealed
    assert (entry.thru, entry.strokes) == (1, 35)
    if name != "tournament":
        assert "DNF" in page


def test_what_a_hidden_club_has_opens_by_its_address_and_leads_no_further(client: Client) -> None:
    club = new_club(name="Behind the hedge", slug="hedge", is_hidden=True)
    today = timezone.now().date()
    season = services.create_season(
        club=club,
        plan=services.SeasonPlan(name="Year", slug="year", starts_on=today, ends_on=today),
    )
    tournament = new_tournament(club=club)
    member = client_of(new_member(club))
    link = f'href="{reverse("club", args=[club.slug])}"'
    for url in (
        reverse("tournament", args=[tournament.slug]),
        reverse("leaderboard", args=[tournament.slug]),
        reverse("season", args=[season.slug]),
    ):
        body = client.get(url).content.decode()
        assert "Behind the hedge" in body
        assert link not in body
        assert '<meta name="robots" content="noindex">' in body
        assert link in member.get(url).content.decode()
    club.is_hidden = False
    club.save()
    body = client.get(reverse("tournament", args=[tournament.slug])).content.decode()
    assert link in body
    assert "noindex" not in body


@pytest.mark.parametrize("is_friendly", [False, True])
def test_its_pages_lead_to_the_proof_and_to_what_was_decided(
    client: Client, is_friendly: bool
) -> None:
    tournament = new_tournament(is_friendly=is_friendly)
    proof, decided = (
        f'href="{reverse(name, args=[tournament.slug])}"'
        for name in ("tournament_proof", "tournament_corrections")
    )
    page = client.get(reverse("tournament", args=[tournament.slug])).content.decode()
    assert proof in page
    assert (tournament.commitment in page) is not is_friendly
    board = client.get(reverse("leaderboard", args=[tournament.slug])).content.decode()
    assert proof in board
    assert decided in board
