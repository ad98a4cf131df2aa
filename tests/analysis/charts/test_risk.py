"""The picture of a promise is its trade-off curve."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import dpselect as dps
from dpselect.analysis.charts.risk import detection_rate, risk_chart
from dpselect.ledger.attack import attack_success

ALARMS = np.linspace(0, 1, 201)


def test_a_pure_promise_is_that_of_randomised_response() -> None:
    """Its corner is the best attack; no law of its epsilon lies above it."""
    promise = dps.Guarantee(1, "add-remove")
    lie = 1 / (1 + math.e)

    assert 1 - lie == pytest.approx(detection_rate(promise, lie)) == pytest.approx(attack_success(promise))
    best = max((1 + detection_rate(promise, alarms) - alarms) / 2 for alarms in ALARMS)
    assert attack_success(promise) * 0.999 < best <= attack_success(promise)
    mechanism = dps.mechanism("permute-and-flip")
    here, there = (mechanism.pmf(dps.Scores(v, 1, kind="integer"), 1)[0] for v in ([1, 0], [0, 1]))
    assert here <= detection_rate(promise, there)


def test_a_delta_is_found_without_an_alarm() -> None:
    """And all is found with enough of them."""
    leaky = dps.Guarantee(1, "add-remove", 0.1)
    assert (0.1, 1) == (detection_rate(leaky, 0), detection_rate(leaky, 1))


@pytest.mark.parametrize("rho", [0.01, 0.1, 1.0])
def test_gaussian_noise_lies_below_its_rho(rho: float) -> None:
    """Everywhere, and not far below."""
    promise = dps.Guarantee.from_rho(rho, 1e-6, "add-remove")
    true = norm.cdf(norm.ppf(ALARMS[1:-1]) + math.sqrt(2 * rho))
    bound = np.array([detection_rate(promise, alarms) for alarms in ALARMS[1:-1]])

    assert (true <= bound + 1e-12).all()
    assert (bound - true).max() < 0.25


def test_the_chart_says_the_risk_in_words() -> None:
    """Below its title, with the line and the diagonal."""
    chart = risk_chart(dps.Guarantee(1, "add-remove")).to_dict()
    assert "right at most 74 % of the time" in " ".join(chart["title"]["subtitle"])
    assert 101 == len(chart["data"]["values"])
