"""Guarantees and the epsilon they are made of."""

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpselect as dps
from dpselect.kernel.numbers import exact_epsilon
from dpselect.kernel.prices import bounded_range_price, laplace_price, pure_price
from dpselect.kernel.rho_conversion import epsilon_of, rho_within


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        (0.1, Fraction(1, 10)),
        (2, 2),
        (np.float64(0.3), Fraction(3, 10)),
        (Decimal("1e-3"), Fraction(1, 1000)),
    ],
)
def test_epsilon_is_the_number_that_was_written(written, exact) -> None:
    """0.1 means one tenth, not the nearest double."""
    assert exact == exact_epsilon(written)


@pytest.mark.parametrize("epsilon", [0, -1, float("inf"), float("nan"), Fraction(-1, 2)])
def test_epsilon_must_be_positive_and_finite(epsilon) -> None:
    """Everything else is refused."""
    with pytest.raises(ValueError, match="positive and finite"):
        exact_epsilon(epsilon)


@pytest.mark.parametrize("epsilon", ["1", None, True, [1]])
def test_epsilon_must_be_a_number(epsilon) -> None:
    """Text and truth values are not numbers."""
    with pytest.raises(TypeError, match="must be a number"):
        exact_epsilon(epsilon)


def test_rho_is_the_price_of_what_a_promise_is() -> None:
    """Bounded range, dominated by Laplace noise, or neither; a moving scale takes both away."""
    scores = dps.Scores([1, 2], sensitivity=1)
    promises = [dps.mechanism(name).guarantee(scores, 2) for name in ("exponential", "permute-and-flip")]
    promises += [dps.Guarantee(2, "add-remove"), dps.mechanism("smooth-noisy-max").guarantee(scores, 2)]
    two = Fraction(2)

    assert [bounded_range_price(two), laplace_price(two), *2 * [pure_price(two)]] == [each.rho for each in promises]
    assert [(True, False), (False, True), *2 * [(False, False)]] == [
        (each.bounded_range, each.laplace) for each in promises
    ]


def test_rho_is_refused_with_a_delta() -> None:
    """An (epsilon, delta) guarantee has no rho of its own."""
    with pytest.raises(ValueError, match="delta"):
        _ = dps.Guarantee(Fraction(1), dps.mechanisms.Neighbours.EDGE, delta=Fraction(1, 10**6)).rho


@pytest.mark.parametrize("epsilon", [-1, 0, float("nan"), float("-inf"), Fraction(-1, 2), "0.1", None, True])
def test_no_promise_costs_less_than_nothing(epsilon) -> None:
    """A guarantee made by hand is checked too: a ledger would hand back budget for a negative one."""
    with pytest.raises((ValueError, TypeError), match="epsilon must be"):
        dps.Guarantee(epsilon, dps.mechanisms.Neighbours.EDGE)


@pytest.mark.parametrize("delta", [-1e-6, 1, 2, float("nan"), float("inf"), "1e-6", None, True])
def test_deltas_are_checked_by_their_name(delta) -> None:
    """At least 0 and less than 1."""
    with pytest.raises((ValueError, TypeError), match="delta must be"):
        dps.Guarantee(Fraction(1), dps.mechanisms.Neighbours.EDGE, delta)


def test_what_is_written_becomes_exact() -> None:
    """Floats and names are taken as they are written."""
    promise = dps.Guarantee(0.1, "edge", np.float64(1e-6))

    assert dps.Guarantee(Fraction(1, 10), dps.mechanisms.Neighbours.EDGE, Fraction(1, 10**6)) == promise
    with pytest.raises(ValueError, match="neighbours must be one of"):
        dps.Guarantee(1, "people")


CONCENTRATED = dps.Guarantee.from_rho(Fraction(1, 8), 1e-6, "edge")


def test_three_kinds_of_promise() -> None:
    """Pure, with a delta, and concentrated at a delta; each says what it is, and what its rho is."""
    approximate = dps.Guarantee(1, "edge", 1e-6)

    assert "Guarantee(epsilon=1, delta=1/1000000, neighbours='edge')" == repr(approximate)
    assert repr(CONCENTRATED).startswith("Guarantee(rho=1/8, epsilon=2419093177/1000000000, delta=1/1000000, neigh")
    assert (Fraction(1, 8), Fraction(1, 8)) == (CONCENTRATED.rho, CONCENTRATED.stated_rho)
    assert pure_price(Fraction(1)) == dps.Guarantee(1, "edge").rho
    with pytest.raises(ValueError, match="promise has no rho"):
        _ = approximate.rho
    assert approximate.stated_rho is None


