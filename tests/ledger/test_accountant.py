"""What events add up to."""

import itertools
import math
import re
from decimal import Context, Decimal
from fractions import Fraction

import dp_accounting
import numpy as np
import pytest
from dp_accounting import pld, rdp
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.kernel.prices import bounded_range_price, pure_price
from dpselect.kernel.rho_conversion import epsilon_of, rho_within
from dpselect.ledger import Event, Terms, from_dp_accounting, optimum, report, to_dp_accounting
from dpselect.ledger.composition import Totals, fold, parallel


def hundred(bounded_range: bool) -> list[Event]:
    """A hundred selections at 0.1."""
    return [Event("", "add-remove", "x", Fraction(1, 10), count=100, bounded_range=bounded_range)]


def test_the_composition_table() -> None:
    """100 selections at 0.1, delta = 1e-6, to two decimals."""
    exponential, flip = report(hundred(True), 1e-6), report(hundred(False), 1e-6)

    assert 10 == exponential.basic == flip.basic
    assert (2.42, 2.42, 2.25) == tuple(
        round(value, 2) for value in (exponential.rho, exponential.optimum, exponential.fixed_questions)
    )
    assert (5.22, 4.77) == (round(flip.rho, 2), round(flip.optimum, 2))
    assert math.isnan(flip.fixed_questions)
    assert "optimum, questions fixed too" in str(exponential)
    assert "fixed too" not in str(flip)


@given(st.lists(st.tuples(st.fractions(Fraction(1, 50), 3), st.integers(1, 5)), min_size=1, max_size=6))
@settings(deadline=None, max_examples=15)
def test_no_report_is_above_the_sum_and_sums_are_exact(parts) -> None:
    """The fold is a sum of fractions; nothing tighter exceeds it."""
    events = [Event("", "add-remove", "x", epsilon, count=count, bounded_range=True) for epsilon, count in parts]
    found = report(events, 1e-5)

    assert sum(epsilon * count for epsilon, count in parts) == fold(events).epsilon
    for value in (found.optimum, found.fixed_questions, found.rho):
        assert math.isnan(value) or 0 < value <= found.basic * (1 + 1e-8)
    assert found.optimum <= found.rho * (1 + 1e-8)


def test_rho_agrees_with_dp_accounting() -> None:
    """Their Renyi accountant converts over a grid of orders, so it is a little above."""
    ledger = rdp.RdpAccountant()
    ledger.compose(to_dp_accounting(hundred(True), accountant="rdp"))
    ours = float(epsilon_of(100 * bounded_range_price(Fraction(1, 10)), Fraction(1, 10**6)))

    assert ours <= ledger.get_epsilon(1e-6) <= ours * 1.01


def test_disjoint_parts_cost_the_largest() -> None:
    """Parallel composition."""
    one = [Event("", "add-remove", "x", Fraction(1), count=2)]
    two = [Event("", "add-remove", "x", Fraction(3, 2))]

    assert (Fraction(2), 3) == (parallel([one, two]).epsilon, parallel([one, two]).releases)
    assert Totals() == parallel([])


@pytest.mark.parametrize("relations", [("substitution", "substitution"), ("person", "person"), ("add-remove", "edge")])
def test_parts_between_which_a_record_may_move_cost_their_sum(relations: tuple[str, str]) -> None:
    """One that is replaced, or all of a person: the largest would be too little."""
    with pytest.raises(ValueError, match="add-remove"):
        parallel([[Event("", relation, "x", Fraction(1))] for relation in relations])


def test_rho_within_a_budget_is_rounded_down() -> None:
    """The largest rho whose epsilon at delta is within the budget: a release calibrated to all of it fits exactly."""
    delta = Fraction(1, 10**6)
    terms = Terms(Fraction(1), delta, "add-remove", rule="rho")
    whole = dps.Guarantee.from_rho(rho_within(Fraction(1), delta), delta, "add-remove", epsilon=1)

    assert epsilon_of(terms.rho, delta) <= 1 < epsilon_of(terms.rho * (1 + Fraction(2, 10**9)), delta)
    after = terms.admit(Totals(), Event.of(whole, dataset="", mechanism="x"))
    assert 0 == terms.remaining(after).rho


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
    """Another relation, what has no rho, a bad delta."""
    with pytest.raises(ValueError, match='Ledger.open with neighbours="add-remove"'):
        Terms(Fraction(1), Fraction(0), "edge").admit(Totals(), hundred(True)[0])
    leaky = Event("", "add-remove", "x", Fraction(1, 10), Fraction(1, 10**9))
    with pytest.raises(dps.BudgetError, match=r"has none: state the rho .* Guarantee.from_rho.*Nothing was spent"):
        Terms(Fraction(9), Fraction(1, 10), "add-remove", rule="rho").admit(Totals(), leaky)
    with pytest.raises(ValueError, match="delta must lie"):
        report([], 0)
    with pytest.raises(ValueError, match="no sound counterpart"):
        to_dp_accounting([leaky])


