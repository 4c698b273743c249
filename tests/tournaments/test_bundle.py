"""The form of a results bundle: its spelling, its sums, and where something is in it."""

import doctest
import json
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments import bundle


def test_the_examples_hold() -> None:
    tried = doctest.testmod(bundle)
    assert (tried.attempted, tried.failed) == (4, 0)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(VALUES)
def test_a_value_is_spelled_as_json_is_and_in_one_way(value: object) -> None:
    text = bundle.value_text(value)
    assert json.loads(text) == value
    assert text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert bundle.value_text(json.loads(text)) == text


@given(VALUES.map(bundle.value_text), st.data())
def test_no_change_of_one_byte_leaves_a_sum_as_it_was(text: str, data: st.DataObject) -> None:
    changed = bytearray(text.encode("utf-8", "surrogatepass"))
    at = data.draw(st.integers(0, len(changed) - 1))
    changed[at] = data.draw(st.integers(0, 255).filter(lambda byte: byte != changed[at]))
    try:
        other = changed.decode("ascii")
        sum_before = bundle.sum_of(text)
    except UnicodeError:
        return  # which no file would have
    assert bundle.sum_of(other) != sum_before


def test_a_time_is_utc_with_microseconds() -> None:
    there = datetime(2026, 11, 30, 2, 22, 0, 5, timezone(timedelta(hours=2)))
    assert bundle.time_text(there) == "2026-11-30T00:22:00.000005Z"
    assert bundle.TIME.fullmatch(bundle.time_text(there))
    assert datetime.fromisoformat(bundle.time_text(there)) == there.astimezone(UTC)


def test_the_digest_is_of_all_lines_before_it() -> None:
    file = b"".join(bundle.with_digest(["{", '"a":1,']))
    digest = sha256(b'{\n"a":1,\n').hexdigest()
    assert file == f'{{\n"a":1,\n"digest":"{digest}"\n}}\n'.encode()
    assert bundle.read(file)["a"] == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "line 1: this is not JSON"),
        (b"[]", "the file is not a JSON object"),
        (b"\x80", "line 1: this is not UTF-8"),
        (b'{"a":1,"a":2}', "the key 'a' is there twice"),
        (b'{"a":1.5}', "1.5 is no number"),
        (b'{"a":NaN}', "NaN is no number"),
        (b'{"a":' + b"9" * 5000 + b"}", "a number has thousands of digits"),
        (b"[" * 100_000, "there are too many brackets"),
        (b'{"entries":[\n{"name":"Ann"},\n{"name":"B\xffo"}]}', "line 3, entries[2].name"),
        (b'{"entries":[\n{"name":"Ann"},\n{"name":"Bo}', "line 3, entries[2].name"),
        (b'{"entries":[{"holes":[{"hole":1},{"hole":2,"a":[1,2,x', "line 1, entries[1].holes[2].a"),
    ],
)
def test_what_cannot_be_read_is_named(data: bytes, reason: str) -> None:
    with pytest.raises(bundle.Unreadable) as refused:
        bundle.read(data)
    assert str(refused.value).startswith(reason)


def test_a_record_needs_all_its_values() -> None:
    assert bundle.record_text("divisions", {"number": 1, "name": "Juniors"}) == (
        '{"number":1,"name":"Juniors","sums":"2672f794"}'
    )
    with pytest.raises(KeyError):
        bundle.record_text("divisions", {"number": 1})
