"""Guarantees and the epsilon they are made of."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.kernel.guarantee import exact_epsilon


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


def test_bounded_range_halves_the_root_of_rho() -> None:
    """rho is epsilon^2/8 with bounded range and epsilon^2/2 without."""
    scores = dps.Scores([1, 2], sensitivity=1)
    bounded = dps.mechanism("exponential").guarantee(scores, 2)
    plain = dps.mechanism("permute-and-flip").guarantee(scores, 2)

    assert (Fraction(1, 2), Fraction(2)) == (bounded.rho, plain.rho)
    assert bounded.bounded_range
    assert not plain.bounded_range


def test_rho_is_refused_with_a_delta() -> None:
    """An (epsilon, delta) guarantee has no rho of its own."""
    with pytest.raises(ValueError, match="delta"):
        _ = dps.Guarantee(Fraction(1), dps.Neighbours.EDGE, delta=Fraction(1, 10**6)).rho


@pytest.mark.parametrize("epsilon", [-1, 0, float("nan"), float("-inf"), Fraction(-1, 2), "0.1", None, True])
def test_no_promise_costs_less_than_nothing(epsilon) -> None:
    """A guarantee made by hand is checked too: a ledger would hand back budget for a negative one."""
    with pytest.raises((ValueError, TypeError), match="epsilon must be"):
        dps.Guarantee(epsilon, dps.Neighbours.EDGE)


@pytest.mark.parametrize("delta", [-1e-6, 1, 2, float("nan"), float("inf"), "1e-6", None, True])
def test_deltas_are_checked_by_their_name(delta) -> None:
    """At least 0 and less than 1."""
    with pytest.raises((ValueError, TypeError), match="delta must be"):
        dps.Guarantee(Fraction(1), dps.Neighbours.EDGE, delta)


def test_what_is_written_becomes_exact() -> None:
    """Floats and names are taken as they are written."""
    promise = dps.Guarantee(0.1, "edge", np.float64(1e-6))

    assert dps.Guarantee(Fraction(1, 10), dps.Neighbours.EDGE, Fraction(1, 10**6)) == promise
    with pytest.raises(ValueError, match="neighbours must be one of"):
        dps.Guarantee(1, "people")
