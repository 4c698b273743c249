"""What directors decide: each decision a row, the figures what all of them make, none twice."""

import contextlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from games import services as games_services
from games.engine import CLASSIC, EASY, RuleSet
from games.models import Game, Player
from tournaments import selectors, services
from tournaments.models import (
    Correction,
    DealOpening,
    Division,
    Entry,
    Hole,
    HoleResult,
    Membership,
    Tournament,
)
from tournaments.scorecard import Totals
from tournaments.selectors.trace import Topic, seen_of

from .factories import (
    codes_of,
    first_legal,
    let_time_pass,
    new_entry,
    new_player,
    new_tournament,
    play,
    play_hole,
    play_holes,
)
from .test_services import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def director() -> Player:
    return new_player("Dora")


@pytest.fixture
def entry(tournament: Tournament) -> Entry:
    """Two holes played, seven to come."""
    return play_holes(new_entry(tournament, "Ann"), last=2)


def in_status(tournament: Tournament, status: str) -> Tournament:
    Tournament.objects.filter(pk=tournament.pk).update(status=status)
    tournament.refresh_from_db()
    return tournament


def closed(tournament: Tournament) -> Tournament:
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    return in_status(tournament, Tournament.Status.CLOSED)


def result(entry: Entry, number: int) -> HoleResult | None:
    return HoleResult.objects.filter(entry=entry, hole__number=number).first()


def figures(entry: Entry, number: int) -> tuple[Any, ...]:
    found = HoleResult.objects.get(entry=entry, hole__number=number)
    return found.strokes, found.app_score, found.is_final, found.is_corrected


def adjust(entry: Entry, number: int, by: Player, **fields: Any) -> Correction:
    values: dict[str, Any] = {"strokes": 4, "app_score": 310, "reason": "Miscounted"}
    return services.adjust_hole(entry=entry, number=number, by=by, **{**values, **fields})


def row_of(row: Correction) -> tuple[Any, ...]:
    number = None if row.hole is None else row.hole.number
    return row.kind, row.entry, number, row.by, row.reason, row.before, row.after


def everything() -> list[Any]:
    """All that a decision may change, and the decisions."""
    return [
        list(model.objects.order_by("pk").values())
        for model in (Correction, Entry, Hole, HoleResult, Game, Tournament)
    ]


# --- a hole ------------------------------------------------------------------------------------


def test_an_adjustment_is_a_row_and_flows_into_every_figure(entry: Entry, director: Player) -> None:
    played = [figures(entry, number) for number in (1, 2)]
    before = timezone.now()
    row = adjust(entry, 1, director)
    assert row_of(row) == (
        "adjust",
        entry,
        1,
        director,
        "Miscounted",
        {"strokes": played[0][0], "app_score": played[0][1]},
        {"strokes": 4, "app_score": 310},
    )
    assert before <= row.at <= timezone.now()
    assert figures(entry, 1) == (4, 310, True, True)
    entry.refresh_from_db()
    strokes, app_score = 4 + played[1][0], 310 + played[1][1]
    assert entry.totals == Totals(2, strokes, strokes - 10, app_score)
    assert entry.corrections == 1


def test_an_adjustment_is_never_counted_twice(entry: Entry, director: Player) -> None:
    second = figures(entry, 2)
    for strokes in (7, 7, 3):
        adjust(entry, 1, director, strokes=strokes, reason=f"To {strokes}")
    services.recompute(tournament=entry.tournament)
    services.recompute(tournament=entry.tournament)
    entry.refresh_from_db()
    assert (entry.thru, entry.strokes) == (2, 3 + second[0])
    assert [row.after["strokes"] for row in Correction.objects.all()] == [7, 3]


def test_an_adjustment_is_taken_back(entry: Entry, director: Player) -> None:
    totals, played = entry.totals, figures(entry, 1)
    adjust(entry, 1, director)
    row = services.restore_hole(entry=entry, number=1, by=director, reason="Right after all")
    assert row_of(row)[5:] == (
        {"strokes": 4, "app_score": 310},
        {"strokes": played[0], "app_score": played[1]},
    )
    entry.refresh_from_db()
    assert (entry.totals, entry.corrections, figures(entry, 1)) == (totals, 2, played)
    with refused("unchanged"):
        services.restore_hole(entry=entry, number=1, by=director, reason="Again")
    with refused("unchanged"):
        services.restore_hole(entry=entry, number=5, by=director, reason="Never played")


