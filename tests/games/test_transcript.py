"""A finished game as text and as positions."""

import json

import pytest

from games import transcript
from games.engine import Play, card_text

from .factories import PUBLISHED, PUBLISHED_LINE, new_game
from .test_views import finish

pytestmark = pytest.mark.django_db


def test_every_position_is_the_engines() -> None:
    actions = "dh" + PUBLISHED_LINE[1:5] + "ug"
    told = transcript.of(finish(new_game(), actions))
    play = Play(PUBLISHED.deal(), PUBLISHED.rules)
    for step in told.replay()["steps"]:
        if step["text"] != "the deal":
            play.act(actions[play.turn])
        assert step == {
            "text": step["text"],
            "ms": max(0, 1000 * (play.turn - 1)),
            "heights": "".join(str(len(column)) for column in play.columns),
            "waste": None if play.waste is None else card_text(play.waste),
            "stock": play.stock_left,
            "app_score": play.app_score,
            "streak": play.streak,
            "moves": play.moves,
        }
    assert play.state == "given_up"
    texts = [step["text"] for step in told.replay()["steps"]]
    assert texts == [
        "the deal", "draw: 8 of spades", "hint: column 5", "column 5: 9 of clubs",
        "column 2: 8 of clubs", texts[5], texts[6], "undo", "given up",
    ]  # fmt: skip


def test_a_replay_can_travel_and_names_no_card_twice() -> None:
    replay = transcript.of(finish(new_game())).replay()
    assert json.loads(json.dumps(replay)) == replay
    dealt = " ".join(replay["columns"]).split()
    assert (len(dealt), len(set(dealt))) == (35, 35)
    assert replay["steps"][-1]["heights"] == "0000000"


def test_a_game_without_a_move_has_its_deal() -> None:
    replay = transcript.of(new_game()).replay()
    assert [step["text"] for step in replay["steps"]] == ["the deal"]
    assert replay["steps"][0]["heights"] == "5555555"


def test_secret_cards_are_not_told() -> None:
    game = new_game()
    game.is_secret = True
    with pytest.raises(ValueError, match="secret"):
        transcript.of(game)
