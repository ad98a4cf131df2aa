"""The value of every node of a regression tree, and which splits its drawing shows: functions of what was released."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.tree import Tree

Floats = NDArray[np.float64]
# What a parent weighs, in records, beside what noise makes it weigh.
_PARENT = 5.0
# How far a node is expected to be from its parent, in spreads of the target.
_AWAY = 0.3
# What a split must save: this much noise, and this much of what the best of many cuts saves by chance.
_NOISE, _CHANCE = 3.0, 3.0

# With a larger epsilon there is no noise, and its square would be infinite.
_CERTAIN = 1e100


def noise_of(epsilon: float) -> float:
    """Return the variance of noise in sums of shares.

    Raises:
        ZeroDivisionError: epsilon is too small for floats.

    >>> noise_of(2.0)
    0.5
    """
    return 2 / min(epsilon, _CERTAIN) ** 2


def shrunk(sides: Floats, noise: float | Floats, above: Floats, spread: float) -> Floats:
    """Return the means of nodes as shares of the range, drawn toward those of their parents where noise is large.

    Args:
        sides: noisy sums of (1 - share, share) in records, shape (nodes, 2).
        noise: the variance of each of them.
        above: the means of the parents, shape (nodes,).
        spread: the standard deviation of the target, as a share of the range.
    """
    total, deviation = sides.sum(axis=1), np.sqrt(noise)
    records = np.maximum(np.maximum(total, deviation), 1.0)
    weight = _PARENT + noise / (_AWAY * spread) ** 2 / records
    mean = (sides[:, 1] + (records - total + weight) * above) / (records + weight)
    return np.asarray(np.clip(mean, 0.0, 1.0))


def combine_sums(tree: Tree, noise: Floats) -> None:
    """Give every node the best estimate of its sums: its own release and that of its children, by their variances.

    Args:
        tree: with noisy sums in ``counts``.
        noise: their variances, shape (nodes,), infinite where nothing was released; changed likewise.
    """
    for node in range(tree.split.size - 1, -1, -1):
        if tree.split[node] < 0:
            continue
        children = tree.children(node)
        below, far = tree.counts[children].sum(axis=0), noise[children].sum()
        share = 0.0 if math.isinf(noise[node]) else far / (noise[node] + far)
        tree.counts[node] = share * tree.counts[node] + (1 - share) * below
        noise[node] = far * (1 - share)


def values(tree: Tree, noise: Floats, centre: float, spread: float) -> Floats:
    """Return the value of every node as a share of the range, from the root down, shape (nodes,)."""
    result = np.empty(tree.split.size)
    result[:1] = shrunk(tree.counts[:1], noise[:1], np.array([centre]), spread)
    for node in np.flatnonzero(tree.split >= 0).tolist():
        below = tree.children(node)
        result[below] = shrunk(tree.counts[below], noise[below], np.full(below.size, result[node]), spread)
    return result


def deviations(tree: Tree, noise: Floats) -> Floats:
    """Return how far noise alone moves the value of every node, as a share of the range, shape (nodes,)."""
    records = np.maximum(np.maximum(tree.counts.sum(axis=1), np.sqrt(noise)), 1.0)
    mean = np.clip(tree.counts[:, 1] / records, 0.0, 1.0)
    return np.asarray(np.minimum(np.sqrt(noise * (mean**2 + (1 - mean) ** 2)) / records, 1.0))


def splits_shown(tree: Tree, noise: Floats, spread: float, cuts: int) -> NDArray[np.bool_]:
    """Return which nodes a drawing splits: those that save more than noise and the best of chance cuts would pretend.

    Args:
        cuts: among how many each split was chosen.
    """
    records = np.maximum(np.maximum(tree.counts.sum(axis=1), np.sqrt(noise)), 1.0)
    mean = np.clip(tree.counts[:, 1] / records, 0.0, 1.0)
    by_chance = _CHANCE * spread**2 * math.log(max(cuts, 2))
    leaves: list[list[int]] = [[node] for node in range(tree.split.size)]
    shown = np.zeros(tree.split.size, dtype=np.bool_)
    for node in range(tree.split.size - 1, -1, -1):
        if tree.split[node] < 0:
            continue
        below = [leaf for child in tree.children(node).tolist() for leaf in leaves[child]]
        saved = float((records[below] * (mean[below] - mean[node]) ** 2).sum())
        if saved > _NOISE * float((noise[below] / records[below]).sum()) + by_chance * (len(below) - 1):
            shown[node], leaves[node] = True, below
    return shown