def test_a_hole_that_nobody_played_gets_a_result_without_a_game(
    entry: Entry, director: Player
) -> None:
    totals = entry.totals
    row = adjust(entry, 5, director)
    assert (row.before, result(entry, 5).game) == ({}, None)
    entry.refresh_from_db()
    assert (entry.thru, entry.strokes) == (3, totals.strokes + 4)
    row = services.restore_hole(entry=entry, number=5, by=director, reason="Not his hole")
    assert (row.after, result(entry, 5)) == ({}, None)
    entry.refresh_from_db()
    assert entry.totals == totals


def test_a_hole_in_play_is_not_adjusted_and_one_that_is_over_is(
    entry: Entry, director: Player
) -> None:
    game = services.start_hole(entry=entry, number=3).game
    play(game, first_legal(game)[:4])
    with refused("in_play"):
        adjust(entry, 3, director)
    assert Correction.objects.count() == 0
    actions = first_legal(game)
    game = play(game, actions[4:], announce=False)  # and its result was never recorded
    row = adjust(entry, 3, director)
    assert row.before == {"strokes": game.strokes, "app_score": game.app_score}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"strokes": -1}, {"strokes": ["strokes_range"]}),
        ({"strokes": 36}, {"strokes": ["strokes_range"]}),
        ({"app_score": -1}, {"app_score": ["app_score_range"]}),
        ({"app_score": 351}, {"app_score": ["app_score_range"]}),
        (
            {"strokes": 99, "app_score": 999},
            {"strokes": ["strokes_range"], "app_score": ["app_score_range"]},
        ),
        ({"reason": ""}, {"reason": ["reason_required"]}),
        ({"reason": " \n "}, {"reason": ["reason_required"]}),
        ({"reason": "x" * 301}, {"reason": ["reason_long"]}),
        ({"reason": "so\u202ewhat"}, {"reason": ["characters"]}),
        ({"reason": "so\x00what"}, {"reason": ["characters"]}),
        ({"reason": "so\x1bwhat"}, {"reason": ["characters"]}),
        ({"reason": "so\u200fwhat"}, {"reason": ["characters"]}),
    ],
)
def test_bad_input_is_refused_at_its_field_and_nothing_is_changed(
    entry: Entry, director: Player, fields: dict[str, Any], expected: dict[str, list[str]]
) -> None:
    before = everything()
    with pytest.raises(ValidationError) as error:
        adjust(entry, 1, director, **fields)
    assert codes_of(error.value) == expected
    assert everything() == before


@pytest.mark.parametrize(("strokes", "app_score"), [(0, 350), (35, 0)])
def test_the_ends_of_the_range_are_in_it(
    entry: Entry, director: Player, strokes: int, app_score: int
) -> None:
    adjust(entry, 1, director, strokes=strokes, app_score=app_score, reason="x" * 300)
    assert figures(entry, 1) == (strokes, app_score, True, True)


@pytest.mark.parametrize(
    ("rules", "lowest"),
    [(EASY, -16), (RuleSet(jokers=2), -18), (RuleSet(jokers=1, waste="empty"), -18)],
)
def test_below_par_a_hole_takes_as_little_as_minus_the_stock(
    director: Player, rules: RuleSet, lowest: int
) -> None:
    tournament = new_tournament(rules=rules, strokes_kind="below_par")
    entry = new_entry(tournament)
    assert services.lowest_strokes(tournament=tournament) == lowest
    with pytest.raises(ValidationError, match=f"from {lowest} to 35"):
        adjust(entry, 1, director, strokes=lowest - 1)
    adjust(entry, 1, director, strokes=lowest)
    entry.refresh_from_db()
    assert entry.to_par == lowest - 5


