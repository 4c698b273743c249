"""The steps in a tournament's life: what there is, who took it and when, what is refused."""

from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from games.models import Game, Player
from tournaments import director, services
from tournaments.models import HoleResult, StatusChange, Tournament
from tournaments.services import RoundPlan, Step, life

from .factories import (
    let_time_pass,
    new_draft,
    new_entry,
    new_player,
    new_tournament,
    play_hole,
)

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
STATUSES = ("draft", "open", "closed", "review", "final")


def refused(code: str) -> Any:
    return pytest.raises(services.TournamentError, match=f"^{code}$")


@pytest.fixture
def ann(db: None) -> Player:
    """A director."""
    return new_player("Ann")


def at(status: str) -> Tournament:
    """A tournament that has come as far as that."""
    tournament = new_draft() if status == "draft" else new_tournament()
    if status in ("closed", "review", "final"):
        services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
        Tournament.objects.filter(pk=tournament.pk).update(status=status)
        StatusChange.objects.filter(tournament=tournament).delete()
    tournament.refresh_from_db()
    return tournament


def trace(tournament: Tournament) -> list[tuple[str, str, Player | None, str]]:
    rows = StatusChange.objects.filter(tournament=tournament).order_by("pk")
    return [(row.before, row.after, row.by, row.reason) for row in rows]


# --- every step from everywhere ----------------------------------------------------------------


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("step", list(Step))
def test_there_is_a_step_or_it_is_refused(status: str, step: Step, ann: Player) -> None:
    """Each step leads to one status, and from that status it does nothing a second time."""
    leads = {
        Step.PUBLISH: {"draft": "open"},
        Step.UNPUBLISH: {"open": "draft"},
        Step.CLOSE: {"open": "closed"},
        Step.REVIEW: {"closed": "review"},
        Step.FINALISE: {"closed": "final", "review": "final"},
        Step.REOPEN: {"final": "review"},
    }[step]
    tournament = at(status)
    before = Tournament.objects.values().get()
    traced = trace(tournament)

    def take() -> Tournament:
        return services.take_step(tournament=tournament, step=step, by=ann, reason="Rain")

    if status in leads:
        after = take()
        if step == Step.CLOSE:
            assert after.closed_at is not None
        else:
            assert after.status == Tournament.objects.get().status == leads[status]
            reason = "Rain" if step == Step.REOPEN else ""
            assert trace(tournament)[len(traced) :] == [(status, leads[status], ann, reason)]
        return
    if status in leads.values() or step == Step.PUBLISH:
        take()  # it is there already
    else:
        late = status == "open" and step in (Step.REVIEW, Step.FINALISE, Step.REOPEN)
        with refused("still_open" if late else "bad_step"):
            take()
    assert Tournament.objects.values().get() == before
    assert trace(tournament) == traced


@pytest.mark.parametrize(
    ("status", "steps"),
    [
        ("draft", [Step.PUBLISH]),
        ("closed", [Step.REVIEW, Step.FINALISE]),
        ("review", [Step.FINALISE]),
        ("final", [Step.REOPEN]),
    ],
)
def test_the_steps_that_are_offered(status: str, steps: list[Step]) -> None:
    assert list(services.steps(tournament=at(status), now=timezone.now())) == steps


def test_what_is_open_can_be_taken_back_until_somebody_enters() -> None:
    now = timezone.now()
    tournament = new_tournament()
    assert services.steps(tournament=tournament, now=now) == (Step.UNPUBLISH,)
    new_entry(tournament)
    assert services.steps(tournament=tournament, now=now) == (Step.CLOSE,)
    to_come = new_tournament(opens_at=now + HOUR, closes_at=now + 2 * HOUR)
    new_entry(to_come)
    assert services.steps(tournament=to_come, now=now) == ()


# --- publishing --------------------------------------------------------------------------------


def test_what_would_be_over_is_not_published(ann: Player) -> None:
    tournament = let_time_pass(new_draft())
    with pytest.raises(ValidationError) as caught:
        services.publish(tournament=tournament, by=ann)
    assert caught.value.error_dict["closes_at"][0].code == "closes_in_past"
    assert Tournament.objects.get().status == "draft"
    assert trace(tournament) == []


def test_publishing_keeps_the_promise(ann: Player) -> None:
    tournament = new_draft(codes=None)
    commitment = tournament.commitment
    services.publish(tournament=tournament, by=ann)
    services.unpublish(tournament=tournament, by=ann)
    services.publish(tournament=Tournament.objects.get(), by=ann)
    assert Tournament.objects.get().commitment == commitment
    assert trace(tournament) == [
        ("draft", "open", ann, ""),
        ("open", "draft", ann, ""),
        ("draft", "open", ann, ""),
    ]


