"""Selections as measurements of OpenDP: their maps, their measures, their Contexts."""

from __future__ import annotations

import math
from contextvars import Context
from fractions import Fraction
from typing import Any

import pytest

import dpselect as dps
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.prices import bounded_range_price, laplace_price, pure_price
from dpselect.release.opendp import epsilon_for_rho, to_opendp

ROWS = [0] * 90 + [1] * 30 + [2] * 5


def votes(records: list[int]) -> dps.Scores:
    """How often each of three answers was given."""
    return dps.utilities.counts([records.count(kind) for kind in range(3)])


@pytest.fixture
def dp() -> Any:
    module = pytest.importorskip("opendp.prelude")
    module.enable_features("contrib", "honest-but-curious")
    return module


@pytest.fixture
def space(dp: Any) -> dict[str, Any]:
    return {"input_domain": dp.vector_domain(dp.atom_domain(T=int)), "input_metric": dp.symmetric_distance()}


def context(dp: Any, loss: Any, queries: int) -> Any:
    """A Context of theirs about the rows."""
    return dp.Context.compositor(
        data=ROWS,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=loss,
        split_evenly_over=queries,
        domain=dp.vector_domain(dp.atom_domain(T=int)),
    )


def test_a_context_of_rhos_pays_for_a_choice_and_for_gaussian_noise(dp: Any, space: dict[str, Any]) -> None:
    """Half of the budget each; the third query is refused by them, and so is a choice at an epsilon."""
    ours = to_opendp("exponential", votes, rho=0.5, **space)
    theirs = context(dp, dp.loss_of(rho=1.0), 2)

    with pytest.raises(dp.OpenDPException, match="MeasureMismatch"):
        theirs(to_opendp("exponential", votes, epsilon=0.5, **space))
    assert 0 == theirs(ours)
    assert theirs.query().count().gaussian().release() > 0
    with pytest.raises((ValueError, dp.OpenDPException)):
        theirs(ours)


def test_the_map_of_a_rho_grows_with_the_square_of_the_distance(dp: Any, space: dict[str, Any]) -> None:
    """As their own check has it: one step costs rho, three cost nine times as much, and no float is below it."""
    ours = to_opendp("permute-and-flip", votes, rho=0.1, **space)

    assert ours.check(1, 0.1)
    assert not ours.check(2, 0.39)
    assert ours.check(2, 0.4)
    assert Fraction(ours.map(3)) >= Fraction(9, 10) > Fraction(math.nextafter(ours.map(3), 0))
    assert dp.zero_concentrated_divergence() == ours.output_measure
    assert dp.max_divergence() == to_opendp("exponential", votes, epsilon=1, **space).output_measure


def test_their_own_conversions_and_compositions_take_it(dp: Any, space: dict[str, Any]) -> None:
    """A choice at a rho composes with their Gaussian, and one at an epsilon converts to a rho as ours does."""
    ours = to_opendp("exponential", votes, rho=0.125, **space)
    pair = dp.c.make_composition([ours, ours])
    pure = dp.c.make_pureDP_to_zCDP(to_opendp("permute-and-flip", votes, epsilon=0.5, **space))

    assert 0.25 == pair.map(1)
    assert {0} >= {*pair(ROWS)} - {1, 2}
    assert 0.97 * pure.map(1) < float(Guarantee(0.5, "add-remove").rho) < pure.map(1)
    assert 0 < dp.c.make_zCDP_to_approxDP(ours).map(1).epsilon(1e-6) < 3


