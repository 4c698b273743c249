"""Entering, playing and leaving as the pages offer it, and why they do not."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Game
from tournaments import devices, services
from tournaments.models import Club, Device, Entry, HoleResult, Tournament
from tournaments.selectors import playing
from tournaments.views.common import ERRORS

from .factories import (
    decide,
    extend,
    let_time_pass,
    new_club,
    new_entry,
    new_player,
    new_tournament,
    play_hole,
    play_holes,
    set_rounds,
)
from .test_views import client_of, said, text

pytestmark = pytest.mark.django_db


def page_of(tournament: Tournament) -> str:
    return reverse("tournament", args=[tournament.slug])


def hole_of(tournament: Tournament, number: int) -> str:
    return reverse("hole", args=[tournament.slug, number])


def act(client: Client, name: str, tournament: Tournament, **data: Any) -> Any:
    return client.post(reverse(name, args=[tournament.slug]), data, follow=True)


def test_every_reason_has_a_sentence() -> None:
    docs = f"{playing.refusal_to_enter.__doc__}{playing.Course.refusal.__doc__}"
    docs += f"{services.enter.__doc__}{services.withdraw.__doc__}"
    codes = set(re.findall(r"``(\w+)``", docs)) | {"members_only", "guests_not_welcome", "banned"}
    assert len(codes) >= 20
    assert codes - set(ERRORS) == set()


# --- entering ----------------------------------------------------------------------------------


def test_the_page_says_why_one_cannot_enter() -> None:
    club = new_club(guests_welcome=False, joining=Club.Joining.LINK)
    tournament = new_tournament(club=club)
    client = client_of(new_player())
    shown = text(client.get(page_of(tournament)))
    assert str(ERRORS["guests_not_welcome"]) in shown
    assert "Enter the tournament" not in shown
    assert said(act(client, "tournament_enter", tournament)) == [ERRORS["guests_not_welcome"]]
    # A visitor may be a member: nobody knows yet.
    assert "Enter the tournament" in text(Client().get(page_of(tournament)))


def test_a_full_tournament_says_so_to_everybody() -> None:
    tournament = new_tournament(most_entries=2)
    inside = [new_entry(tournament) for _ in range(2)]
    for client in (Client(), client_of(new_player())):
        assert "All places are taken." in text(client.get(page_of(tournament)))
    assert "All places are taken." not in text(client_of(inside[0]).get(page_of(tournament)))


def test_a_division_is_chosen_on_the_page() -> None:
    tournament = new_tournament(divisions=("Seniors", "Juniors"))
    other = new_tournament(divisions=("Others",))
    client = client_of(new_player())
    shown = client.get(page_of(tournament)).content.decode()
    assert re.findall(r"<option value=\"(\d*)\"", shown) == [
        "", *(str(each.pk) for each in tournament.divisions.order_by("pk")),
    ]  # fmt: skip
    assert '<select name="division" required>' in shown
    assert said(act(client, "tournament_enter", tournament)) == [ERRORS["division_needed"]]
    for odd in (str(other.divisions.get().pk), "x", "9" * 30):
        response = act(client, "tournament_enter", tournament, division=odd)
        assert said(response) == [ERRORS["no_such_division"]]
    assert Entry.objects.count() == 0
    juniors = tournament.divisions.get(name="Juniors")
    act(client, "tournament_enter", tournament, division=juniors.pk)
    assert Entry.objects.get().division == juniors


# --- what comes next ---------------------------------------------------------------------------


def test_the_page_leads_from_hole_to_hole_and_says_what_is_in_the_way() -> None:
    tournament = new_tournament(holes=18)
    set_rounds(tournament, (-1, 1), (2, 3))
    entry = new_entry(tournament)
    client = client_of(entry)
    assert "Play hole 1" in text(client.get(page_of(tournament)))
    services.start_hole(entry=entry, number=1)
    assert "Go on with hole 1" in text(client.get(page_of(tournament)))
    play_holes(entry, last=9)
    shown = text(client.get(page_of(tournament)))
    assert f"{ERRORS['round_not_started']} Opens:" in shown
    assert "Play hole" not in shown


@pytest.mark.parametrize(
    ("kind", "code"),
    [("withdraw", "withdrawn"), ("disqualify", "disqualified"), ("remove", "removed")],
)
def test_who_is_out_reads_why(tournament: Tournament, kind: str, code: str) -> None:
    entry = decide(play_holes(new_entry(tournament), last=1), kind)
    shown = text(client_of(entry).get(page_of(tournament)))
    assert str(ERRORS[code]) in shown
    assert "Play hole" not in shown
    assert "Withdraw" not in shown


def test_one_s_own_time_is_told_before_it_begins_and_while_it_runs() -> None:
    tournament = new_tournament(window="personal", personal_minutes=30, hole_minutes=10)
    entry = new_entry(tournament)
    client = client_of(entry)
    shown = text(client.get(page_of(tournament)))
    assert "Your time begins with the first hole: 30 minutes for all holes of a round." in shown
    assert "Each hole takes 10 minutes at most, from the moment you see its cards." in shown
    play_hole(entry, 1)
    shown = text(client.get(page_of(tournament)))
    assert "Your time begins" not in shown
    assert "Your time ends:" in shown
    let_time_pass(tournament, by=timedelta(minutes=30))
    shown = text(client.get(page_of(tournament)))
    assert str(ERRORS["time_over"]) in shown


def test_with_more_time_one_plays_on_after_the_end(tournament: Tournament) -> None:
    entry, other = (play_holes(new_entry(tournament), last=1) for _ in range(2))
    extend(entry, tournament.closes_at + timedelta(hours=1))
    let_time_pass(tournament)
    client = client_of(entry)
    shown = text(client.get(page_of(tournament)))
    assert "Play hole 2" in shown
    assert "is over" not in shown
    response = client.post(hole_of(tournament, 2), follow=True)
    assert response.redirect_chain == [(hole_of(tournament, 2), 302)]
    shown = text(client_of(other).get(page_of(tournament)))
    assert "Play hole" not in shown
    assert str(ERRORS["closed"]) in shown


# --- the hole ----------------------------------------------------------------------------------


def test_the_hole_says_until_when_it_can_be_played() -> None:
    tournament = new_tournament(hole_minutes=10)
    entry = new_entry(tournament)
    client = client_of(entry)
    response = client.post(hole_of(tournament, 1), follow=True)
    assert "10 minutes for this hole" in text(response)
    assert 'data-figure="left"' in response.content.decode()
    play_hole(entry, 1)
    assert "Your time ends:" in text(client.get(hole_of(tournament, 1)))


def test_without_a_limit_no_time_runs_out_on_the_board(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    services.start_hole(entry=entry, number=1)
    response = client_of(entry).get(hole_of(tournament, 1))
    assert "Closes:" in text(response)
    assert 'data-figure="left"' not in response.content.decode()
    assert 'data-figure="stock"' in response.content.decode()


def next_of(entry: Entry, number: int) -> tuple[str, int] | None:
    response = client_of(entry).get(hole_of(entry.tournament, number))
    links = response.context["links"]
    return (links["next_post"], links["next_until"]) if "next_post" in links else None


def test_the_next_hole_is_one_that_can_be_played() -> None:
    tournament = new_tournament(holes=18)
    set_rounds(tournament, (-1, 1), (2, 3))
    entry = play_holes(new_entry(tournament), last=9)
    tournament.holes.filter(number=2).update(is_void=True)
    HoleResult.objects.filter(entry=entry, hole__number__gt=1).update(
        is_final=False, strokes=None, app_score=None
    )
    Game.objects.filter(hole_result__entry=entry, hole_result__hole__number__gt=1).update(
        finished_at=None, state="playing"
    )
    end = int((tournament.closes_at - timedelta(hours=2)).timestamp() * 1000)
    assert next_of(entry, 1) == (hole_of(tournament, 3), end)
    assert next_of(entry, 8) == (hole_of(tournament, 9), end)
    assert next_of(entry, 9) is None  # the next round is not open
    decide(entry, "disqualify")
    assert next_of(entry, 1) is None


def test_a_hole_that_was_given_has_no_board(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    services.adjust_hole(
        entry=entry, number=1, strokes=3, app_score=290, by=entry.player, reason="On paper."
    )
    client = client_of(entry)
    assert client.get(hole_of(tournament, 1)).status_code == 302
    response = client.post(hole_of(tournament, 1), follow=True)
    assert response.redirect_chain == [(page_of(tournament), 302)]
    assert said(response) == [ERRORS["given"]]
    assert "Play hole 2" in text(response)


def test_a_hole_is_started_on_a_browser_that_is_known_again(tournament: Tournament) -> None:
    entry, friend = new_entry(tournament), new_entry(tournament)
    client = client_of(entry)
    client.post(hole_of(tournament, 1))
    device = Device.objects.get()
    assert HoleResult.objects.get().device == device
    assert client.cookies[devices.COOKIE]["httponly"]
    client.force_login(friend.player)
    client.post(hole_of(tournament, 1))
    assert {result.device for result in HoleResult.objects.all()} == {device}
    elsewhere = client_of(entry)
    elsewhere.post(hole_of(tournament, 1))
    assert HoleResult.objects.get(entry=entry).device == device


# --- leaving -----------------------------------------------------------------------------------


def test_before_the_first_hole_one_click_leaves(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    client = client_of(entry)
    assert "Withdraw" in text(client.get(page_of(tournament)))
    response = act(client, "tournament_withdraw", tournament)
    assert response.redirect_chain == [(page_of(tournament), 302)]
    assert said(response) == ["You have left the tournament."]
    assert "Enter the tournament" in text(response)
    assert Entry.objects.count() == 0


def test_later_one_is_asked_and_cannot_come_back(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament), last=1)
    client = client_of(entry)
    url = reverse("tournament_withdraw", args=[tournament.slug])
    assert url in client.get(page_of(tournament)).content.decode()
    assert "cannot come back" in text(client.get(url))
    assert Entry.objects.get().status == "active"
    act(client, "tournament_withdraw", tournament)
    assert Entry.objects.get().status == "withdrawn"
    response = act(client, "tournament_enter", tournament)
    assert said(response) == [ERRORS["withdrawn"]]
    assert said(client.post(hole_of(tournament, 2), follow=True)) == [ERRORS["withdrawn"]]


def test_nobody_leaves_for_another_or_too_late(tournament: Tournament) -> None:
    url = reverse("tournament_withdraw", args=[tournament.slug])
    assert Client().post(url)["Location"] == f"{reverse('login')}?next={page_of(tournament)}"
    assert said(act(client_of(new_player()), "tournament_withdraw", tournament)) == [
        ERRORS["not_entered"]
    ]
    entry = play_holes(new_entry(tournament), last=1)
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    client = client_of(entry)
    assert url not in client.get(page_of(tournament)).content.decode()
    assert said(act(client, "tournament_withdraw", tournament)) == [ERRORS["closed"]]
    entry.refresh_from_db()
    assert entry.status == "active"
