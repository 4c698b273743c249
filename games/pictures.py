"""Pictures of cards and figures, for links that are shown in other places: PNG, 1200 by 630.

A picture holds digits, Latin letters and shapes only, so that it needs no font but the one that
comes with Pillow and is the same for every reader. Names and sentences stand in the text of the
link. Pure: what is drawn is handed in, and the same data give the same bytes.
"""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from io import BytesIO
from math import cos, radians, sin
from typing import Final, TypeVar

from django.template.loader import get_template
from PIL import Image, ImageDraw, ImageFont

Point = tuple[float, float]
Colour = tuple[int, int, int]
Drawn = TypeVar("Drawn")

WIDTH, HEIGHT = 1200, 630
MINUS: Final = "\N{MINUS SIGN}"

# The colours of static/css/base.css and board.css in the light theme.
PAPER: Final = (0xF5, 0xF6, 0xF3)
SURFACE: Final = (0xFF, 0xFF, 0xFF)
INK: Final = (0x17, 0x20, 0x1B)
INK_2: Final = (0x55, 0x61, 0x5A)
LINE: Final = (0xD9, 0xDD, 0xD6)
LINE_STRONG: Final = (0x8A, 0x95, 0x8D)
ACCENT: Final = (0x17, 0x69, 0x4A)
FELT: Final = (0x1D, 0x5A, 0x41)
FELT_DEEP: Final = (0x17, 0x4A, 0x35)
FELT_INK: Final = (0xF3, 0xF8, 0xF5)
FELT_INK_2: Final = (0xBD, 0xD5, 0xC8)
_FELT_PLACE: Final = (0x4D, 0x7D, 0x68)
_CARD_FACE: Final = (0xFF, 0xFF, 0xFF)
_CARD_COVERED: Final = (0xF3, 0xF4, 0xF1)
_CARD_LINE: Final = (0xC9, 0xCE, 0xC8)
_CARD_BACK: Final = (0x25, 0x6E, 0x50)
_BACK_LINE: Final = (0x42, 0x81, 0x67)
_SUIT_COLOURS: Final = {
    "S": (0x14, 0x18, 0x1B),
    "H": (0xC2, 0x15, 0x1B),
    "D": (0xC2, 0x15, 0x1B),
    "C": (0x14, 0x18, 0x1B),
    "J": (0x6B, 0x3F, 0xA0),
}
#: The mark of the site in templates/base.html.
FLAG: Final = (
    "M8 2.5a1 1 0 0 1 1.47-.88l9 4.8a.9.9 0 0 1 0 1.58L10 12.55v6.6c3.5.2 6 .9 6 1.85 0 1.1-3.1 2"
    "-7 2s-7-.9-7-2c0-.95 2.5-1.65 6-1.85z"
)

#: Everything is drawn larger and made smaller in the end, which smooths every edge.
_SCALE: Final = 2
#: Pictures that a process keeps; one takes some thirty kilobytes.
_KEPT: Final = 128
_drawing = threading.Lock()


def kept(draw: Callable[[Drawn], bytes]) -> Callable[[Drawn], bytes]:
    """Keep the last pictures of a function, and draw one at a time in this process.

    So a flood of requests for pictures takes one thread's work from the games, never all of it.
    """
    remembered = lru_cache(maxsize=_KEPT)(draw)

    @wraps(draw)
    def drawn(picture: Drawn) -> bytes:
        with _drawing:
            return remembered(picture)

    return drawn


# --- shapes --------------------------------------------------------------------------------------

_PATH_PART: Final = re.compile(r"[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)")
_NUMBERS_OF: Final = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "A": 7, "Z": 0}
_CURVE_STEPS: Final = 16


@cache
def suit_shape(suit: str) -> tuple[Point, ...]:
    """Return the outline of a suit (`S H D C`, `J` a joker) in a square of 100.

    It is the path that the pages draw (`components/suits.html`).
    """
    # A template of Django's own engine has the inner template with its source.
    source: str = get_template("components/suits.html").template.source  # type: ignore[attr-defined]
    found = re.search(rf'<symbol id="suit-{suit}"[^>]*><path d="([^"]+)"', source)
    if found is None:
        raise ValueError(f"there is no shape for the suit {suit}")
    return outline(found[1])


