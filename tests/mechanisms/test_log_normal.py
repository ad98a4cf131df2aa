"""The calibration of Laplace-log-normal noise: numeric, so every number of it is compared with another computation."""

import math
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dpselect.mechanisms.smooth.dilation import rival_bound
from dpselect.mechanisms.smooth.log_normal import calibrate, dilation_cost, tail_of
from dpselect.mechanisms.smooth.noise_distributions import laplace_log_normal, log_pmf
from tests.mechanisms.smooth_pairs import MOVES, exact

SIGMAS = (0.25, 0.5, 1.0)
FINE = Fraction(1, 2**40)


def law(sigma: float, gaps: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """The law of the release, by the library's own quadrature: another one than the calibration's."""
    ticks = np.round((gaps - gaps.min()) * 2.0**40).astype(np.int64)
    levels, group = np.unique(ticks, return_inverse=True)
    counts = np.zeros(levels.size, dtype=np.int64)
    np.add.at(counts, group, sizes)
    return log_pmf(levels, counts, FINE, laplace_log_normal(sigma, 1))[group]


@pytest.mark.parametrize(
    "sigma", [0.25, pytest.param(0.5, marks=pytest.mark.slow), pytest.param(1.0, marks=pytest.mark.slow)]
)
def test_tails_are_those_of_a_mixture_of_exponentials(sigma: float) -> None:
    """Against quadrature with thirty digits; the hazard falls from e^(sigma^2/2), the elasticity rises."""
    noise, at = tail_of(sigma), [0.01, 0.3, 1.0, 5.0, 40.0]
    with mpmath.workdps(30):
        for z, surprise in zip(at, noise.surprise(np.array(at)).tolist(), strict=True):
            value = mpmath.quad(
                lambda y, z=z: mpmath.npdf(y) * mpmath.exp(-z * mpmath.exp(-sigma * y)), [-12, 0, 4, 12]
            )
            assert abs(surprise + float(mpmath.log(value))) < 1e-9 * max(1.0, surprise)
    z = np.exp(noise.log_z)
    hazard = noise.log_density - noise.log_tail
    assert (np.diff(hazard) < 1e-12).all()
    assert abs(float(np.exp(hazard[0])) - math.exp(sigma**2 / 2)) < 1e-4
    assert (np.diff(hazard + np.log(z)) > 0).all()
    assert 0 <= noise.shift(0.5) - noise.shift(0.5 - 1e-9) < 1e-7
    assert float(noise.surprise(np.array([noise.shift(0.5)]))[0]) <= 0.5 + 1e-12


@pytest.mark.parametrize(
    "sigma", [0.5, pytest.param(0.25, marks=pytest.mark.slow), pytest.param(1.0, marks=pytest.mark.slow)]
)
def test_the_chance_of_two_candidates_is_that_of_the_law(sigma: float) -> None:
    """tau(D) = Pr[Z' > D + Z]: what the loser of two wins with."""
    noise = tail_of(sigma)
    for gap in (0.5, 3.0, 12.0):
        assert (
            abs(float(noise.chance(np.array([gap]))[0]) / math.exp(law(sigma, np.array([0.0, gap]), (1, 1))[1]) - 1)
            < 1e-6
        )


# Exact suprema over one common gap, and what is proved; the first as an independent integrator found them.
SUPREMA = {
    (0.25, 100): (3.04, 4.32), (0.5, 100): (3.08, 5.21), (1.0, 100): (2.90, 5.37),
    (0.25, 1000): (5.45, 7.33), (0.5, 1000): (5.93, 10.21), (1.0, 1000): (6.11, 11.25),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "m"), SUPREMA)
def test_dilation_costs_cover_common_gaps(sigma: float, m: int) -> None:
    """The slope downwards at one common gap, from the law itself, stays below K."""
    step = 1e-3

    def slope(gap: float) -> float:
        up, down = (law(sigma, np.array([0.0, gap * (1 + way * step)]), (1, m - 1))[0] for way in (1, -1))
        return float(up - down) / (2 * step)

    found = max(slope(gap) for gap in np.geomspace(2, 12 * math.exp(2 * sigma), 40).tolist())
    common, proved = SUPREMA[sigma, m]

    assert 0.99 * common < found < 1.01 * common
    assert found < proved - 0.02 < dilation_cost(m, sigma) < proved


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("m", [2, 10, 100, 1000])
def test_a_line_above_the_weights_is_as_good_as_their_concavity(sigma: float, m: int) -> None:
    """Concavity, seen on a grid only, would give no better a bound than straight lines do, but for the grid."""
    noise, rivals = tail_of(sigma), m - 1
    weight = np.minimum(noise.weight[:-1], noise.steepest / rivals)
    allowed = noise.weight[1:] <= noise.steepest / rivals
    concave = rivals * float((weight * noise.differences[1:])[allowed].max())

    assert dilation_cost(m, sigma) <= 1.03 * concave
    assert dilation_cost(m, sigma) > 0.2 * float(rival_bound(m))


