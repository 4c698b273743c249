"""A bundle that was changed is found out, and what was changed in it is named."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from tests.harness.processes import ROOT
from tournaments import bundle, fairness, services, verification
from tournaments.models import Round, Tournament

from . import finished
from .factories import let_time_pass, new_entry, new_tournament, play_hole, set_rounds

Change = Callable[[dict[str, Any]], None]


_made: list[bytes] = []


@pytest.fixture
def results(db: None) -> bytes:
    """The bundle of a tournament that had everything; made once, since it takes its time."""
    if not _made:
        _made.append(finished.bundle(finished.finished()))
    return _made[0]


def spelled(found: dict[str, Any]) -> bytes:
    """A file that says this, with sums and a digest that fit: the work of somebody who cheats."""
    texts = {
        name: None if found[name] is None else bundle.record_text(name, found[name])
        for name in bundle.SINGLE
    }
    lists = {
        name: [bundle.record_text(name, record) for record in found[name]] for name in bundle.LISTS
    }
    return b"".join(bundle.with_digest(bundle.lines_of(texts, lists)))


def problems(data: bytes, **options: str) -> list[str]:
    return verification.verify(data, **options).problems


def forged(results: bytes, change: Change) -> list[str]:
    found = json.loads(results)
    change(found)
    return problems(spelled(found))


def entry_of(found: dict[str, Any], name: str) -> dict[str, Any]:
    return next(entry for entry in found["entries"] if entry["name"] == name)


def test_a_real_tournament_is_right(results: bytes) -> None:
    report = verification.verify(results)
    assert report.problems == []
    assert (report.entries, report.games) == (11, 51)
    assert spelled(json.loads(results)) == results
    promised = json.loads(results)["commitment"]["sha256"]
    assert problems(results, commitment=f" {promised.upper()}\n") == []
    assert problems(results, commitment="0" * 64) == [
        "commitment.sha256: is not the one that was given along"
    ]


def test_the_tournament_had_everything(results: bytes) -> None:
    found = json.loads(results)
    entries = {entry["name"]: entry for entry in found["entries"]}
    assert {name: entry["status"] for name, entry in entries.items()} == {
        "Ann": "active",
        "Bo «the ace»": "active",
        "Cyrus": "active",
        "Дора": "active",
        "Eve": "disqualified",
        "Finn": "withdrawn",
        "Gil": "removed",
        "Hal": "cut",
        "Ida": "cut",
        "Dora": "unranked",
        "Late": "cut",
    }
    places = {name: (entry["place"], entry["tied"]) for name, entry in entries.items()}
    assert places["Ann"] == places["Bo «the ace»"]
    assert places["Ann"][1] is True
    assert {entries[name]["reason"] for name in ("Eve", "Finn", "Hal", "Dora", "Gil")} == {
        "dq", "wd", "mc", "nr", "removed"
    }  # fmt: skip
    assert entries["Дора"]["holes"][-1]["state"] == "closed"
    assert entries["Дора"]["thru"] == 8  # the tenth counts 35
    assert {entries[name]["place"] for name in ("Cyrus", "Дора")} == {3, 4}
    assert entries["Ida"]["holes"][0]["actions"] is None
    assert [hole["number"] for hole in found["holes"] if hole["is_void"]] == [7]
    assert {row["kind"] for row in found["corrections"]} == {
        "add", "adjust", "disqualify", "division", "extend", "reinstate", "remove", "restore",
        "unvoid", "void", "withdraw",
    }  # fmt: skip
    played = "".join(hole["actions"] or "" for entry in found["entries"] for hole in entry["holes"])
    assert set("1234567duhgc") == set(played)


# --- one byte ------------------------------------------------------------------------------------


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a file with its name, as a check writes it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for at, inner in enumerate(value, 1):
            number = inner["hole"] if path.endswith(".holes") else at
            yield from leaves(inner, f"{path}[{number}]")
    else:
        yield path, value


def test_every_change_of_one_byte_is_found(results: bytes, tmp_path: Path) -> None:
    chance = random.Random(2026)
    file = tmp_path / "changed.json"
    for _ in range(400):
        at = chance.randrange(len(results))
        byte = chance.choice([byte for byte in range(256) if byte != results[at]])
        file.write_bytes(results[:at] + bytes([byte]) + results[at + 1 :])
        status, lines = verification.check_file(file)
        assert status == verification.WRONG, (at, byte)
        assert lines, (at, byte)


def test_one_changed_byte_of_a_value_is_named(results: bytes) -> None:
    """Of each key of each kind of record one value is changed by a byte, sums left as they are."""
    before = dict(leaves(json.loads(results)))
    paths = {re.sub(r"\d+", "#", path): path for path in before if not path.endswith("sums")}
    chance = random.Random(7)
    tried = 0
    for path in paths.values():
        line, text = place(results, path)
        for _ in range(3):
            at = chance.randrange(len(text))
            changed = text[:at] + chance.choice(b"0123456789Zz").to_bytes() + text[at + 1 :]
            data = results.replace(line, line.replace(text, changed, 1), 1)
            try:
                after = dict(leaves(json.loads(data)))
            except ValueError:
                continue
            if [name for name in before if after.get(name) != before[name]] == [path]:
                said = [line.partition(": ")[0] for line in problems(data)]
                assert any(path == name or path.startswith(f"{name}.") for name in said), path
                tried += 1
    assert tried > 60


def place(results: bytes, path: str) -> tuple[bytes, bytes]:
    """The line that a value is in, and from its key on the text of the value."""
    key = path.rpartition(".")[2].partition("[")[0]
    value = dict(leaves(json.loads(results)))[path]
    text = f'"{key}":{bundle.value_text(value)}'.encode()
    section = path.partition("[")[0].partition(".")[0]
    lines = results.split(b"\n")
    start = next(at for at, line in enumerate(lines) if line.startswith(f'"{section}"'.encode()))
    offset = re.match(rf"{section}\[(\d+)\]", path)
    line = lines[start if offset is None else start + int(offset[1])]
    assert text in line
    return line, text.partition(b":")[2]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.replace(b'"place":1', b'"place": 1', 1), "is spelled otherwise"),
        (lambda data: data + b"\n", "is spelled otherwise"),
        (lambda data: data.replace(b"\n", b"\r\n"), "is spelled otherwise"),
        (lambda data: data.replace("«".encode(), b"\\u00ab", 1), "is spelled otherwise"),
        (lambda data: data.replace(b'"tied":', b'"teid":', 1), "the key 'tied' is missing"),
        (lambda data: data.replace(b'"par":5,', b"", 1), "the key 'par' is missing"),
        (
            lambda data: data.replace(b'"par":5', b'"par":5,"more":1', 1),
            "the key 'more' is unknown",
        ),
        (
            lambda data: data.replace(b'"par":5', b'"par":5,"par":5', 1),
            "the key 'par' is there twice",
        ),
        (lambda data: data.replace(b'"par":5', b'"par":"5"', 1), "holes[1].par: is no count"),
        (lambda data: data.replace(b'"par":5', b'"par":true', 1), "holes[1].par: is no count"),
        (lambda data: data.replace(b'"par":5', b'"par":-5', 1), "holes[1].par: is no count"),
        (lambda data: data.replace(b"results 1", b"results 2", 1), "format: is not"),
        (lambda data: data.replace(b'"tied":true', b'"tied":1', 1), "tied: is no flag"),
        (
            lambda data: data.replace(b'"cut_to":4,"cut_at"', b'"cut_at":null,"cut_at"', 1),
            "the key 'cut_at' is there twice",
        ),
    ],
)
def test_the_form_is_checked(results: bytes, change: Any, said: str, tmp_path: Path) -> None:
    file = tmp_path / "changed.json"
    file.write_bytes(change(results))
    status, lines = verification.check_file(file)
    assert status == verification.WRONG
    assert any(said in line for line in lines), lines


def test_keys_in_another_order_are_named(results: bytes) -> None:
    found = json.loads(results)
    found["holes"][0] = {"par": 5, **found["holes"][0]}
    data = json.dumps(found).encode()
    assert "holes[1]: its keys are in another order" in problems(data)


# --- whoever cheats makes sums and digest anew ---------------------------------------------------


def set_value(*path: Any) -> Change:
    *way, key, value = path

    def change(found: Any) -> None:
        for step in way:
            found = found[step]
        found[key] = value

    return change


def first_game(found: dict[str, Any]) -> dict[str, Any]:
    return entry_of(found, "Ann")["holes"][0]


def test_another_salt(results: bytes) -> None:
    said = forged(results, set_value("commitment", "salt", "0" * 64))
    assert len(said) == 1
    assert said[0].startswith("commitment.sha256: is ")


def test_another_deal(results: bytes) -> None:
    def change(found: dict[str, Any]) -> None:
        code = found["holes"][4]["code"]
        found["holes"][4]["code"] = code[:-1] + ("1" if code[-1] != "1" else "2")

    said = forged(results, change)
    assert said[0].startswith("commitment.sha256: is ")
    assert any(line.startswith("entries[1].holes[5].") for line in said)


def test_another_deal_and_another_commitment(results: bytes) -> None:
    """Only whoever kept the commitment finds this out, unless the games do not fit."""

    def change(found: dict[str, Any]) -> None:
        found["commitment"]["salt"] = "ab" * 32
        codes = [hole["code"] for hole in found["holes"]]
        found["commitment"]["sha256"] = fairness.commitment(salt="ab" * 32, rules="C", codes=codes)

    assert forged(results, change) == []
    found = json.loads(results)
    promised = found["commitment"]["sha256"]
    change(found)
    assert problems(spelled(found), commitment=promised) == [
        "commitment.sha256: is not the one that was given along"
    ]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("GO2-C-0000", "holes[1].code: "),
        ("GO2-E-00000000000000000000000001", 'holes[1].code: is "E", but its rules'),
        ("GO2-XAQA0D-00000000000000000000000001", "but a code is written"),
        ("GO1-C-AAAAAAB", "holes[1].code: can be guessed"),
    ],
)
def test_codes_are_checked(results: bytes, code: str, said: str) -> None:
    lines = forged(results, set_value("holes", 0, "code", code))
    assert any(said in line for line in lines), lines


def test_a_deal_that_is_there_twice(results: bytes) -> None:
    def change(found: dict[str, Any]) -> None:
        found["holes"][1]["code"] = found["holes"][0]["code"]

    assert "holes[2].code: is the deal of hole 1 as well" in forged(results, change)


def test_a_move_that_was_not_legal(results: bytes) -> None:
    def change(found: dict[str, Any]) -> None:
        game = first_game(found)
        game["actions"] = "9" + game["actions"][1:]

    said = forged(results, change)
    assert said[0] == (
        "entries[1].holes[1].actions: number 1, '9', is refused: there is no such column"
    )


def test_a_move_that_was_legal_too(results: bytes) -> None:
    """A draw instead of a play: then some later move or figure does not follow."""

    def change(found: dict[str, Any]) -> None:
        game = first_game(found)
        at = next(at for at, action in enumerate(game["actions"]) if action != "d")
        game["actions"] = game["actions"][:at] + "d" + game["actions"][at + 1 :]

    said = forged(results, change)
    assert said
    assert all(line.startswith("entries[1].holes[1].") for line in said[:1])


def test_a_game_that_goes_on(results: bytes) -> None:
    def change(found: dict[str, Any]) -> None:
        game = entry_of(found, "Cyrus")["holes"][5]
        assert game["actions"] == "g"
        game |= {"actions": "", "times_ms": []}

    said = forged(results, change)
    assert "entries[3].holes[6].actions: do not end the game" in said


@pytest.mark.parametrize(
    ("key", "change", "said"),
    [
        ("times_ms", lambda times: times[:-1], "times_ms: are not as many"),
        ("times_ms", lambda times: [*times[:3], 0, *times[4:]], "times_ms[4]: is before"),
        ("times_ms", lambda times: [*times[:-1], times[-1] + 1], "time_ms: is "),
        ("started_at", lambda _: "2026-01-01T00:00:00.000000Z", "finished_at: is "),
        ("started_at", lambda _: None, "started_at: is missing"),
        ("state", lambda _: "won", 'state: is "won", but its moves make it "blocked"'),
        ("strokes", lambda figure: figure + 1, "strokes: is "),
        ("app_score", lambda figure: figure + 10, "app_score: is "),
        ("longest_streak", lambda figure: figure + 1, "longest_streak: is "),
        ("undos", lambda figure: figure + 1, "undos: is "),
        ("stock_left", lambda figure: figure + 1, "stock_left: is "),
        ("counts_strokes", lambda figure: figure - 1, "counts_strokes: is "),
        ("counts_app_score", lambda figure: figure + 10, "counts_app_score: is "),
        ("is_corrected", lambda _: True, "is_corrected: is true, but it was decided false"),
    ],
)
def test_each_figure_of_a_hole_is_recomputed(
    results: bytes, key: str, change: Any, said: str
) -> None:
    def forge(found: dict[str, Any]) -> None:
        game = first_game(found)
        game[key] = change(game[key])

    lines = forged(results, forge)
    assert any(line.startswith(f"entries[1].holes[1].{said}") for line in lines), lines


@pytest.mark.parametrize(
    "key",
    [
        "thru", "strokes", "to_par", "app_score", "time_ms", "corrections", "status", "place",
        "tied", "reason", "division_place", "division_tied",
    ],
)  # fmt: skip
def test_each_figure_of_an_entry_is_recomputed(results: bytes, key: str) -> None:
    others = {
        "status": "withdrawn", "tied": False, "division_tied": False, "reason": "wd",
    }  # fmt: skip

    def change(found: dict[str, Any]) -> None:
        entry = found["entries"][0]
        entry[key] = others[key] if key in others else entry[key] + 1

    said = forged(results, change)
    assert [line.partition(": is ")[0] for line in said] == [f"entries[1].{key}"]


def test_figures_that_were_changed_together_do_not_hide_it(results: bytes) -> None:
    """A better hole, carried through hole, card and places, still is not what was played."""

    def change(found: dict[str, Any]) -> None:
        entry = found["entries"][0]
        for record, key in (
            (entry["holes"][0], "strokes"),
            (entry["holes"][0], "strokes_below_par"),
            (entry["holes"][0], "counts_strokes"),
            (entry, "strokes"),
            (entry, "to_par"),
        ):
            record[key] -= 1
        entry |= {"tied": False, "division_tied": False}
        second = found["entries"][1]
        second |= {"place": second["place"] + 1, "tied": False}

    said = forged(results, change)
    assert [line.partition(":")[0] for line in said][:3] == [
        "entries[1].holes[1].strokes",
        "entries[1].holes[1].strokes_below_par",
        "entries[1].holes[1].counts_strokes",
    ]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("disqualify", 'entries[5].status: is "disqualified"'),
        ("withdraw", 'entries[6].status: is "withdrawn"'),
        ("remove", 'entries[7].status: is "removed"'),
        ("void", "holes[7].is_void: is true, but the corrections make it false"),
        ("adjust", "entries[3].holes[1].is_corrected: is true"),
        ("extend", "entries[1].corrections: is "),
    ],
)
def test_a_correction_that_was_taken_out_is_missed(results: bytes, kind: str, said: str) -> None:
    def change(found: dict[str, Any]) -> None:
        first = next(row for row in found["corrections"] if row["kind"] == kind)
        found["corrections"].remove(first)
        for number, row in enumerate(found["corrections"], 1):
            row["number"] = number

    lines = forged(results, change)
    assert any(line.startswith(said) for line in lines), lines


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (set_value("tournament", "rank_by", "luck"), "tournament.rank_by: is none of"),
        (set_value("tournament", "rules", "Q"), "tournament.rules: unknown rule set"),
        (set_value("tournament", "rules", "XAQA0D"), "tournament.rules: is "),
        (set_value("holes", 0, "number", 2), "holes[1].number: is 2"),
        (set_value("holes", 0, "round", 3), "holes[1].round: is 3, but there are 2"),
        (set_value("entries", 0, "division", 9), "entries[1].division: is 9, but there are 2"),
        (set_value("entries", 0, "cut_after", 9), "entries[1].cut_after: is 9, but there are 2"),
        (set_value("entries", 0, "holes", 0, "hole", 99), "entries[1].holes[99].hole: is 99"),
        (set_value("entries", 0, "holes", 0, "hole", 2), "entries[1].holes: are not in order"),
        (set_value("corrections", 0, "kind", "bless"), "corrections[1].kind: is none of"),
        (set_value("corrections", 0, "entry", 77), "corrections[1].entry: is 77"),
        (set_value("corrections", 0, "entry", None), "corrections[1].entry: is missing"),
        (set_value("corrections", 0, "after", {}), "corrections[1].after.status: is missing"),
        (set_value("corrections", 1, "after", {"until": "soon"}), "corrections[2].after.until"),
        (
            set_value("corrections", 2, "after", {"status": "active"}),
            'corrections[3].after.status: is "active", but its kind makes it "disqualified"',
        ),
    ],
)
def test_what_refers_to_nothing_is_named(results: bytes, change: Change, said: str) -> None:
    lines = forged(results, change)
    assert any(line.startswith(said) for line in lines), lines


@pytest.mark.parametrize(
    ("name", "cut_after", "said"),
    [
        ("Ann", 1, "says that it missed the cut; its results say otherwise"),
        ("Hal", None, "does not say that it missed it; its results say otherwise"),
        ("Hal", 2, "is 2, but after that round no cut was made"),
        ("Dora", 1, "says that it missed the cut; its results say otherwise"),
    ],
)
def test_who_missed_the_cut_is_worked_out_again(
    results: bytes, name: str, cut_after: int | None, said: str
) -> None:
    def change(found: dict[str, Any]) -> None:
        entry_of(found, name)["cut_after"] = cut_after

    number = entry_of(json.loads(results), name)["number"]
    assert f"entries[{number}].cut_after: {said}" in forged(results, change)


def test_a_cut_is_made_by_what_was_known_then(results: bytes) -> None:
    """Cyrus was given a better hole afterwards: that cannot have cut anybody else."""

    def change(found: dict[str, Any]) -> None:
        found["rounds"][0]["cut_to"] = 3

    assert forged(results, change) == [
        "entries[3].cut_after: does not say that it missed it; its results say otherwise"
    ]


@pytest.mark.django_db
def test_holes_that_were_missed_count_for_a_later_cut_as_in_the_end() -> None:
    tournament = new_tournament(holes=19, unplayed=Tournament.Unplayed.WORST)
    set_rounds(tournament, (-1, 1), (2, 3), (4, 5))
    Round.objects.filter(tournament=tournament, number=2).update(cut_to=1)
    ann, bo, cyrus = (new_entry(tournament, name) for name in ("Ann", "Bo", "Cyrus"))
    for number in range(1, 10):
        play_hole(ann, number, "g")
    let_time_pass(tournament, timedelta(hours=2.5))
    for entry in (ann, bo):
        for number in range(10, 19):
            play_hole(entry, number, "g")
    play_hole(cyrus, 10, "g")
    let_time_pass(tournament, timedelta(hours=1))
    assert services.make_cuts(now=timezone.now()) == 1
    let_time_pass(tournament)
    services.close_due(now=timezone.now())
    data = finished.bundle(Tournament.objects.select_related("club").get(pk=tournament.pk))
    cut = {entry["name"]: entry["cut_after"] for entry in json.loads(data)["entries"]}
    assert cut == {"Ann": None, "Bo": None, "Cyrus": 2}  # Bo missed nine holes, which count 35
    assert problems(data) == []


def test_a_wrong_deal_does_not_drown_the_rest(results: bytes) -> None:
    def change(found: dict[str, Any]) -> None:
        for entry in found["entries"]:
            for game in entry["holes"]:
                if game["hole"] == 1 and game["actions"]:
                    game["actions"] = "9" + game["actions"][1:]

    said = forged(results, change)
    refused = [line for line in said if "is refused" in line]
    assert len(refused) == 3
    assert "holes[1].code: 6 more games cannot be played on this deal" in said


# --- the command ---------------------------------------------------------------------------------


def test_the_command_needs_no_site(results: bytes, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_bytes(results)

    def run(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "tournaments.verification", *arguments],
            cwd=ROOT,
            env={},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    status, said, wrong = run(str(file))
    assert (status, wrong) == (0, "")
    assert re.fullmatch(
        r"\S+ is right: commitment, deals, figures and places of 11 entries, 51 games and \d+"
        r" actions\.\n",
        said,
    )
    file.write_bytes(results.replace(b'"app_score":', b'"app_score":1', 1))
    status, said, wrong = run(str(file))
    assert (status, said) == (1, "")
    assert wrong.splitlines()[0].startswith("entries[1].app_score: does not fit its sum")
    status, said, wrong = run(str(tmp_path / "none.json"))
    assert (status, said) == (2, "")
    assert wrong == f"{tmp_path / 'none.json'} cannot be read: No such file or directory\n"


def test_it_imports_no_django(results: bytes, tmp_path: Path) -> None:
    code = (
        "import sys, tournaments.verification;"
        "print([name for name in sys.modules if name.split('.')[0] in ('django', 'golfsite')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is no results bundle: line 1: this is not JSON"),
        (b"{}", None),
        (b"\x89PNG", "is no results bundle: line 1: this is not UTF-8"),
        (b'{"format":"golf results 1"', "is no results bundle: line 1"),
    ],
)
def test_what_was_never_a_bundle_is_unreadable(
    content: bytes, said: str | None, tmp_path: Path
) -> None:
    file = tmp_path / "file.json"
    file.write_bytes(content)
    status, lines = verification.check_file(file)
    if said is None:
        assert status == verification.WRONG
        assert lines[0] == "the file: the key 'format' is missing"
    else:
        assert status == verification.UNREADABLE
        assert said in lines[0]


def test_the_command_of_the_site_says_the_same(
    results: bytes, tmp_path: Path, django_assert_num_queries: Any
) -> None:
    file = tmp_path / "results.json"
    file.write_bytes(results)
    output, errors = StringIO(), StringIO()
    with django_assert_num_queries(0):
        call_command("verify", str(file), stdout=output, stderr=errors)
    assert output.getvalue() == f"{verification.check_file(file)[1][0]}\n"
    assert errors.getvalue() == ""
    file.write_bytes(results + b" ")
    with pytest.raises(SystemExit) as ended:
        call_command("verify", str(file), stdout=output, stderr=errors)
    assert ended.value.code == 1
    assert errors.getvalue() == "".join(f"{line}\n" for line in verification.check_file(file)[1])
    promised = json.loads(results)["commitment"]["sha256"]
    file.write_bytes(results)
    call_command("verify", str(file), "--commitment", promised, stdout=output, stderr=errors)


def test_standard_tools_come_to_the_same_digest(results: bytes, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_bytes(results)
    said = subprocess.run(
        f"head -n -2 {file} | sha256sum", shell=True, check=True, capture_output=True, text=True
    ).stdout
    digest = json.loads(results)["digest"]
    assert said.split()[0] == digest
    assert sha256(results.rpartition(b'"digest"')[0]).hexdigest() == digest


def test_a_tournament_without_a_promise(results: bytes) -> None:
    """Older ones have none."""
    found = json.loads(results)
    found["commitment"] = None
    assert problems(spelled(found)) == []
    assert problems(spelled(found), commitment="0" * 64) == [
        "commitment: there is none, but one was given along"
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "fields",
    [
        {"rank_by": Tournament.RankBy.APP_SCORE, "tie_break": Tournament.TieBreak.TIME},
        {
            "strokes_kind": Tournament.StrokesKind.TRADITIONAL,
            "tie_break": Tournament.TieBreak.SHARED,
            "unplayed": Tournament.Unplayed.NO_PLACE,
        },
    ],
)
def test_other_formats_are_right_too(fields: dict[str, Any]) -> None:
    assert problems(finished.bundle(finished.finished(**fields))) == []
