"""Weights of the columns that tiles are made of: half evenly, half by what released sums said of tiles that a column
was in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_ADAPTED, _SLOWEST = 0.5, 0.15


class ColumnWeights:
    """Weights of columns, which follow released sums.

    Args:
        live: which columns have more than one bin, shape (columns,).
        promise: how much each seems to tell at first, not negative.
    """

    def __init__(self, live: NDArray[np.bool_], promise: Floats) -> None:
        self._live = live.astype(np.float64)
        self._gain, self._seen = promise.astype(np.float64), np.zeros(promise.size, dtype=np.int64)

    def now(self) -> Floats:
        """Return the weight of every column; 0 for those that cannot be cut."""
        gain = np.maximum(self._gain, 0.0)
        if self._seen.any():
            gain[self._seen == 0] = gain[self._seen > 0].mean()
        gain *= self._live
        even = self._live / max(float(self._live.sum()), 1.0)
        return np.asarray(even if not gain.sum() > 0 else (1 - _ADAPTED) * even + _ADAPTED * gain / gain.sum())

    def note(self, columns: Sequence[int], gain: float) -> None:
        """Take the gain of a tile of these columns into their moving averages."""
        for column in columns:
            slow = max(_SLOWEST, 1 / (self._seen[column] + 1)) if self._seen[column] else 1.0
            self._gain[column] += slow * (gain - self._gain[column])
            self._seen[column] += 1