def test_a_reason_is_kept_in_one_line(entry: Entry, director: Player) -> None:
    assert adjust(entry, 1, director, reason="  two\nlines \t of it ").reason == "two lines of it"


def test_there_is_no_such_hole(entry: Entry, director: Player) -> None:
    with refused("no_such_hole"):
        adjust(entry, 10, director)
    with refused("no_such_hole"):
        services.void_hole(tournament=entry.tournament, number=0, by=director, reason="x")


# --- a hole for all ------------------------------------------------------------------------------


def test_a_void_hole_counts_for_nobody_and_its_par_neither(
    tournament: Tournament, entry: Entry, director: Player, notices: list[tuple[str, int]],
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    other = play_holes(new_entry(tournament, "Bo"), last=1)
    idle = new_entry(tournament, "Cy")
    totals = {row.pk: row.totals for row in (entry, other, idle)}
    second = HoleResult.objects.select_related("game").get(entry=entry, hole__number=2)
    first_time = HoleResult.objects.get(entry=entry, hole__number=1).game.time_ms
    with django_capture_on_commit_callbacks(execute=True):
        row = services.void_hole(tournament=tournament, number=1, by=director, reason="Misdealt")
    assert row_of(row) == (
        "void", None, 1, director, "Misdealt", {"is_void": False}, {"is_void": True},
    )  # fmt: skip
    tournament.refresh_from_db()
    assert notices == [(f"tournament:{tournament.slug}", tournament.board_version)]
    assert list(tournament.holes.filter(is_void=True).values_list("number", flat=True)) == [1]
    for each in (entry, other, idle):
        each.refresh_from_db()
    assert entry.totals == Totals(1, second.strokes, second.strokes - 5, second.app_score)
    assert entry.time_ms == second.game.time_ms
    assert (other.totals, idle.totals) == (Totals(), Totals())
    assert entry.corrections == 0
    assert result(entry, 1).is_final
    services.unvoid_hole(tournament=tournament, number=1, by=director, reason="Dealt well")
    for each in (entry, other, idle):
        each.refresh_from_db()
        assert each.totals == totals[each.pk]
    assert entry.time_ms == second.game.time_ms + first_time
    with refused("unchanged"):
        services.unvoid_hole(tournament=tournament, number=1, by=director, reason="Once more")


def test_a_hole_that_ends_after_it_was_voided_does_not_count(
    tournament: Tournament, director: Player
) -> None:
    entry = play_holes(new_entry(tournament), last=1)
    game = services.start_hole(entry=entry, number=2).game
    services.void_hole(tournament=tournament, number=2, by=director, reason="Misdealt")
    play(game, first_legal(game))
    entry.refresh_from_db()
    first = result(entry, 1)
    assert entry.totals == Totals(1, first.strokes, first.strokes - 5, first.app_score)


def test_voiding_takes_the_same_queries_for_one_entry_and_for_three(
    tournament: Tournament, director: Player, django_assert_max_num_queries: Any
) -> None:
    def queries() -> int:
        with django_assert_max_num_queries(40) as captured:
            services.void_hole(tournament=tournament, number=1, by=director, reason="Misdealt")
        services.unvoid_hole(tournament=tournament, number=1, by=director, reason="Not so")
        return len(captured)

    play_hole(new_entry(tournament), 1)
    one = queries()
    for _ in range(2):
        play_hole(new_entry(tournament), 1)
    assert queries() == one


# --- an entry ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decide", "status"),
    [
        (services.disqualify, "disqualified"),
        (services.withdraw_entry, "withdrawn"),
        (services.hide_entry, "removed"),
    ],
)
def test_an_entry_is_taken_out_and_brought_back_with_all_it_had(
    entry: Entry, director: Player, decide: Any, status: str
) -> None:
    totals = entry.totals
    row = decide(entry=entry, by=director, reason="Because")
    assert row_of(row)[5:] == ({"status": "active"}, {"status": status})
    entry.refresh_from_db()
    assert (entry.status, entry.totals, entry.results.count()) == (status, totals, 2)
    row = services.reinstate(entry=entry, by=director, reason="Heard him")
    assert row_of(row)[5:] == ({"status": status}, {"status": "active"})
    entry.refresh_from_db()
    assert (entry.status, entry.corrections) == ("active", 2)
    with refused("unchanged"):
        services.reinstate(entry=entry, by=director, reason="Heard him twice")


