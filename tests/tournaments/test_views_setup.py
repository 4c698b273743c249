"""The pages on which directors set tournaments up: who may, what is kept, what is explained."""

import html
import re
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.engine import CLASSIC, RuleSet
from games.models import Player
from tournaments import dates, selectors, services
from tournaments.models import Club, Hole, Recurrence, Round, Season, StatusChange, Tournament
from tournaments.services import RoundPlan

from .factories import (
    let_time_pass,
    new_account,
    new_club,
    new_draft,
    new_entry,
    new_member,
    new_tournament,
)

pytestmark = pytest.mark.django_db
SOFIA = ZoneInfo("Europe/Sofia")


@pytest.fixture
def club(db: None) -> Club:
    return new_club(slug="sofia", time_zone="Europe/Sofia", rules="C")


@pytest.fixture
def ann(club: Club) -> Player:
    """A director of the club."""
    return new_member(club, "Ann", role="director")


@pytest.fixture
def director(ann: Player) -> Client:
    client = Client()
    client.force_login(ann)
    return client


def page(name: str, tournament: Tournament) -> str:
    return reverse(f"tournament_{name}", args=[tournament.slug])


def new_page(club: Club) -> str:
    return reverse("tournament_new", args=[club.slug])


def filled(client: Client, url: str, **changes: Any) -> dict[str, Any]:
    """What the page's form sends when nothing but the `changes` is typed."""
    form = client.get(url).context["form"]
    data: dict[str, Any] = {}
    for name in form.fields:
        value = form[name].value()
        if value is True:
            data[name] = "on"
        elif value not in (None, False):
            data[name] = value
    return data | changes


def errors(response: Any) -> dict[str, list[str]]:
    assert response.status_code == 200
    found = response.context["form"].errors.as_data()
    return {name: [str(error.code) for error in each] for name, each in found.items()}


