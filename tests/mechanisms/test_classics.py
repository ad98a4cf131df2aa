"""The exponential mechanism, permute-and-flip and noisy max with Laplace noise."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps

CLASSICS = ["exponential", "permute-and-flip", "noisy-max-laplace"]


def test_example_3_6_1() -> None:
    """Farias et al. 2023, Example 3.6.1: EBC scores of Figure 9c, Du = 7.5, epsilon 2: 0.22 and 0.09."""
    scores = dps.Scores([6.5, 6.5, 0, 0, 0, 0, 0, 0], sensitivity=7.5)

    assert [0.22, 0.22, 0.09] == dps.mechanism("exponential").pmf(scores, 2)[:3].round(2).tolist()


def test_permute_and_flip_of_two_is_closed_form() -> None:
    """The worse of two wins with probability p/2."""
    scores = dps.Scores([3, 0], sensitivity=1, kind="integer")

    assert math.isclose(math.exp(-1.5) / 2, dps.mechanism("permute-and-flip").pmf(scores, 1)[1])


@pytest.mark.parametrize("name", CLASSICS)
def test_monotone_scores_cost_half(name: str) -> None:
    """Range bound 1 at epsilon is range bound 2 at twice epsilon."""
    values = [4, 2, 2, 0]
    mechanism = dps.mechanism(name)
    one = mechanism.pmf(dps.Scores(values, 1, range_bound=1, kind="integer"), 1)
    two = mechanism.pmf(dps.Scores(values, 1, range_bound=2, kind="integer"), 2)

    assert np.allclose(one, two, rtol=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=9),
    st.integers(-(2**40), 2**40),
    st.sampled_from(CLASSICS),
)
def test_a_common_shift_changes_nothing(values, by, name) -> None:
    """Samplers look at differences only."""
    mechanism = dps.mechanism(name)
    here = mechanism.pmf(dps.Scores(values, 7, kind="integer"), 3)
    there = mechanism.pmf(dps.Scores([value + by for value in values], 7, kind="integer"), 3)

    assert here.tolist() == there.tolist()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9), st.sampled_from(CLASSICS))
def test_floats_and_integers_agree(values, name) -> None:
    """The law on ticks is the formula on floats within about epsilon 2^-19 a unit of gap."""
    scores = dps.Scores(values, sensitivity=1.0)
    whole = dps.Scores(np.floor(np.array(values) * 2**20).astype(np.int64), sensitivity=2**20)
    mechanism = dps.mechanism(name)
    gap = np.ptp(values)

    assert np.allclose(mechanism.log_pmf(scores, 1), mechanism.log_pmf(whole, 1), atol=2.0**-19 * (gap + 1), rtol=0)


@pytest.mark.parametrize("name", CLASSICS)
def test_one_candidate_always_wins(name: str) -> None:
    """A single candidate has probability one."""
    scores = dps.Scores([-3.5], sensitivity=1)

    assert [1.0] == dps.mechanism(name).pmf(scores, 0.01).round(12).tolist()
    assert 0 == dps.select(scores, epsilon=0.01, mechanism=dps.mechanism(name)).value


@pytest.mark.parametrize("name", CLASSICS)
def test_no_global_sensitivity_no_release(name: str) -> None:
    """Without a public ceiling the classics refuse and name the remedy."""
    scores = dps.Scores([1.0, 2.0], dps.sensitivity.local(lambda t: 1 + t))
    with pytest.raises(dps.PrivacyError, match="pass a public ceiling=, or use local-dampening"):
        dps.mechanism(name).effective(scores)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    """A typing mistake gets a suggestion."""
    with pytest.raises(ValueError, match="did you mean permute-and-flip"):
        dps.mechanism("permute-and-flop")
    with pytest.raises(ValueError, match="did you mean"):
        dps.mechanism("zzz")
    with pytest.raises(TypeError, match="does not take seed"):
        dps.mechanism("exponential", seed=1)
