"""Games in memory: every answer agrees with the journal, whoever else writes to it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from django.db import OperationalError
from django.utils import timezone

from games import journal, open_games, selectors, services
from games.database import in_database_thread
from games.engine import GameCode, Play
from games.journal import Row, Unavailable
from games.live import Hub
from games.models import Game, Move
from games.open_games import OpenGame, OpenGames, now_ms
from games.protocol import Done, Moved, Opening, Refused
from games.selectors import DamagedGame
from games.signals import game_damaged, game_finished
from tests.games.factories import PUBLISHED, PUBLISHED_LINE, new_game, new_player

pytestmark = pytest.mark.django_db(transaction=True)

T = TypeVar("T")


class Tab:
    """A socket that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[Moved] = []

    def send_soon(self, message: Moved) -> None:
        self.told.append(message)


def play(game: Game, script: Callable[[OpenGame, Tab], Awaitable[T]]) -> T:
    """Run `script` with the open game and a socket of it, in a loop of its own."""

    async def run() -> T:
        games = OpenGames()
        tab = Tab()
        open_game = await games.follow(game.pk, tab)
        try:
            return await script(open_game, tab)
        finally:
            games.leave(open_game, tab)
            games.journal.close()

    return asyncio.run(run())


async def act_all(game: OpenGame, tab: Tab, actions: str, start: int = 0) -> list[Done | Refused]:
    return [
        await game.act(turn=start + i, action=action, row=None, by=tab)
        for i, action in enumerate(actions)
    ]


def test_an_answered_action_is_in_the_journal() -> None:
    game = new_game()

    async def script(open_game: OpenGame, tab: Tab) -> list[str]:
        seen = []
        for turn, action in enumerate("d52"):
            answer = await open_game.act(turn=turn, action=action, row=None, by=tab)
            assert isinstance(answer, Done)
            seen.append(await in_database_thread(selectors.actions_of, game_id=game.pk))
        return seen

    assert play(game, script) == ["d", "d5", "d52"]


def test_a_refusal_says_why_and_writes_nothing() -> None:
    game = new_game()

    async def script(open_game: OpenGame, tab: Tab) -> Done | Refused:
        return await open_game.act(turn=0, action="1", row=None, by=tab)

    refused = play(game, script)
    assert isinstance(refused, Refused)
    assert (refused.code, refused.turn, refused.action) == ("not_adjacent", 0, "1")
    assert refused.params["card"] == "6H"
    assert refused.params["waste"] == "AC"
    assert refused.position.turn == 0
    assert selectors.actions_of(game_id=game.pk) == ""


def test_a_covered_card_is_named() -> None:
    async def script(open_game: OpenGame, tab: Tab) -> Done | Refused:
        return await open_game.act(turn=0, action="1", row=4, by=tab)

    refused = play(new_game(), script)
    assert isinstance(refused, Refused)
    assert (refused.code, refused.params["card"]) == ("covered", "TS")


def test_a_repeated_action_is_answered_and_not_applied() -> None:
    game = new_game()

    async def script(open_game: OpenGame, tab: Tab) -> list[Done | Refused]:
        await act_all(open_game, tab, "d5")
        return [
            await open_game.act(turn=1, action="5", row=None, by=tab),
            await open_game.act(turn=0, action="d", row=None, by=tab),
            await open_game.act(turn=1, action="2", row=None, by=tab),
            await open_game.act(turn=3, action="2", row=None, by=tab),
        ]

    again, first, other, early = play(game, script)
    assert isinstance(again, Done)
    assert isinstance(first, Done)
    assert (again.repeated, again.turn, again.position.turn) == (True, 1, 2)
    assert (first.repeated, first.turn, first.position.turn) == (True, 0, 2)
    assert isinstance(other, Refused)
    assert isinstance(early, Refused)
    assert (other.code, early.code) == ("stale_turn", "stale_turn")
    assert selectors.actions_of(game_id=game.pk) == "d5"