def outline(path: str) -> tuple[Point, ...]:
    """Return the corners of a closed SVG path of one part.

    Raises `ValueError` for a command that it does not know.
    """
    points: list[Point] = []
    here = bend = (0.0, 0.0)
    for command, numbers in _commands(path):
        kind = command.upper()
        if kind == "Z":
            continue
        ends = _ends(kind, numbers, here, is_relative=command.islower())
        if kind == "S":
            # Its first handle mirrors the last one of the curve before.
            ends.insert(0, (2 * here[0] - bend[0], 2 * here[1] - bend[1]))
        points += _curve(here, *ends) if kind in "CS" else ends
        bend, here = ends[-2] if kind in "CS" else ends[-1], ends[-1]
    return tuple(points)


def _ends(kind: str, numbers: list[float], here: Point, *, is_relative: bool) -> list[Point]:
    """Return the points that a command names."""
    x, y = here if is_relative else (0.0, 0.0)
    if kind == "H":
        return [(x + numbers[0], here[1])]
    if kind == "V":
        return [(here[0], y + numbers[0])]
    if kind == "A":
        # Arcs are small corners here: their ends are enough.
        numbers = numbers[5:]
    return [(x + dx, y + dy) for dx, dy in zip(numbers[::2], numbers[1::2], strict=True)]


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    """Part a path into its commands; numbers that go on repeat the command before them."""
    parts = _PATH_PART.findall(path)
    at, command = 0, ""
    while at < len(parts):
        if parts[at].isalpha():
            command, at = parts[at], at + 1
            if command.upper() not in _NUMBERS_OF:
                raise ValueError(f"an SVG command that is not drawn here: {command}")
        count = _NUMBERS_OF[command.upper()]
        yield command, [float(number) for number in parts[at : at + count]]
        at += count
        command = {"M": "L", "m": "l"}.get(command, command)


def _curve(start: Point, first: Point, second: Point, end: Point) -> list[Point]:
    """Return points of a cubic Bézier curve, without its start."""
    points = []
    for step in range(1, _CURVE_STEPS + 1):
        t = step / _CURVE_STEPS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        bend = list(zip(weights, (start, first, second, end), strict=True))
        points.append((sum(w * p[0] for w, p in bend), sum(w * p[1] for w, p in bend)))
    return points


# --- the canvas ----------------------------------------------------------------------------------


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size * _SCALE)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType, so it cannot write at a size")
    return font


