"""The exact privacy loss of mechanisms that name a percentile, on small universes and on a path of large databases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dpselect as dps
from dpselect.mechanisms.base import Mechanism

# Values and records of the universes; the candidates of the path, and its steps times epsilon.
VALUES, RECORDS, CANDIDATES, FARTHEST = (0, 1, 2), 8, 4096, 64.0


def of_percentile(mechanism: Mechanism, utility: Callable[..., dps.Scores], epsilon: float) -> float:
    """Return the worst loss of naming the median among three values, over all tables of at most eight records."""
    universe = dps.audit.multisets(VALUES, RECORDS)
    return dps.audit.privacy_loss(
        mechanism, lambda records: utility(records, 50, grid=VALUES), universe, epsilon=epsilon
    ).worst


def of_median(mechanism: Mechanism, epsilon: float) -> float:
    """Return the same for the median utility of Farias 2021, among four records of which one is replaced."""
    universe = dps.audit.vectors(4, VALUES)
    utility = lambda records: dps.papers.median(records, upper=VALUES[-1])  # noqa: E731
    return dps.audit.privacy_loss(mechanism, utility, universe, epsilon=epsilon).worst


def of_path(mechanism: Mechanism, epsilon: float, *, stride: int) -> float:
    """Return the worst loss along a path of databases whose percentile is one of 4096 values.

    At its beginning another value is the percentile; then the winner is safe for one step more at every neighbour, or
    is taken to be safe for two, as where 2 j + 1 steps are counted. Neighbours are compared at the beginning and at
    twenty-four places up to where the scale has fallen far below any use.
    """
    far = np.linspace(3, max(FARTHEST / epsilon, 8), 24).astype(int)
    databases = np.unique([0, 1, 2, *far, *(far + 1)])
    universe = dps.audit.metric_space(np.abs(databases[:, None] - databases))

    def utility(place: int) -> dps.Scores:
        steps = int(databases[place])
        return _winner_of_many(0 if steps else 1, max(steps - 1, 0) * stride + stride - 1)

    return dps.audit.privacy_loss(mechanism, utility, universe, epsilon=epsilon).worst


def _winner_of_many(winner: int, steps: int) -> dps.Scores:
    safe = dps.sensitivity.local(lambda t: float(t >= steps), ceiling=1.0)
    return dps.Scores((np.arange(CANDIDATES) == winner).astype(np.int64), safe, zero="worst")


def winner(records: Any, p: int, *, grid: Any) -> dps.Scores:
    """Return the 0/1 score of a percentile."""
    return dps.papers.percentile(records, p, grid=grid)


def ranks(records: Any, p: int, *, grid: Any) -> dps.Scores:
    """Return the score by ranks."""
    return dps.utilities.percentile(records, p, grid=grid)
