"""The law of k winners, against enumeration of all orders, against its sum, and against drawn lists."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.release.system_noise import SystemNoise
from research.papers.peeling import inclusion


def enumerated(ticks, k, rate):
    """Every ordered list of k winners."""
    weights = np.exp(float(rate) * (ticks - ticks.max()).astype(float))
    found = np.zeros(ticks.size)
    for winners in itertools.permutations(range(ticks.size), k):
        left, chance = set(range(ticks.size)), 1.0
        for winner in winners:
            chance *= weights[winner] / weights[list(left)].sum()
            left.remove(winner)
        found[list(winners)] += chance
    return found


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("rate", [Fraction(1, 100), Fraction(1), Fraction(4)])
def test_it_is_the_sum_over_all_lists(k: int, rate: Fraction) -> None:
    """Ties, gaps and all."""
    ticks = np.array([7, 3, 3, 0, -2, 7, 1], dtype=np.int64)

    assert enumerated(ticks, k, rate).tolist() == pytest.approx(inclusion(ticks, k, rate).tolist(), abs=1e-10)


@pytest.mark.parametrize(
    "rate",
    [
        Fraction(1, 10**4),
        Fraction(3),
        *(pytest.param(rate, marks=pytest.mark.slow) for rate in (Fraction(1, 300), Fraction(1, 20), Fraction(10**4))),
    ],
)
def test_the_chances_add_up_to_k(rate: Fraction) -> None:
    """Many candidates with a long tail, at every scale of noise."""
    ticks = (np.random.default_rng(3).pareto(1.0, 300) * 100).astype(np.int64)
    for k in (1, 8):
        found = inclusion(ticks, k, rate)
        assert k == pytest.approx(found.sum(), abs=1e-6)
        assert -1e-12 <= found.min()
        assert found.max() <= 1 + 1e-9


def test_drawn_lists_agree() -> None:
    """The release path draws by the same law."""
    ticks, rate = np.array([9, 8, 8, 5, 2, 0, 0, 0], dtype=np.int64), Fraction(1, 3)
    sampler = dps.mechanism("exponential").sampler
    counts = np.zeros(8)
    for _ in range(2000):
        counts[SystemNoise().winners(sampler, ticks, rate, 3)] += 1

    assert np.abs(counts / 2000 - inclusion(ticks, 3, rate)).max() < 0.06
