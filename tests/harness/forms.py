"""The forms of a page as a browser has them: with everything that is filled in already."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit


@dataclass
class Form:
    """A form: the page it stands on, where it is sent to, and what is filled in, as paths."""

    page: str
    path: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)


def forms_of(page: str, html: str) -> list[Form]:
    """Return the forms of a page in their order.

    :param page: the path at which the page was found in the end.
    """
    reader = _Reader(page)
    reader.feed(html)
    reader.close()
    return reader.forms


def without_tokens(html: str) -> str:
    """Return a page without the tokens of its forms, in which any short word may come by chance."""
    return re.sub(r"\b[0-9A-Za-z]{64}\b", "", html)


class _Reader(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._page = page
        self._is_inside = False
        self._select = self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            path = urlsplit(urljoin(self._page, attributes.get("action", ""))).path
            method = attributes.get("method", "get").lower()
            self.forms.append(Form(self._page, path, method))
            self._is_inside = True
        elif self._is_inside and "disabled" not in attributes:
            self._take(tag, attributes)

    def _take(self, tag: str, attributes: dict[str, str]) -> None:
        fields, name = self.forms[-1].fields, attributes.get("name", "")
        if tag == "input" and name:
            is_choice = attributes.get("type") in ("checkbox", "radio")
            if not is_choice or "checked" in attributes:
                fields[name] = attributes.get("value", "on" if is_choice else "")
        elif tag == "textarea":
            self._text = name
            fields[name] = ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select:
            value = attributes.get("value", "")
            if "selected" in attributes or self._select not in fields:
                fields[self._select] = value

    def handle_data(self, data: str) -> None:
        if self._text:
            # What follows the tag directly is the line end that browsers drop.
            fields = self.forms[-1].fields
            fields[self._text] = (fields[self._text] + data).removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_inside = False
        elif tag == "select":
            self._select = ""
        elif tag == "textarea":
            self._text = ""
