"""What the admin's actions decide: the services of the pages, and what they refuse."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tournaments import services
from tournaments.models import (
    ClubEvent,
    Correction,
    Entry,
    Flag,
    Membership,
    Recurrence,
    Tournament,
)
from tournaments.selectors.trace import Topic, seen_of

from .factories import new_draft, new_entry, new_member, new_tournament, play_holes
from .test_admin import change, changelist, html, said
from .test_corrections import everything, in_status
from .world import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def director(tournament: Tournament) -> Player:
    player = new_member(tournament.club, "Dora", role="director")
    player.is_staff = True
    player.save()
    return player


@pytest.fixture
def desk(director: Player) -> Client:
    client = Client()
    client.force_login(director)
    return client


@pytest.fixture
def entry(tournament: Tournament) -> Entry:
    return play_holes(new_entry(tournament, "Ann"), last=2)


def act(client: Client, model: str, action: str, *rows: Any, **fields: Any) -> Any:
    """Choose an action for rows and, where it asks why, answer with the fields."""
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    response = client.post(changelist(model), data, follow=True)
    if not fields:
        return response
    seen = {f"seen-{row.pk}": seen for row, seen in response.context["rows"]}
    return client.post(changelist(model), {**data, **seen, "decide": "yes", **fields}, follow=True)


def test_a_tournament_is_taken_through_its_life(
    desk: Client, tournament: Tournament, entry: Entry, director: Player
) -> None:
    draft = new_draft(club=tournament.club)
    assert said(act(desk, "tournament", "publish", draft)) == ["Done for 1 row."]
    for action, fields, status in (
        ("close_now", {"reason": "Storm"}, "closed"),
        ("start_review", {}, "review"),
        ("finalise", {}, "final"),
        ("reopen", {"reason": "A mistake"}, "review"),
    ):
        assert said(act(desk, "tournament", action, tournament, **fields)) == ["Done for 1 row."]
        tournament.refresh_from_db()
        assert tournament.status == status
    assert tournament.status_changes.last().by == director
    assert tournament.status_changes.last().reason == "A mistake"


def test_a_step_that_is_none_is_refused_for_its_row_alone(
    desk: Client, tournament: Tournament, entry: Entry
) -> None:
    over = in_status(new_tournament(club=tournament.club), "closed")
    response = act(desk, "tournament", "finalise", tournament, over)
    assert said(response) == [f"{tournament}: it is still open", "Done for 1 row."]
    statuses = Tournament.objects.order_by("pk").values_list("status", flat=True)
    assert list(statuses) == ["open", "final"]


@pytest.mark.parametrize(
    ("action", "status"),
    [("disqualify", "disqualified"), ("withdraw", "withdrawn"), ("hide", "removed")],
)
def test_entries_are_decided_about_with_a_reason(
    desk: Client, entry: Entry, director: Player, action: str, status: str
) -> None:
    other = new_entry(entry.tournament, "Bo")
    asked = act(desk, "entry", action, entry, other)
    assert "Ann" in html(asked)
    assert 'name="reason"' in html(asked)
    assert Correction.objects.count() == 0
    response = act(desk, "entry", action, entry, other, reason="Late")
    assert said(response) == ["Done for 2 rows."]
    rows = Correction.objects.values_list("entry__name", "by", "reason", "after")
    after = {"status": status}
    assert sorted(rows) == [("Ann", director.pk, "Late", after), ("Bo", director.pk, "Late", after)]
    assert set(Entry.objects.values_list("status", flat=True)) == {status}
    response = act(desk, "entry", "reinstate", entry, reason="Heard him")
    assert said(response) == ["Done for 1 row."]
    entry.refresh_from_db()
    assert entry.status == "active"


def test_without_a_reason_nothing_is_decided(desk: Client, entry: Entry) -> None:
    before = everything()
    for reason, text in (("", "Say why"), ("x\u202e", "control characters"), ("x" * 301, "300")):
        response = act(desk, "entry", "disqualify", entry, reason=reason)
        assert text in html(response)
        assert html(response).count('name="reason"') == 1
    assert everything() == before


def test_what_changed_after_the_question_is_told(
    desk: Client, tournament: Tournament, entry: Entry, director: Player
) -> None:
    data = {
        "action": "disqualify", "_selected_action": [entry.pk], "decide": "yes",
        f"seen-{entry.pk}": seen_of(topic=Topic.STATUS, entry=entry), "reason": "Late",
    }  # fmt: skip
    services.withdraw_entry(entry=entry, by=director, reason="Ill")
    response = desk.post(changelist("entry"), data, follow=True)
    assert said(response) == ["Ann: somebody has decided about it meanwhile"]
    entry.refresh_from_db()
    assert entry.status == "withdrawn"


def test_what_is_final_is_not_corrected(desk: Client, tournament: Tournament, entry: Entry) -> None:
    in_status(tournament, "final")
    response = act(desk, "entry", "disqualify", entry, reason="Late")
    assert said(response) == ["Ann: the tournament is final: reopen it first"]
    response = act(desk, "tournament", "void_hole", tournament, reason="x", number="1")
    assert said(response) == [f"{tournament}: the tournament is final: reopen it first"]
    assert Correction.objects.count() == 0


def test_who_voids_a_hole_is_told_what_was_decided_meanwhile(
    desk: Client, tournament: Tournament, entry: Entry, director: Player
) -> None:
    """As on the pages: of the hole that he chooses, not of the others."""
    services.void_hole(tournament=tournament, number=2, by=director, reason="Before he looked")
    data = {"action": "void_hole", "_selected_action": [tournament.pk]}
    asked = desk.post(changelist("tournament"), data)
    seen = {f"seen-{row.pk}": seen for row, seen in asked.context["rows"]}
    other = new_member(tournament.club, role="director")
    services.void_hole(tournament=tournament, number=1, by=other, reason="Torn")
    services.unvoid_hole(tournament=tournament, number=1, by=other, reason="It was not")
    answer = {**data, **seen, "decide": "yes", "reason": "Misdealt"}
    response = desk.post(changelist("tournament"), {**answer, "number": "1"}, follow=True)
    assert said(response) == [f"{tournament}: somebody has decided about it meanwhile"]
    assert not tournament.holes.get(number=1).is_void
    for number in ("2", "3"):
        response = desk.post(changelist("tournament"), {**answer, "number": number}, follow=True)
        assert said(response) == ["Done for 1 row."]


def test_a_hole_is_voided_and_counts_again(
    desk: Client, tournament: Tournament, entry: Entry
) -> None:
    response = act(desk, "tournament", "void_hole", tournament, reason="Misdealt", number="1")
    assert said(response) == ["Done for 1 row."]
    entry.refresh_from_db()
    assert entry.thru == 1
    response = act(desk, "tournament", "unvoid_hole", tournament, reason="Not so", number="1")
    assert said(response) == ["Done for 1 row."]
    entry.refresh_from_db()
    assert entry.thru == 2
    response = act(desk, "tournament", "void_hole", tournament, reason="x", number="12")
    assert said(response) == [f"{tournament}: it has no such hole"]
    response = act(desk, "tournament", "void_hole", tournament, reason="x", number="one")
    assert "Enter a whole number." in html(response)


def test_more_rows_than_a_page_shows_are_not_decided_about_at_once(
    desk: Client, tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.admin.decisions.MOST_ROWS", 2)
    entries = [new_entry(tournament) for _ in range(3)]
    response = act(desk, "entry", "disqualify", *entries)
    assert said(response) == ["Choose at most 2 rows."]


def test_members_are_removed_banned_and_brought_back(tournament: Tournament) -> None:
    owner = new_member(tournament.club, "Olga", role="owner")
    owner.is_staff = True
    owner.save()
    client = Client()
    client.force_login(owner)
    membership = Membership.objects.get(player=new_member(tournament.club, "Mia"))
    for action, status in (("remove", "removed"), ("restore", "active"), ("ban", "banned")):
        assert said(act(client, "membership", action, membership)) == ["Done for 1 row."]
        membership.refresh_from_db()
        assert membership.status == status
    kinds = ClubEvent.objects.order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["removed", "restored", "banned"]
    mine = Membership.objects.get(player=owner)
    assert said(act(client, "membership", "ban", mine))[0].startswith("Olga: ")
    mine.refresh_from_db()
    assert mine.is_active


def test_a_recurring_tournament_is_paused_and_goes_on() -> None:
    world = World("North")
    root = Client()
    root.force_login(Player.objects.create_superuser("root", name="Root"))
    for action, is_active in (("pause", False), ("resume", True)):
        assert said(act(root, "recurrence", action, world.recurrence)) == ["Done for 1 row."]
        assert Recurrence.objects.get().is_active is is_active


def test_directors_note_that_they_have_looked_at_a_flag() -> None:
    world = World("North")
    world.owner.is_staff = True
    world.owner.save()
    client = Client()
    client.force_login(world.owner)
    assert said(act(client, "flag", "seen", world.flag)) == ["Done for 1 row."]
    world.flag.refresh_from_db()
    assert world.flag.seen_by == world.owner
    assert client.get(changelist("flag"), {"seen_at__isempty": "1"}).context["cl"].result_count == 0


def test_what_another_notes_about_a_flag_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World("North")
    world.owner.is_staff = True
    world.owner.save()
    client = Client()
    client.force_login(world.owner)
    mark = services.mark_seen

    def mark_later(**fields: Any) -> Flag:
        Flag.objects.update(note="I asked her")
        return mark(**fields)

    monkeypatch.setattr(services, "mark_seen", mark_later)
    act(client, "flag", "seen", world.flag)
    world.flag.refresh_from_db()
    assert (world.flag.seen_by, world.flag.note) == (world.owner, "I asked her")


def test_an_entry_shows_its_card_its_corrections_and_its_replays(
    desk: Client, tournament: Tournament, entry: Entry, director: Player
) -> None:
    services.adjust_hole(
        entry=entry, number=1, strokes=4, app_score=310, by=director, reason="Miscounted"
    )
    replay = reverse("hole_replay", args=[tournament.slug, entry.pk, 2])
    body = html(desk.get(change(entry)))
    assert "Miscounted" in body
    assert "strokes: 4, app_score: 310" in body
    assert replay not in body
    services.close_now(tournament=tournament, by=director)
    assert replay in html(desk.get(change(entry)))
    assert replay in html(desk.get(changelist("holeresult")))


def test_what_was_decided_can_only_be_read(desk: Client, entry: Entry, director: Player) -> None:
    row = services.disqualify(entry=entry, by=director, reason="Late")
    for url in (
        change(row),
        reverse("admin:tournaments_correction_delete", args=[row.pk]),
        reverse("admin:tournaments_correction_add"),
    ):
        assert desk.post(url, {"reason": "Early", "post": "yes"}).status_code == 403
    row.refresh_from_db()
    assert row.reason == "Late"
    assert html(desk.get(changelist("correction"))).count("Late") == 1
    assert desk.get(changelist("correction"), {"q": "late"}).context["cl"].result_count == 1
    assert desk.get(changelist("correction"), {"kind": "void"}).context["cl"].result_count == 0
