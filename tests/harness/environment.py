"""Environment variables for what the tests start: nothing of the developer's own site."""

import os

_OURS = ("GOLF_", "DATABASE_URL", "REDIS_URL", "DJANGO_", "PYTEST_")


def clean_environment(**variables: str) -> dict[str, str]:
    """Return this process's environment without the site's variables, and with `variables`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return kept | variables