def text(response: Any) -> str:
    body = re.sub(r"<(script|style).*?</\1>", "", response.content.decode(), flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", body)))


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def wall(time: datetime) -> str:
    return dates.wall(time, SOFIA).isoformat(timespec="minutes")


def everything() -> list[list[dict[str, Any]]]:
    models = (Tournament, Round, Hole, StatusChange, Recurrence)
    return [list(model.objects.order_by("pk").values()) for model in models]


# --- who may -----------------------------------------------------------------------------------


PAGES = ("edit", "copy", "repeat", "delete")


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_of_a_tournament_are_its_directors(
    name: str, club: Club, director: Client
) -> None:
    tournament = new_tournament(club=club)
    assert director.get(page(name, tournament)).status_code == 200
    member, other = Client(), Client()
    member.force_login(new_member(club))
    other.force_login(new_member(new_club(), role="owner"))
    before = everything()
    for client in (member, other):
        assert client.get(page(name, tournament)).status_code == 403
        assert client.post(page(name, tournament), {"name": "X"}).status_code == 403
    asked = Client().get(page(name, tournament))
    assert asked.url == f"{reverse('login')}?next={page(name, tournament)}"
    assert everything() == before


def test_a_new_one_is_set_up_by_directors_of_the_club(club: Club, director: Client) -> None:
    assert director.get(new_page(club)).status_code == 200
    assert director.get(new_page(new_club())).status_code == 403
    assert director.get("/clubs/nowhere/tournaments/new/").status_code == 404
    assert Client().get(new_page(club)).status_code == 302


@pytest.mark.parametrize("name", ["", *PAGES, "direct"])
def test_a_draft_is_there_for_its_directors_only(name: str, club: Club, director: Client) -> None:
    draft = new_draft(club=club)
    url = page(name, draft) if name else reverse("tournament", args=[draft.slug])
    assert director.get(url).status_code == 200
    member, root = Client(), Client()
    member.force_login(new_member(club))
    root.force_login(new_account(is_superuser=True))
    assert member.get(url).status_code == 404
    assert root.get(url).status_code == 200
    # A visitor learns nothing: who is to log in is asked to for any address.
    assert Client().get(url).status_code == (302 if name else 404)


@pytest.mark.parametrize("name", ["leaderboard", "leaderboard_table"])
def test_a_draft_has_no_board(name: str, club: Club, director: Client) -> None:
    draft = new_draft(club=club)
    assert director.get(reverse(name, args=[draft.slug])).status_code == 404
    with pytest.raises(Tournament.DoesNotExist):
        selectors.board_version(slug=draft.slug)


# --- a new one ---------------------------------------------------------------------------------


def test_a_name_and_one_click_are_enough(club: Club, ann: Player, director: Client) -> None:
    data = filled(director, new_page(club), name="Monthly Nine", publish="1")
    response = director.post(new_page(club), data, follow=True)
    made = Tournament.objects.get()
    assert response.redirect_chain == [(reverse("tournament", args=["monthly-nine"]), 302)]
    assert said(response) == ["It is published. Send its address to your players."]
    assert (made.name, made.slug, made.club, made.status) == (
        "Monthly Nine",
        "monthly-nine",
        club,
        "open",
    )
    assert (made.rule_set, made.holes.count(), made.rank_by) == (CLASSIC, 9, "strokes")
    tomorrow = dates.wall(timezone.now(), SOFIA).date() + timedelta(days=1)
    assert wall(made.opens_at) == f"{tomorrow}T09:00"
    assert wall(made.closes_at) == f"{tomorrow + timedelta(days=7)}T21:00"
    change = StatusChange.objects.get()
    assert (change.before, change.after, change.by) == ("draft", "open", ann)


def test_a_draft_is_kept_for_later(club: Club, director: Client) -> None:
    data = filled(director, new_page(club), name="Monthly Nine")
    response = director.post(new_page(club), data, follow=True)
    assert said(response) == ["It is kept as a draft, which only directors see."]
    assert Tournament.objects.get().status == "draft"
    assert "draft" in text(response)


def test_a_season_that_runs_is_chosen_beforehand(club: Club, director: Client) -> None:
    season = Season.objects.create(
        club=club,
        name="This year",
        slug="this",
        starts_on=date(2020, 1, 1),
        ends_on=date(2090, 1, 1),
    )
    director.post(new_page(club), filled(director, new_page(club), name="Nine"))
    assert Tournament.objects.get().season == season


def test_times_are_those_of_the_clubs_clock(club: Club, director: Client) -> None:
    response = director.get(new_page(club))
    assert "Eastern European Time, Europe/Sofia" in text(response)
    times = {"opens_at": "2035-07-01T18:00", "closes_at": "2035-12-01 18:00"}
    director.post(new_page(club), filled(director, new_page(club), name="Nine", **times))
    made = Tournament.objects.get()
    assert made.opens_at.isoformat() == "2035-07-01T15:00:00+00:00"
    assert made.closes_at.isoformat() == "2035-12-01T16:00:00+00:00"


def test_a_time_that_the_clock_leaves_out_is_refused(club: Club, director: Client) -> None:
    times = {"opens_at": "2035-03-25T03:30", "closes_at": "2035-03-26T03:30"}
    response = director.post(new_page(club), filled(director, new_page(club), name="N", **times))
    assert errors(response) == {"opens_at": ["no_such_time"]}
    assert "3:30 a.m. is left out: it is 4:30 a.m. already" in text(response)
    assert 'value="2035-03-25T03:30"' in response.content.decode()


def test_of_a_time_that_comes_twice_the_first_is_meant_and_it_says_so(
    club: Club, director: Client
) -> None:
    times = {"opens_at": "2035-10-28T03:30", "closes_at": "2035-10-29T03:30"}
    data = filled(director, new_page(club), name="Nine", **times)
    response = director.post(new_page(club), data, follow=True)
    assert Tournament.objects.get().opens_at.isoformat() == "2035-10-28T00:30:00+00:00"
    assert said(response)[1:] == [
        "Opens: the clock is put back then and shows this time twice. The first is meant."
    ]
    assert "Eastern European Summer Time" in text(response)


def test_everything_can_be_chosen(club: Club, director: Client) -> None:
    data = filled(
        director,
        new_page(club),
        name="Open",
        slug="the-open",
        about="Bring a friend.\r\nAnd cake.",
        holes="27",
        opens_at="2035-06-01T09:00",
        closes_at="2035-06-10T09:00",
        round_1_closes_at="2035-06-03T09:00",
        round_1_cut_to="20",
        round_2_opens_at="2035-06-04T09:00",
        round_2_closes_at="2035-06-06T09:00",
        round_2_cut_to="10",
        rule_set="custom",
        king_ace="apart",
        jokers="2",
        rank_by="app_score",
        strokes_kind="below_par",
        tie_break="time",
        unplayed="worst",
        undo_allowed="on",
        hints_allowed="on",
        window="personal",
        personal_minutes="90",
        hole_minutes="15",
        entries_close_at="2035-06-02T09:00",
        most_entries="60",
        visibility="frozen",
        frozen_at="2035-06-09T09:00",
        divisions="Seniors\r\n\r\n Juniors ",
    )
    response = director.post(new_page(club), data)
    assert response.status_code == 302
    made = services.plan_of(Tournament.objects.get())

    def at(text: str) -> datetime:
        return datetime.fromisoformat(f"2035-06-{text}T06:00+00:00")

    assert made == services.Plan(
        name="Open",
        slug="the-open",
        about="Bring a friend.\nAnd cake.",
        rules=RuleSet(king_ace="apart", jokers=2),
        rounds=(
            RoundPlan(opens_at=at("01"), closes_at=at("03"), cut_to=20),
            RoundPlan(opens_at=at("04"), closes_at=at("06"), cut_to=10),
            RoundPlan(opens_at=at("06"), closes_at=at("10")),
        ),
        rank_by="app_score",
        strokes_kind="below_par",
        tie_break="time",
        unplayed="worst",
        undo_allowed=True,
        hints_allowed=True,
        window="personal",
        personal_minutes=90,
        hole_minutes=15,
        entries_close_at=at("02"),
        most_entries=60,
        visibility="frozen",
        frozen_at=at("09"),
        divisions=("Seniors", "Juniors"),
    )


def test_what_belongs_to_another_choice_is_left_out(club: Club, director: Client) -> None:
    data = filled(
        director,
        new_page(club),
        name="Nine",
        personal_minutes="30",
        frozen_at="2035-06-09T09:00",
        round_1_cut_to="5",
        codes="GO1-C-AAAAAAB",
    )
    director.post(new_page(club), data)
    made = Tournament.objects.get()
    assert (made.personal_minutes, made.frozen_at, made.is_friendly) == (None, None, False)
    assert made.rounds.get().cut_to is None


def test_a_friendly_one_has_as_many_holes_as_codes(club: Club, director: Client) -> None:
    data = filled(
        director,
        new_page(club),
        name="Friendly",
        deals="own",
        codes="go1-c-aaaaaab\r\nGO1 C AAAAAAC, GO1-C-AAAAAAD\r\n",
        publish="1",
    )
    response = director.post(new_page(club), data, follow=True)
    made = Tournament.objects.get()
    assert made.is_friendly
    assert list(made.holes.order_by("number").values_list("deal_code", flat=True)) == [
        "GO1-C-AAAAAAB",
        "GO1-C-AAAAAAC",
        "GO1-C-AAAAAAD",
    ]
    assert "A friendly event" in text(response)
    assert made.commitment not in text(response)


LATER = {"opens_at": "2035-06-01T09:00", "closes_at": "2035-06-10T09:00"}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"name": ""}, {"name": ["required"]}),
        ({"name": "x" * 500}, {"name": ["max_length"]}),
        ({"name": "Nine\u202eeniN"}, {"name": ["characters"]}),
        ({"about": "Fine\r\nNine\u202eeniN"}, {"about": ["characters"]}),
        ({"about": "x" * 2001}, {"about": ["max_length"]}),
        ({"divisions": "A\r\nA"}, {"divisions": ["division_twice"]}),
        ({"divisions": "A\u202eB"}, {"divisions": ["characters"]}),
        ({"slug": "two words"}, {"slug": ["invalid"]}),
        ({"slug": "taken"}, {"slug": ["unique"]}),
        ({"opens_at": ""}, {"opens_at": ["required"]}),
        ({"opens_at": "noon"}, {"opens_at": ["invalid"]}),
        ({"opens_at": "2035-13-01T09:00"}, {"opens_at": ["invalid"]}),
        ({"opens_at": "2035-06-01T09:00+02:00"}, {"opens_at": ["invalid"]}),
        ({"opens_at": "0001-01-01T00:00"}, {"opens_at": ["year"]}),
        ({"closes_at": "9999-12-31T23:59"}, {"closes_at": ["year"]}),
        ({"closes_at": "2035-05-01T09:00"}, {"closes_at": ["window_order"]}),
        ({"closes_at": "2035-06-01T09:00:01"}, {"closes_at": ["window_short"]}),
        ({"closes_at": "2037-06-01T09:00"}, {"closes_at": ["window_long"]}),
        (
            {"opens_at": "2020-01-01T09:00", "closes_at": "2020-01-02T09:00"},
            {"closes_at": ["closes_in_past"]},
        ),
        ({"holes": "0"}, {"holes": ["invalid_choice"]}),
        ({"holes": "many"}, {"holes": ["invalid_choice"]}),
        ({"rule_set": "Z"}, {"rule_set": ["invalid_choice"]}),
        ({"rule_set": "custom", "jokers": "3"}, {"jokers": ["invalid_choice"]}),
        ({"window": "personal"}, {"personal_minutes": ["personal_missing"]}),
        (
            {"window": "personal", "personal_minutes": "1000000000"},
            {"personal_minutes": ["personal_long"]},
        ),
        (
            {"window": "personal", "personal_minutes": "99999999999"},
            {"personal_minutes": ["max_value"]},
        ),
        ({"hole_minutes": "0"}, {"hole_minutes": ["min_value"]}),
        ({"hole_minutes": "1000000000"}, {"hole_minutes": ["hole_minutes"]}),
        ({"most_entries": "-3"}, {"most_entries": ["min_value"]}),
        ({"visibility": "frozen"}, {"frozen_at": ["frozen_missing"]}),
        (
            {"visibility": "frozen", "frozen_at": "2035-07-01T09:00"},
            {"frozen_at": ["frozen_outside"]},
        ),
        ({"entries_close_at": "2035-07-01T09:00"}, {"entries_close_at": ["entries_late"]}),
        (
            {"holes": "18", "round_1_closes_at": "2035-06-02T09:00", "round_1_cut_to": "0"},
            {"round_1_cut_to": ["min_value"]},
        ),
        ({"holes": "18", "round_1_cut_to": "8"}, {"round_2_opens_at": ["cut_overlap"]}),
        (
            {
                "holes": "18",
                "round_1_closes_at": "2035-06-02T09:00",
                "round_1_cut_to": "20",
                "most_entries": "10",
            },
            {"round_1_cut_to": ["cut_whole_field"]},
        ),
        ({"deals": "own"}, {"codes": ["codes_missing"]}),
        ({"deals": "own", "codes": "GO1-C-AAAAAAB\r\nGO9"}, {"codes": ["prefix"]}),
        ({"deals": "own", "codes": "GO1-E-AAAAAAB"}, {"codes": ["rules_differ"]}),
        ({"deals": "own", "codes": "GO1-C-AAAAAAB\r\n" * 2}, {"codes": ["deal_twice"]}),
        ({"deals": "own", "codes": "GO1-C-AAAAAAB\r\n" * 37}, {"codes": ["hole_count"]}),
        ({"season": "999"}, {"season": ["invalid_choice"]}),
    ],
)
def test_bad_input_is_explained_at_its_field_and_kept_in_the_form(
    club: Club, director: Client, fields: dict[str, str], expected: dict[str, list[str]]
) -> None:
    new_draft(club=club, slug="taken")
    before = everything()
    data = filled(director, new_page(club), name="Nine", **LATER) | fields
    response = director.post(new_page(club), data | {"publish": "1"})
    assert errors(response) == expected
    assert everything() == before
    form = response.context["form"]
    for name, value in fields.items():
        assert form[name].value() == value
    assert "Nothing is kept yet." in text(response)
    (first, *_others) = expected
    part = next((part for part, names in form.PARTS.items() if first in names), None)
    assert part is None or form.parts[part].is_open


