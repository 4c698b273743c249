"""The table's lines: what was measured, what it must reach, and whether it does."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

_MARKS = {True: "met", False: "NOT MET", None: "-"}


@dataclass(frozen=True)
class Line:
    """One line; `met` is None for what is only reported, or cannot be judged on this machine.

    `raw` holds the figures of each round, for the JSON.
    """

    figure: str
    required: str
    measured: str
    met: bool | None
    raw: dict[str, Any] = field(default_factory=dict)


def ratio(mine: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of the ratios within each round."""
    return statistics.median(a / b for a, b in zip(mine, theirs, strict=True))


def table(lines: Iterable[Line]) -> str:
    """Return the lines as text, in columns."""
    rows = [("figure", "must reach", "measured", "")]
    rows += [(line.figure, line.required, line.measured, _MARKS[line.met]) for line in lines]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        + "\n"
        for row in rows
    )
