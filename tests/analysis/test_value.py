"""How far off released numbers are."""

from __future__ import annotations

import numpy as np
import pytest

import dpselect as dps


@pytest.mark.parametrize("noise", ["student-t", "cauchy"])
@pytest.mark.parametrize(
    "probability", [0.1, *(pytest.param(each, marks=pytest.mark.slow) for each in (0.5, 0.9)), 0.99]
)
def test_answers_are_within_the_error_with_at_least_its_probability(noise: str, probability: float) -> None:
    """By their own law, and not much more often."""
    how = {"noise": noise, "beta": 0.2, "tick": 1 / 64}
    error = dps.accuracy.value_error(1.5, epsilon=2, probability=probability, **how)
    answers = np.arange(-10_000, 10_001) / 64
    law = dps.accuracy.value_pmf(0.1, 1.5, epsilon=2, answers=answers, **how)
    within = law[np.abs(answers - 0.1) <= error].sum()

    assert law.sum() > 0.99
    assert probability <= within <= probability + 0.02


def test_an_answer_stands_for_its_tick() -> None:
    """The nearest one."""
    assert dps.accuracy.value_pmf(0, 1, epsilon=1, answers=[2.9], beta=0.1, tick=1) == dps.accuracy.value_pmf(
        0, 1, epsilon=1, answers=[3], beta=0.1, tick=1
    )


def test_a_probability_is_one() -> None:
    """Between 0 and 1."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        dps.accuracy.value_error(1, epsilon=1, probability=1, beta=0.1, tick=1)
