"""How fast one socket may speak."""

import time

import pytest

from games.throttle import TokenBucket


def test_a_burst_then_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    bucket = TokenBucket(rate=2.0, burst=3)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now += 0.5
    assert [bucket.take() for _ in range(2)] == [True, False]
    now += 60
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
