"""The pages of a club's seasons: the table, who may start and change one, what is explained."""

import html
import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from games.models import Player
from tournaments import services
from tournaments.models import Club, Season, Tournament
from tournaments.services import SeasonPlan

from .factories import (
    let_time_pass,
    new_club,
    new_draft,
    new_member,
    new_tournament,
    play_holes,
)

pytestmark = pytest.mark.django_db
TODAY = timezone.now().date()


@pytest.fixture
def club(db: None) -> Club:
    return new_club(slug="sofia")


@pytest.fixture
def director(club: Club) -> Client:
    client = Client()
    client.force_login(new_member(club, "Ann", role="director"))
    return client


def over(club: Club, players: list[Player], **fields: Any) -> Tournament:
    """A tournament of one hole that is final; all players have the same result."""
    tournament = new_tournament(club=club, holes=1, **fields)
    for player in players:
        play_holes(services.enter(tournament=tournament, player=player), last=1)
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    Tournament.objects.filter(pk=tournament.pk).update(status="final")
    return tournament


def new_season(club: Club, **fields: Any) -> Season:
    values: dict[str, Any] = {
        "name": "This year",
        "slug": "this-year",
        "starts_on": TODAY - timedelta(days=30),
        "ends_on": TODAY + timedelta(days=30),
        "points": (10, 5),
    }
    return services.create_season(club=club, plan=SeasonPlan(**{**values, **fields}))


def text(response: Any) -> str:
    body = re.sub(r"<[^>]+>", " ", response.content.decode())
    return html.unescape(re.sub(r"\s+", " ", body))


def errors(response: Any) -> dict[str, list[str]]:
    assert response.status_code == 200
    found = response.context["form"].errors.as_data()
    return {name: [str(error.code) for error in each] for name, each in found.items()}


FORM = {
    "name": "Order of merit",
    "starts_on": "2031-01-01",
    "ends_on": "2031-12-31",
    "points": "25, 18; 15 12",
    "best_of": "6",
}


def test_the_table_has_the_points_of_each_tournament(club: Club) -> None:
    cy, bo = new_member(club, "Cy"), new_member(club, "Bo")
    first = over(club, [cy, bo])
    over(club, [bo])
    new_season(club)
    response = Client().get(reverse("season", args=["this-year"]))
    rows = re.findall(r"<tr>(.*?)</tr>", response.content.decode(), flags=re.DOTALL)[1:]
    cells = [re.sub(r"<[^>]+>", " ", row).split() for row in rows]
    assert cells == [["1", "Bo", "17.5", "7.5", "10"], ["2", "Cy", "7.5", "7.5", "–"]]
    assert f'href="{reverse("leaderboard", args=[first.slug])}"' in response.content.decode()
    assert "All results count." in text(response)
    assert "provisional" not in text(response)


def test_what_does_not_count_is_struck_out(club: Club) -> None:
    bo = new_member(club, "Bo")
    over(club, [bo])
    over(club, [bo])
    new_season(club, best_of=1)
    shown = Client().get(reverse("season", args=["this-year"]))
    assert shown.content.decode().count('class="left-out"') == 1
    assert "(does not count)" in text(shown)
    assert "Of each player the best result counts" in text(shown)


def test_numbers_are_written_as_the_reader_does(club: Club) -> None:
    over(club, [new_member(club, "Cy"), new_member(club, "Bo")])
    new_season(club)
    with translation.override("bg"):
        shown = Client(headers={"accept-language": "bg"}).get(reverse("season", args=["this-year"]))
    assert "7,5" in text(shown)


def test_what_is_not_final_has_a_star(club: Club) -> None:
    tournament = over(club, [new_member(club, "Bo")])
    Tournament.objects.filter(pk=tournament.pk).update(status="review")
    new_season(club)
    shown = text(Client().get(reverse("season", args=["this-year"])))
    assert "Results with a star can still be corrected." in shown
    assert "provisional" in shown


def test_a_season_without_results(club: Club) -> None:
    new_tournament(club=club)
    new_season(club)
    shown = text(Client().get(reverse("season", args=["this-year"])))
    assert "No results yet" in shown
    assert "1 tournament of this season is still to come or goes on." in shown