# --- the next one like it ----------------------------------------------------------------------


def test_last_months_is_copied_to_the_next(club: Club, director: Client) -> None:
    opens_at = datetime.fromisoformat("2035-10-11T18:00+03:00")
    source = new_tournament(
        club=club,
        name="October Nine",
        slug="nine-2035-10",
        opens_at=opens_at,
        closes_at=opens_at + timedelta(hours=3),
        most_entries=30,
        about="Cake.",
    )
    url = page("copy", source)
    shown = director.get(url)
    assert shown.context["form"]["name"].value() == "November Nine"
    assert shown.context["form"]["opens_at"].value() == "2035-11-08T18:00"
    assert Tournament.objects.count() == 1
    response = director.post(url, filled(director, url, publish="1"))
    made = Tournament.objects.latest("pk")
    assert response.url == reverse("tournament", args=["nine-2035-11"])
    assert (made.copy_of, made.status, made.most_entries, made.about) == (
        source,
        "open",
        30,
        "Cake.",
    )
    assert (wall(made.opens_at), wall(made.closes_at)) == ("2035-11-08T18:00", "2035-11-08T21:00")
    codes = [set(each.holes.values_list("deal_code", flat=True)) for each in (source, made)]
    assert codes[0].isdisjoint(codes[1])


def test_a_clubs_page_copies_the_last_one(club: Club, director: Client) -> None:
    new_member(club)
    url = reverse("club", args=["sofia"])
    assert "Copy the last one" not in text(director.get(url))
    for _ in range(2):
        last = let_time_pass(new_tournament(club=club))
    shown = director.get(url).content.decode()
    assert f'href="{page("copy", last)}"' in shown
    assert "Copy the last one" not in text(Client().get(url))


