"""Deadlines of single holes, cuts after rounds, and the end, whoever comes by to keep them."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone
from psycopg.errors import LockNotAvailable

from games import services as games_services
from games.models import Game, Move
from tests.games.factories import games_written
from tournaments import selectors, services
from tournaments.models import (
    Correction,
    Entry,
    Flag,
    Hole,
    HoleResult,
    Round,
    StatusChange,
    Tournament,
)
from tournaments.services import closing

from .factories import (
    extend,
    first_legal,
    let_time_pass,
    new_entry,
    new_tournament,
    play,
    play_hole,
    play_holes,
    set_rounds,
)

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def start(entry: Entry, number: int, actions: int = 4) -> Game:
    """Start a hole and play it so far."""
    game = services.start_hole(entry=entry, number=number).game
    assert game is not None
    return play(game, first_legal(game)[:actions])


def close_games(**options: Any) -> int:
    return services.close_games_due(now=timezone.now(), **options)


def give(entry: Entry, number: int, **figures: int) -> None:
    """Decide what a hole comes to, as a director does before `refresh_entry`."""
    Correction.objects.create(
        tournament=entry.tournament,
        entry=entry,
        hole=Hole.objects.get(tournament=entry.tournament, number=number),
        kind=Correction.Kind.ADJUST,
        by=entry.player,
        at=timezone.now(),
        reason="Played on paper.",
        after=figures,
    )


def damage(game: Game) -> None:
    Move.objects.filter(game=game).update(action="u")  # undo is off: no such game


# --- single holes ------------------------------------------------------------------------------


def test_a_hole_is_closed_at_its_own_deadline_while_the_tournament_goes_on() -> None:
    tournament = new_tournament(hole_minutes=10)
    slow, quick = new_entry(tournament), new_entry(tournament)
    game, later = start(slow, 1), start(quick, 1)
    Game.objects.filter(pk=later.pk).update(closes_at=timezone.now() + timedelta(minutes=15))
    assert close_games() == 0
    let_time_pass(tournament, by=timedelta(minutes=10))
    assert (close_games(), close_games()) == (1, 0)
    game.refresh_from_db()
    slow.refresh_from_db()
    result = slow.results.get()
    assert (game.state, game.finished_at) == ("closed", game.closes_at)
    assert (result.is_final, result.strokes, slow.thru) == (True, game.left, 1)
    assert Game.objects.get(pk=later.pk).finished_at is None
    assert services.start_hole(entry=slow, number=2).game is not None


def test_holes_are_closed_in_the_order_of_their_keys() -> None:
    """As the journal writes: two that meet on two games would wait for each other."""
    tournament = new_tournament(hole_minutes=10)
    games = [start(new_entry(tournament), 1) for _ in range(3)]
    let_time_pass(tournament, by=timedelta(minutes=10))
    for late, game in enumerate(games):
        closes_at = timezone.now() - MINUTE * late
        Game.objects.filter(pk=game.pk).update(closes_at=closes_at)
    with games_written() as written:
        assert close_games() == 3
    assert list(dict.fromkeys(written)) == [game.pk for game in games]


def test_a_hole_whose_cards_were_never_sent_can_be_started_again() -> None:
    tournament = new_tournament(window=Tournament.Window.PERSONAL, personal_minutes=10)
    entry = new_entry(tournament)
    services.start_hole(entry=entry, number=1)
    let_time_pass(tournament, by=timedelta(minutes=10))
    assert close_games() == 1
    assert (HoleResult.objects.count(), Game.objects.count()) == (0, 0)


def test_what_a_director_gave_outlasts_a_hole_that_was_never_sent(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    services.start_hole(entry=entry, number=1)
    give(entry, 1, strokes=3, app_score=290)
    services.refresh_entry(entry_id=entry.pk)
    let_time_pass(tournament)
    assert services.close_due(now=timezone.now()) == 1
    result = entry.results.get()
    assert (result.game, result.strokes, result.is_corrected) == (None, 3, True)


def test_a_hole_in_progress_that_a_director_gave_is_closed_and_revealed_too(
    tournament: Tournament,
) -> None:
    entry = new_entry(tournament)
    game = start(entry, 1)
    give(entry, 1, strokes=3, app_score=290)
    services.refresh_entry(entry_id=entry.pk)
    let_time_pass(tournament)
    assert services.close_due(now=timezone.now()) == 1
    game.refresh_from_db()
    assert (game.state, game.is_secret, entry.results.get().strokes) == ("closed", False, 3)


def test_many_are_closed_in_groups_and_the_work_can_be_broken_off(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closing, "TOGETHER", 2)
    for _ in range(5):
        start(new_entry(tournament), 1)
    let_time_pass(tournament)
    closed = Game.objects.filter(state="closed")
    assert close_games(stop=lambda: closed.count() == 3) == 3
    assert close_games(limit=1) == 1
    assert close_games() == 1
    assert closed.count() == 5
    # What was closed just before is recorded by whoever comes next.
    recorded = HoleResult.objects.filter(is_final=True)
    assert (recorded.count(), services.record_finished(), recorded.count()) == (4, 1, 5)


def test_games_of_other_tournaments_are_left_alone(tournament: Tournament) -> None:
    other = new_tournament()
    game, theirs = start(new_entry(tournament), 1), start(new_entry(other), 1)
    let_time_pass(tournament)
    let_time_pass(other)
    assert close_games(tournament=tournament) == 1
    assert Game.objects.get(pk=game.pk).finished_at is not None
    assert Game.objects.get(pk=theirs.pk).finished_at is None


def test_a_game_that_cannot_be_closed_does_not_keep_the_others_open(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken, *others = [start(new_entry(tournament), 1) for _ in range(3)]
    let_time_pass(tournament)
    real = games_services.close_game

    def sometimes(*, game_id: int, due_by: Any) -> Game:
        if game_id == broken.pk:
            raise OSError("odd")
        return real(game_id=game_id, due_by=due_by)

    with monkeypatch.context() as patch:
        patch.setattr(games_services, "close_game", sometimes)
        assert [services.close_due(now=timezone.now()) for _ in range(3)] == [0, 0, 0]
    assert {Game.objects.get(pk=game.pk).state for game in others} == {"closed"}
    assert caplog.messages == [f"Game {broken.pk} was not closed: OSError"]
    assert services.close_due(now=timezone.now()) == 1


def test_what_somebody_else_holds_is_left_alone_and_told_when_it_lasts(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game, other = (start(new_entry(tournament), 1) for _ in range(2))
    let_time_pass(tournament)
    real = games_services.close_game

    def held(*, game_id: int, due_by: Any) -> Game:
        if game_id != game.pk:
            return real(game_id=game_id, due_by=due_by)
        error = OperationalError("lock timeout")
        error.__cause__ = LockNotAvailable()
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(games_services, "close_game", held)
        assert [close_games() for _ in range(4)] == [1, 0, 0, 0]
    assert caplog.messages == [f"Game {game.pk} was not closed: OperationalError"]
    assert close_games() == 1
    assert {Game.objects.get(pk=each.pk).state for each in (game, other)} == {"closed"}


def test_a_database_that_is_away_stops_the_work(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(new_entry(tournament), 1)
    let_time_pass(tournament)

    def away(**kwargs: Any) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(games_services, "close_game", away)
    with pytest.raises(OperationalError):
        close_games()


# --- damaged holes -----------------------------------------------------------------------------


def test_a_damaged_hole_is_told_once_and_keeps_nothing_from_its_end(
    tournament: Tournament, caplog: pytest.LogCaptureFixture
) -> None:
    unlucky, other = new_entry(tournament), new_entry(tournament)
    game, fine = start(unlucky, 1), start(other, 1)
    damage(game)
    let_time_pass(tournament)
    assert [services.close_due(now=timezone.now()) for _ in range(3)] == [1, 0, 0]
    assert caplog.messages == [f"The moves of game {game.pk} cannot be replayed: it is set aside."]
    tournament.refresh_from_db()
    fine.refresh_from_db()
    assert (tournament.status, fine.state, fine.is_secret) == ("closed", "closed", False)
    flag = Flag.objects.get()
    assert (flag.entry, flag.kind, flag.details) == (
        unlucky, "damaged", {"hole": 1, "game": game.pk},
    )  # fmt: skip
    # Nobody has made up a result: a director gives one.
    assert not unlucky.results.get().is_final
    services.adjust_hole(
        entry=unlucky,
        number=1,
        strokes=4,
        app_score=270,
        by=other.player,
        reason="As it was on the screen.",
    )
    unlucky.refresh_from_db()
    assert (unlucky.thru, unlucky.strokes) == (1, 4)


def test_recomputing_goes_on_past_a_damaged_hole_and_takes_back_a_mended_one(
    tournament: Tournament,
) -> None:
    entry = play_holes(new_entry(tournament), last=2)
    strokes = entry.strokes
    first = entry.results.get(hole__number=1).game
    moves = list(Move.objects.filter(game=first).order_by("turn").values_list("turn", "action"))
    damage(first)
    assert services.recompute(tournament=tournament).games == 2
    first.refresh_from_db()
    assert first.damaged_at is not None
    for turn, action in moves:
        Move.objects.filter(game=first, turn=turn).update(action=action)
    assert services.recompute(tournament=tournament).games == 2
    first.refresh_from_db()
    entry.refresh_from_db()
    assert (first.damaged_at, entry.strokes) == (None, strokes)


# --- the end -----------------------------------------------------------------------------------


def test_the_end_is_a_step_of_the_clock(tournament: Tournament) -> None:
    let_time_pass(tournament)
    assert services.close_due(now=timezone.now()) == 1
    tournament.refresh_from_db()
    assert tournament.status == "closed"
    row = StatusChange.objects.get(after="closed")
    assert (row.tournament, row.before, row.by) == (tournament, "open", None)


def test_a_draft_is_never_closed(tournament: Tournament) -> None:
    let_time_pass(tournament)
    Tournament.objects.update(status=Tournament.Status.DRAFT)
    assert services.close_due(now=timezone.now()) == 0
    tournament.refresh_from_db()
    assert not services.close_tournament(tournament=tournament, now=timezone.now())
    assert Tournament.objects.get().closed_at is None


def test_the_end_waits_for_who_was_given_more_time(tournament: Tournament) -> None:
    slow, done = new_entry(tournament), play_holes(new_entry(tournament), last=1)
    game = start(slow, 1)
    extend(slow, tournament.closes_at + timedelta(hours=2))
    let_time_pass(tournament)
    assert services.close_due(now=timezone.now()) == 0
    tournament.refresh_from_db()
    assert not services.close_tournament(tournament=tournament, now=timezone.now())
    assert tournament.phase(timezone.now()) == "closing"
    read = services.close_while_reading(tournament=tournament, now=timezone.now())
    assert read.phase(timezone.now()) == "closing"
    assert {result.game.is_secret for result in done.results.all()} == {True}
    play(game, first_legal(game)[4:])
    let_time_pass(tournament, by=timedelta(hours=2))
    assert services.close_due(now=timezone.now()) == 1
    assert {result.game.is_secret for result in done.results.all()} == {False}


def test_more_time_that_comes_during_the_close_keeps_it_open(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = play_holes(new_entry(tournament), last=1)
    let_time_pass(tournament)
    real = closing.record_finished

    def meanwhile(**kwargs: Any) -> int:
        extend(entry, timezone.now() + timedelta(hours=1))
        return real(**kwargs)

    monkeypatch.setattr(closing, "record_finished", meanwhile)
    assert not services.close_tournament(tournament=tournament, now=timezone.now())
    tournament.refresh_from_db()
    assert (tournament.closed_at, tournament.status) == (None, "open")
    assert services.start_hole(entry=entry, number=2).game is not None


def test_reading_late_closes_holes_while_the_tournament_goes_on() -> None:
    tournament = new_tournament(hole_minutes=10)
    game = start(new_entry(tournament), 1)
    now = timezone.now()
    assert services.close_while_reading(tournament=tournament, now=now) is tournament
    let_time_pass(tournament, by=timedelta(minutes=10))
    found = selectors.tournament_of(slug=tournament.slug)
    read = services.close_while_reading(tournament=found, now=timezone.now())
    assert read.board_version == found.board_version + 1
    game.refresh_from_db()
    assert (game.state, read.phase(timezone.now())) == ("closed", "open")


def test_reading_goes_on_although_the_database_failed_once(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start(new_entry(tournament), 1)
    let_time_pass(tournament)

    def away(**kwargs: Any) -> None:
        raise OperationalError("secret")

    monkeypatch.setattr(games_services, "close_game", away)
    read = services.close_while_reading(tournament=tournament, now=timezone.now())
    assert read.phase(timezone.now()) == "closing"
    assert caplog.messages == [f"Tournament {tournament.pk} was not closed: OperationalError"]


def test_a_result_that_cannot_be_recorded_does_not_keep_the_others(
    tournament: Tournament, caplog: pytest.LogCaptureFixture
) -> None:
    entries = [new_entry(tournament) for _ in range(2)]
    for entry in entries:
        game = services.start_hole(entry=entry, number=1).game
        play(game, first_legal(game), announce=False)
    Correction.objects.create(
        tournament=tournament, entry=entries[0], kind="extend", by=entries[0].player,
        at=timezone.now(), reason="Broken by hand.", after={},
    )  # fmt: skip
    assert [services.record_finished() for _ in range(2)] == [1, 0]
    assert caplog.messages == [f"Entry {entries[0].pk} was not refreshed: KeyError"]
    assert entries[1].results.get().is_final


# --- cuts --------------------------------------------------------------------------------------


def two_rounds(cut_to: int | None = 2, **fields: Any) -> Tournament:
    """Nine holes until an hour from now, nine more from two hours from now on."""
    tournament = new_tournament(holes=18, **fields)
    set_rounds(tournament, (-1, 1), (2, 3), cut_to=cut_to)
    return tournament


def score(entry: Entry, *strokes: int, first: int = 1) -> Entry:
    """Let a director give an entry results."""
    for number, each in enumerate(strokes, first):
        give(entry, number, strokes=each, app_score=350 - 20 * each)
    services.refresh_entry(entry_id=entry.pk)
    return entry


def cut(tournament: Tournament) -> int:
    return services.make_cuts(now=timezone.now())


def statuses(*entries: Entry) -> list[tuple[str, int | None]]:
    found = {entry.pk: entry for entry in Entry.objects.all()}
    return [(found[entry.pk].status, found[entry.pk].cut_after) for entry in entries]


IN, OUT = ("active", None), ("cut", 1)


def test_the_best_go_on_and_ties_at_the_last_place_with_them() -> None:
    tournament = two_rounds(cut_to=2)
    a, b, c, d, e = (new_entry(tournament) for _ in range(5))
    for entry, strokes in ((a, 4), (b, 5), (c, 5), (d, 6)):
        score(entry, *[strokes] * 9)
    score(e, *[0] * 8)  # the best of all so far, but one hole is missing
    assert cut(tournament) == 0
    let_time_pass(tournament, by=timedelta(hours=1))
    version = tournament.board_version
    assert (cut(tournament), cut(tournament)) == (1, 0)
    assert statuses(a, b, c, d, e) == [IN, IN, IN, OUT, OUT]
    tournament.refresh_from_db()
    assert tournament.board_version == version + 1
    # Making everything anew changes nothing.
    for entry in (a, d):
        services.refresh_entry(entry_id=entry.pk)
    assert statuses(a, d) == [IN, OUT]


def test_who_missed_the_cut_does_not_play_on() -> None:
    tournament = two_rounds(cut_to=1)
    through, out = score(new_entry(tournament), *[4] * 9), score(new_entry(tournament), *[5] * 9)
    let_time_pass(tournament, by=timedelta(hours=2, minutes=1))
    # No director has come by: the first start makes the cut.
    with pytest.raises(services.TournamentError, match=r"^missed_cut$"):
        services.start_hole(entry=out, number=10)
    assert services.start_hole(entry=through, number=10).game is not None
    assert Round.objects.get(tournament=tournament, number=1).cut_at is not None


def test_reading_late_makes_the_cut() -> None:
    tournament = two_rounds(cut_to=1)
    through, out = score(new_entry(tournament), *[4] * 9), score(new_entry(tournament), *[5] * 9)
    let_time_pass(tournament, by=timedelta(hours=2, minutes=1))
    services.close_while_reading(tournament=tournament, now=timezone.now())
    assert statuses(through, out) == [IN, OUT]


def test_the_cut_waits_for_holes_in_progress_and_for_who_has_more_time() -> None:
    tournament = two_rounds(cut_to=1)
    early = score(new_entry(tournament), *[4] * 9)
    slow = score(new_entry(tournament), *[1] * 8)
    game = start(slow, 9)
    until = Round.objects.get(tournament=tournament, number=1).closes_at + timedelta(minutes=90)
    extend(slow, until)
    let_time_pass(tournament, by=timedelta(hours=2, minutes=1))
    assert cut(tournament) == 0
    with pytest.raises(services.TournamentError, match=r"^cut_pending$"):
        services.start_hole(entry=early, number=10)
    play(game, first_legal(game)[4:])
    assert cut(tournament) == 1
    assert statuses(early, slow).count(IN) == 1


def test_who_has_more_time_and_needs_it_not_holds_up_nobody() -> None:
    tournament = two_rounds(cut_to=1)
    done = score(new_entry(tournament), *[4] * 9)
    extend(done, tournament.closes_at + timedelta(hours=3))
    let_time_pass(tournament, by=timedelta(hours=1))
    assert cut(tournament) == 1
    # Nor does the time that is left let anybody play a round that was cut.
    late = new_entry(tournament)
    extend(late, tournament.closes_at + timedelta(hours=3))
    with pytest.raises(services.TournamentError, match=r"^round_closed$"):
        services.start_hole(entry=late, number=1)


def test_a_void_hole_counts_for_no_cut() -> None:
    tournament = two_rounds(cut_to=1)
    a = score(new_entry(tournament), *[9, 1, 1, 1, 1, 1, 1, 1, 1])
    b = score(new_entry(tournament), *[0, 2, 2, 2, 2, 2, 2, 2, 2])
    c = score(new_entry(tournament), *[1] * 8, first=2)
    Hole.objects.filter(tournament=tournament, number=1).update(is_void=True)
    let_time_pass(tournament, by=timedelta(hours=1))
    assert cut(tournament) == 1
    assert statuses(a, b, c) == [IN, OUT, IN]


def test_who_is_out_takes_nobodys_place_and_stays_what_he_is() -> None:
    tournament = two_rounds(cut_to=1)
    gone, unranked, first, second = (new_entry(tournament) for _ in range(4))
    for entry, strokes in ((gone, 1), (unranked, 2), (first, 3), (second, 4)):
        score(entry, *[strokes] * 9)
    Entry.objects.filter(pk=gone.pk).update(status=Entry.Status.DISQUALIFIED)
    Entry.objects.filter(pk=unranked.pk).update(status=Entry.Status.UNRANKED)
    let_time_pass(tournament, by=timedelta(hours=1))
    assert cut(tournament) == 1
    assert statuses(gone, unranked, first, second) == [
        ("disqualified", None), ("unranked", None), IN, OUT,
    ]  # fmt: skip


def test_a_damaged_hole_costs_nobody_the_cut() -> None:
    tournament = two_rounds(cut_to=1)
    unlucky, first, second = (new_entry(tournament) for _ in range(3))
    score(unlucky, *[1] * 8)
    damage(start(unlucky, 9))
    for entry, strokes in ((first, 3), (second, 4)):
        score(entry, *[strokes] * 9)
    let_time_pass(tournament, by=timedelta(hours=1))
    assert (close_games(), cut(tournament)) == (1, 1)
    assert statuses(unlucky, first, second) == [IN, IN, OUT]


@pytest.mark.parametrize(("unplayed", "late"), [("no_place", ("cut", 2)), ("worst", IN)])
def test_holes_that_were_missed_in_a_round_before_count_as_in_the_end(
    unplayed: str, late: tuple[str, int | None]
) -> None:
    tournament = new_tournament(holes=27, unplayed=unplayed)
    set_rounds(tournament, (-4, -3), (-2, -1), (1, 2))
    Round.objects.filter(tournament=tournament, number=2).update(cut_to=2)
    a, b = (score(new_entry(tournament), *[4] * 18) for _ in range(2))
    came_late = score(new_entry(tournament), *[0] * 9, first=10)
    score(came_late, *[0] * 8)  # one hole of the first round was missed
    assert cut(tournament) == 1
    # Eight holes in none and one in 35 are 35 and first; the two others share the second place.
    assert statuses(a, b, came_late) == [IN, IN, late]


def test_the_figure_that_ranks_makes_the_cut() -> None:
    tournament = two_rounds(cut_to=1, rank_by=Tournament.RankBy.APP_SCORE)
    a, b = score(new_entry(tournament), *[4] * 9), score(new_entry(tournament), *[5] * 9)
    for number in (1, 2):
        give(b, number, strokes=5, app_score=350)
    services.refresh_entry(entry_id=b.pk)
    let_time_pass(tournament, by=timedelta(hours=1))
    assert cut(tournament) == 1
    assert statuses(a, b) == [OUT, IN]


def test_there_is_no_cut_after_the_last_round_or_where_none_is_wanted() -> None:
    tournament = two_rounds(cut_to=None)
    Round.objects.filter(tournament=tournament, number=2).update(cut_to=1)
    entries = [score(new_entry(tournament), *[4] * 18), score(new_entry(tournament), *[5] * 18)]
    let_time_pass(tournament)
    assert cut(tournament) == 0
    assert services.close_due(now=timezone.now()) == 1
    assert statuses(*entries) == [IN, IN]


def test_a_cut_that_fails_is_made_whole_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tournament = two_rounds(cut_to=1)
    entries = [score(new_entry(tournament), *[4 + n] * 9) for n in range(2)]
    let_time_pass(tournament, by=timedelta(hours=1))

    def broken(round_: Round) -> list[int]:
        raise OSError("odd")

    with monkeypatch.context() as patch:
        patch.setattr(closing, "_missed", broken)
        assert [cut(tournament) for _ in range(2)] == [0, 0]
    assert caplog.messages == [f"Round 1 of tournament {tournament.pk} was not cut: OSError"]
    assert (statuses(*entries), cut(tournament)) == ([IN, IN], 1)
    assert statuses(*entries) == [IN, OUT]


def test_both_rounds_are_played_by_who_goes_on() -> None:
    tournament = two_rounds(cut_to=1)
    winner, loser = new_entry(tournament), new_entry(tournament)
    play_holes(winner, last=9)
    play_hole(loser, 1)
    let_time_pass(tournament, by=timedelta(hours=2, minutes=1))
    play_holes(winner, first=10, last=18)
    let_time_pass(tournament)
    assert services.close_due(now=timezone.now()) == 1
    winner.refresh_from_db()
    assert (winner.thru, statuses(winner, loser)) == (18, [IN, OUT])
