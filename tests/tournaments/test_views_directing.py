"""The director's pages: who may see them, what they show, what they decide, what they refuse."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tournaments import services
from tournaments.models import Correction, Division, Entry, Membership, Tournament
from tournaments.views import directing

from .factories import (
    first_legal,
    let_time_pass,
    new_entry,
    new_player,
    new_tournament,
    play,
    play_hole,
    play_holes,
)
from .test_corrections import adjust, everything, in_status

pytestmark = pytest.mark.django_db


def new_member(tournament: Tournament, role: str, name: str = "Dora") -> Player:
    player = Player.objects.create_user(f"{name}-{role}".lower(), name=name)
    Membership.objects.create(
        club=tournament.club, player=player, role=role, name=name, name_key=f"{name}{role}"
    )
    return player


def browser(player: Player | None = None) -> Client:
    client = Client()
    if player is not None:
        client.force_login(player)
    return client


@pytest.fixture
def director(tournament: Tournament) -> Player:
    return new_member(tournament, "director")


@pytest.fixture
def desk(director: Player) -> Client:
    return browser(director)


@pytest.fixture
def entry(tournament: Tournament) -> Entry:
    return play_holes(new_entry(tournament, "Ann"), last=2)


def page(tournament: Tournament) -> str:
    return reverse("tournament_direct", args=[tournament.slug])


def entry_page(entry: Entry) -> str:
    return reverse("tournament_direct_entry", args=[entry.tournament.slug, entry.pk])


def entry_rule(entry: Entry, rule: str) -> str:
    return reverse("tournament_decide_entry", args=[entry.tournament.slug, entry.pk, rule])


def result_rule(entry: Entry, number: int, rule: str) -> str:
    return reverse("tournament_decide_result", args=[entry.tournament.slug, entry.pk, number, rule])


def hole_rule(tournament: Tournament, number: int, rule: str) -> str:
    return reverse("tournament_decide_hole", args=[tournament.slug, number, rule])


def trace(tournament: Tournament) -> str:
    return reverse("tournament_corrections", args=[tournament.slug])


def text(response: Any) -> str:
    """What a page says, without its tags."""
    body = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", response.content.decode())
    return " ".join(body.replace("&#x27;", "'").split())


def fill(client: Client, url: str, **fields: Any) -> dict[str, Any]:
    """What the form of a page sends, with what it shows and what is typed."""
    response = client.get(url)
    assert response.status_code == 200
    form = response.context["form"]
    shown = {field.html_name: field.value() for field in form}
    kept = {name: value for name, value in shown.items() if value is not None}
    return {**kept, "seen": response.context["seen"], **fields}


def decide(client: Client, url: str, **fields: Any) -> Any:
    return client.post(url, fill(client, url, **fields), follow=True)


def errors(response: Any) -> dict[str, list[str]]:
    """The codes of what is wrong, by field."""
    found = response.context["form"].errors.as_data()
    return {field: [error.code for error in each] for field, each in found.items()}


def all_pages(entry: Entry) -> list[str]:
    tournament = entry.tournament
    rules = ("disqualify", "withdraw", "remove", "reinstate", "extend", "division")
    return [
        page(tournament),
        entry_page(entry),
        reverse("tournament_add_player", args=[tournament.slug]),
        *[entry_rule(entry, rule) for rule in rules],
        *[result_rule(entry, 1, rule) for rule in ("adjust", "restore")],
        *[hole_rule(tournament, 1, rule) for rule in ("void", "unvoid")],
    ]


# --- who -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["owner", "director"])
def test_owners_and_directors_see_every_page(entry: Entry, role: str) -> None:
    client = browser(new_member(entry.tournament, role))
    for url in all_pages(entry):
        assert client.get(url).status_code == 200


def test_so_do_superusers(entry: Entry) -> None:
    client = browser(Player.objects.create_superuser("root", name="Root"))
    assert [client.get(url).status_code for url in all_pages(entry)] == [200] * 13


def test_nobody_else_sees_or_does_anything(entry: Entry) -> None:
    tournament = entry.tournament
    elsewhere = new_member(new_tournament(), "owner", "Olga")
    left = new_member(tournament, "director", "Lea")
    Membership.objects.filter(player=left).update(status="left")
    staff = Player.objects.create_user("staff", name="Staff", is_staff=True)
    others = [entry.player, new_member(tournament, "member"), elsewhere, left, staff]
    before = everything()
    data = {"reason": "x", "seen": "0", "strokes": 1, "app_score": 1, "username": staff.username}
    for client in map(browser, others):
        for url in all_pages(entry):
            assert client.get(url).status_code == 403
            assert client.post(url, data).status_code in {403, 405}
    for url in all_pages(entry):
        response = browser().get(url)
        assert (response.status_code, response.url) == (302, f"{reverse('login')}?next={url}")
        assert browser().post(url, data).status_code in {302, 405}
    assert everything() == before


def test_what_is_not_there_is_not_found(desk: Client, entry: Entry) -> None:
    tournament, other = entry.tournament, new_entry(new_tournament())
    slug = tournament.slug
    assert desk.get(reverse("tournament_direct", args=["nowhere"])).status_code == 404
    assert desk.get(reverse("tournament_direct_entry", args=[slug, other.pk])).status_code == 404
    for url in (
        reverse("tournament_decide_entry", args=[slug, other.pk, "disqualify"]),
        reverse("tournament_decide_entry", args=[slug, entry.pk, "forgive"]),
        reverse("tournament_decide_entry", args=[slug, entry.pk, "adjust"]),
        reverse("tournament_decide_result", args=[slug, entry.pk, 10, "adjust"]),
        reverse("tournament_decide_result", args=[slug, other.pk, 1, "adjust"]),
        reverse("tournament_decide_result", args=[slug, entry.pk, 1, "void"]),
        reverse("tournament_decide_hole", args=[slug, 10, "void"]),
        reverse("tournament_decide_hole", args=[slug, 1, "adjust"]),
    ):
        assert desk.get(url).status_code == 404
        assert desk.post(url, {"reason": "x", "seen": "0"}).status_code == 404
    assert Correction.objects.count() == 0


# --- what there is -------------------------------------------------------------------------------


def test_the_page_counts_and_lists_everything(
    desk: Client, tournament: Tournament, entry: Entry, director: Player
) -> None:
    playing = services.start_hole(entry=new_entry(tournament, "Bo"), number=1)
    play(playing.game, first_legal(playing.game)[:4])
    play_holes(new_entry(tournament, "Cy"))
    out = {"by": director, "reason": "Because"}
    services.disqualify(entry=new_entry(tournament, "Di"), **out)
    services.withdraw_entry(entry=new_entry(tournament, "Ed"), **out)
    services.hide_entry(entry=new_entry(tournament, "Flo"), **out)
    adjust(entry, 1, director)
    services.void_hole(tournament=tournament, number=9, **out)
    response = desk.get(page(tournament))
    counts = response.context["counts"]
    assert (counts.entries, counts.started, counts.playing, counts.finished) == (5, 3, 1, 1)
    assert (counts.withdrawn, counts.disqualified, counts.removed) == (1, 1, 1)
    assert (counts.corrections, counts.flags) == (5, 0)
    names = [entry.name for entry in response.context["entries"]]
    assert names == ["Ann", "Bo", "Cy", "Di", "Ed", "Flo"]
    holes = [(hole.number, hole.finished, hole.playing) for hole in response.context["holes"]]
    assert holes == [(1, 2, 1), (2, 2, 0), *[(number, 1, 0) for number in range(3, 10)]]
    assert [hole.number for hole in response.context["holes"] if hole.is_void] == [9]
    said = text(response)
    assert "Status: open" in said
    assert "Ann corrected" in said
    assert "Di disqualified corrected" in said
    assert "9 void" in said


def test_entries_are_found_by_name_and_status_and_paged(
    desk: Client, tournament: Tournament, director: Player
) -> None:
    for number in range(51):
        new_entry(tournament, f"Player {number:02}")
    url = page(tournament)
    first = desk.get(url)
    assert len(first.context["entries"]) == 50
    assert '?page=2#entries"' in first.content.decode()
    assert [row.name for row in desk.get(url, {"page": "2"}).context["entries"]] == ["Player 50"]
    last = desk.get(url, {"page": "99", "text": "player", "status": "active"})
    assert "?page=1&amp;text=player&amp;status=active#entries" in last.content.decode()
    found = desk.get(url, {"text": "r 07"})
    assert [row.name for row in found.context["entries"]] == ["Player 07"]
    services.disqualify(entry=found.context["entries"][0], by=director, reason="x")
    found = desk.get(url, {"status": "disqualified"})
    assert [row.name for row in found.context["entries"]] == ["Player 07"]
    assert "No entry fits" in text(desk.get(url, {"text": "nobody of that name"}))
    assert len(desk.get(url, {"status": "odd", "page": "x"}).context["entries"]) == 50


@pytest.mark.parametrize("which", ["direct", "entry", "corrections"])
def test_pages_take_the_same_queries_whatever_is_on_them(
    desk: Client, tournament: Tournament, director: Player, which: str,
    django_assert_max_num_queries: Any,
) -> None:  # fmt: skip
    division = Division.objects.create(tournament=tournament, name="Seniors")

    def enter() -> Entry:
        return services.enter(tournament=tournament, player=new_player(), division=division)

    first = play_hole(enter(), 1).entry
    url = {
        "direct": page(tournament), "entry": entry_page(first), "corrections": trace(tournament),
    }[which]  # fmt: skip

    def queries() -> int:
        with django_assert_max_num_queries(40) as captured:
            assert desk.get(url).status_code == 200
        return len(captured)

    def something() -> None:
        by = new_member(tournament, "owner", f"Director {Player.objects.count()}")
        entry = play_hole(enter(), 1).entry
        for each in (first, entry):
            count = Correction.objects.count()
            adjust(each, 1, by, strokes=count % 30, reason=f"{count}")
            services.change_division(entry=each, division=division, by=by, reason=f"{count}")
            services.withdraw_entry(entry=each, by=by, reason=f"{count}")

    something()
    desk.get(url)
    one = queries()
    something()
    something()
    assert queries() == one


def test_the_page_of_an_entry_offers_what_can_be_done(
    desk: Client, tournament: Tournament, entry: Entry, director: Player
) -> None:
    services.start_hole(entry=entry, number=3)
    body = desk.get(entry_page(entry)).content.decode()
    offered = {rule for rule in ("disqualify", "withdraw", "remove", "reinstate", "extend",
                                 "division") if entry_rule(entry, rule) in body}  # fmt: skip
    assert offered == {"disqualify", "withdraw", "remove", "extend"}
    adjustable = [number for number in range(1, 10) if result_rule(entry, number, "adjust") in body]
    assert adjustable == [1, 2, 4, 5, 6, 7, 8, 9]
    assert "/restore/" not in body
    adjust(entry, 1, director)
    Division.objects.create(tournament=tournament, name="Seniors")
    services.hide_entry(entry=entry, by=director, reason="x")
    body = desk.get(entry_page(entry)).content.decode()
    offered = {rule for rule in ("disqualify", "withdraw", "remove", "reinstate", "extend",
                                 "division") if entry_rule(entry, rule) in body}  # fmt: skip
    assert offered == {"reinstate"}
    assert result_rule(entry, 1, "restore") in body


def test_nothing_is_offered_where_nothing_is_corrected(
    desk: Client, tournament: Tournament, entry: Entry
) -> None:
    for status, said in {
        "draft": "Nothing is corrected before the tournament is published.",
        "final": "The tournament is final. Reopen it first.",
    }.items():
        in_status(tournament, status)
        for url in all_pages(entry):
            response = desk.get(url)
            assert said in text(response), url
            assert 'name="reason"' not in response.content.decode()
        body = desk.get(page(tournament)).content.decode()
        assert "/direct/holes/" not in body
        assert "/direct/add/" not in body


# --- decisions -----------------------------------------------------------------------------------


def test_a_hole_is_adjusted_and_the_adjustment_taken_back(
    desk: Client, entry: Entry, director: Player
) -> None:
    url = result_rule(entry, 1, "adjust")
    result = entry.results.get(hole__number=1)
    shown = fill(desk, url)
    assert (shown["strokes"], shown["app_score"]) == (result.strokes, result.app_score)
    response = decide(desk, url, strokes="7", app_score="280", reason="Miscounted")
    assert response.redirect_chain == [(entry_page(entry), 302)]
    assert "Decided: hole adjusted." in text(response)
    row = Correction.objects.get()
    assert (row.by, row.reason, row.after) == (
        director, "Miscounted", {"strokes": 7, "app_score": 280},
    )  # fmt: skip
    decide(desk, result_rule(entry, 1, "restore"), reason="Right after all")
    result.refresh_from_db()
    assert (result.strokes, result.is_corrected) == (row.before["strokes"], False)


def test_an_entry_is_disqualified_and_reinstated(desk: Client, entry: Entry) -> None:
    for rule, status in {
        "disqualify": "disqualified",
        "reinstate": "active",
        "withdraw": "withdrawn",
        "remove": "removed",
    }.items():
        response = decide(desk, entry_rule(entry, rule), reason=f"Because of {rule}")
        assert response.redirect_chain == [(entry_page(entry), 302)]
        entry.refresh_from_db()
        assert entry.status == status
    response = decide(desk, entry_rule(entry, "reinstate"), reason="Back")
    response = decide(desk, entry_rule(entry, "reinstate"), reason="Back again")
    assert errors(response) == {"__all__": ["unchanged"]}


def test_a_hole_is_voided_and_counts_again(
    desk: Client, tournament: Tournament, entry: Entry
) -> None:
    response = decide(desk, hole_rule(tournament, 1, "void"), reason="Misdealt")
    assert response.redirect_chain == [(page(tournament) + "#holes", 302)]
    entry.refresh_from_db()
    assert entry.thru == 1
    decide(desk, hole_rule(tournament, 1, "unvoid"), reason="Not so")
    entry.refresh_from_db()
    assert entry.thru == 2


def test_more_time_is_meant_by_the_clubs_clock(
    desk: Client, tournament: Tournament, entry: Entry
) -> None:
    club = tournament.club
    club.time_zone = "Asia/Tokyo"
    club.save()
    url = entry_rule(entry, "extend")
    body = desk.get(url).content.decode()
    local = timezone.localtime(tournament.closes_at, club.zone)
    assert f'value="{local:%Y-%m-%dT%H:%M}"' in body
    assert "Asia/Tokyo" in body
    later = (local + timedelta(hours=3)).replace(second=0, microsecond=0)
    decide(desk, url, until=f"{later:%Y-%m-%dT%H:%M}", reason="Power cut")
    entry.refresh_from_db()
    assert entry.extended_to == later


def test_the_division_is_changed(desk: Client, tournament: Tournament, entry: Entry) -> None:
    seniors = Division.objects.create(tournament=tournament, name="Seniors")
    other = Division.objects.create(tournament=new_tournament(), name="Elsewhere")
    url = entry_rule(entry, "division")
    assert "Elsewhere" not in desk.get(url).content.decode()
    response = decide(desk, url, division=other.pk, reason="x")
    assert errors(response) == {"division": ["invalid_choice"]}
    decide(desk, url, division=seniors.pk, reason="He is 70")
    entry.refresh_from_db()
    assert entry.division == seniors
    assert errors(decide(desk, url, division="", reason="x")) == {"division": ["required"]}


def test_a_player_is_added_by_user_name(
    desk: Client, tournament: Tournament, director: Player
) -> None:
    url = reverse("tournament_add_player", args=[tournament.slug])
    bo = Player.objects.create_user("Bo.Berg", name="Bo Berg")
    assert f'<option value="{director.username}">Dora</option>' in desk.get(url).content.decode()
    response = desk.post(url, {"username": "bo.berg", "reason": "Late bus"}, follow=True)
    entry = Entry.objects.get(player=bo)
    assert response.redirect_chain == [(entry_page(entry), 302)]
    assert "Decided: entry added." in text(response)
    again = desk.post(url, {"username": "Bo.Berg", "reason": "Late bus"})
    assert errors(again) == {"__all__": ["already_entered"]}
    nobody = desk.post(url, {"username": "nobody", "reason": ""})
    assert errors(nobody) == {"username": ["no_such_player"]}
    assert Entry.objects.count() == 1


def test_bad_input_is_explained_and_what_was_typed_is_kept(desk: Client, entry: Entry) -> None:
    before = everything()
    url = result_rule(entry, 1, "adjust")
    response = decide(desk, url, strokes="99", app_score="-1", reason="A long story")
    assert errors(response) == {"strokes": ["strokes_range"], "app_score": ["app_score_range"]}
    body = response.content.decode()
    assert 'value="99"' in body
    assert "A long story" in body
    assert "Strokes go from 0 to 35." in body
    for fields, expected in (
        ({"strokes": "four"}, {"strokes": ["invalid"]}),
        ({"strokes": ""}, {"strokes": ["required"]}),
        ({"reason": ""}, {"reason": ["reason_required"]}),
        ({"reason": "x" * 301}, {"reason": ["reason_long"]}),
        ({"reason": "x\u202ey"}, {"reason": ["characters"]}),
    ):
        values = {"strokes": "4", "app_score": "300", "reason": "x", **fields}
        assert errors(decide(desk, url, **values)) == expected
    for until in ("", "tomorrow", "2001-01-01T00:00", "2999-01-01T00:00"):
        response = decide(desk, entry_rule(entry, "extend"), until=until, reason="x")
        assert list(errors(response)) == ["until"]
    assert everything() == before


# --- two directors -------------------------------------------------------------------------------


def test_two_directors_have_the_same_form_open(desk: Client, entry: Entry) -> None:
    """The second is told what the first did, what he wrote is kept, and both rows stand."""
    other = browser(new_member(entry.tournament, "owner", "Emil"))
    url = result_rule(entry, 1, "adjust")
    mine = fill(desk, url, strokes="3", app_score="320", reason="Card 7 counted twice")
    his = fill(other, url, strokes="6", app_score="290", reason="A card was hidden")
    assert desk.post(url, mine).status_code == 302
    told = other.post(url, his)
    said = text(told)
    assert "Something has happened since you opened this page." in said
    assert "Card 7 counted twice" in said
    assert "Decide all the same" in said
    assert 'value="6"' in told.content.decode()
    assert "A card was hidden" in told.content.decode()
    assert Correction.objects.count() == 1
    confirmed = other.post(url, {**his, "seen": told.context["seen"]}, follow=True)
    assert confirmed.redirect_chain == [(entry_page(entry), 302)]
    rows = Correction.objects.values_list("by__name", "after__strokes")
    assert list(rows) == [("Dora", 3), ("Emil", 6)]
    assert entry.results.get(hole__number=1).strokes == 6


def test_who_decides_at_the_same_moment_is_told_once(
    desk: Client, entry: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other decision falls between what this request has looked at and its own."""
    other = new_member(entry.tournament, "owner", "Emil")
    url = entry_rule(entry, "disqualify")
    mine = fill(desk, url, reason="Late")
    look, looks = directing.seen_of, []

    def look_before_the_other(**about: Any) -> str:
        seen = look(**about)
        looks.append(seen)
        if len(looks) == 1:
            services.withdraw_entry(entry=entry, by=other, reason="Ill")
        return seen

    monkeypatch.setattr(directing, "seen_of", look_before_the_other)
    told = desk.post(url, mine)
    assert "Something has happened since you opened this page." in text(told)
    assert "Status: withdrawn" in text(told)
    assert desk.post(url, {**mine, "seen": told.context["seen"]}).status_code == 302
    rows = Correction.objects.values_list("by__name", "kind")
    assert list(rows) == [("Emil", "withdraw"), ("Dora", "disqualify")]