# --- changing ----------------------------------------------------------------------------------


def test_what_is_sent_as_it_was_changes_nothing(club: Club, director: Client) -> None:
    """Also times with seconds, which the form does not show, and whatever else there is."""
    now = timezone.now()
    hour = timedelta(hours=1)
    rounds = (
        RoundPlan(opens_at=now + hour, closes_at=now + 2 * hour, cut_to=9),
        RoundPlan(opens_at=now + 3 * hour, closes_at=now + 4 * hour),
        RoundPlan(opens_at=now + 3 * hour, closes_at=now + 5 * hour),
    )
    many = {"window": "shotgun", "entries_close_at": now + 2 * hour, "divisions": ("A", "B")}
    for made in (
        new_draft(club=club),
        new_draft(club=club, holes=12),
        new_draft(club=club, rounds=rounds, visibility="frozen", frozen_at=now + 2 * hour, **many),
        new_tournament(club=club, rules=RuleSet(jokers=2, waste="empty"), about="One\nTwo"),
        new_tournament(club=club, rounds=rounds),
    ):
        before = everything()
        response = director.post(page("edit", made), filled(director, page("edit", made)))
        assert response.status_code == 302
        assert everything() == before


def test_the_rules_of_a_draft_can_change(club: Club, director: Client) -> None:
    draft = new_draft(club=club)
    url = page("edit", draft)
    director.post(url, filled(director, url, rule_set="S", holes="18", name="Strict Nine"))
    after = Tournament.objects.get()
    assert (after.rules, after.name, after.slug) == ("S", "Strict Nine", draft.slug)
    assert after.holes.filter(deal_code__startswith="GO2-S-").count() == 18
    assert after.commitment != draft.commitment


