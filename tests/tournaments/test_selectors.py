"""A player's own scorecard, and the lists of tournaments."""

from datetime import timedelta

import pytest
from django.utils import timezone

from games.models import Game
from tournaments import selectors, services
from tournaments.models import Entry, HoleResult, Tournament
from tournaments.scorecard import Totals

from .factories import (
    let_time_pass,
    new_entry,
    new_player,
    new_tournament,
    play_hole,
    play_holes,
)

pytestmark = pytest.mark.django_db


# --- one entry ---------------------------------------------------------------------------------


def test_a_card_knows_the_hole_to_play(tournament: Tournament) -> None:
    entry = new_entry(tournament)

    def next_hole() -> tuple[int, bool] | None:
        hole = selectors.scorecard_of(entry=entry).next_hole
        return None if hole is None else (hole.number, hole.game is not None)

    assert next_hole() == (1, False)
    services.start_hole(entry=entry, number=1)
    assert next_hole() == (1, True)
    play_hole(entry, 1)
    assert next_hole() == (2, False)
    play_holes(entry, first=2)
    assert next_hole() is None


def test_a_card_adds_up_its_final_holes(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament), last=3)
    services.start_hole(entry=entry, number=4)
    card = selectors.scorecard_of(entry=entry)
    assert (card.totals, card.par, card.is_finished) == (entry.totals, 45, False)
    assert [hole.is_final for hole in card.holes] == [True] * 3 + [False] * 6
    assert [hole.to_par for hole in card.holes[:4]] == [
        *[game.strokes - 5 for game in Game.objects.order_by("pk")[:3]],
        None,
    ]
    assert selectors.scorecard_of(entry=new_entry(tournament)).totals == Totals()


def test_a_card_takes_two_queries(
    tournament: Tournament, django_assert_num_queries: object
) -> None:
    for last in (1, 9):
        entry = play_holes(new_entry(tournament), last=last)
        with django_assert_num_queries(2):  # type: ignore[operator]
            assert selectors.scorecard_of(entry=entry).totals.thru == last


def test_moves_are_told_after_the_close_only(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    result = play_hole(entry, 1)

    def found(number: int, view: selectors.View = selectors.WHOLE) -> Game:
        return selectors.finished_game_of(entry=entry, number=number, view=view)

    assert selectors.moves_of_holes(entry=entry) == {}
    with pytest.raises(Game.DoesNotExist):
        found(1)
    let_time_pass(tournament)
    with pytest.raises(Game.DoesNotExist):
        found(1)
    services.close_due(now=timezone.now())
    assert found(1) == result.game
    assert selectors.moves_of_holes(entry=entry) == {1: result.game.moves_made}
    with pytest.raises(Game.DoesNotExist):
        found(2)
    with pytest.raises(Game.DoesNotExist):
        found(1, selectors.View(at=timezone.now()))


def test_an_entry_belongs_to_its_tournament(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    assert selectors.entry_to_show(tournament=tournament, entry_id=entry.pk) == entry
    with pytest.raises(Entry.DoesNotExist):
        selectors.entry_to_show(tournament=new_tournament(), entry_id=entry.pk)
    assert selectors.entry_of(tournament=tournament, player=entry.player) == entry
    assert selectors.entry_of(tournament=tournament, player=new_player()) is None


# --- lists -------------------------------------------------------------------------------------


def test_tournaments_are_open_to_come_or_over() -> None:
    now = timezone.now()
    late = new_tournament(name="late", closes_at=now + timedelta(days=2))
    soon = new_tournament(name="soon", closes_at=now + timedelta(days=1))
    coming = new_tournament(opens_at=now + timedelta(days=1), closes_at=now + timedelta(days=2))
    over, closed = let_time_pass(new_tournament()), let_time_pass(new_tournament())
    services.close_tournament(tournament=closed, now=timezone.now())
    for _ in range(2):
        new_entry(soon)
    assert [(found, found.players) for found in selectors.open_tournaments()] == [
        (soon, 2),
        (late, 0),
    ]
    assert list(selectors.upcoming_tournaments()) == [coming]
    assert set(selectors.past_tournaments()) == {over, closed}
    assert HoleResult.objects.count() == 0
