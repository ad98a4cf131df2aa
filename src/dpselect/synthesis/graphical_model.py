"""A graphical model of a table: shares of all cells as a product of small factors, fitted to noisy counts.

Everything here is computed from what was released and from public facts; floats are as good as any arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from dpselect.kernel.errors import InputError
from dpselect.synthesis.junction_tree import Clique, Floats, JunctionTree
from dpselect.synthesis.marginal_shares import MarginalShares
from dpselect.synthesis.table_domain import Uniform

Integers = NDArray[np.int64]
# What entropy counts beside the squared error of counts in deviations: little, so that noise alone is smoothed.
ENTROPY = 0.01
# The logarithm of the factor of a cell that is publicly impossible: e to this is 0 in doubles.
IMPOSSIBLE = -2000.0
_STEPS = 1000
# A fit ends where no factor is this far from its best, in deviations of its count.
_SLOPE = 0.1
# Of the tables that public zeros make, and of all others: a fit holds some 50 numbers for each cell.
MOST_CELLS = 2**22
# Uniform numbers have 32 bits.
_BELOW = 2**32


@dataclass(frozen=True, eq=False)
class Measurement:
    """Noisy counts of the cells of some columns, which were paid for.

    Attributes:
        clique: the columns, by their places.
        counts: whole numbers with noise, of the shape of their sizes.
        variance: of the noise of each cell, a number or an array that broadcasts.
    """

    clique: Clique
    counts: Floats
    variance: Floats


def total_of(measurements: Sequence[Measurement]) -> float:
    """Return the number of rows that noisy counts imply: the mean of their sums, weighted by precision; at least 1.

    >>> one, two = np.ones(1), np.ones((2, 2))
    >>> total_of([Measurement((0,), np.array([10.0]), one), Measurement((0, 1), np.full((2, 2), 5.0), two)])
    12.0
    """
    weights = [1 / float(np.broadcast_to(each.variance, each.counts.shape).sum()) for each in measurements]
    sums = [float(each.counts.sum()) for each in measurements]
    return max(1.0, float(np.dot(weights, sums)) / sum(weights))


@dataclass(frozen=True, eq=False)
class GraphicalModel:
    """Shares of the cells of all columns together, as a product of factors.

    Attributes:
        tree: in which order columns are summed out.
        total: how many rows there are, about.
        conditionals: of every column, the share of its codes given the other columns of its table.
        potentials: the logarithms of the factors, by their columns.
    """

    tree: JunctionTree
    total: float
    conditionals: tuple[Floats, ...]
    potentials: Mapping[Clique, Floats]

    @classmethod
    def uniform(cls, sizes: Sequence[int], total: float = 1.0) -> GraphicalModel:
        """Return the model in which all cells are as likely."""
        return cls.of(sizes, total, {})

    @classmethod
    def of(cls, sizes: Sequence[int], total: float, potentials: Mapping[Clique, Floats]) -> GraphicalModel:
        """Return the model with these factors."""
        tree = JunctionTree.of(sizes, potentials)
        return cls(tree, total, tuple(tree.calibrate(potentials)[1]), dict(potentials))

    @cached_property
    def _marginals(self) -> MarginalShares:
        return MarginalShares(self.tree, self.conditionals)

    def shares(self, clique: Clique) -> Floats:
        """Return the shares of the cells of any columns together, of the shape of their sizes; they sum to 1."""
        return self._marginals.of(clique)

    def counts(self, clique: Clique) -> Floats:
        """Return about how many rows the cells of any columns hold, of the shape of their sizes."""
        return self.total * self.shares(clique)

    def sample(self, rows: int, uniform: Uniform) -> list[Integers]:
        """Return the codes of rows, of every column: as many rows of each code as its share, but for rounding.

        Args:
            rows: how many. uniform: draws integers below its bounds.

        Returns: one array of shape (rows,) for each column.
        """
        codes: list[Integers] = [np.zeros(0, dtype=np.int64)] * len(self.tree.sizes)
        for column in reversed(self.tree.order):
            table = self.tree.tables[column]
            axis, size = table.index(column), self.tree.sizes[column]
            above = [each for each in table if each != column]
            given = np.zeros(rows, dtype=np.int64)
            for each in above:
                given = given * self.tree.sizes[each] + codes[each]
            shares = np.moveaxis(self.conditionals[column], axis, -1).reshape(-1, size)
            codes[column] = _stratify(shares, given, uniform)
        return codes


def reals(many: int, uniform: Uniform) -> Floats:
    """Return uniform numbers from 0 to below 1, shape (many,)."""
    return np.asarray(uniform(np.full(many, _BELOW)) / _BELOW)


def _stratify(shares: Floats, given: Integers, uniform: Uniform) -> Integers:
    """Return a code for every row by the shares of its group: even steps through each group, in random order."""
    order = np.lexsort((uniform(np.full(given.size, _BELOW)), given))
    sizes = np.bincount(given, minlength=shares.shape[0])
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    steps = (np.arange(given.size) - starts + reals(given.size, uniform)) / np.repeat(np.maximum(sizes, 1), sizes)
    ends = np.cumsum(shares, axis=1)
    ends /= ends[:, -1:]
    ends[:, -1] = 1.0
    edges = (ends + np.arange(shares.shape[0])[:, None]).ravel()
    group = given[order]
    found = np.searchsorted(edges, group + steps, side="right") - group * shares.shape[1]
    codes = np.empty(given.size, dtype=np.int64)
    codes[order] = np.clip(found, 0, shares.shape[1] - 1)
    return codes


def fit_model(
    sizes: Sequence[int],
    measurements: Sequence[Measurement],
    *,
    start: GraphicalModel | None = None,
    impossible: Mapping[Clique, NDArray[np.bool_]] | None = None,
    entropy: float = ENTROPY,
) -> GraphicalModel:
    """Return the model that describes noisy counts best: least squares by their precision, and most entropy.

    With counts y of variance v, it makes the least of the sum of (y - n p)^2 / (2 v) less ``entropy`` times n times
    the entropy of p, over all shares p of cells. That p is a product of one factor per measured set of columns, and the
    logarithms t of its factors make the least of the convex function
    n ln(sum of cells e^t) - sum of y t + entropy / 2 times the sum of v t^2.

    Args:
        sizes: how many codes each column has.
        measurements: at least one.
        start: a model from which to begin, such as that of fewer measurements.
        impossible: which cells of some columns have no rows, publicly; they leave some (:func:`require_possible`).
        entropy: positive.
    """
    merged = _merge(measurements)
    fixed = {clique: np.where(mask, IMPOSSIBLE, 0.0) for clique, mask in (impossible or {}).items()}
    program = _Program(JunctionTree.of(sizes, [*merged, *fixed]), total_of(measurements), merged, fixed, entropy)
    options = {"maxiter": _STEPS, "maxcor": 20, "gtol": _SLOPE, "ftol": 1e-12}
    begin = program.begin({} if start is None else start.potentials)
    found = minimize(program.objective, begin, jac=True, method="L-BFGS-B", options=options)
    factors = program.potentials(found.x)
    return GraphicalModel(program.tree, program.total, tuple(program.tree.calibrate(factors)[1]), factors)


def require_possible(
    sizes: Sequence[int], impossible: Mapping[Clique, NDArray[np.bool_]], most_cells: int = MOST_CELLS
) -> None:
    """Refuse public zeros that leave no cell, or that make too large tables: by public facts, before anything is paid.

    Raises:
        ValueError: they do.
    """
    tree = JunctionTree.of(sizes, impossible)
    if tree.cells > most_cells + sum(sizes):
        raise InputError(
            "These conditions tie too many columns together: name fewer impossible rows, or describe coarser bins."
        )
    log, _ = tree.calibrate({clique: np.where(mask, IMPOSSIBLE, 0.0) for clique, mask in impossible.items()})
    # One possible cell weighs 1, and all impossible ones of 200 columns together next to nothing.
    if log < -1:
        raise InputError("No row is possible that has a value in every column: some impossible rows must be possible.")


class _Program:
    """The convex function that a fit makes small, of the logarithms of all factors in a row, in deviations of counts.

    Args:
        tree: its tables contain all factors.
        total: the number of rows.
        merged: noisy counts and their variance, by their columns.
        fixed: logarithms of public factors.
        entropy: what entropy counts.
    """

    def __init__(
        self,
        tree: JunctionTree,
        total: float,
        merged: Mapping[Clique, tuple[Floats, Floats]],
        fixed: Mapping[Clique, Floats],
        entropy: float,
    ) -> None:
        self.tree, self.total, self._fixed = tree, total, fixed
        self._shapes = {clique: counts.shape for clique, (counts, _) in merged.items()}
        ends = np.cumsum([0, *(prod(shape) for shape in self._shapes.values())]).tolist()
        self._parts = dict(zip(merged, [slice(one, other) for one, other in pairwise(ends)], strict=True))
        self._noisy = np.concatenate([counts.ravel() for counts, _ in merged.values()])
        self._variance = entropy * np.concatenate([spread.ravel() for _, spread in merged.values()])
        # The curvature is about the count, so steps are measured in deviations of it.
        self._scale = np.sqrt(np.maximum(self._noisy, 0) + self._variance)

    def begin(self, potentials: Mapping[Clique, Floats]) -> Floats:
        """Return the point of a model with these factors, as far as they are measured."""
        point = np.zeros(self._noisy.size)
        for clique, part in self._parts.items():
            if clique in potentials:
                point[part] = (potentials[clique] - self._fixed.get(clique, 0.0)).ravel()
        result: Floats = point * self._scale
        return result

    def potentials(self, scaled: Floats) -> dict[Clique, Floats]:
        """Return the logarithms of all factors at a point."""
        point = scaled / self._scale
        free = {clique: point[part].reshape(self._shapes[clique]) for clique, part in self._parts.items()}
        for clique, values in self._fixed.items():
            free[clique] = free[clique] + values if clique in free else values
        return free

    def objective(self, scaled: Floats) -> tuple[float, Floats]:
        """Return the value and the slope at a point."""
        point = scaled / self._scale
        log, conditionals = self.tree.calibrate(self.potentials(scaled))
        shares = self.tree.marginals(conditionals)
        slope = self._variance * point - self._noisy
        for clique, part in self._parts.items():
            holder = self.tree.holder(clique)
            slope[part] += self.total * self.tree.within(shares[holder], self.tree.tables[holder], clique).ravel()
        value = self.total * log - float(point @ self._noisy) + float((self._variance * point) @ point) / 2
        return value, slope / self._scale


def _merge(measurements: Sequence[Measurement]) -> dict[Clique, tuple[Floats, Floats]]:
    """Return for every set of columns the mean of its noisy counts, weighted by precision, and its variance."""
    merged = dict[Clique, tuple[Floats, Floats]]()
    for each in measurements:
        counts, variance = each.counts, np.broadcast_to(each.variance, each.counts.shape)
        if each.clique in merged:
            before, spread = merged[each.clique]
            weight = variance / (variance + spread)
            counts, variance = weight * before + (1 - weight) * counts, weight * spread
        merged[each.clique] = (counts, np.asarray(variance, dtype=np.float64))
    return merged