def test_the_codes_of_a_friendly_draft_are_not_shown_again(club: Club, director: Client) -> None:
    data = filled(director, new_page(club), name="F", deals="own", codes="GO1-C-AAAAAAB")
    director.post(new_page(club), data)
    made = Tournament.objects.get()
    url = page("edit", made)
    assert "AAAAAAB" not in director.get(url).content.decode().replace("GO1-E-AAAAAAB", "")
    director.post(url, filled(director, url, name="Friendly"))
    made.refresh_from_db()
    assert (made.name, made.is_friendly, made.holes.get().deal_code) == (
        "Friendly",
        True,
        "GO1-C-AAAAAAB",
    )
    director.post(url, filled(director, url, deals="secret"))
    made.refresh_from_db()
    assert (made.is_friendly, made.holes.get().deal_code[:6]) == (False, "GO2-C-")


def fields_of(client: Client, tournament: Tournament) -> set[str]:
    return set(client.get(page("edit", tournament)).context["form"].fields)


def test_what_can_no_longer_change_is_not_asked(club: Club, director: Client) -> None:
    published = new_tournament(club=club)
    asked = fields_of(director, published)
    assert asked.isdisjoint({"holes", "rule_set", "jokers", "deals", "codes"})
    assert asked >= {"name", "slug", "opens_at", "closes_at", "rank_by", "window"}
    services.start_hole(entry=new_entry(published), number=1)
    assert fields_of(director, published) == {
        "name",
        "about",
        "season",
        "closes_at",
        "entries_close_at",
        "most_entries",
    }
    services.close_tournament(tournament=let_time_pass(published), now=timezone.now())
    assert fields_of(director, published) == {"name", "about", "season"}


def test_the_fields_of_the_rounds_are_those_that_there_are(club: Club, director: Client) -> None:
    day = timedelta(days=1)
    now = timezone.now()
    two = (
        RoundPlan(opens_at=now - day, closes_at=now + day, cut_to=9),
        RoundPlan(opens_at=now + day, closes_at=now + 2 * day),
    )

    def shown(tournament: Tournament) -> list[str]:
        rounds = director.get(page("edit", tournament)).context["form"].rounds
        fields = [each for row in rounds for each in (row.opens_at, row.closes_at, row.cut_to)]
        return [each.name.removeprefix("round_") for each in fields if each is not None]

    assert len(shown(new_draft(club=club))) == 9
    assert shown(new_tournament(club=club)) == []
    tournament = new_tournament(club=club, rounds=two)
    assert shown(tournament) == ["1_closes_at", "1_cut_to", "2_opens_at"]
    services.start_hole(entry=new_entry(tournament), number=1)
    assert shown(tournament) == ["1_closes_at", "2_opens_at"]


