"""The catalogues of the site's texts: brought up to date, checked and compiled without gettext.

Texts are found by Babel in the Python code, and in the templates as Django itself turns them into
gettext calls. Needs Babel and polib, which are installed for development only: what is compiled is
kept with the code, so that serving needs neither.
"""

import gettext
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from django.template.base import Lexer, TokenType
from django.utils.translation import to_locale
from django.utils.translation.template import templatize

if TYPE_CHECKING:
    import polib

SOURCE_LANGUAGE: Final = "en"
_KEYWORDS: Final = {
    name + lazy: arguments
    for name, arguments in {
        "gettext": None,
        "ngettext": (1, 2),
        "pgettext": ((1, "c"), 2),
        "npgettext": ((1, "c"), 2, 3),
    }.items()
    for lazy in ("", "_lazy")
} | {"_": None, "gettext_noop": None}
#: Attributes that are shown or read out.
_VISIBLE_ATTRIBUTES: Final = {
    "alt", "aria-description", "aria-label", "aria-placeholder", "aria-roledescription",
    "aria-valuetext", "label", "placeholder", "title",
}  # fmt: skip
_VOID: Final = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
#: What stands in these is a key, a code or a program, the same in every language.
_NOT_PROSE: Final = {"code", "kbd", "samp", "script", "style"}
#: Tags of the template language whose content is no text of the page, or is translated.
_HOLDS_NO_PROSE: Final = {"blocktrans", "blocktranslate", "comment"}
_PLACEHOLDER: Final = re.compile(r"%\(\w+\)[sd]|(?<!%)(?:%%)*(%[sd])|\{\w*\}|</?[a-z][a-z0-9]*")
_WIDTH: Final = 98


class ToolsMissing(Exception):
    """Babel or polib is not installed."""


def require_tools() -> None:
    """Raise `ToolsMissing` unless what the other functions need is installed."""
    try:
        import babel  # noqa: F401
        import polib  # noqa: F401
    except ImportError as error:
        raise ToolsMissing(f"Catalogues need Babel and polib ({error}): make setup") from error


@dataclass
class Text:
    """One text of the site in its source language, and where it stands."""

    singular: str
    plural: str | None = None
    context: str | None = None
    files: set[str] = field(default_factory=set)
    comments: list[str] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str]:
        """What a catalogue knows it by."""
        return (self.context or "", self.singular)


def extract(root: Path, folders: Sequence[str]) -> dict[tuple[str, str], Text]:
    """Return the texts of all templates and Python files in `folders` of `root`, by key."""
    found: dict[tuple[str, str], Text] = {}
    for path in sources(root, folders):
        for text in _texts_of(path):
            known = found.setdefault(text.key, text)
            known.plural = known.plural or text.plural
            known.files.add(path.relative_to(root).as_posix())
            known.comments += [line for line in text.comments if line not in known.comments]
    return found


