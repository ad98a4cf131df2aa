"""The least epsilon at which a mechanism is right often enough on public scores."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.analysis.least_epsilon import least_epsilon
from dpselect.mechanisms.registry import MECHANISMS

VOTES = dps.utilities.counts([60, 57, 31, 12, 7])


def right(scores: dps.Scores, epsilon: Fraction | float, mechanism: str) -> float:
    """How often a best candidate is named."""
    return float(dps.mechanism(mechanism).pmf(scores, epsilon)[scores.values == scores.values.max()].sum())


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("probability", [0.3, 0.95])
def test_a_hair_less_is_not_enough(mechanism, probability) -> None:
    """It suffices, and one unit less of its sixth digit does not."""
    found = Fraction(str(least_epsilon(VOTES, probability, mechanism=mechanism)))
    unit = Fraction(10) ** (math.floor(math.log10(found)) - 5)

    assert right(VOTES, found, mechanism) >= probability > right(VOTES, found - unit, mechanism)


def test_the_exponential_mechanism_on_two_candidates() -> None:
    """Its chance is 1 / (1 + e^(-epsilon gap)), so epsilon is the log odds over the gap."""
    found = least_epsilon(dps.utilities.counts([9, 4]), 0.9, mechanism="exponential")

    assert np.isclose(found, math.log(9) / 5, rtol=1e-5)


def test_best_candidates_share_the_wish() -> None:
    """Two of three are best: a uniform draw is right two times in three."""
    tied = dps.utilities.counts([5, 5, 1])

    assert 0 == least_epsilon(tied, Fraction(2, 3), mechanism="permute-and-flip")
    assert 0 < least_epsilon(tied, 0.67, mechanism="permute-and-flip")
    assert 0 == least_epsilon(dps.utilities.counts([5]), 0.999, mechanism="smooth-noisy-max")


def test_extremes() -> None:
    """A gap of 2^53 needs next to nothing, and a ceiling far above all gaps more than 1000."""
    far, close = dps.utilities.counts([2**53, 0]), dps.Scores([1, 0], sensitivity=10**6, kind="integer")

    assert 0 < least_epsilon(far, 0.95, mechanism="exponential") <= 1e-9
    assert math.inf == least_epsilon(close, 0.95, mechanism="exponential")


@pytest.mark.parametrize("probability", [0, 1, 1.5, -1, math.nan])
def test_a_probability_lies_between_0_and_1(probability) -> None:
    """Anything else is refused in a sentence."""
    with pytest.raises(ValueError, match="probability"):
        least_epsilon(VOTES, probability, mechanism="exponential")


def test_every_larger_epsilon_is_enough_too() -> None:
    """Of candidates that are not all of the best ones the chance falls again: the last fall counts."""
    values = np.array([10, 10, 9, 9, 9, 9, 9, 9, 0])
    right = np.array([True, False, *[True] * 6, False])
    scores = dps.utilities.counts(values)
    chance = dps.mechanism("exponential").pmf(scores, 3)[right].sum()

    assert least_epsilon(scores, 0.6, mechanism="exponential", right=right) == np.inf
    assert chance < 0.6 < right.mean()


def test_an_epsilon_from_which_on_it_is_enough_is_the_last_crossing() -> None:
    """Where candidates beside the best are likely at first, less likely then, and at last the best is."""
    values = np.array([12, *[11] * 3, *[0] * 40])
    right = np.array([True, False, False, False, *[True] * 40])
    scores = dps.utilities.counts(values)
    drawn = dps.mechanism("exponential")
    enough = least_epsilon(scores, 0.9, mechanism="exponential", right=right)

    assert right.mean() > 0.9 > drawn.pmf(scores, 1)[right].sum()
    assert all(drawn.pmf(scores, enough * more)[right].sum() >= 0.9 - 1e-12 for more in (1, 1.1, 2, 5))
    assert drawn.pmf(scores, enough * 0.999)[right].sum() < 0.9
