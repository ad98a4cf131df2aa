"""A released regression tree: splits over public domains, noisy numbers of records, and a value for every node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.learn.builder import cuts
from dpselect.learn.domains import Attribute
from dpselect.learn.file_parts import numbers_in
from dpselect.learn.regression.splitting import NodeSums
from dpselect.learn.regression.target_summary import TargetSummary
from dpselect.learn.regression.values import combine_sums, deviations, noise_of, splits_shown, values
from dpselect.learn.tree import Tree
from dpselect.views.targets import STEPS


class ValuedTree(Tree):
    """A tree whose ``counts`` are the noisy number of records of every node, and its value, shape (nodes, 2).

    Attributes:
        deviations: how far noise alone moves the value of every node, shape (nodes,); empty where it is not known.
    """

    # A value is within the bounds of the target, however large they are.
    _limited = slice(0, 1)

    def __init__(self, attributes: Sequence[Attribute], classes: int) -> None:
        super().__init__(attributes, classes)
        self.deviations: NDArray[np.float64] = np.zeros(0)

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
        tree.deviations = self.deviations * high - self.deviations * low
        return tree

    def copy(self) -> ValuedTree:
        """Return another tree of the same nodes."""
        tree = ValuedTree(self.attributes, 2)
        tree.split, tree.route, tree.depth = self.split.copy(), list(self.route), self.depth.copy()
        tree.counts, tree.deviations = self.counts.copy(), self.deviations.copy()
        return tree

    def compact(self) -> NDArray[np.int64]:
        """Forget nodes that pruning cut off, and return the numbers that the others had."""
        nodes = super().compact()
        if self.deviations.size:
            self.deviations = self.deviations[nodes]
        return nodes

    def as_dict(self) -> dict[str, Any]:
        """Return the nodes as plain lists, for JSON."""
        # A model of an older file has none, and is written as it was.
        known = {"deviations": self.deviations.tolist()} if self.deviations.size else {}
        return super().as_dict() | known

    @classmethod
    def from_dict(cls, attributes: Sequence[Attribute], content: dict[str, Any]) -> Self:
        """Return the tree of :meth:`as_dict`; one of an older version has no deviations (``ValueError``: no tree)."""
        tree = super().from_dict(attributes, content)
        tree.deviations = numbers_in(content.get("deviations", []), 1)
        if tree.deviations.size not in (0, tree.split.size) or (tree.deviations < 0).any():
            raise InputError("deviations are not those of the nodes")
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
    every.deviations = deviations(grown, noise) * target.width / STEPS
    offered = sum(cuts(each, np.ones((1, each.size), dtype=np.bool_)).sum() for each in grown.attributes)
    drawn = every.copy()
    for node in np.flatnonzero(~splits_shown(grown, noise, target.spread, int(offered))).tolist():
        drawn.split[node], drawn.route[node] = -1, np.zeros(0, dtype=np.int64)
    drawn.compact()
    return [every, drawn]
