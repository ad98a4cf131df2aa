"""Class shares of nodes as they were released, and what noise leaves open of them: post-processing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.tree import Tree

Floats = NDArray[np.float64]
# Deviations of 95 per cent, and how many classes a node names.
DEVIATIONS, _NAMED = 1.96, 4


def plain_shares(tree: Tree) -> Floats:
    """Return the share of every class at every node by its own noisy counts, shape (nodes, classes)."""
    counts = np.maximum(tree.counts, 0.0)
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, counts / np.maximum(total, 1e-300), 1 / counts.shape[1]))


def share_deviations(tree: Tree, noise: float) -> Floats:
    """Return how far noise alone moves the share of every class at every node, shape (nodes, classes).

    Args:
        tree: with noisy class counts; those of inner nodes are sums of the leaves of the whole tree.
        noise: the standard deviation of the noise of a leaf's count.
    """
    shares, classes = plain_shares(tree), tree.counts.shape[1]
    many = tree.whole_tree.leaves_below()[tree.origin]
    total = np.maximum(tree.counts.sum(axis=1), np.maximum(noise * np.sqrt(many * classes), 1.0))
    spread = (1 - shares) ** 2 + (classes - 1) * shares**2
    return np.asarray(noise * np.sqrt(many[:, None] * spread) / total[:, None])


def share_words(share: float, deviation: float | None = None) -> str:
    """Return a share in per cent, with the 95 per cent that noise leaves open where that is known.

    >>> share_words(0.3, 0.02), share_words(0.021, 0.001), share_words(0.5, 0.001)
    ('30 %, 26 to 34', '2.1 %, 1.9 to 2.3', '50 %')
    """
    open_ = 0.0 if deviation is None else 100 * DEVIATIONS * deviation
    digits = 1 if share < 0.1 and open_ < 1 else 0
    low, words, high = (f"{min(max(100 * share + away, 0), 100):.{digits}f}" for away in (-open_, 0, open_))
    return f"{words} %" + (f", {low} to {high}" if low != high else "")


def node_words(tree: Tree, labels: list[Any], noise: float | None) -> list[str]:
    """Return what was released of every node in words: shares of classes, and how many records there are.

    Args:
        tree: with noisy class counts.
        labels: of the classes; of two the second is told, of many the largest.
        noise: the standard deviation of the noise of a leaf's count, where it is known.
    """
    shares = plain_shares(tree)
    deviations = None if noise is None else share_deviations(tree, noise)
    words = []
    for node, own in enumerate(shares):
        told = [1] if own.size == 2 else np.argsort(-own, kind="stable")[:_NAMED].tolist() if own.size > 1 else []
        parts = [
            f"{labels[code]}: {share_words(own[code], None if deviations is None else deviations[node, code])}"
            for code in told
        ]
        words.append("; ".join([*parts, f"records: {tree.counts[node].sum():.0f}"]))
    return words
