"""The bots' own count of the rules against the engine, which it does not import."""

import ast
import random
from itertools import product
from pathlib import Path

import msgspec
import pytest

import tournaments.bots
from games.engine import GameCode, Play, Refusal, RuleSet, card_text
from games.engine.rules import FIELDS
from games.protocol import position_of
from tournaments.bots.recount import FIGURES, Board

EVERY_RULE_SET = [
    RuleSet.from_fields(dict(zip(FIELDS, values, strict=True)))
    for values in product(*FIELDS.values())
]


def shown(play: Play) -> dict[str, object]:
    """The position of `play` as a client reads it, without the time."""
    position = msgspec.to_builtins(position_of(play, elapsed=0))
    del position["elapsed"]
    return position


def refusal_of(play: Play, action: str) -> str | None:
    """The code of the engine's refusal, which changes nothing; None for a legal action."""
    if action in play.legal():
        return None
    with pytest.raises(Refusal) as caught:
        play.act(action)
    return caught.value.code


@pytest.mark.parametrize("rules", EVERY_RULE_SET, ids=lambda rules: rules.text)
def test_every_position_is_counted_as_the_engine_counts_it(rules):
    random_ = random.Random(rules.text)
    ends = set()
    for _ in range(12):
        code = GameCode.secret(rules, random_.getrandbits(128))
        play = Play(code.deal(), rules, undo=False, hints=False)
        board = Board(rules.fields(), shown(play))
        eager = random_.random() < 0.7
        while True:
            assert board.position() == shown(play)
            for action in "123456789d":
                assert board.refusal(action) == refusal_of(play, action)
            legal = play.legal()
            if not legal:
                break
            action = random_.choice(legal[:-1] if eager and len(legal) > 1 else legal)
            if random_.random() < 0.005:
                action = "g"
            play.act(action)
            board.act(action, card_text(play.waste) if action == "d" else None)
        ends.add(play.state)
    assert "blocked" in ends


def test_every_end_that_a_player_can_reach_is_counted():
    ends = set()
    rules = RuleSet(jokers=2)
    for number in range(300):
        code = GameCode.secret(rules, number)
        play = Play(code.deal(), rules, undo=False)
        board = Board(rules.fields(), shown(play))
        while play.legal():
            action = "g" if number % 10 == 0 and play.moves > 20 else play.legal()[0]
            play.act(action)
            board.act(action, card_text(play.waste) if action == "d" else None)
        assert board.position() == shown(play)
        ends.add(play.state)
    assert ends == {"won", "blocked", "given_up"}


def test_where_undo_is_allowed_a_block_waits_to_be_accepted():
    code = GameCode.secret(RuleSet.parse("S"), 5)
    play = Play(code.deal(), code.rules)
    board = Board(code.rules.fields(), shown(play), undo=True)
    while play.legal():
        action = play.legal()[0]
        play.act(action)
        board.act(action, card_text(play.waste) if action == "d" else None)
    assert (board.state(), board.final) == ("blocked", False)
    assert board.position() == shown(play)
    play.act("g")
    board.act("g")
    assert (board.state(), board.final) == ("blocked", True)
    assert board.position() == shown(play)


def test_the_figures_are_those_of_a_position():
    play = Play(GameCode.secret(RuleSet(), 1).deal(), RuleSet(), undo=False)
    named = set(shown(play)) - {"turn", "state", "final", "columns", "waste", "stock", "legal"}
    assert named == set(FIGURES)
    assert set(Board(RuleSet().fields(), shown(play)).figures()) == set(FIGURES)


def test_the_bots_import_nothing_that_they_check():
    folder = Path(tournaments.bots.__file__).parent
    imported = set()
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {name.name for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module)
    assert imported
    ours = {name for name in imported if name.split(".")[0] in ("games", "tournaments", "golfsite")}
    assert {name for name in ours if not name.startswith("tournaments.bots")} == set()
