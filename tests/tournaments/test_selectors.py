"""The leaderboard and the scorecard as they are read."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from games.models import Game, Player
from tournaments import selectors, services
from tournaments.models import Entry, HoleResult, Tournament
from tournaments.scorecard import Reason, Totals

from .factories import (
    let_time_pass,
    new_entry,
    new_player,
    new_tournament,
    play_hole,
    play_holes,
)

pytestmark = pytest.mark.django_db


def read(tournament: Tournament, **kwargs: object) -> selectors.Leaderboard:
    return selectors.leaderboard(tournament=selectors.tournament_of(slug=tournament.slug), **kwargs)


def places(board: selectors.Leaderboard) -> list[tuple[str, str]]:
    return [(row.name, row.standing.place_text) for row in board.rows]


def test_an_empty_board(tournament: Tournament) -> None:
    board = read(tournament)
    assert (board.rows, board.entries, board.page, board.pages) == ((), 0, 1, 1)
    assert [(hole.number, hole.par) for hole in board.holes] == [(n, 5) for n in range(1, 10)]


def test_rows_hold_the_figures_of_final_holes_only(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament, "Ann"), last=2)
    services.start_hole(entry=entry, number=3)
    (row,) = read(tournament).rows
    games = list(Game.objects.filter(player=entry.player).order_by("pk"))
    assert row.totals == entry.totals
    assert row.totals.thru == 2
    assert [(hole.strokes, hole.app_score) for hole in row.holes] == [
        (games[0].strokes, games[0].app_score),
        (games[1].strokes, games[1].app_score),
        *[(None, None)] * 7,
    ]


def test_equals_share_a_place_and_are_listed_by_name(tournament: Tournament) -> None:
    for name in ("zoe", "Abe", "Mia"):
        play_hole(new_entry(tournament, name), 1)
    play_hole(new_entry(tournament, "Bob"), 1, "g")
    new_entry(tournament, "Ann")
    assert places(read(tournament)) == [
        ("Abe", "T1"),
        ("Mia", "T1"),
        ("zoe", "T1"),
        ("Bob", "4"),
        ("Ann", "–"),
    ]


def test_after_the_close_only_full_cards_have_a_place() -> None:
    tournament = new_tournament(holes=2)
    play_holes(new_entry(tournament, "Full"), last=2)
    play_hole(new_entry(tournament, "Half"), 1)
    new_entry(tournament, "None")
    before = read(tournament)
    assert [row.standing.reason for row in before.rows] == [None, None, Reason.NO_HOLE]
    assert not before.is_closed
    let_time_pass(tournament)
    services.close_due(now=timezone.now())
    after = read(tournament)
    assert after.is_closed
    assert places(after) == [("Full", "1"), ("Half", "–"), ("None", "–")]
    assert [row.standing.reason for row in after.rows] == [None, Reason.DNF, Reason.DNS]


def test_the_app_score_ranks_where_it_should() -> None:
    tournament = new_tournament(holes=1, rank_by=Tournament.RankBy.APP_SCORE)
    ann, bo = new_entry(tournament, "Ann"), new_entry(tournament, "Bo")
    play_hole(ann, 1)
    play_hole(bo, 1)
    # The scores never disagree within one hole; over several they can.
    Entry.objects.filter(pk=ann.pk).update(strokes=20, to_par=15, app_score=300)
    Entry.objects.filter(pk=bo.pk).update(strokes=21, to_par=16, app_score=350)
    assert places(read(tournament)) == [("Bo", "1"), ("Ann", "2")]


def test_a_board_has_pages_and_knows_where_a_player_is(tournament: Tournament) -> None:
    entries = [new_entry(tournament, f"P{number}") for number in range(7)]
    play_hole(entries[6], 1)
    player = entries[5].player
    board = read(tournament, page=1, size=3, player=player)
    assert [row.name for row in board.rows] == ["P6", "P0", "P1"]
    assert (board.entries, board.page, board.pages, board.my_page) == (7, 1, 3, 3)
    assert board.mine is not None
    assert (board.mine.name, board.mine.player_id) == ("P5", player.pk)
    assert [row.name for row in read(tournament, page=99, size=3).rows] == ["P5"]
    assert [row.name for row in read(tournament, page=-1, size=3).rows] == ["P6", "P0", "P1"]
    assert read(tournament, player=new_player()).mine is None


@pytest.mark.parametrize("rows", [1, 3, 30])
def test_a_board_takes_three_queries_however_many_rows(
    tournament: Tournament, rows: int, django_assert_num_queries: object
) -> None:
    entries = [new_entry(tournament) for _ in range(rows)]
    for entry in entries[:3]:
        play_holes(entry, last=2)
    player = entries[0].player
    found = selectors.tournament_of(slug=tournament.slug)
    with django_assert_num_queries(3):  # type: ignore[operator]
        board = selectors.leaderboard(tournament=found, player=player)
    assert len(board.rows) == rows


def test_a_board_of_ten_thousand_is_read_fast(tournament: Tournament) -> None:
    Player.objects.bulk_create(
        Player(username=f"p{n}", name=f"Player {n}", password="!") for n in range(10_000)
    )
    Entry.objects.bulk_create(
        Entry(tournament=tournament, player=player, thru=9, strokes=n % 300, to_par=n % 300 - 45)
        for n, player in enumerate(Player.objects.filter(username__startswith="p"))
    )
    start = time.perf_counter()
    board = read(tournament)
    assert time.perf_counter() - start < 1
    assert (board.entries, len(board.rows), board.pages) == (10_000, 100, 100)


def test_a_version_is_never_newer_than_its_rows(tournament: Tournament) -> None:
    found = selectors.tournament_of(slug=tournament.slug)
    new_entry(tournament)
    assert selectors.leaderboard(tournament=found).version == 0
    assert len(selectors.leaderboard(tournament=found).rows) == 1


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
    with pytest.raises(Game.DoesNotExist):
        selectors.finished_game_of(entry=entry, number=1)
    let_time_pass(tournament)
    with pytest.raises(Game.DoesNotExist):
        selectors.finished_game_of(entry=entry, number=1)
    services.close_due(now=timezone.now())
    assert selectors.finished_game_of(entry=entry, number=1) == result.game
    with pytest.raises(Game.DoesNotExist):
        selectors.finished_game_of(entry=entry, number=2)


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
