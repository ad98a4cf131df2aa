"""A released tree: splits over public domains and noisy counts. Everything in it may be published."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dpselect._display.html_table import table
from dpselect.kernel.errors import InputError
from dpselect.learn.domains import OUTSIDE, Attribute
from dpselect.learn.file_parts import MOST_COUNT, integers_in, noise_in, numbers_in
from dpselect.learn.size_limits import MOST_LEVELS

Integers = NDArray[np.int64]


class Tree:
    """Nodes in breadth-first order; node 0 is the root.

    Attributes:
        attributes: the columns.
        split: the attribute a node splits by, -1 for leaves, shape (nodes,).
        route: for each node that splits, the child of every code; empty for leaves.
        depth: shape (nodes,).
        counts: noisy class counts; of inner nodes the sums of their leaves, shape (nodes, classes).
        noise: the standard deviation of the noise of a leaf's count, where shares are shrunk by it; ``None`` elsewhere.
        grown: the tree before it was pruned for its drawing; itself where it was not.
        origin: which node of ``whole_tree`` each node is, shape (nodes,).
    """

    # Which columns of ``counts`` are numbers of records.
    _limited = slice(None)

    def __init__(self, attributes: Sequence[Attribute], classes: int) -> None:
        self.attributes = tuple(attributes)
        self.split: Integers = np.array([-1], dtype=np.int64)
        self.route: list[Integers] = [np.zeros(0, dtype=np.int64)]
        self.depth: Integers = np.array([0], dtype=np.int64)
        self.counts: NDArray[np.float64] = np.zeros((1, classes))
        self.noise: float | None = None
        self._pruned: tuple[Tree, Integers] | None = None

    def _repr_html_(self) -> str:
        used = dict.fromkeys(self.attributes[place].name for place in self.split.tolist() if place >= 0)
        return table("Tree", [("leaves", self.leaves.size), ("depth", self.levels), ("splits by", [*used])])

    def __repr__(self) -> str:
        return f"Tree({self.leaves.size} leaves, depth {self.levels})"

    @property
    def whole_tree(self) -> Tree:
        """Return the whole tree."""
        return self if self._pruned is None else self._pruned[0]

    @property
    def origin(self) -> Integers:
        """Return which node of the whole tree each node is."""
        return np.arange(self.split.size) if self._pruned is None else self._pruned[1]

    @property
    def records(self) -> NDArray[np.float64]:
        """Return the noisy number of records of every node, shape (nodes,)."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def levels(self) -> int:
        """Return how many splits the longest path has."""
        return int(self.depth[self.leaves].max())

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

    def parents(self) -> Integers:
        """Return the parent of every node, -1 for the root."""
        parent = np.full(self.split.size, -1, dtype=np.int64)
        for node in np.flatnonzero(self.split >= 0).tolist():
            parent[self.route[node]] = node
        return parent

    def leaves_below(self) -> Integers:
        """Return how many leaves each node has, itself for a leaf."""
        leaves = (self.split < 0).astype(np.int64)
        for node in np.flatnonzero(self.split >= 0)[::-1].tolist():
            leaves[node] = leaves[self.children(node)].sum()
        return leaves

    def prune(self, ends: NDArray[np.bool_]) -> Self:
        """Return the tree that ends at these nodes, and remembers this one as ``whole_tree``."""
        tree = copy(self)
        tree.split = np.where(ends, -1, self.split)
        tree.route = [route[:0] if end else route for route, end in zip(self.route, ends.tolist(), strict=True)]
        tree._pruned = self, tree.compact()
        return tree

    def sum_up(self) -> None:
        """Give every inner node the sum of its leaves: post-processing."""
        for node in range(self.split.size - 1, -1, -1):
            if self.split[node] >= 0:
                self.counts[node] = self.counts[self.children(node)].sum(axis=0)

    def compact(self) -> Integers:
        """Forget nodes that pruning cut off, and return the numbers that the others had."""
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
        return np.array(nodes, dtype=np.int64)

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

    def path(self, codes: Sequence[Integers]) -> Any:
        """Return which nodes every record passes, a sparse indicator of shape (n, nodes)."""
        from scipy.sparse import csr_matrix

        at, parent = self.apply(codes), self.parents()
        rows, nodes = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        here = np.arange(at.size)
        while here.size:
            rows.append(here)
            nodes.append(at[here])
            at[here] = parent[at[here]]
            here = here[at[here] >= 0]
        row, node = np.concatenate(rows), np.concatenate(nodes)
        shape = at.size, self.split.size
        result = csr_matrix((np.ones(row.size, dtype=np.int64), (row, node)), shape=shape)
        result.sort_indices()
        return result

    def words(self, node: int, child: int) -> str:
        """Return in words which records of a node go to a child."""
        attribute = self.attributes[self.split[node]]
        return f"{attribute.name} {attribute.meaning(np.flatnonzero(self.route[node] == child))}"

    def as_dict(self) -> dict[str, Any]:
        """Return the nodes as plain lists, for JSON: those of the tree as it grew, and where its drawing ends."""
        grown = self.whole_tree
        content = {
            "split": grown.split.tolist(),
            "route": [route.tolist() for route in grown.route],
            "depth": grown.depth.tolist(),
            "counts": grown.counts.tolist(),
        }
        if self.noise is not None:
            content["noise"] = self.noise
        if grown is not self:
            content["drawing_ends"] = self.origin[self.leaves].tolist()
        return content

    @classmethod
    def from_dict(cls, attributes: Sequence[Attribute], content: dict[str, Any]) -> Self:
        """Return the tree of :meth:`as_dict`.

        Raises:
            ValueError: nodes that do not form a tree over these attributes.
        """
        tree = cls(attributes, 1)
        try:
            tree.split, tree.depth = integers_in(content["split"]), integers_in(content["depth"])
            tree.route = [integers_in(route) for route in content["route"]]
            tree.counts = numbers_in(content["counts"], 2)
            if "noise" in content:
                tree.noise = noise_in(content["noise"])
            sound = tree._sound()
            if not sound or "drawing_ends" not in content:
                drawn = tree
            else:
                ends = np.zeros(tree.split.size, dtype=np.bool_)
                ends[integers_in(content["drawing_ends"])] = True
                drawn = tree.prune(ends)
                sound = drawn.origin[drawn.leaves].tolist() == content["drawing_ends"]
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            sound = False
        if not sound:
            raise InputError("This model file is damaged or was edited: train the model again.")
        return drawn

    def _sound(self) -> bool:
        """Return whether the nodes form a tree over the attributes, of a depth that can be drawn."""
        size = self.split.size
        if not size >= 1 or not len(self.route) == size == self.depth.size == len(self.counts):
            return False
        if self.counts.shape[1] < 1 or np.abs(self.counts[:, self._limited]).max() > MOST_COUNT:
            return False
        depth, parents = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        for node, (place, route) in enumerate(zip(self.split.tolist(), self.route, strict=True)):
            if place == -1 and not route.size:
                continue
            if not 0 <= place < len(self.attributes) or route.size != self.attributes[place].size:
                return False
            if route.min() <= node or route.max() >= size:
                return False
            children = np.unique(route)
            parents[children] += 1
            depth[children] = depth[node] + 1
        # Of one parent each, or a file of a few lines could take longer to draw than anybody waits.
        one_each = parents[0] == 0 and bool((parents[1:] == 1).all())
        return one_each and bool((depth == self.depth).all()) and int(depth.max()) <= MOST_LEVELS
