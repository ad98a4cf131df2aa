"""Noise for one number: its worst loss in closed form, the least scale, and the law of rounded answers."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize, minimize_scalar

from dpselect.mechanisms.smooth.value_noise import CAUCHY, NOISES, STUDENT, ValueNoise

BOTH = pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)


def searched_loss(degrees: int, moved: float, one: float, other: float) -> float:
    """The same by looking for the worst answer."""

    def negative(z: float) -> float:
        here = math.log(one) + (degrees + 1) / 2 * math.log1p((z / one) ** 2)
        there = math.log(other) + (degrees + 1) / 2 * math.log1p(((z - moved) / other) ** 2)
        return here - there

    z = np.concatenate([-np.geomspace(1e9, 1e-6, 4000), [0], np.geomspace(1e-6, 1e9, 4000)])
    losses = [negative(each) for each in z.tolist()]
    best = int(np.argmin(losses))
    bounds = (z[max(0, best - 1)], z[min(best + 1, z.size - 1)])
    refined = minimize_scalar(negative, bounds=bounds, method="bounded", options={"xatol": 1e-12})
    return -min(losses[best], refined.fun)


@pytest.mark.parametrize("pairs", [40, pytest.param(300, marks=pytest.mark.slow)])
def test_the_worst_loss_is_a_hyperbolic_distance(pairs: int) -> None:
    """Closed form against a search over answers, also for degrees that are not offered."""
    rng = np.random.default_rng(18)
    for _ in range(pairs):
        noise = ValueNoise("any", int(rng.choice([1, 2, 3, 5, 9])))
        moved, one, other = rng.exponential(3), *np.exp(rng.normal(size=2))

        searched = searched_loss(noise.degrees, moved, one, other)
        assert math.isclose(searched, noise.loss(moved, one, other), rel_tol=1e-9)


@BOTH
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 5, 10])
def test_the_scale_costs_exactly_epsilon(noise: ValueNoise, epsilon: float) -> None:
    """Over the whole range of bounds never more, and at one of its ends no less: at beta itself where that binds."""
    for part in (0.05, 0.25, 0.5, 0.75, 0.95):
        beta = part * epsilon / noise.degrees
        scale = float(noise.scale(Fraction(epsilon), Fraction(beta)))
        # The bound is 1 here and e^move there; the number moves by the smaller of the two.
        moves = np.linspace(-beta, beta, 201)
        losses = [noise.loss(min(1, math.exp(move)), scale, scale * math.exp(move)) for move in moves]
        still = Fraction(epsilon) * 2 / (noise.degrees + 1)

        assert max(losses) <= epsilon * (1 + 1e-12)
        assert max(losses) >= epsilon * (1 - 1e-12)
        if scale > 1.000001 / (2 * math.sinh(still / 2)):
            # The other database has the smaller bound: the move is -beta.
            assert math.isclose(losses[0], epsilon, rel_tol=1e-9)


@BOTH
def test_a_smaller_scale_costs_more(noise: ValueNoise) -> None:
    """One part in a million less, and neighbours are told apart by more than epsilon."""
    for epsilon in (0.1, 1.0, 5.0):
        beta = 0.9 * epsilon / noise.degrees
        scale = float(noise.scale(Fraction(epsilon), Fraction(beta))) * (1 - 1e-6)

        losses = [noise.loss(math.exp(-move), scale, scale * math.exp(-move)) for move in (0.0, beta)]

        assert max(losses) > epsilon * (1 + 1e-8)


@BOTH
@pytest.mark.parametrize("epsilon", ["1e-12", "0.001", "0.7", "20", "400", "1e5"])
def test_the_scale_is_rounded_up_and_by_little(noise: ValueNoise, epsilon: str) -> None:
    """Against the formula with 200 digits."""
    with decimal.localcontext(prec=200, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX):
        for part in (Fraction(1, 50), Fraction(1, 2), Fraction(99, 100)):
            total = Fraction(epsilon)
            beta = total * part / noise.degrees
            p, q = 2 * total / (noise.degrees + 1), Fraction(noise.degrees - 1, noise.degrees + 1)

            def exp(x: Fraction) -> decimal.Decimal:
                return (decimal.Decimal(x.numerator) / x.denominator).exp()

            def cosh(x: Fraction) -> decimal.Decimal:
                return (exp(x) + exp(-x)) / 2

            moving = exp(-beta) / (2 * (cosh(p - q * beta) - cosh(beta)))
            still = 1 / (2 * (cosh(p) - 1))
            true = Fraction(max(moving, still).sqrt())
            scale = noise.scale(total, beta)

            assert true < scale <= true * (1 + Fraction(1, 10**30)) + Fraction(1, 2**190)


@BOTH
def test_the_public_rule_takes_beta_that_costs_nothing(noise: ValueNoise) -> None:
    """Half of the largest beta, or more at the same scale; always below the largest."""
    for epsilon in (Fraction(1, 10**9), Fraction(1, 10), Fraction(1), Fraction(5), Fraction(10**6)):
        most = epsilon / noise.degrees
        beta = noise.share(epsilon)

        assert most / 2 <= beta < most
        assert noise.scale(epsilon, beta) == noise.scale(epsilon, most / 2)


@BOTH
def test_a_beta_that_is_too_large_is_refused(noise: ValueNoise) -> None:
    """At epsilon / nu the moving scale alone costs epsilon."""
    with pytest.raises(ValueError, match=f"below epsilon{' / 3' if noise.degrees == 3 else ''} for {noise.name} noise"):
        noise.scale(Fraction(1), Fraction(1, noise.degrees))


@BOTH
@pytest.mark.parametrize("scale", [Fraction(1, 100), Fraction(1), Fraction(37, 10), Fraction(10**6)])
def test_the_law_of_answers_is_that_of_the_noise(noise: ValueNoise, scale: Fraction) -> None:
    """Cell by cell against SciPy, and cells that touch add up."""
    law = stats.cauchy() if noise is CAUCHY else stats.t(3, scale=1 / math.sqrt(3))
    cells = np.arange(-40, 51)
    chances = np.exp(noise.log_cells(cells, 5, scale))
    edges = (np.arange(-40, 52) - 0.5 - 5) / float(scale)

    assert np.allclose(chances, law.cdf(edges[1:]) - law.cdf(edges[:-1]), rtol=1e-9, atol=1e-15)
    assert math.isclose(chances.sum(), law.cdf(edges[-1]) - law.cdf(edges[0]), rel_tol=1e-9, abs_tol=1e-15)
    far = math.exp(noise.log_cells([10**9], 0, scale)[0])
    dense = float(scale) / math.pi / 1e18 if noise is CAUCHY else 2 * float(scale) ** 3 / math.pi / 1e36
    assert math.isclose(far, dense, rel_tol=3e-6)


@BOTH
def test_most_answers_are_within_a_public_multiple_of_the_bound(noise: ValueNoise) -> None:
    """Quantiles of the size of the noise."""
    law = stats.cauchy() if noise is CAUCHY else stats.t(3, scale=1 / math.sqrt(3))
    for share in (0.1, 0.5, 0.95, 0.999):
        assert math.isclose(noise.within(share), law.ppf((1 + share) / 2), rel_tol=1e-9)


def test_the_power_of_the_density_follows_the_degrees() -> None:
    """1 / (1 + z^2)^((nu + 1) / 2)."""
    assert (1, 2) == (CAUCHY.power, STUDENT.power)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_climb_finds_a_larger_loss(seed: int) -> None:
    """Any move and scale, epsilon from 10^-4 to 30, through the scale of the library; worst answers in closed form."""
    rng = np.random.default_rng(seed)

    def worst(degrees: int, moved: float, one: float, other: float) -> float:
        """Stationary answers are roots of a quadratic; the other limit is an answer far out."""
        answers = np.roots([moved, one**2 - other**2 - moved**2, -moved * one**2]) if moved else np.zeros(1)
        far = degrees * math.log(one / other)
        ratios = np.log(other**2 + (answers - moved) ** 2) - np.log(one**2 + answers**2)
        return far + max(0.0, float((degrees + 1) / 2 * np.real(ratios).max()))

    for _ in range(300):
        noise = (CAUCHY, STUDENT, ValueNoise("any", 5), ValueNoise("any", 9))[rng.integers(4)]
        epsilon = 10 ** rng.uniform(-4, 1.5)
        beta = epsilon / noise.degrees * rng.uniform(0.001, 0.999)
        scale = float(noise.scale(Fraction(epsilon), Fraction(beta)))

        def gain(point, noise=noise, beta=beta, scale=scale) -> float:
            move = beta * math.tanh(point[0])
            moved = min(1.0, math.exp(move)) * math.tanh(point[1])
            return -worst(noise.degrees, moved, scale, scale * math.exp(move))

        found = -min(
            minimize(gain, rng.normal(size=2) * 2, method="Nelder-Mead", options={"maxfev": 120}).fun for _ in range(2)
        )
        assert found <= epsilon * (1 + 1e-12) + 1e-13
