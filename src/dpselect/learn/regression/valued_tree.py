"""A released regression tree: splits over public domains, noisy numbers of records, and a value for every node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.builder import cuts
from dpselect.learn.regression.splitting import NodeSums
from dpselect.learn.regression.target_summary import TargetSummary
from dpselect.learn.regression.values import combine_sums, noise_of, splits_shown, values
from dpselect.learn.tree import Tree
from dpselect.views.targets import STEPS


class ValuedTree(Tree):
    """A tree whose ``counts`` are the noisy number of records of every node, and its value, shape (nodes, 2)."""

    # A value is within the bounds of the target, however large they are.
    _limited = slice(0, 1)

    @property
    def records(self) -> NDArray[np.float64]:
        """Return the noisy number of records of every node."""
        return self.counts[:, 0]

    @property
    def values(self) -> NDArray[np.float64]:
        """Return the value of every node."""
        return self.counts[:, 1]

    def to_range(self, low: float, high: float) -> ValuedTree:
        """Return the tree with values that are shares of a declared range as what they stand for."""
        tree = self.copy()
        # Both ends may be huge: no difference is taken.
        tree.counts[:, 1] = np.clip(low * (1 - self.values) + high * self.values, low, high)
        return tree

    def copy(self) -> ValuedTree:
        """Return another tree of the same nodes."""
        tree = ValuedTree(self.attributes, 2)
        tree.split, tree.route, tree.depth = self.split.copy(), list(self.route), self.depth.copy()
        tree.counts = self.counts.copy()
        return tree


def value_tree(
    grown: Tree, released: Sequence[NodeSums], left: NDArray[np.float64], target: TargetSummary
) -> list[ValuedTree]:
    """Return the tree that predicts, and the one that is drawn, with values as shares of the whole grid.

    Args:
        grown: with the noisy sums of its leaves.
        released: those of inner nodes, level by level.
        left: epsilon of a leaf at each depth.
        target: where the targets lie.
    """
    noise = np.full(grown.split.size, np.inf)
    leaves = grown.leaves
    noise[leaves] = [noise_of(epsilon) for epsilon in left[grown.depth[leaves]].tolist()]
    for level, sums in enumerate(released):
        nodes = np.flatnonzero(grown.depth == level)[sums.going]
        grown.counts[nodes], noise[nodes] = sums.sides, sums.noise
    combine_sums(grown, noise)
    shares = values(grown, noise, target.centre, target.spread)
    every = ValuedTree(grown.attributes, 2)
    every.split, every.route, every.depth = grown.split, grown.route, grown.depth
    every.counts = np.stack((grown.counts.sum(axis=1), (target.low + shares * target.width + 0.5) / STEPS), axis=1)
    offered = sum(cuts(each, np.ones((1, each.size), dtype=np.bool_)).sum() for each in grown.attributes)
    drawn = every.copy()
    for node in np.flatnonzero(~splits_shown(grown, noise, target.spread, int(offered))).tolist():
        drawn.split[node], drawn.route[node] = -1, np.zeros(0, dtype=np.int64)
    drawn.compact()
    return [every, drawn]
