"""Who sees which figures, and when: blind and frozen boards, and how it was at a time."""

from datetime import datetime, timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import OperationalError
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games.models import Player
from tournaments import selectors, services
from tournaments.models import Correction, DealOpening, Entry, Round, Tournament
from tournaments.scorecard import Reason
from tournaments.selectors import WHOLE, View, fields
from tournaments.services.results import announce

from .factories import (
    let_time_pass,
    new_account,
    new_entry,
    new_member,
    new_player,
    new_tournament,
    record,
)

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def again(tournament: Tournament) -> Tournament:
    return selectors.tournament_of(slug=tournament.slug)


def view_of(tournament: Tournament, player: Player | None = None) -> View:
    return selectors.view_for(tournament=again(tournament), player=player)


def read(tournament: Tournament, **kwargs: Any) -> selectors.Leaderboard:
    return selectors.leaderboard(tournament=again(tournament), **kwargs)


def close(tournament: Tournament) -> None:
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())


def director_of(tournament: Tournament) -> Player:
    return new_member(tournament.club, role="director")


# --- who sees what -----------------------------------------------------------------------------


def test_by_default_everybody_sees_everything(
    tournament: Tournament, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    found, player = again(tournament), new_player()
    with django_assert_num_queries(0):
        assert selectors.view_for(tournament=found, player=None) == WHOLE
        assert selectors.view_for(tournament=found, player=player) == WHOLE


def test_blind_goes_through_the_holes_that_the_reader_has_finished() -> None:
    tournament = new_tournament(holes=3, visibility="blind")
    ann, bo = new_entry(tournament), new_entry(tournament)
    assert view_of(tournament) == View(through=0)
    assert view_of(tournament, new_account()) == View(through=0)
    assert view_of(tournament, ann.player) == View(through=0)
    services.start_hole(entry=ann, number=1)  # a hole in play is not finished
    assert view_of(tournament, ann.player) == View(through=0)
    record(bo, 5, 5)
    assert view_of(tournament, bo.player) == View(through=2)
    assert view_of(tournament, director_of(tournament)) == WHOLE
    assert view_of(tournament, new_account(is_superuser=True)) == WHOLE
    assert view_of(tournament, new_member(tournament.club)) == View(through=0)
    record(bo, 5, first=3)
    assert view_of(tournament, bo.player) == WHOLE
    close(tournament)
    assert view_of(tournament) == WHOLE


def test_a_result_that_was_given_for_a_later_hole_opens_no_hole_before_it() -> None:
    tournament = new_tournament(holes=3, visibility="blind")
    ann = record(new_entry(tournament), 5)
    services.adjust_hole(
        entry=ann, number=3, strokes=5, app_score=250, by=new_account(), reason="a test"
    )
    assert view_of(tournament, ann.player) == View(through=1)


def test_who_was_removed_is_a_visitor() -> None:
    tournament = new_tournament(holes=3, visibility="blind")
    ann = record(new_entry(tournament), 5, 5)
    services.hide_entry(entry=ann, by=new_account(), reason="a test")
    assert view_of(tournament, ann.player) == View(through=0)


def test_frozen_from_a_time_until_it_is_revealed() -> None:
    frozen_at = timezone.now() - timedelta(minutes=5)
    tournament = new_tournament(visibility="frozen", frozen_at=frozen_at)
    ann = new_entry(tournament)
    director = director_of(tournament)
    assert view_of(tournament) == View(at=frozen_at)
    assert view_of(tournament, ann.player) == View(at=frozen_at)
    assert view_of(tournament, director) == WHOLE
    close(tournament)
    assert view_of(tournament) == View(at=frozen_at)  # the end alone reveals nothing
    version = again(tournament).board_version
    services.reveal_standings(tournament=again(tournament))
    assert view_of(tournament) == WHOLE
    found = again(tournament)
    assert (found.board_version, found.board_base) == (version + 1, version + 1)
    services.reveal_standings(tournament=found)
    assert again(tournament).board_version == version + 1


def test_before_its_time_nothing_is_frozen() -> None:
    later = timezone.now() + timedelta(minutes=5)
    assert view_of(new_tournament(visibility="frozen", frozen_at=later)) == WHOLE


def test_only_what_is_frozen_can_be_revealed(tournament: Tournament) -> None:
    with pytest.raises(services.TournamentError) as caught:
        services.reveal_standings(tournament=tournament)
    assert caught.value.code == "not_frozen"
    assert again(tournament).unfrozen_at is None


def test_who_plays_sees_their_own_card() -> None:
    tournament = new_tournament(visibility="blind")
    ann, bo = new_entry(tournament), new_entry(tournament)

    def card_view(player: Player | None, entry: Entry) -> View:
        return selectors.card_view(tournament=again(tournament), player=player, entry=entry)

    assert card_view(ann.player, ann) == WHOLE
    assert card_view(ann.player, bo) == View(through=0)
    assert card_view(None, ann) == View(through=0)


# --- a blind board -----------------------------------------------------------------------------


@pytest.fixture
def blind() -> Tournament:
    """Ann has finished three holes, Bo one, Cy none."""
    tournament = new_tournament(holes=4, visibility="blind", tie_break="countback")
    record(new_entry(tournament, "Ann"), 9, 0, 0)
    record(new_entry(tournament, "Bo"), 5)
    new_entry(tournament, "Cy")
    return tournament


def figures(board: selectors.Leaderboard) -> list[tuple[str, str, int, list[int | None]]]:
    return [
        (row.name, row.standing.place_text, row.thru, [hole.strokes for hole in row.holes])
        for row in board.rows
    ]


def test_a_visitor_sees_who_is_in_and_how_far(blind: Tournament) -> None:
    board = read(blind)
    assert board.view.is_blind
    assert figures(board) == [
        ("Ann", "–", 3, [None] * 4),
        ("Bo", "–", 1, [None] * 4),
        ("Cy", "–", 0, [None] * 4),
    ]
    assert {row.totals.strokes for row in board.rows} == {0}
    assert {row.standing.figure for row in board.rows} == {None}


def test_a_player_sees_places_after_the_holes_that_they_have_finished(blind: Tournament) -> None:
    bo = Entry.objects.get(name="Bo")
    board = read(blind, player=bo.player)
    assert figures(board) == [
        ("Bo", "1", 1, [5, None, None, None]),
        ("Ann", "2", 3, [9, None, None, None]),
        ("Cy", "–", 0, [None] * 4),
    ]
    assert [row.totals.strokes for row in board.rows] == [5, 9, 0]
    record(bo, 5, first=2)
    assert figures(read(blind, player=bo.player))[0] == ("Ann", "1", 3, [9, 0, None, None])


def test_corrections_undos_and_hints_of_hidden_holes_are_hidden(blind: Tournament) -> None:
    ann = Entry.objects.get(name="Ann")
    for number in (1, 3):
        services.adjust_hole(
            entry=ann, number=number, strokes=7, app_score=0, by=new_account(), reason="a test"
        )
    bo = Entry.objects.get(name="Bo")
    row = next(row for row in read(blind, player=bo.player).rows if row.name == "Ann")
    assert (row.corrections, row.totals.strokes) == (1, 7)
    row = next(row for row in read(blind).rows if row.name == "Ann")
    assert (row.corrections, row.totals.strokes) == (0, 0)


# --- how it was --------------------------------------------------------------------------------


def at(minutes: float) -> datetime:
    """So many minutes after a start that was an hour ago."""
    return NOW - timedelta(hours=1) + timedelta(minutes=minutes)


def move_to(row: Any, time: datetime, field: str = "at") -> None:
    type(row).objects.filter(pk=row.pk).update(**{field: time})


@pytest.fixture
def frozen() -> Tournament:
    """Frozen half an hour after the start, with two entries that were there from the start."""
    tournament = new_tournament(
        holes=4, visibility="frozen", frozen_at=at(30), opens_at=at(0), closes_at=at(120)
    )
    for name in ("Ann", "Bo"):
        move_to(new_entry(tournament, name), at(0), "created_at")
    return tournament


def entry_of(name: str) -> Entry:
    return Entry.objects.get(name=name)


def frozen_rows(tournament: Tournament) -> list[tuple[str, str, list[int | None]]]:
    return [(name, place, holes) for name, place, _thru, holes in figures(read(tournament))]


def test_holes_that_were_finished_later_are_not_there(frozen: Tournament) -> None:
    record(entry_of("Ann"), 5, at=at(10))
    record(entry_of("Ann"), 0, first=2, at=at(40))
    record(entry_of("Bo"), 4, 4, at=at(30))  # in the very moment
    new_entry(frozen, "Cy")
    assert frozen_rows(frozen) == [("Bo", "1", [4, 4, None, None]), ("Ann", "2", [5, *[None] * 3])]
    whole = read(frozen, view=WHOLE)
    assert [row.name for row in whole.rows] == ["Ann", "Bo", "Cy"]


def test_what_goes_on_does_not_change_it(frozen: Tournament) -> None:
    record(entry_of("Ann"), 5, at=at(10))
    before = frozen_rows(frozen)
    record(entry_of("Bo"), 4, at=at(50))
    assert frozen_rows(frozen) == before
    record(entry_of("Bo"), 1, first=2, at=at(29))  # recorded late, but it was over
    assert [name for name, _place, _holes in frozen_rows(frozen)] == ["Bo", "Ann"]


@pytest.mark.parametrize("was_read", [False, True])
def test_what_could_not_be_read_is_there_at_the_next_reading(
    frozen: Tournament, monkeypatch: pytest.MonkeyPatch, *, was_read: bool
) -> None:
    record(entry_of("Ann"), 5, at=at(10))
    if was_read:
        read(frozen)
    record(entry_of("Bo"), 4, at=at(20))
    with monkeypatch.context() as patch:
        patch.setattr(fields, "_as_of", mock.Mock(side_effect=OperationalError))
        with pytest.raises(OperationalError):
            read(frozen)
    assert frozen_rows(frozen) == [("Bo", "1", [4, *[None] * 3]), ("Ann", "2", [5, *[None] * 3])]


def adjust(name: str, number: int, strokes: int, time: datetime) -> None:
    row = services.adjust_hole(
        entry=entry_of(name), number=number, strokes=strokes, app_score=100, by=new_account(),
        reason=f"{strokes} at {time}",
    )  # fmt: skip
    move_to(row, time)
    announce(row.tournament_id)


def test_corrections_count_from_their_time_on(frozen: Tournament) -> None:
    record(entry_of("Ann"), 5, 6, at=at(10))
    adjust("Ann", 1, 3, at(20))
    adjust("Ann", 1, 1, at(40))
    adjust("Ann", 2, 0, at(41))
    adjust("Ann", 3, 7, at(25))  # never played
    adjust("Ann", 4, 7, at(45))  # given later
    (ann, _bo) = read(frozen).rows
    assert [hole.strokes for hole in ann.holes] == [3, 6, 7, None]
    assert [hole.is_corrected for hole in ann.holes] == [True, False, True, False]
    assert ann.corrections == 2
    assert [hole.strokes for hole in read(frozen, view=WHOLE).rows[0].holes] == [1, 0, 7, 7]


def test_what_was_taken_back_since_held_then(frozen: Tournament) -> None:
    record(entry_of("Ann"), 5, at=at(10))
    for number in (1, 3):
        adjust("Ann", number, 2, at(20))
        row = services.restore_hole(
            entry=entry_of("Ann"), number=number, by=new_account(), reason="a test"
        )
        move_to(row, at(40))
    announce(frozen.pk)
    assert [hole.strokes for hole in read(frozen).rows[0].holes] == [2, None, 2, None]
    assert [hole.strokes for hole in read(frozen, view=WHOLE).rows[0].holes] == [5, *[None] * 3]


def test_decisions_about_entries_count_from_their_time_on(frozen: Tournament) -> None:
    director = new_account()
    for name in ("Cy", "Di", "Ed"):
        move_to(new_entry(frozen, name), at(0), "created_at")
    for name in ("Ann", "Bo", "Cy", "Di", "Ed"):
        record(entry_of(name), 5, at=at(10))
    decisions: dict[str, tuple[Any, float]] = {
        "Ann": (services.disqualify, 20),
        "Bo": (services.disqualify, 40),
        "Cy": (services.withdraw_entry, 25),
    }
    for name, (decide, minute) in decisions.items():
        move_to(decide(entry=entry_of(name), by=director, reason="a test"), at(minute))
    for name, minute in (("Di", 20), ("Ed", 40)):
        player = entry_of(name).player
        DealOpening.objects.create(tournament=frozen, player=player, at=at(minute))
        services.refresh_entry(entry_id=entry_of(name).pk)
    reasons = {row.name: row.standing.reason for row in read(frozen).rows}
    assert reasons == {
        "Bo": None,
        "Ed": None,
        "Di": Reason.NOT_RANKED,
        "Cy": Reason.WITHDREW,
        "Ann": Reason.DISQUALIFIED,
    }
    services.hide_entry(entry=entry_of("Ed"), by=director, reason="a test")
    assert "Ed" not in {row.name for row in read(frozen).rows}


@pytest.mark.parametrize(("minute", "reason"), [(20, Reason.MISSED_CUT), (40, None)])
def test_the_cut_counts_from_its_time_on(
    frozen: Tournament, minute: float, reason: Reason | None
) -> None:
    ann = record(entry_of("Ann"), 5, at=at(10))
    Round.objects.filter(tournament=frozen).update(cut_at=at(minute))
    Entry.objects.filter(pk=ann.pk).update(cut_after=1)
    services.refresh_entry(entry_id=ann.pk)
    row = next(row for row in read(frozen).rows if row.name == "Ann")
    assert row.standing.reason == reason


def test_void_holes_are_void_from_their_time_on(frozen: Tournament) -> None:
    record(entry_of("Ann"), 5, 6, at=at(10))
    for number, minute in ((1, 20), (2, 40)):
        row = services.void_hole(
            tournament=frozen, number=number, by=new_account(), reason="a test"
        )
        move_to(row, at(minute))
    board = read(frozen)
    assert [hole.is_void for hole in board.holes] == [True, False, False, False]
    assert board.rows[0].totals.strokes == 6
    assert [hole.is_void for hole in read(frozen, view=WHOLE).holes] == [True, True, False, False]


def test_divisions_are_those_of_then() -> None:
    tournament = new_tournament(
        holes=4, visibility="frozen", frozen_at=at(30), opens_at=at(0), closes_at=at(120),
        divisions=("Men", "Women"),
    )  # fmt: skip
    men, women = selectors.divisions_of(tournament=tournament)
    director = new_account()
    for name, first in (("Ann", men), ("Bo", women), ("Cy", women)):
        entry = services.enter(tournament=tournament, player=new_player(name), division=first)
        move_to(entry, at(0), "created_at")
    for name, division, minute in (("Ann", women, 20), ("Ann", men, 40), ("Bo", men, 45)):
        row = services.change_division(
            entry=entry_of(name), division=division, by=director, reason=f"at {minute}"
        )
        move_to(row, at(minute))
    assert Correction.objects.count() == 3
    announce(tournament.pk)

    def names(division: Any, **kwargs: Any) -> list[str]:
        return [row.name for row in read(tournament, division=division, **kwargs).rows]

    assert (names(women), names(men)) == (["Ann", "Bo", "Cy"], [])
    assert (names(women, view=WHOLE), names(men, view=WHOLE)) == (["Cy"], ["Ann", "Bo"])


def test_a_tournament_that_closed_later_was_open_then(frozen: Tournament) -> None:
    record(entry_of("Ann"), 5, 5, 5, 5, at=at(10))
    record(entry_of("Bo"), 4, at=at(10))
    services.close_now(tournament=again(frozen))
    board = read(frozen)
    assert not board.is_closed
    assert [(row.name, row.standing.place_text) for row in board.rows] == [
        ("Bo", "1"),
        ("Ann", "2"),
    ]
    services.reveal_standings(tournament=again(frozen))
    board = read(frozen)
    assert board.is_closed
    assert [(row.name, row.standing.reason) for row in board.rows] == [
        ("Ann", None),
        ("Bo", Reason.DNF),
    ]


@pytest.mark.parametrize("rows", [1, 12])
def test_a_frozen_board_takes_the_same_queries_however_many_rows(
    rows: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    tournament = new_tournament(visibility="frozen", frozen_at=at(59), opens_at=at(0))
    for number in range(rows):
        entry = record(new_entry(tournament), 5, at=at(10))
        move_to(entry, at(0), "created_at")
        services.adjust_hole(
            entry=entry, number=1, strokes=number, app_score=0, by=new_account(), reason="a test"
        )
    found = again(tournament)
    # Holes and which were void; entries, openings of the deals, corrections, results.
    with django_assert_num_queries(6):
        board = selectors.leaderboard(tournament=found)
    assert len(board.rows) == rows
    with django_assert_num_queries(2):
        selectors.leaderboard(tournament=found)
