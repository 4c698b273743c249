"""Entering, starting holes in their windows, being given more time, withdrawing."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games import services as games_services
from games.models import Player
from tournaments import services
from tournaments.models import (
    Club,
    Correction,
    DealOpening,
    Device,
    Division,
    Entry,
    Hole,
    HoleResult,
    Membership,
    Tournament,
)
from tournaments.services import playing

from .factories import (
    closes_at,
    decide,
    extend,
    first_legal,
    let_time_pass,
    new_club,
    new_entry,
    new_player,
    new_tournament,
    play,
    play_hole,
    play_holes,
    set_rounds,
)

pytestmark = pytest.mark.django_db
Capture = Callable[..., Any]
MINUTE = timedelta(minutes=1)
Window = Tournament.Window


def refused(code: str) -> Any:
    return pytest.raises(services.TournamentError, match=f"^{code}$")


def enter(tournament: Tournament, player: Player | None = None, **options: Any) -> Entry:
    return services.enter(tournament=tournament, player=player or new_player(), **options)


def join(club: Club, player: Player, name: str, **fields: Any) -> Membership:
    return Membership.objects.create(
        club=club, player=player, name=name, name_key=services.name_key(name), **fields
    )


# --- who may enter, and when -------------------------------------------------------------------


def test_a_club_keeps_out_guests_strangers_and_who_is_banned() -> None:
    club = new_club(guests_welcome=False, joining=Club.Joining.LINK)
    tournament = new_tournament(club=club)
    account = games_services.sign_up(username="ann", name="Ann", password="quiet-otter-31")
    with refused("guests_not_welcome"):
        enter(tournament)
    with refused("members_only"):
        enter(tournament, account)
    membership = join(club, account, "Ann", status=Membership.Status.BANNED)
    with refused("banned"):
        enter(tournament, account)
    Membership.objects.filter(pk=membership.pk).update(status=Membership.Status.ACTIVE)
    assert enter(tournament, account).player == account
    assert Entry.objects.count() == 1


def test_a_draft_cannot_be_entered() -> None:
    tournament = new_tournament()
    Tournament.objects.update(status=Tournament.Status.DRAFT)
    with refused("not_published"):
        enter(tournament)


@pytest.mark.parametrize("status", ["closed", "review", "final"])
def test_nobody_enters_what_is_over(status: str) -> None:
    tournament = new_tournament()
    Tournament.objects.update(status=status)
    with refused("closed"):
        enter(tournament)


def test_late_entry_until_a_stated_time() -> None:
    tournament = new_tournament(entries_close_at=timezone.now() + MINUTE)
    early = enter(tournament)
    let_time_pass(tournament, by=MINUTE)
    with refused("entries_closed"):
        enter(tournament)
    # Who is in stays in, and may start.
    assert enter(tournament, early.player) == early
    assert services.start_hole(entry=early, number=1).game is not None


def test_a_shotgun_is_entered_before_its_start_alone() -> None:
    opens_at = timezone.now() + MINUTE
    tournament = new_tournament(window=Window.SHOTGUN, opens_at=opens_at)
    entry = enter(tournament)
    with refused("not_started"):
        services.start_hole(entry=entry, number=1)
    let_time_pass(tournament, by=MINUTE)
    with refused("entries_closed"):
        enter(tournament)
    assert services.start_hole(entry=entry, number=1).game is not None


def test_a_shotgun_may_allow_late_entry() -> None:
    late = timezone.now() + MINUTE
    tournament = new_tournament(window=Window.SHOTGUN, entries_close_at=late)
    assert services.start_hole(entry=enter(tournament), number=1).game is not None


def test_the_last_place_is_taken_once_and_who_leaves_makes_room() -> None:
    tournament = new_tournament(most_entries=2)
    first, second = enter(tournament), enter(tournament)
    with refused("full"):
        enter(tournament)
    assert enter(tournament, first.player) == first
    play_hole(second, 1)
    services.withdraw(entry=second)
    assert enter(tournament).status == "active"
    with refused("full"):
        enter(tournament)


def test_a_division_is_chosen_where_there_are_any() -> None:
    tournament, other = new_tournament(), new_tournament()
    player = new_player()
    assert enter(other, player).division is None
    seniors = Division.objects.create(tournament=tournament, name="Seniors")
    with refused("division_needed"):
        enter(tournament, player)
    with refused("no_such_division"):
        enter(other, new_player(), division=seniors)
    assert enter(tournament, player, division=seniors).division == seniors


def test_who_has_seen_the_deals_plays_without_a_place() -> None:
    tournament, player = new_tournament(), new_player()
    DealOpening.objects.create(tournament=tournament, player=player, at=timezone.now())
    entry = enter(tournament, player)
    assert entry.status == "unranked"
    play_hole(entry, 1)
    entry.refresh_from_db()
    assert (entry.status, entry.thru) == ("unranked", 1)


def test_there_is_no_way_back_in() -> None:
    tournament = new_tournament()
    for kind, code in (("withdraw", "withdrawn"), ("remove", "removed")):
        entry = decide(enter(tournament), kind)
        with refused(code):
            enter(tournament, entry.player)
    # Who was disqualified sees the card, and plays no more.
    out = decide(enter(tournament), "disqualify")
    assert enter(tournament, out.player) == out


# --- names -------------------------------------------------------------------------------------


def test_members_play_under_their_name_in_the_club() -> None:
    club = new_club()
    member, former, guest = (new_player(name) for name in ("Ann B", "Bo B", "Cy"))
    join(club, member, "Ann")
    join(club, former, "Bo", status=Membership.Status.LEFT)
    tournament = new_tournament(club=club)
    names = [enter(tournament, player).name for player in (member, former, guest)]
    assert names == ["Ann", "Bo B", "Cy"]


def test_look_alike_names_are_numbered() -> None:
    tournament = new_tournament()
    players = [new_player(name) for name in ("Ann", "ANN", "Ann (2)", "ann")]
    entries = [enter(tournament, player) for player in players]
    assert [entry.name for entry in entries] == ["Ann", "ANN (2)", "Ann (2) (2)", "ann (3)"]
    assert len({entry.name_key for entry in entries}) == 4


def test_the_longest_name_has_a_key_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = new_tournament()
    monkeypatch.setattr(playing, "_LONGEST_KEY", 59)  # and the name's key has 60
    players = [new_player("\N{LATIN SMALL LIGATURE FF}" * 30) for _ in range(3)]
    entries = [enter(tournament, player) for player in players]
    assert [len(entry.name_key) for entry in entries] == [64] * 3
    assert len({entry.name_key for entry in entries}) == 3


# --- windows -----------------------------------------------------------------------------------


def test_a_fixed_window_is_the_same_for_all(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament), last=2)
    assert {closes_at(entry, 1), closes_at(entry, 2)} == {tournament.closes_at}
    assert entry.started_at is not None


def test_a_personal_window_runs_from_the_first_hole() -> None:
    tournament = new_tournament(window=Window.PERSONAL, personal_minutes=30)
    entry = play_holes(new_entry(tournament), last=2)
    assert entry.started_at is not None
    end = entry.started_at + timedelta(minutes=30)
    assert {closes_at(entry, 1), closes_at(entry, 2)} == {end}
    let_time_pass(tournament, by=timedelta(minutes=29))
    services.start_hole(entry=entry, number=3)
    let_time_pass(tournament, by=MINUTE)
    with refused("time_over"):
        services.start_hole(entry=entry, number=4)
    # Somebody else's time has not begun.
    assert services.start_hole(entry=new_entry(tournament), number=1).game is not None


def test_a_personal_window_ends_with_the_tournament() -> None:
    tournament = new_tournament(window=Window.PERSONAL, personal_minutes=90)
    entry = play_holes(new_entry(tournament), last=1)
    assert closes_at(entry, 1) == tournament.closes_at
    let_time_pass(tournament)
    with refused("closed"):
        services.start_hole(entry=entry, number=2)


def test_a_time_limit_for_each_hole() -> None:
    tournament = new_tournament(hole_minutes=10)
    entry = new_entry(tournament)
    result = services.start_hole(entry=entry, number=1)
    started_at = games_services.start_clock(game_id=result.game.pk)
    assert closes_at(entry, 1) == started_at + timedelta(minutes=10)
    let_time_pass(tournament, by=timedelta(minutes=10))
    # Its time is over, though no director has come by: the next one can be started.
    assert services.start_hole(entry=entry, number=2).game is not None


def test_the_limit_of_a_hole_does_not_outlast_the_window() -> None:
    tournament = new_tournament(hole_minutes=120)
    entry = play_holes(new_entry(tournament), last=1)
    assert closes_at(entry, 1) == tournament.closes_at


def test_rounds_are_played_in_windows_of_their_own() -> None:
    tournament = new_tournament(holes=18)
    set_rounds(tournament, (-1, 1), (2, 3))
    entry = play_holes(new_entry(tournament), last=2)
    assert closes_at(entry, 1) == tournament.closes_at - timedelta(hours=2)
    with refused("round_not_started"):
        services.start_hole(entry=entry, number=10)
    let_time_pass(tournament, by=timedelta(hours=1, minutes=30))
    with refused("round_closed"):
        services.start_hole(entry=entry, number=3)
    with refused("round_not_started"):
        services.start_hole(entry=entry, number=10)
    let_time_pass(tournament, by=timedelta(hours=1))
    # The holes that were missed keep nobody from the next round.
    assert services.start_hole(entry=entry, number=10).game is not None
    assert closes_at(entry, 10) == tournament.closes_at
    with refused("previous_hole"):
        services.start_hole(entry=entry, number=11)


def test_rounds_that_overlap_are_played_in_order() -> None:
    tournament = new_tournament(holes=18)
    set_rounds(tournament, (-1, 1), (-1, 2))
    entry = play_holes(new_entry(tournament), last=8)
    with refused("previous_hole"):
        services.start_hole(entry=entry, number=10)
    play_hole(entry, 9)
    assert services.start_hole(entry=entry, number=10).game is not None


def test_one_s_own_minutes_begin_anew_in_each_round() -> None:
    tournament = new_tournament(holes=18, window=Window.PERSONAL, personal_minutes=30)
    set_rounds(tournament, (-1, 1), (2, 4))
    entry = play_holes(new_entry(tournament), last=9)
    let_time_pass(tournament, by=timedelta(hours=2))
    before = timezone.now()
    services.start_hole(entry=entry, number=10)
    assert timedelta(0) <= closes_at(entry, 10) - before - timedelta(minutes=30) < MINUTE


# --- what counts as played ---------------------------------------------------------------------


def give(entry: Entry, number: int) -> None:
    Correction.objects.create(
        tournament=entry.tournament,
        entry=entry,
        hole=Hole.objects.get(tournament=entry.tournament, number=number),
        kind=Correction.Kind.ADJUST,
        by=entry.player,
        at=timezone.now(),
        reason="Played on paper.",
        after={"strokes": 3, "app_score": 290},
    )
    services.refresh_entry(entry_id=entry.pk)


def test_a_hole_that_a_director_gave_is_played(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    give(entry, 1)
    assert services.start_hole(entry=entry, number=1).game is None
    assert services.start_hole(entry=entry, number=2).game is not None


def test_a_hole_in_progress_that_a_director_gave_is_played(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    services.start_hole(entry=entry, number=1)
    give(entry, 1)
    assert services.start_hole(entry=entry, number=2).game is not None


def test_a_void_hole_is_passed_over(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament), last=1)
    Hole.objects.filter(tournament=tournament, number=2).update(is_void=True)
    assert services.start_hole(entry=entry, number=3).game is not None
    # Whoever wants to plays it: a director may yet let it count again.
    assert services.start_hole(entry=entry, number=2).game is not None


def test_a_damaged_hole_keeps_nobody_from_the_next(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    result = services.start_hole(entry=entry, number=1)
    games_services.report_damaged(game_id=result.game.pk)
    assert services.start_hole(entry=entry, number=2).game is not None


@pytest.mark.parametrize(
    ("kind", "code"),
    [("withdraw", "withdrawn"), ("disqualify", "disqualified"), ("remove", "removed")],
)
def test_who_is_out_starts_no_hole(tournament: Tournament, kind: str, code: str) -> None:
    entry = decide(play_holes(new_entry(tournament), last=1), kind)
    with refused(code):
        services.start_hole(entry=entry, number=2)
    decide(entry, "reinstate")
    assert services.start_hole(entry=entry, number=2).game is not None


def test_who_is_banned_meanwhile_ends_the_hole_in_progress_and_starts_no_other(
    tournament: Tournament,
) -> None:
    ann = new_player("Ann")
    membership = join(tournament.club, ann, "Ann")
    entry = enter(tournament, ann)
    started = services.start_hole(entry=entry, number=1)
    Membership.objects.filter(pk=membership.pk).update(status=Membership.Status.BANNED)
    assert services.start_hole(entry=entry, number=1) == started
    play_hole(entry, 1)
    with refused("banned"):
        services.start_hole(entry=entry, number=2)
    assert HoleResult.objects.filter(entry=entry).count() == 1


def test_an_entry_that_was_taken_back_starts_no_hole(tournament: Tournament) -> None:
    entry = new_entry(tournament)
    services.remove_entry(entry=Entry.objects.get(pk=entry.pk))
    with refused("not_entered"):
        services.start_hole(entry=entry, number=1)


def test_a_hole_knows_on_which_browser_it_was_started(tournament: Tournament) -> None:
    phone, tablet = (Device.objects.create(key=key) for key in ("a" * 32, "b" * 32))
    entry = new_entry(tournament)
    services.start_hole(entry=entry, number=1, device=phone)
    # Going on elsewhere is no second start.
    assert services.start_hole(entry=entry, number=1, device=tablet).device == phone


# --- withdrawing -------------------------------------------------------------------------------


def test_before_the_first_hole_an_entry_is_taken_back_and_can_be_made_again(
    tournament: Tournament,
) -> None:
    entry = new_entry(tournament)
    services.withdraw(entry=entry)
    assert (Entry.objects.count(), Correction.objects.count()) == (0, 0)
    services.withdraw(entry=entry)
    assert enter(tournament, entry.player).status == "active"


def test_who_withdraws_is_out_for_good_with_a_trace(
    tournament: Tournament, told: list[tuple[int, int]], django_capture_on_commit_callbacks: Capture
) -> None:
    entry = play_holes(new_entry(tournament), last=1)
    game = services.start_hole(entry=entry, number=2).game
    actions = first_legal(game)[:4]
    left = play(game, actions).left
    with django_capture_on_commit_callbacks(execute=True):
        services.withdraw(entry=entry)
        services.withdraw(entry=entry)
    row = Correction.objects.get()
    assert (row.kind, row.by, row.entry, row.reason) == (
        "withdraw", entry.player, entry, "The player has withdrawn.",
    )  # fmt: skip
    assert (row.before, row.after) == ({"status": "active"}, {"status": "withdrawn"})
    assert told == [(entry.player_id, game.pk)]
    # The hole in progress is closed where it lies.
    assert services.close_games_due(now=timezone.now()) == 1
    game.refresh_from_db()
    entry.refresh_from_db()
    assert (game.state, game.left) == ("closed", left)
    assert (entry.status, entry.thru, entry.corrections) == ("withdrawn", 2, 1)


def test_who_withdraws_keeps_nothing_open(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament), last=1)
    extend(entry, tournament.closes_at + timedelta(hours=5))
    services.withdraw(entry=entry)
    tournament.refresh_from_db()
    assert tournament.extended_to is None


def test_who_was_put_out_cannot_leave(tournament: Tournament) -> None:
    for hole in (0, 1):
        entry = decide(play_holes(new_entry(tournament), last=hole), "disqualify")
        with refused("disqualified"):
            services.withdraw(entry=entry)
        entry.refresh_from_db()
        assert entry.status == "disqualified"


def test_nobody_leaves_what_is_over(tournament: Tournament) -> None:
    entries = [new_entry(tournament), play_holes(new_entry(tournament), last=1)]
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    for entry in entries:
        with refused("closed"):
            services.withdraw(entry=entry)
    assert set(Entry.objects.values_list("status", flat=True)) == {"active"}


def test_nobody_plays_after_the_reveal(tournament: Tournament) -> None:
    entry = play_holes(new_entry(tournament), last=1)
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    # Also if somebody were to move the window afterwards.
    Tournament.objects.update(closes_at=timezone.now() + timedelta(hours=1), closed_at=None)
    with refused("closed"):
        services.start_hole(entry=entry, number=2)
    assert HoleResult.objects.count() == 1
