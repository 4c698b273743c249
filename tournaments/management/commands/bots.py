"""`manage.py bots`: a crowd that plays a tournament of a running site and checks every figure."""

import asyncio
import contextlib
import ipaddress
import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from tournaments.bots.client import Addresses
from tournaments.bots.crowd import MOST_PLAYERS, Crowd, Report

#: Differences that are printed; one mistake of a server often shows in every game.
_SHOWN = 20


class Command(BaseCommand):
    """Log bots in as guests, let them play, compare, and exit 1 on any difference."""

    help = (
        "Let bots play a tournament of a running site over its pages and websockets. They recount"
        " every figure by themselves; any difference is printed, and the exit status is 1."
    )
    # The bots use neither the database nor the models: the site may be on another computer.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the tournament, and how many play how."""
        parser.add_argument("--tournament", required=True, metavar="SLUG")
        parser.add_argument("--players", type=int, default=8, help=f"1 to {MOST_PLAYERS}")
        parser.add_argument("--seed", type=int, default=1, help="decides how each bot chooses")
        parser.add_argument(
            "--pace", type=float, default=5.0, help="moves a second of each bot; 0: no limit"
        )
        parser.add_argument("--holes", type=int, default=9, help="how many are played")
        parser.add_argument(
            "--url",
            action="append",
            help="of the site, http://127.0.0.1:8000 by default; several for several processes",
        )
        parser.add_argument("--timeout", type=float, default=1800.0, help="seconds at most")
        parser.add_argument(
            "--acknowledged",
            type=Path,
            metavar="FILE",
            help="append a JSON line for each action as soon as the server has acknowledged it",
        )
        parser.add_argument(
            "--allow-remote", action="store_true", help="play on a site that is not this computer"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Play; print the differences, and one line of what was done."""
        servers = [url.rstrip("/") for url in options["url"] or ["http://127.0.0.1:8000"]]
        _check(servers, options)
        with _noting(options["acknowledged"]) as note:
            report = asyncio.run(_play(servers, note, options))
        wrong = report.differences + report.problems
        for text in wrong[:_SHOWN]:
            self.stderr.write(text)
        if len(wrong) > _SHOWN:
            self.stderr.write(f"… and {len(wrong) - _SHOWN} more")
        self.stdout.write(_line(report))
        if wrong:
            raise CommandError(
                f"{len(report.differences)} differences, {len(report.problems)} problems"
            )


async def _play(
    servers: list[str], note: Callable[[str, int, str], None], options: dict[str, Any]
) -> Report:
    slug = options["tournament"]
    crowd = Crowd(
        servers=servers,
        addresses=Addresses(
            home=reverse("home"),
            guest=reverse("guest"),
            tournament=reverse("tournament", args=[slug]),
            enter=reverse("tournament_enter", args=[slug]),
            leaderboard=reverse("leaderboard", args=[slug]),
            cards=reverse("scorecard", args=[slug, 0]).removesuffix("0/"),
            hole=lambda number: reverse("hole", args=[slug, number]),
        ),
        players=options["players"],
        holes=options["holes"],
        seed=options["seed"],
        pace=options["pace"],
        note=note,
    )
    return await crowd.play(limit=options["timeout"])


def _check(servers: list[str], options: dict[str, Any]) -> None:
    """Raise `CommandError` for what the bots must not or cannot do."""
    if not 1 <= options["players"] <= MOST_PLAYERS:
        raise CommandError(f"--players is 1 to {MOST_PLAYERS}")
    if options["holes"] < 1:
        raise CommandError("--holes is 1 or more")
    if options["pace"] < 0 or options["timeout"] <= 0:
        raise CommandError("--pace is not negative, and --timeout is above 0")
    for url in servers:
        host = urlsplit(url).hostname
        if urlsplit(url).scheme not in ("http", "https") or host is None:
            raise CommandError(f"{url} is not an address such as http://127.0.0.1:8000")
        if not (_is_here(host) or options["allow_remote"]):
            raise CommandError(
                f"{host} is not this computer. A crowd is a burden and leaves guests behind:"
                " where that is wanted, say --allow-remote."
            )


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextlib.contextmanager
def _noting(path: Path | None) -> Iterator[Callable[[str, int, str], None]]:
    """Give a function that writes an acknowledged action to the file at `path`, if there is one."""
    if path is None:
        yield lambda game, turn, action: None
        return
    # Line-buffered: whoever watches the file sees an action as soon as it is acknowledged.
    with path.open("a", buffering=1) as file:
        yield lambda game, turn, action: print(
            json.dumps({"game": game, "turn": turn, "action": action}), file=file
        )


def _line(report: Report) -> str:
    return (
        f"players {report.players}, holes {report.holes},"
        f" moves acknowledged {report.acknowledged}, refused {report.refused},"
        f" reconnects {report.reconnects}, seconds {report.seconds:.1f},"
        f" moves/s {report.acknowledged / report.seconds:.0f},"
        f" differences {len(report.differences)}"
    )
