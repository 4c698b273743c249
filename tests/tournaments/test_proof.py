"""The promise of the deals, its proof, and the results in one file, as everybody gets them."""

import html
import json
import re
import subprocess
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Game
from tests.harness.forms import without_tokens
from tournaments import fairness, services, verification
from tournaments.models import DealOpening, Tournament
from tournaments.selectors.bundles import bundle_of
from tournaments.selectors.fairness import proof_of

from .factories import (
    let_time_pass,
    new_account,
    new_entry,
    new_member,
    new_tournament,
    play_hole,
    play_holes,
    secrets_of,
)

pytestmark = pytest.mark.django_db


def closed(tournament: Tournament) -> Tournament:
    let_time_pass(tournament)
    services.close_due(now=timezone.now())
    return Tournament.objects.select_related("club").get(pk=tournament.pk)


def page_of(client: Client, tournament: Tournament) -> str:
    answer = client.get(reverse("tournament_proof", args=[tournament.slug]))
    assert answer.status_code == 200
    return answer.content.decode()


class TestBeforeTheEnd:
    def test_only_the_commitment_is_shown(self, client: Client) -> None:
        tournament = new_tournament(codes=None)
        play_hole(new_entry(tournament), 1)
        page = page_of(client, tournament)
        assert tournament.commitment in page
        made_at = tournament.status_changes.get().at.strftime("%Y-%m-%dT%H:%M:%S")
        assert re.search(rf"To be read here since .*{re.escape(made_at)}", page)
        assert tournament.salt not in page
        assert [secret for secret in secrets_of(tournament) if secret in page] == []
        proof = proof_of(tournament=tournament)
        assert proof is not None
        assert (proof.salt, proof.codes, proof.text) == (None, None, None)
        assert proof.made_at == tournament.status_changes.get().at

    def test_nothing_says_who_has_seen_the_deals(self, client: Client) -> None:
        """It would say who does not compete."""
        tournament = new_tournament()
        director = new_member(tournament.club, "Dora", role="director")
        services.open_deals(tournament=tournament, by=director)
        assert "Dora" not in without_tokens(page_of(client, tournament))

    def test_there_is_no_bundle(self, client: Client) -> None:
        tournament = new_tournament()
        director = new_member(tournament.club, role="director")
        services.open_deals(tournament=tournament, by=director)
        client.force_login(director)
        url = reverse("tournament_bundle", args=[tournament.slug])
        assert client.get(url).status_code == 404
        with pytest.raises(Tournament.DoesNotExist):
            bundle_of(tournament=tournament)


class TestAfterTheEnd:
    def test_what_was_promised_is_shown_with_the_bytes_to_hash(self, client: Client) -> None:
        tournament = closed(new_tournament(codes=None))
        page = html.unescape(page_of(client, tournament))
        codes = list(tournament.holes.order_by("number").values_list("deal_code", flat=True))
        text = fairness.committed_text(salt=tournament.salt, rules="E", codes=codes)
        assert f"<pre>{text}</pre>" in page
        command = re.search(r"<pre[^>]*>(sha256sum <<'END'\n.*?END)</pre>", page, re.DOTALL)
        assert command is not None
        said = subprocess.run(
            ["sh", "-c", command[1]], check=True, capture_output=True, text=True
        ).stdout
        assert said.split()[0] == tournament.commitment
        assert "Nobody looked at the deals before the end." in page

    def test_who_has_seen_the_deals_is_named(self, client: Client) -> None:
        tournament = new_tournament()
        director = new_member(tournament.club, "Dora", role="director")
        services.open_deals(tournament=tournament, by=director)
        page = page_of(client, closed(tournament))
        assert "<bdi>Dora</bdi>" in page
        assert "Nobody looked at the deals" not in page

    def test_each_deal_can_be_practised_from_there(self, client: Client) -> None:
        tournament = closed(new_tournament(holes=2))
        client.force_login(new_account())
        forms = re.findall(
            r'<form method="post" action="(\S+)">.*?name="rule_set" value="(\w+)">'
            r'.*?name="code" value="(\S+)">',
            page_of(client, tournament),
        )
        codes = list(tournament.holes.order_by("number").values_list("deal_code", flat=True))
        assert [code for _, _, code in forms] == codes
        action, rule_set, code = forms[1]
        client.post(action, {"rule_set": rule_set, "code": code})
        assert Game.objects.latest("pk").deal_code == codes[1]

    def test_a_visitor_is_asked_to_log_in_for_that(self, client: Client) -> None:
        tournament = closed(new_tournament(holes=2))
        page = page_of(client, tournament)
        assert page.count("disabled") == 2
        assert (
            f"{reverse('login')}?next={reverse('tournament_proof', args=[tournament.slug])}" in page
        )

    def test_an_old_tournament_has_no_promise(self, client: Client) -> None:
        tournament = closed(new_tournament())
        Tournament.objects.filter(pk=tournament.pk).update(salt="", commitment="")
        assert "There is no promise here" in page_of(client, tournament)
        tournament.refresh_from_db()
        data = b"".join(bundle_of(tournament=tournament))
        assert verification.verify(data).problems == []

    def test_the_bundle_can_be_downloaded(self, client: Client) -> None:
        tournament = new_tournament(holes=2)
        play_holes(new_entry(tournament, "Ann"), last=2)
        closed(tournament)
        answer = client.get(reverse("tournament_bundle", args=[tournament.slug]))
        assert answer["Content-Type"] == "application/json"
        assert answer["Content-Disposition"] == f'attachment; filename="{tournament.slug}.json"'
        assert verification.verify(answer.content).problems == []
        assert json.loads(answer.content)["entries"][0]["name"] == "Ann"

    def test_figures_that_are_kept_back_are_not_in_a_file_either(self, client: Client) -> None:
        tournament = new_tournament(
            holes=2,
            visibility=Tournament.Visibility.FROZEN,
            frozen_at=timezone.now() + timedelta(minutes=30),
        )
        play_holes(new_entry(tournament), last=2)
        Tournament.objects.filter(pk=tournament.pk).update(frozen_at=timezone.now())
        tournament = closed(tournament)
        url = reverse("tournament_bundle", args=[tournament.slug])
        assert client.get(url).status_code == 404
        of_director = Client()
        of_director.force_login(new_member(tournament.club, role="director"))
        assert of_director.get(url).status_code == 200
        page = page_of(client, tournament)
        assert tournament.salt in page  # the deals are open to all
        assert url not in page
        services.reveal_standings(tournament=tournament)
        assert client.get(url).status_code == 200
        assert url in page_of(client, tournament)

    def test_a_friendly_event_does_not_promise_chance(self, client: Client) -> None:
        tournament = new_tournament(is_friendly=True)
        page = page_of(client, tournament)
        assert "were chosen by a director" in page
        assert "drawn by chance" not in page