def test_one_who_has_seen_the_deals_is_reinstated_without_a_rank(
    entry: Entry, director: Player
) -> None:
    DealOpening.objects.create(tournament=entry.tournament, player=entry.player, at=timezone.now())
    services.disqualify(entry=entry, by=director, reason="Because")
    services.reinstate(entry=entry, by=director, reason="Heard him")
    entry.refresh_from_db()
    assert entry.status == "unranked"


def test_a_removed_entry_is_not_on_the_board_but_its_rows_are_kept(
    tournament: Tournament, entry: Entry, director: Player
) -> None:
    services.hide_entry(entry=entry, by=director, reason="Entered twice")
    assert selectors.leaderboard(tournament=tournament).rows == ()
    assert (entry.results.count(), Game.objects.count()) == (2, 2)


def test_a_player_is_added_whoever_he_is(tournament: Tournament, director: Player) -> None:
    Tournament.objects.filter(pk=tournament.pk).update(
        most_entries=0, entries_close_at=timezone.now() - timedelta(hours=1)
    )
    new_entry(new_tournament(), "Ann")
    player = new_player("Bo")
    division = Division.objects.create(tournament=tournament, name="Seniors")
    row = services.add_player(
        tournament=tournament, player=player, by=director, reason="Late bus", division=division
    )
    entry = Entry.objects.get(player=player)
    assert row_of(row) == ("add", entry, None, director, "Late bus", {}, {"status": "active"})
    assert (entry.name, entry.division, entry.status, entry.corrections) == (
        "Bo", division, "active", 1,
    )  # fmt: skip
    play_hole(entry, 1)


def test_a_player_is_added_once_and_nobody_who_is_banned(
    tournament: Tournament, entry: Entry, director: Player
) -> None:
    def add(player: Player, **fields: Any) -> Correction:
        values = {"tournament": tournament, "by": director, "reason": "Late bus"}
        return services.add_player(player=player, **{**values, **fields})

    before = everything()
    with refused("already_entered"):
        add(entry.player)
    banned = new_player()
    Membership.objects.create(
        club=tournament.club, player=banned, name="B", name_key="b", status="banned"
    )
    with refused("banned"):
        add(banned)
    other = Division.objects.create(tournament=new_tournament(), name="Seniors")
    with refused("no_such_division"):
        add(new_player(), division=other)
    Division.objects.create(tournament=tournament, name="Seniors")
    with refused("division_needed"):
        add(new_player())
    assert everything()[:2] == before[:2]
    services.hide_entry(entry=entry, by=director, reason="Entered by mistake")
    with refused("already_entered"):
        add(entry.player)


def test_one_who_is_added_under_a_name_that_is_taken_is_numbered(
    tournament: Tournament, entry: Entry, director: Player
) -> None:
    row = services.add_player(
        tournament=tournament, player=new_player("Ann"), by=director, reason="Late bus"
    )
    assert row.entry.name == "Ann (2)"


def test_the_division_is_changed_and_comes_back_from_the_rows(
    tournament: Tournament, entry: Entry, director: Player
) -> None:
    men, seniors = (
        Division.objects.create(tournament=tournament, name=name) for name in ("Men", "Seniors")
    )
    Entry.objects.filter(pk=entry.pk).update(division=men)
    row = services.change_division(entry=entry, division=seniors, by=director, reason="He is 70")
    assert row_of(row)[5:] == (
        {"division": men.pk, "name": "Men"},
        {"division": seniors.pk, "name": "Seniors"},
    )
    entry.refresh_from_db()
    assert entry.division == seniors
    Entry.objects.filter(pk=entry.pk).update(division=men)
    services.recompute(tournament=tournament)
    entry.refresh_from_db()
    assert entry.division == seniors
    other = Division.objects.create(tournament=new_tournament(), name="Men")
    with refused("no_such_division"):
        services.change_division(entry=entry, division=other, by=director, reason="x")


