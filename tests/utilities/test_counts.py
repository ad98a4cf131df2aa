"""Counts."""

import numpy as np
import pytest

import dpselect as dps
from dpselect.utilities import counts
from tests.utilities.enumeration import admissible, tabulate


def of_records(records: np.ndarray) -> dps.Scores:
    """Counts of three kinds."""
    return counts([int((records == kind).sum()) for kind in range(3)])


def test_counts_are_exact_monotone_scores() -> None:
    """Integers, sensitivity 1, range bound 1, and the changes that would make each the largest."""
    scores = counts([5, 9, 0], ["tea", "coffee", "milk"])

    assert ([5, 9, 0], [4, 0, 9], 1, 1.0) == (
        scores.values.tolist(),
        scores.distance.tolist(),
        scores.range_bound,
        scores.sensitivity.ceiling,
    )


def test_one_is_admissible_and_half_is_not() -> None:
    """On all multisets of three kinds of at most eight records."""
    table = tabulate(of_records, dps.audit.multisets(range(3), 8))

    assert admissible(table)
    assert not admissible(table, 0.5)


def test_the_distance_is_the_number_of_changes() -> None:
    """By search among multisets with room to grow; ties count as largest."""
    universe = dps.audit.multisets(range(3), 9)
    every = [of_records(records) for records in universe]
    largest = np.array([scores.values == scores.values.max() for scores in every])

    for x in np.flatnonzero(universe.sizes <= 4):
        far = universe.distances(int(x))
        assert [far[largest[:, r]].min() for r in range(3)] == every[x].distance.tolist()


@pytest.mark.parametrize("bad", [[], [1.5, 2], [-1, 2], ["a"], [[1, 2]]])
def test_counts_must_be_integers_from_zero(bad) -> None:
    """One a candidate, zeros included."""
    with pytest.raises(ValueError, match="integers >= 0"):
        counts(bad)
