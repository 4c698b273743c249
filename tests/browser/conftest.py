"""What the tests in a browser share."""

from collections.abc import Iterator

import pytest

from tests.harness.site import Site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The real site, one for all tests of a module: each of them brings players of its own."""
    running = Site(folder=tmp_path_factory.mktemp("site"), processes=1, env={})
    try:
        running.start()
        yield running
    finally:
        running.stop()
        # Shown by pytest beside a test that failed.
        print(running.log())
