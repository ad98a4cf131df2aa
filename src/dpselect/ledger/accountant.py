"""What events add up to: a pure fold, and what the ledger allows.

The ledger *enforces* sums only: epsilon and delta, or rho against a fixed rho, which stay valid when each release is
chosen after seeing the ones before (Whitehouse, Ramdas, Rogers and Wu 2023 for rho). Everything tighter is a *report*,
valid for a number of releases and epsilons fixed in advance.

References: Dwork, Rothblum and Vadhan 2010 and Kairouz, Oh and Viswanath 2015 (advanced, optimal pure composition);
Durfee and Rogers 2019 and Dong, Durfee and Rogers 2020 (bounded range); Bun and Steinke 2016 (rho = epsilon^2 / 2);
Cesar and Rogers 2021 (rho = epsilon^2 / 8 with bounded range); Canonne, Kamath and Steinke 2020 (rho to epsilon).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dpselect.kernel.errors import BudgetError
from dpselect.kernel.guarantee import exact_delta, exact_epsilon
from dpselect.kernel.neighbours import neighbours as relation
from dpselect.ledger.events import Event

# Reports are rounded up by this, far more than the error of their arithmetic.
_UP = 1 + 1e-9
RULES = ("sum", "rho")


@dataclass(frozen=True)
class Totals:
    """Sums over events, exact: what sequential composition says.

    ``rho`` is the sum of the zero-concentrated costs of the pure events.
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
        rho = Fraction(0) if event.delta else event.guarantee.rho
        return self + Totals(1, event.count, event.count * event.epsilon, event.count * event.delta, event.count * rho)


@dataclass(frozen=True)
class Terms:
    """What a budget allows.

    Attributes:
        epsilon: the most that may be spent in all.
        delta: the same for delta.
        neighbours: the relation every release must protect.
        dataset: whose budget this is.
        rule: ``"sum"``: epsilons and deltas add up to at most those; ``"rho"``: the rhos of pure releases add up to
            at most the largest rho that gives (epsilon, delta).
    """

    epsilon: Fraction
    delta: Fraction
    neighbours: str
    dataset: str = ""
    rule: str = "sum"

    @classmethod
    def of(cls, epsilon: Any, delta: Any, neighbours: str, dataset: str, rule: str) -> Terms:
        """Return checked terms of numbers as they are written.

        Raises:
            TypeError, ValueError: a number, name or rule that is none.
        """
        if rule not in RULES:
            raise ValueError('rule is "sum" or "rho".')
        if not isinstance(dataset, str):
            raise TypeError("dataset must be text: the curator's name of the data.")
        terms = cls(exact_epsilon(epsilon), exact_delta(delta), relation(neighbours).value, dataset, rule)
        if rule == "rho" and not terms.delta:
            raise ValueError('rule="rho" needs a delta, for example delta=1e-6.')
        return terms

    @property
    def rho(self) -> Fraction:
        """Return the largest rho whose (epsilon, delta) is within the budget, rounded down; 0 for sums."""
        return _rho_within(float(self.epsilon), float(self.delta)) if self.rule == "rho" else Fraction(0)

    def admit(self, totals: Totals, event: Event) -> Totals:
        """Return the totals after an event that fits, or refuse.

        Raises:
            ValueError: another neighbour relation; a delta where the rule is rho.
            BudgetError: it does not fit; the message says what was asked, what is left and what would fit.
        """
        if event.neighbours != self.neighbours:
            raise ValueError(
                f"This budget protects {self.neighbours} neighbours and the release {event.neighbours} neighbours: "
                f'make another for those, dpselect.budget or Ledger.open with neighbours="{event.neighbours}".'
            )
        if self.rule == "rho" and event.delta:
            raise ValueError("A budget by rho takes pure releases only: this one has a delta.")
        after = totals.after(event)
        if self.rule == "rho":
            fits = after.rho <= self.rho
        else:
            fits = after.epsilon <= self.epsilon and after.delta <= self.delta
        if not fits:
            raise BudgetError(self._refusal(totals, event))
        return after

    def left(self, totals: Totals) -> Totals:
        """Return what is left, in the currency of the rule."""
        if self.rule == "rho":
            return Totals(rho=self.rho - totals.rho)
        return Totals(epsilon=self.epsilon - totals.epsilon, delta=self.delta - totals.delta)

    def _refusal(self, totals: Totals, event: Event) -> str:
        left, many = self.left(totals), f" ({event.count} releases of {event.epsilon})" if event.count > 1 else ""
        if self.rule == "rho":
            each = event.guarantee.rho
            asked, remains = f"rho {_short(event.count * each)}{many}", f"rho {_short(left.rho)}"
            most = int(left.rho / each)
            largest = math.sqrt(float(left.rho / event.count / each)) * float(event.epsilon) * (1 - 1e-9)
        else:
            asked, remains = f"epsilon {_short(event.count * event.epsilon)}{many}", f"epsilon {_short(left.epsilon)}"
            if event.delta or self.delta:
                asked += f" and delta {_short(event.count * event.delta)}"
                remains += f" and delta {_short(left.delta)}"
            within_delta = int(left.delta / event.delta) if event.delta else event.count
            most = min(int(left.epsilon / event.epsilon), within_delta)
            # The largest epsilon helps only where delta is no obstacle.
            largest = float(left.epsilon) if event.count * event.delta <= left.delta else 0.0
        fits = f"an epsilon of at most {largest:.6g} in all" if largest > 0 and self.rule == "sum" else ""
        if self.rule == "rho" and largest > 0:
            fits = f"an epsilon of at most {largest:.6g} each"
        if event.count > 1 and most:
            fits += f"{', or ' if fits else ''}{most} release{'s' if most > 1 else ''} of this epsilon"
        would = f"what would fit is {fits}" if fits else "nothing more fits"
        return f"The budget does not allow this: asked for {asked}, left {remains}; {would}. Nothing was spent."


