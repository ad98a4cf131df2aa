"""Bridges to other libraries."""

import sys
from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.ledger import BudgetAccountant
from dpselect.release.opendp import to_opendp

FLIP = dps.mechanism("permute-and-flip")


def votes(records: list[int]) -> dps.Scores:
    """How often each of three answers was given."""
    return dps.utilities.counts([records.count(kind) for kind in range(3)])


def test_a_selection_composes_in_their_context() -> None:
    """A split budget of two queries, one of them ours; the third is refused by them."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib", "honest-but-curious")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    ours = to_opendp(FLIP, votes, epsilon=0.5, input_domain=space[0], input_metric=space[1])
    context = dp.Context.compositor(
        data=[0] * 90 + [1] * 5,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=2,
        domain=space[0],
    )

    assert 0 == ours([0] * 90 + [1] * 5)
    assert (0.5, 1.5) == (ours.map(1), ours.map(3))
    assert 0 == context(ours)
    assert context.query().count().laplace().release() > 0
    with pytest.raises((ValueError, dp.OpenDPException)):
        context(ours)


def test_the_metric_must_fit_the_relation() -> None:
    """Symmetric distance is not that of substitution."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=int))
    with pytest.raises(ValueError, match="change_one_distance"):
        to_opendp(
            FLIP, votes, epsilon=1, input_domain=domain, input_metric=dp.symmetric_distance(), neighbours="substitution"
        )


def test_without_opendp_it_says_what_to_install(monkeypatch) -> None:
    """One sentence."""
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(ImportError, match=r"\.\[opendp\]\" in a clone"):
        to_opendp(FLIP, votes, epsilon=1, input_domain=None, input_metric=None)


def test_the_accountant_has_the_face_they_know() -> None:
    """check, spend, total, remaining, spent_budget, len; and it is a ledger too."""
    accountant = BudgetAccountant(epsilon=1)
    accountant.spend(0.25)
    dps.select(dps.Scores([1, 2], 1), epsilon=0.25, mechanism=FLIP, ledger=accountant)

    assert accountant.check(0.5)
    assert (0.5, 0.0) == accountant.total() == accountant.remaining()
    assert (0.25, 0.0) == accountant.remaining(2)
    assert ([(0.25, 0.0)] * 2, 2, 1.0, 0.0) == (
        accountant.spent_budget,
        len(accountant),
        accountant.epsilon,
        accountant.delta,
    )
    with pytest.raises(dps.BudgetError, match="left epsilon 0.5"):
        accountant.check(0.6)
    with pytest.raises(ValueError, match="k must be"):
        accountant.remaining(0)
    with pytest.raises(ValueError, match="Pass epsilon="):
        BudgetAccountant()


def test_the_accountant_is_a_block_as_theirs_is() -> None:
    """Every release inside counts, blocks nest, and what was spent before is taken over."""
    votes = dps.Scores([1, 2], 1)
    with BudgetAccountant(1, 0, 0, [(0.25, 0)]) as outer:
        dps.select(votes, epsilon=0.25, mechanism=FLIP)
        with BudgetAccountant(epsilon=1) as inner:
            dps.select(votes, epsilon=0.5, mechanism=FLIP)
        dps.select(votes, epsilon=0.25, mechanism=FLIP)
        with pytest.raises(dps.BudgetError, match="left epsilon 0.25"):
            dps.select(votes, epsilon=0.5, mechanism=FLIP)
    dps.select(votes, epsilon=100, mechanism=FLIP)

    assert ((0.75, 0.0), (0.5, 0.0)) == (outer.total(), inner.total())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilon": float("inf")}, "epsilon must be"),
        ({"epsilon": -1}, "epsilon must be"),
        ({"epsilon": "1"}, "epsilon must be"),
        ({"epsilon": 1, "delta": -1}, "delta must be"),
        ({"epsilon": 1, "delta": 1.0}, "delta must be"),
        ({"epsilon": 1, "slack": 1e-6}, "Leave slack at 0"),
    ],
)
def test_what_the_accountant_does_not_take(given, message: str) -> None:
    """No unlimited budget, and no total that holds only for a plan."""
    with pytest.raises((ValueError, TypeError), match=message):
        BudgetAccountant(**given)


def test_the_accountant_refuses_bad_spends_and_other_rules(tmp_path) -> None:
    """Nothing is handed back, and what was spent before must fit."""
    accountant = BudgetAccountant(epsilon=1)
    for epsilon in (-0.5, float("nan"), float("inf"), "0.1", None):
        with pytest.raises((ValueError, TypeError), match="epsilon must be"):
            accountant.spend(epsilon)
    with pytest.raises(dps.BudgetError):
        BudgetAccountant(1, 0, 0, [(0.75, 0), (0.5, 0)])
    with pytest.raises(ValueError, match="rule is sum"):
        BudgetAccountant(ledger=dps.Ledger.open(tmp_path / "b", epsilon=1, delta=1e-6, rule="rho"))

    assert 0 == len(accountant)


def test_the_accountant_can_stand_before_a_ledger(tmp_path) -> None:
    """Spends land in the file."""
    ledger = dps.Ledger.open(tmp_path / "b", epsilon=1, delta=1e-6)
    BudgetAccountant(ledger=ledger).spend(0.1, 1e-7)

    assert (Fraction(1, 10), Fraction(1, 10**7)) == (ledger.totals.epsilon, ledger.totals.delta)
