"""Sums of events: a pure fold, and what the ledger allows.

The ledger *enforces* sums only: epsilon and delta, or rho against a fixed rho, which stay valid when each release is
chosen after seeing the ones before (Whitehouse, Ramdas, Rogers and Wu 2023 for rho). Everything tighter is a *report*
(``composition``), valid for amounts fixed in advance. The proofs are in composition.md and kernel/guarantee.md.

References: Harrison and Manurangsi 2026 (rhos of pure releases); Canonne, Kamath and Steinke 2020 (rho to epsilon).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from dpselect.kernel.errors import Advice, BudgetError, InputError, InputTypeError
from dpselect.kernel.format_exact import format_exact, format_rounded
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.neighbours import neighbours as relation
from dpselect.kernel.numbers import Epsilon, exact_delta, exact_epsilon
from dpselect.kernel.prices import largest_epsilon
from dpselect.kernel.rho_conversion import epsilon_of, rho_within
from dpselect.ledger.dominating_pairs import PlanPart, optimum, require_one_relation
from dpselect.ledger.events import Event

RULES = ("sum", "rho")


@dataclass(frozen=True)
class Totals:
    """Sums over events, exact: what sequential composition says.

    ``rho`` is the sum of the zero-concentrated costs of the events that have one: pure and concentrated ones.
    """

    spends: int = 0
    releases: int = 0
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.spends + other.spends,
            self.releases + other.releases,
            self.epsilon + other.epsilon,
            self.delta + other.delta,
            self.rho + other.rho,
        )

    def after(self, event: Event) -> Totals:
        """Return the totals with one more event."""
        rho = event.guarantee.rho if event.has_rho else Fraction(0)
        return self + Totals(1, event.count, event.count * event.epsilon, event.count * event.delta, event.count * rho)


@dataclass(frozen=True)
class Remaining:
    """The rest of a budget: epsilon and delta, or rho where rhos are added."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)