def test_equal_promises_are_equal() -> None:
    """However rho was written; and a concentrated one is not the approximate one that it implies."""
    same = dps.Guarantee.from_rho(0.125, Fraction(1, 10**6), dps.mechanisms.Neighbours.EDGE)

    assert same == CONCENTRATED
    assert hash(same) == hash(CONCENTRATED)
    assert dps.Guarantee(CONCENTRATED.epsilon, "edge", CONCENTRATED.delta) != CONCENTRATED
    assert CONCENTRATED == replace(CONCENTRATED)


@pytest.mark.parametrize("rho", [0, -1, float("nan"), float("inf"), "1", None, True, Fraction(1, 10**301)])
def test_a_rho_is_positive_and_finite(rho) -> None:
    """As an epsilon is."""
    with pytest.raises((ValueError, TypeError), match="rho must be"):
        dps.Guarantee.from_rho(rho, 1e-6, "edge")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"delta": 0}, "needs the delta"),
        ({"bounded_range": True}, "are for pure promises"),
        ({"laplace": True}, "are for pure promises"),
        ({"epsilon": Fraction(2419093176, 10**9)}, "epsilon must be at least what rho gives"),
        ({"cost": -1}, "rho must be"),
    ],
)
def test_a_concentrated_promise_states_what_it_gives(content, message: str) -> None:
    """Never less than rho gives at its delta, and never without one."""
    with pytest.raises(ValueError, match=message):
        replace(CONCENTRATED, **content)


def test_a_concentrated_promise_needs_a_delta() -> None:
    """Without one there is no epsilon."""
    with pytest.raises(ValueError, match="needs the delta"):
        dps.Guarantee.from_rho(1, 0, "edge")
    with pytest.raises(ValueError, match="delta must be"):
        dps.Guarantee.from_rho(1, 1, "edge")


def test_a_rounder_epsilon_may_be_stated() -> None:
    """The epsilon that was asked for, with the rho that fits it."""
    rho = rho_within(Fraction(1), Fraction(1, 10**6))

    assert rho == dps.Guarantee.from_rho(rho, 1e-6, "edge", epsilon=1).rho
    with pytest.raises(ValueError, match="at least what rho gives"):
        dps.Guarantee.from_rho(rho * (1 + Fraction(1, 10**8)), 1e-6, "edge", epsilon=1)


def test_where_delta_covers_everything_epsilon_is_still_positive() -> None:
    """A promise of 0 cannot be stated."""
    assert 0 == epsilon_of(Fraction(1, 8), Fraction(1, 2))
    assert Fraction(1, 8) == dps.Guarantee.from_rho(Fraction(1, 8), 0.5, "edge").epsilon


@pytest.mark.parametrize("rho", [Fraction(1, 10**9), Fraction(1, 1000), Fraction(1, 8), Fraction(3), Fraction(5000)])
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**15), Fraction(1, 10**300)])
def test_the_conversion_is_the_best_of_all_orders_and_rounded_up(rho: Fraction, delta: Fraction) -> None:
    """Against the minimum over alpha with eighty digits: never below it, and above it only in the tenth digit."""
    with mpmath.workdps(80):
        r, log = (
            mpmath.mpf(rho.numerator) / rho.denominator,
            mpmath.log(delta.denominator) - mpmath.log(delta.numerator),
        )

        def bound(alpha):
            return r * alpha + mpmath.log(1 - 1 / alpha) + (log - mpmath.log(alpha)) / (alpha - 1)

        low, high = mpmath.mpf(0), mpmath.mpf(min(mpmath.sqrt(log / r), mpmath.exp(log) - 1))
        for _ in range(1200):
            middle = (low + high) / 2
            low, high = (middle, high) if r * middle**2 + mpmath.log1p(middle) < log else (low, middle)
        best, ours = bound(1 + high), epsilon_of(rho, delta)
        exact = mpmath.mpf(ours.numerator) / ours.denominator
        assert max(best, 0) <= exact <= max(best * (1 + mpmath.mpf(10) ** -9), 0)
        assert ours <= rho + 2 * Fraction(math.sqrt(rho * Fraction(float(log)))) * Fraction(1000001, 1000000)


