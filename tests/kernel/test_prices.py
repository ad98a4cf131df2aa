"""Prices in rho, against a numerical maximum over orders and pairs, and against high-precision arithmetic."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpselect as dps
from dpselect.kernel.prices import bounded_range_price, geometric_price, laplace_price, largest_epsilon, pure_price
from dpselect.mechanisms.ordered_pmf import list_log_pmf

FIFTY = np.logspace(-2, 1.2, 50).tolist()
# a - 1 for orders a.
ABOVE_ONE = np.logspace(-3.5, 3, 200)


def spent(log_chances: np.ndarray, losses: np.ndarray) -> float:
    """The largest divergence over its order, of a law of losses under the first of two."""
    above = ABOVE_ONE[:, None]
    logs = np.logaddexp.reduce(log_chances[None, :] + above * losses[None, :], axis=1)
    return float((logs / (ABOVE_ONE * (1 + ABOVE_ONE))).max())


def two_points(top: float, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of the chances of losses top and top - epsilon under the first law, and these losses."""
    chance = -np.expm1(top - epsilon) / (np.exp(top) - np.exp(top - epsilon))
    return np.array([np.log(chance) + top, np.log1p(-chance) + top - epsilon]), np.array([top, top - epsilon])


def geometric(rate: float, moves: int) -> tuple[np.ndarray, np.ndarray]:
    """The same of two-sided geometric noise on a number that moves."""
    place = np.arange(moves + 1)
    middle = np.where((place == 0) | (place == moves), 0.0, np.log(-np.expm1(-rate)))
    return middle - np.log1p(np.exp(-rate)) - rate * place, rate * (moves - 2.0 * place)


@pytest.mark.parametrize("epsilon", FIFTY)
def test_each_price_is_the_worst_of_all_orders_and_extreme_pairs(epsilon: float) -> None:
    """Never less, and no more than the grid and its lowest order explain."""
    exact = Fraction(epsilon)
    ranged = max(spent(*two_points(top, epsilon)) for top in np.linspace(0.001, 0.999, 401) * epsilon)
    worst = {
        pure_price(exact): spent(*geometric(epsilon, 1)),
        bounded_range_price(exact): ranged,
        geometric_price(exact / 7, 7): spent(*geometric(epsilon / 7, 7)),
        laplace_price(exact): spent(*geometric(epsilon / 3000, 3000)),
    }

    for price, numerical in worst.items():
        assert 0.998 * float(price) < numerical <= float(price) * (1 + 1e-6)


def test_half_a_price_would_be_noticed() -> None:
    """The comparison above can fail, for every kind."""
    assert spent(*geometric(1.0, 1)) > float(pure_price(Fraction(1))) / 2
    assert spent(*two_points(0.54, 1.0)) > float(bounded_range_price(Fraction(1))) / 2
    # The price of bounded range does not hold for permute-and-flip.
    assert spent(*geometric(0.01, 100)) > float(bounded_range_price(Fraction(1)))


@pytest.mark.parametrize("power", [-300, -100, -30, -21, -20, -19, -10, -3, 0, 2, 5, 299])
def test_prices_are_rounded_up_in_the_tenth_digit(power: int) -> None:
    """At any size that can be written, against 1300 digits."""
    epsilon = 3 * Fraction(10) ** power
    with mpmath.workdps(1300):
        real = mpmath.mpf(epsilon.numerator) / epsilon.denominator
        scaled = real / -mpmath.expm1(-real)
        for price, true in (
            (pure_price(epsilon), real * mpmath.tanh(real / 2)),
            (bounded_range_price(epsilon), scaled - 1 - mpmath.log(scaled)),
            (laplace_price(epsilon), real + mpmath.expm1(-real)),
        ):
            assert true <= mpmath.mpf(price.numerator) / price.denominator <= true * (1 + mpmath.mpf(10) ** -9)


