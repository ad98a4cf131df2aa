"""Pruning on released counts: post-processing, so it costs nothing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.tree import Tree

# Evidence counts beyond so many standard deviations of what chance would show at a split; a subtree that is drawn has
# so much. More than nine of ten trees of noise end at the root then (research/comparisons/tree_probabilities.py).
_DEVIATIONS, _LEAST = 0.5, 12.0


def prune_by_evidence(tree: Tree, noise: float) -> Tree:
    """Return the tree as it is drawn: a split stays where the class shares below it differ by more than noise explains.

    Labels play no part, so where one class is rare a leaf of 30 per cent is drawn apart from one of 2 per cent.

    Args:
        tree: of binary splits, with noisy class counts; those of inner nodes are sums of their leaves'.
        noise: the standard deviation of the noise of a leaf's count.
    """
    return tree.prune((tree.split >= 0) & (drawn_evidence(tree, noise) <= 0))


def drawn_evidence(tree: Tree, noise: float) -> NDArray[np.float64]:
    """Return how much the drawn splits from every node on say that classes differ, beyond chance; 0 where none is.

    A split's evidence is a chi-square of its two sides, in which the noise of the counts adds to the variance of
    sampling. Chance gives about classes - 1, and up to 2 log(cuts) more where counts are so exact that the best of many
    cuts was chosen by them. A subtree is drawn if its splits say enough together.
    """
    inner = np.flatnonzero(tree.split >= 0)
    beyond = np.zeros(tree.split.size)
    if inner.size:
        sides = np.array([tree.children(node) for node in inner.tolist()])
        cuts = sum(each.size - each.is_ordered for each in tree.attributes)
        beyond[inner] = _beyond_chance(tree.counts[sides], tree.leaves_below()[sides], noise, cuts)
    evidence = np.zeros(tree.split.size)
    for node in inner[::-1].tolist():
        told = beyond[node] + evidence[tree.children(node)].sum()
        evidence[node] = told if told > _LEAST else 0.0
    return evidence


def _beyond_chance(
    counts: NDArray[np.float64], leaves: NDArray[np.int64], noise: float, cuts: int
) -> NDArray[np.float64]:
    """Return the evidence of splits less what chance would show.

    Args:
        counts: of both sides, shape (splits, 2, classes).
        leaves: how many leaves of the tree each side sums, shape (splits, 2).
        noise, cuts: of a leaf's count, and among which every split was chosen.
    """
    classes = counts.shape[2]
    sizes = np.maximum(counts.sum(axis=2), 1.0)
    share = sizes / sizes.sum(axis=1, keepdims=True)
    mean = np.maximum(counts.sum(axis=1), 0.0) + 0.5
    mean /= mean.sum(axis=1, keepdims=True)
    apart = share[:, 1:] * counts[:, 0] - share[:, :1] * counts[:, 1]
    apart -= mean * apart.sum(axis=1, keepdims=True)
    noisy = noise**2 * (share[:, ::-1] ** 2 * leaves).sum(axis=1, keepdims=True)
    noisy = noisy * ((1 - mean) ** 2 + (classes - 1) * mean**2)
    sampled = mean * (1 - mean) * (sizes[:, :1] * share[:, 1:])
    free = classes - 1
    # One class alone, or counts beyond what floats tell apart, have no variance, and nothing is apart.
    variance = np.maximum(noisy + sampled, 1e-300)
    square = (apart**2 / variance).sum(axis=1) * free / classes
    exact = sampled.sum(axis=1) / variance.sum(axis=1)
    chance = free + _DEVIATIONS * math.sqrt(2 * free) + exact * 2 * math.log(max(cuts, 1))
    return np.asarray(square - chance)


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
