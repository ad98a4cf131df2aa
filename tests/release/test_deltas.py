"""Draws that have a delta take it from what was paid, and are refused where none was."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.mechanisms.base import SmoothMechanism
from dpselect.mechanisms.sampler import PERMUTE_AND_FLIP
from dpselect.mechanisms.smooth.scores import SmoothScores
from tests.learn.test_refused_before_paying import fit

VOTES = dps.Scores([5, 3, 3], sensitivity=1, kind="integer")
HALF, SMALL = Fraction(1, 2), Fraction(1, 10**6)
PURE = dps.Guarantee(1, VOTES.neighbours)
PAID = dps.Guarantee(1, VOTES.neighbours, SMALL)


def with_delta(delta: Fraction = SMALL) -> SmoothMechanism:
    """A mechanism whose selections have this delta."""
    return SmoothMechanism(
        "toy",
        "For these tests.",
        lambda scores, _: SmoothScores(np.array([0, -1, -2]), Fraction(1)),
        PERMUTE_AND_FLIP,
        delta=delta,
    )


def test_a_selection_states_its_delta_and_a_list_k_of_them() -> None:
    """What is paid, and what is promised."""
    with dps.budget(epsilon=3, delta=1e-5) as book:
        assert dps.select(VOTES, epsilon=1, mechanism=with_delta()).guarantee == PAID
        assert dps.top_k(VOTES, 2, epsilon=1, mechanism=with_delta()).guarantee == dps.Guarantee(
            1, VOTES.neighbours, 2 * SMALL
        )
        assert (2, 3 * SMALL) == (book.totals.epsilon, book.totals.delta)


def test_a_budget_without_a_delta_refuses_before_anything_is_spent(tmp_path) -> None:
    """A session, a ledger on disk, and draws of one's own."""
    with dps.budget(epsilon=1) as book:
        with pytest.raises(dps.BudgetError, match="delta"):
            dps.select(VOTES, epsilon=HALF, mechanism=with_delta())
        assert 0 == book.totals.spends
    ledger = dps.Ledger.open(tmp_path / "book", epsilon=1, neighbours=VOTES.neighbours.value)
    with pytest.raises(dps.BudgetError, match="delta"):
        dps.select(VOTES, epsilon=HALF, mechanism=with_delta(), ledger=ledger)
    assert [] == list(ledger.events)
    with dps.open_session(PURE) as draws:
        for ask in (
            lambda: draws.choose(VOTES, HALF, mechanism=with_delta()),
            lambda: dps.select(VOTES, epsilon=HALF, mechanism=with_delta(), ledger=draws),
        ):
            with pytest.raises(dps.PrivacyError, match="no delta"):
                ask()
        assert 1 == draws.remaining


def test_deltas_that_add_up_to_one_are_refused_unpaid() -> None:
    """Three selections at a third each promise nothing."""
    with dps.budget(epsilon=3, delta=0.999) as book:
        with pytest.raises(ValueError, match="less than 1"):
            dps.top_k(VOTES, 3, epsilon=1, mechanism=with_delta(Fraction(1, 3)))
        assert 0 == book.totals.spends


def test_draws_take_no_more_delta_than_was_paid() -> None:
    """Two at half of both fit; a pure one does not use delta up; one at too much delta is refused by its name."""
    with dps.open_session(PAID) as draws:
        draws.choose(VOTES, Fraction(1, 4), mechanism=with_delta(SMALL / 2))
        draws.choose(VOTES, Fraction(1, 4))
        draws.choose(VOTES, Fraction(1, 4), mechanism=with_delta(SMALL / 2))
        with pytest.raises(dps.PrivacyError, match="no delta left"):
            draws.choose(VOTES, Fraction(1, 4), mechanism=with_delta(Fraction(1, 10**12)))
        draws.choose(VOTES, Fraction(1, 4))
        with pytest.raises(dps.PrivacyError, match="0 is left"):
            draws.choose(VOTES, Fraction(1, 4), mechanism=with_delta())


