import pytest

from games.engine import PAR
from games.engine.scoring import (
    app_score,
    standing,
    streak_points,
    streaks,
    strokes,
    strokes_below_par,
)


@pytest.mark.parametrize(
    ("cleared", "left", "score"),
    [(31, 4, 270), (30, 5, 250), (25, 10, 150), (17, 18, 0), (18, 17, 10), (0, 35, 0)],
)
def test_the_app_score_of_a_blocked_game(cleared, left, score):
    assert app_score(cleared, left, stopped=True) == score


def test_the_app_score_while_playing_and_of_a_won_game():
    assert [app_score(n, 35 - n, stopped=False) for n in (0, 1, 34, 35)] == [0, 10, 340, 350]


def test_the_two_scores_may_disagree_over_two_holes():
    """21 + 0 strokes are 0 + 350 points; 17 + 3, one stroke fewer, only 10 + 290."""
    assert app_score(14, 21, stopped=True) + app_score(35, 0, stopped=False) == 350
    assert app_score(18, 17, stopped=True) + app_score(32, 3, stopped=True) == 300


def test_strokes():
    assert (strokes(4), strokes(0), PAR * 9) == (4, 0, 45)
    assert [strokes_below_par(0, 16), strokes_below_par(0, 0), strokes_below_par(35, 0)] == [
        -16,
        0,
        35,
    ]


def test_the_worked_examples_of_a_streak():
    assert [streak_points(n) for n in (1, 2, 3)] == [10, 20, 30]
    assert streaks("") == (0, 0)
    assert streaks("123") == (60, 3)
    assert streaks("123d12") == (90, 3)
    assert streaks("123du4") == (100, 4)
    assert streaks("1h2gd") == (30, 2)


def test_what_stands_of_a_journal():
    assert standing("12uud3huu") == []
    assert standing("d12u3c") == ["d", "1", "3"]
