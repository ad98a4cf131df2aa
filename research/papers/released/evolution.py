"""Random binary trees and the operators of the search of Farias et al. 2024, on public facts only.

A tree of depth d has d levels of nodes, labels included, so a full one has 2^(d - 1) labels. Which replaced subtrees a
mutation grows is not the same in text and program: as printed as deep as fits below the maximum, as programmed as deep
as fits below the tree's own depth.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from research.papers.released.recall_masks import Masks, Tree

_BATCH = 4096
Path = tuple[int, ...]


@dataclass(frozen=True)
class Sizes:
    """What a search is called with, all public.

    Attributes:
        population, selected, output: how many trees are tried at a time, kept in a round, and returned.
        rounds: how many selections there are in all.
        depth, most: levels of the first trees, and of any.
        regrown: ``"printed"`` or ``"programmed"``: how deep mutations grow.
    """

    population: int
    selected: int
    output: int
    rounds: int
    depth: int
    most: int
    regrown: str = "programmed"


class Evolution:
    """The operators, and the numbers they are drawn by."""

    def __init__(self, masks: Masks, sizes: Sizes, rng: np.random.Generator) -> None:
        self._masks, self._sizes = masks, sizes
        self._numbers = _uniform(rng)

    def first(self) -> list[Tree]:
        """Return the first population."""
        return [self._random(self._sizes.depth) for _ in range(self._sizes.population)]

    def grown(self, kept: Sequence[Tree]) -> list[Tree]:
        """Return what was kept and as many children as the population has."""
        trees = list(kept)
        while len(trees) < len(kept) + self._sizes.population:
            here = self._below(len(trees))
            there = (here + 1 + self._below(len(trees) - 1)) % len(trees)
            trees += [
                self._mutated(self._pruned(child, self._sizes.most)) for child in self._crossed(here, there, trees)
            ]
        return trees

    def _below(self, bound: int) -> int:
        return int(next(self._numbers) * bound)

    def _random(self, depth: int) -> Tree:
        if depth <= 1:
            return self._below(2)
        attribute = self._below(len(self._masks.sets))
        places = self._masks.places[attribute]
        if places is None:
            cut = self._below(len(self._masks.sets[attribute]))
        else:
            cut = bisect_right(places, next(self._numbers))
        return node(attribute, cut, self._random(depth - 1), self._random(depth - 1))

    def _crossed(self, here: int, there: int, trees: Sequence[Tree]) -> tuple[Tree, Tree]:
        one, two = trees[here], trees[there]
        first, second = self._anywhere(one), self._anywhere(two)
        return replaced(one, first, at(two, second)), replaced(two, second, at(one, first))

    def _mutated(self, tree: Tree) -> Tree:
        path = self._anywhere(tree)
        level = len(path) + 1
        limit = self._sizes.most if self._sizes.regrown == "printed" else depth_of(tree)
        return replaced(tree, path, self._random(limit - level + 1))

    def _pruned(self, tree: Tree, levels: int) -> Tree:
        if isinstance(tree, int) or tree[5] <= levels:
            return tree
        if levels <= 1:
            return self._below(2)
        return node(tree[0], tree[1], self._pruned(tree[2], levels - 1), self._pruned(tree[3], levels - 1))

    def _anywhere(self, tree: Tree) -> Path:
        """Return the way to a node, each as likely as any other."""
        place, path = self._below(size(tree)), []
        while place:
            assert not isinstance(tree, int)
            left = size(tree[2])
            side = 2 if place <= left else 3
            place -= 1 if side == 2 else 1 + left
            path.append(side)
            tree = tree[2] if side == 2 else tree[3]
        return tuple(path)


def node(attribute: int, cut: int, first: Tree, second: Tree) -> Tree:
    """Return a tree that splits there.

    >>> size(node(0, 0, 1, node(1, 0, 0, 1))), depth_of(node(0, 0, 1, node(1, 0, 0, 1)))
    (5, 3)
    """
    nodes = 1 + size(first) + size(second)
    return attribute, cut, first, second, nodes, 1 + max(depth_of(first), depth_of(second))


def size(tree: Tree) -> int:
    """Return how many nodes a tree has, labels included."""
    return 1 if isinstance(tree, int) else tree[4]


def depth_of(tree: Tree) -> int:
    """Return how many levels of nodes a tree has."""
    return 1 if isinstance(tree, int) else tree[5]


def at(tree: Tree, path: Path) -> Tree:
    """Return the subtree at the end of a way."""
    for side in path:
        assert not isinstance(tree, int)
        tree = tree[2] if side == 2 else tree[3]
    return tree


def replaced(tree: Tree, path: Path, by: Tree) -> Tree:
    """Return the tree with another subtree there."""
    if not path or isinstance(tree, int):
        return by
    first, second = tree[2], tree[3]
    if path[0] == 2:
        return node(tree[0], tree[1], replaced(first, path[1:], by), second)
    return node(tree[0], tree[1], first, replaced(second, path[1:], by))


def _uniform(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(_BATCH).tolist()
