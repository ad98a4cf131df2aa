"""The best attack on one record, on exact laws."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

import dpselect as dps
from dpselect.ledger.attack import attack_success, in_words, risk_of


def seen(here: np.ndarray, there: np.ndarray) -> float:
    """How often the best guess is right, of two laws with even odds."""
    return float(np.maximum(here, there).sum() / 2)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_randomised_response_attains_it(epsilon: float) -> None:
    """As e^epsilon to 1, and with a delta everything is told that often."""
    truth = 1 / (1 + math.exp(-epsilon))
    told = dps.Guarantee(epsilon, "edge", Fraction(1, 10))

    assert truth <= attack_success(dps.Guarantee(epsilon, "edge")) <= truth * (1 + 1e-11)
    assert 0.1 + 0.9 * truth == pytest.approx(attack_success(told), rel=1e-9)


@pytest.mark.parametrize("name", ["permute-and-flip", "exponential"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_no_choice_is_seen_through_more_often(name: str, epsilon: float) -> None:
    """And a pair of two candidates comes near."""
    mechanism, worst = dps.mechanism(name), 0.0
    for first, moves in (([0, 0], [1, -1]), ([1, 0], [-1, 1]), ([3, 0, 0], [-1, 1, 1]), ([0, 1, 2], [1, -1, 1])):
        pair = [dps.Scores(values, 1, kind="integer") for values in (first, np.add(first, moves).tolist())]
        worst = max(worst, seen(*(mechanism.pmf(scores, epsilon) for scores in pair)))
    claimed = attack_success(mechanism.guarantee(dps.Scores([0, 0], 1), epsilon))

    assert worst <= claimed < 0.5 + 1.2 * (worst - 0.5)
    assert claimed < attack_success(dps.Guarantee(epsilon, "add-remove"))


def test_two_choices_are_not_one_of_bounded_range() -> None:
    """Their ranges do not add up to one."""
    ranged = dps.Guarantee(1, "edge", bounded_range=True)
    here = np.array([math.exp(0.5), 1.0]) / (1 + math.exp(0.5))
    both = seen(np.outer(here, here).ravel(), np.outer(here[::-1], here[::-1]).ravel())

    assert math.tanh(0.25) < 2 * both - 1 <= 2 * attack_success(ranged, 2) - 1 == pytest.approx(-math.expm1(-1))
    assert attack_success(dps.Guarantee(1, "edge"), 3) == attack_success(dps.Guarantee(3, "edge"))


@pytest.mark.parametrize("rho", [0.001, 0.1, 1.0, 5.0])
def test_gaussian_noise_is_seen_through_no_more_often_than_its_rho_says(rho: float) -> None:
    """Its exact distance is within the bound of every release of that rho."""
    exact = norm.cdf(math.sqrt(rho / 2))

    assert exact <= attack_success(dps.Guarantee.from_rho(rho, 1e-6, "edge")) < 0.5 + 1.4 * (exact - 0.5)


def test_the_sentence_rounds_up() -> None:
    """And never says more than all."""
    assert in_words(0.731).endswith("at most 74 % of the time")
    assert in_words(1.0).endswith("at most 100 % of the time")
    promised = {"epsilon": "1", "delta": "0", "rho": None, "neighbours": "edge", "protects": "one edge"}
    assert risk_of(promised).endswith("at most 74 % of the time")
    assert risk_of(promised | {"epsilon": "<b>"}) == "" == risk_of(promised | {"neighbours": "persons"})
    assert risk_of(promised | {"rho": "0.1", "delta": "0.000001"}).endswith("at most 62 % of the time")