def test_a_repeated_hint_gives_the_same_hint() -> None:
    async def script(open_game: OpenGame, tab: Tab) -> tuple[Any, Any]:
        await act_all(open_game, tab, "d")
        hint = await open_game.act(turn=1, action="h", row=None, by=tab)
        await act_all(open_game, tab, "52", start=2)
        return hint, await open_game.act(turn=1, action="h", row=None, by=tab)

    hint, again = play(new_game(), script)
    assert (hint.hint, hint.repeated, hint.position.hints) == ("5", False, 1)
    assert (again.hint, again.repeated, again.position.hints) == ("5", True, 1)


def test_what_another_process_wrote_is_read_before_going_on() -> None:
    game = new_game()

    def write_elsewhere(turn: int, action: str) -> None:
        assert journal.write([Row(game.pk, turn, action, 5)]) == [True]

    async def script(open_game: OpenGame, tab: Tab) -> list[Any]:
        await in_database_thread(write_elsewhere, 0, "d")
        stale = await open_game.act(turn=0, action="g", row=None, by=tab)
        await in_database_thread(write_elsewhere, 1, "5")
        repeated = await open_game.act(turn=1, action="5", row=None, by=tab)
        gone_on = await open_game.act(turn=2, action="2", row=None, by=tab)
        return [stale, repeated, gone_on]

    stale, repeated, gone_on = play(game, script)
    assert (stale.code, stale.position.turn) == ("stale_turn", 1)
    assert (repeated.repeated, repeated.position.turn) == (True, 2)
    assert (gone_on.repeated, gone_on.position.waste) == (False, "8C")
    assert selectors.actions_of(game_id=game.pk) == "d52"


def test_what_another_process_did_is_seen_by_whoever_asks_or_is_ahead() -> None:
    game = new_game()

    def write_elsewhere(turn: int, action: str) -> None:
        assert journal.write([Row(game.pk, turn, action, 5)]) == [True]

    async def script(open_game: OpenGame, tab: Tab) -> list[Any]:
        answers: list[Any] = [await open_game.opening(to=tab)]
        for turn, action in enumerate("d52"):
            await in_database_thread(write_elsewhere, turn, action)
        answers.append(await open_game.act(turn=2, action="2", row=None, by=tab))
        await in_database_thread(write_elsewhere, 3, "d")
        answers.append(await open_game.opening(to=tab))
        await in_database_thread(write_elsewhere, 4, "d")
        answers.append(await open_game.act(turn=5, action="5", row=None, by=tab))
        await in_database_thread(write_elsewhere, 6, "g")
        answers.append(await open_game.act(turn=7, action="d", row=None, by=tab))
        return answers

    first, repeated, opening, done, over = play(game, script)
    assert first.position.turn == 0
    assert (repeated.repeated, repeated.position.turn) == (True, 3)
    assert opening.position.turn == 4
    assert (done.repeated, done.position.turn) == (False, 6)
    assert (over.code, over.position.state) == ("game_over", "given_up")


def test_a_hint_is_searched_once_for_a_position(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str | None] = []
    last_hint = Play.last_hint.fget

    def watched(self: Play) -> str | None:
        searched.append(last_hint(self))
        return searched[-1]

    monkeypatch.setattr(Play, "last_hint", property(watched))

    async def script(open_game: OpenGame, tab: Tab) -> list[Any]:
        answers: list[Any] = await act_all(open_game, tab, "dhhdu h".replace(" ", ""))
        again = [await open_game.act(turn=1, action="h", row=None, by=tab) for _ in range(20)]
        return answers + again

    answers = play(new_game(), script)
    assert [answer.hint for answer in answers if answer.action == "h"] == ["5"] * 23
    assert searched == ["5"]


