"""Reasons for the label of a record, in words: the path in the drawn tree, and what decides where that is not
enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.domains import Attribute
from dpselect.learn.export import label_of
from dpselect.learn.tree import Tree

Integers = NDArray[np.int64]


def path_words(model: Any, codes: Sequence[Integers]) -> list[str]:
    """Return for every record its label and the path in the first tree as it is drawn, with the released counts there.

    Where the drawing, or the first of several trees, says otherwise than the model, both are told.
    """
    tree: Tree = model.trees_[0]
    shares = model._chances(codes)
    ends = list(zip(tree.apply(codes).tolist(), tree.whole_tree.apply(codes).tolist(), strict=True))
    drawn, whole = _Steps(tree), _Steps(tree.whole_tree)
    said: dict[tuple[int, int, int], str] = {}
    result = []
    for row, ((leaf, node), place) in enumerate(zip(ends, shares.argmax(axis=1).tolist(), strict=True)):
        if (leaf, node, place) not in said:
            told_as = str(model.classes_[place])
            label, figures = label_of(model, tree, leaf)
            because = f"{drawn.words(leaf)}{figures}"
            if place == int(tree.counts[leaf].argmax()):
                words = f"{told_as}, because {because}"
            elif len(model.trees_) > 1:
                words = f"{told_as} by the mean of {len(model.trees_)} trees; the first says {label}, because {because}"
            else:
                further = ""
                if tree.origin[leaf] != node:
                    further = f" goes on to {whole.words(node)}{label_of(model, tree.whole_tree, node)[1]} and"
                words = (
                    f"{told_as}, although most there are {label}: {because}. The whole tree{further} weighs in the "
                    f"nodes above, which gives {told_as} a share of {shares[row, place]:.2f}"
                )
            said[leaf, node, place] = words
        result.append(said[leaf, node, place])
    return result


def plain_path_words(model: Any, tree: Tree, codes: Sequence[Integers]) -> list[str]:
    """Return for every record what the node where it ends says, and the path to it."""
    ends, steps = tree.apply(codes).tolist(), _Steps(tree)
    said = {}
    for node in set(ends):
        label, figures = label_of(model, tree, node)
        said[node] = f"{label}, because {steps.words(node)}{figures}"
    return [said[node] for node in ends]


class _Steps:
    """The paths of a tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.parent = tree, tree.parents()

    def words(self, node: int) -> str:
        """Return the answers on the path to a node; a column that it asks several times is told once."""
        tree, path = self.tree, [node]
        while self.parent[path[0]] >= 0:
            path.insert(0, int(self.parent[path[0]]))
        left: dict[int, NDArray[np.bool_]] = {}
        for at, child in pairwise(path):
            place = int(tree.split[at])
            left[place] = left.get(place, True) & (tree.route[at] == child)
        steps = [f"{tree.attributes[p].name} {tree.attributes[p].meaning(np.flatnonzero(c))}" for p, c in left.items()]
        if tree.split[node] >= 0:
            steps.append(_end_reason(tree.attributes[tree.split[node]]))
        return " and ".join(steps) or "there is one leaf"


def _end_reason(attribute: Attribute) -> str:
    """Return why a record goes no further than a node that splits by this column."""
    lacks = "not a number" if attribute.is_ordered else "not listed"
    return f"{attribute.name} is {lacks}" if attribute.missing else f"{attribute.name} is missing or {lacks}"
