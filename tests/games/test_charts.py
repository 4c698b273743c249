"""Charts stay in their frames and say what they are given."""

from hypothesis import given
from hypothesis import strategies as st

from games.charts import WIDTH, Row, bars, line

values = st.lists(st.integers(-40, 40), min_size=1, max_size=40)


@given(values)
def test_bars_are_as_long_as_their_values(given_values):
    chart = bars([Row(str(n), value, str(value)) for n, value in enumerate(given_values)])
    longest = max((abs(value) for value in given_values), default=0)
    for bar, value in zip(chart.bars, given_values, strict=True):
        assert 0 <= bar.x <= bar.x + bar.width <= WIDTH + 0.1
        assert 0 <= bar.y < bar.y + bar.height <= chart.height
        start = bar.x + bar.width if value < 0 else bar.x
        assert abs(start - chart.zero) < 0.11
        assert (bar.text_x < bar.x) == (value < 0)
        if longest:
            scale = max(each.width for each in chart.bars) / longest
            assert abs(bar.width - abs(value) * scale) < 0.2


@given(st.lists(st.integers(-40, 40), min_size=2, max_size=40))
def test_a_line_goes_from_side_to_side_and_up_where_values_grow(given_values):
    chart = line(given_values)
    assert chart is not None
    assert [dot.value for dot in chart.dots] == given_values
    for one, other in zip(chart.dots, chart.dots[1:], strict=False):
        assert one.x < other.x
        assert (one.y > other.y) == (one.value < other.value)
    assert all(0 < dot.y < chart.height and 0 < dot.x < WIDTH for dot in chart.dots)
    assert (chart.lowest.value, chart.highest.value) == (min(given_values), max(given_values))


def test_a_line_may_have_another_level_than_zero():
    chart = line([1024, 1047, 990], level=1000)
    assert chart is not None
    # The level stands among the values, and they fill the chart.
    assert [dot.y for dot in chart.dots] == [63.2, 14.0, 136.0]
    assert chart.dots[0].y < chart.level < chart.dots[2].y
    above = line([1024, 1047], level=1000)
    assert above is not None
    assert above.level == 136.0
    assert above.level > above.dots[0].y > above.dots[1].y == 14.0


def test_without_values():
    assert bars([]).bars == ()
    assert line([]) is None
    assert line([3]) is None
