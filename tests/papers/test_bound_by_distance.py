"""Theorems 4 and 5 of Yamamoto and Shibuya: a smooth bound from the distance to what is very sensitive."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import privacy_loss
from dpselect.audit.admissibility import exact_sensitivity
from dpselect.papers import bound_by_distance, largest_beta
from tests.universes import Problem, random_problem


def known(problem: Problem) -> tuple[np.ndarray, np.ndarray, float]:
    """Steps between databases, the local sensitivity of each, and the global one."""
    far = np.array([problem.universe.distances(x) for x in problem.universe])
    local = exact_sensitivity(problem.universe, problem.values.astype(float))[0].max(axis=1)
    return far, local, float(local.max())


def theorem(problem: Problem, threshold: float) -> tuple[np.ndarray, float]:
    """The distance of every database to those above a threshold, and the largest beta."""
    far, local, ceiling = known(problem)
    distance = far[:, local > threshold].min(axis=1)
    outside = local <= threshold
    return distance, largest_beta(distance[outside], local[outside], ceiling=ceiling)


def bounds(problem: Problem, threshold: float, beta: float, most: float | None = None) -> np.ndarray:
    """S of every database."""
    distance, largest = theorem(problem, threshold)
    return np.array(
        [
            dps.sensitivity.smooth(
                bound_by_distance(int(steps), ceiling=known(problem)[2], largest_beta=most or largest), beta
            )
            for steps in distance
        ]
    )


USED = [seed for seed in range(40) if len(np.unique(known(random_problem(seed, 9))[1])) >= 3][:8]


@pytest.mark.parametrize("seed", [*USED[:4], *(pytest.param(seed, marks=pytest.mark.slow) for seed in USED[4:])])
def test_it_is_a_bound_and_smooth_for_every_beta(seed: int) -> None:
    """Exactly, in fractions; for betas below, at and above the largest."""
    problem = random_problem(seed, 9)
    _, local, ceiling = known(problem)
    for threshold in np.unique(local)[:-1].tolist():
        if threshold == 0:
            continue
        _, largest = theorem(problem, threshold)
        for beta in (largest / 3, largest, 2 * largest):
            found = bounds(problem, threshold, beta)
            assert all(bound >= Fraction(least) for bound, least in zip(found, local, strict=True))
            slack = Fraction(math.exp(beta)) * (1 + Fraction(1, 2**50))
            assert all(found[x] <= slack * found[y] for x, y in problem.universe.pairs())
        assert ceiling == found.max()
        assert any(
            bound < Fraction(least)
            for bound, least in zip(bounds(problem, threshold, 2 * largest, 1.01 * largest), local, strict=True)
        )


@pytest.mark.parametrize("seed", USED)
def test_theorem_4_is_the_smooth_sensitivity_itself(seed: int) -> None:
    """Where the threshold is the value below the largest."""
    problem = random_problem(seed, 9)
    far, local, _ = known(problem)
    threshold = np.unique(local)[-2]
    _, largest = theorem(problem, threshold)
    for beta in (largest / 2, largest):
        smooth = (np.exp(-beta * far) * local[None, :]).max(axis=1)

        assert np.allclose(bounds(problem, threshold, beta).astype(float), smooth, rtol=1e-9)


@pytest.mark.parametrize("seed", USED[:4])
@pytest.mark.parametrize("name", ["smooth-private-selection", "smooth-noisy-max"])
def test_a_selection_with_it_keeps_its_promise(seed: int, name: str) -> None:
    """The exact loss over the universe, at an epsilon that asks for more than the largest beta too."""
    problem = random_problem(seed, 9)
    _, local, ceiling = known(problem)
    distance, largest = theorem(problem, float(np.unique(local)[-2]))

    def utility(x: int) -> dps.Scores:
        sensitivity = bound_by_distance(int(distance[x]), ceiling=ceiling, largest_beta=largest)
        return dps.Scores(problem.values[x], sensitivity)

    for epsilon in (1, 20):
        found = privacy_loss(dps.mechanism(name, phi=0.5), utility, problem.universe, epsilon=epsilon)
        assert found.holds, str(found)


@pytest.mark.parametrize(
    ("distances", "sensitivities", "message"),
    [
        ([], [], "one distance of at least 1"),
        ([0], [0.5], "one distance of at least 1"),
        ([1, 2], [0.5], "one distance of at least 1"),
        ([1], [1.0], "lower the threshold"),
        ([1], [0.0], "any beta will do"),
        ([1], [1 - 2.0**-53], "to rounding"),
    ],
)
def test_what_leaves_no_beta_is_refused(distances, sensitivities, message) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=message):
        largest_beta(distances, sensitivities, ceiling=1.0)


def test_the_smooth_sensitivity_of_markers_is_public() -> None:
    """For one's own use; it is not a utility."""
    assert dps.utilities.smooth_tdt([9, 4], [1, 4], families=10, beta=0.5).shape == (2,)
    assert dps.utilities.smooth_tdt not in dps.utilities.EVERY_UTILITY


@pytest.mark.parametrize("gamma", [3, 4, 6, 10])
def test_lemma_4_compares_the_means_of_the_noises(gamma: int) -> None:
    """At the bound that it names both are equal: by quadrature, through the scale of the library."""
    from scipy.integrate import quad

    from dpselect.mechanisms.smooth.smooth_private_selection import calibrate

    phi, epsilon, ceiling = 0.25, 3.0, 8.0
    weights = [quad(lambda z, k=k: z**k / (1 + z**gamma), 0, np.inf)[0] for k in (0, 1)]
    _, scale = calibrate(5, Fraction(epsilon), phi=Fraction(phi), gamma=gamma, sides=1)
    bound = dps.papers.quieter_below(ceiling, phi=phi, gamma=gamma)

    assert math.isclose(float(scale) * bound * weights[1] / weights[0], 2 * ceiling / epsilon, rel_tol=1e-7)
    if gamma == 4:
        assert math.isclose(bound, (4 / 27) ** 0.25 * (1 - phi) * ceiling)


def test_lemma_4_needs_noise_that_has_a_mean() -> None:
    """Cauchy noise has none."""
    with pytest.raises(ValueError, match="at least 3"):
        dps.papers.quieter_below(1, phi=0.5, gamma=2)