def test_a_mistake_does_not_hide_what_happened_meanwhile(desk: Client, entry: Entry) -> None:
    other = browser(new_member(entry.tournament, "owner", "Emil"))
    url = entry_rule(entry, "disqualify")
    his = fill(other, url, reason="")
    decide(desk, entry_rule(entry, "withdraw"), reason="Ill")
    refused = other.post(url, his)
    assert errors(refused) == {"reason": ["reason_required"]}
    told = other.post(url, {"reason": "Late", "seen": refused.context["seen"]})
    assert "Something has happened since you opened this page." in text(told)
    assert Correction.objects.count() == 1


def test_a_form_sent_twice_decides_once(desk: Client, entry: Entry) -> None:
    url = entry_rule(entry, "disqualify")
    data = fill(desk, url, reason="Late")
    assert [desk.post(url, data).status_code for _ in range(2)] == [302, 302]
    assert Correction.objects.count() == 1


def test_what_became_final_meanwhile_is_said(desk: Client, entry: Entry) -> None:
    url = entry_rule(entry, "disqualify")
    data = fill(desk, url, reason="Late")
    in_status(entry.tournament, "final")
    assert "The tournament is final. Reopen it first." in text(desk.post(url, data))
    assert Correction.objects.count() == 0


# --- what everybody reads ------------------------------------------------------------------------


