"""Smooth Noisy Max."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import privacy_loss
from dpselect.core.heavy_tails import log_law
from dpselect.mechanisms.smooth_noisy_max import calibrate
from universes import random_problem


def loss(counts, here, there, scale_here: float, scale_there: float) -> float:
    """The worst log-ratio between two databases given scores and scales, from the exact law."""
    laws = []
    for scores, scale in ((here, scale_here), (there, scale_there)):
        ticks = np.round(-(np.max(scores) - np.array(scores)) / scale * 2**30).astype(np.int64)
        gaps, group = np.unique(ticks.max() - ticks, return_inverse=True)
        grouped = np.bincount(group, weights=counts).astype(np.int64)
        laws.append(log_law(gaps, grouped, Fraction(1, 2**30))[group])
    return float(np.abs(laws[0] - laws[1]).max())


def worst_found(m: int, epsilon: float, beta: float, c: float) -> float:
    """Search: one candidate against m - 1 others, every gap, every move, the scale moving by e^beta either way."""
    worst = 0.0
    for gap in np.concatenate(([0.0], np.exp(np.linspace(-2, 8, 24)))):
        for a, move, sign in itertools.product((-beta, 0.0, beta), (-1, 1), (-1, 1)):
            small = min(1.0, math.exp(a))
            here, there = (0.0, -sign * gap), (small * move, -sign * gap - small * move)
            worst = max(worst, loss((1, m - 1), here, there, c, c * math.exp(a)))
    return worst / epsilon


@pytest.mark.parametrize("m", [2, 3, 10, 100, 1000, 10_000])
@pytest.mark.parametrize("epsilon", [0.1, 1, 5, 20])
def test_no_search_finds_a_violation(m: int, epsilon: float) -> None:
    """With our calibration at the default phi the worst case found stays below epsilon."""
    beta, c = calibrate(m, epsilon, 0.15, 2)

    assert worst_found(m, epsilon, beta, c) <= 1


@pytest.mark.parametrize("phi", [0.05, 0.5, 0.9])
def test_any_public_share_is_safe(phi: float) -> None:
    """Also far from the default."""
    beta, c = calibrate(1000, 1, phi, 2)

    assert worst_found(1000, 1, beta, c) <= 1


def test_the_search_finds_what_is_wrong() -> None:
    """The same search rejects a scale that moves four times as fast as it may, and a slide of twice the length."""
    beta, c = calibrate(10_000, 1, 0.5, 2)

    assert worst_found(10_000, 1, 4 * beta, c) > 1
    assert worst_found(10_000, 1, beta, c / 2) > 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("epsilon", [0.5, 2, 8])
def test_the_exact_loss_on_small_universes(seed: int, epsilon: float) -> None:
    """With exact sensitivities of random problems."""
    problem = random_problem(seed)
    found = privacy_loss(dps.mechanism("smooth-noisy-max"), problem.utility(), problem.universe, epsilon)

    assert found.holds, str(found)
    assert math.isnan(found.stretch)


def test_a_candidate_that_is_safe_for_many_steps_wins() -> None:
    """A 0/1 score that cannot change within 200 steps needs almost no noise."""
    far = dps.sensitivity.local(lambda t: float(t >= 200), ceiling=1.0)
    scores = dps.Scores([1.0, *[0.0] * 99], far)

    assert dps.mechanism("smooth-noisy-max").law(scores, 1)[0] > 0.99 > dps.mechanism("exponential").law(scores, 1)[0]


def test_it_has_no_unit_scores_and_says_so() -> None:
    """Its scale moves with the data, so nothing may treat it as a unit score."""
    with pytest.raises(TypeError, match="no unit scores"):
        dps.mechanism("smooth-noisy-max").effective(dps.Scores([1, 2], 1))


@pytest.mark.parametrize("phi", [0, 1, -0.1, 2, float("nan")])
def test_phi_lies_between_zero_and_one(phi) -> None:
    """The share is public and proper."""
    with pytest.raises(ValueError, match="phi must lie between 0 and 1"):
        dps.mechanism("smooth-noisy-max", phi=phi)


def test_without_a_ceiling_it_is_refused() -> None:
    """The search for the smooth bound must end."""
    with pytest.raises(dps.PrivacyError, match="public ceiling"):
        dps.mechanism("smooth-noisy-max").law(dps.Scores([1.0, 2.0], dps.sensitivity.local(lambda t: 1 + t)), 1)
