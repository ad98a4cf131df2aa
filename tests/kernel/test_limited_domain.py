"""The height of the threshold."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from dpselect.kernel.bernoulli_exp import exponential_between
from dpselect.kernel.limited_domain import domain_threshold


@pytest.mark.parametrize("kept", [1, 7, 1000])
@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(1), Fraction(40), Fraction(10**4)])
@pytest.mark.parametrize("delta", [Fraction(1, 10**12), Fraction(1, 7), Fraction(1, 10**200)])
@pytest.mark.parametrize("k", [1, 20])
def test_it_is_the_least_that_hides(kept: int, epsilon: Fraction, delta: Fraction, k: int) -> None:
    """With 200 digits, and near the formula."""
    rate = epsilon / k
    height = domain_threshold(kept, epsilon, delta, rate)

    def spent(at: int, side: int) -> Fraction:
        exponent = at * rate
        parts = [
            exponential_between(each, 200)[side] if each else Fraction(1) for each in (exponent, exponent - epsilon)
        ]
        return kept * sum(parts) / 2

    assert height * rate >= epsilon
    assert spent(height, 1) <= delta
    assert (height - 1) * rate < epsilon or spent(height - 1, 0) > delta
    need = math.log(kept) + float(epsilon) + math.log1p(math.exp(-float(epsilon))) - math.log(2) - math.log(delta)
    assert height == pytest.approx(max(need, float(epsilon)) * k / float(epsilon), abs=1.01)


def test_the_heights_of_the_how_to() -> None:
    """Epsilon 1, delta 1e-6, 100 names above the threshold: one more than these."""
    heights = [domain_threshold(100, Fraction(1), Fraction(1, 10**6), Fraction(1, k)) for k in (5, 20)]

    assert [96, 381] == heights


def test_what_fits_no_integer_is_refused() -> None:
    """Before anything is spent."""
    with pytest.raises(ValueError, match="epsilon is too small"):
        domain_threshold(1, Fraction(1, 10**30), Fraction(1, 10**6), Fraction(1, 10**30))
