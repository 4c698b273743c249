"""What the tests of tournaments share."""

import pytest

from tournaments import services
from tournaments.models import Tournament

from .factories import new_tournament


@pytest.fixture
def tournament(db: None) -> Tournament:
    """An open tournament of nine holes."""
    return new_tournament()


@pytest.fixture
def notices(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The notices that are sent: room and version."""
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(services, "publish", lambda room, version: sent.append((room, version)))
    return sent