@pytest.mark.parametrize("rate", [Fraction(1, 10**100), Fraction(1, 2**40), Fraction(1, 3), Fraction(10)])
@pytest.mark.parametrize("moves", [1, 2, 10, 2**61])
def test_geometric_prices_are_rounded_up(rate: Fraction, moves: int) -> None:
    """The finite sum, for one move and for very many."""
    with mpmath.workdps(400):
        real = mpmath.mpf(rate.numerator) / rate.denominator
        ratio = mpmath.exp(-real)
        true = real * moves - 2 * real * ratio * (1 - ratio**moves) / (1 - ratio**2)
        price = geometric_price(rate, moves)
        assert true <= mpmath.mpf(price.numerator) / price.denominator <= true * (1 + mpmath.mpf(10) ** -9)


def test_counts_with_one_move_are_randomised_response() -> None:
    """Discrete Laplace is not Laplace: where a count moves by one tick, its noise has the price of any pure release."""
    one = Fraction(1)

    assert geometric_price(one, 1) == pure_price(one) > laplace_price(one)
    assert spent(*geometric(1.0, 1)) > 1.25 * float(laplace_price(one))
    assert float(geometric_price(one / 1000, 1000)) == pytest.approx(float(laplace_price(one)), rel=1e-5)


def test_several_numbers_cost_no_more_than_one_that_moves_by_all() -> None:
    """Whatever way the moves are shared out."""
    rate = Fraction(1, 3)
    for moves in itertools.product(range(5), repeat=3):
        if sum(moves):
            parts = sum((geometric_price(rate, each) for each in moves if each), Fraction(0))
            assert parts <= geometric_price(rate, sum(moves)) * (1 + Fraction(1, 10**8))


@pytest.mark.parametrize("price", [pure_price, bounded_range_price, laplace_price])
def test_the_largest_epsilon_within_a_rho(price) -> None:
    """It fits, and a little more does not; prices rise, and m epsilon costs at most m^2 times as much."""
    for rho in (Fraction(1, 10**100), Fraction(1, 10**9), Fraction(1, 2), Fraction(7, 3), Fraction(10**6)):
        epsilon = largest_epsilon(price, rho)
        assert price(epsilon) <= rho < price(epsilon * (1 + Fraction(3, 10**9)))
    for epsilon in map(Fraction, FIFTY):
        for times in (2, 5):
            assert price(epsilon) < price(times * epsilon) <= times**2 * price(epsilon) * (1 + Fraction(1, 10**8))


def distance_beyond(here: np.ndarray, there: np.ndarray, epsilon: float) -> float:
    """How much of one law lies beyond e^epsilon times the other."""
    return float(np.maximum(here - np.exp(epsilon) * there, 0).sum())


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_laplace_noise_dominates_permute_and_flip(epsilon: float) -> None:
    """Every epsilon and its delta, for random scores and moves; two tied candidates attain it."""
    flip, generator, nearest = dps.mechanism("permute-and-flip").sampler, np.random.default_rng(5), 0.0
    levels = np.linspace(0, epsilon, 7)[:-1]
    allowed = -np.expm1((levels - epsilon) / 2)
    for trial in range(300):
        size = int(generator.integers(2, 6))
        ticks = generator.integers(0, 4000, size) if trial else np.array([0, 2000])
        moves = generator.choice([-1000, 1000], size) if trial else np.array([1000, -1000])
        rate = Fraction(epsilon) / 2000
        here, there = (np.exp(flip.tick_log_pmf(each, rate)) for each in (ticks + moves, ticks))
        beyond = np.array([distance_beyond(here, there, level) for level in levels])
        assert (beyond <= allowed * (1 + 1e-9)).all()
        nearest = max(nearest, float((beyond / allowed).max()))
    assert nearest > 0.999


def test_laplace_noise_dominates_lists_in_one_pass() -> None:
    """At the epsilon of the list, whose noise is k times as wide."""
    epsilon, generator = 2.0, np.random.default_rng(6)
    levels = np.linspace(0, epsilon, 7)[:-1]
    allowed = -np.expm1((levels - epsilon) / 2)
    for _ in range(100):
        ticks, moves = generator.integers(0, 4000, 4), generator.choice([-1000, 1000], 4)
        rate = Fraction(epsilon) / 4000
        lists = [*itertools.permutations(range(4), 2)]
        here, there = (np.exp([list_log_pmf(each, rate, names) for names in lists]) for each in (ticks + moves, ticks))
        beyond = np.array([distance_beyond(here, there, level) for level in levels])
        assert (beyond <= allowed * (1 + 1e-9)).all()
