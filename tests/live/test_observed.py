"""What a running site shows of itself: log lines with ids and without secrets, and figures."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness.fixtures import Serve
from tests.harness.processes import wait_until
from tests.harness.site import Site, fetch
from tests.harness.visitor import Visitor
from tests.live.test_deadlines import start_hole
from tests.live.test_story import link_in
from tests.live.tournament import make_tournament, read_tournament

PASSWORD = "seven-columns-of-5"
WRONG = "eight-columns-of-4"


def figures_of(url: str) -> dict[str, float]:
    """Return the figures that a process shows, by their names and labels."""
    _, text = fetch(f"{url}/metrics")
    pairs = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def change(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """Return the site's own figures that are not what they were."""
    return {
        name: value - before.get(name, 0)
        for name, value in after.items()
        if name.startswith("golf_") and value != before.get(name, 0)
    }


async def test_what_is_counted(serve: Serve) -> None:
    site = serve()
    slug = make_tournament(site)
    before = figures_of(site.url)
    async with Visitor(site.url) as anna, Visitor(site.url) as guest:
        board = await guest.connect(f"/ws/tournaments/{slug}/")
        assert (await board.hear())["type"] == "notice"
        line = await start_hole(anna, slug)
        await line.hear()
        assert (await line.act(0, "d"))["type"] == "done"
        assert (await line.act(0, "d"))["repeated"]
        assert (await line.act(1, "9"))["code"] == "no_such_column"
        assert (await line.ask(type="nonsense"))["code"] == "unknown_type"
        counted = change(before, figures_of(site.url))
        assert {
            name: counted[name]
            for name in (
                "golf_moves_acknowledged_total", "golf_moves_repeated_total",
                'golf_moves_refused_total{code="no_such_column"}',
                'golf_socket_errors_total{code="unknown_type"}',
                "golf_journal_batch_rows_count", "golf_journal_batch_rows_sum",
                "golf_journal_commit_seconds_count", "golf_sockets", "golf_rooms",
                "golf_open_games", "golf_games_opened_total",
            )
        } == {
            "golf_moves_acknowledged_total": 1, "golf_moves_repeated_total": 1,
            'golf_moves_refused_total{code="no_such_column"}': 1,
            'golf_socket_errors_total{code="unknown_type"}': 1,
            "golf_journal_batch_rows_count": 1, "golf_journal_batch_rows_sum": 1,
            "golf_journal_commit_seconds_count": 1, "golf_sockets": 2, "golf_rooms": 1,
            "golf_open_games": 1, "golf_games_opened_total": 1,
        }  # fmt: skip
        assert 0 < counted["golf_journal_commit_seconds_sum"] < 60
        assert counted['golf_http_request_seconds_count{method="POST",status="3xx"}'] == 3
        turn = 1
        while not (answer := await line.act(turn, "d"))["position"]["final"]:
            assert answer["type"] == "done"
            turn += 1
            if not answer["position"]["stock"]:
                await line.act(turn, "g")
                break
        assert (await board.hear())["version"] > 0
        assert (await line.ask(type="state"))["position"]["final"]
        await line.hang_up()
        await board.hang_up()
    jobs = 'golf_director_jobs_total{job="close tournaments",outcome="done"}'
    wait_until(
        lambda: change(before, figures_of(site.url)).get(jobs, 0) > 0, what="the director's look"
    )

    def is_over() -> bool:
        after = figures_of(site.url)
        open_ones = ("golf_sockets", "golf_rooms", "golf_open_games")
        return after["golf_notices_total"] >= 1 and not any(after[name] for name in open_ones)

    wait_until(is_over, what="the end of the sockets")


def secrets_in(site: Site, slug: str) -> Iterator[str]:
    """Every text that would give a tournament's deals away."""
    for one in read_tournament(site, slug)["games"]:
        code = one["result"]["hole__deal_code"]
        yield from (code, code.rpartition("-")[2])


@pytest.mark.parametrize("form", ["text", "json"])
async def test_no_secret_is_logged(serve: Serve, form: str) -> None:
    site = serve(GOLF_LOG_LEVEL="DEBUG", GOLF_LOG_FORMAT=form)
    slug = make_tournament(site)
    secrets: set[str] = {PASSWORD, WRONG, site.env["GOLF_SECRET_KEY"]}

    def note_cookies(visitor: Visitor) -> None:
        for cookie in visitor.http.cookie_jar:
            if cookie.key in {"sessionid", "csrftoken"}:
                secrets.add(cookie.value)

    async with Visitor(site.url) as olga, Visitor(site.url) as anna, Visitor(site.url) as boris:
        await olga.fill("/sign-up/", username="olga", name="Olga", password=PASSWORD)
        note_cookies(olga)
        path, page = await olga.fill("/clubs/new/", name="Club of nine", guests_welcome="on")
        page = await olga.get(link_in(page, f"{path}invitation/"))
        invitation = link_in(page, '/invitations/[^/"]+/')
        secrets.add(invitation.strip("/").split("/")[-1])
        await olga.post("/log-out/")
        await olga.fill("/log-in/", username="olga", password=WRONG)
        await olga.fill("/log-in/", username="olga", password=PASSWORD)
        note_cookies(olga)

        await anna.get(invitation)
        line = await start_hole(anna, slug)
        note_cookies(anna)
        opening = await line.hear()
        for turn, action in enumerate("ddd"):
            await line.act(turn, action)
        await line.say(type="act", turn="nothing", action=5)
        await line.hear()
        game = opening["game"]
        # A game of somebody else's, and addresses that there are not.
        await boris.become_guest("Boris")
        note_cookies(boris)
        assert await (await boris.connect(f"/ws/games/{game}/")).closed_with() == 4403
        for missing in ("/share/nobody-knows-it/", f"{invitation}more/", "/no/such-page/"):
            async with boris.http.get(site.url + missing) as answer:
                assert answer.status == 404
        secrets |= {"nobody-knows-it", "such-page"}
        await line.hang_up()
    secrets.update(secrets_in(site, slug))
    assert len(secrets) > 12
    log = (site.data.parent / f"server-{site.url.rpartition(':')[2]}.log").read_text()
    assert [secret for secret in secrets if secret in log] == []
    # Nor cards in a row, however they are written.
    assert re.findall(r"\b[A2-9TJQK][CDHS][ /][A2-9TJQK][CDHS]\b", log) == []

    if form == "json":
        check_the_lines(log, game)


def check_the_lines(log: str, game: str) -> None:
    """Each line is an object, and those of a game say whose and which it is."""
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in log.splitlines() if not line.startswith(("Golf is", "Ctrl-C"))
    ]
    gone = [line for line in lines if line["message"].startswith("The socket is gone")]
    mine = [line for line in gone if line.get("game") == game]
    assert len({line["player"] for line in mine}) == 2
    assert len({line["request"] for line in mine}) == 2
    pages = [line for line in lines if line["logger"] == "golfsite.tracing" and "status" in line]
    assert {"/clubs/new/", "/log-in/", "/tournaments/<slug:slug>/enter/"} <= {
        line.get("route") for line in pages
    }
    for line in pages:
        assert re.fullmatch(r"[0-9a-f]{16}", line["request"])
        assert line["ms"] >= 0
