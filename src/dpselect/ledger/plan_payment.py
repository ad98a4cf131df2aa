"""Payment of a plan by its optimal composition: one row of a ledger for several requests. Proof: ``plan_payment.md``.

The row is an ordinary spend of an epsilon and a delta, so that every ledger sums it as it is. Its metadata hold the
parts of the plan, from which anybody can compute what they cost together.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.rho_conversion import epsilon_of
from dpselect.ledger.dominating_pairs import PlanPart, optimum
from dpselect.ledger.events import Event

# The metadata of a row that hold the parts, and the mechanism that it states.
PLAN, COMPOSED = "plan", "optimal composition"
# Prices have so many decimals.
_UNIT = 10**6
# More than two machines may differ in what they compute.
_UP = Fraction(10**9 + 1, 10**9)
# One request, and one of its spends without metadata.
Part = tuple[str, Event]


def plan_optimum(parts: Sequence[Part], delta: Fraction) -> Fraction | None:
    """Return the epsilon of requests whose amounts and questions are fixed in advance, at delta.

    Args:
        parts: requests with their spends, all about one dataset. Of several spends of one request, and of several
            releases of one spend, a later one may depend on an earlier one.
        delta: of the whole.

    Returns: their optimal composition, or where it is less the epsilon of the sum of their rhos, rounded up to six
    decimals; ``None`` where their sum is no larger, or where their own deltas come to more,
    or they are about several datasets or relations.

    >>> choice = Event("", "add-remove", "exponential", Fraction(1, 10), bounded_range=True)
    >>> hundred = [(f"choice {number}", choice) for number in range(100)]
    >>> print(plan_optimum(hundred, Fraction(1, 10**6)), plan_optimum(hundred, Fraction(0)))
    2246027/1000000 None
    """
    if delta <= 0 or len({(event.dataset, event.neighbours) for _, event in parts}) != 1:
        return None
    adaptive = len({request for request, _ in parts}) < sum(event.count for _, event in parts)
    found = _optimum(frozenset(_counts(parts).items()), delta, adaptive)
    if all(event.has_rho for _, event in parts):
        rho = sum((event.count * event.guarantee.rho for _, event in parts), Fraction(0))
        found = min(found, float(epsilon_of(rho, delta)))
    if math.isinf(found):
        return None
    rounded = Fraction(max(1, math.ceil(Fraction(found) * _UP * _UNIT)), _UNIT)
    return rounded if rounded < sum(event.count * event.epsilon for _, event in parts) else None


def plan_event(parts: Sequence[Part], delta: Fraction, metadata: Mapping[str, str]) -> Event | None:
    """Return the row that pays for a plan by its optimal composition; ``None`` where their sum is no larger.

    Args:
        parts: requests with their spends, all about one dataset and one relation.
        delta: of the whole plan.
        metadata: of the row.
    """
    epsilon = plan_optimum(parts, delta)
    if epsilon is None:
        return None
    first = parts[0][1]
    written = json.dumps([[request, replace(event, when="", metadata={}).as_text()] for request, event in parts])
    guarantee = Guarantee(epsilon, first.guarantee.neighbours, delta)
    return Event.of(guarantee, dataset=first.dataset, mechanism=COMPOSED, metadata={**metadata, PLAN: written})


def plan_parts(event: Event) -> list[Part]:
    """Return the parts of a plan that a row has paid for, each a request and a spend; empty for any other row.

    The composition is computed anew: a row that paid less than its parts cost pays for none of them.
    """
    if PLAN not in event.metadata or event.mechanism != COMPOSED:
        return []
    try:
        parts = [(str(request), Event.from_text(text)) for request, text in json.loads(event.metadata[PLAN])]
        cost = plan_optimum(parts, event.delta)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return []
    if cost is None or cost > event.epsilon or event.count > 1 or event.rho is not None:
        return []
    same = (parts[0][1].dataset, parts[0][1].neighbours) == (event.dataset, event.neighbours)
    return parts if same else []


def _counts(parts: Sequence[Part]) -> Counter[PlanPart]:
    """Return the dominating pairs of releases; one that states a rho is what it promises at its delta."""
    counts = Counter[PlanPart]()
    for _, each in parts:
        stated = replace(each, rho=None).guarantee if each.rho is not None else each.guarantee
        counts[PlanPart(stated)] += each.count
    return counts


@lru_cache(maxsize=256)
def _optimum(parts: frozenset[tuple[PlanPart, int]], delta: Fraction, adaptive: bool) -> float:
    return optimum(dict(parts), delta, adaptive=adaptive)
