"""The law of a leaf's label agrees with adding up all noises, and with shuffled classes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpselect.analysis.label_pmf import label_pmf


def by_hand(counts: list[int], epsilon: float, far: int = 60) -> list[float]:
    """Add up every outcome of the noise of every count."""
    q = math.exp(-epsilon)
    law = [0.0] * len(counts)
    for noise in itertools.product(range(-far, far + 1), repeat=len(counts)):
        noisy = [max(0, count + each) for count, each in zip(counts, noise, strict=True)]
        law[noisy.index(max(noisy))] += math.prod((1 - q) / (1 + q) * q ** abs(each) for each in noise)
    return law


@pytest.mark.parametrize("counts", [[0, 0], [3, 3], [5, 2], [2, 5], [0, 9]])
@pytest.mark.parametrize("epsilon", [0.6, 1.5])
def test_two_classes_by_hand(counts, epsilon) -> None:
    """Every noise of both counts, one by one, gives the same chances."""
    assert by_hand(counts, epsilon) == pytest.approx(label_pmf([counts], epsilon=epsilon)[0].tolist(), abs=1e-12)


def test_three_classes_by_hand() -> None:
    """Ties go to the first class, and counts that are negative are equal."""
    assert by_hand([1, 3, 2], 1.2, 25) == pytest.approx(label_pmf([[1, 3, 2]], epsilon=1.2)[0].tolist(), abs=1e-9)


def test_leaves_do_not_see_each_other() -> None:
    """Many leaves at several epsilons have the law that each has alone."""
    counts = np.arange(36).reshape(12, 3) * 7 % 50
    epsilons = np.tile([0.02, 0.3, 2.0], 4)
    alone = [label_pmf([row], epsilon=epsilon)[0] for row, epsilon in zip(counts.tolist(), epsilons, strict=True)]

    assert np.allclose(label_pmf(counts, epsilon=epsilons), alone, rtol=0, atol=1e-15)


def test_large_counts_are_certain_and_little_epsilon_is_not() -> None:
    """A lead of thousands is kept; a tiny epsilon leaves the first class where both are negative."""
    assert [1.0, 0.0] == pytest.approx(label_pmf([[10**9, 10**9 - 5000]], epsilon=0.1)[0].tolist())
    assert [5 / 8, 3 / 8] == pytest.approx(label_pmf([[10, 0]], epsilon=0.002)[0].tolist(), abs=0.02)


@pytest.mark.parametrize(("counts", "epsilon"), [([[-1, 2]], 1), ([1, 2], 1), ([[1, 2]], 0), ([[1, 2]], math.nan)])
def test_refusals(counts, epsilon) -> None:
    """Counts below zero, a single row, and an epsilon that is not positive are refused."""
    with pytest.raises(ValueError, match=r"Counts|epsilon"):
        label_pmf(counts, epsilon=epsilon)