def test_a_form_that_is_older_than_what_there_is_says_so_and_may_be_sent_again(
    club: Club, director: Client
) -> None:
    tomorrow = timezone.now() + timedelta(days=1)
    tournament = new_draft(club=club, opens_at=tomorrow, closes_at=tomorrow + timedelta(days=1))
    other = Client()
    other.force_login(new_member(club, "Bo", role="director"))
    url = page("edit", tournament)

    def form_of(client: Client, **changes: Any) -> dict[str, Any]:
        return filled(client, url, **changes) | {"seen": client.get(url).context["seen"]}

    mine = form_of(director, about="Bring a pencil.")
    later = tournament.closes_at + timedelta(hours=2)
    assert other.post(url, form_of(other, closes_at=wall(later))).status_code == 302

    # What is wrong with it otherwise does not make it a newer one.
    wrong = director.post(url, mine | {"name": ""})
    assert errors(wrong) == {"name": ["required"]}
    assert wrong.context["seen"] == mine["seen"]

    told = director.post(url, mine)
    assert errors(told) == {"__all__": ["changed"]}
    assert "Somebody else has changed this meanwhile." in text(told)
    assert "Bring a pencil." in text(told)
    assert f'name="seen" value="{told.context["seen"]}"' in told.content.decode()
    tournament.refresh_from_db()
    assert (wall(tournament.closes_at), tournament.about) == (wall(later), "")

    assert director.post(url, mine | {"seen": told.context["seen"]}).status_code == 302
    tournament.refresh_from_db()
    assert (wall(tournament.closes_at), tournament.about) == (mine["closes_at"], mine["about"])


def test_a_running_one_is_given_more_time(club: Club, ann: Player, director: Client) -> None:
    director.cookies["time_zone"] = "Europe/Sofia"
    tournament = new_tournament(club=club)
    result = services.start_hole(entry=new_entry(tournament), number=1)
    url = page("edit", tournament)
    later = (timezone.now() + timedelta(days=30)).strftime("%Y-%m-%dT09:00")
    director.post(url, filled(director, url, closes_at=later))
    tournament.refresh_from_db()
    assert wall(tournament.closes_at) == later
    assert result.game is not None
    result.game.refresh_from_db()
    assert result.game.closes_at == tournament.closes_at
    change = StatusChange.objects.latest("pk")
    assert (change.by, change.closes_at) == (ann, tournament.closes_at)
    shown = text(director.get(reverse("tournament", args=[tournament.slug])))
    assert re.search(r"Round 1 closes: [^·]*9 a.m. \(Eastern European[^·]* · [^·]* · Ann", shown)


def test_a_change_that_comes_too_late_is_explained(club: Club, director: Client) -> None:
    """A hole is started between the reading of the form and its sending."""
    tournament = new_tournament(club=club)
    url = page("edit", tournament)
    data = filled(director, url, rank_by="app_score", name="Renamed")
    services.start_hole(entry=new_entry(tournament), number=1)
    response = director.post(url, data)
    # What can no longer change is not even read.
    assert response.status_code == 302
    tournament.refresh_from_db()
    assert (tournament.rank_by, tournament.name) == ("strokes", "Renamed")


def test_what_is_final_cannot_change(club: Club, director: Client) -> None:
    tournament = new_tournament(club=club)
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    Tournament.objects.update(status="final")
    url = page("edit", tournament)
    assert "This tournament is final. Open it again" in text(director.get(url))
    before = everything()
    response = director.post(url, {"name": "Renamed"})
    assert errors(response) == {"__all__": ["final"]}
    assert everything() == before


# --- deleting, repeating -----------------------------------------------------------------------


def test_a_draft_is_deleted_after_a_question(club: Club, director: Client) -> None:
    draft = new_draft(club=club)
    assert "Delete the tournament?" in text(director.get(page("delete", draft)))
    assert Tournament.objects.count() == 1
    response = director.post(page("delete", draft), follow=True)
    assert said(response) == ["The tournament is deleted."]
    assert Tournament.objects.count() == 0


def test_what_was_played_is_not_deleted(club: Club, director: Client) -> None:
    tournament = new_tournament(club=club)
    services.start_hole(entry=new_entry(tournament), number=1)
    response = director.post(page("delete", tournament), follow=True)
    assert said(response) == ["Holes of this tournament have been played, and results are kept."]
    assert Tournament.objects.get() == tournament