def test_a_draw_is_part_of_one_release() -> None:
    """Of three releases each holds one draw of two thirds of its delta, whatever epsilon is left."""
    with dps.open_session(PAID, count=3) as draws:
        for _ in range(3):
            draws.choose(VOTES, Fraction(1, 10), mechanism=with_delta(SMALL * 2 / 3))
        with pytest.raises(dps.PrivacyError, match="no delta left"):
            draws.choose(VOTES, Fraction(1, 10), mechanism=with_delta(SMALL * 2 / 3))
        draws.choose(VOTES, Fraction(1, 10), mechanism=with_delta(SMALL / 3))
        assert Fraction(8, 10) == draws.remaining


def test_lists_inside_a_door_take_k_deltas() -> None:
    """All or none: a list of two at the whole delta each does not fit."""
    with dps.open_session(PAID) as draws:
        with pytest.raises(dps.PrivacyError, match="no delta left"):
            draws.top_k(VOTES, 2, HALF, mechanism=with_delta())
        draws.top_k(VOTES, 2, HALF, mechanism=with_delta(SMALL / 2))
        assert HALF == draws.remaining


def test_parts_and_attempts_pay_the_most_of_each() -> None:
    """One part takes most of the epsilon and another all of the delta: neither is left afterwards."""
    for lend in ("disjoint", "attempts"):
        with dps.open_session(dps.Guarantee(1, "add-remove", SMALL)) as draws:
            votes = dps.Scores([5, 3, 3], sensitivity=1, kind="integer", neighbours="add-remove")
            with draws.disjoint(2) if lend == "disjoint" else draws.attempts() as lent:
                one, two = lent if lend == "disjoint" else (lent(), lent())
                one.choose(votes, Fraction(3, 4))
                two.choose(votes, Fraction(1, 4), mechanism=with_delta())
            assert Fraction(1, 4) == draws.remaining
            with pytest.raises(dps.PrivacyError, match="no delta left"):
                draws.choose(votes, Fraction(1, 4), mechanism=with_delta(SMALL / 100))


def test_parts_that_began_different_releases_leave_the_least() -> None:
    """One part began the second release, the other did not finish the first."""
    votes = dps.Scores([5, 3, 3], sensitivity=1, kind="integer", neighbours="add-remove")
    with dps.open_session(dps.Guarantee(1, "add-remove", SMALL), count=2) as draws:
        with draws.disjoint(2) as (one, two):
            one.choose(votes, 1)
            one.choose(votes, Fraction(1, 4))
            two.choose(votes, Fraction(3, 4), mechanism=with_delta())
        assert Fraction(3, 4) == draws.remaining
        draws.choose(votes, Fraction(3, 4), mechanism=with_delta())
        with pytest.raises(dps.PrivacyError):
            draws.choose(votes, Fraction(1, 10**9))


def test_persons_of_several_records_have_no_delta() -> None:
    """A delta does not divide by their records."""
    with dps.open_session(PAID, per_person=2) as draws, pytest.raises(dps.PrivacyError, match="no delta"):
        draws.choose(VOTES, HALF, mechanism=with_delta(SMALL / 10))


@pytest.mark.parametrize("kind", ["forest", "id3", "evolutionary"])
def test_estimators_refuse_a_delta_before_they_pay(kind: str) -> None:
    """They promise pure epsilon."""
    mechanism = dps.mechanism("smooth-noisy-max", noise="exponential", delta=1e-6)
    with dps.budget(epsilon=5, delta=0.1) as book:
        with pytest.raises(dps.PrivacyError, match="without delta="):
            fit(kind, mechanism=mechanism)
        assert 0 == book.totals.spends


def test_a_measurement_of_opendp_has_no_delta() -> None:
    """Its loss is a max-divergence."""
    from dpselect.release.opendp import to_opendp

    with pytest.raises(dps.PrivacyError, match="without delta="):
        to_opendp(with_delta(), lambda _: VOTES, epsilon=1, input_domain=None, input_metric=None)
