"""Tiny problems on which mechanisms are tried: scores on every database, with exact sensitivities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpselect as dps
from dpselect.audit.admissibility import exact_sensitivity


@dataclass(frozen=True)
class Problem:
    """Databases 0 .. n-1, who is a neighbour of whom, and the scores of every candidate on each.

    Attributes:
        universe: the databases; each is its position.
        values: shape (n, m).
        range_bound: what may be claimed of the utility.
    """

    universe: dps.audit.Universe
    values: np.ndarray
    range_bound: int = 2

    def utility(self, *, scale: float = 1.0, element: bool = True):
        """Return the utility with exact sensitivity (times ``scale``), public ceiling, reach and distances.

        A scale below 1 makes every claim too small: distances grow by the same factor.
        """
        exact = exact_sensitivity(self.universe, self.values.astype(float)) * scale
        ceiling = float(exact.max())
        best = self.values == self.values.max(axis=1, keepdims=True)
        far = np.array([self.universe.distances(x) for x in self.universe])
        # A candidate that is best nowhere is further away than everything, everywhere.
        nowhere = len(self.values) + 1
        length = np.array(
            [[far[x, best[:, r]].min(initial=nowhere) for r in range(best.shape[1])] for x in range(len(far))]
        )
        length = np.round(length / scale).astype(int)

        def scores(x: int) -> dps.Scores:
            rows = exact[:, x] if element else exact[:, x].max(axis=1, keepdims=True)
            sensitivity = dps.sensitivity.element(
                lambda t: rows[min(t, len(rows) - 1)], ceiling=ceiling, reach=len(rows)
            )
            return dps.Scores(self.values[x], sensitivity, range_bound=self.range_bound, distance=length[x])

        return scores


def chain(values: object, range_bound: int = 2) -> Problem:
    """Databases in a row, each the neighbour of the next."""
    array = np.asarray(values)
    place = np.arange(len(array))
    return Problem(dps.audit.metric_space(np.abs(place[:, None] - place)), array, range_bound)


def random_problem(seed: int, databases: int = 7, candidates: int = 3, whole: bool = True) -> Problem:
    """A random connected neighbour graph with random scores."""
    draw = np.random.default_rng(seed)
    near = np.zeros((databases, databases), dtype=bool)
    for x in range(1, databases):
        near[x, draw.integers(x)] = True
    near |= draw.random(near.shape) < 0.1
    near |= near.T
    # Only neighbours matter: every other distance may be written as 2.
    distance = np.where(near, 1, 2)
    np.fill_diagonal(distance, 0)
    values = draw.integers(-4, 9, (databases, candidates))
    values = values if whole else values + np.round(draw.random(values.shape), 3)
    return Problem(dps.audit.metric_space(distance), values)