def test_the_events_for_dp_accounting_keep_their_count() -> None:
    """A hundred stays a hundred, in both forms."""
    composed = to_dp_accounting(hundred(True))

    assert isinstance(composed, dp_accounting.ComposedDpEvent)
    assert 100 == len(composed.events)
    assert np.isclose(
        float(bounded_range_price(Fraction(1, 10))), to_dp_accounting(hundred(True), accountant="rdp").events[0].rho
    )


def test_pairs_for_dp_accounting_are_exact() -> None:
    """Their accountant finds our optimum of pure releases, and of those that Laplace noise dominates."""
    events = [Event("", "add-remove", "x", Fraction(1, 10), count=50)]
    events += [Event("", "add-remove", "x", Fraction(1, 5), count=50, laplace=True)]
    ledger = pld.PLDAccountant(value_discretization_interval=1e-4)
    ledger.compose(to_dp_accounting(events))

    assert ledger.get_epsilon(1e-6) == pytest.approx(report(events, 1e-6).optimum, rel=1e-3)
    back = from_dp_accounting(to_dp_accounting(events))
    assert optimum(back, 1e-6) == pytest.approx(report(events, 1e-6).optimum, rel=1e-9)
    assert [False] * 50 + [True] * 50 == [part.guarantee.laplace for part in back]
    assert [1] * 50 + [0] * 50 == [part.moves for part in back]


def test_events_of_dp_accounting_become_parts() -> None:
    """Every kind that has an exact pair, composed as theirs are; others are refused by name."""
    event = dp_accounting.dp_event
    composed = event.ComposedDpEvent(
        [
            event.SelfComposedDpEvent(event.GaussianDpEvent(10.0), 20),
            event.LaplaceDpEvent(5.0),
            event.DiscreteLaplaceDpEvent(0.1, 3),
            event.NoOpDpEvent(),
        ]
    )
    parts = from_dp_accounting(composed)
    ledger = pld.PLDAccountant(value_discretization_interval=1e-4)
    ledger.compose(composed)

    assert 22 == len(parts)
    assert {Fraction(1, 200)} == {part.rho for part in parts[:20]}
    (answer,) = from_dp_accounting(event.RandomizedResponseDpEvent(2 / (1 + math.e), 2))
    assert pytest.approx(1) == float(answer.guarantee.epsilon)
    assert optimum(parts, 1e-6) == pytest.approx(ledger.get_epsilon(1e-6), rel=1e-3)
    for refused in (event.ZCDpEvent(0.1), event.NonPrivateDpEvent(), event.PoissonSampledDpEvent(0.1, composed)):
        with pytest.raises(ValueError, match=f"{type(refused).__name__} has no exact counterpart"):
            from_dp_accounting(refused)


def test_repeats_of_theirs_are_not_what_they_say() -> None:
    """dp_accounting drops the count of repeated randomised response: a hundred at 0.1 would cost 0.1."""
    one = dp_accounting.RandomizedResponseDpEvent(2 / (1 + math.exp(0.1)), 2)
    ledger = pld.PLDAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE, value_discretization_interval=1e-4)
    ledger.compose(dp_accounting.SelfComposedDpEvent(one, 100))

    assert 0.1 == pytest.approx(ledger.get_epsilon(1e-6), rel=1e-2)
    assert 4.7 < optimum(from_dp_accounting(dp_accounting.SelfComposedDpEvent(one, 100)), 1e-6) < 4.8


