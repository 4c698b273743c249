"""Two directors at the same moment, and a director and a player: nothing is lost or doubled."""

from typing import Any

import pytest
from django.utils import timezone

from games.models import Player
from tournaments import services
from tournaments.models import Correction, Entry, HoleResult, Tournament
from tournaments.selectors.trace import Topic, seen_of
from tournaments.services import TournamentError

from .factories import first_legal, let_time_pass, new_entry, new_player, new_tournament, play
from .factories import play_holes as played
from .test_concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def codes_of(outcomes: list[Any]) -> list[str]:
    """Refusals by their code, decisions by their kind; sorted."""
    return sorted(
        outcome.code if isinstance(outcome, TournamentError) else str(outcome.kind)
        for outcome in outcomes
    )


def directors(count: int) -> list[Player]:
    return [new_player(f"Director {number}") for number in range(count)]


def is_in_line(tournament: Tournament) -> bool:
    return services.recompute(tournament=tournament).corrected == 0


def test_two_adjust_one_hole_and_the_second_is_told() -> None:
    """Both saw the same. One decides; the other is told, confirms, and both rows stand."""
    for _ in range(5):
        entry = played(new_entry(new_tournament()), last=1)
        hole = entry.tournament.holes.get(number=1)
        seen = seen_of(topic=Topic.RESULT, entry=entry, hole=hole)
        works = {
            by: lambda by=by, strokes=strokes, seen=seen, entry=entry: services.adjust_hole(
                entry=entry, number=1, strokes=strokes, app_score=300, by=by,
                reason=f"To {strokes}", seen=seen,
            )
            for strokes, by in enumerate(directors(2), 3)
        }  # fmt: skip
        outcomes = dict(zip(works, at_once(*works.values()), strict=True))
        assert codes_of(list(outcomes.values())) == ["adjust", "changed_meanwhile"]
        late = next(by for by, made in outcomes.items() if isinstance(made, TournamentError))
        again = works[late](seen=seen_of(topic=Topic.RESULT, entry=entry, hole=hole))
        rows = list(Correction.objects.filter(entry=entry).order_by("pk"))
        assert [row.by for row in rows] == [by for by in works if by != late] + [late]
        assert rows[1] == again
        assert rows[1].before == rows[0].after
        result = HoleResult.objects.get(entry=entry)
        entry.refresh_from_db()
        assert result.strokes == entry.strokes == again.after["strokes"]
        assert entry.corrections == 2
        assert is_in_line(entry.tournament)


def test_decisions_about_different_things_are_all_made() -> None:
    tournament = new_tournament()
    entries = [played(new_entry(tournament), last=2) for _ in range(2)]
    by = directors(6)
    first, second = entries
    works = [
        lambda: services.adjust_hole(
            entry=first, number=1, strokes=3, app_score=320, by=by[0], reason="a", seen=None
        ),
        lambda: services.adjust_hole(
            entry=first, number=2, strokes=4, app_score=310, by=by[1], reason="b", seen=None
        ),
        lambda: services.disqualify(entry=first, by=by[2], reason="c", seen="0"),
        lambda: services.adjust_hole(
            entry=second, number=1, strokes=5, app_score=300, by=by[3], reason="d", seen=None
        ),
        lambda: services.void_hole(tournament=tournament, number=2, by=by[4], reason="e", seen="0"),
        lambda: services.void_hole(tournament=tournament, number=9, by=by[5], reason="f", seen="0"),
    ]
    outcomes = at_once(*works)
    assert codes_of(outcomes) == ["adjust", "adjust", "adjust", "disqualify", "void", "void"]
    for entry in entries:
        entry.refresh_from_db()
    assert (first.thru, first.strokes, first.status, first.corrections) == (1, 3, "disqualified", 3)
    assert (second.thru, second.strokes, second.corrections) == (1, 5, 1)
    assert list(tournament.holes.filter(is_void=True).values_list("number", flat=True)) == [2, 9]
    assert is_in_line(tournament)