def pairs(beta: float, gaps: np.ndarray) -> Iterator[tuple[float, tuple[float, float], float]]:
    """Which way the scale moves, how scores move, and the gap."""
    for grown in (-beta, beta):
        for moves in MOVES:
            for gap in gaps.tolist():
                yield grown, moves, gap


def worst_divergence(sigma: float, m: int, epsilon: str, delta: str, gaps: np.ndarray) -> float:
    """The largest hockey-stick divergence over delta, all rivals at one common gap."""
    beta, c = calibrate(m, exact(epsilon), range_bound=2, phi=Fraction(1, 2), delta=exact(delta), sigma=sigma)
    most, sizes = 0.0, np.array([1, m - 1])
    for grown, moves, gap in pairs(float(beta), gaps):
        here = np.array([0.0, gap])
        there = (here - np.array(moves) * min(1.0, math.exp(grown)) / float(c)) / math.exp(grown)
        one, two = (np.exp(law(sigma, each, (1, m - 1))) for each in (here, there))
        most = max(most, float((sizes * np.maximum(0.0, one - math.exp(float(epsilon)) * two)).sum()))
    return most / float(delta)


@pytest.mark.parametrize(
    ("m", "phi", "delta"), [(3, "0.5", "1e-6"), (3, "0.1", "0.2"), (10, "0.5", "1e-6"), (10, "0.1", "0.2")]
)
def test_both_conditions_hold_and_one_of_them_barely(m: int, phi: str, delta: str) -> None:
    """For exactly so many candidates: one part in a thousand more breaks what may be lost, or what may be paid."""
    epsilon = 0.5
    beta, c = calibrate(m, exact("0.5"), range_bound=2, phi=exact(phi), delta=exact(delta), sigma=0.5)
    noise, cost, t = tail_of(0.5), dilation_cost(m, 0.5), 2 / float(c)

    def holds(at: float) -> bool:
        z = np.geomspace(1e-3, 200, 20_000)
        loss = noise.surprise(z * math.exp(at) + t) - noise.surprise(z)
        lost = (m - 1) * float((noise.chance(z) * np.maximum(0.0, -np.expm1(epsilon - loss))).max())
        grown = np.linspace(0, at, 2001)
        paid = float((noise.surprise(t * np.exp(-grown)) + grown * cost).max())
        return lost <= float(exact(delta)) and paid <= epsilon

    assert holds(float(beta))
    assert not holds(float(beta) * 1.001)


def test_two_candidates_stay_within_their_delta() -> None:
    """At sigma .5: within a factor of five of delta."""
    assert 0.2 < worst_divergence(0.5, 2, "0.5", "0.001", np.geomspace(5, 40, 6)) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("delta", ["1e-6", "0.001"])
@pytest.mark.parametrize("epsilon", ["0.5", "2"])
@pytest.mark.parametrize("m", [2, 10, 100, 1000])
@pytest.mark.parametrize("sigma", SIGMAS)
def test_no_common_gap_breaks_a_delta(sigma: float, m: int, epsilon: str, delta: str) -> None:
    """Every setting, both ways."""
    assert worst_divergence(sigma, m, epsilon, delta, np.geomspace(0.1, 300, 40)) <= 1


@pytest.mark.slow
@pytest.mark.parametrize(("m", "cost"), [(2, 2.8), (10, 3.3), (100, 3.8), (1000, 4.3)])
def test_a_clip_would_cost_more_units_and_less_elasticity(m: int, cost: float) -> None:
    """Clipped at a floor of a thousandth, sigma 1: e(T) of 2.8 to 4.3 where exponential noise has T of 6.2 to 13.1."""
    noise = tail_of(1.0)
    depth = float(noise.differences[np.argmax((m - 1) * noise.tau <= 1e-3)])

    assert round(noise.elasticity(depth), 1) == cost
    assert noise.elasticity(depth) < math.log((m - 1) / 2e-3) < depth


def test_constants_that_cannot_be_had_are_refused() -> None:
    """No beta at all: in a sentence, not in a division."""
    with pytest.raises(ValueError, match="too small"):
        calibrate(10, Fraction(1, 10**30), range_bound=2, phi=Fraction(1, 2), delta=Fraction(1, 10**200), sigma=0.5)
