"""Plans that are paid for by their optimal composition: one row, never cheaper than what its parts promise together."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.kernel.rho_conversion import epsilon_of
from dpselect.ledger import Event, LedgerRequests, PlanPart, PlanPayment, RequestSpends, Spend, optimum
from dpselect.ledger.composition import fold
from dpselect.ledger.plan_payment import COMPOSED, PLAN, plan_event, plan_optimum, plan_parts
from dpselect.ledger.requests import PUBLICATION

MILLIONTH, TENTH = Fraction(1, 10**6), Fraction(1, 10)
CHOICE = Spend(dps.Guarantee(TENTH, "add-remove", bounded_range=True), "exponential")
MEDIAN = Spend(dps.Guarantee(TENTH, "add-remove", laplace=True), "permute-and-flip")
COUNTS = Spend(dps.Guarantee(TENTH, "add-remove"), "two-sided geometric noise")
NAMES = Spend(dps.Guarantee(TENTH, "add-remove", Fraction(1, 10**8)), "keys")
TREES = Spend(dps.Guarantee.from_rho(Fraction(1, 200), Fraction(1, 10**8), "add-remove"), "discrete Gaussian")


def opened(path: Path, epsilon: Any = 5, delta: Any = 1e-5) -> dps.Ledger:
    """A new ledger of sums."""
    return dps.Ledger.open(path, epsilon=epsilon, delta=delta, dataset="survey")


def requests(spend: Spend, count: int) -> list[RequestSpends]:
    """As many requests with one spend each."""
    return [RequestSpends(f"r{number}", [spend]) for number in range(count)]


def parts(*spends: Spend) -> list[tuple[str, Event]]:
    """One request for each spend."""
    return [(f"r{number}", spend.event()) for number, spend in enumerate(spends)]


def test_a_plan_is_one_row_that_says_what_it_pays_for(tmp_path: Path) -> None:
    """A hundred choices at .1 cost 2.246 at 1e-6, and no request is paid for again."""
    ledger = opened(tmp_path / "a.ledger")
    payment = PlanPayment("p", MILLIONTH, {"command": "publish"})
    rows = LedgerRequests(ledger).pay(requests(CHOICE, 100), None, payment)

    assert [[1]] * 100 == rows == LedgerRequests(ledger).pay(requests(CHOICE, 100), None, payment)
    (event,) = ledger.events
    assert (COMPOSED, 1, MILLIONTH, "p") == (event.mechanism, event.count, event.delta, event.metadata[PUBLICATION])
    assert 2.245 < event.epsilon < 2.247
    assert (event.epsilon, MILLIONTH) == (ledger.totals.epsilon, ledger.totals.delta)
    assert 100 == len(plan_parts(event))
    # Any spend of an epsilon and a delta reads like this, in every format.
    assert json.loads(event.as_text()).keys() <= set(Event.__dataclass_fields__) | {"kind", "facts"}
    assert ledger.verify() == ledger.totals


MIXED = 10 * [CHOICE] + 10 * [MEDIAN] + 8 * [COUNTS] + [NAMES, TREES]


def test_a_mixed_plan_costs_no_less_than_its_optimum() -> None:
    """Thirty parts, of which one has a delta and one states a rho: each counts as what it promises at most."""
    found = plan_optimum(parts(*MIXED), MILLIONTH)
    assert found is not None
    known = [PlanPart(each.guarantee) for each in MIXED[:-1]]
    gaussian = PlanPart(TREES.guarantee, gaussian=True)
    together = fold(each.event() for each in MIXED)

    assert optimum([*known, gaussian], MILLIONTH - Fraction(1, 10**8)) < found < together.epsilon
    assert optimum([*known, PlanPart(replace(TREES.event(), rho=None).guarantee)], MILLIONTH) <= found


def test_parts_that_state_a_rho_cost_their_sum_of_rhos_at_most() -> None:
    """Their own (epsilon, delta) are worth more; with a part that has no rho, that is all there is."""
    found = plan_optimum(parts(*30 * [TREES], *10 * [CHOICE]), MILLIONTH)
    rho = 30 * TREES.guarantee.rho + 10 * CHOICE.guarantee.rho
    stated = PlanPart(replace(TREES.event(), rho=None).guarantee)

    assert found is not None
    assert 0 < found - epsilon_of(rho, MILLIONTH) < 2 * MILLIONTH
    assert found < optimum({stated: 30, PlanPart(CHOICE.guarantee): 10}, MILLIONTH) / 2
    assert plan_optimum(parts(NAMES, *30 * [TREES]), MILLIONTH) > found


def test_what_is_dearer_together_is_paid_as_a_sum(tmp_path: Path) -> None:
    """Where there is no delta, deltas come to more than the plan has, or rounding up eats the gain."""
    assert plan_optimum(parts(COUNTS), Fraction(1, 10**12)) is None
    assert plan_optimum(parts(*[CHOICE] * 50), Fraction(0)) is None
    assert plan_optimum(parts(*[NAMES] * 101), MILLIONTH) is None
    assert plan_optimum([], MILLIONTH) is None
    apart = [("r", replace(CHOICE.event(), neighbours="edge")), ("s", replace(CHOICE.event(), dataset="another"))]
    for other in apart:
        assert plan_optimum([*parts(*[CHOICE] * 100), other], MILLIONTH) is None
    ledger = opened(tmp_path / "a.ledger")
    LedgerRequests(ledger).pay(requests(CHOICE, 2), None, PlanPayment("p", Fraction(0)))

    assert [CHOICE.mechanism] * 2 == [event.mechanism for event in ledger.events]
    assert 0 == ledger.totals.delta


def test_choices_that_follow_each_other_are_adaptive() -> None:
    """The winners of a list, or two choices of one request, are drawn one after another: no questions are fixed."""
    apart = plan_optimum(parts(*[CHOICE] * 100), MILLIONTH)
    winners = plan_optimum([("r", replace(CHOICE.event(), count=100))], MILLIONTH)
    pairs = plan_optimum([(f"r{number // 2}", CHOICE.event()) for number in range(100)], MILLIONTH)

    assert apart is not None
    assert apart < winners == pairs


def test_a_request_that_was_paid_in_part_is_no_part_of_a_plan(tmp_path: Path) -> None:
    """Its second question may depend on its first answer, which another row has paid for."""
    ledger = opened(tmp_path / "a.ledger", epsilon=50)
    LedgerRequests(ledger).pay(requests(CHOICE, 100))
    twice = [replace(each, spends=[CHOICE, CHOICE]) for each in requests(CHOICE, 100)]
    LedgerRequests(ledger).pay(twice, None, PlanPayment("p", MILLIONTH))

    assert (20, 0) == (ledger.totals.epsilon, ledger.totals.delta)


def test_a_delta_is_never_forgotten() -> None:
    """Whoever says of an (epsilon, delta) promise that it has bounded range does not get rid of its delta."""
    leaky = PlanPart(dps.Guarantee(TENTH, "add-remove", MILLIONTH, bounded_range=True))
    plain = PlanPart(dps.Guarantee(TENTH, "add-remove", MILLIONTH))

    assert optimum(10 * [leaky], 1e-4, adaptive=False) == optimum(10 * [plain], 1e-4, adaptive=False)
    assert optimum(10 * [leaky], 1e-4) == optimum(10 * [plain], 1e-4)


FORGED: dict[str, Callable[[Event], Event]] = {
    "half of its epsilon": lambda event: replace(event, epsilon=event.epsilon / 2),
    "a part more": lambda event: replace(
        event, metadata={PLAN: json.dumps(20 * json.loads(event.metadata[PLAN]))}
    ),
    "a smaller delta": lambda event: replace(event, delta=event.delta / 10**6),
    "no delta": lambda event: replace(event, delta=Fraction(0)),
    "another relation": lambda event: replace(event, neighbours="edge"),
    "another dataset": lambda event: replace(event, dataset="another"),
    "another mechanism": lambda event: replace(event, mechanism="x"),
    "parts that are none": lambda event: replace(event, metadata={PLAN: "[[1]]"}),
    "text": lambda event: replace(event, metadata={PLAN: "my plan"}),
    "a number": lambda event: replace(event, metadata={PLAN: "3"}),
    "nothing": lambda event: replace(event, metadata={PLAN: "[]"}),
    "depth": lambda event: replace(event, metadata={PLAN: "[" * 10**5}),
    "numbers beyond floats": lambda event: replace(
        event, metadata={PLAN: event.metadata[PLAN].replace("1/10", "1" + "0" * 400)}
    ),
}  # fmt: skip


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_row_that_paid_less_pays_for_nothing(forge: Callable[[Event], Event], tmp_path: Path) -> None:
    """The index computes what parts cost; requests of such a row are paid for anew."""
    event = plan_event([(each.request, each.events("survey")[0]) for each in requests(CHOICE, 100)], MILLIONTH, {})
    assert event is not None
    assert 100 == len(plan_parts(event))
    forged = forge(event)
    assert [] == plan_parts(forged)
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=5, delta=1e-5, neighbours=forged.neighbours)
    with ledger.transaction() as transaction:
        transaction.append(forged)

    assert [[2]] == LedgerRequests(ledger).pay([RequestSpends("r0", [replace(CHOICE, guarantee=forged.guarantee)])])


def test_what_a_plan_paid_for_is_not_paid_for_as_something_else(tmp_path: Path) -> None:
    """As of rows of one request."""
    ledger = opened(tmp_path / "a.ledger")
    LedgerRequests(ledger).pay(requests(CHOICE, 100), None, PlanPayment("p", MILLIONTH))
    with pytest.raises(dps.ledger.RequestError, match="paid for as something else"):
        LedgerRequests(ledger).pay(requests(MEDIAN, 1))


def test_the_deltas_of_a_publication_never_exceed_its_own(tmp_path: Path) -> None:
    """The first row takes all of it; what is edited later is paid for as a sum, or by a delta that was raised."""
    ledger = opened(tmp_path / "a.ledger")
    first, edited = requests(CHOICE, 60), [RequestSpends(f"e{number}", [CHOICE]) for number in range(60)]
    LedgerRequests(ledger).pay(first, None, PlanPayment("p", MILLIONTH))
    before = ledger.totals
    LedgerRequests(ledger).pay(first + edited[:10], None, PlanPayment("p", MILLIONTH))
    assert (before.epsilon + 1, before.delta) == (ledger.totals.epsilon, ledger.totals.delta)

    LedgerRequests(ledger).pay(first + edited, None, PlanPayment("p", 2 * MILLIONTH))
    assert 2 * MILLIONTH == ledger.totals.delta
    assert before.epsilon + 1 < ledger.totals.epsilon < before.epsilon + 5


def test_a_ledger_that_has_too_little_pays_nothing(tmp_path: Path) -> None:
    """Neither of the epsilon nor of the delta; a ledger that adds rhos pays for no delta."""
    for place, terms in enumerate(({"epsilon": 2}, {"delta": 1e-7}, {"rule": "rho"})):
        ledger = dps.Ledger.open(tmp_path / f"{place}", **{"epsilon": 5, "delta": 1e-5, "dataset": "survey", **terms})
        with pytest.raises(dps.BudgetError):
            LedgerRequests(ledger).pay(requests(CHOICE, 100), None, PlanPayment("p", MILLIONTH))
        assert 0 == ledger.totals.spends


def test_a_composition_that_is_rounded_down_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row is compared with what its parts cost, so half of an optimum pays for nothing."""
    with monkeypatch.context() as fault:
        fault.setattr(dps.ledger.plan_payment, "_optimum", lambda *_: 0.5)
        event = plan_event(parts(*[MEDIAN] * 80), MILLIONTH, {})
    assert event is not None
    assert [] == plan_parts(event)
