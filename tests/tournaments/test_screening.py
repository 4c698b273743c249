"""Deals of a chosen difficulty: they are of that kind, and nothing is told of them."""

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import solving
from games.engine import EASY, STRICT, GameCode, RuleSet, solver
from games.models import BestResult
from tournaments import dates, fairness, selectors, services
from tournaments.models import Recurrence, Tournament
from tournaments.selectors.fairness import proof_of
from tournaments.services import screening
from tournaments.services.screening import draw_deals

from .factories import (
    codes,
    let_time_pass,
    new_club,
    new_draft,
    new_member,
    new_tournament,
    plan,
    secrets_of,
)
from .test_views_setup import errors, filled, new_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[GameCode]:
    """The deals that are solved, in this process and outside of transactions."""
    found: list[GameCode] = []
    blocks = len(connection.savepoint_ids)  # the test is in one itself

    def solve(given: Iterable[GameCode]) -> list[Any]:
        assert len(connection.savepoint_ids) == blocks
        given = list(given)
        found.extend(given)
        return [solver.solve(code.deal(), code.rules) for code in given]

    monkeypatch.setattr(solving, "solve", solve)
    return found


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> None:
    def solve(given: Iterable[GameCode]) -> list[Any]:
        raise solving.Unavailable

    monkeypatch.setattr(solving, "solve", solve)


def bests(tournament: Tournament) -> list[Any]:
    deals = map(GameCode.parse, tournament.holes.values_list("deal_code", flat=True))
    return [solver.solve(code.deal(), code.rules).best for code in deals]


def refused(error: ValidationError) -> dict[str, list[str | None]]:
    return {name: [e.code for e in each] for name, each in error.error_dict.items()}


@pytest.mark.parametrize(
    ("rules", "difficulty", "is_wanted"),
    [
        (STRICT, "clearable", lambda best: best.won),
        (STRICT, "close", lambda best: best.strokes in (1, 2, 3)),
        (EASY, "clearable", lambda best: best.won),
    ],
)
def test_deals_are_of_the_kind_that_was_chosen(
    asked: list[GameCode], rules: RuleSet, difficulty: str, is_wanted: Any
) -> None:
    found = draw_deals(rules=rules, holes=4, difficulty=difficulty)
    assert len(set(found)) == 4
    assert all(code.version == 2 and code.rules == rules for code in found)
    assert all(is_wanted(solver.solve(code.deal(), rules).best) for code in found)
    # The first ones that are of the kind, in the order in which chance had them.
    wanted = [code for code in asked if is_wanted(solver.solve(code.deal(), rules).best)]
    assert found == wanted[:4]


def test_any_deals_are_drawn_without_the_solver(away: None) -> None:
    assert len(set(draw_deals(rules=EASY, holes=9, difficulty="any"))) == 9
    assert new_draft(codes=None).holes.count() == 9


def test_a_draft_and_its_promise(asked: list[GameCode]) -> None:
    draft = new_draft(codes=None, rules=STRICT, holes=2, difficulty="clearable")
    assert all(best.won for best in bests(draft))
    texts = list(draft.holes.order_by("number").values_list("deal_code", flat=True))
    assert draft.commitment == fairness.commitment(salt=draft.salt, rules="S", codes=texts)
    assert BestResult.objects.count() == 0
    assert len(asked) > 2


def test_other_rules_or_another_difficulty_draw_other_deals(asked: list[GameCode]) -> None:
    draft = new_draft(codes=None, rules=STRICT, holes=1)
    before, base = bests(draft), services.plan_of(draft)
    assert asked == []

    def changed(**fields: Any) -> Tournament:
        from dataclasses import replace

        return services.update_tournament(tournament=draft, plan=replace(base, **fields))

    changed(difficulty="close")
    assert bests(draft)[0].strokes in (1, 2, 3)
    kept = draft.holes.get().deal_code
    changed(difficulty="close", name="Another name")
    assert draft.holes.get().deal_code == kept
    changed(difficulty="clearable", rules=EASY)
    assert bests(draft)[0].won
    assert before


def test_what_is_published_stands(asked: list[GameCode]) -> None:
    from dataclasses import replace

    tournament = new_tournament(codes=None, holes=1)
    changed = replace(services.plan_of(tournament), difficulty="clearable")
    with pytest.raises(ValidationError) as error:
        services.update_tournament(tournament=tournament, plan=changed)
    assert refused(error.value) == {"__all__": ["published"]}
    assert asked == []


