"""`manage.py backup FILE`: all that the site stores, in one file, while it serves."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from golfsite import backups


class Command(BaseCommand):
    """Write a backup; `manage.py restore` puts it back."""

    help = "Write all that the site stores to a new file, while it serves."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file."""
        parser.add_argument("file", type=Path, help="is made, and must not be there yet")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        """Write it."""
        try:
            backups.make(file)
        except backups.BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{file} holds {file.stat().st_size} bytes. It is secret.")