def test_what_somebody_has_entered_is_not_taken_back(tournament: Tournament, ann: Player) -> None:
    new_entry(tournament)
    with refused("has_entries"):
        services.unpublish(tournament=tournament, by=ann)
    assert Tournament.objects.get().status == "open"


def test_the_second_of_two_directors_finds_the_step_taken(ann: Player) -> None:
    tournament = at("closed")
    other = Tournament.objects.get()
    services.start_review(tournament=tournament, by=ann)
    services.start_review(tournament=other, by=new_player("Bo"))
    assert trace(tournament) == [("closed", "review", ann, "")]
    late = Tournament.objects.get()
    services.finalise(tournament=Tournament.objects.get(), by=ann)
    late.status = Tournament.Status.CLOSED
    with refused("bad_step"):
        services.start_review(tournament=late, by=ann)


# --- closing early -----------------------------------------------------------------------------


def test_closing_early_closes_the_holes_where_they_lie(ann: Player) -> None:
    tournament = new_tournament()
    played, playing = new_entry(tournament), new_entry(tournament)
    play_hole(played, 1)
    result = services.start_hole(entry=playing, number=1)
    Game.objects.filter(pk=result.game_id).update(started_at=timezone.now())
    before = timezone.now()
    after = services.close_now(tournament=tournament, by=ann, reason="Power cut")
    assert before <= after.closes_at <= timezone.now()
    assert after.closes_at == after.rounds.get().closes_at
    assert after.closed_at is not None
    assert set(HoleResult.objects.values_list("is_final", flat=True)) == {True}
    assert Game.objects.get(pk=result.game_id).state == "closed"
    row = StatusChange.objects.get(round=1)
    assert (row.by, row.reason, row.closes_at) == (ann, "Power cut", after.closes_at)


def test_a_round_that_had_not_opened_has_no_time(ann: Player) -> None:
    now = timezone.now()
    tournament = new_tournament(
        rounds=(
            RoundPlan(opens_at=now - HOUR, closes_at=now + HOUR),
            RoundPlan(opens_at=now + HOUR, closes_at=now + 2 * HOUR),
        )
    )
    new_entry(tournament)
    after = services.close_now(tournament=tournament, by=ann)
    assert after.closed_at is not None
    first, second = after.rounds.order_by("number")
    assert first.closes_at == second.closes_at == after.closes_at
    assert second.closes_at - second.opens_at == timedelta(microseconds=1)


def test_what_has_not_opened_cannot_be_closed(ann: Player) -> None:
    now = timezone.now()
    tournament = new_tournament(opens_at=now + HOUR, closes_at=now + 2 * HOUR)
    before = Tournament.objects.values().get()
    with refused("not_started"):
        services.close_now(tournament=tournament, by=ann)
    assert Tournament.objects.values().get() == before


def test_closing_early_ends_what_one_player_was_given(ann: Player) -> None:
    tournament = new_tournament()
    new_entry(tournament)
    Tournament.objects.update(extended_to=timezone.now() + HOUR)
    after = services.close_now(tournament=tournament, by=ann)
    assert (after.extended_to, after.ends_at) == (None, after.closes_at)


# --- the end -----------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["", "   "])
def test_reopening_needs_a_reason(ann: Player, reason: str) -> None:
    tournament = at("final")
    with pytest.raises(ValidationError) as caught:
        services.reopen(tournament=tournament, by=ann, reason=reason)
    assert caught.value.error_dict["reason"][0].code == "reason_required"
    assert Tournament.objects.get().status == "final"


def test_a_day_becomes_final_by_itself(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DAILY_NINE = True
    nine = services.todays_nine(now=timezone.now())
    other = at("closed")
    assert nine is not None
    Tournament.objects.filter(pk=nine.pk).update(
        status="closed", closed_at=nine.closes_at, opens_at=nine.opens_at
    )
    with monkeypatch.context() as patch:
        patch.setattr(life, "set_status", mock.Mock(side_effect=OSError))
        assert services.finalise_days(now=nine.closes_at) == 0
    assert services.finalise_days(now=nine.closes_at - HOUR) == 0
    assert services.finalise_days(now=nine.closes_at) == 1
    assert services.finalise_days(now=nine.closes_at) == 0
    nine.refresh_from_db()
    other.refresh_from_db()
    assert (nine.status, other.status) == ("final", "closed")
    assert trace(nine)[-1] == ("closed", "final", None, "")


def test_the_director_lets_the_days_be_final() -> None:
    tournament = at("closed")
    Tournament.objects.update(day=timezone.now().date() - timedelta(days=1))
    director.tick()
    tournament.refresh_from_db()
    assert tournament.status == "final"