def test_one_is_held_again_and_again(club: Club, director: Client) -> None:
    tournament = new_tournament(club=club)
    url = page("repeat", tournament)
    data = filled(director, url, every="week", first_on="2035-06-01")
    response = director.post(url, data, follow=True)
    row = Recurrence.objects.get()
    assert (row.template, row.every, row.next_on) == (tournament, "week", date(2035, 6, 1))
    assert response.redirect_chain == [(reverse("recurrences", args=["sofia"]), 302)]
    assert "June 1, 2035 · June 8, 2035 · June 15, 2035" in text(response)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"first_on": ""}, {"first_on": ["required"]}),
        ({"first_on": "soon"}, {"first_on": ["invalid"]}),
        ({"first_on": "0001-01-01"}, {"first_on": ["year"]}),
        ({"first_on": "2020-01-01"}, {"first_on": ["first_too_early"]}),
        ({"every": "year"}, {"every": ["invalid_choice"]}),
    ],
)
def test_what_cannot_be_repeated_is_explained(
    club: Club, director: Client, fields: dict[str, str], expected: dict[str, list[str]]
) -> None:
    url = page("repeat", new_tournament(club=club))
    assert errors(director.post(url, filled(director, url) | fields)) == expected
    assert Recurrence.objects.count() == 0


def test_what_recurs_can_pause_go_on_and_end(club: Club, director: Client) -> None:
    url = page("repeat", new_tournament(club=club))
    director.post(url, filled(director, url, every="month"))
    row = Recurrence.objects.get()
    change = reverse("recurrence", args=["sofia", row.pk])
    for do, is_active in (("pause", False), ("resume", True)):
        assert director.post(change, {"do": do}).url == reverse("recurrences", args=["sofia"])
        assert Recurrence.objects.get().is_active is is_active
    assert director.post(change, {"do": "dance"}).status_code == 404
    assert director.get(change).status_code == 405
    member = Client()
    member.force_login(new_member(club))
    assert member.post(change, {"do": "end"}).status_code == 403
    other_club = new_club(slug="other")
    Client().force_login(new_member(other_club, role="owner"))
    assert director.post(change.replace("sofia", "other"), {"do": "end"}).status_code == 403
    assert Recurrence.objects.count() == 1
    director.post(change, {"do": "end"})
    assert Recurrence.objects.count() == 0


# --- what a tournament's page says -------------------------------------------------------------


WORDS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["9 holes, par 45.", "There is no undo, and there are no hints.", "Until it closes."]),
    ({"holes": 1, "codes": None}, ["1 hole, par 5."]),
    ({"undo_allowed": True}, ["Undo is allowed, hints are not."]),
    ({"hints_allowed": True}, ["Hints are allowed, undo is not."]),
    ({"undo_allowed": True, "hints_allowed": True}, ["Undo and hints are allowed."]),
    ({"strokes_kind": "below_par"}, ["one stroke less than none for each card left in the stock"]),
    ({"tie_break": "shared"}, ["Equal results share a place."]),
    (
        {"tie_break": "countback"},
        ["better last six holes is first", "If all of these are equal they share a place."],
    ),
    (
        {"tie_break": "time", "holes": 18},
        ["better last nine holes is first", "the one that was played in less time is first"],
    ),
    ({"unplayed": "worst"}, ["A hole that was not played counts 35 strokes and no points."]),
    ({"unplayed": "no_place"}, ["A card with unplayed holes is listed without a place."]),
    ({"window": "personal", "personal_minutes": 45}, ["each player has 45 minutes from the start"]),
    ({"window": "shotgun"}, ["All start together at the opening.", "Until the start."]),
    ({"hole_minutes": 10}, ["A hole takes 10 minutes at most"]),
    ({"most_entries": 12}, ["There are 12 places."]),
    ({"visibility": "blind"}, ["through the holes that he has finished himself"]),
    ({"divisions": ("Seniors", "Juniors")}, ["Divisions: Seniors, Juniors"]),
    ({"about": "Bring cake."}, ["Bring cake."]),
]


@pytest.mark.parametrize(("fields", "words"), WORDS)
def test_the_format_is_told_in_plain_words(
    club: Club, fields: dict[str, Any], words: list[str]
) -> None:
    tournament = new_tournament(club=club, **fields)
    shown = text(Client().get(reverse("tournament", args=[tournament.slug])))
    for each in words:
        assert each in shown
    assert tournament.commitment in shown
    assert tournament.salt not in shown


