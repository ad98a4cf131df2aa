"""Synthesis as Imola and Yang 2018 imagine it: the form that is searched for, and when it counts as found."""

import numpy as np
import pytest

from dpselect.studies.engine.experiment import QUICK, Point, Results
from dpselect.studies.papers.jostle_synthesis import BOTH, EXPERIMENT, FACT, NOISES, measure


def test_little_noise_hides_nothing() -> None:
    """Every search finds fact and power."""
    points = measure({"noise": 0.01}, QUICK, np.random.default_rng(3))

    assert {(FACT, 1.0), (BOTH, 1.0)} == {(each.series, each.value) for each in points}


@pytest.mark.parametrize(
    ("shares", "verdict"), [((1, 0.9, 0.5, 0.2, 0), "reproduced"), ((0.7, 0.2, 0, 0, 0), "refuted")]
)
def test_found_means_four_searches_of_five(shares: tuple[float, ...], verdict: str) -> None:
    """At some of the noises that were tried."""
    (claim,) = EXPERIMENT.claims
    panel = "searches that find it"
    line = [Point(panel, BOTH, noise, share) for noise, share in zip(NOISES, shares, strict=True)]

    assert verdict == claim.judge(Results(line)).verdict
