"""The leaderboard as it is read: places, rounds, divisions, formats; how little is read anew."""

from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import OperationalError
from django.db.models import F
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from games.models import Game, Player
from tournaments import scorecard, selectors, services
from tournaments.models import DealOpening, Entry, HoleResult, Round, Tournament
from tournaments.scorecard import MatchState, RankBy, Reason, Totals
from tournaments.selectors import Format, boards, fields
from tournaments.services import RoundPlan
from tournaments.services.results import announce

from .factories import (
    let_time_pass,
    new_account,
    new_club,
    new_entry,
    new_member,
    new_player,
    new_tournament,
    play_hole,
    play_holes,
    record,
)

pytestmark = pytest.mark.django_db


def again(tournament: Tournament) -> Tournament:
    return selectors.tournament_of(slug=tournament.slug)


def read(tournament: Tournament, **kwargs: Any) -> selectors.Leaderboard:
    return selectors.leaderboard(tournament=again(tournament), **kwargs)


def places(board: selectors.Leaderboard) -> list[tuple[str, str]]:
    return [(row.name, row.standing.place_text) for row in board.rows]


def close(tournament: Tournament) -> Tournament:
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    return again(tournament)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many entries were read, each time that any were."""
    found: list[int] = []
    real = fields._read

    def note(tournament: Tournament, *, after: int | None) -> list[fields.FieldEntry]:
        rows = real(tournament, after=after)
        found.append(len(rows))
        return rows

    monkeypatch.setattr(fields, "_read", note)
    return found


# --- rows --------------------------------------------------------------------------------------


def test_an_empty_board(tournament: Tournament) -> None:
    board = read(tournament)
    assert (board.rows, board.entries, board.found, board.page, board.pages) == ((), 0, 0, 1, 1)
    assert [(hole.number, hole.par) for hole in board.holes] == [(n, 5) for n in range(1, 10)]


def test_rows_hold_the_figures_of_final_holes_only(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament, "Ann"), last=2)
    services.start_hole(entry=entry, number=3)
    (row,) = read(tournament).rows
    games = list(Game.objects.filter(player=entry.player).order_by("pk"))
    assert row.totals == entry.totals
    assert (row.thru, row.is_finished) == (2, False)
    assert [(hole.strokes, hole.app_score) for hole in row.holes] == [
        (games[0].strokes, games[0].app_score),
        (games[1].strokes, games[1].app_score),
        *[(None, None)] * 7,
    ]
    assert read(tournament, player=entry.player).mine == row


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
    after = read(close(tournament))
    assert after.is_closed
    assert places(after) == [("Full", "1"), ("Half", "–"), ("None", "–")]
    assert [row.standing.reason for row in after.rows] == [None, Reason.DNF, Reason.DNS]


def test_unplayed_holes_count_as_the_worst_where_that_was_chosen() -> None:
    tournament = new_tournament(holes=2, unplayed=Tournament.Unplayed.WORST)
    record(new_entry(tournament, "Half"), 1)
    record(new_entry(tournament, "Full"), 30, 30)
    new_entry(tournament, "None")
    half, full, none = read(close(tournament)).rows
    assert [half.standing.place, full.standing.place, none.standing.reason] == [1, 2, Reason.DNS]
    assert half.totals == Totals(thru=2, strokes=36, to_par=26, app_score=330)
    assert (half.standing.unplayed, half.is_finished) == (1, True)
    assert [(hole.strokes, hole.is_unplayed) for hole in half.holes] == [(1, False), (35, True)]


def test_the_app_score_ranks_where_it_should() -> None:
    tournament = new_tournament(holes=2, rank_by=Tournament.RankBy.APP_SCORE)
    record(new_entry(tournament, "Ann"), 17, 3, app_scores=(10, 290))
    record(new_entry(tournament, "Bo"), 21, 0, app_scores=(0, 350))
    board = read(tournament)
    assert (board.rank_by, places(board)) == (RankBy.APP_SCORE, [("Bo", "1"), ("Ann", "2")])


def test_why_somebody_has_no_place() -> None:
    tournament = new_tournament(holes=1)
    names = ("Ann", "Bo", "Cy", "Di", "Ed")
    ann, bo, cy, di, ed = (record(new_entry(tournament, name), 5) for name in names)
    director = new_account("Director")
    services.disqualify(entry=bo, by=director, reason="two accounts")
    services.withdraw_entry(entry=cy, by=director, reason="went home")
    services.hide_entry(entry=ed, by=director, reason="asked for it")
    DealOpening.objects.create(tournament=tournament, player=di.player, at=timezone.now())
    services.refresh_entry(entry_id=di.pk)
    rows = read(tournament).rows
    assert [(row.name, row.standing.place_text, row.standing.reason) for row in rows] == [
        ("Ann", "1", None),
        ("Di", "–", Reason.NOT_RANKED),
        ("Cy", "–", Reason.WITHDREW),
        ("Bo", "–", Reason.DISQUALIFIED),
    ]
    assert [row.corrections for row in rows] == [0, 0, 1, 1]
    services.reinstate(entry=ed, by=director, reason="comes back")
    assert places(read(tournament))[:2] == [("Ann", "T1"), ("Ed", "T1")]
    Entry.objects.filter(pk=ann.pk).update(cut_after=1)
    services.refresh_entry(entry_id=ann.pk)
    assert read(tournament).rows[1].standing.reason == Reason.MISSED_CUT


def test_a_void_hole_leaves_every_figure() -> None:
    tournament = new_tournament(holes=3)
    entry = record(new_entry(tournament, "Ann"), 35, 5, 6)
    record(new_entry(tournament, "Bo"), 0, 6)
    services.void_hole(tournament=tournament, number=1, by=new_account(), reason="a broken deal")
    board = read(tournament)
    first, second = board.rows
    assert [hole.is_void for hole in board.holes] == [True, False, False]
    assert (first.name, first.totals) == ("Ann", Totals(2, 11, 1, 480))
    assert (first.is_finished, first.holes[0].strokes, first.holes[0].is_void) == (True, 35, True)
    assert (second.thru, second.is_finished) == (1, False)
    entry.refresh_from_db()
    assert entry.totals == first.totals


def test_what_was_corrected_is_marked(tournament: Tournament) -> None:
    entry = record(new_entry(tournament), 5, 5)
    services.adjust_hole(
        entry=entry, number=2, strokes=3, app_score=300, by=new_account(), reason="a power cut"
    )
    (row,) = read(tournament).rows
    assert [(hole.strokes, hole.is_corrected) for hole in row.holes[:2]] == [(5, False), (3, True)]
    assert (row.totals.strokes, row.corrections) == (8, 1)


def test_undos_and_hints_are_added_up() -> None:
    tournament = new_tournament(undo_allowed=True, hints_allowed=True)
    record(new_entry(tournament), 5, 5, undos=2, hints=1)
    (row,) = read(tournament).rows
    assert (row.undos, row.hints) == (4, 2)


def test_a_tie_is_parted_by_the_last_holes() -> None:
    tournament = new_tournament(tie_break=Tournament.TieBreak.COUNTBACK)
    record(new_entry(tournament, "Ann"), *[5] * 9)
    record(new_entry(tournament, "Bo"), 6, *[5] * 7, 4)
    board = read(tournament)
    assert places(board) == [("Bo", "1"), ("Ann", "2")]
    assert [row.standing.ahead_on for row in board.rows] == [6, None]
    Tournament.objects.update(tie_break=Tournament.TieBreak.SHARED)
    announce(tournament.pk)
    assert places(read(tournament)) == [("Ann", "T1"), ("Bo", "T1")]


# --- rounds ------------------------------------------------------------------------------------


@pytest.fixture
def two_days() -> Tournament:
    """Two rounds: yesterday's nine holes, and today's two."""
    now = timezone.now()
    day = timedelta(days=1)
    return new_tournament(
        rounds=(
            RoundPlan(opens_at=now - day, closes_at=now - day / 2),
            RoundPlan(opens_at=now - day / 4, closes_at=now + day / 4, holes=2),
        )
    )


def test_a_round_of_each_day_and_today(two_days: Tournament) -> None:
    record(new_entry(two_days, "Ann"), 6, *[5] * 8, 3)
    record(new_entry(two_days, "Bo"), *[5] * 9)
    board = read(two_days)
    ann, bo = board.rows
    assert (board.rounds, board.has_today, board.session) == ((1, 2), True, 1)
    assert (ann.today, ann.thru, ann.is_finished) == (Totals(1, 3, -2, 290), 1, False)
    assert ann.rounds == (Totals(9, 46, 1, 2230), Totals(1, 3, -2, 290))
    assert (ann.totals.to_par, ann.standing.place) == (-1, 1)
    assert (bo.today, bo.thru) == (Totals(), 0)


def test_before_the_second_round_opens_the_first_is_todays(two_days: Tournament) -> None:
    later = timezone.now() + timedelta(hours=3)
    Round.objects.filter(tournament=two_days, number=2).update(opens_at=later)
    record(new_entry(two_days, "Ann"), 6, *[5] * 8)
    board = read(two_days)
    (ann,) = board.rows
    assert (board.session, board.next_session_at) == (0, later)
    assert (ann.today, ann.thru, ann.is_finished) == (Totals(9, 46, 1, 2230), 9, True)


def test_rounds_that_are_open_together_are_one_day() -> None:
    tournament = new_tournament(holes=11)
    record(new_entry(tournament, "Ann"), *[5] * 11)
    board = read(tournament)
    (ann,) = board.rows
    assert (board.rounds, board.has_today) == ((1, 2), False)
    assert (ann.today, ann.thru, ann.is_finished) == (None, 11, True)
    assert [total.strokes for total in ann.rounds] == [45, 10]
    cards = selectors.rounds_of(ann)
    assert [(each.number, len(each.holes), each.par, each.totals.strokes) for each in cards] == [
        (1, 9, 45, 45),
        (2, 2, 10, 10),
    ]


# --- pages, names, divisions -------------------------------------------------------------------


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
    found = selectors.own_row(
        tournament=again(tournament), player=player, view=selectors.WHOLE, size=3
    )
    assert found == selectors.OwnRow(board.mine, 3)


def test_names_are_found_whatever_their_case(tournament: Tournament) -> None:
    for name in ("Анна Иванова", "Йоанна", "Bo"):
        record(new_entry(tournament, name), 5)
    board = read(tournament, query=" АННА ")
    assert [(row.name, row.standing.place_text) for row in board.rows] == [
        ("Анна Иванова", "T1"),
        ("Йоанна", "T1"),
    ]
    assert (board.entries, board.found, board.pages) == (3, 2, 1)
    assert read(tournament, query="nobody").rows == ()


def test_a_division_has_a_board_of_its_own() -> None:
    tournament = new_tournament(divisions=("Men", "Women"))
    men, women = selectors.divisions_of(tournament=tournament)
    director = new_account()
    for name, strokes, division in (("Ann", 3, women), ("Bo", 2, men), ("Cy", 9, women)):
        entry = record(new_entry(tournament, name), strokes)
        services.change_division(entry=entry, division=division, by=director, reason="asked")
    board = read(tournament, division=women)
    assert (places(board), board.entries) == ([("Ann", "1"), ("Cy", "2")], 2)
    bo = Entry.objects.get(name="Bo")
    assert read(tournament, division=women, player=bo.player).mine is None
    services.change_division(entry=bo, division=women, by=director, reason="asked")
    assert places(read(tournament, division=women)) == [("Bo", "1"), ("Ann", "2"), ("Cy", "3")]
    assert places(read(tournament, division=men)) == []
    assert places(read(tournament)) == [("Bo", "1"), ("Ann", "2"), ("Cy", "3")]


# --- formats -----------------------------------------------------------------------------------


def test_stableford_from_the_same_cards() -> None:
    tournament = new_tournament(holes=3)
    record(new_entry(tournament, "Ann"), 35, 4, 4)
    record(new_entry(tournament, "Bo"), 6, 6, 6)
    board = read(tournament, format=Format.STABLEFORD)
    assert places(board) == [("Ann", "1"), ("Bo", "2")]
    assert [row.standing.figure for row in board.rows] == [6, 3]
    assert [hole.points for hole in board.rows[0].holes] == [0, 3, 3]
    assert places(read(tournament)) == [("Bo", "1"), ("Ann", "2")]


def earlier_rounds(club: Any, player: Player, *to_par: int, **fields: Any) -> list[Tournament]:
    """Tournaments of nine holes that are over, in which the player was so far from par."""
    found = []
    for each in to_par:
        tournament = new_tournament(club=club, **fields)
        entry = services.enter(tournament=tournament, player=player)
        record(entry, 5 + each, *[5] * 8)
        found.append(close(tournament))
    push_back(found, timedelta(hours=2))
    return found


def push_back(tournaments: list[Tournament], time: timedelta) -> None:
    Tournament.objects.filter(pk__in=[each.pk for each in tournaments]).update(
        opens_at=F("opens_at") - time,
        closes_at=F("closes_at") - time,
        closed_at=F("closed_at") - time,
    )


def test_net_takes_off_what_earlier_rounds_in_the_club_come_to() -> None:
    club = new_club()
    ann, bo = new_member(club, "Ann"), new_member(club, "Bo")
    earlier_rounds(club, ann, 20, 12, 15)
    earlier_rounds(club, bo, 3, 3)
    earlier_rounds(new_club(), bo, 9)  # of another club
    tournament = new_tournament(club=club)
    for player, strokes in ((ann, 25), (bo, 5)):
        record(services.enter(tournament=tournament, player=player), strokes, *[5] * 8)
    rows = read(tournament, format=Format.NET).rows
    assert [(row.name, row.handicap, row.standing.figure) for row in rows] == [
        ("Ann", 135, 20 - 14),
        ("Bo", None, None),
    ]
    assert rows[1].standing.reason == Reason.NO_HANDICAP


def test_a_correction_of_an_earlier_round_changes_the_handicap() -> None:
    club = new_club()
    ann = new_member(club, "Ann")
    first = earlier_rounds(club, ann, 20, 12, 15)[0]
    tournament = new_tournament(club=club)
    record(services.enter(tournament=tournament, player=ann), 25, *[5] * 8)
    assert read(tournament, format=Format.NET).rows[0].handicap == 135
    services.adjust_hole(
        entry=first.entries.get(), number=1, strokes=5, app_score=250, by=ann, reason="a test"
    )
    assert read(tournament, format=Format.NET).rows[0].handicap == 60


def test_rounds_that_are_none_do_not_count_for_a_handicap() -> None:
    club = new_club()
    ann = new_member(club, "Ann")
    played = earlier_rounds(club, ann, 9, 9, 9, 9, 9)
    tournament = new_tournament(club=club)
    services.enter(tournament=tournament, player=ann)

    def handicap() -> int | None:
        (row,) = read(tournament, format=Format.NET).rows
        return row.handicap

    assert handicap() == 90
    services.void_hole(tournament=played[0], number=9, by=ann, reason="eight holes are no nine")
    assert handicap() == 90
    services.disqualify(entry=played[1].entries.get(), by=ann, reason="not one of the field")
    assert handicap() == 90
    Tournament.objects.filter(pk=played[2].pk).update(is_friendly=True)
    assert handicap() is None
    Tournament.objects.filter(pk=played[2].pk).update(is_friendly=False)
    assert handicap() == 90
    Tournament.objects.filter(pk=played[3].pk).update(closed_at=timezone.now())  # too late
    assert handicap() is None


def test_only_the_last_twenty_nines_count_though_more_was_played(
    django_assert_max_num_queries: Any,
) -> None:
    club = new_club()
    ann = new_member(club, "Ann")
    old = earlier_rounds(club, ann, *[0] * 4)
    push_back(old, timedelta(days=9))
    earlier_rounds(club, ann, *[10] * 18)
    # Two with nine holes, but no complete nine: the older ones are looked at instead.
    for each in earlier_rounds(club, ann, 0, 0, holes=11):
        entry = each.entries.get()
        record(entry, 5, 5, first=10)
        services.void_hole(tournament=each, number=1, by=ann, reason="broken")
    tournament = new_tournament(club=club)
    services.enter(tournament=tournament, player=ann)
    (row,) = read(tournament, format=Format.NET).rows
    # Twenty nines: 18 of ten over and the two latest of the old ones, level; the best eight.
    assert row.handicap == (2 * 0 + 6 * 10) * 10 // 8


def test_a_days_nine_holes_have_no_net_board() -> None:
    tournament = new_tournament(day=timezone.now().date())
    assert selectors.formats_of(tournament) == [Format.STROKE, Format.STABLEFORD]
    assert Format.NET in selectors.formats_of(new_tournament())


def test_a_match_between_two(tournament: Tournament) -> None:
    ann = record(new_entry(tournament, "Ann"), *[4] * 6)
    bo = record(new_entry(tournament, "Bo"), *[5] * 9)
    found = selectors.match_of(
        tournament=again(tournament), first_id=bo.pk, second_id=ann.pk, view=selectors.WHOLE
    )
    assert found is not None
    assert (found.first.name, found.second.name) == ("Bo", "Ann")
    assert (found.match.up, found.match.left, found.match.state) == (-5, 4, MatchState.WON)
    nobody = selectors.match_of(
        tournament=again(tournament), first_id=bo.pk, second_id=0, view=selectors.WHOLE
    )
    assert nobody is None


def test_standings_for_who_decides_by_them(tournament: Tournament) -> None:
    ann = record(new_entry(tournament, "Ann"), 5, 9)
    bo = record(new_entry(tournament, "Bo"), 6, 5)
    assert [(row.key, row.place) for row in selectors.standings(tournament=again(tournament))] == [
        (bo.pk, 1),
        (ann.pk, 2),
    ]
    after_one = selectors.standings(tournament=again(tournament), view=selectors.View(through=1))
    assert [(row.key, row.place) for row in after_one] == [(ann.pk, 1), (bo.pk, 2)]


# --- how little is read anew -------------------------------------------------------------------


@pytest.mark.parametrize("rows", [1, 3, 30])
def test_a_board_takes_the_same_queries_however_many_rows(
    tournament: Tournament, rows: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    entries = [new_entry(tournament) for _ in range(rows)]
    for entry in entries[:3]:
        record(entry, 5, 6)
    found, player = again(tournament), entries[0].player
    with django_assert_num_queries(2):  # holes, entries
        board = selectors.leaderboard(tournament=found, player=player)
    assert len(board.rows) == rows
    with django_assert_num_queries(1):
        selectors.leaderboard(tournament=found, page=2, size=1)
    record(entries[0], 4, first=3)
    found = again(tournament)
    with django_assert_num_queries(2):
        selectors.leaderboard(tournament=found)


@pytest.mark.parametrize("players", [1, 30])
def test_a_net_board_takes_the_same_queries_however_many_rounds(
    players: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    club = new_club()
    for _ in range(players):
        earlier_rounds(club, new_member(club), 9)
    tournament = new_tournament(club=club)
    for member in club.memberships.all():
        services.enter(tournament=tournament, player=member.player)
    found = again(tournament)
    with django_assert_num_queries(5):  # holes, entries; versions, holes and rounds of before
        selectors.leaderboard(tournament=found, format=Format.NET)
    with django_assert_num_queries(2):
        selectors.leaderboard(tournament=found, format=Format.NET)


def test_only_what_has_changed_is_read(tournament: Tournament, reads: list[int]) -> None:
    entries = [record(new_entry(tournament), 5) for _ in range(5)]
    assert len(read(tournament).rows) == 5
    record(entries[2], 3, first=2)
    services.disqualify(entry=entries[4], by=new_account(), reason="a test")
    assert read(tournament).rows[0].entry_id == entries[2].pk
    new_entry(tournament)
    assert (len(read(tournament).rows), len(read(tournament).rows)) == (6, 6)
    assert reads == [5, 2, 1]
    announce(tournament.pk)  # anything may have changed
    read(tournament)
    assert reads[3:] == [6]


def test_an_entry_that_was_taken_back_is_gone(tournament: Tournament, reads: list[int]) -> None:
    entries = [new_entry(tournament) for _ in range(3)]
    assert len(read(tournament).rows) == 3
    services.remove_entry(entry=entries[1])
    services.hide_entry(entry=entries[2], by=new_account(), reason="a test")
    assert [row.entry_id for row in read(tournament).rows] == [entries[0].pk]
    assert reads == [3, 1]


def test_a_version_is_never_newer_than_its_rows(tournament: Tournament) -> None:
    found = again(tournament)
    new_entry(tournament)
    assert selectors.leaderboard(tournament=found).version == 0
    assert len(selectors.leaderboard(tournament=found).rows) == 1


def test_few_fields_are_kept(monkeypatch: pytest.MonkeyPatch, reads: list[int]) -> None:
    monkeypatch.setattr(boards, "MOST_FIELDS", 2)
    monkeypatch.setattr(boards, "_fields", boards._Fields())
    first, second, third = (new_tournament() for _ in range(3))
    for each in (first, second, first, third, first, second):
        read(each)
    assert len(reads) == 4  # the second one had to go
    monkeypatch.setattr(boards, "MOST_ENTRIES", 1)
    for each in (first, second):
        new_entry(each)
        new_entry(each)
        read(each)
        read(each)
    assert len(boards._fields._kept) == 1


def test_few_rankings_are_kept(tournament: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "MOST_RANKINGS", 3)
    field = fields.Field(tournament.pk)
    field.refresh(again(tournament))
    course = fields.course_of(tournament=tournament)
    terms = fields.terms_of(tournament=tournament, course=course, rank_by=RankBy.STROKES)
    for through in range(6):
        field.ranking(
            tournament=tournament, course=course, terms=terms, view=selectors.View(through=through)
        )
    assert [key.view.through for key in field._rankings] == [3, 4, 5]


def test_a_long_log_is_started_anew(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch, reads: list[int]
) -> None:
    monkeypatch.setattr(fields, "_LONGEST_LOG", 2)
    entries = [new_entry(tournament) for _ in range(4)]
    for entry in entries:
        read(tournament)
        record(entry, 5)
    assert [row.standing.place for row in read(tournament).rows] == [1, 1, 1, 1]
    assert reads == [4, 1, 1, 1, 4]


def test_a_log_that_could_not_be_started_anew_is_started_at_the_next_reading(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fields, "_LONGEST_LOG", 2)
    entries = [new_entry(tournament) for _ in range(4)]
    for entry in entries[:3]:
        read(tournament)
        record(entry, 5)
    read(tournament)
    record(entries[3], 5)
    with monkeypatch.context() as patch:
        patch.setattr(fields, "_read", mock.Mock(side_effect=OperationalError))
        with pytest.raises(OperationalError):
            read(tournament)
    assert [row.standing.place for row in read(tournament).rows] == [1, 1, 1, 1]


def test_another_tournament_under_the_same_id_is_another_field(tournament: Tournament) -> None:
    new_entry(tournament)
    assert len(read(tournament).rows) == 1
    Entry.objects.all().delete()
    later = timezone.now() + timedelta(seconds=1)
    Tournament.objects.filter(pk=tournament.pk).update(created_at=later)
    assert read(tournament).rows == ()


def alike(board: selectors.Leaderboard) -> Any:
    return [(row.name, row.standing, row.holes, row.rounds, row.thru) for row in board.rows]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that reads a board as a process that has read nothing yet."""

    def read_anew(tournament: Tournament, **kwargs: Any) -> selectors.Leaderboard:
        with monkeypatch.context() as patch:
            patch.setattr(boards, "_fields", boards._Fields())
            return read(tournament, **kwargs)

    return read_anew


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["play", "adjust", "disqualify", "void", "enter"]), st.integers(0, 3)
    ),
    max_size=8,
)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_what_is_kept_is_what_is_stored(fresh: Any, steps: list[tuple[str, int]]) -> None:
    tournament = new_tournament(holes=4, tie_break="countback")
    entries = [new_entry(tournament) for _ in range(4)]
    director = new_account()
    for number, (step, which) in enumerate(steps):
        entry = entries[which]
        # A director may have given a result of any hole already.
        free = {1, 2, 3, 4} - {*entry.results.values_list("hole__number", flat=True)}
        if step == "play" and free:
            record(entry, 4 + number % 3, first=min(free))
        elif step == "adjust":
            services.adjust_hole(
                entry=entry, number=which + 1, strokes=number, app_score=0, by=director,
                reason=f"step {number}",
            )  # fmt: skip
        elif step == "disqualify":
            services.disqualify(entry=entry, by=director, reason=f"step {number}")
        elif step == "void":
            services.void_hole(
                tournament=tournament, number=which + 1, by=director, reason=f"step {number}"
            )
        else:
            new_entry(tournament)
        for format_ in (Format.STROKE, Format.STABLEFORD):
            kept = read(tournament, format=format_)
            assert alike(kept) == alike(fresh(tournament, format=format_))


def test_the_copy_on_an_entry_is_what_its_results_say(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament), last=3)
    services.adjust_hole(
        entry=entry, number=3, strokes=1, app_score=9, by=new_account(), reason="a test"
    )
    entry.refresh_from_db()
    results = HoleResult.objects.filter(entry=entry).order_by("hole__number")
    assert [
        (hole.number, hole.strokes, hole.app_score, hole.is_corrected)
        for hole in fields.holes_of_text(entry.played)
    ] == [
        (result.hole.number, result.strokes, result.app_score, result.is_corrected)
        for result in results
    ]
    assert scorecard.totals(
        scorecard.HoleScore(hole.number, 5, hole.strokes, hole.app_score)
        for hole in fields.holes_of_text(entry.played)
    ) == Totals(entry.thru, entry.strokes, entry.to_par, entry.app_score)
