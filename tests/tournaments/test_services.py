"""Entering, playing, recording, closing: what each does, refuses and repeats."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from games import services as games_services
from games.engine import GameCode
from games.models import Game, Move
from tournaments import selectors, services
from tournaments.models import Entry, HoleResult, Tournament
from tournaments.services import closing, results

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

pytestmark = pytest.mark.django_db
Capture = Callable[..., Any]


def refused(code: str) -> Any:
    return pytest.raises(services.TournamentError, match=f"^{code}$")


# --- entering ----------------------------------------------------------------------------------


def test_entering_twice_is_entering_once_and_is_told_once(
    tournament: Tournament,
    notices: list[tuple[str, int]],
    django_capture_on_commit_callbacks: Capture,
) -> None:
    player = new_player()
    with django_capture_on_commit_callbacks(execute=True):
        first = services.enter(tournament=tournament, player=player)
        second = services.enter(tournament=tournament, player=player)
    assert first == second
    assert notices == [(f"tournament:{tournament.slug}", 1)]


def test_one_can_enter_before_the_opening_but_not_after_the_end() -> None:
    early = new_tournament(opens_at=timezone.now() + timedelta(minutes=5))
    assert new_entry(early).tournament == early
    over = let_time_pass(new_tournament())
    with refused("closed"):
        new_entry(over)


def test_an_entry_without_a_hole_can_be_taken_back(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    services.remove_entry(entry=entry)
    assert Entry.objects.count() == 0
    tournament.refresh_from_db()
    assert tournament.board_version == 2


def test_an_entry_with_a_hole_is_kept(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    services.start_hole(entry=entry, number=1)
    with refused("has_results"):
        services.remove_entry(entry=entry)
    assert Entry.objects.get() == entry


# --- starting a hole ---------------------------------------------------------------------------


def test_a_started_hole_is_a_secret_game_of_the_holes_deal(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    result = services.start_hole(entry=entry, number=1)
    hole = tournament.holes.get(number=1)
    game = result.game
    assert (result.entry, result.hole, result.is_final) == (entry, hole, False)
    assert (game.player, game.deal_code, game.closes_at) == (
        entry.player,
        hole.deal_code,
        tournament.closes_at,
    )
    assert (game.is_secret, game.undo_allowed, game.hints_allowed) == (True, False, False)


def test_starting_again_resumes_the_same_game(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    first = services.start_hole(entry=entry, number=1)
    assert services.start_hole(entry=entry, number=1).game == first.game
    play(first.game, first_legal(first.game))
    assert services.start_hole(entry=entry, number=1).game == first.game
    assert Game.objects.count() == 1


def test_everybody_plays_the_same_cards(tournament: Tournament) -> None:
    games = [services.start_hole(entry=new_entry(tournament), number=1).game for _ in range(3)]
    assert len({game.deal_code for game in games}) == 1
    assert len({game.pk for game in games}) == 3


def test_holes_are_played_in_order(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    with refused("previous_hole"):
        services.start_hole(entry=entry, number=2)
    services.start_hole(entry=entry, number=1)
    with refused("previous_hole"):
        services.start_hole(entry=entry, number=2)
    play_hole(entry, 1)
    assert services.start_hole(entry=entry, number=2).hole.number == 2
    assert Game.objects.count() == 2


def test_the_next_hole_can_start_although_the_last_result_is_not_recorded_yet(
    tournament: Tournament,
) -> None:
    entry = new_entry(tournament)
    first = services.start_hole(entry=entry, number=1)
    play(first.game, first_legal(first.game), announce=False)
    assert services.start_hole(entry=entry, number=2).hole.number == 2


@pytest.mark.parametrize("number", [0, 10, 99])
def test_there_is_no_such_hole(tournament: Tournament, number: int) -> None:
    with refused("no_such_hole"):
        services.start_hole(entry=new_entry(tournament), number=number)


def test_no_hole_starts_before_the_opening() -> None:
    early = new_tournament(opens_at=timezone.now() + timedelta(minutes=5))
    with refused("not_started"):
        services.start_hole(entry=new_entry(early), number=1)
    assert Game.objects.count() == 0


def test_no_hole_starts_after_the_end_but_one_that_exists_is_still_shown(
    tournament: Tournament,
) -> None:
    entry, other = new_entry(tournament), new_entry(tournament)
    started = services.start_hole(entry=entry, number=1)
    let_time_pass(tournament)
    with refused("closed"):
        services.start_hole(entry=other, number=1)
    assert services.start_hole(entry=entry, number=1) == started
    services.close_due(now=timezone.now())
    with refused("closed"):
        services.start_hole(entry=entry, number=2)


# --- results -----------------------------------------------------------------------------------


def test_a_final_game_is_copied_to_its_hole_and_its_entry(
    tournament: Tournament,
    notices: list[tuple[str, int]],
    django_capture_on_commit_callbacks: Capture,
) -> None:
    entry = new_entry(tournament)
    with django_capture_on_commit_callbacks(execute=True):
        result = play_hole(entry, 1)
    game = result.game
    game.refresh_from_db()
    assert game.finished_at is not None
    assert (result.is_final, result.strokes, result.app_score) == (
        True,
        game.strokes,
        game.app_score,
    )
    entry.refresh_from_db()
    assert (entry.thru, entry.strokes, entry.to_par, entry.app_score) == (
        1,
        game.strokes,
        game.strokes - 5,
        game.app_score,
    )
    assert notices == [(f"tournament:{tournament.slug}", 2)]


def test_giving_up_counts_every_card_left(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    result = play_hole(entry, 1, "g")
    entry.refresh_from_db()
    assert (result.strokes, result.app_score) == (35, 0)
    assert (entry.thru, entry.strokes, entry.to_par, entry.app_score) == (1, 35, 30, 0)


def test_recording_again_changes_nothing_and_says_nothing(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    result = play_hole(entry, 1)
    tournament.refresh_from_db()
    version = tournament.board_version
    for _ in range(3):
        services.record_result(game_id=result.game_id)
    tournament.refresh_from_db()
    assert tournament.board_version == version


def test_totals_are_the_sums_of_all_nine(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament))
    games = Game.objects.filter(player=entry.player)
    assert games.count() == 9
    assert (entry.thru, entry.strokes, entry.to_par, entry.app_score) == (
        9,
        sum(game.strokes for game in games),
        sum(game.strokes for game in games) - 45,
        sum(game.app_score for game in games),
    )


def test_a_game_in_progress_is_not_recorded(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    result = services.start_hole(entry=entry, number=1)
    play(result.game, first_legal(result.game)[:3])
    services.record_result(game_id=result.game_id)
    result.refresh_from_db()
    entry.refresh_from_db()
    assert (result.is_final, result.strokes, entry.thru) == (False, None, 0)


def test_a_game_of_practice_or_none_is_nobodys_result() -> None:
    game = games_services.new_practice_game(
        player=new_player(), code=GameCode.parse("GO1-E-AAAAAAB")
    )
    services.record_result(game_id=game.pk)
    services.record_result(game_id=game.pk + 1)
    assert HoleResult.objects.count() == 0


def test_finals_that_nobody_recorded_are_picked_up(tournament: Tournament) -> None:
    entries = [new_entry(tournament) for _ in range(3)]
    for entry in entries:
        result = services.start_hole(entry=entry, number=1)
        play(result.game, first_legal(result.game), announce=False)
    services.start_hole(entry=new_entry(tournament), number=1)
    assert services.record_finished() == 3
    assert services.record_finished() == 0
    assert sorted(Entry.objects.values_list("thru", flat=True)) == [0, 1, 1, 1]


# --- recomputing -------------------------------------------------------------------------------


def board(tournament: Tournament) -> Any:
    tournament = Tournament.objects.get(pk=tournament.pk)
    found = selectors.leaderboard(tournament=tournament)
    return [(row.name, row.standing, row.holes) for row in found.rows]


def test_the_same_board_comes_from_the_journal(tournament: Tournament) -> None:
    for _ in range(2):
        play_holes(new_entry(tournament), last=3)
    unrecorded = services.start_hole(entry=new_entry(tournament), number=1)
    play(unrecorded.game, first_legal(unrecorded.game))
    expected = board(tournament)

    # Spoil every copy of a figure, and forget one result altogether.
    Game.objects.update(strokes=1, app_score=7, state="given_up")
    HoleResult.objects.filter(is_final=True).update(strokes=2, app_score=9)
    HoleResult.objects.filter(pk=unrecorded.pk).update(is_final=False, strokes=None, app_score=None)
    Entry.objects.update(thru=5, strokes=F("strokes") + 4, to_par=0, app_score=1, played="[]")
    results.announce(tournament.pk)
    assert board(tournament) != expected

    done = services.recompute(tournament=tournament)
    assert done == services.Recomputed(games=7, corrected=10)
    assert board(tournament) == expected


def test_recomputing_twice_changes_nothing(tournament: Tournament) -> None:
    play_holes(new_entry(tournament), last=2)
    before = board(tournament)
    version = Tournament.objects.get().board_version
    assert services.recompute(tournament=tournament).corrected == 0
    assert board(tournament) == before
    assert Tournament.objects.get().board_version == version


# --- the end -----------------------------------------------------------------------------------


def later(tournament: Tournament, seconds: float = 1) -> datetime:
    return tournament.closes_at + timedelta(seconds=seconds)


def test_nothing_is_closed_before_its_time(tournament: Tournament) -> None:
    services.start_hole(entry=new_entry(tournament), number=1)
    assert services.close_due(now=later(tournament, -0.001)) == 0
    tournament.refresh_from_db()
    assert tournament.closed_at is None


def test_a_hole_in_progress_is_closed_where_it_lies_and_counts(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    result = services.start_hole(entry=entry, number=1)
    actions = first_legal(result.game)[:8]
    left = play(result.game, actions).left
    let_time_pass(tournament)
    assert services.close_due(now=timezone.now()) == 1
    result.refresh_from_db()
    entry.refresh_from_db()
    game = Game.objects.get()
    assert (game.state, game.strokes) == ("closed", left)
    assert "".join(Move.objects.order_by("turn").values_list("action", flat=True)) == actions + "c"
    assert (result.is_final, result.strokes, result.app_score) == (True, left, game.app_score)
    assert (entry.thru, entry.strokes) == (1, left)


def test_a_hole_whose_cards_were_never_sent_was_never_started(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    game = services.start_hole(entry=entry, number=1).game
    let_time_pass(tournament)
    assert services.close_due(now=timezone.now()) == 1
    entry.refresh_from_db()
    assert (entry.thru, entry.strokes, entry.app_score) == (0, 0, 0)
    assert not HoleResult.objects.filter(entry=entry).exists()
    assert not Game.objects.filter(pk=game.pk).exists()
    tournament.refresh_from_db()
    assert tournament.is_revealed


def test_the_close_reveals_the_cards_once_and_tells_the_room(
    tournament: Tournament,
    notices: list[tuple[str, int]],
    django_capture_on_commit_callbacks: Capture,
) -> None:
    for _ in range(3):
        play_hole(new_entry(tournament), 1)
    assert set(Game.objects.values_list("is_secret", flat=True)) == {True}
    now = later(tournament)
    with django_capture_on_commit_callbacks(execute=True):
        assert services.close_due(now=now) == 1
        assert services.close_due(now=now) == 0
    tournament.refresh_from_db()
    assert tournament.closed_at == now
    assert set(Game.objects.values_list("is_secret", flat=True)) == {False}
    assert notices == [(f"tournament:{tournament.slug}", 7)]


def test_a_tournament_that_nobody_played_is_closed_too(tournament: Tournament) -> None:
    assert services.close_due(now=later(tournament)) == 1
    tournament.refresh_from_db()
    assert tournament.is_revealed


def test_games_of_others_stay_secret(tournament: Tournament) -> None:
    other = new_tournament(closes_at=tournament.closes_at + timedelta(days=1))
    play_hole(new_entry(other), 1)
    play_hole(new_entry(tournament), 1)
    assert services.close_due(now=later(tournament)) == 1
    assert list(Game.objects.order_by("pk").values_list("is_secret", flat=True)) == [True, False]


def test_one_tournament_that_cannot_be_closed_does_not_keep_the_others_open(
    tournament: Tournament, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = new_tournament()
    real = closing.record_finished

    def broken(*, tournament: Tournament, **options: Any) -> int:
        if tournament.pk != other.pk:
            raise OSError("broken")
        return real(tournament=tournament, **options)

    monkeypatch.setattr(closing, "record_finished", broken)
    now = max(later(tournament), later(other))
    assert [services.close_due(now=now) for _ in range(2)] == [1, 0]
    tournament.refresh_from_db()
    other.refresh_from_db()
    assert (tournament.is_revealed, other.is_revealed) == (False, True)
    assert caplog.messages == [f"Tournament {tournament.pk} was not closed: OSError"]


def test_reading_late_closes_a_few_games_and_leaves_many_to_the_director(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closing, "CLOSED_WHILE_READING", 2)
    for _ in range(5):
        services.start_hole(entry=new_entry(tournament), number=1)
    let_time_pass(tournament)
    now = timezone.now()
    phases = [
        services.close_while_reading(tournament=Tournament.objects.get(), now=now).phase(now)
        for _ in range(4)
    ]
    assert phases == ["closing", "closing", "closed", "closed"]


def test_reading_in_time_closes_nothing(tournament: Tournament) -> None:
    assert services.close_while_reading(tournament=tournament, now=timezone.now()) is tournament
    assert Tournament.objects.get().closed_at is None
