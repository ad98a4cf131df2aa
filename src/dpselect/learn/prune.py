"""Pruning on released counts: post-processing, so it costs nothing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.tree import Tree


def prune_by_gain(tree: Tree, epsilon: float) -> None:
    """Keep a split only if it saves more errors than the noise of the leaves below would pretend.

    The noise of one count has standard deviation sqrt 2 / epsilon, that of k leaves sqrt k times as much.
    """
    noise = math.sqrt(2) / epsilon
    errors = errors_of(tree.counts)
    below, leaves = errors.copy(), np.ones(tree.split.size)
    for node in range(tree.split.size - 1, -1, -1):
        if tree.split[node] < 0:
            continue
        children = tree.children(node)
        saved, many = errors[node] - below[children].sum(), leaves[children].sum()
        if saved > noise * math.sqrt(many):
            below[node], leaves[node] = errors[node] - saved, many
        else:
            _cut(tree, node)
    tree.compact()


def prune_c45(tree: Tree) -> None:
    """Replace a subtree by a leaf where C4.5's pessimistic estimate of its errors says so (confidence 0.25).

    Counts are clamped to N >= 1 and 0 <= errors <= N.

    References: Quinlan 1993, section 4.2; Friedman and Schuster 2010.
    """
    size = np.maximum(tree.counts.sum(axis=1), 1.0)
    errors = np.clip(errors_of(tree.counts), 0.0, size)
    estimate = size * _upper(errors, size)
    below = estimate.copy()
    for node in range(tree.split.size - 1, -1, -1):
        if tree.split[node] < 0:
            continue
        subtree = below[tree.children(node)].sum()
        if estimate[node] <= subtree + 0.1:
            _cut(tree, node)
        else:
            below[node] = subtree
    tree.compact()


def errors_of(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many records the most frequent class of each node leaves out."""
    return np.asarray(counts.sum(axis=1) - counts.max(axis=1))


def _upper(errors: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the upper 25 % confidence limit of the error rate."""
    from scipy.stats import beta

    limit = beta.ppf(0.75, errors + 1.0, np.maximum(size - errors, 1e-9))
    return np.asarray(np.where(errors >= size, 1.0, limit))


def _cut(tree: Tree, node: int) -> None:
    tree.split[node], tree.route[node] = -1, np.zeros(0, dtype=np.int64)
