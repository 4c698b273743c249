"""A restart of one process after the other, behind nginx, that no player notices."""

import json
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.board import deal
from tests.harness.fixtures import StartCluster
from tests.harness.processes import ROOT, wait_until
from tests.live.test_bots import (
    QUICK,
    acknowledged_in,
    arguments,
    check_against_the_engine,
    counts_in,
)
from tests.live.tournament import make_tournament, read_tournament, recompute


def test_players_play_on_through_a_restart_of_every_process(
    start_cluster: StartCluster, tmp_path: Path
) -> None:
    site = start_cluster(GOLF_LOG_LEVEL="INFO", GOLF_LOG_FORMAT="json", **QUICK)
    slug = make_tournament(site)
    noted, output = tmp_path / "acknowledged.jsonl", tmp_path / "bots.log"

    def count() -> int:
        return noted.read_bytes().count(b"\n") if noted.exists() else 0

    command = arguments(
        site, slug, players=20, holes=4, seed=5, pace=5, timeout=400, acknowledged=noted
    )
    before = {site.pid_of("daphne", str(port)) for port in site.web_ports}
    with (
        output.open("wb") as log,
        subprocess.Popen(
            [sys.executable, "manage.py", *command],
            cwd=ROOT, env=site.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        ) as bots,
    ):  # fmt: skip
        try:
            wait_until(lambda: count() >= 100, seconds=60, what="100 moves")
            site.restart_in_turn()
            assert bots.poll() is None, "the bots were done before the processes were restarted"
            reached = count()
            wait_until(lambda: count() >= reached + 100, seconds=60, what="100 more moves")
            assert bots.wait(400) == 0, output.read_text()
        finally:
            bots.kill()
    after = {site.pid_of("daphne", str(port)) for port in site.web_ports}
    assert before.isdisjoint(after)

    counts = counts_in(output.read_text())
    assert (counts["players"], counts["holes"], counts["differences"]) == (20, 80, 0)
    stored = read_tournament(site, slug)
    # Not one move is lost or done twice: what is stored is what was acknowledged.
    assert {
        one["game"]["public_id"]: dict(enumerate(one["actions"])) for one in stored["games"]
    } == acknowledged_in(noted)
    check_against_the_engine(stored)
    assert recompute(site, slug) == {"games": 80, "corrected": 0}
    # Nobody met a page or a socket that failed: the log has no error.
    lines = [json.loads(line) for line in site.log().splitlines() if line.startswith("{")]
    assert [line for line in lines if line["level"] in {"ERROR", "CRITICAL"}] == []
    assert {line["status"] // 100 for line in lines if "status" in line} <= {2, 3}
    assert sum("Draining" in line["message"] for line in lines) == 2


def test_a_page_needs_no_reload(start_cluster: StartCluster, page: Page) -> None:
    site = start_cluster()
    board = deal(page, site.url)
    loads: list[str] = []
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    board.click("d")
    board.at(1)
    expect(board.banner).to_be_hidden()
    site.restart_in_turn()
    expect(board.banner).to_be_hidden()
    board.click("5")
    expect(board.waste).to_have_attribute("data-card", "9C")
    # Answered by the server, not only shown by the page.
    expect(board.figure("app_score")).to_have_text("10")
    site.restart_in_turn()
    board.click("2")
    expect(board.figure("app_score")).to_have_text("20")
    assert loads == []
