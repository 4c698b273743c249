"""A run that is told to stop (SIGTERM) ends in order, and so do the servers that it has started."""

import signal
from types import FrameType

import pytest


def pytest_sessionstart(session: pytest.Session) -> None:
    def end_in_order(number: int, frame: FrameType | None) -> None:
        # What is tested may catch the exit: then the run ends after this test.
        session.shouldstop = "ended by SIGTERM"
        pytest.exit("ended by SIGTERM", returncode=1)

    signal.signal(signal.SIGTERM, end_in_order)
