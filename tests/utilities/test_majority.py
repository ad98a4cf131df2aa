"""The 0/1 score of the most frequent."""

import numpy as np
import pytest

import dpselect as dps
from dpselect.utilities import counts, majority
from tests.utilities.enumeration import admissible, tabulate


def of_records(records: np.ndarray) -> dps.Scores:
    """The majority among three kinds."""
    return majority([int((records == kind).sum()) for kind in range(3)])


def test_the_winner_scores_one_and_ties_go_to_the_first() -> None:
    """Exact integers."""
    assert [0, 1, 0] == majority([3, 5, 5]).values.tolist()


@pytest.mark.parametrize(
    ("given", "safe"), [([5, 2, 1], 3), ([2, 5, 1], 2), ([5, 5], 0), ([5, 6], 0), ([0, 0, 0], 0), ([0, 9], 8)]
)
def test_a_rival_that_comes_first_needs_one_step_less(given, safe: int) -> None:
    """T* = min (n_w - n_i - [i < w]); the published T* is the gap."""
    at = majority(given).sensitivity.at(np.arange(12))[:, 0]

    assert ([0.0] * safe + [1.0] * (12 - safe)) == at.tolist()


def test_the_local_sensitivity_is_exact_where_there_is_room() -> None:
    """Against the maximum over candidates of the exact element sensitivity, on multisets of three kinds."""
    table = tabulate(of_records, dps.audit.multisets(range(3), 9))
    room = table.universe.sizes + np.arange(len(table.at))[:, None] <= 8
    local = table.exact.max(axis=2)

    assert admissible(table)
    assert (table.at[:, :, 0] == local)[room].all()


def test_the_published_step_is_one_too_late() -> None:
    """Two counts, the rival first and one behind: one record more ties, and the first wins."""
    assert 0 == majority([5, 6]).values[0]
    assert 1 == majority([6, 6]).values[0]
    assert 1.0 == majority([5, 6]).sensitivity.at(0)[0]


def test_the_counts_answer_the_same_question_better() -> None:
    """Permute-and-flip on the counts errs less often than anything on the 0/1 score tried here."""
    given = [30, 12, 9, 9]
    best = dps.mechanism("permute-and-flip").pmf(counts(given), 0.5)[0]
    for name in ("permute-and-flip", "local-dampening-flip", "smooth-noisy-max"):
        assert dps.mechanism(name).pmf(majority(given), 0.5)[0] < best


@pytest.mark.parametrize(
    ("bad", "message"), [([5], "at least two"), ([-1, 2], "integers >= 0"), ([1.0, 2.0], "integers")]
)
def test_bad_counts_are_refused(bad, message: str) -> None:
    """One candidate is no choice."""
    with pytest.raises(ValueError, match=message):
        majority(bad)