def test_one_form_sent_four_times_is_one_decision() -> None:
    entry = played(new_entry(new_tournament()), last=1)
    director = new_player()
    rows = at_once(
        *[lambda: services.disqualify(entry=entry, by=director, reason="x", seen="0")] * 4
    )
    assert set(rows) == {Correction.objects.get()}
    entry.refresh_from_db()
    assert (entry.status, entry.corrections) == ("disqualified", 1)


def test_a_player_is_added_by_two_directors_once() -> None:
    tournament, player = new_tournament(), new_player("Ann")
    works = [
        lambda by=by: services.add_player(
            tournament=tournament, player=player, by=by, reason="Late bus"
        )
        for by in directors(3)
    ]
    assert codes_of(at_once(*works)) == ["add", "already_entered", "already_entered"]
    assert (Entry.objects.count(), Correction.objects.count()) == (1, 1)


def test_players_of_one_name_are_added_at_once() -> None:
    tournament, director = new_tournament(), new_player()
    works = [
        lambda player=player: services.add_player(
            tournament=tournament, player=player, by=director, reason="Late bus"
        )
        for player in [new_player("Ann") for _ in range(3)]
    ]
    assert codes_of(at_once(*works)) == ["add"] * 3
    assert sorted(Entry.objects.values_list("name", flat=True)) == ["Ann", "Ann (2)", "Ann (3)"]


def test_a_hole_is_either_adjusted_or_started_first() -> None:
    """Never both: either the player plays and the director is told, or it is no longer played."""
    for _ in range(5):
        entry = new_entry(new_tournament())
        director = new_player()

        def adjust(entry: Entry = entry, director: Player = director) -> Correction:
            return services.adjust_hole(
                entry=entry, number=1, strokes=9, app_score=260, by=director, reason="Tablet died"
            )

        started, decided = at_once(
            lambda entry=entry: services.start_hole(entry=entry, number=1), adjust
        )
        result = HoleResult.objects.get(entry=entry)
        if isinstance(decided, TournamentError):
            assert (decided.code, started.game, result.is_final) == ("in_play", result.game, False)
        else:
            assert (result.game, result.strokes, result.is_corrected) == (None, 9, True)
        assert is_in_line(entry.tournament)


def test_a_hole_that_ends_while_it_is_voided_is_counted_once() -> None:
    for _ in range(5):
        tournament = new_tournament()
        entries = [played(new_entry(tournament), last=1) for _ in range(3)]
        games = [services.start_hole(entry=entry, number=2).game for entry in entries]
        for game in games:
            play(game, first_legal(game), announce=False)
        director = new_player()
        works = [lambda game=game: services.record_result(game_id=game.pk) for game in games]
        at_once(
            *works,
            lambda tournament=tournament, director=director: services.void_hole(
                tournament=tournament, number=2, by=director, reason="Misdealt"
            ),
        )
        assert set(Entry.objects.filter(tournament=tournament).values_list("thru", flat=True)) == {
            1
        }
        assert is_in_line(tournament)


def test_what_is_decided_as_it_becomes_final_is_before_it_or_refused() -> None:
    for _ in range(5):
        tournament = new_tournament()
        entry = played(new_entry(tournament), last=1)
        services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
        Tournament.objects.filter(pk=tournament.pk).update(status="review")
        tournament.refresh_from_db()
        director = new_player()
        decided, is_final = at_once(
            lambda entry=entry, director=director: services.disqualify(
                entry=entry, by=director, reason="x", seen="0"
            ),
            lambda tournament=tournament: services.set_status(tournament=tournament, after="final"),
        )
        assert is_final is True
        entry.refresh_from_db()
        if isinstance(decided, TournamentError):
            assert (decided.code, entry.status) == ("final", "active")
            assert Correction.objects.filter(entry=entry).count() == 0
        else:
            assert entry.status == "disqualified"
