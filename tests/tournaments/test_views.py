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
from tournaments import selectors, services
from tournaments.models import Entry, Tournament

from .factories import (
    let_time_pass,
    new_club,
    new_entry,
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
        "9 holes: everyone gets the same cards",
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
        client.post(reverse("tournament_enter", args=[tournament.slug])),
        client.post(reverse("hole", args=[tournament.slug, 1])),
        client.get(reverse("hole", args=[tournament.slug, 1])),
    ):
        assert response.status_code == 302
        assert response["Location"] == f"{reverse('login')}?next={page}"
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
    assert client.get(reverse("tournament_enter", args=[tournament.slug])).status_code == 405


# --- the leaderboard ---------------------------------------------------------------------------


def rows(body: str) -> list[list[str]]:
    found = re.search(r"<tbody>(.*)</tbody>", body, re.DOTALL)
    assert found is not None
    table = re.findall(r"<tr.*?</tr>", found[1], re.DOTALL)
    cells = [re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL) for row in table]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row] for row in cells]


def test_the_board_shows_place_player_to_par_thru_strokes_score_and_holes(
    client: Client,
) -> None:
    tournament = new_tournament(holes=2)
    play_hole(new_entry(tournament, "Ann"), 1, "g")
    play_holes(new_entry(tournament, "Bo"), last=2)
    new_entry(tournament, "Cy")
    first, second = (game.strokes for game in Game.objects.order_by("pk")[1:3])
    score = sum(Game.objects.order_by("pk")[1:3].values_list("app_score", flat=True))
    body = client.get(reverse("leaderboard", args=[tournament.slug])).content.decode()
    ann, bo, cy = sorted(rows(body), key=lambda row: row[1])
    assert ann[:6] == [ann[0], "Ann", "+30", "1", "35", "0"]
    assert ann[6:] == ["35 (+30)", "·"]
    total = first + second
    to_par = {0: "E"}.get(total - 10, f"{total - 10:+}".replace("-", "−"))
    assert bo[1:6] == ["Bo", to_par, "F", str(total), str(score)]
    assert cy == ["–", "Cy", "–", "0", "–", "–", "·", "·"]
    assert {ann[0], bo[0]} == {"1", "2"}


def test_to_par_keeps_its_direction(client: Client, tournament: Tournament) -> None:
    entry = new_entry(tournament)
    play_hole(entry, 1)
    Entry.objects.update(to_par=-3)
    body = client.get(reverse("leaderboard", args=[tournament.slug])).content.decode()
    assert '<bdi dir="ltr" class="to-par under">−3</bdi>' in body


def test_my_row_is_marked(tournament: Tournament) -> None:
    mine, other = new_entry(tournament, "Ann"), new_entry(tournament, "Bo")
    body = client_of(mine).get(reverse("leaderboard", args=[tournament.slug])).content.decode()
    marked = re.findall(r'<tr id="entry-(\d+)" class="me', body)
    assert marked == [str(mine.pk)]
    assert f'id="entry-{other.pk}"' in body


def test_the_table_alone_is_what_the_page_shows(client: Client, tournament: Tournament) -> None:
    play_hole(new_entry(tournament), 1)
    page = client.get(reverse("leaderboard", args=[tournament.slug])).content.decode()
    table = client.get(reverse("leaderboard_table", args=[tournament.slug])).content.decode()
    assert table.startswith('<table class="table standings" data-version="2" data-phase="open">')
    assert table.strip() in page
    tournament.refresh_from_db()
    assert tournament.board_version == 2


def test_the_page_says_where_its_room_and_its_table_are(
    client: Client, tournament: Tournament
) -> None:
    body = client.get(reverse("leaderboard", args=[tournament.slug])).content.decode()
    assert f'data-socket="/ws/tournaments/{tournament.slug}/"' in body
    assert f'data-table="/tournaments/{tournament.slug}/leaderboard/table/?page=1"' in body
    assert re.search(r'<script type="module" src="[^"]*js/leaderboard.js"></script>', body)


def test_the_board_has_pages(
    client: Client, tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults = selectors.leaderboard.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "size", 2)
    entries = [new_entry(tournament, f"P{number}") for number in range(5)]
    url = reverse("leaderboard", args=[tournament.slug])
    assert [row[1] for row in rows(client.get(f"{url}?page=2").content.decode())] == ["P2", "P3"]
    mine = client_of(entries[4]).get(f"{url}?page=2")
    assert "Page 2 of 3" in text(mine)
    assert "Your place" in text(mine)
    for odd in ("0", "x", "-1", "9" * 30, "٣"):
        assert client.get(url, {"page": odd}).status_code == 200


@pytest.mark.parametrize("count", [1, 3])
def test_a_board_page_takes_the_same_queries_however_long(
    tournament: Tournament, count: int, django_assert_num_queries: Any
) -> None:
    for _ in range(count):
        play_hole(new_entry(tournament), 1)
    client = Client()
    with django_assert_num_queries(4):
        client.get(reverse("leaderboard", args=[tournament.slug]))


# --- the scorecard and the moves ---------------------------------------------------------------


def test_a_scorecard_is_laid_out_as_on_paper(client: Client, tournament: Tournament) -> None:
    entry = new_entry(tournament, "Ann")
    play_hole(entry, 1, "g")
    play_hole(entry, 2)
    second = Game.objects.latest("pk")
    body = client.get(reverse("scorecard", args=[tournament.slug, entry.pk])).content.decode()
    header = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', body)
    assert header == ["Hole", *map(str, range(1, 10)), "Total"]
    par, strokes, to_par, score = rows(body)
    assert par == ["Par", *["5"] * 9, "45"]
    assert strokes[:2] == ["Strokes", "35 (+30)"]
    assert strokes[3:] == ["·"] * 7 + [str(35 + second.strokes)]
    assert to_par[1] == "+30"
    assert score == ["App score", "0", str(second.app_score), *["·"] * 7, str(second.app_score)]


def test_a_scorecard_of_another_tournament_is_not_found(
    client: Client, tournament: Tournament
) -> None:
    entry = new_entry(new_tournament())
    assert client.get(reverse("scorecard", args=[tournament.slug, entry.pk])).status_code == 404


def test_moves_are_told_once_the_tournament_is_over(client: Client, tournament: Tournament) -> None:
    entry = new_entry(tournament)
    play_hole(entry, 1)
    card = reverse("scorecard", args=[tournament.slug, entry.pk])
    url = reverse("hole_replay", args=[tournament.slug, entry.pk, 1])
    assert client.get(url).status_code == 404
    assert url not in client.get(card).content.decode()
    let_time_pass(tournament)
    assert url in client.get(card).content.decode()
    page = text(client.get(url))
    assert Game.objects.get().deal_code in page
    assert "Moves of hole 1" in page
    assert (
        client.get(reverse("hole_replay", args=[tournament.slug, entry.pk, 2])).status_code == 404
    )


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
