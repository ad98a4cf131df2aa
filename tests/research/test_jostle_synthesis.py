"""Synthesis as Imola and Yang 2018 imagine it: the form that is searched for, and when it counts as found."""

import numpy as np
import pytest

from research.engine.experiment import QUICK, Point, Results
from research.papers.jostle_synthesis import BOTH, EXPERIMENT, FACT, NOISES, measure


@pytest.mark.slow
def test_little_noise_hides_nothing() -> None:
    """Every search finds fact and power."""
    points = measure({"noise": 0.01}, QUICK, np.random.default_rng(3))

    assert {(FACT, 1.0), (BOTH, 1.0)} == {(each.series, each.value) for each in points}


@pytest.mark.parametrize("shares", [(1, 0.9, 0.5, 0.2, 0), (0.7, 0.2, 0, 0, 0)])
def test_a_form_that_made_the_losses_is_no_evidence_of_itself(shares: tuple[float, ...]) -> None:
    """MWEM is never run: however often the search finds the form, nothing is reproduced or refuted."""
    (claim,) = EXPERIMENT.claims
    panel = "searches that find it"
    line = [Point(panel, BOTH, noise, share) for noise, share in zip(NOISES, shares, strict=True)]
    judgement = claim.judge(Results(line))

    assert "not comparable" == judgement.verdict
    assert "MWEM's own losses on the authors' databases would decide" in judgement.why