def test_a_club_lists_its_seasons(club: Club, director: Client) -> None:
    url = reverse("seasons", args=["sofia"])
    assert "No season yet" in text(Client().get(url))
    assert reverse("season_new", args=["sofia"]) not in Client().get(url).content.decode()
    assert reverse("season_new", args=["sofia"]) in director.get(url).content.decode()
    new_season(club)
    shown = Client().get(url)
    assert f'href="{reverse("season", args=["this-year"])}"' in shown.content.decode()
    assert "0 tournaments" in text(shown)


@pytest.mark.parametrize("seasons", [1, 3])
def test_the_list_takes_the_same_queries(
    club: Club, seasons: int, django_assert_num_queries: Any
) -> None:
    for number in range(seasons):
        new_season(club, slug=f"season-{number}")
    url = reverse("seasons", args=["sofia"])
    with django_assert_num_queries(2):
        assert Client().get(url).status_code == 200


def test_a_hidden_club_hides_its_list(club: Club, director: Client) -> None:
    Club.objects.update(is_hidden=True)
    url = reverse("seasons", args=["sofia"])
    assert Client().get(url).status_code == 404
    assert director.get(url).status_code == 200


def test_a_season_is_started(club: Club, director: Client) -> None:
    url = reverse("season_new", args=["sofia"])
    form = director.get(url).context["form"]
    assert form["starts_on"].value() == TODAY.replace(month=1, day=1)
    assert form["points"].value() == "25, 18, 15, 12, 10, 8, 6, 4, 2, 1"
    response = director.post(url, FORM)
    made = Season.objects.get()
    assert response.url == reverse("season", args=["order-of-merit"])
    assert (made.club, made.name, made.points, made.best_of) == (
        club,
        "Order of merit",
        [25, 18, 15, 12],
        6,
    )
    assert (made.starts_on, made.ends_on) == (date(2031, 1, 1), date(2031, 12, 31))


def test_a_name_in_another_alphabet_has_an_address_too(club: Club, director: Client) -> None:
    url = reverse("season_new", args=["sofia"])
    assert director.post(url, FORM | {"name": "Сезон"}).url == "/seasons/sofia-2031/"


def test_its_tournaments_are_chosen(club: Club, director: Client) -> None:
    one, two = new_draft(club=club, name="One"), new_draft(club=club, name="Two")
    season = new_season(club)
    url = reverse("season_edit", args=["this-year"])
    form = director.get(url).context["form"]
    assert sorted(form["tournaments"].value()) == [one.pk, two.pk]
    data = FORM | {
        "starts_on": f"{season.starts_on}",
        "ends_on": f"{season.ends_on}",
        "slug": "this-year",
        "tournaments": [two.pk],
    }
    assert director.post(url, data).url == reverse("season", args=["this-year"])
    season.refresh_from_db()
    assert (season.name, list(season.tournaments.all())) == ("Order of merit", [two])


def test_a_form_that_is_older_than_what_there_is_says_so_and_may_be_sent_again(
    club: Club, director: Client
) -> None:
    one = new_draft(club=club, name="One")
    season = new_season(club)
    other = Client()
    other.force_login(new_member(club, "Bo", role="director"))
    url = reverse("season_edit", args=["this-year"])
    form = FORM | {
        "name": season.name,
        "starts_on": f"{season.starts_on}",
        "ends_on": f"{season.ends_on}",
        "slug": "this-year",
        "tournaments": [one.pk],
    }
    mine = form | {"name": "Mine", "seen": director.get(url).context["seen"]}
    theirs = form | {"points": "7, 3", "seen": other.get(url).context["seen"]}
    assert other.post(url, theirs).status_code == 302

    wrong = director.post(url, mine | {"name": ""})
    assert (errors(wrong), wrong.context["seen"]) == ({"name": ["required"]}, mine["seen"])

    told = director.post(url, mine)
    assert errors(told) == {"__all__": ["changed"]}
    assert "Somebody else has changed this meanwhile." in text(told)
    shown = told.content.decode()
    assert 'value="Mine"' in shown
    assert f'name="seen" value="{told.context["seen"]}"' in shown
    season.refresh_from_db()
    assert (season.name, season.points) == ("This year", [7, 3])

    # One that came into it while the form was open is not dropped unseen either.
    two = new_draft(club=club, name="Two", season=season)
    mine["seen"] = told.context["seen"]
    told = director.post(url, mine)
    assert errors(told) == {"__all__": ["changed"]}
    assert set(season.tournaments.all()) == {one, two}

    assert director.post(url, mine | {"seen": told.context["seen"]}).status_code == 302
    season.refresh_from_db()
    assert (season.name, season.points) == ("Mine", [25, 18, 15, 12])
    assert list(season.tournaments.all()) == [one]