def test_everybody_reads_what_was_decided(
    tournament: Tournament, entry: Entry, director: Player
) -> None:
    assert "Nothing was corrected" in text(browser().get(trace(tournament)))
    row = adjust(entry, 1, director, strokes=7, app_score=280, reason="Miscounted <b>")
    services.void_hole(tournament=tournament, number=2, by=director, reason="Misdealt")
    services.disqualify(entry=entry, by=director, reason="Late")
    until = tournament.closes_at + timedelta(days=1)
    bo = new_entry(tournament, "Bo")
    services.extend_window(entry=bo, until=until, by=director, reason="Power cut")
    said = text(browser().get(trace(tournament)))
    before = row.before
    played = f"Strokes: {before['strokes']} · App score: {before['app_score']}"
    for expected in (
        f"Ann · Hole 1 · hole adjusted before: {played} after: Strokes: 7 · App score: 280",
        "Miscounted &lt;b&gt;",
        "Hole 2 · hole voided for all before: counts after: void",
        "Ann · disqualified before: entered after: disqualified",
        "Bo · window extended",
        "Dora",
    ):
        assert expected in said
    assert said.index("Power cut") < said.index("Miscounted")
    assert "/direct/" not in browser().get(trace(tournament)).content.decode()
    assert entry_page(entry) in browser(director).get(trace(tournament)).content.decode()


