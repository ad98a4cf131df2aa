"""Degree and ego density as the program of Farias et al. 2024 has them, and a Pareto score that is strict in both.

Density is half of what the text says, and 1 for a node with one neighbour (read). It moves by at most
2 / (d - t - 1), or 1 where that is more, after t steps: admissible (enumerated on small graphs). A node is dominated by
those that are larger in both, in the score and in its sensitivity, which is that of Definition 4.5. So one draw is
private; what is not is the exact top k where floats end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.mechanisms.local_dampening import dampen
from dpselect.scores.dominance import count_above
from dpselect.scores.sensitivity import profiles

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# Densities and sums of moves are nearer than this to each other only where they are equal; degrees are whole.
_TIE = 1e-12


@dataclass(frozen=True, eq=False)
class StrictNodes:
    """Nodes of a graph, those alike listed once.

    Attributes:
        density, degree: of each kind, shape (kinds,).
        many: how many nodes there are of it.
        kind: of each node, shape (nodes,).
    """

    density: Floats
    degree: Integers
    many: Integers
    kind: NDArray[np.intp]

    @classmethod
    def of(cls, degrees: Integers, densities: Floats) -> StrictNodes:
        """Return the nodes with these degrees and these densities by the text."""
        halved = np.where(degrees == 1, 1.0, densities / 2)
        pairs, kind, many = np.unique(
            np.stack([halved, degrees.astype(float)]), axis=1, return_inverse=True, return_counts=True
        )
        return cls(pairs[0], pairs[1].astype(np.int64), many, kind.ravel())

    def scores(self) -> Floats:
        """Return minus the number of nodes that are larger in both, of every kind."""
        return -self._ahead(np.zeros(self.degree.size), 0, np.arange(self.degree.size)).astype(np.float64)

    def global_units(self) -> Floats:
        """Return the score of every node, divided by the number of nodes less one."""
        return np.asarray((self.scores() / (self.kind.size - 1))[self.kind])

    def local_units(self) -> Floats:
        """Return the dampened score of every node."""
        everybody = np.arange(self.degree.size)
        bound = profiles(
            lambda t: self._moved(t, everybody), profile=everybody, ceiling=float(self.kind.size - 1), some=self._some
        )
        return np.asarray(dampen(self.scores(), bound, "best")[self.kind])

    def _some(self, t: Integers, only: NDArray[np.intp] | None) -> Floats:
        return self._moved(t, np.arange(self.degree.size) if only is None else only)

    def _moved(self, t: Integers, here: NDArray[np.intp]) -> Floats:
        """Return Definition 4.5 at distances t: who may be ahead, less who certainly is, shape (k, len(here))."""
        out = np.empty((t.size, here.size))
        for place, distance in enumerate(t.tolist()):
            far = self.reach(distance)
            # A kind is always possibly ahead of itself: of each node that leaves the node itself out.
            possible = self._ahead(far, distance + 1, here) - 1
            out[place] = possible - self._ahead(-far, -distance - 1, here)
        return out

    def reach(self, t: int) -> Floats:
        """Return how far t + 1 edges move the density of every kind."""
        left = np.arange(int(self.degree.max()) + 1)
        sums = np.concatenate(([0.0], np.cumsum(2.0 / (np.maximum(left[1:], 3) - 1))))
        below = np.maximum(self.degree - t - 1, 0)
        return np.asarray(sums[self.degree] - sums[below] + np.maximum(t + 1 - self.degree, 0))

    def _ahead(self, far: Floats, steps: int, here: NDArray[np.intp]) -> Integers:
        """Return how many nodes, each moved up so far, are larger in both than the kinds ``here`` moved down."""
        points = [self.density + far, (self.degree + steps).astype(np.float64)]
        queries = [(self.density - far)[here] + _TIE, (self.degree - steps)[here] + 0.5]
        return np.asarray(count_above(points, queries, self.many))


def star(leaves: int, nodes: int) -> StrictNodes:
    """Return a graph of so many nodes, of which one has so many leaves and the others no edge."""
    degrees = np.array([leaves, *[1] * leaves, *[0] * (nodes - leaves - 1)], dtype=np.int64)
    return StrictNodes.of(degrees, np.zeros(nodes))
