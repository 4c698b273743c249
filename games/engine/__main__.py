"""The command-line face: ``python -m games.engine --help`` tells all.

It needs neither Django nor a database. Answers are JSON on standard output; bad input is one line
on standard error and the exit status 2.
"""

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterator
from typing import BinaryIO, Final, NoReturn

from games.engine.cards import card_text, cards_text, parse_card, parse_cards
from games.engine.deals import CodeError, Deal, GameCode
from games.engine.play import Play, Refusal
from games.engine.rules import RuleSet

LINE_LIMIT: Final = 1 << 20
"""The longest line that is read, in bytes: a guard against input without an end."""

HELP: Final = """\
The rules of Golf solitaire on the command line.

  deal CODE   prints the cards of a game code:
              {"code", "rules", "columns": [7 strings, top to bottom], "waste", "stock"}

  play        reads JSON Lines from standard input, a deal a line, and prints the final state of
              each, a line each. A line is an object with
                "code"                       a game code, or
                "columns", "waste", "stock"  the cards: seven columns of five, and the rest; with
                                             the jokers it must be the whole deck
                "rules"    optional: {"king_ace": "linked" | "apart",
                                      "on_king": "queen" | "nothing" | "ace",
                                      "draw": "any_time" | "when_stuck",
                                      "jokers": 0 | 1 | 2,
                                      "waste": "dealt" | "empty"}
                           The first value of each is Easy's and stands for a missing field.
                           Beside a code they must agree with it, and so must cards.
                "actions"  optional: "d 5 2 u": 1 to 7 play a column, d draws, u undoes, h takes
                           a hint, g gives up or accepts a block
                "undo"     optional: false switches undo off
              Other keys are ignored, and so are blank lines. Under an empty waste a waste card
              heads the stock, and null means that the stock holds it already. The answer is
                {"cleared", "left", "stock_left", "moves", "undos", "hints", "app_score",
                 "strokes", "strokes_below_par", "streak_score", "longest_streak",
                 "state": "playing" | "won" | "blocked" | "given_up",
                 "legal": the plays in ascending order, then d; empty at an end,
                 "refused": [[index from 0, action, code], ...]}
              A refused action is reported and skipped.

  best        reads the same lines and prints the best result that plays and draws still reach
              from the position of each, exactly, and a line that reaches it:
                {"cleared",
                 "stock_left": null if the game cannot be won,
                 "strokes", "strokes_below_par", "app_score",
                 "line": "d 5 2 ...", to the end of the game}
              A game that was given up has the result that it has. Where actions were refused
              their list follows, as "refused". This needs numpy.

Cards are a rank of A23456789TJQK and a suit of SHDC, as in TH; * is a joker. A column is written
from top to bottom, the stock in the order of drawing.

Bad input ends the run with one line on standard error and the exit status 2; the answers to the
lines before it stand.

  $ python -m games.engine deal GO1-E-AAAAAAB
  $ echo '{"code": "GO1-E-AAAAAAB", "actions": "d 5 2"}' | python -m games.engine play
  $ echo '{"code": "GO1-E-AAAAAAB"}' | python -m games.engine best
"""

# A player's actions, and the digits that are refused as columns.
_TOKENS: Final = frozenset("0123456789duhg")


class BadInputError(ValueError):
    """Input that cannot be read; the message is one line."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Fail in one line, without the usage."""
        raise BadInputError(f"{ascii(message)[1:-1]} (try --help)")


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = _Parser(
        prog="python -m games.engine",
        description=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [-h] (deal CODE | play | best)",
        allow_abbrev=False,
    )
    parser.add_argument("command", choices=("deal", *_READERS), help=argparse.SUPPRESS)
    parser.add_argument("code", nargs="*", help=argparse.SUPPRESS)
    parsed = parser.parse_args(arguments)
    if parsed.command == "deal" and not parsed.code:
        parser.error("deal needs a game code")
    if parsed.command != "deal" and parsed.code:
        parser.error(f"{parsed.command} takes no arguments: it reads standard input")
    return parsed


def dealt(text: str) -> dict[str, object]:
    """The answer to ``deal``.

    :raises CodeError: if the text is no game code.

    >>> dealt("go1-e-aaaaaab")["columns"][0]
    '6C 5S QS TS 6H'
    """
    code = GameCode.parse(text)
    deal = code.deal()
    return {
        "code": code.text,
        "rules": code.rules.fields(),
        "columns": [cards_text(column) for column in deal.columns],
        "waste": None if deal.waste is None else card_text(deal.waste),
        "stock": cards_text(deal.stock),
    }


def answer(line: bytes) -> dict[str, object]:
    """The answer to one line of ``play``.

    :param line: a JSON object in UTF-8.
    :raises ValueError: if it is bad input; the message says why in one line.

    >>> answer(b'{"code": "GO1-E-AAAAAAB", "actions": "1 d 5"}')["refused"]
    [[0, '1', 'not_adjacent']]
    """
    play, refused = _played(line)
    return {**play.figures(), "state": play.state, "legal": play.legal(), "refused": refused}


def best(line: bytes) -> dict[str, object]:
    """The answer to one line of ``best``; see `answer`.

    >>> best(b'{"code": "GO1-E-AAAAAAB"}')["stock_left"]
    7
    """
    # Here, since nothing else needs numpy.
    from games.engine.solver import solve_play

    play, refused = _played(line)
    solution = solve_play(play)
    return {
        "cleared": solution.best.cleared,
        "stock_left": solution.best.stock_left,
        "strokes": solution.best.strokes,
        "strokes_below_par": solution.best.strokes_below_par,
        "app_score": solution.best.app_score,
        "line": " ".join(solution.line),
        **({"refused": refused} if refused else {}),
    }