def test_a_players_own_step_is_told_in_the_readers_language(entry: Entry) -> None:
    services.withdraw(entry=entry)
    english = text(browser().get(trace(entry.tournament)))
    finnish = text(browser().get(trace(entry.tournament), headers={"accept-language": "fi"}))
    assert "The player has withdrawn." in english
    assert "The player has withdrawn." not in finnish


def test_decisions_are_found_by_kind_and_text_and_paged(
    tournament: Tournament, entry: Entry, director: Player
) -> None:
    for number in range(51):
        adjust(entry, 3, director, strokes=number % 35, reason=f"Reason {number:02}")
    services.disqualify(entry=new_entry(tournament, "Bo"), by=director, reason="Late")

    def reasons(**fields: str) -> list[str]:
        response = browser().get(trace(tournament), fields)
        return [decision.row.reason for decision in response.context["decisions"]]

    assert len(reasons()) == 50
    assert reasons(page="2") == ["Reason 01", "Reason 00"]
    assert reasons(kind="disqualify") == ["Late"]
    assert reasons(text="bo") == ["Late"]
    assert reasons(text="reason 4", kind="adjust") == [f"Reason {n}" for n in range(49, 39, -1)]
    assert len(reasons(text="dora")) == 50
    assert reasons(text="nothing like it") == []
    assert len(reasons(kind="odd")) == 50


