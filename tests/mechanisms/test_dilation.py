"""The cost of a scale that moves."""

import numpy as np
import pytest

from dpselect.mechanisms.smooth.dilation import dilation_cost, proved_bound

# Section 3.2 of the theory, rounded up.
TABLE = {
    2: 3,
    108: 3,
    110: 3.0154,
    150: 3.3363,
    200: 3.6509,
    500: 4.7701,
    1000: 5.7444,
    2000: 6.8375,
    5000: 8.4757,
    10**4: 9.8671,
    10**5: 15.4321,
    10**6: 22.2235,
}


@pytest.mark.parametrize(("m", "cost"), TABLE.items())
def test_the_cost_agrees_with_the_table(m: int, cost: float) -> None:
    """To its last decimal, which is rounded up."""
    assert cost - 1.5e-4 <= dilation_cost(m) <= cost + 1e-4


def test_the_cost_grows_and_stays_below_the_proved_bound() -> None:
    """K(m) <= max(3, 3 R(m)), and beyond a million the bound is used."""
    sizes = [2, 10, 100, 1000, 10**5, 10**6, 10**7, 10**9]
    costs = [dilation_cost(m) for m in sizes]

    assert costs == sorted(costs)
    assert all(cost <= max(3.0, 3 * proved_bound(m)) * (1 + 1e-6) for m, cost in zip(sizes, costs, strict=True))
    assert dilation_cost(10**9) == 3 * proved_bound(10**9)


def test_scaling_noise_costs_at_most_the_stated_factor() -> None:
    """By the exact law: scale all noises by e^d and compare, over gaps and numbers of candidates."""
    from fractions import Fraction

    from dpselect.mechanisms.smooth import noise_distributions as noises

    worst = {}
    for m in (2, 50, 1000):
        for gap in np.exp(np.linspace(-4, 7, 30)):
            for sign in (1, -1):
                gaps = np.array([0, int(gap * 2**20)])
                counts = np.array([1, m - 1] if sign > 0 else [m - 1, 1])
                d = 0.01
                here = noises.log_law(gaps, counts, Fraction(1, 2**20), noises.student_t())
                there = noises.log_law(gaps, counts, Fraction(int(2**40 * np.exp(d)), 2**60), noises.student_t())
                worst[m] = max(worst.get(m, 0.0), float(np.abs(here - there).max()) / d)
    assert all(cost <= dilation_cost(m) * 1.02 for m, cost in worst.items())
    assert worst[1000] > 0.9 * dilation_cost(1000)