def test_without_the_solver_it_is_refused(away: None) -> None:
    with pytest.raises(ValidationError) as error:
        new_draft(codes=None, difficulty="clearable")
    assert refused(error.value) == {"difficulty": ["solver_away"]}
    assert Tournament.objects.count() == 0


def test_what_is_too_rare_is_refused_after_so_many_tries(
    asked: list[GameCode], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screening, "TRIES_A_HOLE", 3)
    monkeypatch.setattr(screening, "TRIES_BESIDES", 4)
    monkeypatch.setitem(screening._WANTED, Tournament.Difficulty.CLOSE, lambda best: False)
    with pytest.raises(ValidationError) as error:
        draw_deals(rules=STRICT, holes=9, difficulty="close")
    assert refused(error.value) == {"difficulty": ["too_rare"]}
    assert len(asked) == 3 * 9 + 4


class TestPages:
    @pytest.fixture
    def director(self) -> Client:
        self.club = new_club(rules="S")
        client = Client()
        client.force_login(new_member(self.club, role="director"))
        return client

    def test_a_director_chooses_and_sees_nothing_of_the_deals(
        self, asked: list[GameCode], director: Client
    ) -> None:
        url = new_page(self.club)
        sent = filled(director, url, name="Sunday", difficulty="clearable", holes="9")
        response = director.post(url, {**sent, "publish": "1"}, follow=True)
        tournament = Tournament.objects.get()
        assert tournament.difficulty == "clearable"
        assert all(best.won for best in bests(tournament))
        body = response.content.decode()
        assert "Only deals that can be cleared were drawn." in body
        proof = reverse("tournament_proof", args=[tournament.slug])
        body += Client().get(proof).content.decode()
        assert "only these were drawn: deals that can be cleared" in body
        assert not [secret for secret in secrets_of(tournament) if secret in body]
        assert proof_of(tournament=tournament) is not None

    def test_a_director_is_told_what_does_not_work(self, away: None, director: Client) -> None:
        url = new_page(self.club)
        sent = filled(director, url, name="Sunday", difficulty="close")
        response = director.post(url, sent)
        assert errors(response) == {"difficulty": ["solver_away"]}
        assert "cannot be looked at just now" in response.content.decode()

    def test_deals_of_ones_own_have_no_difficulty(self, away: None, director: Client) -> None:
        url = new_page(self.club)
        own = GameCode(1, STRICT, 5).text
        sent = filled(director, url, name="Sunday", difficulty="close", deals="own", codes=own)
        director.post(url, sent)
        tournament = Tournament.objects.get()
        assert (tournament.is_friendly, tournament.difficulty) == (True, "any")


class TestRecurring:
    @pytest.fixture
    def recurrence(self, asked: list[GameCode]) -> Recurrence:
        template = new_tournament(
            codes=codes(1, STRICT), rules=STRICT, holes=1, difficulty="clearable"
        )
        let_time_pass(template, timedelta(hours=3))
        first = timezone.now().date() + timedelta(days=2)
        return services.start_recurring(tournament=template, every=dates.Every.WEEK, first_on=first)

    def test_each_has_deals_of_the_kind(
        self, recurrence: Recurrence, asked: list[GameCode]
    ) -> None:
        assert services.hold_recurring(now=timezone.now()) == 1
        held = Tournament.objects.get(recurrence=recurrence)
        assert bests(held)[0].won
        assert asked

    def test_waits_for_the_solver(
        self, recurrence: Recurrence, away: None, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING):
            assert services.hold_recurring(now=timezone.now()) == 0
        recurrence.refresh_from_db()
        assert recurrence.is_active
        assert "waits for the solver" in caplog.text


def test_a_copy_is_of_the_same_difficulty(asked: list[GameCode]) -> None:
    tournament = new_tournament(codes=codes(1), holes=1, difficulty="clearable")
    copied = services.copy_plan(tournament=tournament, now=timezone.now())
    assert copied.difficulty == "clearable"
    assert plan().difficulty == "any"
    assert selectors.tournament_of(slug=tournament.slug).difficulty == "clearable"
