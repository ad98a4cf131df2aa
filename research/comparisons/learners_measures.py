"""What is measured of a learner's probabilities, and how ours does beside the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LEAST = 1e-4
# Larger is better, but for log-loss.
MEASURES = ("accuracy", "auc", "log_loss", "balanced")
LEVEL = 0.005


def measures(y: Integers, probabilities: Floats) -> tuple[float, float, float, float]:
    """Return accuracy, AUC, log-loss and balanced accuracy of the probabilities of each class, shape (n, classes).

    AUC is that of each class against the rest, weighted by the classes' sizes; log-loss is of probabilities that are
    raised to 1e-4 and sum to 1 again. Classes that do not occur count for neither AUC nor balanced accuracy.

    >>> [round(x, 3) for x in measures(np.array([0, 1, 1]), np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]))]
    [0.667, 1.0, 0.415, 0.75]
    """
    there, sizes = np.unique(y, return_counts=True)
    named = probabilities.argmax(1)
    aucs = [auc(y == label, probabilities[:, label]) for label in there]
    raised = np.maximum(probabilities, LEAST)
    raised /= raised.sum(1, keepdims=True)
    recalls = [(named[y == label] == label).mean() for label in there]
    loss = -np.log(raised[np.arange(len(y)), y]).mean()
    return float((named == y).mean()), float(np.average(aucs, weights=sizes)), float(loss), float(np.mean(recalls))


def auc(positive: NDArray[np.bool_], scores: Floats) -> float:
    """Return the chance that a positive's score is above a negative's, ties counting half.

    >>> auc(np.array([False, True, True]), np.array([0.5, 0.5, 0.7]))
    0.75
    """
    many = int(positive.sum())
    if many in (0, len(positive)):
        return 0.5
    _values, code, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (counts.cumsum() - (counts - 1) / 2)[code.reshape(-1)]
    pairs = many * (len(positive) - many)
    return float((ranks[positive].sum() - many * (many + 1) / 2) / pairs)


@dataclass(frozen=True)
class Figures:
    """One measure: its value on each split, by (table, learner, epsilon)."""

    measure: str
    values: dict[tuple[str, str, float], dict[int, float]]

    @property
    def sign(self) -> int:
        """Return -1 where less is better."""
        return -1 if self.measure == "log_loss" else 1

    def of(self, table: str, learner: str, epsilon: float) -> dict[int, float]:
        """Return the value on each split; none where nothing was measured."""
        return self.values.get((table, learner, epsilon), {})

    def mean(self, table: str, learner: str, epsilon: float) -> float | None:
        """Return the mean over splits, if there are any."""
        values = self.of(table, learner, epsilon)
        return float(np.mean(list(values.values()))) if values else None


@dataclass(frozen=True)
class Standing:
    """How a learner stands in one table at one epsilon.

    Attributes:
        ahead: by how much it is ahead of the best other; negative where it is behind.
        rival: the best other.
        error: two standard errors of the difference on the same splits.
    """

    table: str
    ahead: float
    rival: str
    error: float

    @property
    def level(self) -> bool:
        """Return whether it is first, or behind by at most .005 or two standard errors."""
        return self.ahead >= -max(LEVEL, self.error)


def standing(figures: Figures, table: str, learner: str, rivals: list[str], epsilon: float) -> Standing:
    """Compare a learner with the best of the others that have figures there."""
    ours = figures.of(table, learner, epsilon)
    if not ours:
        raise InputError(f"there are no figures of {learner} on {table} at epsilon {epsilon:g}: fit it first")
    means = {name: mean for name in rivals if (mean := figures.mean(table, name, epsilon)) is not None}
    best = max(means, key=lambda name: figures.sign * means[name])
    theirs = figures.of(table, best, epsilon)
    both = sorted(ours.keys() & theirs.keys())
    differences = figures.sign * np.array([ours[split] - theirs[split] for split in both])
    error = 2 * float(differences.std(ddof=1)) / len(both) ** 0.5 if len(both) > 1 else 0.0
    return Standing(table, float(differences.mean()), best, error)


def standings(
    figures: Figures, tables: list[str], learner: str, rivals: list[str], epsilon: float
) -> Iterator[Standing]:
    """Yield how the learner stands in each table."""
    for table in tables:
        yield standing(figures, table, learner, rivals, epsilon)
