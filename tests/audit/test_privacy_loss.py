"""Exact losses."""

import math

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit

PAIR = audit.metric_space([[0, 1], [1, 0]])


def test_randomised_response_loses_the_logarithm_of_its_odds() -> None:
    """Truth with probability 3/4: ln 3, kept at 1.1 and broken at 1."""
    law = lambda x: {x: 0.75, 1 - x: 0.25}  # noqa: E731

    assert math.isclose(math.log(3), audit.privacy_loss_of_pmf(law, PAIR, epsilon=1).worst)
    assert not audit.privacy_loss_of_pmf(law, PAIR, epsilon=1).holds
    assert audit.privacy_loss_of_pmf(law, PAIR, epsilon=1.1).holds


def test_delta_is_the_mass_beyond_epsilon() -> None:
    """An outcome that one side cannot have costs its probability."""
    law = lambda x: {"both": 0.9, x: 0.1}  # noqa: E731
    found = audit.privacy_loss_of_pmf(law, PAIR, epsilon=1, delta=0.1)

    assert math.isinf(found.worst)
    assert math.isclose(0.1, found.delta)
    assert found.holds
    assert not audit.privacy_loss_of_pmf(law, PAIR, epsilon=1, delta=0.09).holds


def test_the_pair_and_the_outcome_are_named() -> None:
    """In words that a reader can check."""
    found = audit.privacy_loss(
        dps.mechanism("exponential"),
        lambda x: dps.Scores([len(x), 0], 1, candidates=["many", "none"]),
        audit.multisets("a", 3),
        epsilon=1,
    )

    assert "for outcome many between {" in str(found) or "for outcome none between {" in str(found)
    assert found.holds


def test_lists_are_peeled_at_a_share_of_epsilon() -> None:
    """The joint law of two picks by hand: each at half epsilon."""
    from fractions import Fraction

    from dpselect.audit.privacy_loss import top_k_log_pmf

    mechanism = dps.mechanism("exponential")
    unit = mechanism.effective(dps.Scores([2, 1, 0], 1))
    first = mechanism.pmf(dps.Scores([2, 1, 0], 1), Fraction(1, 2))
    rest = mechanism.pmf(dps.Scores([1, 0], 1), Fraction(1, 2))

    assert np.isclose(math.log(first[0] * rest[0]), top_k_log_pmf(mechanism, unit, 2, Fraction(1))[0])


def test_whole_applications_fit() -> None:
    """Two different selections on the same data cost the sum of their epsilons."""

    def law(records) -> dict:
        ones = int(sum(records))
        scores = dps.Scores([ones, len(records) - ones], 1)
        first, second = (dps.mechanism(name).pmf(scores, 0.5) for name in ("exponential", "permute-and-flip"))
        return {(i, j): first[i] * second[j] for i in range(2) for j in range(2)}

    universe = audit.multisets([0, 1], 5)
    assert audit.privacy_loss_of_pmf(law, universe, epsilon=1).holds
    assert not audit.privacy_loss_of_pmf(law, universe, epsilon=0.4).holds


def test_a_universe_without_neighbours_loses_nothing() -> None:
    """There is nobody to betray."""
    found = audit.privacy_loss_of_pmf(lambda x: {x: 1.0}, audit.metric_space([[0, 5], [5, 0]]), epsilon=1)

    assert (0.0, True, 0) == (found.worst, found.holds, found.pairs)


def test_bad_laws_and_long_lists_are_refused() -> None:
    """A law sums to 1, and lists must be few enough to write down."""
    with pytest.raises(ValueError, match="not a distribution"):
        audit.privacy_loss_of_pmf(lambda x: {0: 0.5}, PAIR, epsilon=1)
    with pytest.raises(ValueError, match="not a distribution"):
        audit.privacy_loss_of_pmf(lambda x: {0: float("nan")}, PAIR, epsilon=1)
    with pytest.raises(ValueError, match="ordered lists"):
        audit.privacy_loss(dps.mechanism("exponential"), lambda x: dps.Scores([0] * 60, 1), PAIR, epsilon=1, k=4)


def test_the_pair_attains_the_worst() -> None:
    """Its two laws differ by the worst loss, and no two neighbours need be there."""
    universe = audit.multisets([0, 1], 4)

    def heads(records: np.ndarray) -> dps.Scores:
        return dps.Scores([int(records.sum()), int((1 - records).sum())], 1, range_bound=1, kind="integer")

    loss = audit.privacy_loss("exponential", heads, universe, epsilon=1)
    assert loss.pair is not None
    here, there = (dps.mechanism("exponential").log_pmf(heads(universe[place]), 1) for place in loss.pair)

    assert loss.worst == pytest.approx(float(np.abs(here - there).max()))
    assert None is audit.privacy_loss("exponential", heads, audit.multisets([0, 1], 0), epsilon=1).pair
