"""The commitment to a tournament's deals."""

import doctest
import subprocess
from pathlib import Path

import pytest

from games.engine import EASY, GameCode
from tournaments import fairness

SALT = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
CODES = [GameCode.secret(EASY, bits).text for bits in (1, 2**127 + 5, 3**80)]


def test_the_examples_hold() -> None:
    tried = doctest.testmod(fairness)
    assert (tried.attempted, tried.failed) == (1, 0)


def test_salts_are_random_and_fit() -> None:
    salts = {fairness.new_salt() for _ in range(100)}
    assert len(salts) == 100
    assert {len(bytes.fromhex(salt)) for salt in salts} == {32}
    for salt in salts:
        fairness.commitment(salt=salt, rules="E", codes=CODES)


def test_the_text_is_what_is_documented() -> None:
    assert fairness.committed_text(salt=SALT, rules="E", codes=CODES) == (
        "golf commitment 1\n"
        f"salt {SALT}\n"
        "rules E\n"
        f"hole 1 {CODES[0]}\n"
        f"hole 2 {CODES[1]}\n"
        f"hole 3 {CODES[2]}\n"
    )


def test_standard_tools_come_to_the_same(tmp_path: Path) -> None:
    file = tmp_path / "committed.txt"
    file.write_text(fairness.committed_text(salt=SALT, rules="E", codes=CODES), encoding="ascii")
    said = subprocess.run(["sha256sum", file], check=True, capture_output=True, text=True).stdout
    assert said.split()[0] == fairness.commitment(salt=SALT, rules="E", codes=CODES)


def test_everything_counts() -> None:
    """No two different promises have one commitment."""
    changed = [
        (SALT, "E", CODES),
        (SALT.replace("9", "8", 1), "E", CODES),
        (SALT, "C", CODES),
        (SALT, "E", CODES[:2]),
        (SALT, "E", [CODES[1], CODES[0], CODES[2]]),
        (SALT, "E", [CODES[0][:-1] + "2", *CODES[1:]]),
        (SALT, "E", ["".join(CODES)]),
    ]
    made = {fairness.commitment(salt=salt, rules=rules, codes=c) for salt, rules, c in changed}
    assert len(made) == len(changed)


@pytest.mark.parametrize(
    ("salt", "rules", "codes"),
    [
        ("", "E", CODES),
        (SALT.upper(), "E", CODES),
        (SALT[:-1], "E", CODES),
        (SALT + "\n", "E", CODES),
        (SALT, "", CODES),
        (SALT, "E\nhole 1 X", CODES),
        (SALT, "E", []),
        (SALT, "E", ["GO2-E-1 "]),
        (SALT, "E", ["GO2-E-1\n"]),
        (SALT, "E", ["go2-e-1"]),
        (SALT, "E", ["GO2-É-1"]),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(salt: str, rules: str, codes: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^(a salt|there is nothing|a rule set)") as refused:
        fairness.commitment(salt=salt, rules=rules, codes=codes)
    assert not any(code in str(refused.value) for code in codes)
