"""The admin of clubs, tournaments, entries and results: lists, forms, freezing, deleting."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.engine import CLASSIC, GameCode, RuleSet
from games.models import Game, Player
from tournaments import services
from tournaments.admin.tournaments import TournamentAdmin
from tournaments.models import Club, Entry, Hole, HoleResult, Tournament

from .factories import (
    let_time_pass,
    new_club,
    new_draft,
    new_entry,
    new_player,
    new_tournament,
    play_hole,
)

pytestmark = pytest.mark.django_db
MODELS = ("club", "tournament", "entry", "holeresult")


@pytest.fixture
def staff(db: None) -> Client:
    director = Player.objects.create_superuser("director", password="x", name="Director")
    client = Client()
    client.force_login(director)
    return client


def changelist(model: str) -> str:
    return reverse(f"admin:tournaments_{model}_changelist")


def change(row: Any) -> str:
    return reverse(f"admin:tournaments_{row._meta.model_name}_change", args=[row.pk])


def delete(row: Any) -> str:
    return reverse(f"admin:tournaments_{row._meta.model_name}_delete", args=[row.pk])


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def local(time: Any) -> tuple[str, str]:
    return time.strftime("%Y-%m-%d"), time.strftime("%H:%M:%S")


def form(**fields: Any) -> dict[str, Any]:
    """What the form of a new tournament sends."""
    now = timezone.now().replace(microsecond=0)
    opens_at = fields.pop("opens_at", now)
    closes_at = fields.pop("closes_at", now + timedelta(days=7))
    values = {
        "name": "Spring Nine",
        "slug": "spring-nine",
        "rank_by": "strokes",
        "rule_set": "E",
        "opens_at_0": local(opens_at)[0],
        "opens_at_1": local(opens_at)[1],
        "closes_at_0": local(closes_at)[0],
        "closes_at_1": local(closes_at)[1],
    }
    return {**values, **fields}


def hidden(response: Any) -> dict[str, str]:
    """What the page's own form sends beside what is typed."""
    inputs = re.findall(r'<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?', html(response))
    return dict(inputs)


def html(response: Any) -> str:
    body: str = response.content.decode()
    return body


# --- lists -------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_a_list_takes_the_same_queries_with_one_row_and_with_three(
    staff: Client, model: str, django_assert_max_num_queries: Any
) -> None:
    def queries() -> int:
        with django_assert_max_num_queries(20) as captured:
            response = staff.get(changelist(model))
        assert response.status_code == 200
        return len(captured)

    play_hole(new_entry(new_tournament()), 1)
    staff.get(changelist(model))
    one = queries()
    for _ in range(2):
        play_hole(new_entry(new_tournament()), 1)
    assert queries() == one
    assert staff.get(changelist(model)).context["cl"].result_count == 3


@pytest.mark.parametrize("results", [1, 3])
def test_pages_of_one_row_do_not_ask_once_for_each_line(
    staff: Client, results: int, django_assert_num_queries: Any
) -> None:
    entry = new_entry(new_tournament())
    for number in range(1, results + 1):
        play_hole(entry, number)
    staff.get(change(entry))
    with django_assert_num_queries(7):
        assert staff.get(change(entry)).status_code == 200


@pytest.mark.parametrize(
    ("model", "term"),
    [
        ("club", "Green"),
        ("tournament", "Spring"),
        ("tournament", "Green"),
        ("entry", "Ann"),
        ("entry", "Spring"),
        ("holeresult", "Ann"),
    ],
)
def test_lists_can_be_searched(staff: Client, model: str, term: str) -> None:
    play_hole(new_entry(new_tournament(), "Bo"), 1)
    club = new_club(name="Green Hill")
    play_hole(new_entry(new_tournament(club=club, name="Spring Nine"), "Ann"), 1)
    assert staff.get(changelist(model), {"q": term}).context["cl"].result_count == 1


def test_tournaments_are_filtered_by_where_in_their_life_they_are(staff: Client) -> None:
    rows = {
        "draft": new_draft(),
        "open": new_tournament(),
        "upcoming": new_tournament(opens_at=timezone.now() + timedelta(minutes=5)),
        "closing": let_time_pass(new_tournament()),
        "closed": let_time_pass(new_tournament()),
    }
    services.close_tournament(tournament=rows["closed"], now=timezone.now())
    for phase, row in rows.items():
        found = staff.get(changelist("tournament"), {"phase": phase}).context["cl"].result_list
        assert list(found) == [row]
    everything = staff.get(changelist("tournament"), {"phase": "odd"}).context["cl"]
    assert everything.result_count == 5