@dataclass(frozen=True)
class Terms:
    """The terms of a budget.

    Attributes:
        epsilon: the most that may be spent in all.
        delta: the same for delta.
        neighbours: the relation every release must protect.
        dataset: whose budget this is.
        rule: ``"sum"``: epsilons and deltas, as each release states them, add up to at most those; ``"rho"``: the
            rhos of pure and concentrated releases add up to at most the largest rho that gives (epsilon, delta).
    """

    epsilon: Fraction
    delta: Fraction
    neighbours: str
    dataset: str = ""
    rule: str = "sum"

    @classmethod
    def of(cls, epsilon: Epsilon, delta: Any, neighbours: str, dataset: str, rule: str) -> Terms:
        """Return checked terms of numbers as they are written.

        Raises:
            TypeError, ValueError: a bad number, name or rule.
        """
        if rule not in RULES:
            raise InputError('rule is "sum" or "rho".')
        if not isinstance(dataset, str):
            raise InputTypeError("dataset must be text: the curator's name of the data.")
        terms = cls(exact_epsilon(epsilon), exact_delta(delta), relation(neighbours).value, dataset, rule)
        if rule == "rho" and not terms.delta:
            raise InputError(Advice('{rule="rho"} needs a delta, for example {delta=1e-6}.'))
        # Refused here, not at the first spend, where no rho is small enough.
        _ = terms.rho
        return terms

    @property
    def rho(self) -> Fraction:
        """Return the largest rho whose (epsilon, delta) is within the budget, rounded down; 0 for sums."""
        return rho_within(self.epsilon, self.delta) if self.rule == "rho" else Fraction(0)

    def admit(self, totals: Totals, event: Event) -> Totals:
        """Return the totals after an event that fits, or refuse.

        Raises:
            ValueError: another neighbour relation.
            BudgetError: it does not fit, and the message says what was asked, what is left and what would fit; or
                the rule is rho and the event has none.
        """
        if event.neighbours != self.neighbours:
            raise InputError(
                Advice(
                    f"This budget protects {self.neighbours} neighbours and the release {event.neighbours} neighbours: "
                    "make another for those, {dpselect.budget or Ledger.open|dpselect budget create} with "
                    f'{{neighbours="{event.neighbours}"|--neighbours {event.neighbours}}}.'
                )
            )
        if self.rule == "rho" and not event.has_rho:
            raise BudgetError(
                "This budget adds rhos, and an (epsilon, delta) promise has none: state the rho of the release with "
                'Guarantee.from_rho, or spend from a budget with rule="sum". Nothing was spent.'
            )
        after = totals.after(event)
        if self.rule == "rho":
            fits = after.rho <= self.rho
        else:
            fits = after.epsilon <= self.epsilon and after.delta <= self.delta
        if not fits:
            raise BudgetError(self._refusal(totals, event))
        return after

    def remaining(self, totals: Totals) -> Remaining:
        """Return what is left, in the currency of the rule."""
        if self.rule == "rho":
            return Remaining(rho=self.rho - totals.rho)
        return Remaining(epsilon=self.epsilon - totals.epsilon, delta=self.delta - totals.delta)

    def _refusal(self, totals: Totals, event: Event) -> str:
        asked, remains, fits = self._by_rho(totals, event) if self.rule == "rho" else self._by_sum(totals, event)
        would = f"what would fit is {', or '.join(fits)}" if fits else "nothing more fits"
        only = " Only a budget that was made with a delta pays for one." if event.delta and not self.delta else ""
        return f"The budget does not allow this: asked for {asked}, left {remains}; {would}.{only} Nothing was spent."

    def _by_rho(self, totals: Totals, event: Event) -> tuple[str, str, list[str]]:
        """Return in words what was asked, what is left and what would fit."""
        left, rho = self.remaining(totals).rho, event.guarantee.rho
        share, name, size = left / event.count, "rho", rho
        largest = f"a rho of at most {format_rounded(share, 6, ROUND_FLOOR)} each"
        if event.rho is None:
            # A pure release is asked for by its epsilon.
            name, size = "epsilon", event.epsilon
            most = largest_epsilon(event.guarantee.price, share) if share > 0 else share
            largest = f"an epsilon of at most {format_rounded(most, 6, ROUND_FLOOR)} each"
        total = event.count * rho
        asked = f"rho {_short(total, left)}{_many(event.count, f'{name} {_short(size)}')}"
        fits = [largest] if share > 0 else []
        return asked, f"rho {_short(left, total)}", fits + _fewer(event.count, int(left / rho), name)

    def _by_sum(self, totals: Totals, event: Event) -> tuple[str, str, list[str]]:
        """Return in words what was asked, what is left and what would fit."""
        left = self.remaining(totals)
        epsilon, delta = event.count * event.epsilon, event.count * event.delta
        asked = f"epsilon {_short(epsilon, left.epsilon)}{_many(event.count, _short(event.epsilon))}"
        remains = f"epsilon {_short(left.epsilon, epsilon)}"
        if event.delta or self.delta:
            asked += f" and delta {_short(delta, left.delta)}"
            remains += f" and delta {_short(left.delta, delta)}"
        most = int(left.epsilon / event.epsilon)
        if event.delta:
            most = min(most, int(left.delta / event.delta))
        # Where delta is an obstacle a pure release still fits.
        possible = delta <= left.delta
        largest = f"an epsilon of at most {format_rounded(left.epsilon, 6, ROUND_FLOOR)} in all"
        fits = [largest if possible else f"{largest} without delta"] if left.epsilon > 0 else []
        return asked, remains, fits + _fewer(event.count, most, "epsilon")


def fold(events: Iterable[Event]) -> Totals:
    """Return the sums over events: exact, and equal guarantees are multiplied rather than added one by one.

    >>> fold([Event("", "add-remove", "exponential", Fraction(1, 10), count=3)]).epsilon
    Fraction(3, 10)
    """
    kinds: dict[tuple[int, ...], tuple[Event, int, int]] = {}
    for event in events:
        numbers = event.epsilon, event.delta, event.rho or Fraction(0)
        parts = (part for number in numbers for part in (number.numerator, number.denominator))
        kind = (event.bounded_range, event.laplace, *parts)
        _, spends, releases = kinds.get(kind, (event, 0, 0))
        kinds[kind] = event, spends + 1, releases + event.count
    totals = Totals()
    for event, spends, releases in kinds.values():
        totals = replace(totals.after(replace(event, count=releases)), spends=totals.spends + spends)
    return totals


@dataclass(frozen=True)
class Report:
    """Epsilons at one delta of all releases together, by each rule that applies; ``nan`` where it does not.

    Attributes:
        delta: of the whole.
        basic: the sum of what is stated. Always valid.
        rho: through the sum of rhos. Always valid, also where amounts follow earlier answers, if their sum was bounded
            in advance.
        optimum: the best possible where the amounts were fixed in advance.
        fixed_questions: the best possible where also no question depends on an earlier answer, for choices of bounded
            range at one epsilon.
        reason: why there is no optimum, or "".
    """

    delta: float
    basic: float
    rho: float
    optimum: float
    fixed_questions: float
    reason: str = ""

    def __str__(self) -> str:
        names = {
            "basic": "sum (always valid)",
            "rho": "sum of rhos (always valid)",
            "optimum": "optimum, amounts fixed in advance",
            "fixed_questions": "optimum, questions fixed too",
        }
        known = {words: each for name, words in names.items() if not math.isnan(each := getattr(self, name))}
        lines = [f"  {words:<34}{format_rounded(each):>10}" for words, each in known.items()]
        lines += [f"  no optimum: {self.reason}"] if self.reason else []
        return "\n".join([f"epsilon of all releases together at delta = {self.delta:g}", *lines])


