"""What is audited of dp_accounting: what it says of many releases together, against the least that is true.

An accountant may state more than the truth, and never less. Events that repeat are asked for by their count and as a
list, which must cost the same.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.ledger.dominating_pairs import PlanPart, optimum
from research.other_libraries.finding import Check, Outcome

NOT_TESTED = (
    "Sampled events, trees, selections among repeated runs, and other amounts and counts than those above.",
    "ExponentialMechanismDpEvent and PermuteAndFlipDpEvent, where the installed release has none.",
    "Gaussian and Laplace noise as it is drawn: an accountant draws nothing.",
)
_COUNT, _EPSILON, _DELTA = 100, 0.1, 1e-6
# An optimum is rounded up by less than this.
_ROUNDING = 1e-3


def checks() -> list[Check]:
    """Return every check; of events that the installed release has."""
    listed = []
    for name, (event, part, relation) in _events().items():
        for repeated in ("by its count", "as a list"):
            for accountant in ("PLD", "RDP"):
                run = _bound(_total, event, part, relation, accountant, repeated)
                listed.append(Check(name, f"{accountant}, {_COUNT} of {_EPSILON} {repeated}", run))
    return listed


def _events() -> dict[str, tuple[Any, PlanPart, str]]:
    import math

    from dp_accounting import dp_event

    epsilon = Fraction(1, 10)
    promise = Guarantee(epsilon, Neighbours.ADD_REMOVE)
    rho = epsilon**2 / 2
    known = {
        "RandomizedResponseDpEvent": ((2 / (1 + math.exp(_EPSILON)), 2), PlanPart(promise), "REPLACE_ONE"),
        "LaplaceDpEvent": (
            (1 / _EPSILON,),
            PlanPart(Guarantee(epsilon, Neighbours.ADD_REMOVE, laplace=True)),
            "ADD_OR_REMOVE_ONE",
        ),
        "DiscreteLaplaceDpEvent": ((_EPSILON, 1), PlanPart(promise), "ADD_OR_REMOVE_ONE"),
        "GaussianDpEvent": (
            (1 / _EPSILON,),
            PlanPart(Guarantee.from_rho(rho, Fraction(1, 10**6), Neighbours.ADD_REMOVE), gaussian=True),
            "ADD_OR_REMOVE_ONE",
        ),
        "ExponentialMechanismDpEvent": (
            (_EPSILON,),
            PlanPart(Guarantee(epsilon, Neighbours.ADD_REMOVE, bounded_range=True)),
            "ADD_OR_REMOVE_ONE",
        ),
    }
    return {
        name: (getattr(dp_event, name)(*arguments), part, relation)
        for name, (arguments, part, relation) in known.items()
        if hasattr(dp_event, name)
    }


def _total(event: Any, part: PlanPart, relation: str, accountant: str, repeated: str) -> Outcome:
    """Compare what an accountant says with the least that is true of questions fixed in advance."""
    import dp_accounting
    from dp_accounting import pld, rdp

    kind = getattr(dp_accounting.NeighboringRelation, relation)
    theirs = pld.PLDAccountant(kind) if accountant == "PLD" else rdp.RdpAccountant(neighboring_relation=kind)
    composed = (
        dp_accounting.SelfComposedDpEvent(event, _COUNT)
        if repeated == "by its count"
        else dp_accounting.ComposedDpEvent([event] * _COUNT)
    )
    truth = optimum([part] * _COUNT, _DELTA, adaptive=False)
    if not theirs.supports(composed):
        return Outcome("nothing", f"this accountant does not take it; the truth is {truth:.4g}", True)
    said = theirs.compose(composed).get_epsilon(_DELTA)
    claim = f"epsilon = {said:.4g} at delta = {_DELTA:g}"
    return Outcome(claim, f"the truth is {truth:.4g}", said >= truth * (1 - _ROUNDING))


def _bound(check: Callable[..., Outcome], *arguments: Any) -> Callable[[], Outcome]:
    return lambda: check(*arguments)
