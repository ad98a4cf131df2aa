"""A fit of a forest, planned: what it will ask, at which prices, before anything is read or paid for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError
from dpselect.learn.boosted.budget_shares import Shares
from dpselect.learn.boosted.column_summary import of_classes, release_survey
from dpselect.learn.boosted.noise import ONE_CELL, SumNoise, one_cell_of_each
from dpselect.learn.domains import Attribute
from dpselect.learn.forest.class_shares import sum_leaves, without_one
from dpselect.learn.forest.shape import Shape, TreeLimits, grow_shape
from dpselect.learn.forest.table_summary import TableSummary, ground_of
from dpselect.learn.forest.temperature import ONE_SUM, Prices, fitted_slope
from dpselect.learn.size_limits import MOST_BYTES, require_size, widest_level
from dpselect.learn.tree import Tree
from dpselect.views.leaves import SLOPE_UNIT, Descent, Leaves
from dpselect.views.records import Records

Floats = NDArray[np.float64]
# Shares of the budget: class counts, the survey of all columns, and the slope; the leaves have the rest.
COUNTS, SURVEY, SLOPE = Fraction(2, 100), Fraction(10, 100), Fraction(5, 100)
# A node is split if it seems to hold so many times the noise of a leaf's count.
_SUPPORT, _FEWEST = 2.0, 1.5
DEEPEST = 24
# Nodes of one tree: what is stored and shown; what shares without one record take, by the square of the classes, in
# memory for one tree and in time for all; and the fewest that are a split.
_NODES, _CELLS, _ALL_CELLS, _SPLIT = 2**13, 2**24, 2**31, 3
_CELL_BYTES = 64


@dataclass(frozen=True, eq=False)
class Forest:
    """The releases of a fit.

    Attributes:
        trees: with noisy class counts.
        noise: the standard deviation of the noise of a leaf's count.
        prior: about the share of each class, shape (classes,).
        slope: in units of 2^-8.
    """

    trees: list[Tree]
    noise: float
    prior: Floats
    slope: int


@dataclass(frozen=True)
class ForestPlan:
    """Survey, trees, slope. Every field is public.

    Attributes:
        attributes, classes: the public domains.
        noise: how a budget becomes noise.
        shares: what the class counts, the survey and (as its rounds) the leaves of all trees cost.
        slope: what the slope costs; 0 for one class, which needs none.
        trees: how many.
        depth: the most splits of a path.
    """

    attributes: Sequence[Attribute]
    classes: int
    noise: SumNoise
    shares: Shares
    slope: Fraction
    trees: int
    depth: int

    def __call__(self, records: Records, draws: Any) -> Forest:
        """Fit the forest."""
        known = release_survey(records, draws, self.noise, self.shares)
        ground = ground_of(known, of_classes(known, self.attributes), self.attributes)
        leaves, deviation = records.leaves(), self.noise.deviation(self.leaf, ONE_CELL)
        limits = TreeLimits(self.depth, max(_SUPPORT * deviation, _FEWEST), self._nodes)
        trees = [self._grow(ground, limits, deviation, leaves, draws) for _ in range(self.trees)]
        slope = SLOPE_UNIT
        if self.slope:
            slope = fitted_slope(leaves.slopes, draws, self.noise, Prices.of(self.slope), ground.records)
        return Forest(trees, deviation, ground.prior, slope)

    def rehearse(self, _: Fraction) -> None:
        """Refuse what cannot work out, by public facts alone.

        Raises:
            ValueError: noise would not fit an integer; a forest could outgrow memory.
        """
        codes = sum(each.size for each in self.attributes)
        if codes * _CELL_BYTES * self.classes > MOST_BYTES:
            raise InputError(
                Advice(
                    "The {codes} codes of these columns need more than {size} GiB: lower {bins}, or declare coarser "
                    "domains.",
                    codes=codes,
                    size=MOST_BYTES // 2**30,
                )
            )
        require_size(2, self._room)
        if self._nodes < _SPLIT:
            raise InputError(
                Advice(
                    "A forest of {trees} trees has no room for {classes} classes: lower n_trees, declare fewer classes "
                    "(at most {most} with one tree), or train DPTreeClassifier.",
                    trees=self.trees,
                    classes=f"{self.classes:,}",
                    most=f"{isqrt(_CELLS // _SPLIT):,}",
                )
            )
        self.noise.require(self.shares.counts, ONE_CELL)
        self.noise.require(self.shares.survey, one_cell_of_each(len(self.attributes)))
        self.noise.require(self.leaf, ONE_CELL)
        if self.slope:
            prices = Prices.of(self.slope)
            self.noise.require(min(prices.first, prices.second), ONE_SUM)

    @property
    def leaf(self) -> Fraction:
        """Return what the leaves of one tree cost."""
        return self.shares.rounds / self.trees

    @property
    def _nodes(self) -> int:
        """Return how many nodes a tree may have, by time and memory."""
        cells = min(_CELLS, _ALL_CELLS // self.trees)
        return min(_NODES, max(self._room, _SPLIT), cells // self.classes**2)

    @property
    def _room(self) -> int:
        """Return how many leaves a tree may have for what its codes take."""
        return widest_level(self.attributes, self.classes, self.trees, False)

    def _grow(self, ground: TableSummary, limits: TreeLimits, deviation: float, leaves: Leaves, draws: Any) -> Tree:
        """Draw a shape, count its leaves, and add what they are worth to every record."""
        shape = grow_shape(ground, limits, draws.uniform)
        routes, ends, parent = shape.routes(), shape.split < 0, shape.parent
        totals = leaves.counts(Descent(shape.split, np.concatenate(routes)))
        counts = np.zeros(totals.shape)
        counts[ends] = self.noise.noisy(draws, totals[ends], self.leaf, ONE_CELL)
        counts = sum_leaves(counts, parent, shape.depth)
        leaves.add(without_one(counts, parent, shape.depth, deviation, ground.prior))
        return _tree(self.attributes, shape, routes, counts)


def _tree(attributes: Sequence[Attribute], shape: Shape, routes: list[NDArray[np.int64]], counts: Floats) -> Tree:
    tree = Tree(attributes, counts.shape[1])
    tree.split, tree.route, tree.depth, tree.counts = shape.split, routes, shape.depth, counts
    return tree
