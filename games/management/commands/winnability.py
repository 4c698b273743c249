"""`manage.py winnability`: how many deals can be cleared."""

import os
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games import winnability
from games.engine import RuleError, RuleSet


class Command(BaseCommand):
    """Solve many deals, and print which share can be cleared, with its uncertainty."""

    help = (
        "Solve many deals exactly, and print a table of the share that can be cleared, with its"
        " 95 % interval (Wilson). The same seed gives the same deals to every rule set with as"
        " many jokers."
    )
    # It uses neither the database nor the site.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take how many deals of which rule sets."""
        parser.add_argument("--deals", type=int, default=1000, help="of each rule set; 1000")
        parser.add_argument(
            "--rules",
            nargs="+",
            type=_rules,
            default=[RuleSet.parse(letter) for letter in "ECS"],
            metavar="RULES",
            help="E, C, S, or X and five characters, as in a game code; all three by default",
        )
        parser.add_argument("--seed", type=int, default=1, help="decides the deals; 1")
        parser.add_argument(
            "--processes",
            type=int,
            default=os.cpu_count() or 1,
            help="by default one for each core",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Count, and print the table."""
        try:
            shares = {
                rules: winnability.count_cleared(
                    rules=rules,
                    deals=options["deals"],
                    seed=options["seed"],
                    processes=options["processes"],
                )
                for rules in options["rules"]
            }
        except ValueError as error:
            raise CommandError(str(error)) from error
        for line in winnability.table(shares):
            self.stdout.write(line)


def _rules(text: str) -> RuleSet:
    try:
        return RuleSet.parse(text)
    except RuleError as error:
        raise ArgumentTypeError(str(error)) from error
