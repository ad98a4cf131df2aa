"""The share of epsilon that pays for a moving scale, where nobody chose one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.mechanisms.smooth.share import declared_share

STEP = dps.sensitivity.local(lambda t: float(t >= 20), ceiling=1.0)
SLOW = dps.sensitivity.local(lambda t: min(1.0, 0.01 + 1e-4 * t), ceiling=1.0)
EVERY = [
    ("smooth-noisy-max", {}),
    ("smooth-noisy-max", {"noise": "cauchy-2"}),
    ("smooth-noisy-max", {"noise": "exponential"}),
    ("smooth-noisy-max", {"noise": "exponential", "delta": 1e-6}),
    ("smooth-private-selection", {}),
]


def test_the_share_follows_what_is_declared() -> None:
    """A constant, a 0/1 score, and all others; a smooth bound of one's own is one of the others."""
    for scores, share in (
        (dps.Scores([5, 3], 1, kind="integer"), Fraction(1, 64)),
        (dps.Scores([1, 0], STEP, kind="integer"), Fraction(7, 10)),
        (dps.Scores([1.0, 0.0], STEP), Fraction(3, 20)),
        (dps.Scores([1, 0], dps.sensitivity.local(lambda t: 1.0, ceiling=2), kind="integer"), Fraction(3, 20)),
        (dps.Scores([1, 0], dps.sensitivity.smooth_bound(lambda _: 0.5, ceiling=1), kind="integer"), Fraction(3, 20)),
        (dps.utilities.majority([5, 3, 1]), Fraction(7, 10)),
        (dps.utilities.counts([5, 3, 1]), Fraction(1, 64)),
        (dps.utilities.tdt([9, 4], [1, 4], families=10), Fraction(3, 20)),
    ):
        assert share == declared_share(scores)


def test_no_database_of_a_utility_has_a_share_of_its_own() -> None:
    """Over all small tables."""
    tables = [np.bincount(np.asarray(row, dtype=np.int64), minlength=3) for row in dps.audit.multisets(range(3), 4)]

    assert {Fraction(7, 10)} == {declared_share(dps.utilities.majority(counts)) for counts in tables}


@pytest.mark.parametrize(("name", "parameters"), EVERY)
def test_the_default_is_the_declared_share(name: str, parameters) -> None:
    """The same law as with that share, and another than with another."""
    scores = dps.Scores([1, 0, 0], STEP, kind="integer")
    default, same, other = (
        dps.mechanism(name, **parameters, **given).pmf(scores, 1) for given in ({}, {"phi": 0.7}, {"phi": 0.3})
    )

    assert np.allclose(default, same, rtol=1e-9)
    assert not np.allclose(default, other, rtol=1e-3)
    assert "phi" not in repr(dps.mechanism(name, **parameters))


def test_a_lead_of_twenty_among_three_is_rarely_missed() -> None:
    """Epsilon 1: one in a hundred wrong at a share of .15, and one in a hundred thousand by the rule."""
    scores = dps.Scores([1, 0, 0], STEP, kind="integer")

    assert 0.01 < 1 - dps.mechanism("smooth-noisy-max", phi=0.15).pmf(scores, 1)[0]
    assert 1e-5 > 1 - dps.mechanism("smooth-noisy-max").pmf(scores, 1)[0]


def test_a_bound_that_grows_slowly_wants_a_small_share() -> None:
    """The rule is within a fifth of the best share, and .5 is not."""
    scores = dps.Scores([0.1, *[0.0] * 9], SLOW)
    wrong = {phi: 1 - dps.mechanism("smooth-noisy-max", phi=phi).pmf(scores, 1)[0] for phi in (0.01, 0.05, 0.15, 0.5)}
    rule = 1 - dps.mechanism("smooth-noisy-max").pmf(scores, 1)[0]

    assert rule < 1.2 * min(wrong.values()) < wrong[0.5]


@pytest.mark.parametrize("name", ["smooth-noisy-max", "smooth-private-selection"])
@pytest.mark.parametrize("epsilon", [0.5, 4])
def test_the_exact_loss_by_the_rule(name: str, epsilon: float) -> None:
    """0/1 utilities on all small tables."""
    universe = dps.audit.multisets(range(3), 6)

    def utility(row) -> dps.Scores:
        return dps.utilities.majority(np.bincount(np.asarray(row, dtype=np.int64), minlength=3))

    assert dps.audit.privacy_loss(dps.mechanism(name), utility, universe, epsilon=epsilon).holds
