"""The median by rank."""

import numpy as np
import pytest

import dpselect as dps
from dpselect.utilities import median, percentile
from tests.utilities.enumeration import admissible, tabulate


def test_candidates_are_values_and_the_median_scores_best() -> None:
    """Rank floor(n / 2) + 1, whatever the order; the grid is the bounds and the step."""
    scores = median([7, 1, 3, 9], lower=0, upper=10)

    assert list(range(11)) == scores.candidates.tolist()
    assert [7] == scores.candidates[scores.values == 0].tolist()
    assert "add-remove" == scores.neighbours


@pytest.mark.parametrize("bounds", [{"lower": 0, "upper": 2}, {"grid": range(3)}])
def test_it_is_admissible(bounds) -> None:
    """On multisets of three values, with sensitivity 1; half of it would not be enough."""
    table = tabulate(lambda x: median(x, **bounds), dps.audit.multisets(range(3), 7))

    assert admissible(table)
    assert not admissible(table, 0.5)


def test_it_is_the_fiftieth_percentile() -> None:
    """The same scores and distances."""
    values = np.arange(0, 100, 7)
    one, other = median(values, lower=0, upper=99, step=3), percentile(values, 50, grid=range(0, 100, 3))

    assert one.values.tolist() == other.values.tolist()
    assert one.distance.tolist() == other.distance.tolist()


@pytest.mark.parametrize(
    ("bounds", "error", "message"),
    [
        ({}, dps.PrivacyError, "pass grid="),
        ({"upper": 4}, dps.PrivacyError, "lower=, upper= and step="),
        ({"lower": 4, "upper": 0}, ValueError, "below upper"),
        ({"lower": 0.5, "upper": 4}, ValueError, "pass step="),
        ({"lower": 0, "upper": 4, "grid": [0, 4]}, ValueError, "named twice"),
        ({"grid": [4, 0]}, ValueError, "strictly increasing"),
    ],
)
def test_bad_bounds_are_refused(bounds, error, message: str) -> None:
    """The candidates are public and never read from the records."""
    with pytest.raises(error, match=message):
        median([1, 2], **bounds)
