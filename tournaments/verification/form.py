"""The form of a file: its keys, the kinds of its values, its sums, its spelling, its digest."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from tournaments import bundle
from tournaments.bundle import LISTS, RECORDS, SINGLE, Record
from tournaments.verification.report import Report


def check_shape(found: Record, report: Report) -> None:
    """See that every key is there, no other, and that each has a value of its kind."""
    wanted = ["format", *SINGLE, *LISTS, "digest"]
    _compare_keys("the file", found, wanted, report)
    if found.get("format") != bundle.FORMAT:
        report.add("format", f"is not {bundle.FORMAT!r}")
    for name in SINGLE:
        record = found.get(name)
        if record is not None or name == "tournament":
            _check_record(name, name, record, report)
    for name in LISTS:
        _check_records(name, name, found.get(name), report)
    if type(found.get("digest")) is not str:
        report.add("digest", "is no text")


def _check_records(where: str, kind: str, records: Any, report: Report) -> None:
    if type(records) is not list:
        report.add(where, "is no list")
        return
    for at, record in enumerate(records, 1):
        _check_record(f"{where}[{at}]", kind, record, report)


def _check_record(where: str, kind: str, record: Any, report: Report) -> None:
    if type(record) is not dict:
        report.add(where, "is no record")
        return
    keys = RECORDS[kind]
    _compare_keys(where, record, [*keys, "sums"], report)
    for key, what in keys.items():
        if key not in record:
            continue
        if what in RECORDS:
            _check_records(f"{where}.{key}", what, record[key], report)
        elif not _is(record[key], what):
            report.add(f"{where}.{key}", f"is no {what.rstrip('?')}")
    if type(record.get("sums")) is not str:
        report.add(f"{where}.sums", "is no text")


def _compare_keys(where: str, record: Record, wanted: Sequence[str], report: Report) -> None:
    for key in wanted:
        if key not in record:
            report.add(where, f"the key {key!r} is missing")
    for key in record:
        if key not in wanted:
            report.add(where, f"the key {ascii(key)[:60]} is unknown")
    known = [key for key in record if key in wanted]
    if known != [key for key in wanted if key in record]:
        report.add(where, "its keys are in another order")


def _is(value: Any, what: str) -> bool:
    """Whether a value is of a kind, as `tournaments.bundle.RECORDS` names it."""
    if value is None:
        return what.endswith("?")
    return _KINDS[what.removesuffix("?")](value)


_KINDS: Final[dict[str, Callable[[Any], bool]]] = {
    "text": lambda value: type(value) is str,
    "flag": lambda value: type(value) is bool,
    "integer": lambda value: type(value) is int,
    "count": lambda value: type(value) is int and value >= 0,
    "counts": lambda value: (
        type(value) is list and all(type(each) is int and each >= 0 for each in value)
    ),
    "time": lambda value: type(value) is str and _is_time(value),
    "object": lambda value: type(value) is dict,
}


def _is_time(text: str) -> bool:
    try:
        return bool(bundle.TIME.fullmatch(text)) and datetime.fromisoformat(text) is not None
    except ValueError:
        return False


def _each_record(found: Record) -> Iterator[tuple[str, str, Record]]:
    """Return every record with where it is and of which kind."""
    for name in SINGLE:
        if found[name] is not None:
            yield name, name, found[name]
    for name in LISTS:
        for at, record in enumerate(found[name], 1):
            where = f"{name}[{at}]"
            yield where, name, record
            for key, what in RECORDS[name].items():
                if what in RECORDS:
                    for inner in record[key]:
                        yield f"{where}.{key}[{inner['hole']}]", what, inner


def check_sums(found: Record, report: Report) -> None:
    """Name each value that does not fit its sum."""
    for where, kind, record in _each_record(found):
        keys = [key for key, what in RECORDS[kind].items() if what not in RECORDS]
        sums = record["sums"]
        if len(sums) != 4 * len(keys):
            report.add(f"{where}.sums", "has another length")
            continue
        for at, key in enumerate(keys):
            if bundle.sum_of(bundle.value_text(record[key])) != sums[4 * at : 4 * at + 4]:
                report.add(f"{where}.{key}", "does not fit its sum: one of the two was changed")


def check_spelling(found: Record, data: bytes, report: Report) -> None:
    """Name the first place where the file is spelled otherwise than a bundle is."""
    lines = bundle.lines_of(
        {name: None if found[name] is None else bundle.value_text(found[name]) for name in SINGLE},
        {name: map(bundle.value_text, found[name]) for name in LISTS},
    )
    end = f'"digest":{bundle.value_text(found["digest"])}\n}}\n'
    spelled = "".join(f"{line}\n" for line in lines) + end
    text = data.decode()
    if text != spelled:
        at = next(
            (
                at
                for at, (one, other) in enumerate(zip(text, spelled, strict=False))
                if one != other
            ),
            min(len(text), len(spelled)),
        )
        report.add(bundle.place_of(text, at), "is spelled otherwise than a bundle is")


def check_digest(found: Record, data: bytes, report: Report) -> None:
    """See whether anything at all was changed."""
    wanted = sha256(data[: max(0, data.rfind(b'"digest"'))]).hexdigest()
    if found.get("digest") != wanted:
        report.add("digest", "does not fit the file: something in it was changed")
