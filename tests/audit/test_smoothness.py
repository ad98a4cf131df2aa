"""The judge of smooth bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit

COINS = audit.multisets([0, 1], 4)


def utility(bound, ceiling: float = 4):
    """A score that is the size, and a bound of it as a function of size and beta."""

    def scored(records) -> dps.Scores:
        known = dps.sensitivity.smooth_bound(lambda beta: bound(len(records), beta), ceiling=ceiling)
        return dps.Scores([len(records), 0], known, kind="integer")

    return scored


@pytest.mark.parametrize("beta", [0.01, 0.5, 2])
def test_a_bound_that_grows_by_e_to_the_beta_is_smooth(beta: float) -> None:
    """Exactly as fast as it may; a little faster is found, and said in words."""
    just, fast = (
        audit.smooth(utility(lambda size, beta, over=over: 1e4 * math.exp(-(1 + over) * beta * size), 1e5), COINS, beta)
        for over in (0, 1e-3)
    )

    assert (just.smooth, fast.smooth) == (True, False)
    assert math.isclose(just.largest_step, math.exp(beta), rel_tol=1e-9)
    assert "one step away" in fast.counterexample
    assert "above e^beta" in str(fast)


def test_a_bound_below_a_move_is_found() -> None:
    """On the smallest database; smoothness alone does not save it."""
    verdict = audit.smooth(utility(lambda size, beta: 0.5), COINS, 1)

    assert not verdict.smooth
    assert verdict.counterexample == "one step from {} to {1} moves a score by 1, and the bound on {} is 0.5."


def test_the_bound_of_a_sensitivity_is_smooth() -> None:
    """The library's own, at the beta that a release uses."""

    def winner(records) -> dps.Scores:
        return dps.utilities.majority(np.bincount(np.asarray(records, dtype=np.int64), minlength=2))

    beta = dps.mechanism("smooth-noisy-max").beta(winner([0, 1, 1]), 1)
    assert audit.smooth(winner, COINS, beta).smooth


def test_what_cannot_be_judged_is_refused() -> None:
    """A ceiling that follows the data; and admissibility says where a smooth bound is checked."""
    with pytest.raises(ValueError, match="ceiling is public"):
        audit.smooth(lambda records: utility(lambda size, beta: 1, 1 + len(records))(records), COINS, 1)
    with pytest.raises(ValueError, match="dpselect.audit.smooth"):
        audit.admissible(utility(lambda size, beta: 1), COINS)
