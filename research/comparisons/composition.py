"""What many releases cost together at delta = 1e-6, by every rule.

    python -m research.comparisons.composition

For each plan: the sum of epsilons; the epsilon of the sum of rhos, at the prices of version 0.2 and at those of today;
the optimum where amounts are fixed in advance, and where questions are too; and what one row of a ledger takes for
such a plan. Then what the optimum of k choices by the exponential mechanism is beside the figures that were published.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.rho_conversion import epsilon_of
from dpselect.ledger.composition import fold
from dpselect.ledger.dominating_pairs import PlanPart, optimum
from dpselect.ledger.events import Event
from dpselect.ledger.plan_payment import plan_optimum

DELTA = Fraction(1, 10**6)
RELATION = Neighbours.ADD_REMOVE


def event(epsilon: Fraction, *, bounded_range: bool = False, laplace: bool = False) -> Event:
    """Return one pure release."""
    return Event("", RELATION.value, "", epsilon, bounded_range=bounded_range, laplace=laplace)


def gaussian(rho: Fraction) -> Event:
    """Return one list of counts with discrete Gaussian noise, whose delta alone is a hundredth of that of the plan."""
    return Event.of(Guarantee.from_rho(rho, DELTA / 100, RELATION), dataset="", mechanism="")


def plans() -> dict[str, list[Event]]:
    """Return the plans by name."""
    tenth, one, third = Fraction(1, 10), Fraction(1), Fraction(3, 10)
    return {
        "40 medians at .1": 40 * [event(tenth, laplace=True)],
        "40 medians at 1": 40 * [event(one, laplace=True)],
        "100 selections at .1": 100 * [event(tenth, bounded_range=True)],
        "100 selections at .5": 100 * [event(one / 2, bounded_range=True)],
        "30 mixed at .3": [
            *10 * [event(third, laplace=True)],
            *10 * [event(third, bounded_range=True)],
            *5 * [event(third)],
            *5 * [gaussian(Fraction(1, 50))],
        ],
    }


def before(each: Event) -> Fraction:
    """Return the price in rho of version 0.2."""
    if each.rho is not None:
        return each.rho
    return each.epsilon**2 / (8 if each.bounded_range else 2)


def part(each: Event) -> PlanPart:
    """Return what dominates a release; Gaussian noise is on one count that moves by one."""
    if each.rho is None:
        return PlanPart(each.guarantee)
    return PlanPart(each.guarantee, gaussian=True, squared=Fraction(1))


def row(events: Sequence[Event]) -> list[float]:
    """Return the totals of a plan, in the order of the columns."""
    parts = [part(each) for each in events]
    totals = fold(events)
    paid = plan_optimum([(str(number), each) for number, each in enumerate(events)], DELTA)
    return [
        float(totals.epsilon),
        float(epsilon_of(sum(map(before, events), Fraction(0)), DELTA)),
        float(epsilon_of(totals.rho, DELTA)),
        optimum(parts, DELTA),
        optimum(parts, DELTA, adaptive=False),
        math.nan if paid is None else float(paid),
    ]


COLUMNS = ("sum", "rhos before", "rhos", "optimum", "fixed questions", "one row")
# Dong, Durfee and Rogers 2020, their optimum for k exponential mechanisms with fixed questions at delta = 1e-6.
CHOICES = {(10, "0.1"): 0.629, (10, "1"): 7.71, (30, "0.3"): 3.85, (100, "0.1"): 2.245, (1000, "0.03"): 2.127}


def main() -> None:
    """Print both tables."""
    print(f"{'plan':<22}" + "".join(f"{name:>17}" for name in COLUMNS))
    for name, events in plans().items():
        print(f"{name:<22}" + "".join(f"{number:>17.3f}" for number in row(events)))
    print(f"\n{'choices':<22}{'fixed questions':>17}{'published':>17}")
    for (count, epsilon), published in CHOICES.items():
        choice = PlanPart(Guarantee(Fraction(epsilon), RELATION, bounded_range=True))
        found = optimum({choice: count}, DELTA, adaptive=False)
        print(f"{f'{count} x {epsilon}':<22}{found:>17.3f}{published:>17.3f}")


if __name__ == "__main__":
    main()