def test_a_player_may_play_longer_than_the_others(entry: Entry, director: Player) -> None:
    closes_at = entry.tournament.closes_at
    until = closes_at + timedelta(hours=2)
    row = services.extend_window(entry=entry, until=until, by=director, reason="Power cut")
    assert row_of(row)[5:] == ({"until": closes_at.isoformat()}, {"until": until.isoformat()})
    entry.refresh_from_db()
    assert entry.extended_to == until
    row = services.extend_window(
        entry=entry, until=until + timedelta(hours=1), by=director, reason="Still dark"
    )
    assert row.before == {"until": until.isoformat()}


def test_who_was_given_more_time_plays_on_and_nothing_is_revealed(
    entry: Entry, director: Player
) -> None:
    tournament = entry.tournament
    game = services.start_hole(entry=entry, number=3).game
    other = new_entry(tournament, "Bo")
    until = tournament.closes_at + timedelta(hours=2)
    services.extend_window(entry=entry, until=until, by=director, reason="Power cut")
    game.refresh_from_db()
    assert game.closes_at == until
    after = tournament.closes_at + timedelta(minutes=1)
    assert services.close_due(now=after) == 0
    tournament.refresh_from_db()
    assert (tournament.ends_at, tournament.is_revealed) == (until, False)
    services.disqualify(entry=entry, by=director, reason="Late")
    tournament.refresh_from_db()
    assert tournament.ends_at == tournament.closes_at
    services.reinstate(entry=entry, by=director, reason="Heard him")
    tournament.refresh_from_db()
    game.refresh_from_db()
    assert (tournament.ends_at, game.closes_at) == (until, until)
    with refused("not_playing"):
        services.withdraw_entry(entry=other, by=director, reason="Ill")
        services.extend_window(entry=other, until=until, by=director, reason="x")


def test_ones_own_time_is_extended_too(director: Player) -> None:
    now = timezone.now()
    tournament = new_tournament(
        window="personal", personal_minutes=60, closes_at=now + timedelta(days=7)
    )
    entry = play_holes(new_entry(tournament), last=1)
    until = entry.started_at + timedelta(minutes=90)
    row = services.extend_window(entry=entry, until=until, by=director, reason="Power cut")
    assert row.before == {"until": (entry.started_at + timedelta(minutes=60)).isoformat()}
    game = services.start_hole(entry=entry, number=2).game
    assert game.closes_at == until
    with pytest.raises(ValidationError, match="no more time"):
        services.extend_window(
            entry=entry, until=until - timedelta(minutes=45), by=director, reason="Less"
        )


def test_the_hole_of_one_who_is_withdrawn_is_closed_where_it_lies(
    entry: Entry, director: Player
) -> None:
    game = services.start_hole(entry=entry, number=3).game
    play(game, first_legal(game)[:4])
    services.withdraw_entry(entry=entry, by=director, reason="Ill")
    services.close_due(now=timezone.now())
    game.refresh_from_db()
    assert game.closes_at <= timezone.now()


def test_a_damaged_hole_is_given_a_result(entry: Entry, director: Player) -> None:
    game = services.start_hole(entry=entry, number=3).game
    Game.objects.filter(pk=game.pk).update(damaged_at=timezone.now())
    assert adjust(entry, 3, director).before == {}
    assert figures(entry, 3) == (4, 310, True, True)


def test_an_extension_gives_time_and_not_too_much(entry: Entry, director: Player) -> None:
    closes_at = entry.tournament.closes_at
    for until, code in {
        timezone.now() - timedelta(hours=3): "until_early",
        closes_at: "until_early",
        closes_at + timedelta(days=31, seconds=1): "until_late",
    }.items():
        with pytest.raises(ValidationError) as error:
            services.extend_window(entry=entry, until=until, by=director, reason="x")
        assert codes_of(error.value) == {"until": [code]}
    services.withdraw_entry(entry=entry, by=director, reason="Ill")
    with refused("not_playing"):
        services.extend_window(
            entry=entry, until=closes_at + timedelta(hours=1), by=director, reason="x"
        )


# --- when ----------------------------------------------------------------------------------------