def promises() -> list[Event]:
    """One of each kind, several times: pure, of bounded range, (epsilon, delta), concentrated."""
    kinds = [
        dps.Guarantee(Fraction(1, 3), "add-remove"),
        dps.Guarantee(Fraction(1, 5), "add-remove", bounded_range=True),
        dps.Guarantee(Fraction(1, 7), "add-remove", Fraction(1, 10**7)),
        dps.Guarantee.from_rho(Fraction(1, 50), Fraction(1, 10**8), "add-remove"),
        dps.Guarantee.from_rho(Fraction(1, 60), Fraction(1, 10**8), "add-remove"),
    ]
    return [Event.of(kind, dataset="", mechanism="x", count=count) for count in (1, 3) for kind in kinds]


def test_sums_of_all_kinds_are_exact_for_every_list_of_three() -> None:
    """Epsilons and deltas as they are stated, rhos of those that have one: each a sum of fractions, one by one."""
    for events in itertools.product(promises(), repeat=3):
        each = [event.guarantee for event in events for _ in range(event.count)]
        totals = fold(events)

        assert sum(promise.epsilon for promise in each) == totals.epsilon
        assert sum(promise.delta for promise in each) == totals.delta
        assert sum(p.rho for p in each if p.stated_rho is not None or not p.delta) == totals.rho
        assert (3, len(each)) == (totals.spends, totals.releases)


def test_a_budget_admits_exactly_what_its_rule_sums_up_to() -> None:
    """For every list of three and both rules: what fits is admitted, one more is not; by rho some have none."""
    for events in itertools.product(promises(), repeat=3):
        whole = fold(events)
        terms = Terms(whole.epsilon, whole.delta, "add-remove")
        totals = Totals()
        for event in events:
            totals = terms.admit(totals, event)
        assert (Fraction(0), Fraction(0)) == (terms.remaining(totals).epsilon, terms.remaining(totals).delta)
        with pytest.raises(dps.BudgetError):
            terms.admit(totals, events[0])
        if whole.delta:
            tight = Terms(whole.epsilon, whole.delta * (1 - Fraction(1, 10**9)), "add-remove")
            with pytest.raises(dps.BudgetError, match="and delta"):
                admitted(tight, events)


def admitted(terms: Terms, events) -> Totals:
    """The totals after all of them."""
    totals = Totals()
    for event in events:
        totals = terms.admit(totals, event)
    return totals


def test_a_budget_by_rho_adds_pure_and_concentrated_releases() -> None:
    """Each by its own rho, whatever delta it states; the third kind is refused and spends nothing."""
    terms = Terms(Fraction(2), Fraction(1, 10**6), "add-remove", rule="rho")
    pure, ranged, approximate, concentrated, _ = promises()[:5]

    assert (
        sum(each.count * each.guarantee.rho for each in (pure, ranged, concentrated))
        == admitted(terms, [pure, ranged, concentrated]).rho
    )
    with pytest.raises(dps.BudgetError, match="an .epsilon, delta. promise has none"):
        terms.admit(Totals(), approximate)


def test_refusals_of_concentrated_releases_say_what_would_fit() -> None:
    """A rho, where it is a rho that is asked for; and what is offered fits, to the last digit."""
    terms = Terms(Fraction(1), Fraction(1, 10**6), "add-remove", rule="rho")
    asked = Event.of(dps.Guarantee.from_rho(Fraction(1, 70), 1e-6, "add-remove"), dataset="", mechanism="x", count=3)
    with pytest.raises(
        dps.BudgetError, match=r"rho 3/70 \(3 releases of rho 1/70\), left rho 0.02435597035; .*1 release of"
    ) as e:
        terms.admit(Totals(), asked)
    offered = Fraction(str(e.value).split("a rho of at most ")[1].split(" each")[0])
    fits = Event.of(dps.Guarantee.from_rho(offered, 1e-6, "add-remove"), dataset="", mechanism="x", count=3)
    assert 3 == terms.admit(Totals(), fits).releases


def test_what_a_refusal_offers_is_rounded_down() -> None:
    """Two thirds left: 0.666667 would not fit."""
    terms = Terms(Fraction(1), Fraction(0), "add-remove")
    with pytest.raises(dps.BudgetError, match=r"at most 0\.666666 in all"):
        terms.admit(Totals(epsilon=Fraction(1, 3)), Event("", "add-remove", "x", Fraction(1)))


