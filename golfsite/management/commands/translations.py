"""`manage.py translations`: the catalogues of the site's texts."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from golfsite import translations

#: The folders with texts of the site's own.
FOLDERS = ("games", "golfsite", "templates", "tournaments")


class Command(BaseCommand):
    """Update, check or compile the catalogue of every language but the source's."""

    help = "Bring the catalogues in locale/ in line with the texts, check or compile them."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what to do."""
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--update", action="store_true", help="add new texts, drop old ones")
        what.add_argument("--check", action="store_true", help="fail on whatever is untranslated")
        what.add_argument("--compile", action="store_true", help="write the .mo files")

    def handle(self, *args: Any, update: bool, check: bool, **options: Any) -> None:
        """Do it for every language of the settings."""
        try:
            translations.require_tools()
        except translations.ToolsMissing as error:
            raise CommandError(str(error)) from error
        root = Path(settings.BASE_DIR)
        catalogues = {
            language: translations.catalogue_path(Path(settings.LOCALE_PATHS[0]), language)
            for language, _name in settings.LANGUAGES
            if language != translations.SOURCE_LANGUAGE
        }
        if check:
            self._check(root, catalogues)
        elif update:
            texts = translations.extract(root, FOLDERS)
            for language, path in catalogues.items():
                translations.update(path, language, texts)
        else:
            for path in catalogues.values():
                translations.compile_catalogue(path)

    def _check(self, root: Path, catalogues: dict[str, Path]) -> None:
        problems = [*_of_templates(root), *_of_catalogues(root, catalogues)]
        for problem in problems:
            self.stderr.write(problem)
        if problems:
            raise CommandError(f"{len(problems)} texts are not as they should be.")


def _of_templates(root: Path) -> Iterator[str]:
    for path in translations.sources(root, FOLDERS):
        if path.suffix == ".html":
            for problem in translations.check_template(path):
                yield f"{path.relative_to(root)}: {problem}"


def _of_catalogues(root: Path, catalogues: dict[str, Path]) -> Iterator[str]:
    texts = translations.extract(root, FOLDERS)
    for language, path in catalogues.items():
        for problem in translations.check_catalogue(path, language, texts):
            yield f"{path.relative_to(root)}: {problem}"
