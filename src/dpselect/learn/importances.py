"""Importances of columns: one definition for every learner, a function of what was released.

The partial dependence of a column is the prediction for each of its values, averaged over the released shares of the
values of all other columns as if columns were independent. The importance of a column is the variance of that over the
released shares of its own values, less what noise alone would give: that of the mechanism and that of sampling. A
column whose variance is less than five times that is within noise and has 0; of more than 16 values, whose noise
averages, less than three times.

Predictions are shares of classes, mean shares of a forest, scores of a boosted classifier, or values of a regressor.
The importances of a model sum to 1, or to 0 where every column is within noise. A column that matters only together
with another has little of its own; permutation importance on public rows finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.tree import Tree

Floats = NDArray[np.float64]
# How many times as large as that of noise alone a variance must be: of few values, and of many.
_TIMES, _TIMES_OF_MANY, _MANY = 5.0, 3.0, 16


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """Partial dependence on every column.

    Attributes:
        weights: for each column the released shares of its codes, shape (size,); they sum to 1.
        curves: for each column how far each code moves the mean prediction, shape (size, outputs); 0 on average.
        noise: the variance of each curve that noise alone would give, shape (columns,).
    """

    weights: tuple[Floats, ...]
    curves: tuple[Floats, ...]
    noise: Floats

    @property
    def variances(self) -> Floats:
        """Return the variance of the curve of every column, summed over outputs, shape (columns,)."""
        return np.array([_variance(*pair) for pair in zip(self.curves, self.weights, strict=True)])

    def in_unit(self, unit: float) -> PartialDependence:
        """Return it in another unit: curves are multiplied by it."""
        return PartialDependence(self.weights, tuple(each * unit for each in self.curves), self.noise * unit**2)

    @property
    def importances(self) -> Floats:
        """Return the importance of every column: its part of the variance that is beyond noise, shape (columns,)."""
        found = self.variances
        times = np.where(np.array([each.size for each in self.weights]) > _MANY, _TIMES_OF_MANY, _TIMES)
        beyond = np.where(found > times * self.noise, found - self.noise, 0.0)
        return np.asarray(beyond / beyond.sum() if beyond.sum() > 0 else beyond)


def even_points(weights: Sequence[Floats], many: int) -> list[NDArray[np.int64]]:
    """Return codes of each column as its shares say, as if columns were independent, at evenly spread points.

    Args:
        weights: for each column the shares of its codes.
        many: how many points.
    """
    # The fraction of which powers spread most evenly in so many dimensions solves x^(d + 1) = x + 1.
    ratio = 2.0
    for _ in range(64):
        ratio = (1 + ratio) ** (1 / (len(weights) + 1))
    steps = (0.5 + np.arange(1, many + 1)[:, None] * ratio ** -np.arange(1.0, len(weights) + 1)) % 1
    ends = [np.cumsum(each / each.sum()) for each in weights]
    return [np.minimum(np.searchsorted(end, steps[:, at], side="right"), end.size - 1) for at, end in enumerate(ends)]


def dependence_on_columns(
    trees: Sequence[Tree], predictions: Sequence[Floats], noises: Sequence[Floats], samplings: Sequence[Floats]
) -> PartialDependence:
    """Return the partial dependence of the mean prediction of released trees.

    Args:
        trees: with noisy numbers of records.
        predictions: of every node of each tree, shape (nodes, outputs).
        noises: for each tree the variance of the prediction of every node by noise, shape (nodes,). With several trees
            it is not needed: each tree has noise of its own, so what trees disagree about is noise.
        samplings: as noises, by the sampling of records, which all trees have in common.
    """
    boxes = [_Boxes(tree) for tree in trees]
    weights = _weights(boxes)
    many, columns = len(trees), range(len(weights))
    sums = [np.zeros((each.size, predictions[0].shape[1])) for each in weights]
    squares, noise, sampled = (np.zeros(len(weights)) for _ in range(3))
    for place, (box, prediction) in enumerate(zip(boxes, predictions, strict=True)):
        masses = box.masses(weights)
        for column in columns:
            others = np.delete(masses, column, axis=0).prod(axis=0)
            curve = box.masks[column].T @ (others[:, None] * prediction[box.leaves])
            curve -= weights[column] @ curve
            sums[column] += curve
            squares[column] += _variance(curve, weights[column])
            spread = others**2 * masses[column] * (1 - masses[column])
            noise[column] += float(noises[place][box.leaves] @ spread)
            sampled[column] += np.sqrt(float(samplings[place][box.leaves] @ spread)) / many
    curves = tuple(each / many for each in sums)
    if many > 1:
        found = np.array([_variance(*pair) for pair in zip(curves, weights, strict=True)])
        noise = np.maximum((squares - many * found) / (many * (many - 1)), 0.0)
    return PartialDependence(tuple(weights), curves, noise + sampled**2)


def _variance(curve: Floats, weights: Floats) -> float:
    return float(weights @ (curve**2).sum(axis=1))


class _Boxes:
    """The leaves of a tree as boxes of codes.

    Attributes:
        leaves: the nodes.
        records: of each, noisy.
        masks: for each column which codes lead to each leaf, shape (leaves, size).
    """

    def __init__(self, tree: Tree) -> None:
        held: dict[int, tuple[NDArray[np.bool_], ...]] = {
            0: tuple(np.ones(each.size, dtype=np.bool_) for each in tree.attributes)
        }
        self.leaves = tree.leaves
        self.records = np.asarray(tree.records[self.leaves], dtype=np.float64)
        for node in np.flatnonzero(tree.split >= 0).tolist():
            place = int(tree.split[node])
            box = held.pop(node)
            for child in tree.children(node).tolist():
                held[child] = (*box[:place], box[place] & (tree.route[node] == child), *box[place + 1 :])
        at = self.leaves.tolist()
        self.masks = [np.array([held[leaf][column] for leaf in at]) for column in range(len(tree.attributes))]

    def masses(self, weights: Sequence[Floats]) -> Floats:
        """Return which share of the values of each column leads to each leaf, shape (columns, leaves)."""
        return np.stack([mask @ weight for mask, weight in zip(self.masks, weights, strict=True)])


def _weights(boxes: Sequence[_Boxes]) -> list[Floats]:
    """Return the shares of the codes of each column: the records of a leaf are spread evenly over its codes."""
    sums = [np.zeros(mask.shape[1]) for mask in boxes[0].masks]
    for box in boxes:
        for total, mask in zip(sums, box.masks, strict=True):
            total += (box.records / np.maximum(mask.sum(axis=1), 1)) @ mask
    positive = [np.maximum(each, 0.0) + 1e-9 * max(float(each.max()), 1.0) for each in sums]
    return [each / each.sum() for each in positive]
