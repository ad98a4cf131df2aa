"""A mechanism as a measurement of OpenDP."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpselect.kernel.extras import not_installed
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms.kinds import Mechanism, require_pure
from dpselect.mechanisms.named import require_mechanism
from dpselect.release.select import select
from dpselect.scores.scores import Scores


def to_opendp(
    mechanism: str | Mechanism,
    utility: Callable[[Any], Scores],
    epsilon: Epsilon,
    *,
    input_domain: Any,
    input_metric: Any,
    neighbours: str = "add-remove",
) -> Any:
    """Return one selection as an OpenDP measurement, which composes in their Context (OpenDP 0.16 or newer).

    Under their symmetric distance d the loss is at most d epsilon, under ``max_divergence``.

    Args:
        mechanism: ours, or its name.
        utility: what OpenDP hands over (a list or an array) to Scores.
        epsilon: of one selection, for neighbours at distance 1.
        input_domain: an OpenDP domain; ``utility`` must accept its members.
        input_metric: ``symmetric_distance()`` for add-remove, ``change_one_distance()`` for substitution.
        neighbours: the relation of the scores that ``utility`` returns; others are refused.

    Raises:
        ImportError: OpenDP is not installed.
        ValueError: the metric does not fit the relation.
        PrivacyError: a mechanism with a delta, of which a max-divergence knows nothing.
    """
    drawn = require_mechanism(mechanism)
    require_pure(drawn)
    try:
        import opendp.prelude as dp
    except ImportError:
        raise not_installed("The bridge needs OpenDP", "opendp") from None
    metrics = {
        Neighbours.ADD_REMOVE: ("SymmetricDistance", "InsertDeleteDistance"),
        Neighbours.SUBSTITUTION: ("ChangeOneDistance", "HammingDistance"),
    }
    fitting = metrics.get(Neighbours(neighbours), ())
    if not str(input_metric).startswith(fitting or ("-",)):
        raise ValueError(
            "Use symmetric_distance() with add-remove neighbours and change_one_distance() with substitution."
        )
    exact = exact_epsilon(epsilon)

    def function(data: Any) -> Any:
        scores = utility(data)
        if scores.neighbours.value != neighbours:
            raise ValueError(f"The utility protects {scores.neighbours.value} neighbours, not {neighbours}.")
        return select(scores, exact, mechanism=drawn).candidate

    def privacy_map(distance: Any) -> float:
        cost = float(int(distance) * exact)
        return cost if Fraction(cost) >= int(distance) * exact else math.nextafter(cost, math.inf)

    dp.enable_features("contrib", "honest-but-curious")
    return dp.m.make_user_measurement(
        input_domain, input_metric, dp.max_divergence(), function, privacy_map, TO="ExtrinsicObject"
    )
