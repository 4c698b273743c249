"""Pictures: what is drawn where, from which shapes, and how often."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from games import pictures
from games.pictures import GamePicture, draw_game, kept, outline, suit_shape

WHITE, FELT = (255, 255, 255), (0x1D, 0x5A, 0x41)
TEMPLATES = Path(__file__).parents[2] / "templates"
SUITS = TEMPLATES / "components/suits.html"


def picture(
    columns: str = "7C2H/AS/-/-/-/-/-", *, strokes: int = 3, code: str = "X"
) -> GamePicture:
    return GamePicture(
        columns=tuple(tuple(re.findall("..", column)) for column in columns.split("/")),
        pile=("8H", "9S"),
        stock_left=4,
        code=code,
        strokes=strokes,
        to_par=strokes - 5,
        app_score=290,
    )


def image(png: bytes) -> Image.Image:
    found = Image.open(BytesIO(png))
    assert found.format == "PNG"
    return found.convert("RGB")


def reddish(box: Image.Image) -> int:
    data = box.tobytes()
    return sum(
        1 for i in range(0, len(data), 3) if data[i] > 150 and data[i + 1] < 80 and data[i + 2] < 80
    )


def test_the_size_that_links_show() -> None:
    assert image(draw_game(picture())).size == (1200, 630)


def test_the_same_game_gives_the_same_bytes() -> None:
    fresh = draw_game.__wrapped__  # type: ignore[attr-defined]
    assert fresh(picture()) == fresh(picture())
    assert fresh(picture()) != fresh(picture("7C2D/AS/-/-/-/-/-"))


def test_cards_lie_in_their_columns() -> None:
    drawn = image(draw_game(picture()))
    first, second, third = (56 + n * 108 + 50 for n in range(3))
    # Two cards in the first column, one in the second, the place of none in the third.
    assert drawn.getpixel((first, 52 + 43 + 70)) == WHITE
    assert drawn.getpixel((first, 52 + 43 + 140)) == FELT
    assert drawn.getpixel((second, 52 + 40)) == WHITE
    assert drawn.getpixel((second, 52 + 140)) == FELT
    assert drawn.getpixel((third, 52 + 70)) == FELT


def test_a_heart_is_red_and_a_spade_is_not() -> None:
    drawn = image(draw_game(picture()))
    assert reddish(drawn.crop((56, 52 + 43, 152, 52 + 43 + 132))) > 1000
    assert reddish(drawn.crop((164, 52, 260, 52 + 132))) == 0


def test_a_cleared_table_shows_the_last_cards() -> None:
    drawn = image(draw_game(picture("-/-/-/-/-/-/-", strokes=0)))
    assert drawn.getpixel((416, 315)) != FELT
    # There is neither stock nor column.
    assert drawn.getpixel((80, 60)) == FELT
    assert drawn.getpixel((80, 450)) == FELT


@pytest.mark.parametrize(("strokes", "above"), [(3, False), (5, True), (8, True)])
def test_under_par_has_a_minus_sign(strokes: int, above: bool) -> None:
    drawn = image(draw_game(picture(strokes=strokes)))
    ink = (0xF3, 0xF8, 0xF5)
    bar = [x for x in range(868, 935) if drawn.getpixel((x, 250)) == ink]
    assert len(bar) > 50
    # Above its bar a plus and an E go on; a minus does not.
    assert (ink in {drawn.getpixel((x, 230)) for x in range(868, 928)}) is above


def test_the_longest_code_stays_on_the_table() -> None:
    code = "GO2-XAQW2E-7" + "Z" * 25
    drawn = image(draw_game(picture(code=code)))
    ink = [x for x in range(56, 816) if drawn.getpixel((x, 575)) != FELT]
    assert 500 < max(ink) < 800


@pytest.mark.parametrize("suit", "SHDCJ")
def test_suits_are_the_shapes_of_the_pages(suit: str) -> None:
    shape = suit_shape(suit)
    path = re.search(rf'id="suit-{suit}"[^>]*><path d="([^"]+)"', SUITS.read_text())
    assert path is not None
    assert shape == outline(path[1])
    xs, ys = zip(*shape, strict=True)
    assert min(*xs, *ys) >= 0
    assert max(*xs, *ys) <= 100
    assert max(xs) - min(xs) > 70


def test_the_flag_is_the_one_of_the_pages() -> None:
    assert f'd="{pictures.FLAG}"' in (TEMPLATES / "base.html").read_text()
    assert len(outline(pictures.FLAG)) > 60


def test_a_suit_that_is_none() -> None:
    with pytest.raises(ValueError, match="no shape"):
        suit_shape("X")


def test_paths_are_read_as_svg_reads_them() -> None:
    assert outline("M1 2h3v4H0V1z") == ((1, 2), (4, 2), (4, 6), (0, 6), (0, 1))
    assert outline("m1 2 3-4l.5.5z") == ((1, 2), (4, -2), (4.5, -1.5))
    curve = outline("M0 0C0 10 10 10 10 0s10-10 10 0")
    assert (curve[0], curve[16], curve[-1]) == ((0, 0), (10, 0), (20, 0))
    assert curve[8] == (5, 7.5)
    # The second curve leaves as the first arrives: downwards, on the other side.
    assert curve[17][1] < 0
    with pytest.raises(ValueError, match="Q"):
        outline("M0 0Q1 1 2 2")


def test_a_picture_is_drawn_once() -> None:
    drawn: list[int] = []

    @kept
    def draw(number: int) -> bytes:
        drawn.append(number)
        return bytes([number])

    assert [draw(1), draw(2), draw(1)] == [b"\1", b"\2", b"\1"]
    assert drawn == [1, 2]
    for number in range(3, 131):
        draw(number)
    draw(1)
    assert drawn[-1] == 1  # 128 are kept, no more


@pytest.mark.parametrize(("number", "text"), [(0, "E"), (3, "+3"), (-2, "−2")])
def test_figures_against_par(number: int, text: str) -> None:
    assert pictures.signed(number) == text
