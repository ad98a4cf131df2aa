"""Class shares of a tree of noisy counts, shrunk toward the parents': post-processing, so it costs nothing.

From the root downwards the shares of a node are its own counts and those of its parent's shares, which count for m
records. m grows with the noise of the node's counts, and faster where that noise exceeds them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpselect.views.gradient_sums import UNIT

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# What the parent's shares count for without noise, and the least share of a class.
_RECORDS, _LEAST = 0.5, 1e-4


def sum_leaves(counts: Floats, parent: Integers, depth: Integers) -> Floats:
    """Return counts of which every inner node has the sum of its leaves."""
    total = counts.copy()
    for level in range(int(depth.max()), 0, -1):
        nodes = np.flatnonzero(depth == level)
        np.add.at(total, parent[nodes], total[nodes])
    return total


def shrunk(counts: Floats, parent: Integers, depth: Integers, noise: float, prior: Floats) -> Floats:
    """Return the share of every class at every node, shape (nodes, classes); positive, and they sum to 1.

    Args:
        counts: noisy class counts, those of inner nodes sums of their leaves', shape (nodes, classes).
        parent, depth: of every node; nodes in breadth-first order.
        noise: the standard deviation of the noise of a leaf's count.
        prior: what is above the root.
    """
    total, weight = weights_of(counts, parent, depth, noise)
    shares = np.empty(counts.shape)
    for level in range(int(depth.max()) + 1):
        nodes = np.flatnonzero(depth == level)
        above = shares[parent[nodes]] if level else prior[None]
        pull, rows = weight[nodes, None], total[nodes, None]
        mixed = np.maximum(counts[nodes] + pull * above, pull * above / 2) / (rows + pull) + _LEAST
        shares[nodes] = mixed / mixed.sum(axis=1, keepdims=True)
    return shares


def weights_of(counts: Floats, parent: Integers, depth: Integers, noise: float) -> tuple[Floats, Floats]:
    """Return what the counts of every node weigh, and what the shares of its parent do, both in records."""
    leaves = np.ones(depth.size)
    leaves[parent[1:]] = 0.0
    spread = noise * np.sqrt(sum_leaves(leaves[:, None], parent, depth)[:, 0])
    total = np.maximum(np.maximum(counts.sum(axis=1), spread), 1e-9)
    return total, _RECORDS + spread + spread**2 / np.maximum(total, 1.0)


def without_one(counts: Floats, parent: Integers, depth: Integers, noise: float, prior: Floats) -> Integers:
    """Return what a leaf's shares would be if one record of a class had not been counted.

    A record that helped to make the shares of its leaf agrees with them too well; these are what it is judged by.

    Returns: in units of 2^-16, rounded down, shape (nodes, classes, classes): node, class of the record, class.
    """
    classes = counts.shape[1]
    worth = np.full((len(counts), classes, classes), UNIT, dtype=np.int64)
    for label in range(classes if classes > 1 else 0):
        without = counts.copy()
        without[:, label] -= 1.0
        worth[:, label] = np.floor(shrunk(without, parent, depth, noise, prior) * UNIT)
    return worth
