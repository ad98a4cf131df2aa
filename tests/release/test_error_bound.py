"""Every release says how wrong it may be at worst, from public facts alone; or nothing, where nobody knows."""

import math
from fractions import Fraction

import ibis
import numpy as np
import pyarrow
import pytest

import dpselect as dps

FLIP, EXPONENTIAL = dps.mechanism("permute-and-flip"), dps.mechanism("exponential")


@pytest.mark.parametrize("mechanism", [FLIP, EXPONENTIAL], ids=lambda each: each.name)
@pytest.mark.parametrize("range_bound", [1, 2])
def test_a_release_states_what_planning_said(mechanism, range_bound) -> None:
    """For integers and real numbers, one choice; the same whatever the scores are."""
    for kind, array in (("integer", np.array([900, 4, 0])), ("real", np.array([1e30, 4.5, 0]))):
        planned = dps.error_bound(
            epsilon=Fraction(1, 3),
            candidates=3,
            mechanism=mechanism,
            sensitivity=2.5,
            range_bound=range_bound,
            kind=kind,
        )
        for values in (array, array * 0):
            scores = dps.Scores(values, 2.5, range_bound=range_bound)
            release = dps.select(scores, epsilon=Fraction(1, 3), mechanism=mechanism)

            assert planned == release.error_bound
            assert release.error_bound.at(0.9) == planned.at(0.9) < release.error_bound.at(0.99)


def test_the_epsilon_that_is_needed_gives_the_accuracy_that_was_wished() -> None:
    """There and back, for a choice and for lists."""
    scores = dps.Scores(np.arange(1000), 1, range_bound=1)
    for k, mechanism in ((1, FLIP), (1, EXPONENTIAL), (5, EXPONENTIAL)):
        public = {"candidates": 1000, "k": k, "mechanism": mechanism, "range_bound": 1, "kind": "integer"}
        epsilon = dps.epsilon_for(error=10, probability=0.95, **public)

        assert 10 == dps.top_k(scores, k, epsilon=epsilon, mechanism=mechanism).error_bound.at(0.95)


def test_nothing_is_said_where_no_worst_case_is_known() -> None:
    """Dampening, other noise, bounds of their own, and lists that permute-and-flip peels."""
    scores = dps.Scores([5, 1, 0], dps.sensitivity.constant(1), kind="integer")
    for name in ("local-dampening", "local-dampening-flip", "noisy-max-laplace", "smooth-noisy-max"):
        release = dps.select(scores, epsilon=1, mechanism=dps.mechanism(name))

        assert isinstance(release.error_bound, dps.accuracy.NoBound)
        with pytest.raises(ValueError, match=f"No bound on the error is known: .*{name}"):
            release.error_bound.at()


def test_lists_state_what_they_were_drawn_by() -> None:
    """One pass by permute-and-flip, peeling by the exponential mechanism; not the other way round."""
    scores = dps.Scores(np.arange(40), 1, range_bound=1)
    public = {"candidates": 40, "k": 3, "range_bound": 1, "kind": "integer"}
    once = dps.top_k(scores, 3, epsilon=2, mechanism=FLIP)
    one_by_one = dps.top_k(scores, 3, epsilon=2, mechanism=EXPONENTIAL)

    assert once.error_bound == dps.error_bound(epsilon=2, **public)
    assert one_by_one.error_bound == dps.error_bound(epsilon=2, mechanism="exponential", **public)
    assert once.error_bound.at() < one_by_one.error_bound.at()
    assert isinstance(
        dps.top_k(scores, 3, epsilon=2, mechanism=FLIP, method="peeling").error_bound, dps.accuracy.NoBound
    )


def test_unequal_bounds_are_measured_by_the_largest() -> None:
    """The mechanism divides by it, so the statement holds."""
    bounds = dps.sensitivity.element(lambda t: np.array([0.5, 2.0, 1.0]), ceiling=2.0, reach=0)
    release = dps.select(dps.Scores([3.0, 1.0, 0.0], bounds), epsilon=1, mechanism=FLIP)

    assert release.error_bound == dps.error_bound(epsilon=1, candidates=3, sensitivity=2.0)


def test_candidates_in_an_engine_state_the_same() -> None:
    """Where their number is public before anything is counted; otherwise nothing."""
    votes = ibis.memtable(pyarrow.table({"name": ["ann", "bob"], "votes": [900, 20]}))
    known = dps.data.Candidates(votes, "name", "votes", 1, domain=["ann", "bob", "eve"], range_bound=1)
    there = dps.data.Candidates(votes, "name", "votes", 1, domain="rows")

    stated = dps.select(known, epsilon=1, mechanism=FLIP).error_bound
    assert stated == dps.error_bound(epsilon=1, candidates=3, range_bound=1, kind="integer")
    assert isinstance(dps.select(there, epsilon=1, mechanism=FLIP).error_bound, dps.accuracy.NoBound)


def test_a_median_counts_records() -> None:
    """Rank scores are integers of sensitivity 1: how many records to add or remove."""
    release = dps.median([3, 4, 5], lower=0, upper=100, epsilon=0.5)

    assert release.error_bound == dps.error_bound(epsilon=0.5, candidates=101, kind="integer")
    assert math.isfinite(release.error_bound.at(0.999))


def test_what_a_release_shows_and_equals_does_not_change() -> None:
    """The statement is in neither."""
    release = dps.select(dps.Scores([1], 1), epsilon=1, mechanism=FLIP)

    assert "worst" not in repr(release)
    assert release == dps.Release(0, release.mechanism, release.guarantee, single=True)
