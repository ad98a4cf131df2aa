"""Tiny universes of databases, with every sensitivity computed by enumeration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpselect as dps


@dataclass(frozen=True)
class Universe:
    """Databases 0 .. n-1, who is a neighbour of whom, and the scores of every candidate on each.

    Attributes:
        distance: shape (n, n), steps between databases.
        values: shape (n, m).
        range_bound: what may be claimed of the utility.
    """

    distance: np.ndarray
    values: np.ndarray
    range_bound: int = 2

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Neighbouring databases, both ways round."""
        return [tuple(pair) for pair in np.argwhere(self.distance == 1).tolist()]

    def element_sensitivity(self) -> np.ndarray:
        """Exact element local sensitivity, shape (distances, n, m); the last distance is the diameter."""
        step = np.zeros(self.values.shape)
        for x, y in self.pairs:
            step[x] = np.maximum(step[x], np.abs(self.values[x] - self.values[y]))
        balls = [self.distance <= t for t in range(int(self.distance.max()) + 1)]
        return np.array([[step[ball].max(axis=0) for ball in within] for within in balls])

    def scores(self, x: int, *, scale: float = 1.0, element: bool = True) -> dps.Scores:
        """Scores of database x with exact sensitivity (times ``scale``), public ceiling and reach."""
        exact = self.element_sensitivity() * scale
        ceiling = float(exact.max())
        rows = exact[:, x] if element else exact[:, x].max(axis=1, keepdims=True)
        sensitivity = dps.sensitivity.element(
            lambda t: rows[min(t, len(rows) - 1)], ceiling=ceiling, reach=len(rows)
        )
        return dps.Scores(self.values[x], sensitivity, range_bound=self.range_bound)


def chain(values: object, range_bound: int = 2) -> Universe:
    """Databases in a row, each the neighbour of the next."""
    array = np.asarray(values)
    place = np.arange(len(array))
    return Universe(np.abs(place[:, None] - place), array, range_bound)


def random_universe(seed: int, databases: int = 7, candidates: int = 3, whole: bool = True) -> Universe:
    """A random connected neighbour graph with random scores."""
    draw = np.random.default_rng(seed)
    near = np.zeros((databases, databases), dtype=bool)
    for x in range(1, databases):
        near[x, draw.integers(x)] = True
    near |= draw.random(near.shape) < 0.1
    near |= near.T
    distance = np.where(near, 1.0, np.inf)
    np.fill_diagonal(distance, 0)
    for middle in range(databases):
        distance = np.minimum(distance, distance[:, [middle]] + distance[[middle]])
    values = draw.integers(-4, 9, (databases, candidates))
    values = values if whole else values + np.round(draw.random(values.shape), 3)
    return Universe(distance.astype(int), values)


def worst_loss(universe: Universe, mechanism: dps.Mechanism, epsilon: float, scores=None) -> float:
    """The largest log-ratio of any outcome's probability between neighbours, from exact laws."""
    scores = scores or universe.scores
    laws = [mechanism.log_law(scores(x), epsilon) for x in range(len(universe.values))]
    return max(float(np.abs(laws[x] - laws[y]).max()) for x, y in universe.pairs)
