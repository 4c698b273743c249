"""The closed set of messages, as `docs/protocol.md` has it."""

import json
import re
from pathlib import Path

import pytest

from games import protocol
from games.engine import GameCode, Play
from games.protocol import Act, AskState, Ping, ProtocolError, parse

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol.md"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"type":"act","turn":0,"action":"5"}', Act(turn=0, action="5")),
        ('{"type":"act","turn":3,"action":"1","row":5}', Act(turn=3, action="1", row=5)),
        ('{"type":"act","turn":3,"action":"d","row":null}', Act(turn=3, action="d")),
        ('{"action":"d","turn":7,"type":"act","later":[1]}', Act(turn=7, action="d")),
        ('{"type":"state"}', AskState()),
        ('{"type":"ping","at":12}', Ping(at=12)),
        ('{"type":"ping","at":1.5}', Ping(at=1.5)),
    ],
)
def test_a_message_is_read(text: str, message: protocol.ClientMessage) -> None:
    assert parse(text) == message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bad_message"),
        ("{", "bad_message"),
        ("null", "bad_message"),
        ("[]", "bad_message"),
        ("5", "bad_message"),
        ("{}", "bad_message"),
        ('{"type":null}', "bad_message"),
        ('{"type":"act"}', "bad_message"),
        ('{"type":"act","turn":"0","action":"d"}', "bad_message"),
        ('{"type":"act","turn":-1,"action":"d"}', "bad_message"),
        ('{"type":"act","turn":2147483648,"action":"d"}', "bad_message"),
        ('{"type":"act","turn":1e3,"action":"d"}', "bad_message"),
        ('{"type":"act","turn":true,"action":"d"}', "bad_message"),
        ('{"type":"act","turn":0,"action":"c"}', "bad_message"),
        ('{"type":"act","turn":0,"action":"dd"}', "bad_message"),
        ('{"type":"act","turn":0,"action":"5","row":0}', "bad_message"),
        ('{"type":"act","turn":0,"action":"5","row":6}', "bad_message"),
        ('{"type":"act","turn":0,"action":"d","row":1}', "bad_message"),
        ('{"type":"ping","at":NaN}', "bad_message"),
        ('{"type":"ping","at":1e300}', "bad_message"),
        ('{"type":"ping"}', "bad_message"),
        ('{"type":"opening"}', "unknown_type"),
        ('{"type":"move","turn":0}', "unknown_type"),
        ('{"type":"\\ud800"}', "bad_message"),
        ("[" * 4096, "bad_message"),
        ('{"type":"state","x":"' + "x" * 4096 + '"}', "too_large"),
        ('{"type":"state","x":"' + "я" * 2048 + '"}', "too_large"),
    ],
)
def test_what_is_no_message_has_a_code(text: str, code: str) -> None:
    with pytest.raises(ProtocolError) as refused:
        parse(text)
    assert refused.value.code == code


def test_a_message_of_just_the_limit_is_read() -> None:
    text = '{"type":"state","x":""}'
    padded = text.replace('""', '"' + "x" * (protocol.MESSAGE_LIMIT - len(text)) + '"')
    assert parse(padded) == AskState()


def test_a_position_shows_the_board_and_nothing_hidden() -> None:
    code = GameCode.parse("GO1-E-AAAAAAB")
    play = Play.replay(code.deal(), code.rules, "d52")
    position = protocol.position_of(play, elapsed=1234)
    moved = json.loads(protocol.serialise(protocol.Moved(position=position)))
    assert moved == {
        "type": "moved",
        "position": {
            "turn": 3,
            "state": "playing",
            "final": False,
            "columns": [
                "6C 5S QS TS 6H",
                "2S KC 4S 2C",
                "TC AH 2D 5D JS",
                "3D QH AS KD 4C",
                "JH 3C 7D 8H",
                "TH 4H 7H 7C 8D",
                "3S 7S 3H 9S 5C",
            ],
            "waste": "8C",
            "stock": 15,
            "legal": "d",
            "cleared": 2,
            "left": 33,
            "moves": 3,
            "undos": 0,
            "hints": 0,
            "app_score": 20,
            "strokes": 33,
            "strokes_below_par": 33,
            "streak": 2,
            "streak_score": 30,
            "longest_streak": 2,
            "elapsed": 1234,
        },
    }


def test_every_message_and_code_is_documented() -> None:
    text = DOCUMENT.read_text()
    documented = set(re.findall(r"`([a-z_]+)`", text)) | set(re.findall(r'"type": "(\w+)"', text))
    kinds = [*protocol.ServerMessage.__args__, *protocol.ClientMessage.__args__]
    assert {kind.__struct_config__.tag for kind in kinds} - documented == set()
    closes = {int(code) for code in re.findall(r"\| (4\d\d\d) \|", text)}
    assert closes == {
        value for name, value in vars(protocol.CloseCode).items() if not name.startswith("_")
    }
    fields = set(protocol.Position.__struct_fields__) | set(protocol.Opening.__struct_fields__)
    assert fields - documented == set()