_MOST = 10**100
_BY_RHO = "a release states a rho, and the ledger does not know by which noise it keeps that"


def report(events: Iterable[Event], delta: float) -> Report:
    """Return the totals of the events at one delta, and what is best possible for a plan that was fixed in advance.

    The sum is shown if the deltas that are stated sum to at most ``delta``.

    Raises:
        ValueError: delta is not between 0 and 1, or the events are for several neighbour relations.

    >>> plan = [Event("", "add-remove", "exponential", Fraction(1, 10), count=100, bounded_range=True)]
    >>> print(report(plan, 1e-6))
    epsilon of all releases together at delta = 1e-06
      sum (always valid)                        10
      sum of rhos (always valid)             2.419
      optimum, amounts fixed in advance      2.419
      optimum, questions fixed too           2.247
    """
    if not 0 < delta < 1:
        raise InputError("delta must lie between 0 and 1, for example 1e-6.")
    spent, nan, exact = list(events), float("nan"), exact_delta(delta)
    if not spent:
        return Report(delta, 0.0, 0.0, 0.0, nan)
    require_one_relation(event.neighbours for event in spent)
    totals = fold(spent)
    if totals.epsilon > _MOST:
        raise InputError("The epsilons come to more than 10^100, of which there is no report: leave such releases out.")
    basic = _float_above(totals.epsilon) if totals.delta <= exact else nan
    rho = nan
    if all(event.has_rho for event in spent):
        rho = math.nextafter(float(epsilon_of(totals.rho, exact)), math.inf)
        rho = rho if math.isnan(basic) else min(basic, rho)
    if any(event.rho is not None for event in spent):
        return Report(delta, basic, rho, nan, nan, _BY_RHO)
    parts = Counter[PlanPart]()
    for event in spent:
        parts[PlanPart(event.guarantee)] += event.count
    best, ranged = optimum(parts, exact), len(parts) == 1 and spent[0].bounded_range
    fixed = optimum(parts, exact, adaptive=False) if ranged else nan
    if math.isinf(best):
        return Report(delta, basic, rho, nan, nan, "the deltas that are stated come to more")
    return Report(delta, basic, rho, best, fixed)


def parallel(parts: Sequence[Iterable[Event]]) -> Totals:
    """Return the totals over declared disjoint parts of the records: the largest of each sum.

    Valid for add-remove, when which part a record belongs to depends on that record alone. A record that is replaced
    may leave one part and come into another, and a person may have records in several.

    Raises:
        ValueError: events for another neighbour relation.

    >>> one, two = (Event("", "add-remove", "exponential", Fraction(k)) for k in (1, 2))
    >>> parallel([[one], [two]]).epsilon
    Fraction(2, 1)
    """
    events = [list(part) for part in parts]
    if any(event.neighbours != Neighbours.ADD_REMOVE for part in events for event in part):
        raise InputError("Only add-remove neighbours differ in one part alone: for others add up all parts.")
    sums = [fold(part) for part in events]
    return Totals(
        sum(each.spends for each in sums),
        sum(each.releases for each in sums),
        max((each.epsilon for each in sums), default=Fraction(0)),
        max((each.delta for each in sums), default=Fraction(0)),
        max((each.rho for each in sums), default=Fraction(0)),
    )


def _float_above(number: Fraction) -> float:
    close = float(number)
    return close if Fraction(repr(close)) >= number else math.nextafter(close, math.inf)


def _many(count: int, size: str) -> str:
    return f" ({count} releases of {size})" if count > 1 else ""


def _fewer(count: int, most: int, name: str) -> list[str]:
    return [f"{most} release{'s' if most > 1 else ''} of this {name}"] if count > 1 and most else []


def _short(number: Fraction, other: Fraction | None = None) -> str:
    """Return six digits of what is long, or as many as tell whether it is above or below another number."""
    digits = 6
    while other is not None and number != other:
        here, there = Fraction(_round_text(number, digits)), Fraction(_round_text(other, digits))
        if here != there and (here > there) == (number > other):
            break
        digits += 1
    return _round_text(number, digits)


def _round_text(number: Fraction, digits: int) -> str:
    text = format_exact(number)
    if "/" not in text or number.denominator < 10**6:
        return text
    if digits == 6:
        return f"{float(number):.6g}"
    return f"{Context(prec=digits).divide(Decimal(number.numerator), Decimal(number.denominator)):g}"
