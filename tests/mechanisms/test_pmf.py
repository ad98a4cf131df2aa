"""Exact laws, against arithmetic of high precision."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.mechanisms import pmf

gap_lists = st.lists(st.integers(0, 300), min_size=1, max_size=7, unique=True).map(
    lambda gaps: np.array(sorted({0, *gaps}))
)
rates = st.fractions(min_value=Fraction(1, 200), max_value=2, max_denominator=200)


def flip_by_enumeration(gaps: list[int], rate: Fraction) -> list[mpmath.mpf]:
    """The law of permute-and-flip by expanding the polynomial: exact but for the last of 60 digits."""
    with mpmath.workdps(60):
        chances = [mpmath.exp(-mpmath.mpf((gap * rate).numerator) / (gap * rate).denominator) for gap in gaps]
        result = []
        for r, chance in enumerate(chances):
            polynomial = [mpmath.mpf(1)]
            for s, other in enumerate(chances):
                if s != r:
                    shifted = [mpmath.mpf(0), *(-other * c for c in polynomial)]
                    polynomial = [a + b for a, b in zip([*polynomial, mpmath.mpf(0)], shifted, strict=True)]
            result.append(chance * mpmath.fsum(c / (i + 1) for i, c in enumerate(polynomial)))
        return result


@settings(max_examples=60, deadline=None)
@given(gap_lists, st.lists(st.integers(1, 4), min_size=8, max_size=8), rates)
def test_permute_and_flip_is_right_to_twelve_digits(gaps, counts, rate) -> None:
    """Relative error below 1e-12 for every candidate, ties and extremes included."""
    counts = np.array(counts[: gaps.size])
    everyone = np.repeat(gaps, counts).tolist()
    exact = dict(zip(everyone, flip_by_enumeration(everyone, rate), strict=True))

    computed = pmf.permute_and_flip(gaps, counts, rate)

    for gap, value in zip(gaps.tolist(), computed, strict=True):
        assert abs(mpmath.exp(value) / exact[gap] - 1) < 1e-12


@settings(max_examples=60, deadline=None)
@given(gap_lists, st.integers(1, 1000), rates)
def test_exponential_is_softmax(gaps, ties, rate) -> None:
    """The exponential law is softmax, ties counted."""
    counts = np.full(gaps.size, ties)
    exact = np.exp(-gaps * float(rate))

    assert np.allclose(np.exp(pmf.exponential(gaps, counts, rate)), exact / (ties * exact.sum()), rtol=1e-12)


def laplace_by_quadrature(gaps: list[int], counts: list[int], rate: Fraction, r: int) -> mpmath.mpf:
    """The integral as it is written, panel by panel, with 25 digits."""
    with mpmath.workdps(25):
        scores = [-mpmath.mpf((gap * rate).numerator) / (gap * rate).denominator for gap in gaps]

        def below(z):
            return mpmath.exp(z) / 2 if z < 0 else 1 - mpmath.exp(-z) / 2

        def integrand(z):
            value = mpmath.exp(-abs(z - scores[r])) / 2
            for s, count in enumerate(counts):
                value *= below(z - scores[s]) ** (count - (s == r))
            return value

        low, high = min(scores) - 50, max(scores) + 60
        kinks = sorted({low, *scores, high})
        panels = [mpmath.linspace(a, b, 2 + int((b - a) / 5)) for a, b in pairwise(kinks)]
        return mpmath.fsum(mpmath.quad(integrand, panel) for panel in panels)


@pytest.mark.parametrize(
    ("gaps", "counts"),
    [
        ([0], [3]),
        ([0, 5], [1, 1]),
        pytest.param([0, 3, 4, 40], [1, 2, 1, 3], marks=pytest.mark.slow),
        ([0, 1, 100], [1, 1, 5]),
    ],
)
def test_laplace_is_the_integral(gaps, counts) -> None:
    """Running sums and panels give the integral to twelve digits."""
    rate = Fraction(1, 3)
    computed = pmf.laplace(np.array(gaps), np.array(counts), rate)

    for r, value in enumerate(computed):
        assert abs(mpmath.exp(value) / laplace_by_quadrature(gaps, counts, rate, r) - 1) < 1e-12


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**7), st.integers(1, 10**4))
def test_laplace_of_two_is_closed_form(gap, denominator) -> None:
    """Two candidates at distance g: the worse one wins with probability (2 + g) e^-g / 4."""
    rate = Fraction(1, denominator)
    g = gap * float(rate)
    worse = pmf.laplace(np.array([0, gap]), np.array([1, 1]), rate)[1] if gap else np.log(0.5)

    assert np.isclose(worse, np.log((2 + g) / 4) - g, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", ["exponential", "permute-and-flip", "noisy-max-laplace"])
@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 1, 100, 1e9, 1e300])
def test_laws_sum_to_one(name: str, epsilon: float) -> None:
    """At every epsilon, however extreme, the probabilities sum to 1 and the best has the most."""
    scores = dps.Scores([5, 5, 3, -100, 2**60, 0], sensitivity=1)
    chances = dps.mechanism(name).pmf(scores, epsilon)

    assert abs(chances.sum() - 1) < 1e-12
    assert 4 == chances.argmax()


def test_many_ties_are_grouped() -> None:
    """A million candidates with ten distinct scores sum to one."""
    scores = dps.Scores(np.arange(10**6) % 10, sensitivity=1)

    assert abs(dps.mechanism("permute-and-flip").pmf(scores, 2).sum() - 1) < 1e-11


def test_laplace_refuses_too_many_distinct_scores() -> None:
    """Beyond ten thousand distinct scores the law of Laplace noise names the remedy."""
    scores = dps.Scores(np.arange(10_001), sensitivity=1)
    with pytest.raises(ValueError, match="use permute-and-flip"):
        dps.mechanism("noisy-max-laplace").pmf(scores, 1)


def test_log_law_is_finite_where_the_law_underflows() -> None:
    """A candidate 10^6 units behind has probability 0 in floats and a finite logarithm."""
    scores = dps.Scores([10**6, 0], sensitivity=1)
    mechanism = dps.mechanism("permute-and-flip")

    assert 0 == mechanism.pmf(scores, 2)[1]
    assert np.isclose(mechanism.log_pmf(scores, 2)[1], -(10**6) - np.log(2))
