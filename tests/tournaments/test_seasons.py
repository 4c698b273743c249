"""Seasons: which tournaments add up, whose results count, and what is refused."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from games.models import Player
from tournaments import selectors, services
from tournaments.models import Club, Entry, Membership, Season, Tournament
from tournaments.services import SeasonPlan

from .factories import (
    codes_of,
    let_time_pass,
    new_club,
    new_draft,
    new_player,
    new_tournament,
    record,
)

pytestmark = pytest.mark.django_db
TODAY = timezone.now().date()


def plan(**fields: Any) -> SeasonPlan:
    values: dict[str, Any] = {
        "name": "This year",
        "slug": "this-year",
        "starts_on": TODAY - timedelta(days=100),
        "ends_on": TODAY + timedelta(days=100),
        "points": (10, 6, 3),
    }
    return SeasonPlan(**{**values, **fields})


@pytest.fixture
def club(db: None) -> Club:
    return new_club()


def member(club: Club, name: str, **fields: Any) -> Player:
    player = new_player(name)
    Membership.objects.create(
        club=club, player=player, name=f"{name} of the club", name_key=name, **fields
    )
    return player


def over(club: Club, places: list[Player], status: str = "final", **fields: Any) -> Tournament:
    """A tournament that is over, with the players' places in order."""
    tournament = new_tournament(club=club, holes=1, **fields)
    for place, player in enumerate(places, 1):
        entry = services.enter(tournament=tournament, player=player)
        record(entry, place)
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    Tournament.objects.filter(pk=tournament.pk).update(status=status)
    tournament.refresh_from_db()
    return tournament


def table(season: Season) -> list[tuple[str, str, str]]:
    found = selectors.seasons.season_table(season=season)
    return [(each.line.place_text, each.name, f"{each.line.shown}") for each in found.lines]


# --- the table ---------------------------------------------------------------------------------


def test_places_add_up_to_a_table(club: Club) -> None:
    ann, bo = member(club, "Ann"), member(club, "Bo")
    over(club, [ann, bo])
    over(club, [bo, ann])
    over(club, [ann])
    season = services.create_season(club=club, plan=plan())
    assert table(season) == [("1", "Ann of the club", "26"), ("2", "Bo of the club", "16")]
    found = selectors.seasons.season_table(season=season)
    scores = found.lines[1].scores
    assert [None if score is None else score.place for score in scores] == [2, 1, None]
    assert not found.is_provisional


def test_only_the_best_count(club: Club) -> None:
    ann, bo = member(club, "Ann"), member(club, "Bo")
    for _ in range(3):
        over(club, [bo, ann])
    over(club, [ann])
    season = services.create_season(club=club, plan=plan(best_of=1))
    assert table(season) == [("T1", "Ann of the club", "10"), ("T1", "Bo of the club", "10")]


@pytest.mark.parametrize(
    ("status", "counts", "provisional"),
    [("closed", True, True), ("review", True, True), ("final", True, False)],
)
def test_what_is_not_final_is_provisional(
    club: Club, status: str, counts: bool, provisional: bool
) -> None:
    over(club, [member(club, "Ann")], status=status)
    season = services.create_season(club=club, plan=plan())
    found = selectors.seasons.season_table(season=season)
    assert (len(found.lines) == 1) is counts
    assert found.is_provisional is provisional
    assert [event.is_provisional for event in found.events] == [provisional]


def test_what_goes_on_is_to_come(club: Club) -> None:
    services.enter(tournament=new_tournament(club=club), player=member(club, "Ann"))
    new_draft(club=club)
    season = services.create_season(club=club, plan=plan())
    found = selectors.seasons.season_table(season=season)
    assert (found.events, found.lines, found.to_come) == ((), (), 1)


def test_a_standing_that_is_frozen_counts_once_it_is_revealed(club: Club) -> None:
    """Neither as it will be, which nobody may know, nor as it was, which is no result."""
    ann, bo = member(club, "Ann"), member(club, "Bo")
    frozen_at = timezone.now() - timedelta(minutes=1)
    tournament = over(club, [ann, bo], visibility="frozen", frozen_at=frozen_at)
    season = services.create_season(club=club, plan=plan())
    found = selectors.seasons.season_table(season=season)
    assert (found.events, found.lines, found.to_come) == ((), (), 1)
    services.reveal_standings(tournament=tournament)
    assert table(season) == [("1", "Ann of the club", "10"), ("2", "Bo of the club", "6")]
    assert selectors.seasons.season_table(season=season).to_come == 0


