"""Class shares of a tree of noisy counts, shrunk toward the parents': post-processing, so it costs nothing.

A small node says little of its own: its counts are mixed with the shares of its parent, which count as m records, from
even shares above the root downwards. m grows with the noise of the node's own counts, and faster where that noise
exceeds them.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.tree import Tree

# Of the parent's shares, without noise; and by how many standard deviations of the noise it grows.
_RECORDS, _DEVIATIONS = 5.0, 2.0


def deviation(epsilon: float) -> float:
    """Return the standard deviation of the two-sided geometric noise of one count at this epsilon.

    >>> round(deviation(0.1) * 0.1, 3), round(deviation(10), 4)
    (1.414, 0.0095)
    """
    return math.sqrt(0.5) / math.sinh(min(epsilon, 1e3) / 2)


def rate_of(noise: float) -> Fraction:
    """Return the epsilon whose noise has this standard deviation, rounded down: as :func:`deviation` backwards.

    >>> round(float(rate_of(deviation(0.1))), 9)
    0.1
    """
    return Fraction(2 * math.asinh(math.sqrt(0.5) / noise) * (1 - 1e-12))


def shrunk_shares(tree: Tree, noise: float) -> NDArray[np.float64]:
    """Return the share of every class at every node, shape (nodes, classes); they sum to 1.

    Args:
        tree: with noisy class counts; those of inner nodes are sums of their leaves'.
        noise: the standard deviation of the noise of a leaf's count.
    """
    total, weight = weights_of(tree, noise)
    parent, classes = tree.parents(), tree.counts.shape[1]
    shares = np.empty(tree.counts.shape)
    for depth in range(int(tree.depth.max()) + 1):
        nodes = np.flatnonzero(tree.depth == depth)
        above = shares[parent[nodes]] if depth else np.full((1, classes), 1 / classes)
        pull, rows = weight[nodes, None], total[nodes, None]
        mixed = (tree.counts[nodes] + pull * above) / (rows + pull)
        shares[nodes] = mixed / mixed.sum(axis=1, keepdims=True)
    return shares


def weights_of(tree: Tree, noise: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what the counts of every node weigh, and what the shares of its parent do, both in records."""
    deviations = noise * np.sqrt(tree.leaves_below())
    total = np.maximum(tree.records, np.maximum(deviations, 1.0))
    return total, _RECORDS + _DEVIATIONS * deviations + (_DEVIATIONS * deviations) ** 2 / total
