"""`manage.py verify FILE`: check a results bundle, without a database."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from tournaments import verification


class Command(BaseCommand):
    """Checks a downloaded results bundle; `python -m tournaments.verification` does the same."""

    help = "Check a results bundle: 0 all is right, 1 something is not (it is named), 2 unreadable."
    requires_system_checks: list[str] = []  # noqa: RUF012 - declared so by Django

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file, and the commitment if it was kept."""
        verification.add_arguments(parser)

    def handle(self, *args: Any, file: Path, commitment: str | None, **options: Any) -> None:
        """Check, say what came of it, and end with its status."""
        status, lines = verification.check_file(file, commitment=commitment)
        output = self.stdout if status == verification.RIGHT else self.stderr
        for line in lines:
            output.write(line)
        if status != verification.RIGHT:
            sys.exit(status)
