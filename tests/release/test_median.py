"""The median in one call."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps


class Book:
    """A ledger that notes what is spent."""

    def __init__(self) -> None:
        self.spent = []

    def spend(self, guarantee, *, mechanism, count=1, **_):
        """Note one entry."""
        self.spent.append((guarantee.epsilon, count, mechanism))


def test_it_is_the_median_of_the_grid() -> None:
    """At a budget that leaves no doubt: of two records in the middle the upper, on the nearest grid value."""
    book = Book()
    release = dps.median([3, 9, 4, 8.9], lower=0, upper=10, epsilon=10**4, ledger=book)

    assert 9 == release.value
    assert "permute-and-flip" == release.mechanism
    assert [(Fraction(10**4), 1, "permute-and-flip")] == book.spent
    assert 0.4 == dps.median([0.2, 0.41, 7], grid=[0, 0.4, 1], epsilon=10**4).value


def test_the_error_is_small_on_many_records() -> None:
    """A thousand salaries at epsilon 1: within 5 % of the ranks, but for a chance below 1e-9."""
    values = np.arange(0, 100_000, 100)
    release = dps.median(values, lower=0, upper=100_000, step=100, epsilon=1)

    assert abs(release.value - 50_000) <= 5_000
    assert "add-remove" == release.guarantee.neighbours.value


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"epsilon": 1}, dps.PrivacyError, "pass grid="),
        ({"epsilon": 1, "upper": 9}, dps.PrivacyError, "pass grid="),
        ({"epsilon": 1, "lower": 0, "upper": 9, "grid": [0, 9]}, ValueError, "named twice"),
        ({"epsilon": 1, "lower": 0, "upper": 0.5}, ValueError, "pass step="),
        ({"epsilon": 0, "lower": 0, "upper": 9}, ValueError, "epsilon"),
    ],
)
def test_bad_requests_are_refused_before_anything_is_spent(given, error, message: str) -> None:
    """The ledger hears nothing of them."""
    book = Book()

    with pytest.raises(error, match=message):
        dps.median([1, 3], **given, ledger=book)
    assert not book.spent


@pytest.mark.parametrize("values", [[], [None, "x"], [np.nan, 1e300]])
def test_any_column_is_an_answer(values) -> None:
    """Whether there are usable records is private."""
    assert 0 <= dps.median(values, lower=0, upper=9, epsilon=1).value <= 9
