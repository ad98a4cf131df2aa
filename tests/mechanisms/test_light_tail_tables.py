"""How often light-tailed noise names a wrong candidate, at the best public share: exact laws of the mechanisms.

The figures were first found by other code (an integrator of its own, calibrations in floats): they must come out again.
"""

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

import dpselect as dps

SHARES = (0.05, 0.15, 0.3, 0.5, 0.7)


def wrong(scores: dps.Scores, epsilon: float, **parameters) -> float:
    """The probability of any candidate but the first."""
    return float(1 - dps.mechanism("smooth-noisy-max", **parameters).pmf(scores, epsilon)[0])


def clipped(scores: dps.Scores, epsilon: float, beyond: tuple[int, ...]) -> float:
    """Clipped exponential noise, at the best share and clip: so many units beyond ln m."""
    depths = [round(math.log(len(scores)) + units, 6) for units in beyond]
    return min(wrong(scores, epsilon, noise="exponential", phi=phi, clip=clip) for phi, clip in product(SHARES, depths))


def unclipped(noise: str) -> Callable[[dps.Scores, float], float]:
    """Noise with a delta of 10^-6, at the best share."""

    def least(scores: dps.Scores, epsilon: float) -> float:
        return min(wrong(scores, epsilon, noise=noise, phi=phi, delta=1e-6) for phi in SHARES)

    return least


def safe_for(steps: int, m: int) -> dps.Scores:
    """One candidate is right and the others are wrong, and nothing changes for that many steps."""
    at = dps.sensitivity.local(lambda t: float(t >= steps), ceiling=1.0)
    return dps.Scores([1, *[0] * (m - 1)], at, kind="integer")


def slowly(slope: float, m: int) -> dps.Scores:
    """One candidate leads by a tenth, LS(t) = min(1, .01 + slope t)."""
    at = dps.sensitivity.profiles(lambda t: np.minimum(1.0, 0.01 + slope * t)[:, None], ceiling=1.0, reach=20_000)
    return dps.Scores([0.1, *[0.0] * (m - 1)], at)


# m, epsilon, steps: clipped exponential noise, exponential and Laplace noise with a delta.
MAJORITIES = {
    (2, 0.5, 20): (0.092, 0.386, 0.437),
    (2, 1, 20): (0.016, 0.243, 0.353),
    (10, 0.1, 200): (0.715, 0.892, 0.894),
    (10, 1, 20): (0.059, 0.816, 0.827),
    (10, 2, 5): (0.150, 0.731, 0.744),
    (100, 5, 2): (0.297, 0.882, 0.884),
    (1000, 2, 20): (0.133, 0.995, 0.996),
}
# m, epsilon, slope: the same.
SLOW = {
    (10, 1, 1e-4): (0.041, 0.062, 0.120),
    (10, 2, 1e-4): (3.1e-4, 3.4e-4, 0.0017),
    (10, 2, 1e-3): (0.0034, 0.0128, 0.050),
    (100, 2, 1e-4): (0.0034, 0.0043, 0.018),
    (1000, 2, 1e-4): (0.035, 0.059, 0.155),
}


def cases(table: dict, quick: tuple) -> list:
    """All cases, of which one runs at once."""
    return [pytest.param(case, id=str(case), marks=() if case == quick else pytest.mark.slow) for case in table]


def nearly(found: float, printed: float) -> bool:
    """Whether they agree to the digits that are printed, and a little."""
    return math.isclose(found, printed, rel_tol=0.02, abs_tol=5.1e-4)


@pytest.mark.parametrize("case", cases(MAJORITIES, (10, 1, 20)))
def test_majorities(case) -> None:
    """All three: a clip beats a delta wherever a score is safe for long."""
    m, epsilon, steps = case
    scores = safe_for(steps, m)
    found = (
        clipped(scores, epsilon, (1, 2, 4, 6, 8, 11)),
        *(unclipped(noise)(scores, epsilon) for noise in ("exponential", "laplace")),
    )

    assert all(nearly(one, two) for one, two in zip(found, MAJORITIES[case], strict=True)), found


@pytest.mark.parametrize("case", cases(SLOW, (10, 2, 1e-3)))
def test_bounds_that_grow_slowly(case) -> None:
    """All three: where light tails are good."""
    m, epsilon, slope = case
    scores = slowly(slope, m)
    found = (
        clipped(scores, epsilon, (1, 2, 4, 6, 8, 11, 15, 20)),
        *(unclipped(noise)(scores, epsilon) for noise in ("exponential", "laplace")),
    )

    assert all(nearly(one, two) for one, two in zip(found, SLOW[case], strict=True)), found