# The commands that read lines, with their answers.
_READERS: Final = {"play": answer, "best": best}


def _played(line: bytes) -> tuple[Play, list[list[object]]]:
    """The game of a line, and the actions that were refused."""
    given = _object(line)
    deal, rules = _game(given)
    actions = given.get("actions", "")
    if not isinstance(actions, str):
        raise BadInputError('"actions" must be a string such as "d 5 2 u"')
    undo = given.get("undo", True)
    if not isinstance(undo, bool):
        raise BadInputError('"undo" must be true or false')
    play = Play(deal, rules, undo=undo)
    refused: list[list[object]] = []
    for index, action in enumerate(actions.split()):
        if action not in _TOKENS:
            raise BadInputError(f"action {index} is {_short(action)}, none of 1-7 d u h g")
        try:
            play.act(action)
        except Refusal as refusal:
            refused.append([index, action, refusal.code])
    return play, refused


def _object(line: bytes) -> dict[str, object]:
    try:
        value = json.loads(
            line.decode(), parse_constant=_no_constant, object_pairs_hook=_without_repeats
        )
    except UnicodeDecodeError:
        raise BadInputError("not UTF-8") from None
    except RecursionError:
        raise BadInputError("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadInputError(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    if not isinstance(value, dict):
        raise BadInputError("not a JSON object")
    return value


def _no_constant(name: str) -> NoReturn:
    raise BadInputError(f"not JSON: {name}")


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise BadInputError("a key stands twice in one object")
    return result


def _game(given: dict[str, object]) -> tuple[Deal, RuleSet]:
    """The deal and the rules of a line."""
    fields = given.get("rules", {})
    if not isinstance(fields, dict):
        raise BadInputError('"rules" must be an object')
    rules = RuleSet.from_fields(fields)
    cards_given = [key for key in ("columns", "waste", "stock") if key in given]
    if "code" not in given:
        if not cards_given:
            raise BadInputError('neither "code" nor "columns", "waste" and "stock"')
        return _cards(given, rules), rules
    text = given["code"]
    if not isinstance(text, str):
        raise BadInputError('"code" must be a string')
    try:
        code = GameCode.parse(text)
    except CodeError as error:
        raise BadInputError(f"bad code: {error}") from None
    for name in fields:
        if fields[name] != code.rules.fields()[name]:
            raise BadInputError(f'"rules" contradict the code: {name}')
    if cards_given and _cards(given, code.rules) != code.deal():
        raise BadInputError("the cards are not those of the code")
    return code.deal(), code.rules


def _cards(given: dict[str, object], rules: RuleSet) -> Deal:
    """The deal whose cards a line spells out."""
    columns, waste, stock = given.get("columns"), given.get("waste"), given.get("stock")
    if not isinstance(columns, list):
        raise BadInputError('"columns" must be a list of seven strings')
    for column in columns:
        if not isinstance(column, str):
            raise BadInputError('"columns" must be a list of seven strings')
    if not isinstance(stock, str):
        raise BadInputError('"stock" must be a string')
    if waste is not None and not isinstance(waste, str):
        raise BadInputError('"waste" must be a card or null')
    deal = Deal(
        tuple(map(parse_cards, columns)),
        None if waste is None else parse_card(waste),
        parse_cards(stock),
    )
    if rules.waste == "empty":
        deal = deal.under(rules)
    deal.check(rules)
    return deal


def _short(text: str) -> str:
    """A text fit for a line of a message."""
    return ascii(text if len(text) <= 20 else text[:20] + "...")


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines of a stream with their numbers from 1, without the blank ones."""
    number = 0
    while line := stream.readline(LINE_LIMIT + 1):
        number += 1
        if len(line) > LINE_LIMIT:
            raise BadInputError(f"line {number}: longer than {LINE_LIMIT} bytes")
        if line.strip():
            yield number, line


def _write(value: dict[str, object]) -> None:
    # Flushed, so that an answer stands whatever the next line brings.
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    :return: the exit status: 0, 1 if the answers cannot be written or numpy is missing, 2 on bad
        input.
    """
    try:
        _run(_arguments(arguments))
    except BrokenPipeError:
        return _give_up_output()
    except OSError as error:
        _complain(str(error.strerror))
        return _give_up_output()
    except KeyboardInterrupt:
        return 130
    except ModuleNotFoundError as error:
        _complain(f"the module {error.name} is not installed")
        return 1
    except ValueError as error:
        _complain(str(error))
        return 2
    return 0


def _run(parsed: argparse.Namespace) -> None:
    if sys.stdout is None:
        raise BrokenPipeError
    if parsed.command == "deal":
        _write(dealt(" ".join(parsed.code)))
        return
    if sys.stdin is None:
        return
    for number, line in _lines(sys.stdin.buffer):
        try:
            result = _READERS[parsed.command](line)
        except ValueError as error:
            raise BadInputError(f"line {number}: {error}") from None
        _write(result)


def _complain(message: str) -> None:
    # A standard error that is closed or cannot be written must not change the exit status.
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"error: {message}\n")
            sys.stderr.flush()


def _give_up_output() -> int:
    # Nobody reads the answers; without this the flush at exit would complain once more.
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


if __name__ == "__main__":
    sys.exit(main())
