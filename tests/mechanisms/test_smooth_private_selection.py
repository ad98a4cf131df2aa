"""Smooth Private Selection."""

import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import privacy_loss
from dpselect.mechanisms.smooth import noise_distributions as noises
from dpselect.mechanisms.smooth.smooth_private_selection import calibrate
from tests.mechanisms.test_smooth_noisy_max import worst_found
from tests.universes import random_problem


def calibrated(m: int, epsilon: float, phi: float, gamma: int, sides: int) -> tuple[float, float]:
    """Beta and c of the library as floats."""
    beta, c = calibrate(m, Fraction(epsilon), phi=Fraction(phi), gamma=gamma, sides=sides)
    return float(beta), float(c)


QUICK = ((4, 2, 2), (3, 1, 2))


@pytest.mark.parametrize(
    ("gamma", "sides", "m"),
    [
        pytest.param(gamma, sides, m, marks=() if (gamma, sides, m) in QUICK else pytest.mark.slow)
        for gamma in (2, 3, 4, 5, 6, 8, 10, 12, 32)
        for sides in (1, 2)
        for m in (2, 20, 1000)
        if gamma in (2, 4, 6, 10) or m < 1000
    ],
)
def test_no_search_finds_a_violation(gamma: int, sides: int, m: int) -> None:
    """Theorems 2 and 3, searched over gaps, moves and scales."""
    for epsilon, phi in ((1, 0.5), (10, 0.9)):
        beta, c = calibrated(m, epsilon, phi, gamma, sides)

        assert worst_found(m, epsilon, beta, c, noises.cauchy(gamma, sides)) <= 1


def test_the_search_would_find_one() -> None:
    """With two one-sided candidates and a scale that moves three times as fast as it may, or a third of the noise."""
    beta, c = calibrated(2, 1, 0.9, 2, 1)

    assert worst_found(2, 1, 3 * beta, c, noises.cauchy(2)) > 1
    beta, c = calibrated(2, 1, 0.1, 2, 1)
    assert worst_found(2, 1, beta, c / 3, noises.cauchy(2)) > 1


@pytest.mark.parametrize(("gamma", "sides"), [(4, 1), (4, 2), (3, 1), (5, 2)])
@pytest.mark.parametrize("seed", range(4))
def test_the_exact_loss_on_small_universes(gamma: int, sides: int, seed: int) -> None:
    """With exact sensitivities of random problems."""
    problem = random_problem(seed)
    found = privacy_loss(
        dps.mechanism("smooth-private-selection", gamma=gamma, sides=sides),
        problem.utility(),
        problem.universe,
        epsilon=2,
    )

    assert found.holds, str(found)


def test_alpha_and_beta_are_those_of_theorem_6() -> None:
    """gamma = 4, one-sided, 3 candidates, phi = 1/2: l = 1/2, beta = epsilon / 12, alpha = epsilon / (4 3^(3/4))."""
    beta, scale = calibrated(3, 6, 0.5, 4, 1)

    assert abs(beta - 0.5) < 1e-12
    assert abs(scale - 4 * 3**0.75 / 6) < 1e-12


@pytest.mark.parametrize("m", [2, 3, 10])
def test_beta_of_two_sided_noise_counts_every_candidate(m: int) -> None:
    """Theorem 2, which is loose: l = 2 phi / m, so no pair of neighbours would notice one fewer."""
    (beta, scale), (one, same) = (calibrated(m, 6, 0.5, 4, sides) for sides in (2, 1))

    assert abs(beta - 1 / m) < 1e-12
    assert abs(beta * m - one * (m - 1)) < 1e-12
    assert scale == same


@pytest.mark.parametrize("gamma", [2, 3, 8, 33, 256])
def test_a_moving_scale_costs_the_larger_of_gamma_and_m_less_one(gamma: int) -> None:
    """The two steps of the proof, on exact laws: upwards gamma - 1, downwards m - 1, for one unit of the logarithm."""
    noise, rng = noises.cauchy(gamma), np.random.default_rng(gamma)
    for m in (2, 3, 6):
        for _ in range(12):
            gaps = np.sort(rng.exponential(0.7, m) * 2.0**20).astype(np.int64)
            gaps -= gaps[0]
            step = float(rng.choice([0.01, 0.3, 1.0]))
            small, large = (
                noises.log_pmf(gaps, np.ones(m, dtype=np.int64), Fraction(1, 2**20) / Fraction(math.exp(each)), noise)
                for each in (0.0, step)
            )
            moved = (large - small) / step

            assert -(m - 1) - 1e-6 <= moved.min() <= moved.max() <= gamma - 1 + 1e-6


@pytest.mark.parametrize(
    "given",
    [{"gamma": 1}, {"gamma": 257}, {"gamma": 0}, {"gamma": 258}, {"gamma": 4.0}, {"sides": 0}, {"phi": 1}, {"phi": 0}],
)
def test_other_parameters_are_refused(given) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=r"an integer from 2 to 256|phi must lie"):
        dps.mechanism("smooth-private-selection", **given)