def test_a_closed_tournament_offers_no_more_play(
    desk: Client, tournament: Tournament, entry: Entry
) -> None:
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    body = desk.get(entry_page(entry)).content.decode()
    assert entry_rule(entry, "extend") not in body
    assert entry_rule(entry, "disqualify") in body
    response = desk.post(
        reverse("tournament_add_player", args=[tournament.slug]),
        {"username": new_player().username, "reason": "x"},
    )
    assert errors(response) == {"__all__": ["revealed"]}


# --- the steps of its life -----------------------------------------------------------------------


def step_page(tournament: Tournament, step: str) -> str:
    return reverse("tournament_step", args=[tournament.slug, step])


def offered(desk: Client, tournament: Tournament) -> list[str]:
    body = desk.get(page(tournament)).content.decode()
    return [step.value for step in services.Step if step_page(tournament, step) in body]


def test_a_tournament_goes_through_its_life(
    desk: Client, tournament: Tournament, entry: Entry, director: Player
) -> None:
    services.start_hole(entry=entry, number=3)
    for step, status, following in (
        ("close", "closed", ["review", "finalise"]),
        ("review", "review", ["finalise"]),
        ("finalise", "final", ["reopen"]),
        ("reopen", "review", ["finalise"]),
    ):
        assert step in offered(desk, tournament)
        data = {"reason": f"Because of {step}"}
        response = desk.post(step_page(tournament, step), data, follow=True)
        assert response.redirect_chain == [(page(tournament), 302)]
        tournament.refresh_from_db()
        assert tournament.status == status
        assert offered(desk, tournament) == following
    assert tournament.is_revealed
    said = text(desk.get(page(tournament)))
    assert "by the clock" in said  # it is over, whoever has moved its end
    assert "Because of reopen" in said
    last = tournament.status_changes.last()
    assert (last.by, last.reason) == (director, "Because of reopen")


