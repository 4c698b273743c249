"""What the pages show at the end, against what the bots have on record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tournaments.bots.pages import Page, Row, number_in

PAR = 5


@dataclass(frozen=True)
class Record:
    """One bot's own record: its name, and strokes and app score of each hole played, in order."""

    name: str
    strokes: tuple[int, ...]
    app_scores: tuple[int, ...]

    @classmethod
    def of(cls, name: str, results: Sequence[Mapping[str, Any]]) -> "Record":
        """The record of the last positions of each hole."""
        return cls(
            name,
            tuple(position["strokes"] for position in results),
            tuple(position["app_score"] for position in results),
        )

    @property
    def thru(self) -> int:
        """How many holes were finished."""
        return len(self.strokes)

    @property
    def to_par(self) -> int:
        """All strokes less par."""
        return sum(self.strokes) - PAR * self.thru


def card_differences(page: Page, record: Record) -> list[str]:
    """What a scorecard page says otherwise than the record."""
    rows = {
        row.cells[0].text: [cell.text for cell in row.cells[1:]] for row in page.rows if row.cells
    }
    holes = len(rows.get("Hole", [])) - 1
    unplayed: list[int | None] = [None] * (holes - record.thru)
    expected: dict[str, list[int | None]] = {
        "Par": [*[PAR] * holes, PAR * holes],
        "Strokes": [*record.strokes, *unplayed, sum(record.strokes)],
        "To par": [*(strokes - PAR for strokes in record.strokes), *unplayed, record.to_par],
        "App score": [*record.app_scores, *unplayed, sum(record.app_scores)],
    }
    found = {name: [number_in(text) for text in rows.get(name, [])] for name in expected}
    return [
        f"{record.name}, scorecard, {name}: the page says {found[name]}, counted {expected[name]}"
        for name in expected
        if found[name] != expected[name]
    ]


def board_rows(page: Page) -> list[Row]:
    """The entries' rows of a leaderboard page."""
    return [row for row in page.rows if row.id.startswith("entry-")]


def board_differences(rows: Sequence[Row], records: Mapping[int, Record]) -> list[str]:
    """What the rows of a whole leaderboard say otherwise than the records, by entry id.

    Places are worked out for all entries, also those of other players.
    """
    shown = {int(row.id.removeprefix("entry-")): row for row in rows}
    found = [
        f"{record.name} is not on the board" for id_, record in records.items() if id_ not in shown
    ]
    if len(shown) != len(rows):
        found.append("an entry is on the board twice")
    for id_, record in records.items():
        if id_ in shown:
            found += _row_differences(shown[id_], record)
    return found or _place_differences(rows)


def _row_differences(row: Row, record: Record) -> list[str]:
    texts = [cell.text for cell in row.cells]
    holes = len(texts) - 6
    played = record.thru > 0
    expected = [
        record.name,
        record.to_par if played else None,
        "F" if record.thru == holes else str(record.thru),
        sum(record.strokes) if played else None,
        sum(record.app_scores) if played else None,
        [*record.strokes, *[None] * (holes - record.thru)],
    ]
    said = [
        texts[1],
        number_in(texts[2]),
        texts[3],
        number_in(texts[4]),
        number_in(texts[5]),
        [number_in(text) for text in texts[6:]],
    ]
    if said == expected:
        return []
    return [f"{record.name}, leaderboard: the page says {said}, counted {expected}"]


def _place_differences(rows: Sequence[Row]) -> list[str]:
    """Check the order and the places by the figure that leads."""
    ranked = []
    for row in rows:
        (lead,) = (at for at, cell in enumerate(row.cells) if "lead-figure" in cell.classes)
        figure = number_in(row.cells[lead].text)
        if figure is not None and row.cells[0].text not in ("DNF", "DNS"):
            ranked.append((row, figure if lead == 2 else -figure))
    figures = [figure for _, figure in ranked]
    found = [] if figures == sorted(figures) else [f"the leaderboard is not in order: {figures}"]
    for row, figure in ranked:
        place = 1 + sum(other < figure for other in figures)
        text = f"T{place}" if figures.count(figure) > 1 else f"{place}"
        if row.cells[0].text != text:
            name = row.cells[1].text
            found.append(f"{name}, place: the page says {row.cells[0].text}, counted {text}")
    return found