def test_a_correction_moves_the_table(club: Club) -> None:
    ann, bo = member(club, "Ann"), member(club, "Bo")
    tournament = over(club, [ann, bo], status="closed")
    season = services.create_season(club=club, plan=plan())
    assert [name for _place, name, _points in table(season)] == [
        "Ann of the club",
        "Bo of the club",
    ]
    first = Entry.objects.get(tournament=tournament, player=ann)
    services.disqualify(entry=first, by=bo, reason="a test")
    assert table(season) == [("1", "Bo of the club", "10")]
    services.reinstate(entry=first, by=bo, reason="a test")
    services.void_hole(tournament=tournament, number=1, by=bo, reason="a test")
    assert table(season) == []


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("tournaments", [1, 3])
def test_a_table_takes_the_same_queries_however_many_tournaments(
    club: Club, tournaments: int, is_known: bool, django_assert_num_queries: Any
) -> None:
    """Five for what this process has not read yet, three after that."""
    ann = member(club, "Ann")
    for _ in range(tournaments):
        over(club, [ann])
    season = services.create_season(club=club, plan=plan())
    if is_known:
        selectors.seasons.season_table(season=season)
    with django_assert_num_queries(3 if is_known else 5):
        found = selectors.seasons.season_table(season=season)
    assert len(found.events) == tournaments
    assert found.lines[0].line.total == 10 * tournaments


def test_a_guests_place_keeps_its_points(club: Club) -> None:
    guest, ann = new_player("Guest"), member(club, "Ann")
    over(club, [guest, ann])
    season = services.create_season(club=club, plan=plan())
    assert table(season) == [("1", "Ann of the club", "6")]
    Membership.objects.create(club=club, player=guest, name="Guest", name_key="guest")
    assert table(season) == [("1", "Guest", "10"), ("2", "Ann of the club", "6")]


@pytest.mark.parametrize(
    ("status", "scores"), [("active", True), ("left", True), ("removed", False), ("banned", False)]
)
def test_who_has_left_keeps_what_was_won(club: Club, status: str, scores: bool) -> None:
    ann = member(club, "Ann")
    over(club, [ann])
    Membership.objects.filter(player=ann).update(status=status)
    season = services.create_season(club=club, plan=plan())
    assert table(season) == ([("1", "Ann of the club", "10")] if scores else [])


def test_who_has_no_place_has_no_points(club: Club) -> None:
    tournament = over(club, [member(club, "Ann")])
    services_entry = Entry.objects.create(
        tournament=tournament, player=member(club, "Bo"), name="Bo", name_key="bo"
    )
    season = services.create_season(club=club, plan=plan())
    assert [name for _place, name, _points in table(season)] == ["Ann of the club"]
    assert services_entry.thru == 0


# --- which tournaments -------------------------------------------------------------------------


def at(club: Club, text: str, **fields: Any) -> Tournament:
    opens_at = datetime.fromisoformat(text)
    window = {"opens_at": opens_at, "closes_at": opens_at + timedelta(hours=1)}
    return new_draft(club=club, **window, **fields)


def test_a_season_takes_what_opens_between_its_days_in_the_clubs_zone() -> None:
    club = new_club(time_zone="Pacific/Auckland")
    first = at(club, "2030-12-31T11:00+00:00")  # midnight of the New Year there
    last = at(club, "2031-01-31T10:59+00:00")
    for text in ("2030-12-31T10:59+00:00", "2031-01-31T11:00+00:00"):
        at(club, text)
    at(new_club(), "2031-01-15T00:00+00:00")
    at(club, "2031-01-15T00:00+00:00", day=date(2031, 1, 15))
    season = services.create_season(
        club=club, plan=plan(starts_on=date(2031, 1, 1), ends_on=date(2031, 1, 31))
    )
    assert list(season.tournaments.order_by("pk")) == [first, last]


def test_a_season_takes_nothing_from_another(club: Club) -> None:
    tournament = new_draft(club=club)
    one = services.create_season(club=club, plan=plan())
    services.create_season(club=club, plan=plan(slug="other"))
    tournament.refresh_from_db()
    assert tournament.season == one


def test_a_director_chooses_among_those_between_its_days(club: Club) -> None:
    one, two = new_draft(club=club), new_draft(club=club)
    other = new_draft()
    season = services.create_season(club=club, plan=plan())
    services.update_season(season=season, plan=plan(name="Named"), tournaments=[two.pk, other.pk])
    season.refresh_from_db()
    assert (season.name, list(season.tournaments.all())) == ("Named", [two])
    days = {"starts_on": TODAY + timedelta(days=50), "ends_on": TODAY + timedelta(days=60)}
    services.update_season(season=season, plan=plan(**days), tournaments=[one.pk, two.pk])
    assert list(season.tournaments.all()) == []


