"""The picture of a scorecard, for links that are shown in other places. Pure."""

from dataclasses import dataclass

from games.pictures import (
    ACCENT,
    HEIGHT,
    INK,
    INK_2,
    LINE,
    LINE_STRONG,
    MINUS,
    PAPER,
    SURFACE,
    WIDTH,
    Canvas,
    kept,
    signed,
)


@dataclass(frozen=True, slots=True)
class CardPicture:
    """What the picture of a scorecard shows.

    `holes` are par and strokes of each hole in order, strokes None until the hole is final; `void`
    are the numbers of those that count for nobody.
    """

    holes: tuple[tuple[int, int | None], ...]
    void: tuple[int, ...] = ()

    @property
    def counted(self) -> list[tuple[int, int | None]]:
        """Par and strokes of the holes that are not void."""
        return [hole for number, hole in enumerate(self.holes, 1) if number not in self.void]

    @property
    def final(self) -> list[tuple[int, int]]:
        """Par and strokes of the holes that count."""
        return [(par, strokes) for par, strokes in self.counted if strokes is not None]

    @property
    def strokes(self) -> int:
        """The strokes of the holes that count."""
        return sum(strokes for _, strokes in self.final)

    @property
    def to_par(self) -> int:
        """The strokes less the par of the holes that count."""
        return self.strokes - sum(par for par, _ in self.final)

    @property
    def par(self) -> int:
        """The par of all holes."""
        return sum(par for par, _ in self.counted)


_LEFT, _TOP, _BOTTOM, _GAP = 56, 312, 552, 16
_WIDTH = WIDTH - 2 * _LEFT
#: The columns before and after the holes.
_LABEL, _TOTAL = 120, 104
_HOLES_A_LINE = 18


@kept
def draw_card(picture: CardPicture) -> bytes:
    """Draw a scorecard: the holes with golf's marks, the total and strokes against par; a PNG."""
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    canvas.brand(_LEFT - 8, 92, flag=ACCENT, ink=INK)
    figures = (
        (signed(picture.to_par), "TO PAR", ACCENT if picture.to_par < 0 else INK),
        (_number(picture.strokes), "STROKES", INK),
        (str(len(picture.final)), "THRU", INK),
    )
    x: float = _LEFT
    for place, (figure, label, colour) in enumerate(figures):
        shown = figure if picture.final or label == "THRU" else MINUS
        size = 96 if place == 0 else 64
        canvas.text(shown, x, 226, size=size, fill=colour, bold=True)
        canvas.text(label, x, 260, size=22, fill=INK_2)
        x += max(200.0, canvas.width(shown, size) + 60)
    _draw_table(canvas, picture)
    return canvas.png()


def _draw_table(canvas: Canvas, picture: CardPicture) -> None:
    """Draw the holes, a second line of them under the first where they are many."""
    lines = [
        picture.holes[i : i + _HOLES_A_LINE] for i in range(0, len(picture.holes), _HOLES_A_LINE)
    ]
    across = (_WIDTH - _LABEL - _TOTAL) / max(map(len, lines), default=1)
    row = (_BOTTOM - _TOP - _GAP * (len(lines) - 1)) / (3 * len(lines))
    for line, holes in enumerate(lines):
        top = _TOP + line * (3 * row + _GAP)
        _draw_frame(canvas, top, row)
        first = 1 + line * _HOLES_A_LINE
        for place, hole in enumerate(holes):
            x = _LEFT + _LABEL + (place + 0.5) * across
            size = round(min(36, across * 0.46, row * 0.45))
            number = first + place
            shown = (None, None) if number in picture.void else hole
            _draw_hole(canvas, shown, number=number, x=x, top=top, row=row, size=size)
        if line == len(lines) - 1:
            _draw_total(canvas, picture, top, row)


def _draw_frame(canvas: Canvas, top: float, row: float) -> None:
    canvas.box(_LEFT, top, _WIDTH, 3 * row, radius=12, fill=SURFACE, line=LINE, thick=1.5)
    for place, text in enumerate(("Hole", "Par", "Strokes")):
        middle = top + (place + 0.5) * row
        size = round(min(26, row * 0.5))
        canvas.text(text, _LEFT + 20, middle + size * 0.35, size=size, fill=INK_2)
        if place:
            canvas.box(_LEFT, top + place * row - 0.75, _WIDTH, 1.5, fill=LINE)
    canvas.box(_LEFT + _WIDTH - _TOTAL, top, 1.5, 3 * row, fill=LINE)


def _draw_hole(
    canvas: Canvas,
    hole: tuple[int | None, int | None],
    *,
    number: int,
    x: float,
    top: float,
    row: float,
    size: int,
) -> None:
    par, strokes = hole
    small = round(size * 0.85)
    par_text = MINUS if par is None else str(par)
    for text, middle in ((str(number), top + row / 2), (par_text, top + row * 1.5)):
        canvas.text(text, x, middle + small * 0.35, size=small, fill=INK_2, centre=True)
    middle = top + row * 2.5
    if strokes is None or par is None:
        canvas.text(MINUS, x, middle + size * 0.35, size=size, fill=INK_2, centre=True)
        return
    _draw_mark(canvas, strokes - par, x, middle, size)
    canvas.text(
        _number(strokes),
        x,
        middle + size * 0.35,
        size=size,
        fill=ACCENT if strokes < par else INK,
        bold=True,
        centre=True,
    )


def _draw_total(canvas: Canvas, picture: CardPicture, top: float, row: float) -> None:
    strokes = _number(picture.strokes) if picture.final else MINUS
    size = round(min(30, row * 0.5))
    for place, text in enumerate(("Total", str(picture.par), strokes)):
        canvas.text(
            text,
            _LEFT + _WIDTH - _TOTAL / 2,
            top + (place + 0.5) * row + size * 0.35,
            size=size,
            fill=INK,
            bold=True,
            centre=True,
        )


def _draw_mark(canvas: Canvas, over: int, x: float, y: float, size: int) -> None:
    """Draw golf's own mark: a ring under par, a square over it, doubled at two or more."""
    if over == 0:
        return
    for ring in range(min(abs(over), 2)):
        half = size * (0.72 + 0.14 * ring)
        canvas.box(
            x - half,
            y - half,
            2 * half,
            2 * half,
            radius=half if over < 0 else 0,
            line=ACCENT if over < 0 else LINE_STRONG,
            thick=2,
        )


def _number(number: int) -> str:
    return f"{MINUS}{-number}" if number < 0 else str(number)
