"""Reasons why a forest gives a record its label: how far each column moves the mean share of the label, in words.

On its way from the root to a leaf the label's share changes at every split; a change counts for the column that is
asked there. Shares at the root and all changes add up to the share at the leaf, and so do their means over the trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.boosted.score_reasons import RangeWords, because
from dpselect.learn.tree import Tree

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# Columns are named if they move the mean share by as much as this.
_LEAST = 0.01


def forest_reasons(model: Any, codes: Sequence[Integers], chances: Floats) -> list[str]:
    """Return a sentence for each record.

    Args:
        model: a fitted forest.
        codes: of each column, shape (n,).
        chances: of each class, shape (n, classes).
    """
    winners, rates = model._places(chances), model._base_rates()
    _, shifts = shifts_of(model, codes, winners)
    words = [RangeWords(each, alike_codes(model.trees_, at)) for at, each in enumerate(model.attributes_)]
    return [
        f"{model.classes_[winner]} (chance {chances[row, winner]:.2f}, {rates[winner]:.2f} among all), because "
        + because([words[at].of(int(codes[at][row])) for at in range(len(words))], shifts[row], _LEAST)
        for row, winner in enumerate(winners.tolist())
    ]


def shifts_of(model: Any, codes: Sequence[Integers], classes: Integers) -> tuple[Floats, Floats]:
    """Return the mean share at the roots, shape (n,), and how far each column moves it, shape (n, columns).

    Args:
        model: a fitted forest.
        codes: of each column, shape (n,).
        classes: whose share is looked at, shape (n,).
    """
    rows = np.arange(classes.size)
    start, shifts = np.zeros(classes.size), np.zeros((classes.size, len(codes)))
    for tree in model.trees_:
        shares, parents, at = model._shares(tree), tree.parents(), tree.apply(codes)
        start += shares[0, classes]
        for _ in range(int(tree.depth.max(initial=0))):
            above = np.where(at > 0, parents[at], 0)
            # A root's own parent is itself here, so that what has arrived adds nothing.
            moved = shares[at, classes] - shares[above, classes]
            shifts[rows, np.where(at > 0, tree.split[above], 0)] += np.where(at > 0, moved, 0.0)
            at = above
    return start / len(model.trees_), shifts / len(model.trees_)


def alike_codes(trees: Sequence[Tree], column: int) -> Integers:
    """Return which codes of a column no tree tells apart from the one before: the same number, shape (size,)."""
    steps = np.zeros(trees[0].attributes[column].size, dtype=np.bool_)
    for tree in trees:
        for node in np.flatnonzero(tree.split == column).tolist():
            route = tree.route[node]
            steps[1 : route.size] |= route[1:] != route[:-1]
    return np.cumsum(steps)