# --- creating and changing ---------------------------------------------------------------------


def test_a_tournament_is_created_with_nine_secret_deals(staff: Client) -> None:
    club = new_club()
    url = reverse("admin:tournaments_tournament_add")
    assert staff.get(url).status_code == 200
    response = staff.post(url, form(club=club.pk), follow=True)
    tournament = Tournament.objects.get()
    assert said(response)[0].startswith("The tournament “")
    assert (tournament.name, tournament.slug, tournament.rules, tournament.rank_by) == (
        "Spring Nine",
        "spring-nine",
        "E",
        "strokes",
    )
    assert tournament.holes.count() == 9
    assert {GameCode.parse(hole.deal_code).version for hole in tournament.holes.all()} == {2}


def test_a_tournament_is_created_with_rules_of_its_own(staff: Client) -> None:
    fields = {"king_ace": "apart", "on_king": "nothing", "draw": "any_time"}
    data = form(
        club=new_club().pk,
        rule_set="custom",
        rank_by="app_score",
        jokers="2",
        waste="empty",
        **fields,
    )
    staff.post(reverse("admin:tournaments_tournament_add"), data)
    tournament = Tournament.objects.get()
    assert tournament.rule_set == RuleSet(
        king_ace="apart", on_king="nothing", draw="any_time", jokers=2, waste="empty"
    )
    assert tournament.rank_by == "app_score"


NOW = timezone.now()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"closes_at": NOW - timedelta(days=1)}, "closes_at"),
        ({"opens_at": NOW - timedelta(days=3), "closes_at": NOW - timedelta(days=2)}, "closes_at"),
        (
            {"opens_at": NOW + timedelta(hours=1), "closes_at": NOW + timedelta(hours=1)},
            "closes_at",
        ),
        ({"name": "x" * 500}, "name"),
        ({"name": "Spring\u202eeniN"}, "name"),
        ({"name": ""}, "name"),
        ({"slug": "two words"}, "slug"),
        ({"rule_set": "Z"}, "rule_set"),
        ({"rule_set": "custom", "jokers": "3"}, "jokers"),
        ({"opens_at_1": "noon"}, "opens_at"),
        ({"club": "999"}, "club"),
    ],
)
def test_bad_input_is_explained_at_its_field_and_nothing_is_stored(
    staff: Client, fields: dict[str, Any], field: str
) -> None:
    data = form(**{"club": new_club().pk, **fields})
    response = staff.post(reverse("admin:tournaments_tournament_add"), data)
    assert response.status_code == 200
    assert list(response.context["adminform"].form.errors) == [field]
    assert (Tournament.objects.count(), Hole.objects.count()) == (0, 0)


def test_the_rules_of_a_draft_can_change_and_deal_again(staff: Client) -> None:
    tournament = new_draft()
    before = set(tournament.holes.values_list("deal_code", flat=True))
    response = staff.get(change(tournament))
    assert response.context["adminform"].form.initial["rule_set"] == "E"
    data = hidden(response) | form(club=tournament.club.pk, rule_set="C")
    assert staff.post(change(tournament), data).status_code == 302
    tournament.refresh_from_db()
    assert (tournament.rules, tournament.name, tournament.slug) == (
        "C",
        "Spring Nine",
        "spring-nine",
    )
    after = set(tournament.holes.values_list("deal_code", flat=True))
    assert len(after) == 9
    assert after.isdisjoint(before)


def test_the_rules_of_what_is_published_stand(staff: Client, tournament: Tournament) -> None:
    before = Tournament.objects.values().get()
    data = hidden(staff.get(change(tournament))) | form(club=tournament.club.pk, rule_set="C")
    response = staff.post(change(tournament), data, follow=True)
    (text,) = said(response)
    assert text.startswith("The deals of a published tournament are promised")
    assert Tournament.objects.values().get() == before


