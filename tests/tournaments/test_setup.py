"""Making, changing and deleting a tournament: what is stored, what is refused, what stands."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from games.engine import CLASSIC, EASY, STRICT, GameCode, RuleSet
from tournaments import fairness, services
from tournaments.models import (
    Division,
    Entry,
    Hole,
    HoleResult,
    Recurrence,
    Round,
    Season,
    StatusChange,
    Tournament,
)
from tournaments.services import RoundPlan

from .factories import (
    codes,
    codes_of,
    let_time_pass,
    new_club,
    new_draft,
    new_entry,
    new_player,
    new_tournament,
    plan,
    play_hole,
)

pytestmark = pytest.mark.django_db

NOW = timezone.now()
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def refused(code: str) -> Any:
    return pytest.raises(services.TournamentError, match=f"^{code}$")


def rounds(count: int, *, cuts: tuple[int | None, ...] = ()) -> tuple[RoundPlan, ...]:
    """So many rounds of a day each, one after another, the first from tomorrow on."""
    cuts = (*cuts, *(None,) * count)
    return tuple(
        RoundPlan(opens_at=NOW + number * DAY, closes_at=NOW + (number + 1) * DAY, cut_to=cut)
        for number, cut in zip(range(1, count + 1), cuts, strict=False)
    )


def everything() -> dict[str, list[dict[str, Any]]]:
    """All that is stored of tournaments."""
    models = (Tournament, Round, Hole, Division, StatusChange)
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


@pytest.fixture
def unchanged() -> Iterator[None]:
    """Nothing may be stored by the test once this is asked for."""
    before = everything()
    yield
    assert everything() == before


# --- creating ----------------------------------------------------------------------------------


def test_a_tournament_gets_nine_secret_deals_of_its_rules() -> None:
    tournament = new_draft(rules=CLASSIC, codes=None)
    drawn = [GameCode.parse(hole.deal_code) for hole in tournament.holes.order_by("number")]
    assert [hole.number for hole in tournament.holes.order_by("number")] == list(range(1, 10))
    assert [hole.par for hole in tournament.holes.all()] == [5] * 9
    assert [(code.version, code.rules) for code in drawn] == [(2, CLASSIC)] * 9
    assert len({code.number for code in drawn}) == 9
    # 128 bits each: that none of nine has its upper half unset is certain for all purposes.
    assert min(code.number for code in drawn) >= 2**64


def test_two_tournaments_share_no_deal() -> None:
    numbers = [hole.deal_code for _ in range(3) for hole in new_draft(codes=None).holes.all()]
    assert len(set(numbers)) == 27


def test_its_deals_are_promised() -> None:
    tournament = new_draft(codes=None)
    texts = list(tournament.holes.order_by("number").values_list("deal_code", flat=True))
    assert len(tournament.salt) == 64
    assert tournament.commitment == fairness.commitment(
        salt=tournament.salt, rules="E", codes=texts
    )
    assert new_draft().salt != tournament.salt


def test_a_custom_rule_set_is_stored_as_its_text() -> None:
    rules = RuleSet(king_ace="apart", jokers=2, waste="empty")
    tournament = new_tournament(rules=rules)
    assert (tournament.rules, tournament.rule_set) == (rules.text, rules)
    assert tournament.holes.filter(deal_code__startswith=f"GO2-{rules.text}-").count() == 9


@pytest.mark.parametrize(
    ("holes", "by_round"),
    [(1, [1]), (3, [3]), (9, [9]), (10, [9, 1]), (18, [9, 9]), (27, [9] * 3), (36, [9] * 4)],
)
def test_holes_lie_in_rounds_of_nine(holes: int, by_round: list[int]) -> None:
    tournament = new_draft(holes=holes)
    found = [
        [hole.number for hole in each.holes.order_by("number")]
        for each in tournament.rounds.order_by("number")
    ]
    assert [len(numbers) for numbers in found] == by_round
    assert [number for numbers in found for number in numbers] == list(range(1, holes + 1))
    assert {(each.opens_at, each.closes_at) for each in tournament.rounds.all()} == {
        (tournament.opens_at, tournament.closes_at)
    }


def test_everything_that_a_director_decides_is_stored() -> None:
    club = new_club(time_zone="Europe/Sofia")
    season = Season.objects.create(
        club=club, name="Year", slug="year", starts_on=date(2020, 1, 1), ends_on=date(2090, 1, 1)
    )
    made = plan(
        about="Bring a friend.",
        rank_by="app_score",
        rounds=rounds(3, cuts=(10, 5)),
        strokes_kind="below_par",
        undo_allowed=True,
        hints_allowed=True,
        tie_break="time",
        unplayed="worst",
        visibility="frozen",
        frozen_at=NOW + 3 * DAY,
        window="shotgun",
        hole_minutes=10,
        entries_close_at=NOW + 2 * DAY,
        most_entries=40,
        divisions=("Seniors", "Juniors"),
        season=season,
    )
    tournament = services.create_tournament(club=club, plan=made)
    stored = Tournament.objects.get(pk=tournament.pk)
    assert services.plan_of(stored) == made
    assert (stored.status, stored.is_friendly) == ("draft", False)
    assert (stored.opens_at, stored.closes_at) == (made.opens_at, made.closes_at)
    assert list(StatusChange.objects.all()) == []


BAD: list[tuple[dict[str, Any], dict[str, list[str]]]] = [
    ({"opens_at": NOW, "closes_at": NOW - DAY}, {"closes_at": ["window_order"]}),
    ({"opens_at": NOW, "closes_at": NOW}, {"closes_at": ["window_order"]}),
    (
        {"opens_at": NOW + DAY, "closes_at": NOW + DAY + timedelta(seconds=1)},
        {"closes_at": ["window_short"]},
    ),
    ({"closes_at": NOW + 400 * DAY}, {"closes_at": ["window_long"]}),
    ({"opens_at": NOW - 2 * DAY, "closes_at": NOW - DAY}, {"closes_at": ["closes_in_past"]}),
    ({"name": ""}, {"name": ["blank"]}),
    ({"name": "x" * 500}, {"name": ["max_length"]}),
    ({"slug": "not an address"}, {"slug": ["invalid"]}),
    ({"rank_by": "luck"}, {"rank_by": ["invalid_choice"]}),
    ({"window": "sometimes"}, {"window": ["invalid_choice"]}),
    ({"holes": 0, "codes": None}, {"holes": ["hole_count"]}),
    ({"holes": 37, "codes": None}, {"holes": ["hole_count"]}),
    ({"window": "personal"}, {"personal_minutes": ["personal_missing"]}),
    ({"window": "personal", "personal_minutes": 0}, {"personal_minutes": ["personal_missing"]}),
    ({"window": "personal", "personal_minutes": 121}, {"personal_minutes": ["personal_long"]}),
    ({"window": "personal", "personal_minutes": 10**9}, {"personal_minutes": ["personal_long"]}),
    (
        {"window": "personal", "personal_minutes": 1441, "rounds": rounds(2)},
        {"personal_minutes": ["personal_long"]},
    ),
    ({"hole_minutes": 0}, {"hole_minutes": ["hole_minutes"]}),
    ({"hole_minutes": 10**9}, {"hole_minutes": ["hole_minutes"]}),
    (
        {"window": "personal", "personal_minutes": 30, "hole_minutes": 31},
        {"hole_minutes": ["hole_minutes"]},
    ),
    ({"entries_close_at": NOW + 2 * DAY}, {"entries_close_at": ["entries_late"]}),
    ({"entries_close_at": NOW - HOUR}, {"entries_close_at": ["entries_past"]}),
    ({"most_entries": 0}, {"most_entries": ["no_places"]}),
    ({"visibility": "frozen"}, {"frozen_at": ["frozen_missing"]}),
    ({"visibility": "frozen", "frozen_at": NOW + DAY}, {"frozen_at": ["frozen_outside"]}),
    ({"visibility": "frozen", "frozen_at": NOW - DAY}, {"frozen_at": ["frozen_outside"]}),
    ({"divisions": ("A", "B", "a")}, {"divisions": ["division_twice"]}),
    ({"divisions": ("x" * 41,)}, {"divisions": ["division_name"]}),
    ({"divisions": (" ",)}, {"divisions": ["division_name"]}),
    ({"divisions": tuple("abcdefghijklmnopqrstu")}, {"divisions": ["divisions_many"]}),
    ({"rounds": rounds(2, cuts=(0,))}, {"round_1_cut_to": ["cut_none"]}),
    ({"rounds": rounds(2, cuts=(None, 5))}, {"round_2_cut_to": ["cut_last"]}),
    ({"rounds": rounds(1, cuts=(5,))}, {"round_1_cut_to": ["cut_last"]}),
    (
        {"rounds": rounds(2, cuts=(20,)), "most_entries": 20},
        {"round_1_cut_to": ["cut_whole_field"]},
    ),
    ({"rounds": rounds(3, cuts=(5, 5))}, {"round_2_cut_to": ["cut_whole_field"]}),
    (
        {
            "rounds": (
                RoundPlan(opens_at=NOW, closes_at=NOW + DAY, cut_to=5),
                RoundPlan(opens_at=NOW + HOUR, closes_at=NOW + 2 * DAY),
            )
        },
        {"round_2_opens_at": ["cut_overlap"]},
    ),
    ({"rounds": rounds(3)[::-1]}, {"closes_at": ["window_order"]}),
    (
        {"rounds": (rounds(3)[1], rounds(3)[0], rounds(3)[2])},
        {"round_2_opens_at": ["round_order"], "round_2_closes_at": ["round_order"]},
    ),
    (
        {"rounds": (replace(rounds(2)[0], closes_at=rounds(2)[0].opens_at), rounds(2)[1])},
        {"round_1_closes_at": ["window_short"]},
    ),
    ({"codes": codes(8)}, {"codes": ["codes_count"]}),
    ({"codes": codes(9, CLASSIC)}, {"codes": ["rules_differ"]}),
    ({"holes": 1, "codes": [GameCode.parse("GO1-E-AAAAAAB")]}, {"codes": ["open_deal"]}),
    ({"holes": 2, "codes": codes(1) + codes(1)}, {"codes": ["deal_twice"]}),
]


@pytest.mark.parametrize(("fields", "expected"), BAD)
def test_bad_input_is_refused_and_nothing_is_stored(
    unchanged: None, fields: dict[str, Any], expected: dict[str, list[str]]
) -> None:
    with pytest.raises(ValidationError) as caught:
        new_draft(**fields)
    assert codes_of(caught.value) == expected
    assert all(text for text in caught.value.messages)


def test_all_that_is_wrong_is_said_at_once(unchanged: None) -> None:
    with pytest.raises(ValidationError) as caught:
        new_draft(name="", most_entries=0, window="personal")
    assert codes_of(caught.value) == {
        "name": ["blank"],
        "most_entries": ["no_places"],
        "personal_minutes": ["personal_missing"],
    }


def test_a_plan_without_a_round_is_none() -> None:
    with pytest.raises(ValueError, match="a round at least"):
        plan(rounds=())


def test_an_address_is_taken_once() -> None:
    new_draft(slug="spring")
    with pytest.raises(ValidationError) as caught:
        new_draft(slug="spring")
    assert codes_of(caught.value) == {"slug": ["unique"]}


def test_a_deal_of_another_tournament_is_refused_under_any_rules() -> None:
    new_draft(holes=2, codes=codes(2))
    with pytest.raises(ValidationError) as caught:
        new_draft(holes=1, rules=CLASSIC, codes=codes(1, CLASSIC, first=2))
    assert codes_of(caught.value) == {"codes": ["deal_used"]}


def test_a_season_is_of_the_club_and_of_the_day() -> None:
    club = new_club(time_zone="Pacific/Auckland")
    opens_at = datetime.fromisoformat("2030-12-31T12:00Z")  # the New Year has begun there
    window = {"opens_at": opens_at, "closes_at": opens_at + DAY}
    year: dict[str, Any] = {
        "starts_on": date(opens_at.year, 1, 1),
        "ends_on": date(opens_at.year, 12, 31),
    }
    over = Season.objects.create(club=club, name="Over", slug="over", **year)
    other = Season.objects.create(club=new_club(), name="Other", slug="other", **year)
    for season, code in ((over, "season_dates"), (other, "season_other")):
        with pytest.raises(ValidationError) as caught:
            new_draft(club=club, season=season, **window)
        assert codes_of(caught.value) == {"season": [code]}
    Season.objects.filter(pk=over.pk).update(ends_on=date(opens_at.year + 1, 1, 1))
    over.refresh_from_db()
    assert new_draft(club=club, season=over, **window).season == over


# --- friendly ones -----------------------------------------------------------------------------


def open_codes(holes: int, rules: RuleSet = EASY) -> list[GameCode]:
    return [GameCode(version=1, rules=rules, number=number) for number in range(holes)]


def test_a_friendly_one_is_played_on_codes_that_can_be_guessed() -> None:
    tournament = new_draft(holes=3, codes=open_codes(3), is_friendly=True)
    assert tournament.is_friendly
    assert list(tournament.holes.order_by("number").values_list("deal_code", flat=True)) == [
        "GO1-E-AAAAAAA",
        "GO1-E-AAAAAAB",
        "GO1-E-AAAAAAC",
    ]


def test_friendly_ones_share_deals_and_take_those_that_are_no_secret_any_more() -> None:
    used = new_tournament(holes=2, codes=codes(2))
    with pytest.raises(ValidationError) as caught:
        new_draft(holes=2, codes=codes(2), is_friendly=True)
    assert codes_of(caught.value) == {"codes": ["deal_used"]}
    services.close_tournament(tournament=let_time_pass(used), now=timezone.now())
    for _ in range(2):
        assert new_draft(holes=2, codes=codes(2), is_friendly=True).is_friendly


# --- changing ----------------------------------------------------------------------------------


def changed(tournament: Tournament, **fields: Any) -> Tournament:
    options = {
        name: fields.pop(name) for name in ("codes", "is_friendly", "by", "seen") if name in fields
    }
    before = services.plan_of(Tournament.objects.get(pk=tournament.pk))
    if "opens_at" in fields or "closes_at" in fields:
        before = before.between(
            fields.pop("opens_at", before.opens_at), fields.pop("closes_at", before.closes_at)
        )
    return services.update_tournament(
        tournament=tournament, plan=replace(before, **fields), **options
    )


def seen(tournament: Tournament) -> str:
    return services.seen_of_tournament(tournament=Tournament.objects.get(pk=tournament.pk))


@pytest.mark.parametrize(
    "theirs",
    [
        {"closes_at": NOW + 5 * DAY},
        {"about": "Prizes!"},
        {"divisions": ("A", "B")},
        {"codes": codes(9), "is_friendly": True},
    ],
)
def test_an_older_form_undoes_nothing(theirs: dict[str, Any]) -> None:
    tournament = new_draft(opens_at=NOW + DAY, closes_at=NOW + 2 * DAY)
    plan_seen, before = services.plan_of(tournament), seen(tournament)
    changed(tournament, **theirs)
    now = services.plan_of(Tournament.objects.get(pk=tournament.pk)), deals(tournament)
    mine = {"plan": replace(plan_seen, name="Mine"), "is_friendly": False}
    with pytest.raises(ValidationError) as caught:
        services.update_tournament(tournament=tournament, seen=before, **mine)
    assert codes_of(caught.value) == {"": ["changed"]}
    assert (services.plan_of(Tournament.objects.get(pk=tournament.pk)), deals(tournament)) == now
    again = services.update_tournament(tournament=tournament, seen=seen(tournament), **mine)
    assert services.plan_of(again) == mine["plan"]


def test_an_older_form_that_wants_nothing_else_is_content() -> None:
    tournament = new_draft()
    before = seen(tournament)
    changed(tournament, name="Theirs")
    assert changed(tournament, seen=before).name == "Theirs"


def test_what_happens_by_itself_is_no_change_of_a_plan() -> None:
    tournament = new_tournament(divisions=("A",))
    before = seen(tournament)
    play_hole(new_entry(tournament), 1)
    Tournament.objects.filter(pk=tournament.pk).update(
        status=Tournament.Status.CLOSED, closed_at=tournament.closes_at, board_version=7
    )
    assert seen(tournament) == before


def deals(tournament: Tournament) -> set[str]:
    return set(tournament.holes.values_list("deal_code", flat=True))


def test_a_draft_can_change_in_everything() -> None:
    tournament = new_draft()
    made = plan(name="Autumn", slug="autumn", rounds=rounds(2, cuts=(10,)), divisions=("A", "B"))
    services.update_tournament(tournament=tournament, plan=made)
    tournament.refresh_from_db()
    assert services.plan_of(tournament) == made
    assert (tournament.name, tournament.slug) == ("Autumn", "autumn")
    assert tournament.holes.count() == 18


@pytest.mark.parametrize(
    "fields", [{"rules": STRICT}, {"rounds": rounds(2)}, {"codes": codes(9, first=77)}]
)
def test_other_rules_holes_or_codes_deal_again_and_promise_anew(fields: dict[str, Any]) -> None:
    tournament = new_draft()
    before, salt, commitment = deals(tournament), tournament.salt, tournament.commitment
    changed(tournament, **fields)
    after = Tournament.objects.get()
    assert deals(after).isdisjoint(before)
    assert {GameCode.parse(code).rules for code in deals(after)} == {after.rule_set}
    assert after.salt != salt
    assert after.commitment != commitment
    assert after.commitment == fairness.commitment(
        salt=after.salt,
        rules=after.rules,
        codes=list(after.holes.order_by("number").values_list("deal_code", flat=True)),
    )


def test_whatever_else_changes_the_deals_stay() -> None:
    tournament = new_draft()
    before = deals(tournament)
    changed(tournament, name="Renamed", window="shotgun", divisions=("A",))
    after = Tournament.objects.get()
    assert (deals(after), after.salt, after.commitment) == (
        before,
        tournament.salt,
        tournament.commitment,
    )


def test_a_friendly_draft_keeps_its_codes_until_it_is_given_others() -> None:
    tournament = new_draft(codes=open_codes(9), is_friendly=True)
    before = deals(tournament)
    changed(tournament, name="Renamed")
    assert deals(tournament) == before
    with pytest.raises(ValidationError) as caught:
        changed(tournament, rules=CLASSIC)
    assert codes_of(caught.value) == {"codes": ["rules_differ"]}
    changed(tournament, rules=CLASSIC, codes=open_codes(9, CLASSIC))
    assert deals(tournament) == {text.replace("-E-", "-C-") for text in before}
    changed(tournament, is_friendly=False)
    tournament.refresh_from_db()
    assert not tournament.is_friendly
    assert {GameCode.parse(code).version for code in deals(tournament)} == {2}


@pytest.mark.parametrize("fields", [{"rules": CLASSIC}, {"rounds": rounds(2)}, {"codes": codes(9)}])
@pytest.mark.parametrize("entries", [0, 1])
def test_what_is_published_keeps_its_promise(fields: dict[str, Any], entries: int) -> None:
    tournament = new_tournament()
    for _ in range(entries):
        new_entry(tournament)
    before = everything()
    with pytest.raises(ValidationError) as caught:
        changed(tournament, **fields)
    assert codes_of(caught.value)[""] == ["published"]
    assert everything() == before


def test_until_the_first_start_the_rest_of_what_is_published_can_change() -> None:
    tournament = new_tournament()
    new_entry(tournament)
    later = tournament.closes_at + DAY
    after = changed(tournament, slug="elsewhere", rank_by="app_score", closes_at=later)
    after.refresh_from_db()
    assert (after.slug, after.rank_by, after.closes_at) == ("elsewhere", "app_score", later)
    assert after.rounds.get().closes_at == later
    assert after.board_version > tournament.board_version


@pytest.mark.parametrize(
    "fields",
    [
        {"slug": "elsewhere"},
        {"rules": CLASSIC},
        {"rank_by": "app_score"},
        {"strokes_kind": "below_par"},
        {"undo_allowed": True},
        {"hints_allowed": True},
        {"tie_break": "time"},
        {"unplayed": "worst"},
        {"visibility": "blind"},
        {"window": "personal", "personal_minutes": 30},
        {"hole_minutes": 5},
        {"divisions": ("A",)},
        {"codes": codes(9, first=77)},
        {"is_friendly": True},
        {"rounds": rounds(2)},
    ],
)
def test_once_a_hole_was_started_the_format_is_frozen(
    tournament: Tournament, fields: dict[str, Any]
) -> None:
    services.start_hole(entry=new_entry(tournament), number=1)
    before = everything()
    with pytest.raises(ValidationError) as caught:
        changed(tournament, **fields)
    assert codes_of(caught.value)[""] == ["frozen"]
    assert everything() == before


def test_then_its_name_its_places_and_the_times_to_come_can_change(
    tournament: Tournament,
) -> None:
    play_hole(new_entry(tournament), 1)
    later = tournament.closes_at + DAY
    changed(
        tournament,
        name="Renamed",
        about="Rain.",
        most_entries=10,
        entries_close_at=later,
        closes_at=later,
    )
    tournament.refresh_from_db()
    assert (tournament.name, tournament.about, tournament.most_entries) == ("Renamed", "Rain.", 10)
    assert (tournament.closes_at, tournament.entries_close_at) == (later, later)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"opens_at": NOW - 3 * DAY}, {"opens_at": ["time_over"]}),
        ({"closes_at": NOW - timedelta(minutes=1)}, {"closes_at": ["closes_in_past"]}),
    ],
)
def test_times_that_were_reached_stand(
    tournament: Tournament, fields: dict[str, Any], expected: dict[str, list[str]]
) -> None:
    services.start_hole(entry=new_entry(tournament), number=1)
    before = everything()
    with pytest.raises(ValidationError) as caught:
        changed(tournament, **fields)
    assert codes_of(caught.value) == expected
    assert everything() == before


def test_a_closing_time_moves_with_a_trace(tournament: Tournament) -> None:
    director = new_player("Director")
    services.start_hole(entry=new_entry(tournament), number=1)
    for closes_at in (tournament.closes_at + DAY, timezone.now() + timedelta(minutes=5)):
        changed(tournament, closes_at=closes_at, by=director)
        last = StatusChange.objects.latest("pk")
        assert (last.before, last.after, last.by) == ("open", "open", director)
        assert (last.round, last.closes_at) == (1, closes_at)
    changed(tournament, name="No trace")
    assert StatusChange.objects.count() == 3  # with its publication


def test_holes_in_progress_follow_a_closing_time(tournament: Tournament) -> None:
    result = services.start_hole(entry=new_entry(tournament), number=1)
    assert result.game is not None
    for closes_at in (tournament.closes_at + DAY, timezone.now() + timedelta(minutes=5)):
        changed(tournament, closes_at=closes_at)
        result.game.refresh_from_db()
        assert result.game.closes_at == closes_at


def test_the_times_of_later_rounds_can_change_while_the_first_is_played() -> None:
    hour = timedelta(hours=1)
    first = RoundPlan(opens_at=NOW - hour, closes_at=NOW + hour, cut_to=1)
    second = RoundPlan(opens_at=NOW + 2 * hour, closes_at=NOW + 4 * hour)
    tournament = new_tournament(rounds=(first, second))
    services.start_hole(entry=new_entry(tournament), number=1)
    moved = (
        replace(first, closes_at=NOW + 3 * hour),
        replace(second, opens_at=NOW + 3 * hour, closes_at=NOW + 5 * hour),
    )
    changed(tournament, rounds=moved)
    tournament.refresh_from_db()
    assert services.plan_of(tournament).rounds == moved
    assert tournament.closes_at == moved[1].closes_at
    traced = StatusChange.objects.exclude(round=None).values_list("round", "closes_at")
    assert list(traced) == [(1, moved[0].closes_at), (2, moved[1].closes_at)]
    with pytest.raises(ValidationError) as caught:
        changed(tournament, rounds=(replace(moved[0], cut_to=2), moved[1]))
    assert codes_of(caught.value)[""] == ["frozen"]


@pytest.mark.parametrize("status", ["closed", "review"])
def test_what_is_over_can_be_called_otherwise_and_no_more(
    tournament: Tournament, status: str
) -> None:
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    Tournament.objects.update(status=status)
    changed(tournament, name="Renamed", about="It rained.")
    tournament.refresh_from_db()
    assert (tournament.name, tournament.about) == ("Renamed", "It rained.")
    for fields in ({"most_entries": 5}, {"rank_by": "app_score"}, {"rules": CLASSIC}):
        before = everything()
        with pytest.raises(ValidationError) as caught:
            changed(tournament, **fields)
        assert codes_of(caught.value)[""] == ["over"]
        assert everything() == before


def test_what_is_final_stands(tournament: Tournament) -> None:
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    Tournament.objects.update(status="final")
    before = everything()
    with pytest.raises(ValidationError) as caught:
        changed(tournament, name="Renamed")
    assert codes_of(caught.value) == {"": ["final"]}
    changed(tournament)  # nothing, which is allowed
    assert everything() == before


def test_there_are_places_for_those_who_are_there(tournament: Tournament) -> None:
    for _ in range(3):
        new_entry(tournament)
    with pytest.raises(ValidationError) as caught:
        changed(tournament, most_entries=2)
    assert codes_of(caught.value) == {"most_entries": ["places_taken"]}
    assert caught.value.messages == ["3 players have entered already."]
    changed(tournament, most_entries=3)
    tournament.refresh_from_db()
    assert tournament.most_entries == 3


def test_a_cut_leaves_some_of_those_who_are_there_behind() -> None:
    tournament = new_tournament(rounds=rounds(2))
    for _ in range(3):
        new_entry(tournament)
    with pytest.raises(ValidationError) as caught:
        changed(tournament, rounds=rounds(2, cuts=(3,)))
    assert codes_of(caught.value) == {"round_1_cut_to": ["cut_whole_field"]}
    changed(tournament, rounds=rounds(2, cuts=(2,)))
    assert tournament.rounds.get(number=1).cut_to == 2


def test_a_cut_that_was_decided_before_they_came_stands() -> None:
    tournament = new_tournament(rounds=rounds(2, cuts=(20,)))
    new_entry(tournament)
    changed(tournament, name="Renamed")
    tournament.refresh_from_db()
    assert tournament.name == "Renamed"


def test_a_division_that_somebody_plays_in_stays() -> None:
    tournament = new_tournament(divisions=("A", "B"))
    seniors = tournament.divisions.get(name="A")
    Entry.objects.filter(pk=new_entry(tournament).pk).update(division=seniors)
    before = everything()
    with pytest.raises(ValidationError) as caught:
        changed(tournament, divisions=("B", "C"))
    assert codes_of(caught.value) == {"divisions": ["division_used"]}
    assert everything() == before
    changed(tournament, divisions=("A", "C"))
    assert [each.name for each in tournament.divisions.all()] == ["A", "C"]
    assert tournament.divisions.get(name="A") == seniors


# --- deleting ----------------------------------------------------------------------------------


def test_a_tournament_without_results_goes_with_all_that_is_its(tournament: Tournament) -> None:
    changed(tournament, divisions=("A",))
    new_entry(tournament)
    services.delete_tournament(tournament=tournament)
    models = (Tournament, Round, Hole, Division, Entry, StatusChange)
    assert [model.objects.count() for model in models] == [0] * 6


def test_a_tournament_with_a_started_hole_is_kept(tournament: Tournament) -> None:
    services.start_hole(entry=new_entry(tournament), number=1)
    with refused("has_results"):
        services.delete_tournament(tournament=tournament)
    counts = [model.objects.count() for model in (Tournament, Hole, Entry, HoleResult)]
    assert counts == [1, 9, 1, 1]


def test_what_others_are_copies_of_is_kept(tournament: Tournament) -> None:
    Recurrence.objects.create(
        club=tournament.club,
        template=tournament,
        every="day",
        next_on=NOW + DAY,
        anchor_day=1,
        opens_at="10:00",
        open_minutes=60,
    )
    with refused("is_template"):
        services.delete_tournament(tournament=tournament)
    assert Tournament.objects.get() == tournament


# --- addresses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Monthly Nine, December!", "monthly-nine-december"),
        ("Месечна деветка", "green-hill"),
        ("", "green-hill"),
        ("x" * 200, "x" * 72),
    ],
)
def test_an_address_is_made_of_a_name(text: str, slug: str) -> None:
    assert services.free_slug(text, otherwise="green-hill") == slug


def test_an_address_that_is_taken_is_numbered() -> None:
    club = new_club()
    for expected in ("spring", "spring-2", "spring-3"):
        slug = services.free_slug("Spring", otherwise="x")
        assert slug == expected
        new_draft(club=club, slug=slug)
    assert services.free_slug("Spring", otherwise="x", among=Season) == "spring"