class Canvas:
    """A picture that is drawn in the units of its final size."""

    def __init__(
        self, width: float, height: float, background: Colour | tuple[int, int, int, int]
    ) -> None:
        size = (round(width * _SCALE), round(height * _SCALE))
        self.image = Image.new("RGB" if len(background) == 3 else "RGBA", size, background)
        self._draw = ImageDraw.Draw(self.image)

    def png(self) -> bytes:
        """Return the picture as a PNG file."""
        file = BytesIO()
        self.image.reduce(_SCALE).save(file, "PNG", optimize=True)
        return file.getvalue()

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        radius: float = 0,
        fill: Colour | None = None,
        line: Colour | None = None,
        thick: float = 1,
    ) -> None:
        """Draw a rectangle, with round corners where `radius` is not 0."""
        self._draw.rounded_rectangle(
            self._scaled((x, y), (x + width, y + height)),
            radius * _SCALE,
            fill=fill,
            outline=line,
            width=round(thick * _SCALE),
        )

    def shape(self, points: Sequence[Point], x: float, y: float, zoom: float, fill: Colour) -> None:
        """Draw an outline, its origin at `(x, y)`."""
        self._draw.polygon(
            self._scaled(*((x + px * zoom, y + py * zoom) for px, py in points)), fill=fill
        )

    def text(
        self,
        text: str,
        x: float,
        y: float,
        *,
        size: int,
        fill: Colour,
        bold: bool = False,
        centre: bool = False,
    ) -> None:
        """Write a line on the base line `y`, beginning at `x` or centred on it."""
        width = self.width(text, size)
        left = x - width / 2 if centre else x
        # The font has no minus sign.
        if text.startswith(MINUS):
            bar = size * 0.085 if bold else size * 0.065
            self.box(left + size * 0.05, y - size * 0.3 - bar / 2, size * 0.45, bar, fill=fill)
            left, text = left + size * 0.58, text[1:]
        self._draw.text(
            self._scaled((left, y))[0],
            text,
            fill=fill,
            font=_font(size),
            anchor="ls",
            stroke_width=size * _SCALE * 0.018 if bold else 0,
            stroke_fill=fill,
        )

    def width(self, text: str, size: int) -> float:
        """Return how wide a line is."""
        if text.startswith(MINUS):
            return size * 0.58 + self.width(text[1:], size)
        return _font(size).getlength(text) / _SCALE

    def paste(self, other: "Canvas", x: float, y: float, *, turned: float = 0) -> None:
        """Put another picture with its middle at `(x, y)`, turned clockwise by degrees."""
        image = other.image.rotate(-turned, Image.Resampling.BICUBIC, expand=True)
        left, top = round(x * _SCALE - image.width / 2), round(y * _SCALE - image.height / 2)
        self.image.paste(image, (left, top), image)

    def brand(self, x: float, y: float, *, flag: Colour, ink: Colour) -> None:
        """Draw the site's flag and name, the name on the base line `y`."""
        self.shape(outline(FLAG), x, y - 33, 1.75, flag)
        self.text("Golf Solitaire", x + 50, y, size=36, fill=ink, bold=True)

    @staticmethod
    def _scaled(*points: Point) -> list[Point]:
        return [(x * _SCALE, y * _SCALE) for x, y in points]


def signed(number: int) -> str:
    """Return strokes against par as golfers write them: `E`, `+3`, `−2`."""
    if number == 0:
        return "E"
    return f"+{number}" if number > 0 else f"{MINUS}{-number}"


# --- cards ---------------------------------------------------------------------------------------


def draw_card(canvas: Canvas, card: str, x: float, y: float, w: float, *, free: bool) -> None:
    """Draw a card of its text (`TH`, `*`), `w` wide; of a covered one the strip above counts."""
    suit = card[1:] or "J"
    colour = _SUIT_COLOURS[suit]
    face = _CARD_FACE if free else _CARD_COVERED
    height = w * 1.38
    canvas.box(x, y, w, height, radius=w * 0.09, fill=face, line=_CARD_LINE)
    size = round(w * 0.4)
    rank = {"T": "10", "*": ""}.get(card[0], card[0])
    canvas.text(rank, x + w * 0.1, y + w * 0.39, size=size, fill=colour, bold=True)
    mark = w * 0.29
    canvas.shape(suit_shape(suit), x + w * 0.91 - mark, y + w * 0.1, mark / 100, colour)
    if not free:
        return
    pip = w * 0.56
    canvas.shape(suit_shape(suit), x + w * 0.22, y + height - w * 0.13 - pip, pip / 100, colour)
    if card[0] in "JQK":
        paler = tuple(round(255 - (255 - part) * 0.32) for part in colour)
        canvas.box(
            x + w * 0.14,
            y + height - w * 0.75,
            w * 0.72,
            w * 0.68,
            radius=w * 0.05,
            line=(paler[0], paler[1], paler[2]),
            thick=max(1, w * 0.014),
        )


