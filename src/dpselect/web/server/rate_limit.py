"""Limits on how often somebody may ask."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

# Whose rates are remembered.
_MOST = 10_000


class RateLimit:
    """A count of requests that each token may still send: a bucket that fills with time.

    Args:
        per_minute: how fast it fills, and how much it holds.
        now: seconds, from any beginning.
    """

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._now = per_minute, now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, token: str) -> float:
        """Count a request; return after how many seconds it could be sent, 0 where it goes through."""
        now = self._now()
        left, seen = self._left.pop(token, (float(self._most), now))
        left = min(float(self._most), left + (now - seen) * self._most / 60)
        self._left[token] = (left - 1 if left >= 1 else left), now
        if len(self._left) > _MOST:
            self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) * 60 / self._most
