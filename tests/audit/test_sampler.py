"""The test of samplers."""

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit
from dpselect.release.system_noise import SystemNoise

SCORES = dps.Scores([4.0, 3.0, 3.0, 0.0], 1.0, distance=[0, 1, 1, 4])


# All of them are drawn from in tests/verification; here it is the test of samplers that is tried.
FEW = ("exponential", "permute-and-flip", "inverse-sensitivity")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in FEW else pytest.mark.slow) for name in dps.mechanisms.MECHANISMS],
)
def test_shipped_samplers_are_accepted(name: str, entropy) -> None:
    """Against their law, with both wrong laws rejected at the power asked for."""
    verdict = audit.sampler_of(dps.mechanism(name), SCORES, epsilon=4, outcomes=SystemNoise(lambda: entropy))

    assert verdict.is_accepted, str(verdict)
    assert all(rejection.power > 1 - 1e-6 for rejection in verdict.rejections)


def test_somebody_elses_sampler_can_be_tried() -> None:
    """NumPy's Gumbel noise follows the law of the exponential mechanism."""
    draw = np.random.default_rng(7)
    law = dps.mechanism("exponential").pmf(SCORES, 2)
    wrong = dps.mechanism("permute-and-flip").pmf(SCORES, 2)
    verdict = audit.sampler(
        lambda: int(np.argmax(SCORES.values + draw.gumbel(size=4))),
        dict(enumerate(law)),
        against={"permute-and-flip": dict(enumerate(wrong))},
    )

    assert verdict.is_accepted, str(verdict)


def test_a_wrong_sampler_is_not_believed() -> None:
    """Draws at 1.3 epsilon against the law at epsilon."""
    draw = np.random.default_rng(7)
    law = dps.mechanism("exponential").pmf(SCORES, 2)
    verdict = audit.sampler(
        lambda: int(np.argmax(1.3 * SCORES.values + draw.gumbel(size=4))), dict(enumerate(law)), draws=20_000
    )

    assert not verdict.is_accepted
    assert "does NOT follow" in str(verdict)


def test_without_enough_draws_nothing_is_rejected_and_nothing_accepted() -> None:
    """Power is part of the verdict: a handful of draws cannot tell."""
    draw = np.random.default_rng(7)
    claim, wrong = {0: 0.5, 1: 0.5}, {0: 0.55, 1: 0.45}
    verdict = audit.sampler(lambda: int(draw.integers(2)), claim, against={"loaded": wrong}, draws=50)

    assert not verdict.is_accepted
    assert verdict.rejections[0].power < 0.01
    assert "NOT rejected" in str(verdict)


def test_p_values_are_exact_and_false_alarms_rare() -> None:
    """Of 100 honest tests none comes near the threshold of 10^-9."""
    draw = np.random.default_rng(1)
    values = [
        audit.sampler(lambda: int(draw.integers(3)), dict.fromkeys(range(3), 1 / 3), draws=300).p_value
        for _ in range(100)
    ]

    assert min(values) > 1e-5
    assert max(values) <= 1


def test_bad_laws_and_unknown_outcomes_are_refused() -> None:
    """A law is a distribution, and draws are its outcomes."""
    with pytest.raises(ValueError, match="sum to 1"):
        audit.sampler(lambda: 0, {0: 0.5})
    with pytest.raises(ValueError, match="which the law does not know"):
        audit.sampler(lambda: 9, {0: 1.0})
