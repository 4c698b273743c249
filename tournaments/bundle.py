"""The form of a results bundle: all that a finished tournament rests on, in one file.

Pure: the file's spelling, and nothing of what it means; see `tournaments.verification` for that,
and `tournaments.selectors.bundles` for where it comes from.

The file is JSON in UTF-8 with a line for each record, so that two of them can be compared line by
line. Of one tournament there is one spelling: keys in the order of `RECORDS`, no spaces, no escapes
but those that JSON needs, times in UTC with microseconds (``2026-11-30T00:22:00.000000Z``).

Two kinds of sums find what was changed since:

- ``sums``, the last key of each record, has four hexadecimal digits for each key before it, in
  order: the CRC-16 (XMODEM) of the key's value as the file spells it. Records in a record (an
  entry's holes) have their own. A sum says which value it was.
- ``digest``, the last key of the file, is the SHA-256 of all lines before its own
  (``head -n -2 FILE | sha256sum``). It misses nothing.
"""

import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Any, Final

FORMAT: Final = "golf results 1"

Record = dict[str, Any]

TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)

#: The keys of each kind of record, each with what its value is; a question mark allows null.
RECORDS: Final[dict[str, dict[str, str]]] = {
    "tournament": {
        "club": "text",
        "name": "text",
        "slug": "text",
        "rules": "text",
        "rank_by": "text",
        "strokes_kind": "text",
        "tie_break": "text",
        "unplayed": "text",
        "undo_allowed": "flag",
        "hints_allowed": "flag",
        "is_friendly": "flag",
        "window": "text",
        "personal_minutes": "count?",
        "hole_minutes": "count?",
        "opens_at": "time",
        "closes_at": "time",
        "closed_at": "time",
        "status": "text",
    },
    "commitment": {"sha256": "text", "salt": "text", "made_at": "time?"},
    "rounds": {
        "number": "count",
        "opens_at": "time",
        "closes_at": "time",
        "cut_to": "count?",
        "cut_at": "time?",
    },
    "holes": {
        "number": "count",
        "round": "count",
        "par": "count",
        "is_void": "flag",
        "code": "text",
    },
    "divisions": {"number": "count", "name": "text"},
    "entries": {
        "number": "count",
        "name": "text",
        "division": "count?",
        "status": "text",
        "entered_at": "time",
        "started_at": "time?",
        "saw_deals_at": "time?",
        "cut_after": "count?",
        "thru": "count",
        "strokes": "integer",
        "to_par": "integer",
        "app_score": "count",
        "time_ms": "count",
        "corrections": "count",
        "place": "count?",
        "tied": "flag",
        "reason": "text?",
        "division_place": "count?",
        "division_tied": "flag",
        "holes": "results",
    },
    "results": {
        "hole": "count",
        "started_at": "time?",
        "finished_at": "time?",
        "actions": "text?",
        "times_ms": "counts?",
        "state": "text?",
        "cleared": "count?",
        "left": "count?",
        "stock_left": "count?",
        "moves": "count?",
        "undos": "count?",
        "hints": "count?",
        "app_score": "count?",
        "strokes": "count?",
        "strokes_below_par": "integer?",
        "streak_score": "count?",
        "longest_streak": "count?",
        "time_ms": "count?",
        "is_damaged": "flag",
        "is_corrected": "flag",
        "counts_strokes": "integer?",
        "counts_app_score": "count?",
    },
    "corrections": {
        "number": "count",
        "kind": "text",
        "entry": "count?",
        "hole": "count?",
        "by": "text",
        "at": "time",
        "reason": "text",
        "before": "object",
        "after": "object",
    },
}
#: The parts of a file in order: those that are one record, and those that are a list of them.
SINGLE: Final = ("tournament", "commitment")
LISTS: Final = ("rounds", "holes", "divisions", "entries", "corrections")


def time_text(time: datetime) -> str:
    """Return a time as a bundle spells it.

    >>> time_text(datetime(2026, 11, 30, 2, 22, tzinfo=UTC))
    '2026-11-30T02:22:00.000000Z'
    """
    return f"{time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def value_text(value: Any) -> str:
    r"""Return a value as a bundle spells it.

    >>> print(value_text({"a": [1, None, True], "b": "\u00e4\n"}))
    {"a":[1,null,true],"b":"ä\n"}
    """
    # What there is much of is spelled without the encoder's long way.
    if type(value) is int:
        return str(value)
    if type(value) is str:
        return encode_basestring(value)
    if type(value) is list and all(type(each) is int for each in value):
        return f"[{','.join(map(str, value))}]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def sum_of(text: str) -> str:
    """Return the sum of a value's spelling. No change of a single byte leaves it as it is.

    >>> sum_of("null")
    '2b1d'
    """
    return f"{binascii.crc_hqx(text.encode(), 0):04x}"


