"""A crowd on the real server, and everything that is stored of it against the engine."""

import json
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from games.engine import GameCode, Play
from tests.harness.processes import ROOT, wait_until
from tests.harness.site import Site
from tests.live.tournament import make_tournament, read_tournament, recompute
from tournaments.bots.recount import Board
from tournaments.bots.standings import Record

#: Nobody waits in these tests: the bots play as fast as the server answers.
QUICK = {"GOLF_SOCKET_RATE": "100000", "GOLF_SOCKET_BURST": "100000"}
SITES = [
    pytest.param("sqlite", 1, id="sqlite"),
    pytest.param("postgresql", 2, id="postgresql-two-processes"),
]


def arguments(site: Site, slug: str, **options: object) -> list[str]:
    """The command line of `manage.py bots` on every process of a site."""
    given = {"tournament": slug, **options}
    named = [text for name, value in given.items() for text in (f"--{name}", str(value))]
    return ["bots", *named, *(text for url in site.urls for text in ("--url", url))]


def counts_in(output: str) -> dict[str, float]:
    """The figures of the summary line."""
    figures = output.strip().splitlines()[-1].split(", ")
    return {name: float(value) for name, value in (figure.rsplit(" ", 1) for figure in figures)}


def acknowledged_in(path: Path) -> dict[str, dict[int, str]]:
    """The acknowledged actions by game and turn; no turn is acknowledged twice."""
    games: dict[str, dict[int, str]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        noted = json.loads(line)
        assert noted["turn"] not in games[noted["game"]]
        games[noted["game"]][noted["turn"]] = noted["action"]
    return games


def check_against_the_engine(stored: dict) -> None:
    """Replay every game from its journal: figures, results, entries and places must be the same."""
    entries = check_games_against_the_engine(stored)
    strokes = [total["to_par"] for total in entries.values()]
    assert [entries[row["entry"]]["to_par"] for row in stored["board"]] == sorted(strokes)
    for row in stored["board"]:
        mine = entries[row["entry"]]["to_par"]
        place = 1 + sum(other < mine for other in strokes)
        assert row["place"] == (f"T{place}" if strokes.count(mine) > 1 else f"{place}")


def check_games_against_the_engine(stored: dict) -> dict[int, dict[str, int]]:
    """Replay every game from its journal; return the totals of the entries, by id."""
    entries = {
        entry["id"]: {"thru": 0, "strokes": 0, "to_par": 0, "app_score": 0}
        for entry in stored["entries"]
    }
    for one in stored["games"]:
        game, result = one["game"], one["result"]
        assert one["turns"] == list(range(len(one["actions"])))
        assert game["deal_code"] == result["hole__deal_code"]
        code = GameCode.parse(game["deal_code"])
        play = Play.replay(code.deal(), code.rules, one["actions"], undo=False, hints=False)
        assert play.final
        assert game["finished"]
        figures = play.figures()
        figures["moves_made"] = figures.pop("moves")
        figures |= {"state": play.state, "turn": play.turn}
        assert {name: game[name] for name in figures} == figures
        assert result["is_final"]
        assert (result["strokes"], result["app_score"]) == (play.strokes, play.app_score)
        total = entries[result["entry_id"]]
        total["thru"] += 1
        total["strokes"] += play.strokes
        total["to_par"] += play.strokes - result["hole__par"]
        total["app_score"] += play.app_score
    assert {
        entry["id"]: {name: entry[name] for name in ("thru", "strokes", "to_par", "app_score")}
        for entry in stored["entries"]
    } == entries
    return entries


@pytest.mark.parametrize(("database", "processes"), SITES)
def test_twenty_bots_finish_nine_holes_without_a_difference(serve, tmp_path, database, processes):
    site = serve(database=database, processes=processes, **QUICK)
    slug = make_tournament(site)
    noted = tmp_path / "acknowledged.jsonl"
    done = site.manage(
        *arguments(site, slug, players=20, seed=7, pace=0, acknowledged=noted), check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    counts = counts_in(done.stdout)
    assert (counts["players"], counts["holes"], counts["differences"]) == (20, 180, 0)
    assert counts["refused"] > 50
    assert counts["reconnects"] > 10
    stored = read_tournament(site, slug)
    assert len(stored["games"]) == 180
    check_against_the_engine(stored)
    acknowledged = acknowledged_in(noted)
    assert sum(map(len, acknowledged.values())) == counts["moves acknowledged"]
    # Whatever is stored was acknowledged, and nothing else.
    assert {
        one["game"]["public_id"]: dict(enumerate(one["actions"])) for one in stored["games"]
    } == acknowledged


@pytest.mark.parametrize(("database", "processes"), SITES)
def test_killing_the_server_loses_no_acknowledged_move(
    serve, report, tmp_path, database, processes
):
    site = serve(database=database, processes=processes, **QUICK)
    slug = make_tournament(site)
    noted, output = tmp_path / "acknowledged.jsonl", tmp_path / "bots.log"

    def count() -> int:
        return noted.read_bytes().count(b"\n") if noted.exists() else 0

    command = arguments(
        site, slug, players=20, holes=4, seed=3, pace=0, timeout=200, acknowledged=noted
    )
    with (
        output.open("wb") as log,
        subprocess.Popen(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=site.env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        ) as bots,
    ):
        try:
            for kill in range(3):
                before = count()
                wait_until(
                    lambda wanted=before + 100: count() >= wanted, seconds=60, what="100 moves"
                )
                assert bots.poll() is None, "the bots were done before the server was killed"
                site.kill(kill % processes)
                killed_at, before = time.monotonic(), count()
                site.start_again(kill % processes)
                wait_until(lambda before=before: count() > before, seconds=60, what="a move")
                report(f"SIGKILL, one of {processes}", time.monotonic() - killed_at)
            assert bots.wait(200) == 0, output.read_text()
        finally:
            bots.kill()
    counts = counts_in(output.read_text())
    assert (counts["players"], counts["holes"], counts["differences"]) == (20, 80, 0)
    assert counts["reconnects"] >= 20
    stored = read_tournament(site, slug)
    moves = {one["game"]["public_id"]: one["actions"] for one in stored["games"]}
    for game, actions in acknowledged_in(noted).items():
        assert {turn: moves[game][turn] for turn in actions} == actions
    check_against_the_engine(stored)
    assert recompute(site, slug) == {"games": 80, "corrected": 0}


def test_a_difference_ends_the_command_with_exit_status_1(serve, monkeypatch, capsys):
    """So that the tests above can fail: with a wrong recount, and with a wrong sum."""
    site = serve(**QUICK)
    slug = make_tournament(site)
    line = arguments(site, slug, players=2, holes=1, pace=0)
    with monkeypatch.context() as patch:
        right = Board.figures
        patch.setattr(
            Board,
            "figures",
            lambda board: right(board) | {"strokes": right(board)["strokes"] + board.stock // 15},
        )
        with pytest.raises(CommandError) as caught:
            call_command(*line)
    assert caught.value.returncode == 1
    assert str(caught.value) == "2 differences, 0 problems"
    assert "strokes: the server says 35, counted 36" in capsys.readouterr().err

    with monkeypatch.context() as patch:
        patch.setattr(Record, "to_par", property(lambda record: sum(record.strokes)))
        patch.setattr("tournaments.bots.crowd.SETTLE_TIMEOUT", 0.5)
        with pytest.raises(CommandError) as caught:
            call_command(*line)
    assert str(caught.value) == "2 differences, 0 problems"
    assert "Ada, leaderboard: the page says" in capsys.readouterr().err