@pytest.mark.parametrize("rho", [0.001, 0.02, 0.5, 3.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-10])
def test_gaussian_noise_keeps_the_epsilon_that_its_rho_states(rho: float, delta: float) -> None:
    """Its exact delta at that epsilon is at most what is stated, and at half that epsilon it is not."""

    def exact_delta_of_noise(epsilon: float) -> float:
        # Noise of deviation s on a value that moves by 1: rho = 1 / (2 s^2); Balle and Wang 2018.
        move = mpmath.sqrt(2 * mpmath.mpf(rho))
        return mpmath.ncdf(move / 2 - epsilon / move) - mpmath.exp(epsilon) * mpmath.ncdf(-move / 2 - epsilon / move)

    with mpmath.workdps(50):
        stated = float(dps.Guarantee.from_rho(rho, delta, "edge").epsilon)
        assert exact_delta_of_noise(stated) <= delta < exact_delta_of_noise(stated / 2)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(7, 3), Fraction(40)])
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**30)])
def test_rho_within_is_the_largest_to_nine_digits(epsilon: Fraction, delta: Fraction) -> None:
    """What it returns fits, and a billionth more does not."""
    rho = rho_within(epsilon, delta)

    assert epsilon_of(rho, delta) <= epsilon < epsilon_of(rho * (1 + Fraction(2, 10**9)), delta)


def test_no_rho_within_what_cannot_be_written() -> None:
    """Refused rather than searched for without end."""
    with pytest.raises(ValueError, match="No rho gives so small an epsilon"):
        rho_within(Fraction(1, 10**200), Fraction(1, 10**300))


def renyi(p: list[float], q: list[float], alpha: float) -> float:
    """The Renyi divergence of two finite laws."""
    return math.log(math.fsum(a**alpha * b ** (1 - alpha) for a, b in zip(p, q, strict=True))) / (alpha - 1)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 3.0])
def test_a_pure_promise_keeps_its_rho_and_not_a_smaller_one(epsilon: float) -> None:
    """Randomised response, the worst pure release, at many orders; half the rho would be false for small epsilons."""
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    rho = float(dps.Guarantee(epsilon, "edge").rho)
    spent = [renyi([truth, 1 - truth], [1 - truth, truth], a) / a for a in (1.001, 1.5, 2.0, 5.0, 30.0, 100.0)]

    assert max(spent) <= rho
    assert epsilon > 0.5 or max(spent) > 0.9 * rho


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 3.0])
def test_bounded_range_keeps_a_quarter_of_it(epsilon: float) -> None:
    """Two outcomes whose log-ratios are epsilon apart, wherever the interval lies; the pure rho holds for all."""
    guarantee = dps.Guarantee(epsilon, "edge", bounded_range=True)
    worst = 0.0
    for q in (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        weight = q * math.exp(epsilon) + 1 - q
        p = q * math.exp(epsilon) / weight
        worst = max(worst, *(renyi([p, 1 - p], [q, 1 - q], a) / a for a in (1.001, 1.5, 2.0, 5.0, 30.0)))

    assert worst <= float(guarantee.rho) == pytest.approx(float(bounded_range_price(Fraction(epsilon))), rel=1e-12)
    assert worst > 0.9 * float(guarantee.rho)


def test_permute_and_flip_does_not_keep_a_quarter() -> None:
    """Its log-ratios span up to twice epsilon, so its rho is that of any pure release."""
    flip = dps.mechanism("permute-and-flip")
    x, y = (dps.Scores(values, 1, kind="integer") for values in ([0, 0], [1, -1]))
    epsilon = 0.1
    spent = renyi(list(flip.pmf(y, epsilon)), list(flip.pmf(x, epsilon)), 2.0) / 2.0

    assert not flip.guarantee(x, epsilon).bounded_range
    assert float(bounded_range_price(Fraction(epsilon))) < spent <= float(flip.guarantee(x, epsilon).rho)