def test_an_older_form_undoes_nothing(club: Club) -> None:
    one, two = new_draft(club=club), new_draft(club=club)
    season = services.create_season(club=club, plan=plan())
    before = services.seen_of_season(season=season)

    def mine(seen: str, **fields: Any) -> Season:
        return services.update_season(
            season=season, plan=plan(**fields), tournaments=[one.pk, two.pk], seen=seen
        )

    services.update_season(season=season, plan=plan(best_of=2), seen=before)
    with pytest.raises(ValidationError) as caught:
        mine(before)
    assert codes_of(caught.value) == {"": ["changed"]}
    season.refresh_from_db()
    assert season.best_of == 2
    assert mine(before, best_of=2).best_of == 2  # which changes nothing

    now = services.seen_of_season(season=season)
    three = new_draft(club=club, season=season)  # as a recurring one comes
    with pytest.raises(ValidationError) as caught:
        mine(now, best_of=2)
    assert codes_of(caught.value) == {"": ["changed"]}
    assert set(season.tournaments.all()) == {one, two, three}
    mine(services.seen_of_season(season=season), best_of=3)
    season.refresh_from_db()
    assert (season.best_of, set(season.tournaments.all())) == (3, {one, two})


def test_without_a_choice_it_keeps_those_that_are_between_its_days(club: Club) -> None:
    one, two = new_draft(club=club), new_draft(club=club)
    season = services.create_season(club=club, plan=plan())
    services.update_season(season=season, plan=plan(), tournaments=[two.pk])
    services.update_season(season=season, plan=plan(name="Named"))
    assert list(season.tournaments.all()) == [two]
    days = {"starts_on": TODAY + timedelta(days=50), "ends_on": TODAY + timedelta(days=60)}
    services.update_season(season=season, plan=plan(**days))
    assert list(season.tournaments.all()) == []
    one.refresh_from_db()
    assert one.season is None


def test_a_season_goes_and_its_tournaments_stay(club: Club) -> None:
    tournament = over(club, [member(club, "Ann")])
    season = services.create_season(club=club, plan=plan())
    services.delete_season(season=season)
    services.delete_season(season=season)
    assert (Season.objects.count(), Tournament.objects.get()) == (0, tournament)


def test_seasons_are_listed_with_their_number_of_tournaments(club: Club) -> None:
    new_draft(club=club)
    new_draft(club=club)
    this = services.create_season(club=club, plan=plan())
    last = services.create_season(
        club=club,
        plan=plan(
            slug="last",
            starts_on=TODAY - timedelta(days=300),
            ends_on=TODAY - timedelta(days=200),
        ),
    )
    found = selectors.seasons.seasons_of(club=club)
    assert [(each, each.count) for each in found] == [(this, 2), (last, 0)]
    assert selectors.seasons.season_on(club=club, day=TODAY) == this
    assert selectors.seasons.season_on(club=club, day=TODAY - timedelta(days=150)) is None


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"name": ""}, {"name": "blank"}),
        ({"name": "x" * 500}, {"name": "max_length"}),
        ({"slug": "two words"}, {"slug": "invalid"}),
        ({"ends_on": TODAY - timedelta(days=101)}, {"ends_on": "season_order"}),
        ({"points": ()}, {"points": "points_none"}),
        ({"points": (1,) * 101}, {"points": "points_many"}),
        ({"points": (5, -1)}, {"points": "points_range"}),
        ({"points": (10_001,)}, {"points": "points_range"}),
        ({"points": (0, 0)}, {"points": "points_range"}),
        ({"points": (5, 6)}, {"points": "points_order"}),
        ({"best_of": 0}, {"best_of": "best_of_none"}),
    ],
)
def test_bad_input_is_refused_and_nothing_changes(
    club: Club, fields: dict[str, Any], expected: dict[str, str]
) -> None:
    season = services.create_season(club=club, plan=plan(slug="kept"))
    before = list(Season.objects.values())

    def codes(caught: Any) -> dict[str, str]:
        return {field: errors[0].code for field, errors in caught.value.error_dict.items()}

    with pytest.raises(ValidationError) as caught:
        services.create_season(club=club, plan=plan(**fields))
    assert codes(caught) == expected
    with pytest.raises(ValidationError) as caught:
        services.update_season(season=season, plan=plan(**fields), tournaments=[])
    assert codes(caught) == expected
    assert list(Season.objects.values()) == before


def test_an_address_is_taken_once(club: Club) -> None:
    services.create_season(club=club, plan=plan())
    with pytest.raises(ValidationError) as caught:
        services.create_season(club=new_club(), plan=plan())
    assert caught.value.error_dict["slug"][0].code == "unique"


def test_a_season_of_one_day(club: Club) -> None:
    assert services.create_season(club=club, plan=plan(starts_on=TODAY, ends_on=TODAY)).pk
