"""The exact loss of a whole answer of a choice maker: paid facts, the choice, and what is chosen.

The makers of the experiments choose among algorithms whose outcomes cannot be written down. This one has the same code
choose between two mechanisms and a constant by two noisy facts, so that the law of everything is a finite table.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import dpselect as dps
from dpselect.adaptive import AdaptiveAlgorithm, Metafeature, Option, answer_pmf
from dpselect.mechanisms.base import Mechanism

# Noisy facts beyond these are one outcome.
_WINDOW = (-16, 20)
_SHARE = Fraction(1, 2)


def of_choice_maker(learner: str, epsilon: float) -> float:
    """Return the loss on all tables of up to three records of two values."""
    maker = _trained(learner)
    laws: dict[str, Callable[[Any, Any], dict[int, float]]] = {
        name: partial(_law, mechanism) for name, mechanism in _MECHANISMS.items()
    }
    laws["one"] = lambda *_: {1: 1.0}
    universe = dps.audit.multisets([0, 1], 3)
    return dps.audit.privacy_loss_of_pmf(
        lambda records: answer_pmf(maker, records, epsilon, laws, _WINDOW), universe, epsilon=epsilon
    ).worst


_MECHANISMS: dict[str, Mechanism] = {name: dps.mechanism(name) for name in ("permute-and-flip", "exponential")}
# Each option is best somewhere, so that what is chosen depends on what was released.
_COSTS: dict[str, Callable[[Any], float]] = {
    "permute-and-flip": lambda records: 1 + len(records),
    "exponential": lambda records: 13 - len(records),
    "one": lambda records: 9 - _ones(records),
}


@lru_cache(maxsize=2)
def _trained(learner: str) -> AdaptiveAlgorithm:
    public = {"none": [0], "few": [0, 0, 1], "some": [1] * 4, "many": [1] * 9 + [0] * 3, "most": [0] * 12}
    facts = [Metafeature("rows", len, sensitivity=1), Metafeature("ones", _ones, sensitivity=1)]
    options = [Option(name, partial(_cost, name)) for name in _COSTS]
    maker = AdaptiveAlgorithm(options, facts, lambda _, lost: lost, share=_SHARE, learner=learner)
    return maker.train(public, [1, 2], 1, jobs=1)


def _cost(name: str, records: Any, _: Fraction) -> float:
    return _COSTS[name](records)


def _ones(records: Any) -> int:
    return list(records).count(1)


def _law(mechanism: Mechanism, records: Any, epsilon: Fraction) -> dict[int, float]:
    scores = dps.Scores([list(records).count(0), _ones(records)], sensitivity=1)
    return dict(enumerate(mechanism.pmf(scores, epsilon).tolist()))
