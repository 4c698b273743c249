import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

import games.engine.__main__ as face

ROOT = Path(__file__).parents[3]
VECTORS = Path(__file__).parent / "vectors"
PUBLISHED = json.loads((VECTORS / "published_deal.json").read_text())
EASY = {
    "king_ace": "linked",
    "on_king": "queen",
    "draw": "any_time",
    "jokers": 0,
    "waste": "dealt",
}
# No settings of Django, and output buffered as it is for a user.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith("DJANGO") and name != "PYTHONUNBUFFERED"
}
CODE = "GO1-E-AAAAAAB"
CARDS = {key: PUBLISHED[key] for key in ("columns", "waste", "stock")}


def run(*arguments, given=b"", **options):
    """Run the command line without a word of Django in its environment."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run(
        [sys.executable, "-m", "games.engine", *arguments],
        cwd=ROOT,
        env=ENVIRONMENT,
        input=given if isinstance(given, bytes) else given.encode(),
        check=False,
        timeout=60,
        **options,
    )


def play(*lines):
    """The answers to lines that are not bad input."""
    done = run("play", given="".join(json.dumps(line) + "\n" for line in lines))
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


def complaint(done):
    """The one line on standard error of bad input."""
    assert done.returncode == 2
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1
    return lines[0]


def test_deal():
    done = run("deal", "go1 e-aaaaaab")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == {"code": CODE, "rules": EASY, **CARDS}


def test_deal_with_an_empty_waste_and_a_code_in_parts():
    dealt = json.loads(run("deal", "GO1", "XLQA0E", "AAAAAAB").stdout)
    assert (dealt["code"], dealt["waste"]) == ("GO1-XLQA0E-AAAAAAB", None)
    assert dealt["stock"] == f"{PUBLISHED['waste']} {PUBLISHED['stock']}"
    assert dealt["rules"] == {**EASY, "waste": "empty"}


def test_the_published_line():
    assert play({"code": CODE, "actions": PUBLISHED["line"]}) == [
        {
            "cleared": 35,
            "left": 0,
            "stock_left": 3,
            "moves": 48,
            "undos": 0,
            "hints": 0,
            "app_score": 350,
            "strokes": 0,
            "strokes_below_par": -3,
            "streak_score": 1200,
            "longest_streak": 9,
            "state": "won",
            "legal": "",
            "refused": [],
        }
    ]


def test_a_code_and_its_cards_are_one_game():
    line = {"actions": "d 5 2 u h d"}
    by_code, by_cards, by_both = play(
        {"code": CODE, **line}, {**CARDS, **line}, {"code": CODE, **CARDS, **line}
    )
    assert by_code == by_cards == by_both
    assert (by_code["moves"], by_code["undos"], by_code["hints"]) == (4, 1, 1)


def test_refused_actions_are_reported_and_skipped():
    answer = play({"code": CODE, "actions": "1 d 0 8 9 u u 5 d g d"})[0]
    assert answer["refused"] == [
        [0, "1", "not_adjacent"],
        [2, "0", "no_such_column"],
        [3, "8", "no_such_column"],
        [4, "9", "no_such_column"],
        [6, "u", "nothing_to_undo"],
        [7, "5", "not_adjacent"],
        [10, "d", "game_over"],
    ]
    assert (answer["state"], answer["legal"], answer["moves"]) == ("given_up", "", 2)


def test_undo_can_be_switched_off():
    answers = play(
        {"code": CODE, "actions": "d u", "undo": False},
        {"code": CODE, "actions": "d u", "undo": True},
    )
    assert [answer["refused"] for answer in answers] == [[[1, "u", "undo_off"]], []]


def test_rules():
    # Classic's line stops at the ace that Easy plays on the king.
    strict = {"king_ace": "apart", "on_king": "nothing", "draw": "when_stuck"}
    answers = play(
        {**CARDS, "actions": "d 5", "rules": {}},
        {**CARDS, "actions": "d 5 2 d", "rules": strict},
        {"code": "GO1-S-AAAAAAB", "actions": "d d", "rules": {"on_king": "nothing"}},
        {"code": "GO1-N-AAAAAAB", "rules": EASY},
    )
    assert [answer["refused"] for answer in answers] == [[], [], [[1, "d", "must_play"]], []]


def test_an_empty_waste():
    rules = {"waste": "empty"}
    stock = f"{CARDS['waste']} {CARDS['stock']}"
    answers = play(
        {**CARDS, "rules": rules},
        {**CARDS, "waste": None, "stock": stock, "rules": rules},
        {"columns": CARDS["columns"], "stock": stock, "rules": rules},
        {"code": "GO1-XLQA0E-AAAAAAB"},
    )
    assert answers[1:] == answers[:1] * 3
    assert (answers[0]["stock_left"], answers[0]["legal"]) == (17, "1234567d")


def test_jokers():
    dealt = json.loads(run("deal", "GO1-XLQA2D-AAAAAAB").stdout)
    cards = {key: dealt[key] for key in ("columns", "waste", "stock")}
    answer = play({**cards, "rules": {"jokers": 2}})[0]
    assert answer["stock_left"] == 18
    assert "2 jokers, not 0" in complaint(run("play", given=json.dumps(cards)))


def test_what_deal_prints_can_be_played():
    for code in (CODE, "GO2-XANW1E-3GHJKMNPQRSTVWXYZ012345678"):
        assert play(json.loads(run("deal", code).stdout))[0]["state"] == "playing"


def test_blank_lines_and_other_keys_are_ignored():
    done = run("play", given=f'\n  \n{{"code": "{CODE}", "deal": 1}}\r\n\n')
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1)
    assert run("play").returncode == 0


def with_cards(**changes):
    return json.dumps({**CARDS, **changes})


def with_code(**changes):
    return json.dumps({"code": CODE, **changes})


BAD = {
    "not json": ("{", "not JSON"),
    "no object": ("[1]", "not a JSON object"),
    "a string": ('"GO1-E-AAAAAAB"', "not a JSON object"),
    "two objects": ("{} {}", "not JSON"),
    "nan": ('{"undo": NaN}', "NaN"),
    "infinity": ('{"undo": -Infinity}', "Infinity"),
    "not utf-8": (b'{"code": "\xff"}', "not UTF-8"),
    "utf-16": ("{}".encode("utf-16"), "not UTF-8"),
    "deep": ("[" * 100_000, "nested too deeply"),
    "huge number": ('{"rules": {"jokers": ' + "9" * 5000 + "}}", "limit"),
    "huge float": ('{"rules": {"jokers": 1e999}}', "not inf"),
    "key twice": (f'{{"code": "{CODE}", "code": "{CODE}"}}', "twice"),
    "nothing": ("{}", "neither"),
    "long line": (" " * (1 << 20) + "{}", "longer"),
    "code type": (with_code(code=1), '"code" must be a string'),
    "code null": (with_code(code=None), '"code" must be a string'),
    "bad code": (with_code(code="GO3-E-AAAAAAB"), "bad code"),
    "bad code character": (with_code(code="GO1-\u017f-AAAAAAB"), "bad code"),
    "lone surrogate": ('{"code": "\\ud800"}', "bad code"),
    "line in code": (with_code(code="GO1-\u2028\x00-AAAAAAB"), "bad code"),
    "contradiction": (with_code(rules={"draw": "when_stuck"}), "contradict the code: draw"),
    "contradicting jokers": (with_code(rules={"jokers": 1}), "contradict the code: jokers"),
    "other cards": (
        json.dumps({"code": "GO1-E-AAAAAAA", **CARDS}),
        "the cards are not those of the code",
    ),
    "rules type": (with_code(rules=[]), '"rules" must be an object'),
    "rules null": (with_code(rules=None), '"rules" must be an object'),
    "unknown rule": (with_code(rules={"king\nace": 1}), "unknown rule"),
    "unknown value": (with_code(rules={"draw": "never"}), "draw is one of"),
    "joker truth": (with_code(rules={"jokers": False}), "jokers is one of"),
    "joker text": (with_cards(rules={"jokers": "1"}), "jokers is one of"),
    "actions type": (with_code(actions=["d"]), '"actions" must be a string'),
    "actions null": (with_code(actions=None), '"actions" must be a string'),
    "undo type": (with_code(undo=0), '"undo" must be true or false'),
    "token": (with_code(actions="d 5 x"), "action 2 is 'x'"),
    "token close": (with_code(actions="c"), "action 0"),
    "token run": (with_code(actions="d52"), "action 0"),
    "token ten": (with_code(actions="10"), "action 0"),
    "token capital": (with_code(actions="D"), "action 0"),
    "token digit": (with_code(actions="\uff15"), "action 0"),
    "token long": (with_code(actions="d" * 5000), "..."),
    "columns type": (with_cards(columns="6C"), '"columns" must be a list'),
    "column type": (with_cards(columns=[1] * 7), '"columns" must be a list'),
    "columns missing": (json.dumps({"waste": "AC", "stock": ""}), '"columns" must be a list'),
    "six columns": (with_cards(columns=CARDS["columns"][:6]), "7 columns, not 6"),
    "eight columns": (with_cards(columns=[*CARDS["columns"], ""]), "7 columns, not 8"),
    "short column": (
        with_cards(columns=["6C", *CARDS["columns"][1:]], stock=CARDS["stock"] + " 5S QS TS 6H"),
        "column 1 has 1 cards, not 5",
    ),
    "card missing": (with_cards(stock=CARDS["stock"][3:]), "8S is missing"),
    "card twice": (with_cards(stock=CARDS["stock"] + " 8S"), "8S is there twice"),
    "card unknown": (with_cards(waste="10C"), "is not a card"),
    "card lower case": (with_cards(waste="ac"), "is not a card"),
    "three jokers": (with_cards(stock=CARDS["stock"] + " * * *"), "3 jokers"),
    "waste type": (with_cards(waste=1), '"waste" must be a card or null'),
    "waste null": (
        with_cards(waste=None, stock="AC " + CARDS["stock"]),
        "the waste card is missing",
    ),
    "stock type": (with_cards(stock=CARDS["stock"].split()), '"stock" must be a string'),
    "stock null": (with_cards(stock=None), '"stock" must be a string'),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_with_its_number_and_the_answers_before_stand(name):
    bad, reason = BAD[name]
    good = f'{{"code": "{CODE}"}}\n'.encode()
    bad = bad if isinstance(bad, bytes) else bad.encode()
    done = run("play", given=good + b"\n" + bad + b"\n" + good)
    line = complaint(done)
    assert line.startswith("error: line 3: ")
    assert reason in line
    assert len(line) < 300
    assert [json.loads(answer)["state"] for answer in done.stdout.splitlines()] == ["playing"]


def best(*lines):
    """The answers of ``best`` to lines that are not bad input."""
    done = run("best", given="".join(json.dumps(line) + "\n" for line in lines))
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_best():
    figures = {"cleared": 35, "strokes": 0, "app_score": 350}
    easy, strict, later = best(
        {"code": CODE},
        {"code": "GO1-S-AAAAAAB"},
        {"code": CODE, "actions": "d d d d d d"},
    )
    assert list(easy) == list(strict) == list(later)
    assert easy == {**figures, "stock_left": 7, "strokes_below_par": -7, "line": easy["line"]}
    assert strict == {
        "cleared": 33,
        "stock_left": None,
        "strokes": 2,
        "strokes_below_par": 2,
        "app_score": 310,
        "line": strict["line"],
    }
    assert later == {**figures, "stock_left": 3, "strokes_below_par": -3, "line": later["line"]}


def test_the_line_of_best_can_be_played_from_there():
    for code, actions in ((CODE, ""), (CODE, "d 5 2"), ("GO1-S-AAAAAAB", "d 5 u")):
        found = best({"code": code, "actions": actions})[0]
        played = play({"code": code, "actions": f"{actions} {found['line']}"})[0]
        assert played["refused"] == []
        assert played["state"] == ("blocked" if found["stock_left"] is None else "won")
        names = ("cleared", "strokes", "strokes_below_par", "app_score")
        assert {name: played[name] for name in names} == {name: found[name] for name in names}


def test_best_of_cards_and_of_a_game_that_was_given_up():
    given_up = {"cleared": 2, "stock_left": None, "strokes": 33, "strokes_below_par": 33}
    by_code, by_cards, stopped = best(
        {"code": CODE}, CARDS, {"code": CODE, "actions": "d 5 2 g", "undo": False}
    )
    assert by_code == by_cards
    assert stopped == {**given_up, "app_score": 0, "line": ""}


def test_best_reports_refused_actions_where_there_are_any():
    refused, clean = best({"code": CODE, "actions": "1 d 5 2"}, {"code": CODE, "actions": "d 5 2"})
    assert refused == {**clean, "refused": [[0, "1", "not_adjacent"]]}


def test_bad_input_of_best_is_one_line_with_its_number_and_the_answers_before_stand():
    done = run("best", given=f'{{"code": "{CODE}"}}\n\n{{}}\n{{"code": "{CODE}"}}\n')
    assert complaint(done).startswith("error: line 3: neither")
    assert [json.loads(line)["stock_left"] for line in done.stdout.splitlines()] == [7]


@pytest.mark.parametrize("name", BAD.keys() - {"long line"})
def test_best_refuses_what_play_refuses(name):
    bad = BAD[name][0]
    complaints = []
    for reader in (face.answer, face.best):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 compared below
            reader(bad if isinstance(bad, bytes) else bad.encode())
        complaints.append(str(caught.value))
    assert complaints[0] == complaints[1]
    assert BAD[name][1] in complaints[0]


def test_best_without_numpy_says_so_and_play_does_not_need_it():
    line = f'{{"code": "{CODE}"}}\n'.encode()
    statuses = {}
    for command in ("play", "best"):
        done = subprocess.run(
            [sys.executable, "-S", "-m", "games.engine", command],
            cwd=ROOT,
            env=ENVIRONMENT,
            input=line,
            capture_output=True,
            check=False,
            timeout=60,
        )
        statuses[command] = (done.returncode, done.stderr)
    message = b"error: the module numpy is not installed\n"
    assert statuses == {"play": (0, b""), "best": (1, message)}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["deal"],
        ["play", "x"],
        ["best", CODE],
        ["shuffle"],
        ["--deal"],
        ["deal", ""],
        ["deal", "GO1"],
        ["deal", "GO1-\u017f-AAAAAAB"],
        [b"deal", b"\xff"],
        [b"\xff\n"],
    ],
)
def test_bad_arguments(arguments):
    done = run(*arguments)
    assert complaint(done).startswith("error: ")
    assert done.stdout == b""


def test_an_answer_is_written_before_the_next_line_comes():
    with subprocess.Popen(
        [sys.executable, "-m", "games.engine", "play"],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        process.stdin.write(f'{{"code": "{CODE}"}}\n'.encode())
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], 30)
        process.stdin.close()
        assert ready == [process.stdout]
        assert json.loads(process.stdout.readline())["legal"] == "d"
        assert process.wait(timeout=60) == 0


def test_a_reader_that_leaves_causes_no_traceback():
    with subprocess.Popen(
        [sys.executable, "-m", "games.engine", "play"],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        process.stdin.write(f'{{"code": "{CODE}"}}\n'.encode())
        process.stdin.close()
        assert process.wait(timeout=60) == 1
        assert process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_one_line():
    with Path("/dev/full").open("wb") as full:
        done = run("deal", CODE, stdout=full)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(("redirection", "status"), [("<&-", 0), (">&-", 1), ("2>&-", 2)])
def test_closed_streams_cause_no_traceback(redirection, status):
    command = f'"$0" -m games.engine play {redirection}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable],
        cwd=ROOT,
        env=ENVIRONMENT,
        input=b"{}\n" if status == 2 else f'{{"code": "{CODE}"}}\n'.encode(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (status, b"")


def test_help():
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, b"")
    for word in (
        b"deal CODE",
        b"JSON Lines",
        b"best",
        b"stock_left",
        b"when_stuck",
        b"refused",
        b"exit",
    ):
        assert word in done.stdout


def test_neither_django_nor_random_is_imported():
    code = (
        "import sys, games.engine.__main__ as face; face.main(['deal', 'GO1-E-AAAAAAB']);"
        "print([name for name in ('django', 'random', 'games.models') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == b"[]"
