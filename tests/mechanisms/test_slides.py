"""How far heavy-tailed noise may be slid."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpselect.mechanisms.smooth.heavy_tail import HeavyTail
from dpselect.mechanisms.smooth.slides import shift, slide

# Epsilon and the shift of |T| that it hides, rounded down: published.
TABLE = {
    0.1: 0.0941957,
    0.25: 0.2356561,
    0.5: 0.4725056,
    1: 0.9546116,
    2: 1.9877228,
    3: 3.1870460,
    5: 6.7159477,
    10: 36.454132,
    15: 193.17400,
    20: 1022.7895,
}
EPSILONS = (1e-300, 1e-12, 9e-7, 1e-6, 1e-3, 0.1, 1, 7, 20, 100, 600)


@pytest.mark.parametrize(("epsilon", "published"), TABLE.items())
def test_shifts_agree_with_the_published_ones(epsilon: float, published: float) -> None:
    """Seven digits."""
    assert abs(float(shift(HeavyTail(0), Fraction(epsilon))) * math.sqrt(3) / published - 1) < 2e-7


def largest_loss(tail: HeavyTail, t: float) -> float:
    """The largest cost of a slide seen on a fine grid."""
    y = np.concatenate([np.linspace(0, 3, 30_001), np.geomspace(3, 1e3 * (1 + t), 10_001)])
    return float((tail.loss(y + t) - tail.loss(y)).max())


@pytest.mark.parametrize("gamma", [0, 2, 4, 10, 256])
def test_a_shift_costs_at_most_epsilon_and_hardly_less(gamma: int) -> None:
    """On a grid it costs at most epsilon; one longer by 10^-6 costs more, and the bound on the cost says both."""
    for epsilon in EPSILONS:
        tail, exact = HeavyTail(gamma), Fraction(epsilon)
        t = shift(tail, exact)

        assert 0 < slide(tail, t) <= exact < slide(tail, t * (1 + Fraction(1, 10**6)))
        if epsilon >= 1e-3:
            assert epsilon * (1 - 1e-5) <= largest_loss(tail, float(t)) <= epsilon * (1 + 1e-11)


@pytest.mark.parametrize("t", [1e-9, 0.01, 0.3, 1, 2.5, 40, 1e6])
@pytest.mark.parametrize("gamma", [0, 2, 6])
def test_the_cost_of_a_slide_is_rounded_up(gamma: int, t: float) -> None:
    """At least what is seen on a grid, and above it by rounding only."""
    tail = HeavyTail(gamma)
    seen = largest_loss(tail, t)

    assert seen - 1e-12 <= slide(tail, Fraction(t)) <= seen * (1 + 1e-7) + 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.1, 1, 5, 10])
def test_monotone_cells_agree_whatever_the_proof_says(epsilon: float) -> None:
    """On a cell the cost is at most what the tail loses from its start to the shifted end of the cell."""
    tail, t = HeavyTail(0), float(shift(HeavyTail(0), Fraction(epsilon)))
    for low, high, n in ((0, 3, 4_000_000), (3, 50 * (1 + t), 8_000_000)):
        edges = np.linspace(low, high, n + 1)
        assert (tail.loss(edges[1:] + t) - tail.loss(edges[:-1])).max() <= epsilon * (1 + 1e-4)
    # Further out: t times the hazard, which falls.
    assert t * float(tail.hazard(np.float64(high))) < epsilon


def test_enormous_epsilons_get_the_shift_of_600() -> None:
    """It is e^200 for Student t, which is far enough."""
    assert 1e80 < shift(HeavyTail(0), Fraction(10) ** 300) == shift(HeavyTail(0), Fraction(600)) < 1e90
