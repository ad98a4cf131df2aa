"""Which mechanism to use."""

import math

import pytest

import dpselect as dps


def test_counts_want_permute_and_flip() -> None:
    """A small global sensitivity and monotone scores: the classic, with every figure exact."""
    advice = dps.recommend(dps.Scores([60, 40, 5], sensitivity=1, range_bound=1), 0.1, data="example")

    assert "permute-and-flip" == advice.mechanism.name
    errors = {name: error for name, error, why in advice.table if not why}
    assert errors["permute-and-flip"] == min(errors.values())
    assert math.isclose(
        errors["exponential"],
        dps.expected_error(
            dps.Scores([60, 40, 5], sensitivity=1, range_bound=1), 0.1, mechanism=dps.mechanism("exponential")
        ),
    )


def test_a_score_that_cannot_change_soon_wants_a_smooth_bound() -> None:
    """0/1 scores that are safe for 300 steps."""
    safe = dps.sensitivity.local(lambda t: float(t >= 300), ceiling=1.0)
    advice = dps.recommend(dps.Scores([1.0, *[0.0] * 50], safe), 0.5, data="public")

    assert advice.mechanism.name in ("smooth-noisy-max", "local-dampening", "local-dampening-flip", "local-dampening-t")
    assert dps.expected_error(
        dps.Scores([1.0, *[0.0] * 50], safe), 0.5, mechanism=advice.mechanism
    ) < dps.expected_error(dps.Scores([1.0, *[0.0] * 50], safe), 0.5, mechanism=dps.mechanism("permute-and-flip"))


def test_what_does_not_apply_says_why() -> None:
    """No reach, no distances: the table holds the reason in place of a figure."""
    advice = dps.recommend(dps.Scores([3.0, 1.0], dps.sensitivity.local(lambda t: 1 + t)), 1, data="public")
    reasons = {name: why for name, _, why in advice.table if why}

    assert "reach" in reasons["shifted-local-dampening"]
    assert "distance=" in reasons["inverse-sensitivity"]
    assert "public ceiling" in reasons["exponential"]
    assert advice.mechanism.name.startswith("local-dampening")
    assert "shifted-local-dampening" in str(advice)


@pytest.mark.parametrize("data", [None, "private", "mine"])
def test_undeclared_data_is_refused(data) -> None:
    """A choice made on private scores leaks."""
    with pytest.raises(dps.PrivacyError, match='data="public" or data="example"'):
        dps.recommend(dps.Scores([1, 2], 1), 1, data=data)


def test_bad_epsilon_is_refused() -> None:
    """As everywhere."""
    with pytest.raises(ValueError, match="positive and finite"):
        dps.recommend(dps.Scores([1, 2], 1), 0, data="public")
