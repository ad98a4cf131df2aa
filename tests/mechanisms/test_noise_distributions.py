"""Noises for noisy max, and the exact law of the winner."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from dpselect.mechanisms.smooth import noise_distributions as noises

EVERY = [
    noises.student_t(1),
    noises.student_t(2),
    *(noises.cauchy(gamma, sides) for gamma in (2, 4, 6, 10) for sides in (1, 2)),
    noises.laplace(1),
    noises.laplace(2),
    noises.laplace_log_normal(0.7, 1),
    noises.laplace_log_normal(0.7, 2),
]
CASES = [([0], [3], Fraction(1)), ([0, 5], [1, 1000], Fraction(1)), ([0, 3, 10], [1, 2, 5], Fraction(1, 2))]
# Integrals with many digits take long where the body is an incomplete beta function.
QUICK = {"Student t": 1, "Laplace": 2, "generalised Cauchy, gamma = 10": 1}


def label(noise: noises.NoiseDistribution) -> str:
    """A name for the test."""
    return f"{noise.name}, {noise.sides}"


def high_precision(noise: noises.NoiseDistribution):
    """Density and distribution function of |Z| with many digits."""
    if noise.name == "Student t":
        root = mpmath.sqrt(3)
        return (
            lambda z: 12 * root / (mpmath.pi * (3 + z * z) ** 2),
            lambda z: 2 / mpmath.pi * (mpmath.atan(z / root) + z / root / (1 + z * z / 3)),
        )
    if noise.name == "Laplace":
        return lambda z: mpmath.exp(-z), lambda z: -mpmath.expm1(-z)
    gamma = int(noise.name.split()[-1])
    height = gamma * mpmath.sin(mpmath.pi / gamma) / mpmath.pi
    parameter = mpmath.mpf(1) / gamma

    def body(z):
        odds = z**gamma
        return mpmath.betainc(parameter, 1 - parameter, 0, odds / (1 + odds), regularized=True)

    return lambda z: height / (1 + z**gamma), body


def by_quadrature(gaps, counts, rate: Fraction, r: int, noise: noises.NoiseDistribution) -> mpmath.mpf:
    """The integral as it is written, with 20 digits."""
    with mpmath.workdps(20):
        behind = [mpmath.mpf((int(gap) * rate).numerator) / (int(gap) * rate).denominator for gap in gaps]
        density, body = high_precision(noise)

        def below(y):
            if noise.sides == 1:
                return body(y)
            return (1 + body(y)) / 2 if y >= 0 else (1 - body(-y)) / 2

        def integrand(y):
            value = density(abs(y + behind[r])) / noise.sides
            for s, count in enumerate(counts):
                value *= below(y + behind[s]) ** (count - (s == r))
            return value

        away = [0, 0.05, 0.3, 0.7, 1.3, 2, 3, 4.5, 8, 16, 64, 512, 10**4, 10**6, 10**9]
        points = sorted(
            {-b + side * a for b in behind for a in away for side in ((0, 1) if noise.sides == 1 else (1, -1))}
        )
        if noise.sides == 1:
            points = [0, *[p for p in points if p > 0], mpmath.inf]
        else:
            points = [-mpmath.inf, *points, mpmath.inf]
        return mpmath.quad(integrand, points, maxdegree=5)


@pytest.mark.parametrize("noise", EVERY, ids=label)
def test_density_body_and_tail_belong_together(noise: noises.NoiseDistribution) -> None:
    """The body is the integral of the density, and tail and body make one."""
    z = np.array([0.03, 0.4, 1.0, 2.5, 9.0])
    points, shares = np.polynomial.legendre.leggauss(60)
    for end in z:
        pieces = np.linspace(0, end, 40)
        nodes = pieces[:-1, None] + np.diff(pieces)[:, None] / 2 * (points + 1)
        mass = (np.exp(noise.log_density(nodes)) * shares * np.diff(pieces)[:, None] / 2).sum()

        assert abs(mass / noise.body(np.array([end]))[0] - 1) < 1e-9
    assert np.allclose(1, noise.body(z) + noise.tail(z), rtol=1e-14)


@pytest.mark.parametrize(
    ("noise", "gaps", "counts", "rate"),
    [
        pytest.param(noise, *case, id=f"{label(noise)}, {len(case[0])}", marks=() if quick else pytest.mark.slow)
        for noise in EVERY
        if "log-normal" not in noise.name
        for case in CASES
        for quick in [len(case[0]) <= QUICK.get(noise.name, 0) and (noise.sides == 2 or len(case[0]) == 1)]
    ],
)
def test_the_law_is_the_integral(noise: noises.NoiseDistribution, gaps, counts, rate: Fraction) -> None:
    """Relative error below 1e-8 for every candidate."""
    computed = noises.log_pmf(np.array(gaps), np.array(counts), rate, noise)

    for r, value in enumerate(computed):
        assert abs(mpmath.exp(value) / by_quadrature(gaps, counts, rate, r, noise) - 1) < 1e-8
    assert abs((np.exp(computed) * counts).sum() - 1) < 1e-11


@pytest.mark.parametrize("noise", EVERY, ids=label)
def test_laws_sum_to_one(noise: noises.NoiseDistribution) -> None:
    """Also with many groups, and far apart."""
    gaps = np.unique(np.concatenate((np.arange(0, 30, 3), [10**3, 10**6])))
    counts = 1 + np.arange(gaps.size) % 7
    found = np.exp(noises.log_pmf(gaps, counts, Fraction(1, 3), noise))

    assert abs((found * counts).sum() - 1) < 1e-10
    assert (np.diff(found) <= 0).all()


def test_one_sided_student_law_is_sharper_still() -> None:
    """It is the default, and its error is below 1e-12."""
    noise = noises.student_t()
    for gaps, counts, rate in (([0, 100], [1, 1], Fraction(1)), ([0, 1], [1000, 1], Fraction(1, 3))):
        computed = noises.log_pmf(np.array(gaps), np.array(counts), rate, noise)
        for r, value in enumerate(computed):
            assert abs(mpmath.exp(value) / by_quadrature(gaps, counts, rate, r, noise) - 1) < 1e-12


def test_known_tails() -> None:
    """Against SciPy's Cauchy and Student t."""
    z = np.array([1e-3, 0.5, 7.0, 1e6])

    assert np.allclose(2 * stats.cauchy.sf(z), noises.cauchy(2).tail(z), rtol=1e-12)
    assert np.allclose(2 * stats.t.sf(z, 3), noises.student_t().tail(z), rtol=1e-12)


@pytest.mark.parametrize("noise", [noises.student_t(1), noises.student_t(2), noises.cauchy(4, 1)], ids=label)
def test_the_law_follows_the_tail_at_any_gap(noise: noises.NoiseDistribution) -> None:
    """Far behind a candidate wins as often as noise exceeds its gap, also where a gap has no room for its units."""
    for far in (10, 16, 17, 20, 24, 28):
        law = noises.log_pmf(np.array([0, 1]), np.array([1, 1]), Fraction(10) ** far, noise)
        # Of two signs half of the noise is below; either candidate's may be the large one.
        assert abs(law[1] - float(np.log(noise.tail(np.array([10.0**far])))[0])) < 1e-6