def fold(events: Iterable[Event]) -> Totals:
    """Return the sums over events: exact, and equal guarantees are multiplied rather than added one by one.

    >>> fold([Event("", "add-remove", "exponential", Fraction(1, 10), count=3)]).epsilon
    Fraction(3, 10)
    """
    kinds: dict[tuple[int, int, int, int, bool], tuple[Event, int, int]] = {}
    for event in events:
        epsilon, delta = event.epsilon, event.delta
        kind = (epsilon.numerator, epsilon.denominator, delta.numerator, delta.denominator, event.bounded_range)
        _, spends, releases = kinds.get(kind, (event, 0, 0))
        kinds[kind] = event, spends + 1, releases + event.count
    totals = Totals()
    for event, spends, releases in kinds.values():
        totals = replace(totals.after(replace(event, count=releases)), spends=totals.spends + spends)
    return totals


@dataclass(frozen=True)
class Report:
    """Epsilons at one delta of all releases together, by each rule that applies; ``nan`` where it does not.

    All but ``basic`` hold for a number of releases and epsilons that was fixed in advance.

    Attributes:
        delta: of the whole.
        basic: the sum.
        advanced: by variance and mean of the privacy loss.
        optimal: the best possible for pure releases of one epsilon.
        bounded_range: in closed form, when all releases have bounded range.
        rho: through zero-concentrated privacy.
    """

    delta: float
    basic: float
    advanced: float
    optimal: float
    bounded_range: float
    rho: float

    def __str__(self) -> str:
        names = {
            "basic": "sum (always valid)",
            "advanced": "advanced composition",
            "optimal": "optimal pure composition",
            "bounded_range": "bounded range, closed form",
            "rho": "zero-concentrated",
        }
        rows = [(words, getattr(self, name)) for name, words in names.items()]
        lines = [f"  {words:<28}{value:>10.4g}" for words, value in rows if not math.isnan(value)]
        return "\n".join([f"epsilon of all releases together at delta = {self.delta:g}", *lines])


def report(events: Iterable[Event], delta: float) -> Report:
    """Return tighter totals of the events, for a plan that was fixed in advance.

    Permute-and-flip has no bounded range and is never counted so.

    Raises:
        ValueError: delta is not between 0 and 1, or an event has a delta of its own.

    >>> plan = [Event("", "add-remove", "exponential", Fraction(1, 10), count=100, bounded_range=True)]
    >>> print(report(plan, 1e-6))
    epsilon of all releases together at delta = 1e-06
      sum (always valid)                  10
      advanced composition             5.756
      optimal pure composition         4.775
      bounded range, closed form       2.753
      zero-concentrated                2.419
    """
    if not 0 < delta < 1:
        raise ValueError("delta must lie between 0 and 1, for example 1e-6.")
    spent = list(events)
    if any(event.delta for event in spent):
        raise ValueError("Tighter totals are for pure releases: an event has a delta of its own.")
    totals = fold(spent)
    epsilons = np.array([float(event.epsilon) for event in spent])
    counts = np.array([event.count for event in spent])
    nan = float("nan")
    same = len(set(epsilons.tolist())) == 1
    ranged = bool(spent) and all(event.bounded_range for event in spent)
    return Report(
        delta,
        float(totals.epsilon),
        advanced(epsilons, counts, delta) if spent else 0.0,
        (optimal(float(epsilons[0]), int(counts.sum()), delta) if same else nan) if spent else 0.0,
        bounded_range(epsilons, counts, delta) if ranged else nan,
        min(float(totals.epsilon), epsilon_of_rho(float(totals.rho), delta)) if spent else 0.0,
    )


