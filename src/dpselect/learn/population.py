"""Public trees of an evolutionary search, and how many records each of them recognises, all trees in one pass.

A split is one bit per record, so a population reads every record once a split that occurs in it, and after that only
packed bits: a node is reached by the records of its parent and those that go its way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.domains import Attribute
from dpselect.scores.dominance import ones
from dpselect.utilities.splits import Integers
from dpselect.views.records import NodeCounts, Records
from dpselect.views.stored_records import Labelling, StoredRecords

# Bits of one level that are held together: they stay in the cache.
_BYTES = 2**21


@dataclass(frozen=True)
class Node:
    """A public binary tree: a label, or a split after code ``cut`` (numbers) or of that code (categories)."""

    label: int = 0
    attribute: int = -1
    cut: int = 0
    first: Node | None = None
    second: Node | None = None


def count_recognised(trees: Sequence[Node], attributes: Sequence[Attribute], records: NodeCounts) -> Integers:
    """Return how many records of each class every tree gives their own label, shape (classes, trees)."""
    if isinstance(records, StoredRecords):
        return records.recognition_counts([labelling(tree, attributes) for tree in trees])
    assert isinstance(records, Records)
    levels, splits = _levels(trees)
    widest = max(len(splits), *(level.size for level in levels))
    step = max(64, 8 * (_BYTES // widest) // 64 * 64)
    right = np.zeros((records.classes, len(trees)), dtype=np.int64)
    for start in range(0, records.labels.size, step):
        part = slice(start, start + step)
        labels = records.labels[part]
        members = np.stack([_pack_bits(labels == each) for each in range(records.classes)])
        goes = np.zeros((2, len(splits), members.shape[1]), dtype=np.uint64)
        for place, split in enumerate(splits):
            codes = records.codes[split[0]][part]
            goes[1, place] = _pack_bits(codes > split[1] if attributes[split[0]].is_ordered else codes != split[1])
        # Bits behind the last record are set here; no class has them.
        goes[0] = ~goes[1]
        reached = np.full((len(trees), members.shape[1]), ~np.uint64(0))
        for level in levels:
            if level.parent is not None:
                reached = reached[level.parent]
                reached &= goes[level.second, level.split]
            hits = reached[level.leaf]
            hits &= members[level.label]
            np.add.at(right, (level.label, level.tree), ones(hits).sum(axis=1, dtype=np.int64))
    return right


def labelling(node: Node, attributes: Sequence[Attribute]) -> Labelling:
    """Return how a tree labels codes."""
    if node.first is None or node.second is None:
        return node.label
    first, second = (labelling(side, attributes) for side in (node.first, node.second))
    return node.attribute, goes_second(node, attributes), first, second


def goes_second(node: Node, attributes: Sequence[Attribute]) -> NDArray[np.bool_]:
    """Return for every code of the split attribute whether it goes to the second child; empty for a label."""
    if node.attribute < 0:
        return np.zeros(0, dtype=np.bool_)
    codes = np.arange(attributes[node.attribute].size)
    return np.asarray(codes > node.cut if attributes[node.attribute].is_ordered else codes != node.cut)


@dataclass(frozen=True)
class _TreeLevel:
    """One level of all trees: how its nodes are reached from the level above, and its labels."""

    size: int
    parent: Integers | None
    split: Integers
    second: Integers
    leaf: Integers
    label: Integers
    tree: Integers


def _levels(trees: Sequence[Node]) -> tuple[list[_TreeLevel], list[tuple[int, int]]]:
    """Return the levels of all trees, and every split that occurs, once."""
    splits: dict[tuple[int, int], int] = {}
    nodes, owners = list(trees), list(range(len(trees)))
    parents: list[int] | None = None
    taken: list[int] = []
    sides: list[int] = []
    levels = []
    while nodes:
        leaves = [place for place, node in enumerate(nodes) if node.attribute < 0]
        levels.append(
            _TreeLevel(
                len(nodes),
                None if parents is None else np.array(parents),
                np.array(taken, dtype=np.int64),
                np.array(sides, dtype=np.int64),
                np.array(leaves, dtype=np.int64),
                np.array([nodes[place].label for place in leaves], dtype=np.int64),
                np.array([owners[place] for place in leaves], dtype=np.int64),
            )
        )
        parents, taken, sides = [], [], []
        following, heirs = [], []
        for place, (node, owner) in enumerate(zip(nodes, owners, strict=True)):
            if node.first is None or node.second is None:
                continue
            number = splits.setdefault((node.attribute, node.cut), len(splits))
            for side, child in enumerate((node.first, node.second)):
                following.append(child)
                heirs.append(owner)
                parents.append(place)
                taken.append(number)
                sides.append(side)
        nodes, owners = following, heirs
    return levels, list(splits)


def simplify(node: Node, attributes: Sequence[Attribute]) -> Node:
    """Return a tree that labels every code alike, without branches that no code reaches and splits without effect."""
    return _within(node, attributes, [np.ones(each.size, dtype=np.bool_) for each in attributes])


def _within(node: Node, attributes: Sequence[Attribute], possible: list[NDArray[np.bool_]]) -> Node:
    if node.first is None or node.second is None:
        return node
    place, second = node.attribute, goes_second(node, attributes)
    sides = []
    for child, goes in ((node.first, ~second), (node.second, second)):
        here = possible[place] & goes
        if here.any():
            sides.append(_within(child, attributes, [*possible[:place], here, *possible[place + 1 :]]))
    if len(sides) == 1 or sides[0] == sides[1]:
        return sides[0]
    return Node(0, place, node.cut, *sides)


def _pack_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return bits as words, zeros behind the last."""
    words = np.zeros((bits.size + 63) // 64, dtype=np.uint64)
    packed = np.packbits(bits)
    words.view(np.uint8)[: packed.size] = packed
    return words


def size(node: Node) -> int:
    """Return how many nodes a tree has, labels too."""
    if node.first is None or node.second is None:
        return 1
    return 1 + size(node.first) + size(node.second)


def at(node: Node, place: int) -> Node:
    """Return the subtree at a place in the order of reading."""
    if place == 0 or node.first is None or node.second is None:
        return node
    left = size(node.first)
    return at(node.first, place - 1) if place <= left else at(node.second, place - 1 - left)


def depth_of(node: Node, place: int) -> int:
    """Return how many levels down a place is."""
    if place == 0 or node.first is None or node.second is None:
        return 0
    left = size(node.first)
    return 1 + (depth_of(node.first, place - 1) if place <= left else depth_of(node.second, place - 1 - left))


def replace_subtree(node: Node, place: int, by: Node) -> Node:
    """Return the tree with the subtree at a place replaced."""
    if place == 0 or node.first is None or node.second is None:
        return by
    left = size(node.first)
    if place <= left:
        return Node(0, node.attribute, node.cut, replace_subtree(node.first, place - 1, by), node.second)
    return Node(0, node.attribute, node.cut, node.first, replace_subtree(node.second, place - 1 - left, by))