def test_reports_of_concentrated_releases_go_through_rho() -> None:
    """The sum is shown where the stated deltas fit; what needs pure releases is not."""
    one = Event.of(dps.Guarantee.from_rho(Fraction(1, 8), 1e-6, "add-remove"), dataset="", mechanism="x")
    both = [one, Event("", "add-remove", "x", Fraction(1, 10))]
    single, mixed, stricter = report([one], 1e-6), report(both, 1e-6), report(both, 1e-7)

    assert float(one.epsilon) == single.basic
    assert math.isclose(single.basic, single.rho)
    assert float(one.epsilon + Fraction(1, 10)) == mixed.basic > mixed.rho
    assert math.isclose(mixed.rho, float(epsilon_of(Fraction(1, 8) + pure_price(Fraction(1, 10)), Fraction(1, 10**6))))
    assert math.isnan(stricter.basic)
    assert all(math.isnan(value) for value in (mixed.optimum, mixed.fixed_questions))
    assert "no optimum: a release states a rho" in str(mixed)
    assert "sum (" not in str(stricter)


def test_concentrated_releases_for_dp_accounting() -> None:
    """Their rho for the Renyi accountant; no sound counterpart for the other."""
    one = Event.of(dps.Guarantee.from_rho(Fraction(1, 8), 1e-6, "add-remove"), dataset="", mechanism="x", count=2)

    assert [0.125] * 2 == pytest.approx([each.rho for each in to_dp_accounting([one], accountant="rdp").events])
    with pytest.raises(ValueError, match='accountant="rdp"'):
        to_dp_accounting([one])


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10**7)])
def test_a_refusal_for_want_of_delta_says_that_a_pure_release_fits(delta: Fraction) -> None:
    """Epsilon is left; only a budget with a delta pays for one, and what is offered fits."""
    terms = Terms(Fraction(15), delta, "add-remove")
    with pytest.raises(dps.BudgetError, match="an epsilon of at most 15 in all without delta") as refusal:
        terms.admit(Totals(), Event("", "add-remove", "x", Fraction(1), Fraction(1, 10**6)))

    assert ("made with a delta" in str(refusal.value)) is (delta == 0)
    assert 1 == terms.admit(Totals(), Event("", "add-remove", "x", Fraction(15))).spends


def test_what_remains_counts_no_spends() -> None:
    """Sixteen spends later it says what is left, and nothing of how many."""
    with dps.budget(epsilon=2) as book:
        for _ in range(16):
            book.spend(dps.Guarantee(Fraction(1, 16), "add-remove"), mechanism="x")

        assert 1 == book.remaining.epsilon
        assert "spends" not in repr(book.remaining)


@pytest.mark.parametrize("rule", ["sum", "rho"])
def test_a_refusal_shows_what_differs(rule) -> None:
    """0.1 + 0.2 is above 0.3 by less than six digits show, and the message says so."""
    terms = Terms.of(0.3, 1e-6 if rule == "rho" else 0, "edge", "", rule)
    largest = rho_within(Fraction(3, 10), Fraction(10**-6))
    size = Fraction(repr(0.1 + 0.2)) if rule == "sum" else largest * (1 + Fraction(1, 10**12))
    rho = size if rule == "rho" else None
    event = Event(
        "", "edge", "x", Fraction(1) if rho else size, delta=Fraction(1, 10**6) if rho else Fraction(0), rho=rho
    )

    with pytest.raises(dps.BudgetError) as refusal:
        terms.admit(Totals(), event)
    found = re.search(r"asked for \w+ ([\d.e-]+).*?, left \w+ ([\d.e-]+)", str(refusal.value))
    asked, left = found.groups()
    assert Fraction(asked) > Fraction(left)
    assert rule == "rho" or ("0.30000000000000004", "0.3") == (asked, left)


@pytest.mark.parametrize("noise", [1 - 1e-10, 1 - 1e-6, 0.5, 1e-9])
def test_randomised_response_of_theirs_is_not_below_its_epsilon(noise: float) -> None:
    """Where it is nearly all noise, 2 / noise - 1 has few digits left."""
    (part,) = from_dp_accounting(dp_accounting.RandomizedResponseDpEvent(noise, 2))
    digits = Context(prec=50)
    exact = digits.ln(digits.subtract(digits.divide(Decimal(2), Decimal(noise)), Decimal(1)))
    found = part.guarantee.epsilon

    assert 0 <= found / Fraction(exact) - 1 < Fraction(1, 10**14)
