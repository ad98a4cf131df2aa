"""The public clip: how deep it is, what it allows, and the law of clipped gaps."""

import math
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import pytest

import dpselect as dps
from dpselect.mechanisms.sampler import LAPLACE, PERMUTE_AND_FLIP
from dpselect.mechanisms.smooth.clip import calibrate, clipped_flip, clipped_laplace, constant_clip, depth
from tests.mechanisms.test_pmf import flip_by_enumeration

THOUSANDTH = Fraction(1, 1000)


def test_the_depth_of_a_floor_of_a_thousandth() -> None:
    """ln((m-1) / (2 floor)): 6.2, 8.4, 10.8 and 13.1 units, rounded up at the sixth decimal."""
    for m, rounded in ((2, 6.2), (10, 8.4), (100, 10.8), (1000, 13.1)):
        units = depth("exponential", THOUSANDTH, m)

        assert round(float(units), 1) == rounded
        assert 0 <= float(units) - math.log((m - 1) / 0.002) < 2e-6
    assert depth("exponential", THOUSANDTH, 1) == depth("exponential", THOUSANDTH, 2)


@pytest.mark.parametrize("m", [2, 10, 1000])
@pytest.mark.parametrize(("noise", "build"), [("exponential", clipped_flip), ("laplace", clipped_laplace)])
def test_hopeless_candidates_keep_the_floor_at_most(noise: str, build, m: int) -> None:
    """All together, and nearly that: the law itself, with the others infinitely far behind."""
    sampler = build(partial(depth, noise, THOUSANDTH))
    law = np.exp(sampler.log_pmf(np.array([0, 10**9]), np.array([1, m - 1]), Fraction(1)))

    assert (0.0009 if noise == "exponential" else 0.0005) < (m - 1) * law[1] <= 0.001


@pytest.mark.parametrize("epsilon", ["1e-12", "0.1", "1", "20"])
@pytest.mark.parametrize("units", ["0.05", "1", "6.9", "100"])
def test_constants_are_on_the_safe_side(epsilon: str, units: str) -> None:
    """beta exactly phi epsilon / T, and c no less than what is asked for and hardly more."""
    total, phi, clip = Fraction(epsilon), Fraction(15, 100), Fraction(units)
    beta, c = calibrate(7, total, range_bound=2, phi=phi, clip=partial(constant_clip, clip))

    assert beta == phi * total / clip
    with mpmath.workdps(60):
        shrunk = mpmath.exp(-mpmath.mpf(beta.numerator) / beta.denominator)
        asked = 2 * max(
            shrunk * ((1 - phi) * total).denominator / ((1 - phi) * total).numerator,
            mpmath.mpf(total.denominator) / total.numerator,
        )
        exact = mpmath.mpf(c.numerator) / c.denominator
        assert asked <= exact <= asked * (1 + mpmath.mpf("1e-35"))


@pytest.mark.parametrize("rate", [Fraction(1, 9), Fraction(3), Fraction(10) ** 300])
def test_the_law_of_clipped_flips_is_that_of_smaller_gaps(rate: Fraction) -> None:
    """Against the polynomial expanded with sixty digits, at gaps no further than the clip."""
    gaps, counts, clip = np.array([0, 1, 5, 20, 21, 700]), np.array([1, 2, 1, 1, 2, 1]), Fraction(20, 9)
    near = [min(gap * rate, clip) for gap in np.repeat(gaps, counts).tolist()]
    exact = flip_by_enumeration([int(gap * 9 * rate.denominator) for gap in near], Fraction(1, 9 * rate.denominator))

    law = clipped_flip(partial(constant_clip, clip)).log_pmf(gaps, counts, rate)

    assert np.allclose(np.repeat(law, counts), [float(mpmath.log(p)) for p in exact], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("build", "bare"), [(clipped_flip, PERMUTE_AND_FLIP), (clipped_laplace, LAPLACE)])
def test_a_clip_beyond_all_gaps_changes_nothing(build, bare) -> None:
    """And one that meets all but the best makes them alike."""
    gaps, counts = np.array([0, 2, 3, 11]), np.array([2, 1, 5, 1])
    deep, shallow = (
        build(partial(constant_clip, Fraction(units))).log_pmf(gaps, counts, Fraction(1)) for units in (12, 1)
    )

    assert np.allclose(deep, bare.log_pmf(gaps, counts, Fraction(1)), rtol=0, atol=1e-13)
    assert np.allclose(
        shallow[1:], bare.log_pmf(np.array([0, 1]), np.array([2, 7]), Fraction(1))[1], rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("m", [2, 3, 10])
@pytest.mark.parametrize(("phi", "least"), [(0.15, 0.999), (0.7, 0.995), (0.95, 0.99)])
def test_the_worst_pair_of_the_default_floor_is_nearly_epsilon(m: int, phi: float, least: float) -> None:
    """A loser slides to exactly the clip while the scale shrinks by all of e^beta; a clip for fewer would exceed it."""
    epsilon, size = Fraction(1, 10), 2.0**40
    clip = partial(depth, "exponential", Fraction(1, 1000))
    beta, c = map(float, calibrate(m, epsilon, range_bound=2, phi=Fraction(str(phi)), clip=clip))
    shrunk = size * math.exp(-beta)
    mechanism = dps.mechanism("smooth-noisy-max", noise="exponential", phi=phi, floor=1e-3)

    def law(values: np.ndarray, bound: float) -> np.ndarray:
        smooth = dps.sensitivity.smooth_bound(lambda _: bound, ceiling=2.0**60)
        return mechanism.log_pmf(dps.Scores(np.rint(values).astype(np.int64), smooth, kind="integer"), epsilon)

    worst = 0.0
    for end in np.linspace(0.05, 1, 40):
        behind = np.zeros(m)
        behind[1] = -max((end * float(clip(m)) - 2 / c) * math.exp(-beta), 0) * c * size
        moved = behind + shrunk
        moved[1] = behind[1] - shrunk
        worst = max(worst, float(np.abs(law(behind, size) - law(moved, shrunk)).max()) / float(epsilon))
    assert least < worst <= 1 + 1e-6
