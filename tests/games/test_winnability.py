"""Counting which deals can be cleared, and the table of `docs/rules.md`."""

import doctest
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from games import winnability
from games.engine import CLASSIC, EASY, STRICT, RuleSet
from games.engine.solver import solve
from games.winnability import MOST_DEALS, MOST_SEED, Share, code_of, count_cleared
from tests.harness.processes import ROOT

# Published for drawing at any time: the share in points, by what may be put on a King.
PUBLISHED = {"E": 93, "C": 45, "XANA0D": 26}


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("winnability", *arguments, stdout=out)
    return out.getvalue()


def test_the_examples_of_the_docstrings() -> None:
    assert doctest.testmod(winnability) == (0, 2)


@pytest.mark.parametrize(
    ("deals", "won", "interval"),
    [
        # Worked examples of Wilson's interval from the literature, and both ends.
        (263, 81, (0.2553, 0.3662)),
        (148, 15, (0.0624, 0.1605)),
        (20, 0, (0.0, 0.1611)),
        (20, 20, (0.8389, 1.0)),
    ],
)
def test_the_interval(deals: int, won: int, interval: tuple[float, float]) -> None:
    low, high = Share(deals=deals, won=won).interval
    assert (round(low, 4), round(high, 4)) == interval


def test_a_count_is_what_solving_the_deals_gives_in_one_process_or_two() -> None:
    won = [
        solve(code_of(rules=STRICT, seed=5, number=number).deal(), STRICT).best.won
        for number in range(120)
    ]
    assert 0 < sum(won) < 120
    expected = Share(deals=120, won=sum(won))
    for processes in (1, 2):
        counted = count_cleared(rules=STRICT, deals=120, seed=5, processes=processes)
        assert counted == expected


def test_the_deals_depend_on_the_seed_and_the_jokers_alone() -> None:
    def deals(rules: RuleSet, seed: int) -> list[str]:
        codes = [code_of(rules=rules, seed=seed, number=number) for number in range(50)]
        return [code.deal().text for code in codes]

    assert deals(EASY, 1) == deals(CLASSIC, 1) == deals(STRICT, 1)
    assert len({*deals(EASY, 1), *deals(EASY, 2), *deals(RuleSet(jokers=1), 1)}) == 150


@pytest.mark.parametrize(
    "figures",
    [
        {"deals": 0},
        {"deals": MOST_DEALS + 1},
        {"seed": -1},
        {"seed": MOST_SEED + 1},
        {"processes": 0},
    ],
)
def test_figures_out_of_range(figures: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="from 1 on"):
        count_cleared(**{"rules": EASY, "deals": 1, "seed": 1, "processes": 1, **figures})


def test_the_largest_seed_and_number_are_a_code() -> None:
    code = code_of(rules=EASY, seed=MOST_SEED, number=MOST_DEALS - 1)
    assert code.number == 2**128 - 1


def test_the_command_prints_a_table() -> None:
    printed = command("--deals", "40", "--rules", "S", "xaqw0d", "--seed", "5", "--processes", "1")
    strict = count_cleared(rules=STRICT, deals=40, seed=5, processes=1)
    classic = count_cleared(rules=RuleSet.parse("XAQW0D"), deals=40, seed=5, processes=1)
    assert printed.splitlines() == [
        "| rules | deals | can be cleared | share | 95 % interval |",
        "|---|---|---|---|---|",
        row("S", strict),
        row("XAQW0D", classic),
    ]


def row(name: str, share: Share) -> str:
    low, high = (f"{100 * end:.1f} %" for end in share.interval)
    return (
        f"| `{name}` | {share.deals:,} | {share.won:,} | {100 * share.share:.1f} % |"
        f" {low} to {high} |"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rules", "Q"], "unknown rule set"),
        (["--rules", "XLQA3D"], "jokers is spelled by"),
        (["--deals", "0"], "from 1 on"),
        (["--deals", "many"], "invalid int"),
        (["--processes", "0"], "from 1 on"),
    ],
)
def test_bad_arguments(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        command(*arguments)


def test_the_table_of_the_rules_page_is_near_what_is_published() -> None:
    text = (ROOT / "docs" / "rules.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \|.*$", text, re.MULTILINE)
    shares = {
        name: Share(deals=int(deals.replace(",", "")), won=int(won.replace(",", "")))
        for name, deals, won in rows
    }
    assert list(shares) == ["E", "C", "XANA0D", "XLQW0D", "XAQW0D", "S"]
    for name, share in shares.items():
        assert share.deals == 3000
        assert row(name, share) in text.splitlines()
    for name, points in PUBLISHED.items():
        assert abs(100 * shares[name].share - points) <= 3
