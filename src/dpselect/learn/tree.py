"""A released tree: splits over public domains and noisy counts. Everything in it may be published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.domains import OUTSIDE, Attribute

Integers = NDArray[np.int64]


class Tree:
    """Nodes in breadth-first order; node 0 is the root.

    Attributes:
        attributes: the columns.
        split: the attribute a node splits by, -1 for leaves, shape (nodes,).
        route: for each node that splits, the child of every code; empty for leaves.
        depth: shape (nodes,).
        counts: noisy class counts; of inner nodes the sums of their leaves, shape (nodes, classes).
    """

    def __init__(self, attributes: Sequence[Attribute], classes: int) -> None:
        self.attributes = tuple(attributes)
        self.split: Integers = np.array([-1], dtype=np.int64)
        self.route: list[Integers] = [np.zeros(0, dtype=np.int64)]
        self.depth: Integers = np.array([0], dtype=np.int64)
        self.counts: NDArray[np.float64] = np.zeros((1, classes))

    def __repr__(self) -> str:
        return f"Tree({self.leaves.size} leaves, depth {int(self.depth[self.leaves].max())})"

    def add_level(self, parents: Integers, split: Integers, groups: Sequence[Integers]) -> Integers:
        """Split some nodes; ``groups[i][code]`` numbers the children of parent i from 0. Return the new nodes."""
        many = [int(group.max()) + 1 if place >= 0 else 0 for place, group in zip(split, groups, strict=True)]
        first = self.split.size + np.concatenate(([0], np.cumsum(many)[:-1])).astype(np.int64)
        for parent, place, group, start in zip(parents, split, groups, first, strict=True):
            if place >= 0:
                self.split[parent], self.route[parent] = place, group + start
        total = sum(many)
        depth = np.repeat(self.depth[parents] + 1, many)
        self.split = np.concatenate((self.split, np.full(total, -1, dtype=np.int64)))
        self.route += [np.zeros(0, dtype=np.int64)] * total
        self.depth = np.concatenate((self.depth, depth))
        self.counts = np.concatenate((self.counts, np.zeros((total, self.counts.shape[1]))))
        return np.arange(self.split.size - total, self.split.size)

    def children(self, node: int) -> Integers:
        """Return the children of a node, in order."""
        return np.unique(self.route[node])

    @property
    def leaves(self) -> Integers:
        """Return the nodes that do not split."""
        reached = np.zeros(self.split.size, dtype=bool)
        reached[0] = True
        for node in range(self.split.size):
            if reached[node] and self.split[node] >= 0:
                reached[self.route[node]] = True
        return np.flatnonzero(reached & (self.split < 0))

    def sum_up(self) -> None:
        """Give every inner node the sum of its leaves: post-processing."""
        for node in range(self.split.size - 1, -1, -1):
            if self.split[node] >= 0:
                self.counts[node] = self.counts[self.children(node)].sum(axis=0)

    def compact(self) -> None:
        """Forget nodes that pruning cut off."""
        nodes, waiting = [], [0]
        while waiting:
            node = waiting.pop(0)
            nodes.append(node)
            if self.split[node] >= 0:
                waiting.extend(self.children(node).tolist())
        new = np.full(self.split.size, -1, dtype=np.int64)
        new[nodes] = np.arange(len(nodes))
        self.split, self.depth, self.counts = self.split[nodes], self.depth[nodes], self.counts[nodes]
        self.route = [new[self.route[node]] for node in nodes]

    def apply(self, codes: Sequence[Integers]) -> Integers:
        """Return the node where every record ends: a leaf, or an inner node where a code is unknown there."""
        size = codes[0].size if codes else 0
        widest = max((route.size for route in self.route), default=1) or 1
        table = np.full((self.split.size, widest), -1, dtype=np.int64)
        for node, route in enumerate(self.route):
            table[node, : route.size] = route
        at = np.zeros(size, dtype=np.int64)
        moving = np.flatnonzero(self.split[at] >= 0)
        while moving.size:
            places = self.split[at[moving]]
            code = np.full(moving.size, OUTSIDE, dtype=np.int64)
            for place in np.unique(places).tolist():
                here = places == place
                code[here] = codes[place][moving[here]]
            moving, code = moving[code >= 0], code[code >= 0]
            at[moving] = table[at[moving], code]
            moving = moving[self.split[at[moving]] >= 0]
        return at

    def words(self, node: int, child: int) -> str:
        """Return in words which records of a node go to a child."""
        attribute = self.attributes[self.split[node]]
        return f"{attribute.name} {attribute.meaning(np.flatnonzero(self.route[node] == child))}"

    def as_dict(self) -> dict[str, Any]:
        """Return the nodes as plain lists, for JSON."""
        return {
            "split": self.split.tolist(),
            "route": [route.tolist() for route in self.route],
            "depth": self.depth.tolist(),
            "counts": self.counts.tolist(),
        }

    @classmethod
    def from_dict(cls, attributes: Sequence[Attribute], content: dict[str, Any]) -> Self:
        """Return the tree of :meth:`as_dict`.

        Raises:
            ValueError: nodes that do not form a tree over these attributes.
        """
        tree = cls(attributes, 1)
        try:
            tree.split = np.array(content["split"], dtype=np.int64)
            tree.route = [np.array(route, dtype=np.int64) for route in content["route"]]
            tree.depth = np.array(content["depth"], dtype=np.int64)
            tree.counts = np.array(content["counts"], dtype=np.float64)
            size = tree.split.size
            sound = (
                size >= 1 and len(tree.route) == size == tree.depth.size == len(tree.counts) and tree.counts.ndim == 2
            )
            sound = sound and bool(np.isfinite(tree.counts).all())
            for node in range(size if sound else 0):
                place, route = int(tree.split[node]), tree.route[node]
                fits = place == -1 and not route.size
                fits |= 0 <= place < len(attributes) and route.size == attributes[place].size and route.min() > node
                sound = sound and bool(fits) and (not route.size or route.max() < size)
        except (KeyError, TypeError, ValueError, IndexError):
            sound = False
        if not sound:
            raise ValueError("This model file is damaged or was edited: train the model again.")
        return tree
