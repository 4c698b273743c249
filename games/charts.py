"""Charts as shapes of an SVG: the templates components/chart_*.html draw them.

Their texts are numbers; whoever cannot see them has the table beside them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

#: The width of every chart in its own units, as wide as it stands on a small phone.
WIDTH: Final = 320
#: Rows of bars, what is between them, and the room for what is said before and after one.
_ROW: Final = 22
_GAP: Final = 5
_BEFORE: Final = 52
_AFTER: Final = 44
#: A line, with room for its labels.
_HEIGHT: Final = 150
_EDGE: Final = 14


class Row(NamedTuple):
    """What a bar stands for; `text` is its value as people read it."""

    label: str
    value: float
    text: str
    is_marked: bool = False


class Bar(NamedTuple):
    """A bar with its two texts: where they are and how long it is."""

    row: Row
    x: float
    y: float
    width: float
    height: float
    text_x: float
    text_y: float


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars below one another; `zero` is where they begin."""

    width: int
    height: int
    zero: float
    label_x: float
    bars: tuple[Bar, ...]


def bars(rows: Sequence[Row]) -> Bars:
    """Lay out bars; those of negative values go the other way.

    >>> [(bar.x, bar.width) for bar in bars([Row("0", 4, "4"), Row("1", 2, "2")]).bars]
    [(52.0, 224.0), (52.0, 112.0)]
    """
    low = min([0.0, *(row.value for row in rows)])
    high = max([0.0, *(row.value for row in rows)])
    before = _BEFORE + (_AFTER if low < 0 else 0)
    scale = (WIDTH - before - _AFTER) / ((high - low) or 1)
    zero = before - low * scale
    found = []
    for at, row in enumerate(rows):
        length = round(abs(row.value) * scale, 1)
        start = zero - length if row.value < 0 else zero
        found.append(
            Bar(
                row=row,
                x=round(start, 1),
                y=at * _ROW + _GAP / 2,
                width=length,
                height=_ROW - _GAP,
                text_x=round(start - 5 if row.value < 0 else start + length + 5, 1),
                text_y=at * _ROW + _ROW / 2 + 4,
            )
        )
    return Bars(WIDTH, _ROW * len(rows), round(zero, 1), _BEFORE - 8, tuple(found))


class Dot(NamedTuple):
    """A value of a line."""

    x: float
    y: float
    value: int


@dataclass(frozen=True, slots=True)
class Line:
    """Values from left to right, a smaller one lower; `level` is where that of the chart is."""

    width: int
    height: int
    points: str
    dots: tuple[Dot, ...]
    level: float
    lowest: Dot
    highest: Dot


def line(values: Sequence[int], *, level: int = 0) -> Line | None:
    """Lay out a line of values, and one across at `level`; None where there are fewer than two.

    >>> line([0, 10]).points
    '14.0,136.0 306.0,14.0'
    """
    if len(values) < 2:
        return None
    low, high = min(level, *values), max(level, *values)
    scale = (_HEIGHT - 2 * _EDGE) / ((high - low) or 1)
    apart = (WIDTH - 2 * _EDGE) / (len(values) - 1)
    dots = tuple(
        Dot(round(_EDGE + at * apart, 1), round(_HEIGHT - _EDGE - (value - low) * scale, 1), value)
        for at, value in enumerate(values)
    )
    return Line(
        width=WIDTH,
        height=_HEIGHT,
        points=" ".join(f"{dot.x},{dot.y}" for dot in dots),
        dots=dots,
        level=round(_HEIGHT - _EDGE - (level - low) * scale, 1),
        lowest=min(dots, key=lambda dot: dot.value),
        highest=max(dots, key=lambda dot: dot.value),
    )
