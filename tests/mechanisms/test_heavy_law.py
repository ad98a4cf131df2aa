"""The fast law of noisy max with one-sided heavy tails."""

from __future__ import annotations

import numpy as np
import pytest

from dpselect.mechanisms.smooth import heavy_pmf
from dpselect.mechanisms.smooth import noise_distributions as noises
from dpselect.mechanisms.smooth.heavy_tail import HeavyTail

GROUPS = {
    "alone": ([0], [1]),
    "tied": ([0], [10_000]),
    "two": ([0, 1], [1, 1]),
    "far": ([0, 10**9], [1, 1]),
    "crowd behind": ([0, 3], [1, 10**6]),
    "many": (list(range(0, 300, 3)), [1 + number % 5 for number in range(100)]),
}


def noise_of(gamma: int) -> noises.NoiseDistribution:
    """The noise of a gamma."""
    return noises.cauchy(gamma) if gamma else noises.student_t()


@pytest.mark.parametrize("gamma", [0, 4, 6])
@pytest.mark.parametrize("scale", [1e-3, 0.4, 25.0])
@pytest.mark.parametrize("groups", GROUPS)
def test_both_ways_agree(gamma, scale, groups) -> None:
    """With the law by logarithms, special functions and five times the nodes: to 1e-13 of every chance."""
    gaps, counts = (np.array(each) for each in GROUPS[groups])
    noise = noise_of(gamma)
    swift = heavy_pmf.log_pmf(gaps * scale / noise.unit, counts, gamma)
    assert swift is not None

    assert np.allclose(noises.log_pmf_by_logarithms(gaps * scale, counts, noise), swift, rtol=0, atol=1e-13)


@pytest.mark.parametrize("gamma", [0, 2, 4, 10])
def test_body_and_hazard_are_those_of_the_noise(gamma) -> None:
    """F and f / F agree with the tail that calibrations use, near 0, about 1 and far out."""
    z, tail = np.geomspace(1e-9, 1e9 ** (2 / max(gamma, 2)), 400), HeavyTail(gamma)
    log_below, hazard = heavy_pmf._below(z, heavy_pmf._noise(gamma))
    loss = tail.loss(z)

    assert np.allclose(-np.expm1(-loss), np.exp(log_below), rtol=2.0**-38)
    assert np.allclose(np.exp(-loss), -np.expm1(log_below), rtol=2.0**-38, atol=1e-16)
    assert np.allclose(tail.hazard(z) * np.exp(-loss) * np.exp(-log_below), hazard, rtol=2.0**-38)


@pytest.mark.parametrize("gamma", [0, 2, 4, 10])
def test_chances_sum_to_one(gamma) -> None:
    """Of ten thousand candidates with counts of their own."""
    behind, counts = np.arange(10_000) * 0.05, np.ones(10_000, dtype=np.int64)
    found = heavy_pmf.log_pmf(behind, counts, gamma)
    assert found is not None

    assert abs(np.exp(found).sum() - 1) < 1e-11
    assert (np.diff(found) <= 0).all()


def test_what_floats_do_not_hold_is_left_to_logarithms() -> None:
    """Of gaps of 10^100 a density has no float: the law is finite all the same."""
    behind, counts = np.array([0.0, 1e100]), np.array([1, 1])

    assert None is heavy_pmf.log_pmf(behind, counts, 4)
    assert np.isfinite(noises.log_pmf_by_logarithms(behind, counts, noises.cauchy(4))).all()
