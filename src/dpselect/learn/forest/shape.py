"""The shape of a tree: of a few random cuts of every node, the one that the survey says tells most.

Which columns and cuts are tried is drawn from public coins, and what a cut tells by itself follows from the survey, so
the shape of a tree sees no record and costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.forest.table_summary import TableSummary

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Uniform = Callable[[Integers], Integers]
# Cuts that a node tries: with one the trees learn slowly, with many they are all alike.
TRIED_SHAPES = 2
_WORD = 2**32


@dataclass(frozen=True)
class TreeLimits:
    """Limits on the growth of a tree; public or released.

    Attributes:
        depth: the most splits of a path.
        support: a node with fewer records, as far as the survey says, is a leaf.
        nodes: a level that would lead beyond this many nodes in all is made of leaves.
    """

    depth: int
    support: float
    nodes: int


@dataclass(frozen=True, eq=False)
class Shape:
    """Nodes in breadth-first order; a node that splits has two children, one after the other.

    Attributes:
        split: the column a node splits by, -1 for leaves, shape (nodes,).
        cut: a code goes to the second child if its rank is above this, shape (nodes,).
        first: the first child; 0 for leaves.
        depth: shape (nodes,).
        ranks: for each column the rank of every code in this tree.
    """

    split: Integers
    cut: Integers
    first: Integers
    depth: Integers
    ranks: tuple[Integers, ...]

    @property
    def parent(self) -> Integers:
        """Return the parent of every node, -1 for the root."""
        parent, inner = np.full(self.split.size, -1, dtype=np.int64), np.flatnonzero(self.split >= 0)
        parent[self.first[inner]], parent[self.first[inner] + 1] = inner, inner
        return parent

    def routes(self) -> list[Integers]:
        """Return for each node the child of every code; empty for leaves."""
        routes = [np.zeros(0, dtype=np.int64)] * self.split.size
        for column in np.unique(self.split[self.split >= 0]).tolist():
            nodes = np.flatnonzero(self.split == column)
            children = self.first[nodes, None] + (self.ranks[column] > self.cut[nodes, None])
            for node, route in zip(nodes.tolist(), children, strict=True):
                routes[node] = route
        return routes


def grow_shape(ground: TableSummary, limits: TreeLimits, uniform: Uniform) -> Shape:
    """Return the shape of one tree."""
    orders = _orders(ground, uniform)
    sums, start = _running(ground, orders)
    ranks = tuple(order[bins] for order, bins in zip(orders, ground.bins, strict=True))
    sizes = np.array([ground.records])
    low, high = np.zeros((1, len(ranks)), dtype=np.int64), ground.sizes[None] - 1
    levels: list[tuple[Integers, Integers, Integers]] = []
    nodes = 1
    for depth in range(limits.depth + 1):
        split, cut, first = (np.full(sizes.size, value, dtype=np.int64) for value in (-1, 0, 0))
        levels.append((split, cut, first))
        open_ = ground.weights * (high > low)
        going = np.flatnonzero((open_.sum(axis=1) > 0) & (sizes >= limits.support))
        if depth == limits.depth or not going.size or nodes + 2 * going.size > limits.nodes:
            break
        low, high = low[going], high[going]
        column, place, share = _best(open_[going], low, high, sums, start, uniform)
        split[going], cut[going], first[going] = column, place, nodes + 2 * np.arange(going.size)
        nodes += 2 * going.size
        sizes = np.stack((sizes[going] * share, sizes[going] * (1 - share)), axis=1).ravel()
        below = 2 * np.arange(going.size)
        low, high = np.repeat(low, 2, axis=0), np.repeat(high, 2, axis=0)
        high[below, column], low[below + 1, column] = place, place + 1
    split, cut, first = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    depths = np.repeat(np.arange(len(levels)), [level[0].size for level in levels])
    return Shape(split, cut, first, depths, ranks)


def _orders(ground: TableSummary, uniform: Uniform) -> list[Integers]:
    """Return the rank of every bin: numbers in their order, categories by the share of a random class."""
    classes = uniform(np.full(len(ground.cells), ground.prior.size, dtype=np.int64))
    ranks = []
    for cells, ordered, chosen in zip(ground.cells, ground.ordered, classes.tolist(), strict=True):
        rank = np.arange(len(cells))
        if not ordered:
            rank[np.argsort(cells[:, chosen] / cells.sum(axis=1), kind="stable")] = np.arange(len(cells))
        ranks.append(rank)
    return ranks


def _running(ground: TableSummary, orders: list[Integers]) -> tuple[Floats, Integers]:
    """Return the running sums of class counts over the ranks of every column, end to end, and where each begins."""
    sums = []
    for cells, rank in zip(ground.cells, orders, strict=True):
        ranked = np.empty_like(cells)
        ranked[rank] = cells
        sums.append(np.concatenate((np.zeros((1, cells.shape[1])), np.cumsum(ranked, axis=0))))
    sizes = np.array([len(each) for each in sums])
    return np.concatenate(sums), np.cumsum(sizes) - sizes


def _best(
    weights: Floats, low: Integers, high: Integers, sums: Floats, start: Integers, uniform: Uniform
) -> tuple[Integers, Integers, Floats]:
    """Return for each node a column, a cut of it, and about which share of the records goes to the first child."""
    many = len(weights)
    ends, node = np.cumsum(weights, axis=1), np.arange(many)
    words = uniform(np.full(2 * TRIED_SHAPES * many, _WORD, dtype=np.int64)).reshape(2, TRIED_SHAPES, many)
    best = np.full(many, -np.inf)
    column, place, share = np.zeros(many, dtype=np.int64), np.zeros(many, dtype=np.int64), np.zeros(many)
    for which, where in zip(words[0], words[1], strict=True):
        picked = (which[:, None] / _WORD * ends[:, -1:] < ends).argmax(axis=1)
        first, last = low[node, picked], high[node, picked]
        cut = first + ((where * (last - first)) >> 32)
        before, at, after = (sums[start[picked] + rank] for rank in (first, cut + 1, last + 1))
        left, right = at - before, after - at
        told = _purity(left) + _purity(right) - _purity(left + right)
        told /= (left + right).sum(axis=1)
        better = told > best
        best[better] = told[better]
        column[better], place[better] = picked[better], cut[better]
        share[better] = (left.sum(axis=1) / (left + right).sum(axis=1))[better]
    return column, place, share


def _purity(counts: Floats) -> Floats:
    """Return the squares of class counts over their sum."""
    return np.asarray((counts**2).sum(axis=1) / np.maximum(counts.sum(axis=1), 1e-12))
