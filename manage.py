#!/usr/bin/env python
"""The site's command line: `python manage.py help` lists what it can do."""

import os
import sys


def main() -> None:
    """Run the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "golfsite.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A variable that is missing or unsafe: the one line that says so is the whole answer.
        sys.exit(str(error))


if __name__ == "__main__":
    main()
