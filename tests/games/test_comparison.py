"""Two games of one deal beside each other: where they part, and what each had by then."""

import json

import pytest

from games import comparison, services
from games.engine import GameCode
from games.models import Game

from .factories import PUBLISHED_LINE, new_game, new_player
from .test_views import finish

pytestmark = pytest.mark.django_db


def compare(first: str, second: str) -> comparison.Comparison:
    return comparison.of(finish(new_game(), first), finish(new_game(), second))


def test_the_lines_part_at_the_first_action_that_differs() -> None:
    found = compare("d52ddg", "d5ddg")
    assert found.shared == 2
    steps = [(row.number, row.first) for row in found.common if row.first is not None]
    assert [(number, each.step.text, each.left) for number, each in steps] == [
        (1, "draw: 8 of spades", 35),
        (2, "column 5: 9 of clubs", 34),
    ]
    first, *_others = found.apart
    assert first.number == 3
    assert first.first is not None
    assert first.second is not None
    assert (first.first.step.action, first.first.left, first.first.cleared) == ("2", 33, 2)
    assert (first.second.step.action, first.second.left, first.second.cleared) == ("d", 34, 1)
    # The second line is shorter by one.
    assert [(row.first is None, row.second is None) for row in found.apart][-1] == (False, True)


def test_what_was_taken_back_and_hints_are_no_other_way() -> None:
    found = compare("hd5u52ddg", "d52ddg")
    assert found.apart == []
    assert found.shared == 6
    times = [(row.first.ms, row.second.ms) for row in found.rows if row.first and row.second]
    # Each keeps the time of what it did, from its first action on, which was a hint.
    assert times == [
        (1000, 0),
        (4000, 1000),
        (5000, 2000),
        (6000, 3000),
        (7000, 4000),
        (8000, 5000),
    ]


def test_a_line_that_ends_early_is_a_part_of_the_other() -> None:
    found = compare("d5g", PUBLISHED_LINE)
    assert found.shared == 2
    assert [row.first.step.text for row in found.apart if row.first] == ["given up"]
    assert len(found.rows) == len(PUBLISHED_LINE)


def test_of_a_race_the_time_counts_from_the_start() -> None:
    race, own = finish(new_game(), "d5g"), finish(new_game(), "d5g")
    Game.objects.filter(pk=race.pk).update(feed="room")
    race.refresh_from_db()
    for game in (race, own):
        game.moves.filter(turn=0).update(ms=400)
    found = comparison.of(race, own)
    assert [row.first.ms for row in found.rows if row.first][:2] == [400, 2000]
    assert [row.second.ms for row in found.rows if row.second][:2] == [0, 1600]


def test_what_the_page_gets_can_travel() -> None:
    data = compare("d52g", "d5dg").data()
    assert json.loads(json.dumps(data)) == data
    assert data["shared"] == 2
    assert [len(board["steps"]) for board in data["boards"]] == [5, 5]
    assert data["boards"][0]["columns"] == data["boards"][1]["columns"]


def test_other_games_are_not_compared() -> None:
    over = finish(new_game())
    code = GameCode.parse("GO1-E-AAAAAAC")
    other = services.new_practice_game(player=new_player(), code=code)
    services.start_clock(game_id=other.pk)
    other = finish(other, "g")
    with pytest.raises(ValueError, match="one deal"):
        comparison.of(over, other)
    with pytest.raises(ValueError, match="not over"):
        comparison.of(over, new_game())
    secret = finish(new_game())
    secret.is_secret = True
    with pytest.raises(ValueError, match="secret"):
        comparison.of(over, secret)