def _draw_back(canvas: Canvas, x: float, y: float, w: float) -> None:
    height = w * 1.38
    canvas.box(x, y, w, height, radius=w * 0.09, fill=FELT_INK)
    edge = w * 0.045
    canvas.box(
        x + edge, y + edge, w - 2 * edge, height - 2 * edge, radius=w * 0.06, fill=_CARD_BACK
    )
    for inset in (w * 0.14, w * 0.23, w * 0.32):
        canvas.box(
            x + inset,
            y + inset,
            w - 2 * inset,
            height - 2 * inset,
            radius=w * 0.04,
            line=_BACK_LINE,
            thick=1.5,
        )


# --- a finished game -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GamePicture:
    """What the picture of a finished game shows; cards are text such as `TH` and `*`.

    `pile` is the waste from the bottom to the top, as far as it is known.
    """

    columns: tuple[tuple[str, ...], ...]
    pile: tuple[str, ...]
    stock_left: int
    code: str
    strokes: int
    to_par: int
    app_score: int


_LEFT, _CARD, _SPACE = 56, 96, 12
_FIGURES_AT: Final = 868
#: Cards of the waste that are seen beside the top one.
_SPREAD: Final = 5


@kept
def draw_game(picture: GamePicture) -> bytes:
    """Draw where a game ended, its figures and its code; a PNG file."""
    canvas = Canvas(WIDTH, HEIGHT, FELT)
    canvas.box(_FIGURES_AT - 52, 0, WIDTH, HEIGHT, fill=FELT_DEEP)
    if any(picture.columns):
        _draw_board(canvas, picture)
    else:
        _draw_fan(canvas, picture.pile[-9:])
    canvas.text(picture.code, _LEFT, 584, size=26, fill=FELT_INK_2)
    canvas.brand(_FIGURES_AT - 8, 92, flag=FELT_INK_2, ink=FELT_INK)
    figures = (
        (signed(picture.to_par), "TO PAR", 132, 290),
        (str(picture.strokes), "STROKES", 64, 434),
        (str(picture.app_score), "SCORE", 64, 560),
    )
    for figure, label, size, y in figures:
        canvas.text(figure, _FIGURES_AT, y, size=size, fill=FELT_INK, bold=True)
        canvas.text(label, _FIGURES_AT, y + 32, size=22, fill=FELT_INK_2)
    return canvas.png()


def _draw_board(canvas: Canvas, picture: GamePicture) -> None:
    strip, top = 43, 52
    for number, column in enumerate(picture.columns):
        x = _LEFT + number * (_CARD + _SPACE)
        if not column:
            canvas.box(
                x, top, _CARD, _CARD * 1.38, radius=_CARD * 0.09, line=_FELT_PLACE, thick=1.5
            )
        for row, card in enumerate(column):
            free = row == len(column) - 1
            draw_card(canvas, card, x, top + row * strip, _CARD, free=free)
    y = top + 4 * strip + _CARD * 1.38 + 30
    if picture.stock_left:
        _draw_back(canvas, _LEFT, y, _CARD)
        canvas.text(
            str(picture.stock_left),
            _LEFT + _CARD / 2,
            y + _CARD * 0.81,
            size=38,
            fill=FELT_INK,
            bold=True,
            centre=True,
        )
    else:
        canvas.box(_LEFT, y, _CARD, _CARD * 1.38, radius=_CARD * 0.09, line=_FELT_PLACE, thick=1.5)
    for place, card in enumerate(picture.pile[-_SPREAD - 1 :]):
        draw_card(canvas, card, _LEFT + _CARD + _SPACE + place * 60, y, _CARD, free=True)


def _draw_fan(canvas: Canvas, cards: Sequence[str]) -> None:
    """Spread the last cards of a cleared table as a hand holds them."""
    width, radius, step = 144, 560, 7
    for place, card in enumerate(cards):
        angle = (place - (len(cards) - 1) / 2) * step
        shown = Canvas(width + 2, width * 1.38 + 2, (0, 0, 0, 0))
        draw_card(shown, card, 1, 1, width, free=True)
        canvas.paste(
            shown,
            _LEFT + 360 + radius * sin(radians(angle)),
            310 + radius - radius * cos(radians(angle)),
            turned=angle,
        )