def test_what_nobody_has_entered_can_be_a_draft_again(desk: Client, tournament: Tournament) -> None:
    assert offered(desk, tournament) == ["unpublish"]
    desk.post(step_page(tournament, "unpublish"))
    assert offered(desk, tournament) == ["publish"]
    desk.post(step_page(tournament, "publish"))
    tournament.refresh_from_db()
    assert tournament.status == "open"


def test_steps_that_are_none_are_refused(
    desk: Client, tournament: Tournament, entry: Entry
) -> None:
    for step, code in {
        "unpublish": "has_entries",
        "review": "still_open",
        "finalise": "still_open",
    }.items():
        assert errors(desk.post(step_page(tournament, step))) == {"__all__": [code]}
    reopen = step_page(tournament, "reopen")
    assert errors(desk.post(reopen)) == {"reason": ["reason_required"]}
    assert errors(desk.post(reopen, {"reason": "x\u202e"})) == {"reason": ["characters"]}
    assert errors(desk.post(reopen, {"reason": "x"})) == {"__all__": ["still_open"]}
    assert desk.get(step_page(tournament, "annul")).status_code == 404
    early = new_tournament(club=tournament.club, opens_at=timezone.now() + timedelta(minutes=5))
    assert errors(desk.post(step_page(early, "close"))) == {"__all__": ["not_started"]}
    tournament.refresh_from_db()
    assert tournament.status == "open"


def test_a_draft_whose_time_is_over_is_not_published(desk: Client, tournament: Tournament) -> None:
    in_status(let_time_pass(tournament), "draft")
    response = desk.post(step_page(tournament, "publish"))
    assert errors(response) == {"__all__": ["closes_in_past"]}


def test_only_directors_take_steps(tournament: Tournament, entry: Entry) -> None:
    for step in services.Step:
        url = step_page(tournament, step)
        assert browser(entry.player).post(url, {"reason": "x"}).status_code == 403
        assert browser().post(url, {"reason": "x"}).status_code == 302
    tournament.refresh_from_db()
    assert tournament.status == "open"
