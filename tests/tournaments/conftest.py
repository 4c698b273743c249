"""What the tests of tournaments share."""

from itertools import count

import pytest

from tournaments import guesses
from tournaments.models import Tournament
from tournaments.services import closing, deadlines, results

from . import factories
from .factories import new_tournament


@pytest.fixture(autouse=True)
def _numbers_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names and deals are the same whichever tests came before: of some deals two results tie."""
    monkeypatch.setattr(factories, "_numbers", count(1))


@pytest.fixture(autouse=True)
def _nothing_failed_before() -> None:
    """A failure is logged once in a process, and these are many tests of one."""
    closing.Attempt._failed.clear()


@pytest.fixture(autouse=True)
def _nobody_has_guessed() -> None:
    """Wrong codes are counted by address, and tests use the same ones."""
    guesses.forget()


@pytest.fixture
def tournament(db: None) -> Tournament:
    """An open tournament of nine holes."""
    return new_tournament()


@pytest.fixture
def notices(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The notices that are sent: room and version."""
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(results, "publish", lambda room, version: sent.append((room, version)))
    return sent


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The players and games that were told of a deadline."""
    heard: list[tuple[int, int]] = []
    monkeypatch.setattr(
        deadlines, "tell_deadline", lambda *, player_id, game_id: heard.append((player_id, game_id))
    )
    return heard
