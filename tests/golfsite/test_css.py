"""No style names a side left or right, top or bottom: every page mirrors itself in Arabic."""

import re

import pytest

from tests.harness.processes import ROOT

SHEETS = sorted((ROOT / "static").rglob("*.css"))
_PHYSICAL = re.compile(
    r"""(?x) (?<![\w-]) (?:
        (?: (?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right|top|bottom)[\w-]*
          | border-(?:top|bottom)-(?:left|right)-radius
          | (?:min-|max-)?(?:width|height) | left | right | top | bottom
          | overflow-[xy] ) \s* :
      | (?:text-align|float|clear|caption-side) \s* : \s* (?:left|right)
    )"""
)
#: A scroll container has no logical property that every browser knows yet.
_NO_LOGICAL_ONE = ("overflow-x", "overflow-y")


def physical(sheet):
    """Return the declarations of a style sheet that name a physical side, media queries apart."""
    sheet = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    sheet = re.sub(r"@(?:media|container)[^{]*\{", "{", sheet)
    return [
        found[0].strip()
        for found in _PHYSICAL.finditer(sheet)
        if not found[0].startswith(_NO_LOGICAL_ONE)
    ]


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_logical_properties_only(path):
    assert physical(path.read_text()) == []


def test_what_counts_as_physical():
    assert physical(
        "a { margin-left: 1px; padding-inline: 2px; width: 3px; inline-size: 4px; left: 0;"
        " border-top-right-radius: 1px; text-align: right; text-align: end; max-height: 1px;"
        " border-block-end-width: 1px; line-height: 1; stroke-width: 2; overflow-x: auto }"
        "@media (max-width: 3rem) { b { float: left } } /* left: 0 */"
    ) == [
        "margin-left:", "width:", "left:", "border-top-right-radius:", "text-align: right",
        "max-height:", "float: left",
    ]  # fmt: skip