def test_a_second_tab_is_told_and_the_first_is_not() -> None:
    async def script(open_game: OpenGame, tab: Tab) -> tuple[list[Moved], ...]:
        second, third = Tab(), Tab()
        open_game.follow(second)
        await act_all(open_game, tab, "d")
        await open_game.opening(to=second)
        open_game.follow(third)
        await act_all(open_game, tab, "51", start=1)
        await open_game.act(turn=0, action="d", row=None, by=tab)
        open_game.leave(second)
        await act_all(open_game, tab, "2", start=2)
        return tab.told, second.told, third.told

    first, second, third = play(new_game(), script)
    # Nobody is told of a move before he has the position that it goes on from.
    assert (first, third) == ([], [])
    assert [message.position.turn for message in second] == [2]


def test_two_tabs_that_act_at_once_draw_one_card() -> None:
    game = new_game()

    async def script(open_game: OpenGame, tab: Tab) -> list[Any]:
        tabs = [Tab() for _ in range(5)]
        return await asyncio.gather(
            *(open_game.act(turn=0, action="d", row=None, by=each) for each in tabs)
        )

    answers = play(game, script)
    assert [answer.repeated for answer in answers] == [False, True, True, True, True]
    assert {answer.position.turn for answer in answers} == {1}
    assert selectors.actions_of(game_id=game.pk) == "d"


