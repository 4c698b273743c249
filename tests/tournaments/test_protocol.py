"""The messages of rooms: a closed set beside that of games."""

import json

import pytest

from games.protocol import AskState, Parser, Ping, ProtocolError, serialise
from tournaments.protocol import (
    RaceProgress,
    Ready,
    SendEmote,
    ShownEmote,
    Start,
    parse_room,
    parse_watch,
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"type":"ready","ready":true}', Ready(ready=True)),
        ('{"type":"start","later":1}', Start()),
        ('{"type":"emote","emote":"good_luck"}', SendEmote(emote="good_luck")),
        ('{"type":"state"}', AskState()),
        ('{"type":"ping","at":5}', Ping(at=5)),
    ],
)
def test_what_a_client_of_a_room_may_say(text: str, message: object) -> None:
    assert parse_room(text) == message


@pytest.mark.parametrize(
    ("parse", "text", "code"),
    [
        (parse_room, '{"type":"act","turn":0,"action":"d"}', "unknown_type"),
        (parse_room, '{"type":"emote","emote":"free text"}', "bad_message"),
        (parse_room, '{"type":"ready"}', "bad_message"),
        (parse_room, '{"type":"ready","ready":1}', "bad_message"),
        (parse_room, "[]", "bad_message"),
        (parse_room, "x" * 5000, "too_large"),
        (parse_watch, '{"type":"ready","ready":true}', "unknown_type"),
    ],
)
def test_what_is_no_message(parse: Parser, text: str, code: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse(text)
    assert caught.value.code == code


def test_how_messages_are_spelled() -> None:
    emote = ShownEmote(seat=7, emote="wow")
    assert json.loads(serialise(emote)) == {"type": "emote", "seat": 7, "emote": "wow"}
    progress = RaceProgress(
        room="room:ABCDE", rows={"7": (35, 16, 0, 35, 35, 0, 0, 0)}, places={"7": 1}
    )
    assert json.loads(serialise(progress)) == {
        "type": "progress",
        "room": "room:ABCDE",
        "rows": {"7": [35, 16, 0, 35, 35, 0, 0, 0]},
        "places": {"7": 1},
    }
