"""Scores, and the integer ticks made of them."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.core.scores import TICK_CLIP, TICKS, exact_ticks, floor_ticks


def test_a_repr_shows_names_and_sizes_only() -> None:
    """No score, candidate or sensitivity of the data appears in a repr."""
    shown = repr(dps.Scores([41, 7], sensitivity=3, candidates=["secret", "other"]))

    assert "Scores(candidates=2, neighbours='add-remove', range_bound=2)" == shown


def test_integer_scores_never_pass_through_floats() -> None:
    """2^60 and 2^60 + 1 are one tick apart."""
    unit = dps.mechanism("exponential").effective(dps.Scores([2**60, 2**60 + 1], sensitivity=1))

    assert 1 == unit.ticks[1] - unit.ticks[0]
    assert (1, 2) == (unit.per_unit, unit.span)


def test_integers_beyond_64_bits_are_clipped_and_not_refused() -> None:
    """The size of a private score is never an error."""
    scores = dps.Scores([10**30, 0, -(10**30)], sensitivity=1)

    assert [TICK_CLIP, 0, -TICK_CLIP] == scores.values.tolist()
    assert [TICK_CLIP] == dps.Scores(np.array([2**64 - 1], dtype=np.uint64), 1).values.tolist()


def test_exact_scores_have_no_margin_and_floats_have_two_ticks() -> None:
    """span is b * per_unit for integers, b * 2^20 + 2 for floats."""
    whole = exact_ticks(np.array([1, 2]), Fraction(5), 1)
    floats = floor_ticks(np.array([1.0, 2.0]), 2)

    assert (Fraction(5), Fraction(2 * TICKS + 2)) == (whole.span, floats.span)


def test_float_scores_are_floored_and_clipped() -> None:
    """Ticks are floor(2^20 q), infinities clipped at 2^30 units."""
    unit = floor_ticks(np.array([0.5, -(2.0**-30), np.inf, -np.inf]), 2)

    assert [2**19, -1, 2**50, -(2**50)] == unit.ticks.tolist()


def test_a_rational_sensitivity_keeps_integer_scores_exact() -> None:
    """Dividing by 1/2 costs no rounding: the span is a fraction."""
    unit = dps.mechanism("exponential").effective(dps.Scores([3, 4], sensitivity=Fraction(1, 2)))

    assert Fraction(1) == unit.span


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "at least one candidate"),
        ([[1, 2]], "at least one candidate"),
        ([1.0, float("nan")], "finite"),
        ([1.0, float("inf")], "finite"),
    ],
)
def test_bad_values_are_refused(values, message: str) -> None:
    """Empty, NaN and infinite scores are bad input."""
    with pytest.raises(ValueError, match=message):
        dps.Scores(values, sensitivity=1)


@pytest.mark.parametrize("values", [["a", "b"], [1j, 2], [None, 1]])
def test_values_that_are_not_real_numbers_are_refused(values) -> None:
    """Text, complex numbers and None are a TypeError."""
    with pytest.raises(TypeError, match="real numbers"):
        dps.Scores(values, sensitivity=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"candidates": ["a"]}, "1 candidates and 2 scores"),
        ({"neighbours": "swap"}, "must be one of substitution, add-remove, edge, family"),
        ({"range_bound": 3}, "range_bound is 1"),
        ({"distance": [1]}, "one integer >= 0"),
        ({"sensitivity": dps.sensitivity.constant([1, 2, 3])}, "for 3 candidates and there are 2"),
    ],
)
def test_bad_arguments_are_refused(arguments, message: str) -> None:
    """Shapes that differ and unknown words are refused with the remedy."""
    with pytest.raises(ValueError, match=message):
        dps.Scores([1, 2], **{"sensitivity": 1, **arguments})
