"""Bounds on how far a model is from the private counts, from what was released alone. Proof: ``distance_bounds.md``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

import numpy as np

from dpselect.synthesis.graphical_model import GraphicalModel, Measurement
from dpselect.synthesis.junction_tree import Clique, Floats

# Ticks per row of what a model says of a cell: the model is public, so rounding it costs nothing.
TICKS = 2**10
# Models of more rows are scaled down in scores, so that sums of ticks fit 63 bits.
_MOST_ROWS = 2.0**40
# With this probability all bounds of a release hold together.
PROBABILITY = 0.95
# That a statement of one kind fails at all: about noise, about choices, and about codes that are counted together.
CHANCE = (1 - PROBABILITY) / 3
# A distance is of at most so many columns: other bounds are not remembered.
_COLUMNS = 2


class CellCounts(Protocol):
    """A released model of a table, which says how many rows the cells of any columns hold, about."""

    def counts(self, clique: Clique) -> Floats:
        """Return the numbers of rows, of the shape of the columns."""
        ...


@dataclass(frozen=True, eq=False)
class Candidate:
    """A set of columns that may be measured next, and what its score is made of beside private counts.

    Attributes:
        clique: the columns.
        model: was released; its counts of the columns are computed whenever they are asked for, and take no room.
        weight: what a row that is in the wrong cell counts: a public whole number.
        offset: what is taken off the distance: in rows, public, rounded to ticks of at most 2^40 rows.
    """

    clique: Clique
    model: CellCounts
    weight: int = 1
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "offset", round(min(self.offset, _MOST_ROWS) * TICKS) / TICKS)

    def counts(self) -> Floats:
        """Return what the model says of each cell in whole ticks, of at most 2^40 rows in all, as it is scored."""
        counts = np.clip(np.nan_to_num(self.model.counts(self.clique)), 0, _MOST_ROWS)
        counts *= min(1.0, _MOST_ROWS / max(float(counts.sum()), 1.0))
        return np.asarray(np.rint(counts * TICKS) / TICKS)


@dataclass(frozen=True, eq=False)
class Selection:
    """One choice among candidates, as it was released.

    Attributes:
        candidates: those that could be chosen.
        chosen: the place of the one that was.
        epsilon: of the choice.
        rho: what it cost.
        moves: by how much one neighbour moves a score at most, in rows.
    """

    candidates: Sequence[Candidate]
    chosen: int
    epsilon: Fraction
    rho: Fraction
    moves: int

    @property
    def clique(self) -> Clique:
        """Return the columns that were chosen."""
        return self.candidates[self.chosen].clique


@dataclass(eq=False)
class DistanceBounds:
    """Bounds on the sum of |count - model| over the cells of columns, for the models of the rounds so far.

    Attributes:
        known: of columns, a bound, and what returns the counts that it is about.
    """

    known: dict[Clique, tuple[float, Callable[[], Floats]]] = field(default_factory=dict)
    _rounds: int = 0

    def observe(self, measurement: Measurement, selection: Selection | None) -> None:
        """Take in a measurement, and the choice that it followed.

        That a candidate was not chosen bounds how much worse than the chosen one the model described it.
        """
        self._rounds += 1
        noise = _noise(measurement, self._chance)
        self._keep(measurement.clique, noise, lambda: measurement.counts)
        if selection is None:
            return
        chosen = selection.candidates[selection.chosen]
        distance = float(np.abs(measurement.counts - chosen.counts()).sum()) + noise
        slack = 2 * selection.moves / float(selection.epsilon)
        best = chosen.weight * (distance - chosen.offset)
        best += slack * math.log(len(selection.candidates) / self._chance)
        for each in selection.candidates:
            self._keep(each.clique, max(each.offset + best / each.weight, 0.0), each.counts)

    @property
    def _chance(self) -> float:
        """Return the chance that a statement of this round fails: over all rounds it sums to that of its kind."""
        return CHANCE / (self._rounds * (self._rounds + 1))

    def _keep(self, clique: Clique, bound: float, counts: Callable[[], Floats]) -> None:
        if len(clique) <= _COLUMNS and (clique not in self.known or bound < self.known[clique][0]):
            self.known[clique] = bound, counts

    def at(self, clique: Clique, model: GraphicalModel) -> float | None:
        """Return a bound for the groups of codes of columns and a model; ``None`` where nothing bounds it."""
        if clique not in self.known:
            return None
        bound, counts = self.known[clique]
        return bound + float(np.abs(model.counts(clique) - counts()).sum())


def _noise(measurement: Measurement, chance: float) -> float:
    """Return what the sum of the sizes of all noise of a measurement stays below, but for a chance."""
    spread = float(np.broadcast_to(measurement.variance, measurement.counts.shape).sum())
    return math.sqrt(2 * spread * (measurement.counts.size * math.log(2) + math.log(1 / chance)))
