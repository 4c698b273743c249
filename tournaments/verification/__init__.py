"""Checks a results bundle by itself: without the site, its database or its settings.

Nothing that the file says is believed. The commitment is made anew from salt and codes, each game
is played again by the engine, the corrections are carried out, and everything that should follow
from that is compared with what stands there. `tournaments.bundle` describes the file.

Run as `python -m tournaments.verification FILE`, or `manage.py verify FILE`. A bundle that agrees
with itself could still be about other deals than those that were promised: whoever has kept the
commitment gives it along (``--commitment``).
"""

import argparse
from pathlib import Path
from typing import Final

from tournaments import bundle
from tournaments.bundle import Unreadable
from tournaments.verification import form
from tournaments.verification.contents import Contents
from tournaments.verification.places import Card, Place, places_of
from tournaments.verification.report import Report

#: What the command ends with.
RIGHT: Final = 0
WRONG: Final = 1
UNREADABLE: Final = 2


def verify(data: bytes, *, commitment: str | None = None) -> Report:
    """Check a file.

    :param commitment: what the tournament has shown before, if it was kept.
    :raises Unreadable: if it is no bundle at all.
    """
    found = bundle.read(data)
    report = Report()
    form.check_shape(found, report)
    if not report.problems:
        form.check_sums(found, report)
        Contents(found, report).check(commitment)
        form.check_spelling(found, data, report)
    form.check_digest(found, data, report)
    return report


def check_file(path: Path, *, commitment: str | None = None) -> tuple[int, list[str]]:
    """Check a file; return what the command ends with, and the lines that it writes.

    A bundle that was damaged so that it cannot be read on is `WRONG`, and what was never one, or
    cannot be opened, `UNREADABLE`.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        return UNREADABLE, [f"{path} cannot be read: {error.strerror}"]
    try:
        report = verify(data, commitment=commitment)
    except Unreadable as error:
        if bundle.is_like_one(data):
            return WRONG, [str(error)]
        return UNREADABLE, [f"{path} is no results bundle: {error}"]
    if report.problems:
        return WRONG, report.problems
    counts = f"{report.entries} entries, {report.games} games and {report.actions} actions"
    return RIGHT, [f"{path} is right: commitment, deals, figures and places of {counts}."]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the file, and what was kept."""
    parser.add_argument("file", type=Path, help="a results bundle")
    add_commitment(parser)


def add_commitment(parser: argparse.ArgumentParser) -> None:
    """Take what was kept."""
    parser.add_argument("--commitment", help="the commitment that the tournament has shown before")


__all__ = [
    "RIGHT", "UNREADABLE", "WRONG", "Card", "Place", "Report", "Unreadable", "add_arguments",
    "add_commitment", "check_file", "places_of", "verify",
]  # fmt: skip