@pytest.mark.parametrize("number", ["0", "one", "-1", "9" * 20, "9" * 5000])
def test_a_tournament_that_is_not_there_cannot_be_chosen(
    club: Club, director: Client, number: str
) -> None:
    season = new_season(club)
    days = {"starts_on": f"{season.starts_on}", "ends_on": f"{season.ends_on}"}
    data = FORM | days | {"slug": "this-year", "tournaments": [number]}
    response = director.post(reverse("season_edit", args=["this-year"]), data)
    (codes,) = errors(response).values()
    assert codes in (["invalid_choice"], ["invalid_pk_value"])
    assert Season.objects.get().name == season.name


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"name": ""}, {"name": ["required"]}),
        ({"name": "x" * 500}, {"name": ["max_length"]}),
        ({"name": "A\u202eB"}, {"name": ["characters"]}),
        ({"starts_on": "spring"}, {"starts_on": ["invalid"]}),
        ({"starts_on": "9999-12-31"}, {"starts_on": ["year"]}),
        ({"ends_on": "2030-12-31"}, {"ends_on": ["season_order"]}),
        ({"points": ""}, {"points": ["required"]}),
        ({"points": "ten"}, {"points": ["points_spelled"]}),
        ({"points": "1.5"}, {"points": ["points_spelled"]}),
        ({"points": "-5"}, {"points": ["points_range"]}),
        ({"points": "5 6"}, {"points": ["points_order"]}),
        ({"points": "1," * 101}, {"points": ["points_many"]}),
        ({"points": "1" * 5000}, {"points": ["max_length"]}),
        ({"best_of": "0"}, {"best_of": ["min_value"]}),
        ({"slug": "this-year"}, {"slug": ["unique"]}),
        ({"slug": "this year"}, {"slug": ["invalid"]}),
    ],
)
def test_bad_input_is_explained_and_nothing_is_stored(
    club: Club, director: Client, fields: dict[str, str], expected: dict[str, list[str]]
) -> None:
    new_season(club)
    before = list(Season.objects.values())
    response = director.post(reverse("season_new", args=["sofia"]), FORM | fields)
    assert errors(response) == expected
    assert "Nothing is kept yet." in text(response)
    assert list(Season.objects.values()) == before


def test_a_season_is_deleted_after_a_question(club: Club, director: Client) -> None:
    tournament = new_draft(club=club)
    new_season(club)
    url = reverse("season_delete", args=["this-year"])
    assert "Delete the season?" in text(director.get(url))
    assert Season.objects.count() == 1
    assert director.post(url).url == reverse("seasons", args=["sofia"])
    assert (Season.objects.count(), Tournament.objects.get()) == (0, tournament)


@pytest.mark.parametrize("name", ["season_new", "season_edit", "season_delete", "recurrences"])
def test_only_directors_change_anything(club: Club, director: Client, name: str) -> None:
    new_season(club)
    slug = "this-year" if name in ("season_edit", "season_delete") else "sofia"
    url = reverse(name, args=[slug])
    member = Client()
    member.force_login(new_member(club))
    before = list(Season.objects.values())
    assert member.get(url).status_code == 403
    assert member.post(url, FORM).status_code in (403, 405)
    assert Client().get(url).url == f"{reverse('login')}?next={url}"
    assert list(Season.objects.values()) == before
    assert director.get(url).status_code == 200


def test_there_is_no_such_season(director: Client) -> None:
    for name in ("season", "season_edit", "season_delete"):
        assert director.get(reverse(name, args=["nothing"])).status_code == 404