def test_one_that_is_over_can_still_be_renamed(staff: Client, tournament: Tournament) -> None:
    let_time_pass(tournament)
    data = hidden(staff.get(change(tournament))) | form(
        club=tournament.club.pk, opens_at=tournament.opens_at, closes_at=tournament.closes_at
    )
    response = staff.post(change(tournament), data, follow=True)
    assert said(response)[0].startswith("The tournament “")
    after = Tournament.objects.get()
    assert (after.name, after.opens_at, after.closes_at) == (
        "Spring Nine",
        tournament.opens_at,
        tournament.closes_at,
    )


def test_the_format_is_frozen_once_a_hole_was_started(
    staff: Client, tournament: Tournament
) -> None:
    services.start_hole(entry=new_entry(tournament), number=1)
    response = staff.get(change(tournament))
    assert list(response.context["adminform"].form.fields) == ["name"]
    assert "The first hole has been started, so this stands." in response.content.decode()
    before = Tournament.objects.values().get()
    data = hidden(response) | form(club=tournament.club.pk, rule_set="C")
    assert staff.post(change(tournament), data).status_code == 302
    assert Tournament.objects.values().get() == {**before, "name": "Spring Nine"}


def test_a_change_that_comes_too_late_is_explained(
    staff: Client, tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hole is started between the reading of the form and the saving of the change."""
    entry = new_entry(tournament)
    update = services.update_tournament

    def start_first(**fields: Any) -> Tournament:
        services.start_hole(entry=entry, number=1)
        return update(**fields)

    monkeypatch.setattr(services, "update_tournament", start_first)
    data = hidden(staff.get(change(tournament))) | form(club=tournament.club.pk, rule_set="C")
    response = staff.post(change(tournament), data, follow=True)
    assert said(response) == [
        "The first hole has been started: the format, the holes and the scoring stand."
    ]
    tournament.refresh_from_db()
    assert tournament.rules == "E"


def test_what_a_director_changes_meanwhile_stays(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is changed between the reading of the form and the saving of another change."""
    tournament = new_draft()
    save_form = TournamentAdmin.save_form

    def save_later(*args: Any, **kwargs: Any) -> Any:
        plan = replace(services.plan_of(tournament), most_entries=7, rank_by="app_score")
        services.update_tournament(tournament=tournament, plan=replace(plan, rules=CLASSIC))
        return save_form(*args, **kwargs)

    monkeypatch.setattr(TournamentAdmin, "save_form", save_later)
    data = hidden(staff.get(change(tournament))) | form(
        slug=tournament.slug, opens_at=tournament.opens_at, closes_at=tournament.closes_at
    )
    assert staff.post(change(tournament), data).status_code == 302
    after = Tournament.objects.get()
    assert (after.name, after.most_entries, after.rank_by) == ("Spring Nine", 7, "app_score")
    assert after.rule_set == CLASSIC
    assert {GameCode.parse(hole.deal_code).rules for hole in after.holes.all()} == {CLASSIC}


def test_recompute_is_an_action(staff: Client, tournament: Tournament) -> None:
    entry = new_entry(tournament)
    play_hole(entry, 1)
    entry.refresh_from_db()
    right = entry.totals
    Entry.objects.update(strokes=99)
    data = {"action": "recompute", "_selected_action": [tournament.pk]}
    response = staff.post(changelist("tournament"), data, follow=True)
    assert said(response) == [f"{tournament.name}: 1 game replayed, 1 figures corrected."]
    entry.refresh_from_db()
    assert entry.totals == right


def test_recompute_is_not_for_those_who_only_look(tournament: Tournament) -> None:
    from django.contrib.auth.models import Permission

    viewer = Player.objects.create_user("viewer", password="x", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_tournament"))
    client = Client()
    client.force_login(viewer)
    response = client.get(changelist("tournament"))
    assert response.status_code == 200
    assert response.context["action_form"] is None


# --- what is kept ------------------------------------------------------------------------------


def test_what_has_results_cannot_be_deleted_and_says_why(
    staff: Client, tournament: Tournament
) -> None:
    entry = new_entry(tournament)
    result = play_hole(entry, 1)
    reasons = {
        tournament.club: "This club has members or tournaments, and those are kept.",
        tournament: "Holes of this tournament have been played, and results are kept.",
        entry: "This player has started a hole, and results are kept.",
    }
    for row, reason in reasons.items():
        for response in (
            staff.get(delete(row), follow=True),
            staff.post(delete(row), {"post": "yes"}, follow=True),
        ):
            assert said(response) == [reason]
            assert response.redirect_chain == [(change(row), 302)]
    assert staff.post(delete(result), {"post": "yes"}).status_code == 403
    counts = [m.objects.count() for m in (Club, Tournament, Hole, Entry, HoleResult, Game)]
    assert counts == [1, 1, 9, 1, 1, 1]


def test_the_bulk_action_deletes_nothing_if_one_row_is_kept(
    staff: Client, tournament: Tournament
) -> None:
    entry = new_entry(tournament)
    play_hole(entry, 1)
    others = {
        "club": new_club(),
        "tournament": new_tournament(club=tournament.club),
        "entry": new_entry(tournament),
    }
    kept = {"club": tournament.club, "tournament": tournament, "entry": entry}
    for model, row in kept.items():
        data = {
            "action": "delete_selected",
            "post": "yes",
            "_selected_action": [row.pk, others[model].pk],
        }
        response = staff.post(changelist(model), data, follow=True)
        assert said(response) == [f"{row} has results and is kept. Nothing was deleted."]
    counts = [model.objects.count() for model in (Club, Tournament, Entry)]
    assert counts == [2, 2, 2]
    response = staff.get(changelist("holeresult"))
    assert response.context["action_form"] is None


def test_what_nobody_played_can_be_deleted(staff: Client) -> None:
    club = new_club()
    tournament, other = new_tournament(club=club), new_tournament(club=club)
    entry = new_entry(tournament)
    assert staff.get(delete(entry)).status_code == 200
    assert staff.post(delete(entry), {"post": "yes"}).status_code == 302
    assert Entry.objects.count() == 0
    new_entry(tournament)
    page = staff.get(delete(tournament)).content.decode()
    assert "Holes: 9" in page
    assert "Entries: 1" in page
    assert staff.post(delete(tournament), {"post": "yes"}).status_code == 302
    assert list(Tournament.objects.all()) == [other]
    data = {"action": "delete_selected", "post": "yes", "_selected_action": [other.pk]}
    staff.post(changelist("tournament"), data)
    assert (Tournament.objects.count(), Hole.objects.count()) == (0, 0)
    assert staff.post(delete(club), {"post": "yes"}).status_code == 302
    assert Club.objects.count() == 0


def test_nobody_without_the_permission_deletes(tournament: Tournament) -> None:
    client = Client()
    client.force_login(Player.objects.create_user("helper", password="x", is_staff=True))
    assert client.post(delete(tournament), {"post": "yes"}).status_code == 403
    play_hole(new_entry(tournament), 1)
    assert client.post(delete(tournament), {"post": "yes"}).status_code == 403


def test_entries_and_results_are_read_only(staff: Client, tournament: Tournament) -> None:
    entry = new_entry(tournament)
    result = play_hole(entry, 1)
    for model in ("entry", "holeresult"):
        assert staff.get(reverse(f"admin:tournaments_{model}_add")).status_code == 403
    entry.refresh_from_db()
    before = entry.totals
    for row in (entry, result):
        assert staff.get(change(row)).status_code == 200
        assert staff.post(change(row), {"strokes": 1, "app_score": 350}).status_code == 403
    entry.refresh_from_db()
    assert entry.totals == before


def test_codes_are_shown_once_the_tournament_is_over(staff: Client, tournament: Tournament) -> None:
    play_hole(new_entry(tournament), 1)
    codes = list(tournament.holes.values_list("deal_code", flat=True))
    let_time_pass(tournament)
    services.close_due(now=timezone.now())
    page = staff.get(change(tournament)).content.decode()
    assert [code for code in codes if code not in page] == []


def test_a_classic_tournament_is_named_so(staff: Client) -> None:
    tournament = new_tournament(rules=CLASSIC)
    services.start_hole(entry=services.enter(tournament=tournament, player=new_player()), number=1)
    assert "Classic" in staff.get(changelist("tournament")).content.decode()
    page = staff.get(change(tournament)).content.decode()
    assert "King and ace: are the two ends of a run" in page
