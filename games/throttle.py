"""How fast one socket may speak, and how often one address may guess."""

import threading
import time
from collections import OrderedDict


class TokenBucket:
    """So many messages a second for ever, and so many at once.

    >>> bucket = TokenBucket(rate=1.0, burst=2)
    >>> bucket.take(), bucket.take(), bucket.take()
    (True, True, False)
    """

    __slots__ = ("_burst", "_rate", "_tokens", "at")

    def __init__(self, *, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._tokens = float(burst)
        #: When a message was last counted, by the monotonic clock.
        self.at = time.monotonic()

    def take(self) -> bool:
        """Return whether one more message is within the limit now, and count it if so."""
        if self.is_spent:
            return False
        self._tokens -= 1.0
        return True

    @property
    def is_spent(self) -> bool:
        """Whether one more message is beyond the limit now."""
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self.at) * self._rate)
        self.at = now
        return self._tokens < 1.0


class TokenBuckets:
    """A bucket for each key; of more than `most` keys those that were used last have theirs.

    Threads may share it.

    >>> buckets = TokenBuckets(rate=1.0, burst=1, most=100)
    >>> buckets.is_spent("a"), buckets.take("a"), buckets.is_spent("a"), buckets.is_spent("b")
    (False, True, True, False)
    """

    def __init__(self, *, rate: float, burst: int, most: int) -> None:
        self._rate, self._burst, self._most = rate, burst, most
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()
        self._lock = threading.Lock()

    def is_spent(self, key: str) -> bool:
        """Return whether one more is beyond the key's limit now."""
        with self._lock:
            bucket = self._buckets.get(key)
            return bucket is not None and bucket.is_spent

    def take(self, key: str) -> bool:
        """Return whether one more is within the key's limit now, and count it if so."""
        with self._lock:
            bucket = self._buckets.get(key)
            if bucket is None:
                bucket = TokenBucket(rate=self._rate, burst=self._burst)
                self._buckets[key] = bucket
                if len(self._buckets) > self._most:
                    self._buckets.popitem(last=False)
            self._buckets.move_to_end(key)
            return bucket.take()

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._buckets.clear()