def decisions(entry: Entry, director: Player) -> dict[str, Any]:
    """Every decision that there is, ready to be made."""
    who = {"by": director, "reason": "Because"}
    tournament = entry.tournament
    division = Division.objects.create(tournament=tournament, name="Seniors")
    until = tournament.closes_at + timedelta(days=1)
    add = {"tournament": tournament, "division": division, **who}
    return {
        "adjust": lambda: adjust(entry, 1, director),
        "restore": lambda: services.restore_hole(entry=entry, number=1, **who),
        "void": lambda: services.void_hole(tournament=tournament, number=1, **who),
        "unvoid": lambda: services.unvoid_hole(tournament=tournament, number=1, **who),
        "disqualify": lambda: services.disqualify(entry=entry, **who),
        "reinstate": lambda: services.reinstate(entry=entry, **who),
        "withdraw": lambda: services.withdraw_entry(entry=entry, **who),
        "remove": lambda: services.hide_entry(entry=entry, **who),
        "division": lambda: services.change_division(entry=entry, division=division, **who),
        "reinstate again": lambda: services.reinstate(entry=entry, **who),
        "extend": lambda: services.extend_window(entry=entry, until=until, **who),
        "add": lambda: services.add_player(player=new_player(), **add),
    }


@pytest.mark.parametrize("status", ["draft", "final"])
def test_nothing_is_corrected_in_a_draft_and_in_what_is_final(
    entry: Entry, director: Player, status: str
) -> None:
    in_status(entry.tournament, status)
    kinds = decisions(entry, director)
    before = everything()
    for decide in kinds.values():
        with refused(status):
            decide()
    assert everything() == before


@pytest.mark.parametrize("status", ["closed", "review"])
def test_after_the_reveal_all_but_more_play_is_corrected(
    entry: Entry, director: Player, status: str
) -> None:
    in_status(closed(entry.tournament), status)
    kinds = decisions(entry, director)
    for name in ("add", "extend"):
        with refused("revealed"):
            kinds.pop(name)()
    made = [decide().kind for decide in kinds.values()]
    assert made == [name.split()[0] for name in kinds]


def test_while_it_is_open_everything_is_corrected(entry: Entry, director: Player) -> None:
    assert set(Correction.Kind.values) == {
        decide().kind for decide in decisions(entry, director).values()
    }


