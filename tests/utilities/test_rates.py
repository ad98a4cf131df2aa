"""True positive and true negative rates."""

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.claims import _rate
from dpselect.utilities import true_negative_rate, true_positive_rate
from tests.utilities.enumeration import admissible, tabulate


@pytest.mark.parametrize("utility", [true_positive_rate, true_negative_rate])
def test_the_sensitivity_is_admissible(utility) -> None:
    """Two classifiers, all multisets of six records; a little less would not be."""
    table = tabulate(lambda records: _rate(utility, records), dps.audit.multisets(range(5), 6))

    assert admissible(table)
    assert not admissible(table, 0.9)


def test_both_rates_under_one_epsilon() -> None:
    """3 TPR + 2 TNR: one record touches one of both, so the ceiling is 3."""
    both = dps.multiobjective.aggregate(
        [true_positive_rate([3, 1], 4), true_negative_rate([10, 20], 20)], [3, 2], max_changed="one"
    )

    assert np.allclose([3.25, 2.75], both.values)
    assert 3.0 <= both.sensitivity.ceiling < 3.001


def test_without_positives_every_rate_is_zero() -> None:
    """And one record may change that by 1."""
    scores = true_positive_rate([0, 0], 0)

    assert ([0.0, 0.0], 1.0) == (scores.values.tolist(), scores.sensitivity.at(0)[0])


@pytest.mark.parametrize(
    ("found", "there", "message"),
    [
        ([5], 4, "more positives than there are"),
        ([-1], 4, "integers >= 0"),
        ([1.5], 4, "integers >= 0"),
        ([1], -1, "positives must be"),
    ],
)
def test_bad_counts_are_refused(found, there, message: str) -> None:
    """One sentence."""
    with pytest.raises(ValueError, match=message):
        true_positive_rate(found, there)
