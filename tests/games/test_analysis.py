"""Best results: computed once, kept, and as secret as the deals."""

import threading
from collections.abc import Iterable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib import admin
from django.core.exceptions import SynchronousOnlyOperation
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from games import analysis, journal, services, solving
from games.engine import CLASSIC, EASY, Best, GameCode, Solution, solver
from games.journal import Row
from games.models import BestResult, Game
from tests.games.factories import PUBLISHED, PUBLISHED_LINE, new_game, new_player

pytestmark = pytest.mark.django_db

CLASSICAL = GameCode(1, CLASSIC, PUBLISHED.number)
OTHER = GameCode.parse("GO1-E-GOLFING")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[GameCode]:
    """The codes that the solver is asked for; it answers in this process."""
    codes: list[GameCode] = []

    def solve(given: Iterable[GameCode]) -> list[Solution]:
        given = list(given)
        codes.extend(given)
        return [solver.solve(code.deal(), code.rules) for code in given]

    monkeypatch.setattr(solving, "solve", solve)
    return codes


def finish(game: Game, actions: str) -> Game:
    """Store a whole game, and return it as it is then."""
    journal.write([Row(game.pk, turn, action, turn) for turn, action in enumerate(actions)])
    return services.refresh_figures(game_id=game.pk)


def test_a_result_is_computed_in_the_solvers_process_and_kept() -> None:
    result = analysis.best_of(code=PUBLISHED)
    solution = solver.solve(PUBLISHED.deal(), EASY)
    assert (result.best, result.line) == (solution.best, solution.line)
    assert result.best == Best(35, 7)
    assert (result.deal, result.rules) == ("GO1-AAAAAAB", "E")
    assert BestResult.objects.get() == result


def test_what_is_kept_is_not_computed_again(
    asked: list[GameCode], django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(3):
        first = analysis.best_of(code=PUBLISHED)
    with django_assert_num_queries(1):
        assert analysis.best_of(code=PUBLISHED) == first
    assert asked == [PUBLISHED]


def test_one_deal_has_a_result_for_each_rule_set(asked: list[GameCode]) -> None:
    found = analysis.bests_of(codes=[PUBLISHED, CLASSICAL])
    assert (found[PUBLISHED].best, found[CLASSICAL].best) == (Best(35, 7), Best(34, None))
    assert set(BestResult.objects.values_list("deal", "rules")) == {
        ("GO1-AAAAAAB", "E"),
        ("GO1-AAAAAAB", "C"),
    }


def test_of_many_only_those_that_are_missing_are_computed(
    asked: list[GameCode], django_assert_num_queries: Any
) -> None:
    analysis.bests_of(codes=[PUBLISHED, CLASSICAL])
    codes = [GameCode(1, EASY, number) for number in range(100, 120)]
    with django_assert_num_queries(3):
        found = analysis.bests_of(codes=[*codes, PUBLISHED, PUBLISHED])
    assert set(found) == {*codes, PUBLISHED}
    assert set(asked[2:]) == set(codes)
    with django_assert_num_queries(1):
        assert analysis.bests_of(codes=[*codes, PUBLISHED]) == found
    assert analysis.bests_of(codes=[]) == {}


@pytest.mark.django_db(transaction=True)
def test_two_who_ask_at_once_get_one_result(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(2)

    def solve(codes: Iterable[GameCode]) -> list[Solution]:
        together.wait(30)  # both have looked by now, and found nothing
        return [solver.solve(code.deal(), code.rules) for code in codes]

    monkeypatch.setattr(solving, "solve", solve)
    answers: list[BestResult] = []

    def ask() -> None:
        try:
            answers.append(analysis.best_of(code=PUBLISHED))
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [BestResult.objects.get()] * 2


def test_without_the_solver_nothing_is_stored_and_what_is_kept_is_given(
    asked: list[GameCode], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = analysis.best_of(code=PUBLISHED)

    def fail(codes: Iterable[GameCode]) -> list[Solution]:
        raise solving.Unavailable

    monkeypatch.setattr(solving, "solve", fail)
    assert analysis.best_of(code=PUBLISHED) == kept
    with pytest.raises(solving.Unavailable):
        analysis.bests_of(codes=[PUBLISHED, OTHER])
    assert BestResult.objects.get() == kept


def test_a_secret_deal_is_neither_told_nor_computed(asked: list[GameCode]) -> None:
    code = GameCode.secret(EASY, 2**127 + 5)
    game = services.new_competition_game(
        player=new_player(), code=code, closes_at=timezone.now(), undo=False, hints=False
    )
    services.start_clock(game_id=game.pk)
    game = services.close_game(game_id=game.pk)
    for question in (analysis.best_of_game, analysis.course_of):
        with pytest.raises(ValueError, match="secret"):
            question(game=game)
    assert asked == []
    assert BestResult.objects.count() == 0
    services.reveal_games(game_ids=[game.pk])
    game.refresh_from_db()
    assert analysis.best_of_game(game=game).best == solver.solve(code.deal(), EASY).best
    assert analysis.course_of(game=game)[-1] == Best(0, None)


def test_a_result_names_no_deal_where_it_may_be_logged(asked: list[GameCode]) -> None:
    result = analysis.best_of(code=GameCode.secret(EASY, 2**127 + 5))
    assert str(result) == f"E: {result.best.strokes}"
    assert repr(result) == f"<BestResult: E: {result.best.strokes}>"
    assert not admin.site.is_registered(BestResult)


def test_the_course_of_a_game() -> None:
    game = new_game()
    with pytest.raises(ValueError, match="goes on"):
        analysis.course_of(game=game)
    game = finish(game, PUBLISHED_LINE)
    course = analysis.course_of(game=game)
    assert course == solver.solve_line(PUBLISHED.deal(), EASY, PUBLISHED_LINE)
    assert (len(course), course[0], course[-1]) == (49, Best(35, 7), Best(35, 3))
    assert BestResult.objects.count() == 0


def test_the_event_loop_cannot_wait_for_it() -> None:
    async def ask() -> None:
        analysis.best_of(code=PUBLISHED)

    with pytest.raises(SynchronousOnlyOperation):
        async_to_sync(ask)()


@pytest.mark.parametrize(
    ("cleared", "stock_left"), [(35, None), (34, 3), (36, 1), (34, 0), (36, None)]
)
def test_the_database_refuses_what_is_no_result(cleared: int, stock_left: int | None) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        BestResult.objects.create(
            deal="GO1-AAAAAAB", rules="E", cleared=cleared, stock_left=stock_left, line="d"
        )


def test_the_longest_line_has_room() -> None:
    """Every card of a deal with two jokers and an empty waste: 35 plays and 19 draws."""
    assert BestResult._meta.get_field("line").max_length == 35 + 19
    assert BestResult._meta.get_field("deal").max_length == len(
        GameCode.secret(EASY, 2**128 - 1).deal_text
    )