def test_who_makes_it_final_meanwhile_is_noticed_before_the_end(
    entry: Entry, director: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row is written, then the status changes: nothing of the decision is left."""
    from tournaments.services import corrections

    refresh = corrections.refresh_entry

    def finalise(*, entry_id: int) -> int:
        in_status(entry.tournament, "final")
        return refresh(entry_id=entry_id)

    before = everything()
    monkeypatch.setattr(corrections, "refresh_entry", finalise)
    with refused("final"):
        services.disqualify(entry=entry, by=director, reason="Late")
    assert everything() == before


# --- two directors -------------------------------------------------------------------------------


def test_who_decides_on_what_he_saw_is_told_of_what_happened_meanwhile(
    tournament: Tournament, entry: Entry, director: Player
) -> None:
    other = new_player("Emil")
    hole = tournament.holes.get(number=1)
    seen = seen_of(topic=Topic.RESULT, entry=entry, hole=hole)
    adjust(entry, 1, director, strokes=3, seen=seen)
    with refused("changed_meanwhile"):
        adjust(entry, 1, other, strokes=6, seen=seen)
    assert figures(entry, 1)[0] == 3
    seen = seen_of(topic=Topic.RESULT, entry=entry, hole=hole)
    adjust(entry, 1, other, strokes=6, seen=seen)
    assert [(row.by, row.after["strokes"]) for row in Correction.objects.all()] == [
        (director, 3),
        (other, 6),
    ]
    assert figures(entry, 1)[0] == 6


def test_a_hole_that_was_played_meanwhile_has_changed(
    tournament: Tournament, entry: Entry, director: Player
) -> None:
    seen = seen_of(topic=Topic.RESULT, entry=entry, hole=tournament.holes.get(number=3))
    play_hole(entry, 3)
    with refused("changed_meanwhile"):
        adjust(entry, 3, director, seen=seen)


def test_a_decision_about_something_else_changes_nothing_of_what_was_seen(
    tournament: Tournament, entry: Entry, director: Player
) -> None:
    who = {"by": director, "reason": "Because"}
    seen = {
        topic: seen_of(topic=topic, entry=entry, hole=tournament.holes.get(number=1))
        for topic in Topic
    }
    other = new_entry(tournament, "Bo")
    division = Division.objects.create(tournament=tournament, name="Seniors")
    adjust(other, 1, director)
    adjust(entry, 2, director)
    services.void_hole(tournament=tournament, number=2, **who)
    services.disqualify(entry=other, **who)
    adjust(entry, 1, director, seen=seen[Topic.RESULT])
    services.void_hole(tournament=tournament, number=1, seen=seen[Topic.HOLE], **who)
    services.change_division(entry=entry, division=division, seen=seen[Topic.DIVISION], **who)
    services.extend_window(
        entry=entry,
        until=tournament.closes_at + timedelta(hours=1),
        seen=seen[Topic.WINDOW],
        **who,
    )
    services.disqualify(entry=entry, seen=seen[Topic.STATUS], **who)
    assert Correction.objects.count() == 9


def test_the_same_form_sent_twice_is_one_decision(entry: Entry, director: Player) -> None:
    seen = seen_of(topic=Topic.RESULT, entry=entry, hole=entry.tournament.holes.get(number=1))
    rows = [adjust(entry, 1, director, seen=seen) for _ in range(2)]
    assert rows[0] == rows[1]
    rows = [services.disqualify(entry=entry, by=director, reason="x", seen="0") for _ in range(2)]
    assert rows[0] == rows[1]
    rows = [services.reinstate(entry=entry, by=director, reason="x") for _ in range(2)]
    assert rows[0] == rows[1]
    rows = [
        services.void_hole(tournament=entry.tournament, number=1, by=director, reason="x", seen="0")
        for _ in range(2)
    ]
    assert rows[0] == rows[1]
    entry.refresh_from_db()
    assert (Correction.objects.count(), entry.corrections) == (4, 3)


# --- whatever happens ----------------------------------------------------------------------------

KINDS = (
    "adjust", "restore", "void", "unvoid", "disqualify", "reinstate", "withdraw", "remove",
    "division", "extend", "play",
)  # fmt: skip
STEPS = st.tuples(st.sampled_from(KINDS), st.integers(0, 1), st.integers(1, 3), st.integers(0, 35))


class Model:
    """A tournament of three holes and two entries, and what should have come of every step."""

    def __init__(self) -> None:
        self.tournament = new_tournament(holes=3)
        self.entries = [play_hole(new_entry(self.tournament), 1).entry for _ in range(2)]
        self.divisions = [
            Division.objects.create(tournament=self.tournament, name=name) for name in "AB"
        ]
        self.director = new_player()
        self.adjusted: dict[tuple[int, int], tuple[int, int]] = {}
        self.void: set[int] = set()
        self.steps = 0

    def take(self, kind: str, who: int, number: int, figure: int) -> None:
        """Take a step, or find that there is nothing to be done."""
        self.steps += 1
        entry = self.entries[who]
        key = entry.pk, number
        ruled: dict[str, Any] = {"by": self.director, "reason": f"Step {self.steps}"}
        hole = {"tournament": self.tournament, "number": number, **ruled}
        until = self.tournament.closes_at + timedelta(minutes=figure + 1)
        division = self.divisions[figure % 2]
        takes: dict[str, Callable[[], Any]] = {
            "adjust": lambda: self._adjust(entry, number, figure, **ruled),
            "restore": lambda: (
                services.restore_hole(entry=entry, number=number, **ruled),
                self.adjusted.pop(key),
            ),
            "void": lambda: (services.void_hole(**hole), self.void.add(number)),
            "unvoid": lambda: (services.unvoid_hole(**hole), self.void.remove(number)),
            "disqualify": lambda: services.disqualify(entry=entry, **ruled),
            "reinstate": lambda: services.reinstate(entry=entry, **ruled),
            "withdraw": lambda: services.withdraw_entry(entry=entry, **ruled),
            "remove": lambda: services.hide_entry(entry=entry, **ruled),
            "division": lambda: services.change_division(entry=entry, division=division, **ruled),
            "extend": lambda: services.extend_window(entry=entry, until=until, **ruled),
            "play": lambda: self._play(entry, number),
        }
        with contextlib.suppress(services.TournamentError):
            takes[kind]()

    def _adjust(self, entry: Entry, number: int, figure: int, **ruled: Any) -> None:
        adjust(entry, number, strokes=figure, app_score=figure * 10, **ruled)
        self.adjusted[entry.pk, number] = figure, figure * 10

    def _play(self, entry: Entry, number: int) -> None:
        game = services.start_hole(entry=entry, number=number).game
        if game is not None and game.finished_at is None:
            play(game, first_legal(game))

    def totals(self, entry: Entry) -> Totals:
        """What the entry's holes should add up to."""
        played = {
            row.hole.number: (row.game.strokes, row.game.app_score)
            for row in entry.results.select_related("game", "hole").exclude(game=None)
        }
        holes = [
            self.adjusted.get((entry.pk, number), played.get(number))
            for number in {1, 2, 3} - self.void
        ]
        counted = [figures for figures in holes if figures is not None]
        strokes = sum(figures[0] for figures in counted)
        app_score = sum(figures[1] for figures in counted)
        return Totals(len(counted), strokes, strokes - 5 * len(counted), app_score)


@settings(max_examples=20, deadline=None)
@given(steps=st.lists(STEPS, max_size=12))
def test_whatever_was_decided_recomputing_changes_nothing(
    steps: list[tuple[str, int, int, int]],
) -> None:
    model = Model()
    for step in steps:
        model.take(*step)
    for entry in model.entries:
        entry.refresh_from_db()
        assert entry.totals == model.totals(entry)
    before = everything()
    assert services.recompute(tournament=model.tournament).corrected == 0
    assert everything() == before


@settings(max_examples=20, deadline=None)
@given(steps=st.lists(STEPS, max_size=12))
def test_the_same_board_comes_from_the_journal_and_the_corrections(
    steps: list[tuple[str, int, int, int]],
) -> None:
    model = Model()
    for step in steps:
        model.take(*step)
    before = everything()
    rows = Entry.objects.filter(tournament=model.tournament)
    rows.filter(correction_rows__kind="division").update(division=model.divisions[0])
    rows.update(
        strokes=99, thru=9, to_par=7, app_score=1, time_ms=1, status="cut", extended_to=None,
        corrections=77,
    )  # fmt: skip
    Hole.objects.filter(tournament=model.tournament, number=1).update(is_void=True)
    Hole.objects.filter(tournament=model.tournament, number=2).update(is_void=False)
    results = HoleResult.objects.filter(entry__in=model.entries)
    results.filter(is_final=True).update(strokes=1, app_score=2, is_corrected=True)
    results.filter(game=None).delete()
    services.recompute(tournament=model.tournament)
    assert without_keys(everything()) == without_keys(before)


def without_keys(tables: list[Any]) -> list[Any]:
    """Results that directors gave get other keys when they are made anew; boards other versions."""
    entries = [{**row, "board_version": None} for row in tables[1]]
    results = [{**row, "id": None} for row in tables[3]]
    results.sort(key=lambda row: (row["entry_id"], row["hole_id"]))
    return [tables[0], entries, tables[2], results, tables[4]]


def test_a_recomputed_board_is_that_of_classic_rules_too(director: Player) -> None:
    tournament = new_tournament(rules=CLASSIC, strokes_kind="below_par")
    entry = play_holes(new_entry(tournament), last=2)
    adjust(entry, 1, director, strokes=-3)
    services.restore_hole(entry=entry, number=1, by=director, reason="Not so")
    game = result(entry, 1).game
    games_services.refresh_figures(game_id=game.pk)
    assert figures(entry, 1)[:2] == (game.strokes_below_par, game.app_score)
