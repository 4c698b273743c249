"""What a bot reads in a page: forms, tables as they are seen, elements with data for scripts."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

Attributes = dict[str, str]

_VOID = frozenset(("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source"))
_NOT_YET = ("\N{EN DASH}", "\N{MIDDLE DOT}")
#: Classes of what is not seen, and of what stands beside the text of a cell.
_HIDDEN, _BESIDE = frozenset(("visually-hidden",)), frozenset(("note", "badge", "corrected"))


@dataclass
class Cell:
    """One cell of a table: its classes, the text that is seen, and what is noted beside it."""

    classes: frozenset[str]
    text: str = ""
    note: str = ""


@dataclass
class Row:
    """One row of a table, with the `id` of its element."""

    id: str
    cells: list[Cell] = field(default_factory=list)


class Page(HTMLParser):
    """A page of the site.

    :param url: where it was found in the end, after redirects.
    :param text: its HTML.
    """

    def __init__(self, url: str, text: str) -> None:
        super().__init__()
        self.url = url
        self.elements: list[tuple[str, Attributes]] = []
        self.rows: list[Row] = []
        self._forms: list[tuple[str, str, Attributes]] = []
        self._open: list[tuple[str, frozenset[str]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element, a form, a row or a cell."""
        attributes = {name: value or "" for name, value in attrs}
        classes = frozenset(attributes.get("class", "").split())
        self.elements.append((tag, attributes))
        if tag not in _VOID:
            self._open.append((tag, classes))
        if tag == "form":
            path = urlsplit(urljoin(self.url, attributes.get("action", ""))).path
            self._forms.append((attributes.get("method", "get").lower(), path, {}))
        elif tag == "input" and attributes.get("type") == "hidden" and self._forms:
            self._forms[-1][2][attributes.get("name", "")] = attributes.get("value", "")
        elif tag == "tr":
            self.rows.append(Row(attributes.get("id", "")))
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].cells.append(Cell(classes))

    def handle_endtag(self, tag: str) -> None:
        """Close what is open down to `tag`."""
        while any(tag == name for name, _ in self._open) and self._open.pop()[0] != tag:
            pass  # an element whose end may be left out

    def handle_data(self, data: str) -> None:
        """Add text that is seen to its cell."""
        if not any(tag in ("td", "th") for tag, _ in self._open):
            return
        around = frozenset().union(*(classes for _, classes in self._open))
        cell = self.rows[-1].cells[-1]
        if around & _HIDDEN:
            return
        if around & _BESIDE:
            cell.note = f"{cell.note} {data.strip()}".strip()
        else:
            cell.text = f"{cell.text} {data.strip()}".strip()

    def form(self, path: str) -> Attributes | None:
        """The hidden fields of the form that is posted to `path`; None if there is none."""
        for method, action, hidden in self._forms:
            if (method, action) == ("post", path):
                return dict(hidden)
        return None

    def values(self, name: str, tag: str) -> list[str]:
        """The values of the attribute `name` in every element of a tag that has it."""
        return [
            attributes[name]
            for element, attributes in self.elements
            if element == tag and name in attributes
        ]


def number_in(text: str) -> int | None:
    """The figure of a cell as golfers write it, `E` or `+3`; None for a dash or a dot.

    :raises ValueError: if it is none of these.
    """
    if text in _NOT_YET:
        return None
    return 0 if text == "E" else int(text.replace("\N{MINUS SIGN}", "-"))
