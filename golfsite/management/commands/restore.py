"""`manage.py restore FILE`: put back what `manage.py backup` has written."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from golfsite import backups


class Command(BaseCommand):
    """Put a backup into the site's database, which must be empty."""

    help = "Put a backup into the site's empty database; migrate and verify --site come after it."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file."""
        parser.add_argument("file", type=Path, help="a backup")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        """Put it back."""
        try:
            backups.restore(file)
        except backups.BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{file} is put back. Next: manage.py migrate, manage.py verify --site")
