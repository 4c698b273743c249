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
    """What a scorecard page says otherwise than the record, round by round."""
    found = []
    for table in _tables(page):
        head, rows = table[0].cells[1:-1], table[1:]
        holes = [(int(cell.text), "void" in cell.classes) for cell in head]
        said = {row.cells[0].text: [number_in(cell.text) for cell in row.cells[1:]] for row in rows}
        for name, expected in _card(record, holes).items():
            if said.get(name) != expected:
                found.append(
                    f"{record.name}, scorecard, {name}: "
                    f"the page says {said.get(name)}, counted {expected}"
                )
    return found or ([] if _tables(page) else [f"{record.name}: the page has no scorecard"])


def _tables(page: Page) -> list[list[Row]]:
    """The scorecards of a page, one for each round: the rows from `Hole` on."""
    tables: list[list[Row]] = []
    for row in page.rows:
        name = row.cells[0].text if row.cells else ""
        if name == "Hole":
            tables.append([])
        if tables and name in ("Hole", "Par", "Strokes", "To par", "App score"):
            tables[-1].append(row)
    return tables


def _card(record: Record, holes: Sequence[tuple[int, bool]]) -> dict[str, list[int | None]]:
    """What the rows of a card should say: each hole, then the total of those that count."""
    strokes, scores = (_by_hole(figures) for figures in (record.strokes, record.app_scores))
    rows: dict[str, dict[int, int]] = {
        "Par": {number: PAR for number, _ in holes},
        "Strokes": strokes,
        "To par": {number: each - PAR for number, each in strokes.items()},
        "App score": scores,
    }
    counted = [number for number, is_void in holes if not is_void]
    none_counts = not any(number in strokes for number in counted)
    expected: dict[str, list[int | None]] = {}
    for name, figures in rows.items():
        total = sum(figures.get(number, 0) for number in counted)
        is_empty = none_counts and name != "Par"
        expected[name] = [
            *(figures.get(number) for number, _ in holes),
            None if is_empty else total,
        ]
    return expected


def _by_hole(figures: Sequence[int]) -> dict[int, int]:
    return dict(enumerate(figures, 1))


def board_rows(page: Page) -> list[Row]:
    """The entries' rows of a leaderboard page."""
    return [row for row in page.rows if row.id.startswith("entry-")]


def tie_break_of(page: Page) -> str:
    """What parts a tie, as a leaderboard page says."""
    return page.values("data-tie-break", "div")[0]


def board_differences(
    rows: Sequence[Row], records: Mapping[int, Record], tie_break: str = "shared"
) -> list[str]:
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
    return found or _place_differences(rows, records, tie_break)


def _cell(row: Row, column: str) -> str:
    """The text of one column of a row."""
    (text,) = (cell.text for cell in row.cells if f"c-{column}" in cell.classes)
    return text


def _holes(row: Row) -> dict[int, tuple[int | None, bool]]:
    """The figures of a row's holes, and whether they are void, by number."""
    cells = [cell for cell in row.cells if "center" in cell.classes]
    return {
        number: (number_in(cell.text), "void" in cell.classes)
        for number, cell in enumerate(cells, 1)
    }


def _row_differences(row: Row, record: Record) -> list[str]:
    holes = _holes(row)
    counted = [number for number, (_, is_void) in holes.items() if not is_void]
    strokes, scores = (_by_hole(figures) for figures in (record.strokes, record.app_scores))
    thru = sum(number in strokes for number in counted)
    total = sum(strokes.get(number, 0) for number in counted)
    expected = [
        record.name,
        total - PAR * thru if thru else None,
        "F" if thru == len(counted) else str(thru),
        total if thru else None,
        sum(scores.get(number, 0) for number in counted) if thru else None,
        [strokes.get(number) for number in holes],
    ]
    said = [
        row.cells[1].text,
        number_in(_cell(row, "to_par")),
        _cell(row, "thru"),
        number_in(_cell(row, "strokes")),
        number_in(_cell(row, "app_score")),
        [figure for figure, _ in holes.values()],
    ]
    if said == expected:
        return []
    return [f"{record.name}, leaderboard: the page says {said}, counted {expected}"]


#: What stands in the place of a place.
_NO_PLACE = frozenset(("\N{EN DASH}", "DNF", "DNS", "WD", "DQ", "MC", "NR"))


def _place_differences(
    rows: Sequence[Row], records: Mapping[int, Record], tie_break: str
) -> list[str]:
    """Check the order and the places by the figure that leads and by the last holes."""
    ranked = [row for row in rows if row.cells[0].text not in _NO_PLACE]
    figures = {row.id: _lead(row) for row in ranked}
    order = list(figures.values())
    found = [] if order == sorted(order) else [f"the leaderboard is not in order: {order}"]
    for row in ranked:
        equal = [other for other in ranked if figures[other.id] == figures[row.id]]
        better = sum(figure < figures[row.id] for figure in order)
        last = _last_holes(equal, records, tie_break)
        if last is None:
            continue  # only the site knows what parts them
        better += sum(last[other.id] < last[row.id] for other in equal)
        sharing = sum(last[other.id] == last[row.id] for other in equal)
        text = f"T{better + 1}" if sharing > 1 else f"{better + 1}"
        if row.cells[0].text != text:
            name = row.cells[1].text
            found.append(f"{name}, place: the page says {row.cells[0].text}, counted {text}")
    return found


def _lead(row: Row) -> int:
    """The figure that ranks, the less the better."""
    (cell,) = (cell for cell in row.cells if "lead-figure" in cell.classes)
    figure = number_in(cell.text) or 0
    return figure if "c-to_par" in cell.classes else -figure


def _last_holes(
    rows: Sequence[Row], records: Mapping[int, Record], tie_break: str
) -> dict[str, tuple[int, ...]] | None:
    """What a countback compares of rows with the same figure; None where the page does not say."""
    if tie_break == "race" and len(rows) > 1:
        return None
    if tie_break == "shared" or any(_cell(row, "thru") != "F" for row in rows):
        return {row.id: () for row in rows}
    if tie_break == "time" and len(rows) > 1:
        return None
    found = {}
    for row in rows:
        counted = [(n, figure) for n, (figure, is_void) in _holes(row).items() if not is_void]
        (lead,) = (cell for cell in row.cells if "lead-figure" in cell.classes)
        if "c-app_score" in lead.classes:
            record = records.get(int(row.id.removeprefix("entry-")))
            if record is None:
                return None
            each = [-record.app_scores[number - 1] for number, _ in counted]
        else:
            each = [figure or 0 for _, figure in counted]  # of equal par
        lasts = [9] * (len(each) >= 18) + [6, 3, 1]
        found[row.id] = tuple(sum(each[-last:]) for last in lasts)
    return found
