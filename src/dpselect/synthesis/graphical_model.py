"""A graphical model of a table: shares of all cells as a product of small factors, fitted to noisy counts.

Everything here is computed from what was released and from public facts; floats are as good as any arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from dpselect.kernel.errors import InputError
from dpselect.synthesis.junction_tree import Clique, Floats, JunctionTree

Integers = NDArray[np.int64]
# What entropy counts beside the squared error of counts in deviations: little, so that noise alone is smoothed.
ENTROPY = 0.01
# The logarithm of the factor of a cell that is publicly impossible: e to this is 0 in doubles.
IMPOSSIBLE = -2000.0
_STEPS = 1000


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

    def shares(self, clique: Clique) -> Floats:
        """Return the shares of the cells of any columns together, of the shape of their sizes; they sum to 1."""
        order = {column: place for place, column in enumerate(self.tree.order)}
        wanted, pending = set[int](), [*clique]
        while pending:
            column = pending.pop()
            if column not in wanted:
                wanted.add(column)
                pending += self.tree.tables[column]
        # Columns that no wanted one depends on sum to 1; the others are summed out as early as can be.
        factors = [(self.tree.tables[column], self.conditionals[column]) for column in wanted]
        for column in sorted(wanted - {*clique}, key=order.__getitem__):
            inside = [each for each in factors if column in each[0]]
            factors = [each for each in factors if column not in each[0]]
            rest = tuple(sorted({one for table, _ in inside for one in table} - {column}))
            factors.append((rest, _multiply(inside, rest)))
        return _multiply(factors, tuple(sorted(clique)))

    def counts(self, clique: Clique) -> Floats:
        """Return about how many rows the cells of any columns hold, of the shape of their sizes."""
        return self.total * self.shares(clique)

    def sample(self, rows: int, generator: np.random.Generator) -> list[Integers]:
        """Return the codes of rows, of every column: as many rows of each code as its share, but for rounding.

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
            codes[column] = _stratify(shares, given, generator)
        return codes


def _multiply(factors: Sequence[tuple[Clique, Floats]], rest: Clique) -> Floats:
    """Return the product of factors, summed over all columns but some."""
    operands: list[Any] = []
    places = {column: place for place, column in enumerate(sorted({one for table, _ in factors for one in table}))}
    for table, values in factors:
        operands += [values, [places[column] for column in table]]
    product: Floats = np.asarray(np.einsum(*operands, [places[column] for column in rest], optimize="greedy"))
    return product


def _stratify(shares: Floats, given: Integers, generator: np.random.Generator) -> Integers:
    """Return a code for every row by the shares of its group: even steps through each group, in random order."""
    order = np.lexsort((generator.random(given.size), given))
    sizes = np.bincount(given, minlength=shares.shape[0])
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    steps = (np.arange(given.size) - starts + generator.random(given.size)) / np.repeat(np.maximum(sizes, 1), sizes)
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
        impossible: which cells of some columns have no rows, publicly.
        entropy: positive.

    Raises:
        ValueError: public zeros leave no cell at all.
    """
    merged = _merge(measurements)
    fixed = {clique: np.where(mask, IMPOSSIBLE, 0.0) for clique, mask in (impossible or {}).items()}
    total, tree = total_of(measurements), JunctionTree.of(sizes, [*merged, *fixed])
    shapes = {clique: [sizes[column] for column in clique] for clique in merged}
    ends = np.cumsum([0, *(prod(shape) for shape in shapes.values())])
    parts = dict(zip(shapes, [slice(one, other) for one, other in pairwise(ends.tolist())], strict=True))
    noisy = np.concatenate([counts.ravel() for counts, _ in merged.values()])
    variance = entropy * np.concatenate([spread.ravel() for _, spread in merged.values()])
    # The curvature is about the count, so steps are measured in deviations of it.
    scale = np.sqrt(np.maximum(noisy, 0) + variance)

    def potentials(point: Floats) -> dict[Clique, Floats]:
        free = {clique: point[part].reshape(shapes[clique]) for clique, part in parts.items()}
        for clique, values in fixed.items():
            free[clique] = free[clique] + values if clique in free else values
        return free

    def objective(scaled: Floats) -> tuple[float, Floats]:
        point = scaled / scale
        log, conditionals = tree.calibrate(potentials(point))
        shares = tree.marginals(conditionals)
        slope = variance * point - noisy
        for clique, part in parts.items():
            holder = tree.holder(clique)
            slope[part] += total * tree.within(shares[holder], tree.tables[holder], clique).ravel()
        value = total * log - float(point @ noisy) + float((variance * point) @ point) / 2
        return value, slope / scale

    begin = _start(parts, fixed, {} if start is None else start.potentials, noisy.size)
    options = {"maxiter": _STEPS, "maxcor": 20, "gtol": 1e-2, "ftol": 1e-12}
    found = minimize(objective, begin * scale, jac=True, method="L-BFGS-B", options=options)
    factors = potentials(found.x / scale)
    log, conditionals = tree.calibrate(factors)
    if not log > IMPOSSIBLE / 2:
        raise InputError("No cell is possible: some public zeros contradict each other.")
    return GraphicalModel(tree, total, tuple(conditionals), factors)


def _start(
    parts: Mapping[Clique, slice], fixed: Mapping[Clique, Floats], known: Mapping[Clique, Floats], size: int
) -> Floats:
    """Return the logarithms of known factors without those of public zeros, and 0 for the others, shape (size,)."""
    begin = np.zeros(size)
    for clique, part in parts.items():
        if clique in known:
            begin[part] = (known[clique] - fixed.get(clique, np.zeros(1))).ravel()
    return begin


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