def sources(root: Path, folders: Sequence[str]) -> Iterator[Path]:
    """Yield the templates and Python files in `folders` of `root` that may hold texts."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            is_template = path.suffix in {".html", ".txt"} and "templates" in path.parts
            is_code = path.suffix == ".py" and "migrations" not in path.parts
            if path.is_file() and (is_template or is_code):
                yield path


def _texts_of(path: Path) -> Iterator[Text]:
    from babel.messages.extract import extract as babel_extract

    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        # What is left of the markup must not look like Python's indentation.
        calls = templatize(source, origin=str(path))
        source = "\n".join(line.lstrip() for line in calls.splitlines())
    messages = babel_extract(
        "python",
        BytesIO(source.encode()),
        keywords=_KEYWORDS,
        comment_tags=["Translators"],
        strip_comment_tags=False,
    )
    for _line, message, comments, context in messages:
        singular, plural = message if isinstance(message, tuple) else (message, None)
        if singular:
            yield Text(singular, plural, context, comments=list(comments))


# --- catalogues ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plurals:
    """How a language counts: `forms` of each plural, which `formula` chooses by number."""

    forms: int
    formula: str

    @classmethod
    def of(cls, language: str) -> "Plurals":
        """Return what CLDR says of `language`."""
        from babel.messages.plurals import get_plural

        plural = get_plural(to_locale(language))
        return cls(plural.num_plurals, plural.plural_expr)

    @property
    def header(self) -> str:
        """The header of a catalogue."""
        return f"nplurals={self.forms}; plural=({self.formula});"

    def stands_for_one_number(self, form: int) -> bool:
        """Return whether `form` is used for a single number, and so may leave it out."""
        choose = gettext.c2py(self.formula)
        return sum(choose(number) == form for number in range(1000)) == 1


def catalogue_path(locale: Path, language: str) -> Path:
    """Return where the catalogue of `language` is kept."""
    return locale / to_locale(language) / "LC_MESSAGES" / "django.po"


def update(path: Path, language: str, texts: dict[tuple[str, str], Text]) -> None:
    """Bring the catalogue in line with `texts`: translations are kept, what is gone is dropped."""
    import polib

    old = _read(path) if path.exists() else polib.POFile()
    known = {(entry.msgctxt or "", entry.msgid): entry for entry in old}
    plurals = Plurals.of(language)
    new = polib.POFile(wrapwidth=_WIDTH)
    new.header = old.header
    new.metadata = {
        "Language": to_locale(language),
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": plurals.header,
    }
    for key in sorted(texts):
        new.append(_entry(texts[key], known.get(key), plurals))
    path.parent.mkdir(parents=True, exist_ok=True)
    new.save(str(path))


def _entry(text: Text, old: "polib.POEntry | None", plurals: Plurals) -> "polib.POEntry":
    import polib

    entry = polib.POEntry(
        msgid=text.singular,
        msgctxt=text.context,
        comment="\n".join(text.comments),
        # Files without line numbers: a catalogue changes when a text does.
        occurrences=[(name, "") for name in sorted(text.files)],
        tcomment=old.tcomment if old else "",
        flags=list(old.flags) if old else [],
    )
    if text.plural is None:
        entry.msgstr = old.msgstr if old else ""
    else:
        entry.msgid_plural = text.plural
        given = old.msgstr_plural if old else {}
        entry.msgstr_plural = {form: given.get(form, "") for form in range(plurals.forms)}
    return entry


def compile_catalogue(path: Path) -> None:
    """Write the compiled catalogue beside the one at `path`."""
    path.with_suffix(".mo").write_bytes(_read(path).to_binary())


def _read(path: Path) -> "polib.POFile":
    import polib

    return polib.pofile(str(path), wrapwidth=_WIDTH)


# --- checks --------------------------------------------------------------------------------------


def check_catalogue(path: Path, language: str, texts: dict[tuple[str, str], Text]) -> Iterator[str]:
    """Yield what is wrong with a catalogue, a line for each: whatever a reader would notice."""
    if not path.exists():
        yield "there is no such catalogue"
        return
    plurals = Plurals.of(language)
    catalogue = _read(path)
    if catalogue.metadata.get("Plural-Forms") != plurals.header:
        yield f"the header must say Plural-Forms: {plurals.header}"
    entries = {(entry.msgctxt or "", entry.msgid): entry for entry in catalogue}
    for key, text in sorted(texts.items()):
        entry = entries.get(key)
        if entry is None or entry.obsolete:
            yield f"missing: {text.singular!r}"
        else:
            for problem in _problems(entry, text, plurals):
                yield f"{problem}: {text.singular!r}"
    for key, entry in sorted(entries.items()):
        if key not in texts or entry.obsolete:
            yield f"obsolete: {entry.msgid!r}"
    compiled = path.with_suffix(".mo")
    if not compiled.exists() or compiled.read_bytes() != catalogue.to_binary():
        yield f"{compiled.name} is out of date"


def _problems(entry: "polib.POEntry", text: Text, plurals: Plurals) -> Iterator[str]:
    if entry.fuzzy:
        yield "fuzzy"
    if (entry.msgid_plural or None) != text.plural:
        yield "another plural in the source"
    elif text.plural is None:
        if not entry.msgstr.strip():
            yield "empty"
        elif _placeholders(entry.msgstr) != _placeholders(text.singular):
            yield "other placeholders than the source"
    else:
        yield from _plural_problems(entry, text.plural, plurals)


def _plural_problems(entry: "polib.POEntry", source: str, plurals: Plurals) -> Iterator[str]:
    if sorted(entry.msgstr_plural) != list(range(plurals.forms)):
        yield f"{len(entry.msgstr_plural)} plural forms instead of {plurals.forms}"
        return
    wanted = _placeholders(source)
    for form, translation in sorted(entry.msgstr_plural.items()):
        given = _placeholders(translation)
        if not translation.strip():
            yield f"plural form {form} empty"
        elif given != wanted and not (given <= wanted and plurals.stands_for_one_number(form)):
            yield f"plural form {form} with other placeholders than the source"


def _placeholders(text: str) -> Counter[str]:
    """Count the placeholders and markup of `text`; a named one may be used more than once."""
    found = Counter(match[1] or match[0] for match in _PLACEHOLDER.finditer(text))
    return Counter({name: 1 if "(" in name or "{" in name else n for name, n in found.items()})


def check_template(path: Path) -> Iterator[str]:
    """Yield the visible texts of a template that no translation tag holds, with their lines.

    An element with `translate="no"` (a name, a code) is left alone, as browsers do, and so is a
    block whose name ends in `_class`: it fills a class attribute of the page around it.
    """
    reader = _ProseReader()
    reader.feed("".join(_untranslated(path.read_text(encoding="utf-8"))))
    reader.close()
    for line, text in reader.found:
        yield f"line {line}: not translated: {text!r}"


def _untranslated(source: str) -> Iterator[str]:
    """Yield the source in pieces with every tag, and what translation tags hold, blanked out."""
    within: str | None = None
    for token in Lexer(source).tokenize():
        words = token.contents.split(maxsplit=1)
        if token.token_type == TokenType.TEXT and within is None:
            yield token.contents
        else:
            # Line numbers stay right, and two words do not become one.
            yield " " + "\n" * token.contents.count("\n")
        if token.token_type == TokenType.BLOCK and words:
            if within is None and (words[0] in _HOLDS_NO_PROSE or _fills_a_class(words)):
                within = words[0]
            elif within is not None and words[0] == f"end{within}":
                within = None


def _fills_a_class(words: Sequence[str]) -> bool:
    return words[0] == "block" and words[-1].endswith("_class")


class _ProseReader(HTMLParser):
    """Collects the words that a visitor would see or hear."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        hidden = tag in _NOT_PROSE or attributes.get("translate") == "no" or self._hidden
        if not hidden:
            for name, value in attributes.items():
                if name in _VISIBLE_ATTRIBUTES or self._is_shown(tag, name, attributes):
                    self._note(value)
        if tag not in _VOID:
            self._open.append((tag, hidden))

    def handle_endtag(self, tag: str) -> None:
        # A part of a page may close what another part opened.
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index][0] == tag:
                del self._open[index:]
                break

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._note(data)

    @property
    def _hidden(self) -> bool:
        return bool(self._open) and self._open[-1][1]

    @staticmethod
    def _is_shown(tag: str, name: str, attributes: dict[str, str]) -> bool:
        if tag == "input" and name == "value":
            return attributes.get("type") in {"button", "reset", "submit"}
        if tag == "meta" and name == "content":
            return attributes.get("name") == "description"
        return False

    def _note(self, text: str) -> None:
        if any(character.isalpha() for character in text):
            self.found.append((self.getpos()[0], " ".join(text.split())))
