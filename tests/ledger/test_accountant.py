"""What events add up to."""

import math
from fractions import Fraction

import dp_accounting
import numpy as np
import pytest
from dp_accounting import pld, rdp
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.ledger import Event, Terms, accountant, report, to_dp_accounting
from dpselect.ledger.accountant import Totals, fold, parallel


def hundred(bounded_range: bool) -> list[Event]:
    """A hundred selections at 0.1."""
    return [Event("", "add-remove", "x", Fraction(1, 10), count=100, bounded_range=bounded_range)]


def test_the_composition_table() -> None:
    """100 selections at 0.1, delta = 1e-6, to two decimals."""
    exponential, flip = report(hundred(True), 1e-6), report(hundred(False), 1e-6)

    assert 10 == exponential.basic == flip.basic
    assert (2.75, 2.42) == (round(exponential.bounded_range, 2), round(exponential.rho, 2))
    assert (4.77, 5.76) == (round(flip.optimal, 2), round(flip.advanced, 2))
    assert math.isnan(flip.bounded_range)


@given(st.lists(st.tuples(st.fractions(Fraction(1, 50), 3), st.integers(1, 5)), min_size=1, max_size=6))
@settings(deadline=None, max_examples=40)
def test_no_report_is_above_the_sum_and_sums_are_exact(parts) -> None:
    """The fold is a sum of fractions; nothing tighter exceeds it."""
    events = [Event("", "add-remove", "x", epsilon, count=count, bounded_range=True) for epsilon, count in parts]
    found = report(events, 1e-5)

    assert sum(epsilon * count for epsilon, count in parts) == fold(events).epsilon
    for value in (found.advanced, found.optimal, found.bounded_range, found.rho):
        assert math.isnan(value) or 0 < value <= found.basic * (1 + 1e-8)


@pytest.mark.parametrize(("epsilon", "count", "delta"), [(0.1, 100, 1e-6), (0.5, 10, 1e-4), (1.0, 3, 1e-9)])
def test_optimal_composition_agrees_with_dp_accounting(epsilon: float, count: int, delta: float) -> None:
    """Their privacy loss distribution of composed randomised response, which discretises upwards."""
    ledger = pld.PLDAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE, value_discretization_interval=1e-4)
    ledger.compose(to_dp_accounting([Event("", "add-remove", "x", Fraction(epsilon), count=count)]))
    ours = accountant.optimal(epsilon, count, delta)

    assert ours * (1 - 1e-6) <= ledger.get_epsilon(delta) <= ours * 1.002 + 1e-4 * count


def test_rho_agrees_with_dp_accounting() -> None:
    """Their Renyi accountant converts over a grid of orders, so it is a little above."""
    ledger = rdp.RdpAccountant()
    ledger.compose(to_dp_accounting(hundred(True), accountant="rdp"))
    ours = accountant.epsilon_of_rho(0.125, 1e-6)

    assert ours <= ledger.get_epsilon(1e-6) <= ours * 1.01


def test_optimal_composition_of_two_by_enumeration() -> None:
    """Two randomised responses: the hockey-stick divergence over four outcomes."""
    epsilon, delta = 0.7, 0.01
    found = accountant.optimal(epsilon, 2, delta)
    lie = 1 / (1 + math.exp(epsilon))
    truth = [(1 - lie) ** 2, (1 - lie) * lie, lie * (1 - lie), lie**2]
    spent = sum(max(0.0, p - math.exp(found) * q) for p, q in zip(truth, truth[::-1], strict=True))

    assert abs(spent - delta) < 1e-8


def test_disjoint_parts_cost_the_largest() -> None:
    """Parallel composition."""
    one = [Event("", "add-remove", "x", Fraction(1), count=2)]
    two = [Event("", "add-remove", "x", Fraction(3, 2))]

    assert (Fraction(2), 3) == (parallel([one, two]).epsilon, parallel([one, two]).releases)
    assert Totals() == parallel([])


def test_rho_within_a_budget_is_rounded_down() -> None:
    """The largest rho whose epsilon at delta is within the budget."""
    terms = Terms(Fraction(1), Fraction(1, 10**6), "add-remove", rule="rho")
    found = float(terms.rho)

    assert accountant.epsilon_of_rho(found, 1e-6) <= 1 < accountant.epsilon_of_rho(found * 1.0001, 1e-6)


