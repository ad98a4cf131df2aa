"""A mechanism as a measurement of OpenDP. Proof: ``opendp.md``."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpselect._optional import not_installed
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon, exact_rho, whole
from dpselect.kernel.prices import largest_epsilon
from dpselect.mechanisms.base import Mechanism, require_pure
from dpselect.mechanisms.joint_top_k import JOINT, require_joint
from dpselect.mechanisms.large_epsilon import require_meant
from dpselect.mechanisms.registry import require_mechanism
from dpselect.release.one_shot import ONE_SHOT, PEELING
from dpselect.release.questions import flips_units
from dpselect.release.select import top_k
from dpselect.scores.scores import Scores

_METRICS = {
    Neighbours.ADD_REMOVE: ("SymmetricDistance", "InsertDeleteDistance"),
    Neighbours.SUBSTITUTION: ("ChangeOneDistance", "HammingDistance"),
}


def to_opendp(
    mechanism: str | Mechanism,
    utility: Callable[[Any], Scores],
    *,
    epsilon: Epsilon | None = None,
    rho: Epsilon | None = None,
    k: int | None = None,
    method: str | None = None,
    input_domain: Any,
    input_metric: Any,
    neighbours: str = "add-remove",
) -> Any:
    """Return a selection as an OpenDP measurement, which composes in their Context (OpenDP 0.16 or newer).

    Under their distance d the loss is at most d epsilon in ``max_divergence()``, which a Context of
    ``loss_of(epsilon=...)`` adds up, or at most d^2 rho in ``zero_concentrated_divergence()``, for one of rhos.

    Args:
        mechanism: ours, or its name. With a rho the exponential one is drawn at twice the epsilon of the others.
        utility: what OpenDP hands over (a list or an array) to Scores.
        epsilon: of the whole release, for neighbours at distance 1; or rho.
        rho: the zero-concentrated cost of the whole release, instead of epsilon.
        k: how many candidates to name, at most as many as there are; the measurement then returns a list. ``None`` for
            one, which is returned by itself.
        method: as for :func:`dpselect.top_k`; with a rho a list is peeled unless this says otherwise.
        input_domain: an OpenDP domain; ``utility`` must accept its members.
        input_metric: ``symmetric_distance()`` for add-remove, ``change_one_distance()`` for substitution.
        neighbours: the relation of the scores that ``utility`` returns; others are refused.

    Raises:
        ImportError: OpenDP is not installed.
        ValueError, TypeError: not one of epsilon and rho; the metric does not fit the relation; k or the method is none
            that the mechanism has.
        PrivacyError: a mechanism without a guarantee or with a delta, of which neither divergence knows; an epsilon
            above 10 outside of a budget.
    """
    drawn = require_mechanism(mechanism)
    require_pure(drawn)
    dp = _opendp()
    _require_metric(input_metric, neighbours)
    _require_method(drawn, method)
    price = _Price.of_arguments(epsilon, rho)
    count = 1 if k is None else whole(k, "k", "how many candidates to name")
    if price.concentrated and count > 1:
        method = method or PEELING
    total = price.epsilon_of_draws(drawn, count if method == PEELING else 1)
    require_meant(Guarantee(total, Neighbours(neighbours)), 1)

    def function(data: Any) -> Any:
        scores = utility(data)
        if scores.neighbours.value != neighbours:
            raise InputError(f"The utility protects {scores.neighbours.value} neighbours, not {neighbours}.")
        winners = top_k(scores, count, epsilon=total, mechanism=drawn, method=method).value
        return winners[0] if k is None else [*winners]

    measure = dp.zero_concentrated_divergence() if price.concentrated else dp.max_divergence()
    dp.enable_features("contrib", "honest-but-curious")
    return dp.m.make_user_measurement(
        input_domain, input_metric, measure, function, price.between_inputs, TO="ExtrinsicObject"
    )


@dataclass(frozen=True)
class _Price:
    """The cost of a measurement between neighbours.

    Attributes:
        cost: an epsilon, or a rho.
        concentrated: whether it is a rho.
    """

    cost: Fraction
    concentrated: bool

    @classmethod
    def of_arguments(cls, epsilon: Epsilon | None, rho: Epsilon | None) -> _Price:
        """Return the one that was passed (``TypeError``)."""
        if epsilon is not None and rho is None:
            return cls(exact_epsilon(epsilon), concentrated=False)
        if rho is not None and epsilon is None:
            return cls(exact_rho(rho), concentrated=True)
        raise InputTypeError("Pass epsilon= for a Context of epsilons, or rho= for one of rhos: one of the two.")

    def epsilon_of_draws(self, mechanism: Mechanism, draws: int) -> Fraction:
        """Return the epsilon of so many draws together; a mechanism without a guarantee is refused."""
        price = mechanism.guarantee(Scores([0, 0], 1), 1).price
        return epsilon_for_rho(self.cost, draws, price) if self.concentrated else self.cost

    def between_inputs(self, distance: Any) -> float:
        """Return the cost between inputs at this distance, rounded up."""
        return _upwards(int(distance) ** (2 if self.concentrated else 1) * self.cost)


def epsilon_for_rho(rho: Fraction, draws: int, price: Callable[[Fraction], Fraction]) -> Fraction:
    """Return the epsilon of so many equal draws together that cost rho by a price: rounded down.

    >>> from dpselect.kernel.prices import pure_price
    >>> float(epsilon_for_rho(Fraction(1, 2), 1, pure_price))
    1.043626895
    """
    return draws * largest_epsilon(price, rho / draws)


def _upwards(cost: Fraction) -> float:
    """Return a float that is not below the cost."""
    try:
        near = float(cost)
    except OverflowError:
        return math.inf
    return near if Fraction(near) >= cost else math.nextafter(near, math.inf)


def _require_metric(metric: Any, neighbours: str) -> None:
    if not str(metric).startswith(_METRICS.get(Neighbours(neighbours), ("-",))):
        raise InputError(
            "Use symmetric_distance() with add-remove neighbours and change_one_distance() with substitution."
        )


def _require_method(mechanism: Mechanism, method: str | None) -> None:
    """Refuse a method before OpenDP has counted its cost (``ValueError``)."""
    if method == JOINT:
        require_joint(mechanism)
    elif method == ONE_SHOT and not flips_units(mechanism):
        raise InputError("One pass is for mechanisms that draw by permute-and-flip from unit scores: use that one.")
    elif method not in (None, PEELING, ONE_SHOT):
        raise InputError('method must be "one-shot", "peeling" or "joint", or None for the one that fits.')


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError:
        raise not_installed("The bridge needs OpenDP", "opendp") from None
    return dp
