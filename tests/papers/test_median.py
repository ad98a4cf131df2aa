"""The record whose value is nearest to the median."""

import numpy as np
import pytest

import dpselect as dps
from dpselect.papers import median
from tests.utilities.enumeration import admissible, tabulate, tightness


def test_records_score_minus_their_distance_to_the_middle() -> None:
    """The m-th smallest, m = ceil(n / 2); integers stay integers."""
    scores = median([7, 1, 3, 9], upper=10)

    assert [-4, -2, 0, -6] == scores.values.tolist()
    assert np.int64 == scores.values.dtype
    assert "substitution" == scores.neighbours


@pytest.mark.parametrize(
    ("size", "most"),
    [
        (2, 4),
        (3, 5),
        (4, 3),
        (5, 2),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((4, 4), (5, 3), (6, 2))),
    ],
)
def test_the_sensitivity_is_exact_on_every_vector(size: int, most: int) -> None:
    """Admissible, and equal to the exact element local sensitivity at every distance."""
    table = tabulate(lambda x: median(x, upper=most), dps.audit.vectors(size, range(most + 1)))

    assert admissible(table)
    assert np.array_equal(table.exact, table.at)
    assert not admissible(table, 0.9)


def test_decimals_are_rounded_upwards() -> None:
    """On a grid of decimals the bound stays admissible and almost exact."""
    grid = (np.arange(5) / 10 + 3.3).tolist()
    table = tabulate(lambda x: median(x, lower=3.3, upper=3.7), dps.audit.vectors(3, grid))

    assert admissible(table)
    assert tightness(table)[1] < 1 + 1e-12


def test_the_published_algorithm_is_too_low() -> None:
    """x = (0, 0, 1), L = 4, first record, t = 1: Algorithm 2 gives 3."""
    assert 4.0 == median([0, 0, 1], upper=4).sensitivity.at(1)[0]


def test_equal_values_share_a_row() -> None:
    """Ten thousand records of three values have three profiles."""
    values = np.repeat([1, 5, 9], [4000, 3000, 3000])
    sensitivity = median(values, upper=10).sensitivity

    assert (2, 3) == sensitivity.rows(np.array([0, 1])).shape
    assert (10.0, 5001) == (sensitivity.ceiling, sensitivity.reach)
    assert 10.0 == sensitivity.rows(np.array([5001])).min()


def test_columns_and_bounds_below_zero_are_welcome() -> None:
    """Scores depend on x - lower only."""
    shifted = median(dps.data.Column([-3, 0, 4]), lower=-5, upper=5)

    assert [-3, 0, -4] == shifted.values.tolist()
    assert np.array_equal(median([2, 5, 9], upper=10).sensitivity.at([0, 1]), shifted.sensitivity.at([0, 1]))


@pytest.mark.parametrize(
    ("values", "bounds", "error", "message"),
    [
        ([1, 2], {}, dps.PrivacyError, "needs upper="),
        ([], {"upper": 4}, ValueError, "column is empty"),
        ([3], {"upper": 4}, ValueError, "single record"),
        (np.array([[1, 2]]), {"upper": 4}, ValueError, "one-dimensional"),
        (np.array([1j, 2]), {"upper": 4}, TypeError, "no numbers"),
        ([1, 2], {"upper": 2**62}, ValueError, r"within 2\^61"),
        ([1, 2], {"lower": 4, "upper": 4}, ValueError, "below upper"),
        ([1, 2], {"upper": np.inf}, ValueError, "finite"),
        ([1, 2], {"upper": "9"}, TypeError, "real numbers"),
    ],
)
def test_bad_columns_are_refused(values, bounds, error, message: str) -> None:
    """One sentence that says what to do, and no value in it."""
    with pytest.raises(error, match=message):
        median(values, **bounds)


def test_the_bounds_say_which_kind_of_number_it_is() -> None:
    """One fraction among integers changes its own value alone, never the kind; bounds of floats make floats."""
    whole, mixed = median([1, 2, 3], upper=4), median([1, 2, 2.5], upper=4)

    assert np.int64 == whole.values.dtype == mixed.values.dtype
    assert [-1, 0, 0] == mixed.values.tolist()
    assert np.float64 == median([1, 2, 3], lower=0.5, upper=3.5).values.dtype
    assert [-1.0, 0.0, 0.5 - 1] == median([1, 2, 2.5], upper=4.0).values.tolist()


@pytest.mark.parametrize(
    ("hostile", "read"), [("x", 0), (None, 0), (np.nan, 0), (1e300, 9), (-7, 0), ("8", 8), ({}, 0)]
)
def test_a_record_moves_its_own_value_only(hostile, read: int) -> None:
    """Outside the bounds it is the nearest bound; missing or not a number it is the lower one."""
    assert median([3, 4, read], upper=9).values.tolist() == median([3, 4, hostile], upper=9).values.tolist()
    assert median([3, 4, read], upper=9.0).values.tolist() == median([3, 4, hostile], upper=9.0).values.tolist()


def test_integers_never_pass_through_floats() -> None:
    """2^60 and 2^60 + 1 are one apart, with a missing record or text beside them."""
    scores = median([2**60, 2**60 + 1, str(2**60 + 3), None], upper=2**61)

    assert [0, -1, -3, -(2**60)] == scores.values.tolist()
