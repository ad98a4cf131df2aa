"""Choosing and measuring of marginals of private rows under one rho. Proof: ``marginal_session.md``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import SquaredBound
from dpselect.kernel.neighbours import Neighbours
from dpselect.mechanisms.exponential import exponential
from dpselect.release.concentrated_session import ConcentratedSession
from dpselect.scores.scores import Scores
from dpselect.synthesis.distance_bounds import TICKS, Candidate, DistanceBounds, Selection
from dpselect.synthesis.graphical_model import Measurement
from dpselect.synthesis.marginal_counts import MarginalCounts
from dpselect.synthesis.merged_codes import MergedCodes, merge_cells
from dpselect.synthesis.table_domain import Clique

Integers = NDArray[np.int64]
# Counts of so many cells are remembered between rounds.
_REMEMBERED = 2**25


@dataclass(frozen=True, eq=False)
class MarginalStep:
    """One measurement with its cost, and the choice before it where there was one.

    Attributes:
        measurement: the noisy counts.
        rho: what they cost.
        candidates: among how many sets of columns these were chosen; 0 where nothing was chosen.
        choice: what that cost.
    """

    measurement: Measurement
    rho: Fraction
    candidates: int = 0
    choice: Fraction = Fraction(0)


class MarginalSession:
    """Private rows, of which nothing is learned but what is chosen and measured here, and paid for.

    Args:
        rows: counts cells of the private rows.
        draws: what was paid for.
        sizes: how many codes each column has.
        rows_per_person: how many rows one step between databases moves: 1 without persons.
        neighbours: what that step is.

    Attributes:
        steps: what was released so far.
        merged: which codes of each column are counted together, by what was released.
        bounds: how far models may be from the private counts, by what was released.
    """

    def __init__(
        self,
        rows: MarginalCounts,
        draws: ConcentratedSession,
        sizes: Sequence[int],
        rows_per_person: int = 1,
        neighbours: Neighbours = Neighbours.ADD_REMOVE,
    ) -> None:
        self._rows, self._draws, self._people, self._neighbours = rows, draws, rows_per_person, neighbours
        self._known, self._room = dict[Clique, Integers](), _REMEMBERED
        # Of candidates that stay between choices; it begins anew once codes are counted together.
        self._distances = WeakKeyDictionary[Candidate, int]()
        self.merged = [MergedCodes.apart(size) for size in sizes]
        self.steps, self.bounds = list[MarginalStep](), DistanceBounds()

    @property
    def remaining(self) -> Fraction:
        """Return the rho that is left."""
        return self._draws.remaining

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return how many groups of codes each column has."""
        return tuple(each.size for each in self.merged)

    @property
    def measurements(self) -> list[Measurement]:
        """Return the noisy counts so far, all of them over groups of codes."""
        return [each.measurement for each in self.steps]

    def deviation(self, rho: Fraction) -> float:
        """Return the standard deviation of the noise of a measurement at this rho."""
        return math.sqrt(self._bound.variance(rho))

    @property
    def _bound(self) -> SquaredBound:
        return SquaredBound(self._people**2, self._neighbours)

    def measure(self, clique: Clique, rho: Fraction, selection: Selection | None = None) -> Measurement:
        """Return noisy counts of the cells of some columns, which are kept as a step.

        Args:
            rho: what they cost. selection: how they were chosen.

        Raises:
            PrivacyError, ValueError: as :meth:`ConcentratedSession.gaussian`; nothing was drawn.
        """
        noisy = self._draws.gaussian(self._counts(clique), rho, self._bound)
        taken = Measurement(clique, noisy.astype(np.float64), np.array(float(self._bound.variance(rho))))
        among, choice = (0, Fraction(0)) if selection is None else (len(selection.candidates), selection.rho)
        self.steps.append(MarginalStep(taken, rho, among, choice))
        self.bounds.observe(taken, selection)
        return taken

    def merge(self, column: int, groups: MergedCodes) -> None:
        """Count codes of a column together from now on, and add up what was measured of it alone."""
        self.merged[column] = groups
        self._known = {clique: counts for clique, counts in self._known.items() if column not in clique}
        self._room = _REMEMBERED - sum(counts.size for counts in self._known.values())
        self._distances.clear()
        self.bounds.known.pop((column,), None)
        for place, step in enumerate(self.steps):
            each = step.measurement
            if each.clique == (column,):
                spread = np.broadcast_to(each.variance, each.counts.shape)
                counts, variance = (merge_cells(values, (0,), [groups]) for values in (each.counts, spread))
                self.steps[place] = replace(step, measurement=Measurement(each.clique, counts, variance))

    def choose(self, candidates: Sequence[Candidate], rho: Fraction) -> Selection:
        """Return the choice of the candidate whose private counts are farthest from what the model says.

        The score of a candidate is weight times (the sum of |count - model| over its cells, less the offset).

        Raises:
            PrivacyError: less is left; nothing was drawn.
        """
        mechanism = exponential()
        epsilon, before = self._draws.epsilon_within(rho, mechanism=mechanism), self.remaining
        chosen = self._draws.choose(self._scores(candidates), epsilon, mechanism=mechanism)
        most = max(each.weight for each in candidates) * self._people
        return Selection(candidates, chosen, epsilon, before - self.remaining, most)

    def _scores(self, candidates: Sequence[Candidate]) -> Scores:
        """Return the scores in ticks: one row moves the distance of any candidate by at most TICKS, up or down."""
        values = np.array([each.weight * self._distance(each) for each in candidates], dtype=np.int64)
        most = max(each.weight for each in candidates)
        return Scores(
            values,
            sensitivity=most * self._people * TICKS,
            range_bound=2,
            neighbours=self._neighbours.value,
        )

    def _distance(self, candidate: Candidate) -> int:
        if candidate not in self._distances:
            expected = (candidate.counts() * TICKS).astype(np.int64)
            apart = np.abs(self._counts(candidate.clique) * TICKS - expected).sum()
            self._distances[candidate] = int(apart) - int(candidate.offset * TICKS)
        return self._distances[candidate]

    def _counts(self, clique: Clique) -> Integers:
        if clique in self._known:
            return self._known[clique]
        counts = self._rows.counts(clique, self.merged)
        if counts.size <= self._room:
            self._known[clique] = counts
            self._room -= counts.size
        return counts
