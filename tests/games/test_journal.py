"""The group-commit writer: what it stores, what it refuses, what it says when it cannot."""

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from games import journal
from games.journal import Journal, Row, Unavailable
from games.models import Game, Move
from tests.games.factories import games_written, new_game

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[list[Row]]:
    """The batches that the writer gave to the database."""
    batches: list[list[Row]] = []
    write = journal.write

    def watched(rows: Sequence[Row]) -> list[bool | Exception]:
        batches.append(list(rows))
        return write(rows)

    monkeypatch.setattr(journal, "write", watched)
    return batches


@pytest.fixture
def a_journal() -> Iterator[Journal]:
    made = Journal()
    yield made
    made.close()


def stored(game: Game) -> list[tuple[int, str, int]]:
    return list(Move.objects.filter(game=game).order_by("turn").values_list("turn", "action", "ms"))


async def append_all(a_journal: Journal, rows: list[Row]) -> list[bool | BaseException]:
    return await asyncio.gather(*map(a_journal.append, rows), return_exceptions=True)


def test_a_row_is_stored_when_it_is_answered(a_journal: Journal) -> None:
    game = new_game()
    assert asyncio.run(append_all(a_journal, [Row(game.pk, 0, "d", 1500)])) == [True]
    assert stored(game) == [(0, "d", 1500)]


def test_players_who_move_at_once_share_commits(
    a_journal: Journal, written: list[list[Row]]
) -> None:
    games = [new_game() for _ in range(200)]
    rows = [Row(game.pk, 0, "d", 10) for game in games]
    assert asyncio.run(append_all(a_journal, rows)) == [True] * 200
    assert [len(batch) for batch in written] == [200]
    assert Move.objects.count() == 200