def test_a_budget_by_rho_lasts_longer() -> None:
    """At epsilon 2.42 and delta 1e-6 it allows some hundred exponential selections at 0.1; by sums 24."""
    event = Event("", "add-remove", "exponential", Fraction(1, 10), bounded_range=True)

    def allowed(rule: str) -> int:
        terms, totals = Terms(Fraction("2.42"), Fraction(1, 10**6), "add-remove", rule=rule), Totals()
        for number in range(1000):
            try:
                totals = terms.admit(totals, event)
            except dps.BudgetError:
                return number
        return 1000

    assert (24, 100) == (allowed("sum"), allowed("rho"))


@pytest.mark.parametrize(
    ("count", "epsilon", "message"),
    [
        (1, Fraction(2), r"asked for epsilon 2, left epsilon 1; what would fit is an epsilon of at most 1 in all"),
        (4, Fraction(1, 3), r"epsilon 4/3 \(4 releases of 1/3\), left epsilon 1; .* or 3 releases of this epsilon"),
    ],
)
def test_a_refusal_says_what_would_fit(count: int, epsilon: Fraction, message: str) -> None:
    """What was asked, what is left, the largest epsilon and the largest number."""
    terms = Terms(Fraction(1), Fraction(0), "add-remove")
    with pytest.raises(dps.BudgetError, match=message):
        terms.admit(Totals(), Event("", "add-remove", "x", epsilon, count=count))


def test_refusals_when_nothing_fits_and_by_rho() -> None:
    """An exhausted budget says so; by rho the largest epsilon each is named, and it fits."""
    terms = Terms(Fraction(1), Fraction(0), "add-remove")
    with pytest.raises(dps.BudgetError, match="nothing more fits"):
        terms.admit(Totals(epsilon=Fraction(1)), Event("", "add-remove", "x", Fraction(1, 10)))
    by_rho = Terms(Fraction(1), Fraction(1, 10**6), "add-remove", rule="rho")
    with pytest.raises(dps.BudgetError, match="epsilon of at most ([0-9.]+) each") as refusal:
        by_rho.admit(Totals(), Event("", "add-remove", "x", Fraction(9)))
    largest = Fraction(str(refusal.value).split("at most ")[1].split(" each")[0])
    assert by_rho.admit(Totals(), Event("", "add-remove", "x", largest * Fraction(999, 1000))).spends == 1


def test_what_cannot_be_counted_is_refused() -> None:
    """Another relation, a delta by rho, a delta in a report, a bad delta."""
    with pytest.raises(ValueError, match='Ledger.open with neighbours="add-remove"'):
        Terms(Fraction(1), Fraction(0), "edge").admit(Totals(), hundred(True)[0])
    leaky = Event("", "add-remove", "x", Fraction(1, 10), Fraction(1, 10**9))
    with pytest.raises(ValueError, match="pure releases only"):
        Terms(Fraction(9), Fraction(1, 10), "add-remove", rule="rho").admit(Totals(), leaky)
    with pytest.raises(ValueError, match="pure releases"):
        report([leaky], 1e-6)
    with pytest.raises(ValueError, match="delta must lie"):
        report([], 0)
    with pytest.raises(ValueError, match="no sound counterpart"):
        to_dp_accounting([leaky])


def test_the_events_for_dp_accounting_keep_their_count() -> None:
    """A hundred stays a hundred, in both forms."""
    composed = to_dp_accounting(hundred(True))

    assert isinstance(composed, dp_accounting.ComposedDpEvent)
    assert 100 == len(composed.events)
    assert np.isclose(1 / 800, to_dp_accounting(hundred(True), accountant="rdp").events[0].rho)


def test_why_repeats_are_listed_one_by_one() -> None:
    """dp_accounting drops the count of repeated randomised response: a hundred at 0.1 would cost 0.1."""
    (one, *_) = to_dp_accounting(hundred(False)).events
    ledger = pld.PLDAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE, value_discretization_interval=1e-4)
    ledger.compose(dp_accounting.SelfComposedDpEvent(one, 100))

    # When this fails, the fault is mended and counts may be used.
    assert ledger.get_epsilon(1e-6) < 0.2