def test_rounds_cuts_and_a_frozen_board_are_told(club: Club, client: Client) -> None:
    client.cookies["time_zone"] = "Europe/Sofia"
    day = timedelta(days=1)
    opens_at = datetime.fromisoformat("2035-06-01T09:00+03:00")
    tournament = new_tournament(
        club=club,
        rounds=(
            RoundPlan(opens_at=opens_at, closes_at=opens_at + day, cut_to=10),
            RoundPlan(opens_at=opens_at + day, closes_at=opens_at + 2 * day),
        ),
        visibility="frozen",
        frozen_at=opens_at + day,
        entries_close_at=opens_at,
    )
    shown = text(client.get(reverse("tournament", args=[tournament.slug])))
    for words in (
        "18 holes, par 90.",
        "June 1, 2035, 9 a.m. (Eastern European Summer Time) – June 2, 2035, 9 a.m.",
        "9 holes. Afterwards the best 10 go on, with equals.",
        "the public sees the standing of June 2, 2035, 9 a.m.",
        "Until: June 1, 2035, 9 a.m.",
    ):
        assert words in shown


def test_times_are_the_readers_and_the_clubs(club: Club, client: Client) -> None:
    client.cookies["time_zone"] = "America/New_York"
    opens_at = datetime.fromisoformat("2035-06-01T09:00+03:00")
    tournament = new_tournament(
        club=club, opens_at=opens_at, closes_at=opens_at + timedelta(hours=1)
    )
    shown = text(client.get(reverse("tournament", args=[tournament.slug])))
    assert "Opens: June 1, 2035, 2 a.m. (Eastern Daylight Time)" in shown
    clubs = "June 1, 2035, 9 a.m. – June 1, 2035, 10 a.m. (Eastern European Summer Time)"
    assert f"By the club's clock: {clubs}" in shown


def test_the_clubs_clock_is_not_told_to_who_goes_by_it(club: Club, client: Client) -> None:
    tournament = new_tournament(club=club)
    url = reverse("tournament", args=[tournament.slug])
    told = {}
    for zone in (club.time_zone, "America/New_York"):
        client.cookies["time_zone"] = zone
        told[zone] = "By the club's clock:" in text(client.get(url))
    assert told == {club.time_zone: False, "America/New_York": True}


def test_the_link_to_send_is_in_sight_until_somebody_has_entered(
    club: Club, director: Client
) -> None:
    tournament = new_tournament(club=club)
    url = reverse("tournament", args=[tournament.slug])

    def folds() -> list[str]:
        return re.findall(r"<details( open)?>\s*<summary>Send", director.get(url).content.decode())

    assert folds() == [" open"]
    new_entry(tournament)
    assert folds() == [""]


def test_who_did_not_play_is_led_to_the_result(club: Club, client: Client) -> None:
    tournament = new_tournament(club=club)
    url = reverse("tournament", args=[tournament.slug])
    board = reverse("leaderboard", args=[tournament.slug])
    assert 'id="card">Take part</h2>' in client.get(url).content.decode()
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    shown = client.get(url).content.decode()
    assert 'id="card">Result</h2>' in shown
    assert f'<a class="button primary" href="{board}">' in shown


def test_directors_see_what_they_can_do_and_what_was_done(
    club: Club, ann: Player, director: Client
) -> None:
    tournament = new_tournament(club=club)
    url = reverse("tournament", args=[tournament.slug])
    shown = director.get(url)
    for name in ("edit", "copy", "repeat", "direct"):
        assert f'href="{page(name, tournament)}"' in shown.content.decode()
    assert f'value="http://testserver{url}"' in shown.content.decode()
    step = reverse("tournament_step", args=[tournament.slug, "unpublish"])
    assert f'href="{step}"' in shown.content.decode()
    director.post(step, {"reason": ""})
    assert "by the clock" in text(director.get(url))
    assert re.search(r"draft.*Ann", text(director.get(url)))
    assert "For directors" not in text(Client().get(reverse("tournaments")))


def test_others_see_no_steps(club: Club) -> None:
    tournament = new_tournament(club=club)
    member = Client()
    member.force_login(new_member(club))
    for client in (Client(), member):
        shown = client.get(reverse("tournament", args=[tournament.slug]))
        assert "For directors" not in text(shown)


@pytest.mark.parametrize("holes", [9, 36])
def test_the_page_takes_the_same_queries_whatever_the_format(
    club: Club, director: Client, holes: int, django_assert_num_queries: Any
) -> None:
    tournament = new_tournament(club=club, holes=holes, divisions=("A",) * (holes > 9))
    url = reverse("tournament", args=[tournament.slug])
    director.get(url)
    with django_assert_num_queries(14):
        assert director.get(url).status_code == 200
