"""What a bot notices: every way in which a server could lose, double or invent a move."""

import msgspec
import pytest

from games.engine import GameCode, Play, RuleSet
from games.protocol import Done, Opening, Refused, position_of
from tournaments.bots.client import Difference, GameRecord

RULES = RuleSet()
CODE = GameCode.secret(RULES, 2024)


class Server:
    """A game as a server tells it; whatever a test wants told wrongly is given by name."""

    def __init__(self, code: GameCode = CODE) -> None:
        self.play = Play(code.deal(), code.rules, undo=False, hints=False)
        self.elapsed = 0

    def opening(self, **wrong: object) -> dict:
        return self._message(
            Opening(
                game="abc",
                code=None,
                rules={"text": self.play.rules.text, **self.play.rules.fields()},
                fits=self.play.rules.table(),
                undo=False,
                hints=False,
                closes_at=None,
                now=0,
                position=position_of(self.play, elapsed=self.elapsed),
            ),
            wrong,
        )

    def done(self, action: str, **wrong: object) -> dict:
        turn = self.play.turn
        self.play.act(action)
        self.elapsed += 100
        return self._message(
            Done(turn=turn, action=action, position=position_of(self.play, elapsed=self.elapsed)),
            wrong,
        )

    def refused(self, action: str, code: str) -> dict:
        return self._message(
            Refused(
                turn=self.play.turn,
                action=action,
                code=code,
                params={},
                position=position_of(self.play, elapsed=self.elapsed),
            ),
            {},
        )

    def _message(self, message: object, wrong: dict) -> dict:
        told = msgspec.json.decode(msgspec.json.encode(message))
        for name, value in wrong.items():
            (told["position"] if name in told["position"] else told)[name] = value
        return told


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def record(server):
    record = GameRecord("Ada", "abc")
    record.open(server.opening())
    return record


def play(server: Server, record: GameRecord, actions: str) -> None:
    for action in actions:
        record.pending = action
        record.done(server.done(action))


def some_actions(count: int) -> str:
    """The first legal actions of the deal, lowest column first."""
    game = Play(CODE.deal(), RULES, undo=False)
    while game.turn < count:
        game.act(game.legal()[0])
    return game.journal


def test_a_whole_game_told_rightly_agrees(server, record):
    while server.play.legal():
        play(server, record, server.play.legal()[0])
    assert record.board.final
    assert record.shown["app_score"] == server.play.app_score


FIGURES = [
    "turn", "stock", "cleared", "left", "moves", "undos", "hints", "app_score", "strokes",
    "strokes_below_par", "streak", "streak_score", "longest_streak",
]  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_that_is_one_too_high_is_noticed(server, record, name):
    play(server, record, some_actions(5))
    action = record.pending = server.play.legal()[0]
    message = server.done(action)
    message["position"][name] += 1
    with pytest.raises(Difference, match=f"{name}: the server says"):
        record.done(message)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("columns", [""] * 7),
        ("waste", "*"),
        ("legal", "1234567d"),
        ("state", "won"),
        ("final", True),
    ],
)
def test_every_other_part_of_a_position_is_compared(server, record, name, value):
    while server.play.legal()[0] == "d":
        play(server, record, "d")
    record.pending = server.play.legal()[0]
    message = server.done(record.pending)
    message["position"][name] = value
    with pytest.raises(Difference, match=f"{name}: the server says"):
        record.done(message)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("game", "xyz"),
        ("code", "GO2-E-00000000000000000000000001"),
        ("protocol", 2),
        ("fits", dict.fromkeys(RULES.table(), "A")),
        ("stock", 17),
        ("turn", 1),
    ],
)
def test_every_part_of_an_opening_is_compared(server, name, value):
    with pytest.raises(Difference):
        GameRecord("Ada", "abc").open(server.opening(**{name: value}))


def test_after_a_new_connection_what_was_acknowledged_must_stand(server, record):
    actions = some_actions(6)
    play(server, record, actions)
    record.open(server.opening())
    lost = Server()
    for action in actions[:-1]:
        lost.done(action)
    with pytest.raises(Difference, match="turn: the server says 5, counted 6"):
        record.open(lost.opening())


def test_an_unanswered_action_may_stand_or_not(server, record):
    record.pending = "d"
    record.open(server.opening())
    message = server.done("d")
    record.open(server.opening())
    assert record.board.turn == 0
    record.done(message | {"repeated": True})
    assert (record.board.turn, record.pending) == (1, None)


def test_the_code_may_be_told_when_the_unanswered_action_has_ended_the_game(server, record):
    """The race may be over by the time that the bot is connected again."""
    record.pending = "g"
    with pytest.raises(Difference, match="code"):
        record.open(server.opening(code=CODE.text))
    message = server.done("g")
    record.open(server.opening(code=CODE.text))
    record.done(message | {"repeated": True})
    assert record.board.final


def test_an_action_that_nobody_sent_is_noticed(server, record):
    play(server, record, "d")
    server.done(server.play.legal()[0])
    with pytest.raises(Difference, match="turn: the server says 2, counted 1"):
        record.open(server.opening())


def test_an_action_that_counts_twice_is_noticed(server, record):
    record.pending = "d"
    message = server.done("d")
    twice = server.done("d")
    record.done(message)
    with pytest.raises(Difference):
        record.repeated(0, "d", twice | {"turn": 0, "repeated": True})
    with pytest.raises(Difference, match="repeated"):
        record.repeated(0, "d", message)
    record.repeated(0, "d", message | {"repeated": True})


def test_a_card_that_is_drawn_twice_is_noticed(server, record):
    record.pending = "d"
    message = server.done("d")
    message["position"]["waste"] = message["position"]["columns"][0].split()[0]
    with pytest.raises(Difference, match="came twice"):
        record.done(message)


def test_a_time_that_runs_backwards_is_noticed(server, record):
    play(server, record, some_actions(3))
    server.elapsed = 50
    with pytest.raises(Difference, match="the time went from 300 to 50"):
        record.open(server.opening())


def test_a_refusal_needs_the_right_reason(server, record):
    right = record.board.refusal("8")
    assert right == "no_such_column"
    record.refused("8", server.refused("8", right))
    with pytest.raises(Difference, match="reason against 8"):
        record.refused("8", server.refused("8", "not_adjacent"))
    with pytest.raises(Difference, match="answer"):
        record.refused("8", server.done("d"))
