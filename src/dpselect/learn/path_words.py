"""Reasons for the label of a record, in words: its share, and the splits of the drawn tree that moved it there, with
what decides where that is not enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.boosted.score_reasons import join_words
from dpselect.learn.domains import Attribute
from dpselect.learn.export import node_texts
from dpselect.learn.node_shares import DEVIATIONS, plain_shares, share_deviations, share_words
from dpselect.learn.tree import Tree

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def path_words(model: Any, codes: Sequence[Integers]) -> list[str]:
    """Return for every record its label, and how far each column on its path in the first drawn tree moves a share.

    Of two classes that is the share of the second, of several that of the label. Where the drawing, or the first of
    several trees, says otherwise than the model, both are told.
    """
    tree: Tree = model.trees_[0]
    shares, released = model._chances(codes), plain_shares(tree)
    ends = list(zip(tree.apply(codes).tolist(), tree.whole_tree.apply(codes).tolist(), strict=True))
    drawn, whole = _Steps(tree), _Steps(tree.whole_tree)
    open_ = share_deviations(tree, model._count_noise(tree) or 0.0)
    texts, whole_texts = node_texts(model, tree), node_texts(model, tree.whole_tree)
    labels = model._places(released).tolist()
    said: dict[tuple[int, int, int], str] = {}
    result = []
    for row, ((leaf, node), place) in enumerate(zip(ends, model._places(shares).tolist(), strict=True)):
        if (leaf, node, place) not in said:
            told_as, (label, figures) = str(model.classes_[place]), texts[leaf]
            told = 1 if released.shape[1] == 2 else labels[leaf]
            because = drawn.words(leaf) + figures
            if figures and drawn.parent[leaf] >= 0:
                because = drawn.moves(leaf, released[:, told])
                because += f" {model.classes_[told]} from {share_words(released[0, told])} to "
                because += (
                    f"{share_words(released[leaf, told], open_[leaf, told])} (records: {tree.counts[leaf].sum():.0f})"
                )
            if place == labels[leaf]:
                words = f"{told_as}, because {because}"
                beyond = abs(shares[row, told] - released[leaf, told]) > DEVIATIONS * open_[leaf, told]
                other = share_words(shares[row, told])
                # So predict_proba may differ from the leaf.
                if figures and len(model.trees_) == 1 and beyond and other != share_words(released[leaf, told]):
                    words += f". With the splits that are not drawn: {model.classes_[told]} {other}"
            elif len(model.trees_) > 1:
                words = f"{told_as} by the mean of {len(model.trees_)} trees; the first says {label}, because {because}"
            else:
                further = ""
                if tree.origin[leaf] != node:
                    further = f" goes on to {whole.words(node)}{whole_texts[node][1]} and"
                # Of the class whose shares stand before it.
                named = 1 if released.shape[1] == 2 else place
                words = (
                    f"{told_as}, although the drawing says {label}: {because}. The whole tree{further} weighs in the "
                    f"counts of the nodes above, which those intervals leave out: {model.classes_[named]} "
                    f"{share_words(shares[row, named])}"
                )
            said[leaf, node, place] = words
        result.append(said[leaf, node, place])
    return result


def plain_path_words(model: Any, tree: Tree, codes: Sequence[Integers]) -> list[str]:
    """Return for every record what the node where it ends says, and the path to it."""
    ends, steps, texts = tree.apply(codes).tolist(), _Steps(tree), node_texts(model, tree)
    said = {}
    for node in set(ends):
        label, figures = texts[node]
        said[node] = f"{label}, because {steps.words(node)}{figures}"
    return [said[node] for node in ends]


class _Steps:
    """The paths of a tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.parent = tree, tree.parents()

    def words(self, node: int) -> str:
        """Return the answers on the path to a node; a column that it asks several times is told once."""
        return " and ".join(words for words, _ in self._steps(node)) or "there is one leaf"

    def moves(self, node: int, shares: Floats) -> str:
        """Return the answers on the path, and by how many points of per cent each column moves a share, with the verb.

        Args:
            node: where the path ends.
            shares: of every node.
        """
        steps = self._steps(node)
        told = [
            words + (f" ({100 * sum(float(shares[child] - shares[at]) for at, child in taken):+.1f})" if taken else "")
            for words, taken in steps
        ]
        return f"{join_words(told)} {'takes' if len(steps) == 1 else 'take'}"

    def _steps(self, node: int) -> list[tuple[str, list[tuple[int, int]]]]:
        """Return for each column on the path its answer, and the steps from node to node that ask for it."""
        tree, path = self.tree, [node]
        while self.parent[path[0]] >= 0:
            path.insert(0, int(self.parent[path[0]]))
        left: dict[int, NDArray[np.bool_]] = {}
        taken: dict[int, list[tuple[int, int]]] = {}
        for at, child in pairwise(path):
            place = int(tree.split[at])
            left[place] = left.get(place, True) & (tree.route[at] == child)
            taken.setdefault(place, []).append((at, child))
        columns = ((tree.attributes[place], np.flatnonzero(codes), taken[place]) for place, codes in left.items())
        steps = [(f"{column.name} {column.meaning(codes)}", pairs) for column, codes, pairs in columns]
        if tree.split[node] >= 0:
            steps.append((_end_reason(tree.attributes[tree.split[node]]), []))
        return steps


def _end_reason(attribute: Attribute) -> str:
    """Return why a record goes no further than a node that splits by this column."""
    lacks = "not a number" if attribute.is_ordered else "not listed"
    return f"{attribute.name} is {lacks}" if attribute.missing else f"{attribute.name} is missing or {lacks}"