def test_a_database_that_was_away_costs_no_move(monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game()
    write = journal.write

    def stored_but_not_said(rows: Any) -> Any:
        write(rows)
        raise OperationalError("the connection broke during the commit")

    def away(rows: Any) -> Any:
        raise OperationalError("away")

    async def script(open_game: OpenGame, tab: Tab) -> list[Any]:
        answers: list[Any] = []
        for failure in (away, stored_but_not_said):
            monkeypatch.setattr(journal, "write", failure)
            with pytest.raises(Unavailable):
                await open_game.act(turn=0, action="d", row=None, by=tab)
            monkeypatch.setattr(journal, "write", write)
            answers.append((await open_game.opening(to=tab)).position.turn)
        answers.append(await open_game.act(turn=0, action="d", row=None, by=tab))
        return answers

    after_away, after_doubt, again = play(game, script)
    assert (after_away, after_doubt) == (0, 1)
    assert (again.repeated, again.position.turn) == (True, 1)
    assert selectors.actions_of(game_id=game.pk) == "d"


def test_an_interrupted_action_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game()

    async def script(open_game: OpenGame, tab: Tab) -> Any:
        gone = asyncio.create_task(open_game.act(turn=0, action="d", row=None, by=tab))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        return await open_game.act(turn=0, action="d", row=None, by=tab)

    answer = play(game, script)
    assert answer.position.turn == 1
    assert selectors.actions_of(game_id=game.pk) == "d"


@pytest.mark.parametrize("in_competition", [True, False])
def test_a_won_game_is_stored_and_in_a_competition_announced(in_competition: bool) -> None:
    game = new_game()
    if in_competition:
        closes_at = timezone.now() + timedelta(hours=1)
        Game.objects.filter(pk=game.pk).update(closes_at=closes_at)
    finished: list[int] = []

    def note(game_id: int, **_: Any) -> None:
        finished.append(game_id)

    game_finished.connect(note)
    try:
        answers = play(game, lambda open_game, tab: act_all(open_game, tab, PUBLISHED_LINE))
    finally:
        game_finished.disconnect(note)
    last = answers[-1]
    assert (last.position.state, last.position.final) == ("won", True)
    assert finished == [game.pk] * in_competition
    game.refresh_from_db()
    assert (game.state, game.left, game.app_score, game.strokes) == ("won", 0, 350, 0)
    assert game.turn == len(PUBLISHED_LINE)
    assert game.finished_at is not None
    times = [move.ms for move in selectors.moves_of(game_id=game.pk)]
    assert game.time_ms == times[-1] - times[0] == last.position.elapsed
    assert times == sorted(times)


def test_an_end_that_could_not_be_announced_is_answered_and_told_all_the_same(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game = new_game()
    set_deadline(game, 3600)

    def away(**_: Any) -> None:
        raise OperationalError("the database does not answer")

    monkeypatch.setattr(services, "announce_finished", away)

    async def script(open_game: OpenGame, tab: Tab) -> tuple[Any, list[Moved]]:
        second = Tab()
        open_game.follow(second)
        await open_game.opening(to=second)
        return await open_game.act(turn=0, action="g", row=None, by=tab), second.told

    answer, told = play(game, script)
    assert isinstance(answer, Done)
    assert answer.position.final
    assert [message.position.state for message in told] == ["given_up"]
    assert caplog.messages == [f"The end of game {game.pk} was not announced: OperationalError"]
    assert selectors.actions_of(game_id=game.pk) == "g"


def test_the_stored_figures_are_those_of_the_journal() -> None:
    game = new_game()
    play(game, lambda open_game, tab: act_all(open_game, tab, "d5u5h2g"))
    kept = Game.objects.values().get(pk=game.pk)
    services.refresh_figures(game_id=game.pk)
    assert Game.objects.values().get(pk=game.pk) == kept
    assert (kept["state"], kept["moves_made"], kept["undos"], kept["hints"]) == (
        "given_up",
        4,
        1,
        1,
    )


def test_a_finished_game_refuses_and_its_clock_stands() -> None:
    game = new_game()

    async def script(open_game: OpenGame, tab: Tab) -> list[Any]:
        end = (await act_all(open_game, tab, "dg"))[-1]
        after = await open_game.act(turn=2, action="d", row=None, by=tab)
        await asyncio.sleep(0.05)
        return [end, after, await open_game.opening(to=tab)]

    end, after, opening = play(game, script)
    assert after.code == "game_over"
    assert opening.position == end.position


def test_nothing_counts_after_the_deadline() -> None:
    game = new_game()
    set_deadline(game, 3600)

    async def script(open_game: OpenGame, tab: Tab) -> list[Any]:
        before = await open_game.act(turn=0, action="d", row=None, by=tab)
        # Only now it comes near: however long the first action took, it was in time.
        await in_database_thread(set_deadline, game, 0.3)
        await open_game.deadline()
        await asyncio.sleep(0.35)
        return [
            before,
            await open_game.act(turn=1, action="5", row=None, by=tab),
            await open_game.act(turn=7, action="5", row=None, by=tab),
            await open_game.act(turn=0, action="d", row=None, by=tab),
        ]

    before, late, stale, repeated = play(game, script)
    assert isinstance(before, Done)
    assert (late.code, stale.code) == ("closed", "closed")
    assert (repeated.repeated, repeated.position.turn) == (True, 1)


def set_deadline(game: Game, seconds: float) -> int:
    """Move the deadline as another process does; return it in ms since 1970."""
    closes_at = timezone.now() + timedelta(seconds=seconds)
    services.move_deadline(game=Game.objects.get(pk=game.pk), closes_at=closes_at)
    return int(closes_at.timestamp() * 1000)


def test_more_time_holds_although_nobody_told_of_it() -> None:
    game = new_game()
    set_deadline(game, 0.3)

    async def script(open_game: OpenGame, tab: Tab) -> list[Any]:
        await asyncio.sleep(0.35)
        late = await open_game.act(turn=0, action="d", row=None, by=tab)
        await in_database_thread(set_deadline, game, 3600)
        return [late, *await act_all(open_game, tab, "d5")]

    late, *done = play(game, script)
    assert late.code == "closed"
    assert [(answer.action, answer.repeated) for answer in done] == [("d", False), ("5", False)]
    assert selectors.actions_of(game_id=game.pk) == "d5"


def test_a_moved_deadline_is_told_as_it_is_now() -> None:
    game = new_game()
    set_deadline(game, 0)

    async def script(open_game: OpenGame, tab: Tab) -> list[Any]:
        first = await open_game.deadline()
        moved = await in_database_thread(set_deadline, game, 3600)
        return [first, await open_game.deadline(), moved, await open_game.opening(to=tab)]

    first, then, moved, opening = play(game, script)
    assert first.closes_at <= first.now
    assert then.closes_at == moved == opening.closes_at
    assert then.now < then.closes_at


def test_a_closed_game_is_not_read_again_for_each_late_action(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = new_game()
    set_deadline(game, -1)
    services.close_game(game_id=game.pk)

    async def script(open_game: OpenGame, tab: Tab) -> list[str]:
        monkeypatch.setattr(OpenGame, "_read_again", None)  # whoever calls it fails
        answers = [await open_game.act(turn=1, action="d", row=None, by=tab) for _ in range(5)]
        return [answer.code for answer in answers]

    assert play(game, script) == ["closed"] * 5


@pytest.mark.parametrize("damage", ["action", "gap", "code"])
def test_a_damaged_game_is_set_aside_once(damage: str, caplog: pytest.LogCaptureFixture) -> None:
    told: list[int] = []

    def hear(game_id: int, **_: Any) -> None:
        told.append(game_id)

    game = new_game()
    journal.write([Row(game.pk, turn, action, turn) for turn, action in enumerate("d52")])
    if damage == "action":
        Move.objects.filter(game=game, turn=1).update(action="1")
    elif damage == "gap":
        Move.objects.filter(game=game, turn=2).update(turn=5)
    else:
        Game.objects.filter(pk=game.pk).update(deal_code="GO1-E-AAAAAAA!")
    game_damaged.connect(hear)
    try:
        for _ in range(2):
            with pytest.raises(DamagedGame):
                play(game, lambda open_game, tab: open_game.opening(to=tab))
    finally:
        game_damaged.disconnect(hear)
    assert set(told) == {game.pk}
    assert Game.objects.get().damaged_at is not None
    assert caplog.messages == [f"The moves of game {game.pk} cannot be replayed: it is set aside."]


def test_a_mended_game_goes_on() -> None:
    game = new_game()
    journal.write([Row(game.pk, turn, action, turn) for turn, action in enumerate("d12")])
    services.report_damaged(game_id=game.pk)
    with pytest.raises(DamagedGame):
        services.refresh_figures(game_id=game.pk)
    Move.objects.filter(game=game, turn=1).update(action="5")
    assert services.refresh_figures(game_id=game.pk).damaged_at is None
    opening = play(game, lambda open_game, tab: open_game.opening(to=tab))
    assert opening.position.turn == 3


def test_a_deadline_ends_the_game_where_it_lies() -> None:
    game = new_game()
    play(game, lambda open_game, tab: act_all(open_game, tab, "d52"))
    closes_at = timezone.now()
    Game.objects.filter(pk=game.pk).update(closes_at=closes_at)
    closed = services.close_game(game_id=game.pk)
    assert (closed.state, closed.strokes, closed.app_score, closed.turn) == ("closed", 33, 0, 4)
    assert closed.finished_at is not None
    assert abs(closed.finished_at - closes_at) < timedelta(milliseconds=2)
    assert services.close_game(game_id=game.pk).finished_at == closed.finished_at
    assert selectors.actions_of(game_id=game.pk) == "d52c"
    opening = play(game, lambda open_game, tab: open_game.opening(to=tab))
    assert (opening.position.state, opening.position.final) == ("closed", True)


def test_the_deadline_and_a_move_at_the_same_moment_do_not_contradict() -> None:
    for _ in range(5):
        game = new_game()

        async def script(open_game: OpenGame, tab: Tab, game: Game = game) -> list[Any]:
            return await asyncio.gather(
                open_game.act(turn=0, action="d", row=None, by=tab),
                in_database_thread(services.close_game, game_id=game.pk),
            )

        answer, closed = play(game, script)
        journal_now = selectors.actions_of(game_id=game.pk)
        assert journal_now == ("dc" if isinstance(answer, Done) else "c")
        assert (closed.state, closed.turn) == ("closed", len(journal_now))


def test_a_secret_code_stays_here() -> None:
    code = GameCode.secret(PUBLISHED.rules, 2**127 + 12345)
    game = services.new_competition_game(
        player=new_player(),
        code=code,
        closes_at=timezone.now() + timedelta(hours=1),
        undo=False,
        hints=False,
    )
    opening = play(game, lambda open_game, tab: open_game.opening(to=tab))
    assert isinstance(opening, Opening)
    assert (opening.code, opening.undo, opening.hints) == (None, False, False)
    assert opening.rules["text"] == "E"
    game.refresh_from_db()
    assert game.started_at is not None


def test_the_clock_starts_once() -> None:
    game = new_game(started=False)
    assert play(game, lambda open_game, tab: open_game.opening(to=tab)).position.elapsed == 0
    game.refresh_from_db()
    started_at = game.started_at
    play(game, lambda open_game, tab: open_game.opening(to=tab))
    game.refresh_from_db()
    assert started_at is not None
    assert game.started_at == started_at


def test_sockets_that_come_together_share_one_game() -> None:
    game = new_game()

    async def run() -> tuple[bool, int, int]:
        games = OpenGames()
        tabs = [Tab() for _ in range(3)]
        opened = await asyncio.gather(*(games.follow(game.pk, tab) for tab in tabs))
        for tab in tabs[1:]:
            games.leave(opened[0], tab)
        kept = len(games._games)
        games.leave(opened[0], tabs[0])
        games.journal.close()
        return opened[0] is opened[1] is opened[2], kept, len(games._games)

    assert asyncio.run(run()) == (True, 1, 0)


def test_a_game_that_is_not_there() -> None:
    async def run() -> None:
        games = OpenGames()
        try:
            with pytest.raises(Game.DoesNotExist):
                await games.follow(1, Tab())
            assert (games._games, games._reading) == ({}, {})
        finally:
            games.journal.close()

    asyncio.run(run())


def start_in(seconds: float, **fields: Any) -> Game:
    """A race's game: it starts at an instant to come."""
    now = timezone.now()
    return services.new_competition_game(
        player=new_player(),
        code=PUBLISHED,
        closes_at=now + timedelta(hours=1),
        undo=False,
        hints=False,
        started_at=now + timedelta(seconds=seconds),
        **fields,
    )


def test_before_the_start_nothing_is_shown_and_nothing_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = start_in(1800)

    async def script(open_game: OpenGame, tab: Tab) -> tuple[Any, ...]:
        waiting = await open_game.opening(to=tab)
        early = await open_game.act(turn=0, action="d", row=None, by=tab)
        before = await in_database_thread(selectors.actions_of, game_id=game.pk)
        # The clock is put on, since to wait for it is to hope that all of this was done before.
        monkeypatch.setattr(open_games, "now_ms", lambda: now_ms() + 1_800_000)
        assert open_game.waits == 0
        opening = await open_game.opening(to=tab)
        done = await open_game.act(turn=0, action="d", row=None, by=tab)
        return waiting, early, before, opening, done

    waiting, early, before, opening, done = play(game, script)
    started_at = int(game.started_at.timestamp() * 1000)
    assert (waiting.game, waiting.opens_at) == (game.public_id, started_at)
    assert early == Refused(turn=0, action="d", code="not_started", params={}, position=None)
    assert before == ""
    assert isinstance(opening, Opening)
    assert opening.now >= started_at
    assert isinstance(done, Done)
    game.refresh_from_db()
    assert int(game.started_at.timestamp() * 1000) == started_at


def test_a_feed_hears_of_each_action_that_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, str, list[int]]] = []
    monkeypatch.setattr(Hub, "report", lambda _hub, *report: heard.append(report))
    game = start_in(-1, feed="room:ABCDE")

    async def script(open_game: OpenGame, tab: Tab) -> list[Done | Refused]:
        return await act_all(open_game, tab, "d5") + await act_all(open_game, tab, "1", start=2)

    _, _, refused = play(game, script)
    assert isinstance(refused, Refused)
    times = [move.ms for move in selectors.moves_of(game_id=game.pk)]
    assert heard == [
        ("room:ABCDE", f"{game.pk}", [35, 15, 0, 35, 35, 0, 0, times[0]]),
        ("room:ABCDE", f"{game.pk}", [34, 15, 1, 34, 34, 10, 0, times[1]]),
    ]
