"""The median as a number, with noise that follows its smooth sensitivity."""

from __future__ import annotations

import numpy as np
import pytest

import dpselect as dps
from dpselect.papers import middle_value, smooth_median


def test_the_middle_value_is_the_lower_of_two() -> None:
    """Of rank ceil(n / 2), whatever the order; integers stay integers."""
    for values, middle in (([7], 7), ([7, 1], 1), ([7, 1, 3], 3), ([7, 1, 3, 9], 3)):
        value, sensitivity = middle_value(values, upper=10)
        assert (middle, int) == (value, type(value))
        assert (10.0, len(values)) == (sensitivity.ceiling, sensitivity.reach)


def test_values_move_to_the_bounds_and_none_decides_whether_there_is_an_answer() -> None:
    """One that is missing counts as the lower bound, one beyond a bound as that bound."""
    assert (0, 10) == (middle_value([5, None, -3, "x"], upper=10)[0], middle_value([99, 99, None], upper=10)[0])
    release = smooth_median([None, np.nan, "x", 99], upper=10, epsilon=1, tick=0.25)
    assert 0 == release.value * 4 % 1


def test_a_crowded_middle_has_little_noise() -> None:
    """Two thousand values, a hundredth apart: the answer is near, where the whole range would give noise of 10,000."""
    values = np.arange(2001) / 100
    _, sensitivity = middle_value(values, lower=0.0, upper=10_000.0)

    assert 0.5 > dps.accuracy.value_error(sensitivity, epsilon=1, probability=0.95)
    assert 4000 < dps.accuracy.value_error(dps.sensitivity.constant(10_000), epsilon=1, probability=0.5)


@pytest.mark.parametrize(
    ("values", "bounds", "error", "message"),
    [
        ([1], {}, dps.PrivacyError, "needs upper="),
        ([], {"upper": 1}, ValueError, "the column is empty"),
        ([1], {"upper": 0}, ValueError, "lower must be below upper"),
    ],
)
def test_what_is_missing_is_said_first(values, bounds, error, message) -> None:
    """Before anything is spent."""
    with dps.budget(epsilon=1, neighbours="substitution") as book, pytest.raises(error, match=message):
        smooth_median(values, epsilon=1, **bounds)
    assert 0 == book.totals.epsilon