def record_text(kind: str, values: Mapping[str, Any]) -> str:
    """Return a record of a kind with its sums.

    :param values: its values by key; for an entry's holes a list of such mappings.
    :raises KeyError: if one is missing.
    """
    parts, sums = [], []
    for key, what in RECORDS[kind].items():
        if what in RECORDS:
            inner = ",".join(record_text(what, each) for each in values[key])
            parts.append(f'"{key}":[{inner}]')
            continue
        text = value_text(values[key])
        parts.append(f'"{key}":{text}')
        sums.append(sum_of(text))
    return f'{{{",".join(parts)},"sums":"{"".join(sums)}"}}'


def lines_of(single: Mapping[str, str | None], lists: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Return the lines of a file, without their ends, up to the one before the digest.

    :param single: the records of `SINGLE` as text, None for one that there is not.
    :param lists: the records of `LISTS` as text; each is gone through once.
    """
    yield "{"
    yield f'"format":{value_text(FORMAT)},'
    for name in SINGLE:
        yield f'"{name}":{single[name] or "null"},'
    for name in LISTS:
        records = iter(lists[name])
        last = next(records, None)
        if last is None:
            yield f'"{name}":[],'
            continue
        yield f'"{name}":['
        for record in records:
            yield f"{last},"
            last = record
        yield last
        yield "],"


def with_digest(lines: Iterable[str]) -> Iterator[bytes]:
    """Return the whole file piece by piece, with its digest at the end."""
    digest = sha256()
    for line in lines:
        piece = f"{line}\n".encode()
        digest.update(piece)
        yield piece
    yield f'"digest":"{digest.hexdigest()}"\n}}\n'.encode()


class Unreadable(ValueError):
    """What cannot be read as a bundle; the message says where it stops being one."""


def is_like_one(data: bytes) -> bool:
    """Return whether a file was a bundle once: its head or its tail is that of one."""
    head = f'{{\n"format":{value_text(FORMAT)},\n'.encode()
    return (
        data.startswith(head) or re.search(rb'\n"digest":"[0-9a-f]{64}"\n}\n\Z', data) is not None
    )


def read(data: bytes) -> Record:
    """Return what a file says, whether or not it is spelled as it should be.

    Keys that are there twice raise `Unreadable`, as do numbers with a point.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        raise Unreadable(f"{place_of(before, len(before))}: this is not UTF-8") from None
    try:
        found = json.loads(
            text,
            object_pairs_hook=_without_doubles,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except json.JSONDecodeError as error:
        raise Unreadable(f"{place_of(text, error.pos)}: this is not JSON ({error.msg})") from None
    except RecursionError:
        raise Unreadable("there are too many brackets in one another") from None
    except Unreadable:
        raise
    except ValueError:
        raise Unreadable("a number has thousands of digits") from None
    if not isinstance(found, dict):
        raise Unreadable("the file is not a JSON object")
    return found


def _without_doubles(pairs: list[tuple[str, Any]]) -> Record:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Unreadable(f"the key {ascii(twice)[:60]} is there twice in one record")
    return found


def _no_number(text: str) -> Any:
    raise Unreadable(f"{text[:20]} is no number that a bundle has")


_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[{}\[\],]|[^\s"{}\[\],:]+')


def place_of(text: str, position: int) -> str:
    r"""Return where a position in a file is: its line, and the value as far as it can be told.

    >>> place_of('{"entries":[\n{"name":"Ann"},\n{"name":"Bo}', 38)
    'line 3, entries[2].name'
    """
    # Of each bracket that is open: the number of the item that is read, or its key.
    path: list[int | str] = []
    for token in _TOKEN.finditer(text, 0, max(position, 0) + 1):
        mark = token[0]
        if mark == "{":
            path.append("")
        elif mark == "[":
            path.append(1)
        elif mark in ("}", "]"):
            path = path[:-1]
        elif path:
            path[-1] = _after(mark, path[-1])
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path if part)
    line = f"line {text.count(chr(10), 0, position) + 1}"
    return f"{line}, {where.removeprefix('.')}" if where else line


def _after(mark: str, part: int | str) -> int | str:
    """Return the number or the key of what follows a comma, a key or a value."""
    if isinstance(part, int):
        return part + 1 if mark == "," else part
    if mark == ",":
        return ""
    return part or mark.strip('"')[:40]