@pytest.mark.parametrize("mechanism", ["exponential", "permute-and-flip", "smooth-noisy-max"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_list_is_drawn_at_no_more_than_its_rho(mechanism: str, k: int, space: dict[str, Any]) -> None:
    """What a ledger of rhos would count for the very draws is at most the rho, and nearly all of it."""
    with dps.budget(epsilon=30, delta=1e-9, rule="rho") as book:
        before = book.remaining.rho
        result = to_opendp(mechanism, votes, rho=1.5, k=k, **space)(ROWS)
        spent = before - book.remaining.rho

    assert k == len({*result})
    assert isinstance(result, list)
    assert Fraction(3, 2) * (1 - Fraction(1, 10**8)) < spent <= Fraction(3, 2)


def test_a_list_is_named_in_one_release(dp: Any, space: dict[str, Any]) -> None:
    """The k of one epsilon; without k a candidate by itself; every method of a list."""
    theirs = context(dp, dp.loss_of(epsilon=10.0), 1)

    assert [0, 1] == theirs(to_opendp("permute-and-flip", votes, epsilon=10, k=2, **space))
    assert 0 == to_opendp("exponential", votes, epsilon=10, **space)(ROWS)
    assert [0] == to_opendp("exponential", votes, epsilon=10, k=1, **space)(ROWS)
    joint = to_opendp("exponential", votes, rho=10, k=2, method="joint", **space)
    assert ([0, 1], 10.0) == (joint(ROWS), joint.map(1))
    assert 2 == len(to_opendp("permute-and-flip", votes, rho=1, k=2, method="one-shot", **space)(ROWS))


def test_draws_never_cost_more_than_the_rho_that_paid_for_them() -> None:
    """It is rounded down, at any size, and what is lost is less than a millionth."""
    for rho in (Fraction(1, 3), Fraction(10) ** -300, Fraction(10) ** 300, Fraction(0.1), Fraction(7, 11)):
        for draws, price in ((1, bounded_range_price), (7, bounded_range_price), (1, pure_price), (3, laplace_price)):
            each = epsilon_for_rho(rho, draws, price) / draws
            cost = draws * price(each)
            assert rho * (1 - Fraction(1, 10**6)) < cost <= rho


def test_what_cannot_be_paid_is_refused_before_their_budget_is_touched(space: dict[str, Any]) -> None:
    """Both prices or none, an unknown method, a method of another mechanism, a large epsilon, no guarantee."""
    with pytest.raises(TypeError, match="one of the two"):
        to_opendp("exponential", votes, **space)
    with pytest.raises(TypeError, match="one of the two"):
        to_opendp("exponential", votes, epsilon=1, rho=1, **space)
    with pytest.raises(ValueError, match="One pass"):
        to_opendp("exponential", votes, epsilon=1, k=2, method="one-shot", **space)
    with pytest.raises(ValueError, match="joint list is drawn by the exponential"):
        to_opendp("permute-and-flip", votes, epsilon=1, k=2, method="joint", **space)
    with pytest.raises(ValueError, match="method must be"):
        to_opendp("permute-and-flip", votes, epsilon=1, method="quick", **space)
    with pytest.raises(ValueError, match="k must be an integer"):
        to_opendp("permute-and-flip", votes, epsilon=1, k=0, **space)
    unsound = dps.mechanism("smooth-noisy-max", calibration="chaves-2024", noise="laplace", unsound="reproduction")
    with pytest.raises(dps.PrivacyError, match="not private"):
        to_opendp(unsound, votes, epsilon=1, **space)


def test_a_large_epsilon_is_refused_when_the_measurement_is_made(
    space: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their Context would have counted it before the draw could refuse; a budget of ours says that it is meant."""
    from dpselect.mechanisms import large_epsilon

    monkeypatch.setattr(large_epsilon, "LARGEST", Fraction(10))

    def ask() -> None:
        with pytest.raises(dps.PrivacyError, match="at most 10"):
            to_opendp("exponential", votes, epsilon=11, **space)
        with pytest.raises(dps.PrivacyError, match="at most 10"):
            to_opendp("exponential", votes, rho=20, **space)
        with dps.budget(epsilon=11):
            assert 0 == to_opendp("exponential", votes, epsilon=11, **space)(ROWS)

    # In a context of its own: studies, which another test may have loaded, declare their data public for all others.
    Context().run(ask)


def test_their_context_finds_the_epsilon_that_is_left(dp: Any) -> None:
    """A registered constructor without its epsilon gets the share of its query, as their own measurements do."""

    def make_favourite(input_domain: Any, input_metric: Any, epsilon: float) -> Any:
        return to_opendp(
            "permute-and-flip", votes, epsilon=epsilon, input_domain=input_domain, input_metric=input_metric
        )

    dp.register(make_favourite)
    theirs = context(dp, dp.loss_of(epsilon=4.0), 2)

    assert 0 == theirs.query().favourite(epsilon=2.0).release()
    assert 2.0 == theirs.query().favourite().param()