def test_a_large_crowd_is_written_in_bounded_batches(
    a_journal: Journal, written: list[list[Row]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "BATCH_LIMIT", 4)
    game = new_game()
    rows = [Row(game.pk, turn, "d", turn) for turn in range(10)]
    assert asyncio.run(append_all(a_journal, rows)) == [True] * 10
    assert [len(batch) for batch in written] == [4, 4, 2]
    assert [turn for turn, _, _ in stored(game)] == list(range(10))


def test_a_taken_turn_fails_alone(a_journal: Journal) -> None:
    game, other = new_game(), new_game()
    asyncio.run(append_all(a_journal, [Row(game.pk, 0, "d", 10)]))
    rows = [Row(other.pk, 0, "d", 20), Row(game.pk, 0, "5", 20), Row(game.pk, 1, "5", 30)]
    assert asyncio.run(append_all(a_journal, rows)) == [True, False, True]
    assert stored(game) == [(0, "d", 10), (1, "5", 30)]
    assert stored(other) == [(0, "d", 20)]


def test_of_two_rows_of_one_turn_the_first_is_stored(a_journal: Journal) -> None:
    game = new_game()
    rows = [Row(game.pk, 0, "d", 10), Row(game.pk, 0, "5", 11)]
    assert asyncio.run(append_all(a_journal, rows)) == [True, False]
    assert stored(game) == [(0, "d", 10)]


def test_a_row_that_the_database_refuses_fails_alone(a_journal: Journal) -> None:
    game = new_game()
    rows = [Row(game.pk, 0, "x", 10), Row(game.pk, 1, "d", 20), Row(game.pk + 1000, 0, "d", 20)]
    bad_action, good, no_game = asyncio.run(append_all(a_journal, rows))
    assert isinstance(bad_action, Unavailable)
    assert isinstance(no_game, Unavailable)
    assert good is True
    assert stored(game) == [(1, "d", 20)]


def test_the_action_that_ends_a_game_ends_it_in_one_transaction(a_journal: Journal) -> None:
    game = new_game()
    figures = {"state": "given_up", "turn": 1, "finished_at": timezone.now()}
    taken = Row(game.pk, 0, "g", 12, figures={"state": "won"})
    rows = [Row(game.pk, 0, "g", 10, figures=figures), taken]
    assert asyncio.run(append_all(a_journal, rows)) == [True, False]
    game.refresh_from_db()
    assert (game.state, game.turn) == ("given_up", 1)
    assert game.finished_at == figures["finished_at"]


def test_games_that_end_at_once_are_written_in_the_order_of_their_keys() -> None:
    """As whoever closes several: two that meet on two games would wait for each other."""
    games = [new_game() for _ in range(3)]
    rows = [Row(game.pk, 0, "g", 10, figures={"state": "given_up"}) for game in reversed(games)]
    with games_written() as written:
        assert journal.write(rows) == [True] * 3
    assert written == [game.pk for game in games]


def test_figures_that_the_database_refuses_take_their_move_with_them(a_journal: Journal) -> None:
    game, other = new_game(), new_game()
    bad = Row(game.pk, 0, "g", 10, figures={"left": 36})
    refused, good = asyncio.run(append_all(a_journal, [bad, Row(other.pk, 0, "d", 10)]))
    assert isinstance(refused, Unavailable)
    assert good is True
    assert stored(game) == []
    assert stored(other) == [(0, "d", 10)]


def test_a_database_that_is_away_leaves_nothing_half_done_and_comes_back(
    a_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = new_game()

    def away(rows: Sequence[Row]) -> list[bool | Exception]:
        raise OperationalError("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr(journal, "write", away)
        answers = asyncio.run(append_all(a_journal, [Row(game.pk, 0, "d", 1)] * 3))
    assert [type(answer) for answer in answers] == [Unavailable] * 3
    assert stored(game) == []
    assert asyncio.run(append_all(a_journal, [Row(game.pk, 0, "d", 2)])) == [True]
    assert stored(game) == [(0, "d", 2)]


def test_a_database_that_hangs_keeps_nobody_waiting_for_ever(
    a_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = new_game()
    hangs = threading.Event()

    def hang(rows: Sequence[Row]) -> list[bool | Exception]:
        hangs.wait(10)
        return [True for _ in rows]

    async def play_on() -> list[bool | BaseException]:
        first = asyncio.create_task(append_all(a_journal, [Row(game.pk, 0, "d", 1)] * 2))
        await asyncio.sleep(0.05)
        later = asyncio.create_task(append_all(a_journal, [Row(game.pk, 1, "d", 1)]))
        return [*await first, *await later]

    with monkeypatch.context() as patch:
        patch.setattr(journal, "PATIENCE", 0.2)
        patch.setattr(journal, "write", hang)
        answers = asyncio.run(play_on())
        hangs.set()
    assert [type(answer) for answer in answers] == [Unavailable] * 3
    assert asyncio.run(append_all(a_journal, [Row(game.pk, 0, "d", 2)])) == [True]
    assert stored(game) == [(0, "d", 2)]


def test_a_connection_that_broke_is_replaced(a_journal: Journal) -> None:
    game = new_game()
    assert asyncio.run(append_all(a_journal, [Row(game.pk, 0, "d", 1)])) == [True]

    def break_connection() -> None:
        connection.connection.close()

    a_journal._thread.submit(break_connection).result()
    (broken,) = asyncio.run(append_all(a_journal, [Row(game.pk, 1, "5", 2)]))
    assert isinstance(broken, Unavailable)
    assert asyncio.run(append_all(a_journal, [Row(game.pk, 1, "5", 3)])) == [True]
    assert stored(game) == [(0, "d", 1), (1, "5", 3)]


def test_a_full_queue_refuses_at_once(a_journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game()
    monkeypatch.setattr(journal, "QUEUE_LIMIT", 2)
    rows = [Row(game.pk, turn, "d", turn) for turn in range(3)]
    answers = asyncio.run(append_all(a_journal, rows))
    assert answers[:2] == [True, True]
    assert isinstance(answers[2], Unavailable)


def test_a_player_who_leaves_does_not_stop_the_batch(a_journal: Journal) -> None:
    game, other = new_game(), new_game()

    async def leave_while_writing() -> bool:
        leaving = asyncio.ensure_future(a_journal.append(Row(game.pk, 0, "d", 1)))
        staying = asyncio.ensure_future(a_journal.append(Row(other.pk, 0, "d", 1)))
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert asyncio.run(leave_while_writing()) is True
    assert stored(game) == [(0, "d", 1)]


def test_two_writers_never_both_store_one_turn() -> None:
    """As two server processes would: each with a journal, a loop and a connection of its own."""
    games = [new_game() for _ in range(20)]
    answers: dict[int, list[bool | BaseException]] = {}

    def play(number: int) -> None:
        a_journal = Journal()
        order = games if number else games[::-1]
        rows = [Row(game.pk, turn, "d", number) for turn in range(10) for game in order]
        answers[number] = asyncio.run(append_all(a_journal, rows))
        a_journal.close()

    threads = [threading.Thread(target=play, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer for row in answers.values() for answer in row].count(True) == 200
    assert [answer for row in answers.values() for answer in row].count(False) == 200
    assert Move.objects.count() == 200


BAD_ACTIONS, BAD_FIGURES = 'x"\\', {"left": 36}


def a_row(chance: random.Random, games: list[int], writer: int) -> Row:
    """A row by chance, of a game that is there or gone; each writer has times of its own."""
    bad = chance.random() < 0.1
    return Row(
        game_id=chance.choice(games),
        turn=chance.randint(0, 60),
        action=chance.choice(BAD_ACTIONS if bad else "d1234567uhg"),
        ms=3 * chance.randint(0, 10**6) + writer,
        figures=chance.choices([None, {"state": "given_up"}, BAD_FIGURES], [40, 2, 1])[0],
    )


async def write_by_chance(
    a_journal: Journal, chance: random.Random, games: list[int], writer: int
) -> list[tuple[Row, bool | BaseException]]:
    """Write batches; of some rows whoever sent them does not wait for the answer."""
    answered: list[tuple[Row, bool | BaseException]] = []
    for _ in range(25):
        rows = [a_row(chance, games, writer) for _ in range(chance.randint(1, 12))]
        writing = [asyncio.ensure_future(a_journal.append(row)) for row in rows]
        await asyncio.sleep(0)
        if chance.random() < 0.2:
            writing[0].cancel()
        answers = await asyncio.gather(*writing, return_exceptions=True)
        answered += zip(rows, answers, strict=True)
    return answered


@pytest.mark.parametrize("seed", range(2))
def test_each_answer_is_what_is_stored_whatever_is_written_at_once(seed: int) -> None:
    """As three server processes, with taken turns, games that are gone and what is refused."""
    games = [new_game().pk for _ in range(6)]
    gone = games[-1] + 1000
    answered: list[tuple[Row, bool | BaseException]] = []

    def work(writer: int) -> None:
        a_journal, chance = Journal(), random.Random(f"{seed}:{writer}")
        some = [*games * 3, gone]
        answered.extend(asyncio.run(write_by_chance(a_journal, chance, some, writer)))
        a_journal.close()

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answered) > 300
    kept = {(move.game_id, move.turn): (move.action, move.ms) for move in Move.objects.iterator()}
    true: Counter[tuple[int, int]] = Counter()
    for row, answer in answered:
        is_mine = kept.get((row.game_id, row.turn)) == (row.action, row.ms)
        if isinstance(answer, bool):
            assert is_mine == answer
            true[row.game_id, row.turn] += answer
        elif isinstance(answer, Unavailable):
            assert not is_mine
            is_bad = row.action in BAD_ACTIONS or row.figures == BAD_FIGURES
            assert is_bad or row.game_id == gone
        else:
            assert isinstance(answer, asyncio.CancelledError)
    assert set(true.values()) == {0, 1}
