"""What the proofs of the door assume of its caller and the code could check: each mark goes when the code does.

The marks are strict, so a test that begins to pass fails until its mark and the assumption in the proof are taken out.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import dpselect as dps
from dpselect.kernel.budget import Allowance
from dpselect.kernel.neighbours import Neighbours
from dpselect.release.partition import Candidates
from dpselect.release.questions import question
from dpselect.scores.sensitivity import local, smooth, smooth_share

VOTES = dps.Scores([5, 3, 3], sensitivity=1, kind="integer", range_bound=1)
ONE = dps.Bound(1)
PROMISE = dps.Guarantee(1, "add-remove")
HALF = Fraction(1, 2)
LINE = Candidates(2, np.array([0, 1, 0]), np.array([1, 2, 2]))


def unchecked(proof: str) -> pytest.MarkDecorator:
    """Mark what a proof assumes and the code does not check."""
    return pytest.mark.xfail(strict=True, reason=f"assumed by {proof}, not checked by the code")


@unchecked("kernel/budget.md")
def test_no_attempt_begins_after_its_block() -> None:
    """Each would have all that is left, and nothing would be charged for it."""
    with dps.opened(PROMISE) as draws:
        with draws.attempts() as attempt:
            pass
        with pytest.raises(dps.PrivacyError):
            attempt().choose(VOTES, 1)


@unchecked("kernel/budget.md")
def test_parts_of_parts_cannot_outlive_the_parts() -> None:
    """Blocks that are left in another order than they were entered: together three halves of what was paid."""
    whole = Allowance(Fraction(1), Neighbours.ADD_REMOVE)
    outer, inner = ExitStack(), ExitStack()
    (part,) = outer.enter_context(whole.disjoint(1))
    (leaf,) = inner.enter_context(part.disjoint(1))
    steps = (partial(leaf.take, HALF), outer.close, partial(leaf.take, HALF), inner.close, partial(whole.take, HALF))
    taken = Fraction(0)
    for step in steps:
        with suppress(dps.PrivacyError):
            step()
            taken += HALF if isinstance(step, partial) else 0
    assert taken <= 1


@unchecked("kernel/budget.md")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_another_process_gets_no_attempt() -> None:
    """A fork inside the block would draw the same budget again."""
    with dps.opened(PROMISE) as draws, draws.attempts() as attempt:
        child = os.fork()
        if not child:
            try:
                attempt().choose(VOTES, 1)
            except dps.PrivacyError:
                os._exit(7)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert 7 == os.waitstatus_to_exitcode(status)


@unchecked("release/opened.md")
def test_one_draw_costs_no_more_than_one_of_the_releases_that_were_paid() -> None:
    """A ledger of rhos counts 100 releases of epsilon 1/100: rho 1/200. One draw of epsilon 1 has rho 1/2."""
    with (
        dps.opened(dps.Guarantee(Fraction(1, 100), "add-remove"), count=100) as draws,
        pytest.raises(dps.PrivacyError),
    ):
        draws.choose(VOTES, 1)


@unchecked("release/opened.md")
def test_draws_have_the_bounded_range_that_was_paid_for() -> None:
    """A ledger of rhos counts epsilon^2 / 8; noisy counts have epsilon^2 / 2."""
    with dps.opened(dps.Guarantee(1, "add-remove", bounded_range=True)) as draws, pytest.raises(dps.PrivacyError):
        draws.counts(np.array([3]), 1, ONE)


@unchecked("release/opened.md")
def test_draws_have_the_rho_that_was_paid_for() -> None:
    """Stated at 10^-6, rho 1/8 is an epsilon of 2.4; a pure draw of 2.4 has rho 2.9."""
    promise = dps.Guarantee.concentrated(Fraction(1, 8), 1e-6, "add-remove")
    with dps.opened(promise) as draws, pytest.raises(dps.PrivacyError):
        draws.choose(VOTES, 2)


@unchecked("release/opened.md")
@pytest.mark.parametrize("number", [0, -1, 0.5])
def test_a_person_has_at_least_one_record(number: float) -> None:
    """Half a record would be given twice what was paid; none is refused after the spend."""
    with dps.budget(epsilon=1) as book:
        with pytest.raises(ValueError, match="per_person"), dps.opened(PROMISE, per_person=number):
            pass
        assert 0 == book.totals.spends


@unchecked("release/draws.md")
def test_half_a_winner_is_not_half_the_price() -> None:
    """One winner is drawn at the full rate."""
    asked = question(VOTES, Fraction(1), dps.mechanism("permute-and-flip"))
    with dps.opened(PROMISE) as draws, pytest.raises(ValueError, match="k must be an integer"):
        draws.answer(asked, 0.5)


@unchecked("release/questions.md")
def test_rows_of_large_integers_are_clipped() -> None:
    """Gaps of 2^63 wrap around: the worst candidate becomes a certain head, and on a neighbour a certain tail."""
    with dps.opened(dps.Guarantee(100, "add-remove")) as draws:
        winner = draws.choose_rows(np.array([[2**62, -(2**62)]]), np.ones((1, 2), dtype=bool), 100, ONE)
    assert [0] == winner.tolist()


@unchecked("release/draws.md")
def test_rows_of_what_is_not_a_number_are_refused_unpaid() -> None:
    """In integers it is the least there is, and its gap wraps around: a certain head."""
    with dps.opened(PROMISE) as draws:
        with pytest.raises(ValueError, match="NaN"):
            draws.choose_rows(np.array([[5.0, np.nan]]), np.ones((1, 2), dtype=bool), 1, ONE)
        assert 1 == draws.left


@unchecked("release/draws.md")
def test_costs_of_a_partition_are_integers() -> None:
    """Noise that is added to floats is rounded with them."""
    with dps.opened(PROMISE) as draws, pytest.raises(TypeError, match="integers"):
        draws.partition(LINE, np.array([0.5, 0.5, 0.7]), 1, ONE)


@unchecked("release/draws.md")
def test_costs_of_a_partition_are_clipped() -> None:
    """The dearest interval, plus noise, would wrap around and be the cheapest, half of the time."""
    for _ in range(100):
        with dps.opened(PROMISE) as draws:
            assert [0, 1, 2] == draws.partition(LINE, np.array([0, 0, 2**63 - 1]), Fraction(1, 50), ONE).tolist()


@unchecked("scores/sensitivity.md")
@pytest.mark.parametrize("beta, steps", [(0.37, 743), (0.7, 743)])
def test_small_smooth_bounds_are_rounded_up(beta: float, steps: int) -> None:
    """exp(-beta t) is off by beta t 2^-53, and the bound is raised by 2^-48 whatever beta t is."""
    share = smooth_share(local(lambda t: 1.0 if t >= steps else 0.0, ceiling=1.0), beta)
    with localcontext() as context:
        context.prec = 60
        assert Decimal(share) >= (-Decimal(beta) * steps).exp()


@unchecked("scores/sensitivity.md")
def test_a_smooth_bound_whose_share_underflows_is_still_a_bound() -> None:
    """The share is below the floats and the ceiling far above 1: the bound is about 4 * 10^-48."""
    bound = smooth(local(lambda t: 1e300 if t >= 800 else 0.0, ceiling=1e300), 1.0)
    with localcontext() as context:
        context.prec = 60
        assert Decimal(bound) >= Decimal(-800).exp() * Decimal("1e300")