def parallel(parts: Sequence[Iterable[Event]]) -> Totals:
    """Return the totals over declared disjoint parts of the records: the largest of each sum.

    Valid for add-remove, when which part a record belongs to depends on that record alone.

    >>> one, two = (Event("", "add-remove", "exponential", Fraction(k)) for k in (1, 2))
    >>> parallel([[one], [two]]).epsilon
    Fraction(2, 1)
    """
    sums = [fold(part) for part in parts]
    return Totals(
        sum(each.spends for each in sums),
        sum(each.releases for each in sums),
        max((each.epsilon for each in sums), default=Fraction(0)),
        max((each.delta for each in sums), default=Fraction(0)),
        max((each.rho for each in sums), default=Fraction(0)),
    )


def advanced(epsilons: np.ndarray, counts: np.ndarray, delta: float) -> float:
    """Return sum of epsilon tanh(epsilon/2) plus sqrt(2 ln(1/delta) sum of epsilon^2), at most the sum."""
    mean = float((counts * epsilons * np.tanh(epsilons / 2)).sum())
    spread = math.sqrt(2 * math.log(1 / delta) * float((counts * epsilons**2).sum()))
    return min(float((counts * epsilons).sum()), (mean + spread) * _UP)


def bounded_range(epsilons: np.ndarray, counts: np.ndarray, delta: float) -> float:
    """Return the closed form for releases of bounded range, at most the sum."""
    scaled = epsilons / -np.expm1(-epsilons)
    mean = float((counts * (scaled - 1 - np.log(scaled))).sum())
    spread = math.sqrt(0.5 * math.log(1 / delta) * float((counts * epsilons**2).sum()))
    return min(float((counts * epsilons).sum()), (mean + spread) * _UP)


def optimal(epsilon: float, count: int, delta: float) -> float:
    """Return the least epsilon of ``count`` pure releases at delta: that of composed randomised response."""
    from scipy.special import gammaln

    lies = np.arange(count + 1.0)
    ways = gammaln(count + 1) - gammaln(lies + 1) - gammaln(count - lies + 1)
    weight = ways + (count - lies) * epsilon - count * np.logaddexp(0.0, epsilon)
    loss = (count - 2 * lies) * epsilon

    def spent(total: float) -> float:
        above = loss > total
        return float((np.exp(weight[above]) * -np.expm1(total - loss[above])).sum())

    low, high = 0.0, count * epsilon
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if spent(middle) <= delta else (middle, high)
    return high * _UP


def epsilon_of_rho(rho: float, delta: float) -> float:
    """Return the epsilon of rho at delta.

    The least over alpha > 1 of rho alpha + ln(1/(alpha delta))/(alpha - 1) + ln(1 - 1/alpha).

    >>> round(epsilon_of_rho(0.125, 1e-6), 3)
    2.419
    """
    if rho == 0:
        return 0.0
    # The bound holds at every alpha, so a grid is safe, and this one is fine.
    alpha = 1 + np.exp(np.linspace(-12, 12, 48_001)) * math.sqrt(math.log(1 / delta) / rho)
    bound = rho * alpha + (-math.log(delta) - np.log(alpha)) / (alpha - 1) + np.log1p(-1 / alpha)
    return max(0.0, float(bound.min())) * _UP


@lru_cache
def _rho_within(epsilon: float, delta: float) -> Fraction:
    low, high = 0.0, 1.0
    while epsilon_of_rho(high, delta) <= epsilon:
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if middle > 0 and epsilon_of_rho(middle, delta) <= epsilon else (low, middle)
    return Fraction(low)


def _short(number: Fraction) -> str:
    return str(number) if number.denominator < 10**6 else f"{float(number):.6g}"
