"""`manage.py verify`: check a results bundle, or those of all tournaments that are over here."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments import verification


class Command(BaseCommand):
    """Checks results bundles; `python -m tournaments.verification` does so for a file."""

    help = "Check a results bundle: 0 all is right, 1 something is not (it is named), 2 unreadable."
    requires_system_checks: list[str] = []  # noqa: RUF012 - declared so by Django

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file, and the commitment if it was kept; or that the site itself is meant."""
        parser.add_argument("file", type=Path, nargs="?", help="a results bundle")
        verification.add_commitment(parser)
        parser.add_argument(
            "--site", action="store_true", help="check every tournament that is over on this site"
        )

    def handle(
        self,
        *args: Any,
        file: Path | None,
        commitment: str | None,
        site: bool,
        **options: Any,
    ) -> None:
        """Check, say what came of it, and end with its status."""
        if site == (file is not None) or (site and commitment):
            raise CommandError("Give a file, or --site alone.")
        if file is None:
            status, lines = self._check_site()
        else:
            status, lines = verification.check_file(file, commitment=commitment)
        output = self.stdout if status == verification.RIGHT else self.stderr
        for line in lines:
            output.write(line)
        if status != verification.RIGHT:
            sys.exit(status)

    def _check_site(self) -> tuple[int, list[str]]:
        from tournaments.models import Tournament
        from tournaments.selectors.bundles import stored_bundle

        lines, wrong = [], 0
        over = Tournament.objects.filter(closed_at__isnull=False).order_by("closed_at", "pk")
        for tournament in over:
            data = b"".join(stored_bundle(tournament=tournament))
            problems = verification.verify(data).problems
            wrong += bool(problems)
            lines += [f"{tournament.slug}: {problem}" for problem in problems]
        count = f"Of {len(over)} tournaments that are over"
        if wrong:
            return verification.WRONG, [*lines, f"{count} {wrong} are not right."]
        return verification.RIGHT, [f"{count} all are right."]
