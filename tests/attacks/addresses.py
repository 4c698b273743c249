"""Every address that the site has, as its URL configuration says, and what can stand in them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from django.urls import URLPattern, URLResolver, get_resolver

_PART = re.compile(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>")
#: What stands for anything in an address, by the kind of its part.
_ANY = {"int": "1", "slug": "x", "str": "x", "path": "1"}


@dataclass(frozen=True)
class Address:
    """One address: its name with the namespace, and its route without a slash before it."""

    name: str
    route: str

    @property
    def parameters(self) -> list[str]:
        """The names of its parts that vary."""
        return [part["name"] for part in _PART.finditer(self.route)]

    def any_path(self) -> str:
        """Return a path that leads here, of something that there need not be."""
        return "/" + _PART.sub(lambda part: _ANY[part["kind"] or "str"], self.route)

    def paths(self, values: Mapping[str, tuple[object, ...]]) -> Iterator[str]:
        """Return the paths that lead here with each of the values for each part."""
        for chosen in product(*(values[name] for name in self.parameters)):
            texts = iter(map(str, chosen))
            yield "/" + _PART.sub(lambda part, texts=texts: next(texts), self.route)


def addresses() -> list[Address]:
    """Return every address of the site, the admin's as well."""
    return list(_of(get_resolver().url_patterns, "", ""))


def _of(patterns: list[URLPattern | URLResolver], namespace: str, before: str) -> Iterator[Address]:
    for pattern in patterns:
        route = before + _plain(str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _of(pattern.url_patterns, inner, route)
        else:
            yield Address(f"{namespace}{pattern.name or ''}", route)


def _plain(route: str) -> str:
    """Return a regular expression of the admin as a route."""
    if not route.startswith("^") and not route.endswith("$"):
        return route
    plain = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<path:\1>", route.strip("^$"))
    return plain.replace("/?", "/")