class TestTheBundle:
    def test_the_same_rows_give_the_same_bytes(self) -> None:
        tournament = new_tournament(holes=2)
        for name in ("Ann", "Bo"):
            play_holes(new_entry(tournament, name), last=2)
        tournament = closed(tournament)
        first = b"".join(bundle_of(tournament=tournament))
        assert b"".join(bundle_of(tournament=tournament)) == first

    def test_it_needs_as_many_queries_for_many_as_for_one(
        self, django_assert_num_queries: Any
    ) -> None:
        tournament = new_tournament(holes=2)
        play_holes(new_entry(tournament), last=2)
        tournament = closed(tournament)
        with django_assert_num_queries(13):
            b"".join(bundle_of(tournament=tournament))
        larger = new_tournament(holes=4, divisions=("A", "B"))
        director = new_member(larger.club, role="director")
        for _ in range(3):
            entry = play_holes(new_entry(larger), last=4)
            services.disqualify(entry=entry, by=director, reason="A test")
        larger = closed(larger)
        with django_assert_num_queries(13):
            b"".join(bundle_of(tournament=larger))

    def test_it_is_begun_anew_if_something_is_decided_meanwhile(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from tournaments.selectors import bundles

        tournament = new_tournament(holes=1)
        director = new_member(tournament.club, role="director")
        entry = play_holes(new_entry(tournament), last=1)
        tournament = closed(tournament)
        read, calls = bundles._Read.of, []

        def of(tournament_id: int) -> bundles._Read:
            found = read(tournament_id)
            calls.append(1)
            if len(calls) == 1:
                services.disqualify(entry=entry, by=director, reason="Just now")
            return found

        monkeypatch.setattr(bundles._Read, "of", of)
        data = b"".join(bundle_of(tournament=tournament))
        assert json.loads(data)["entries"][0]["status"] == "disqualified"
        assert len(calls) == 2

    def test_it_says_what_the_board_says(self) -> None:
        from tournaments import selectors

        from . import finished

        tournament = finished.finished()
        board = selectors.leaderboard(tournament=tournament)
        found = json.loads(finished.bundle(tournament))
        entries = {entry["name"]: entry for entry in found["entries"]}
        assert len(board.rows) == len(entries) - 1  # who was removed is not shown
        for row in board.rows:
            entry, standing = entries[row.name], row.standing
            reason = None if standing.reason is None else standing.reason.value
            assert (entry["place"], entry["tied"], entry["reason"]) == (
                standing.place,
                standing.tied,
                reason,
            ), row.name
        assert DealOpening.objects.count() == 1
