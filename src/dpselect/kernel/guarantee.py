"""The guarantee of a release, and for whom it holds. The proofs are in guarantee.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpselect._public import named_publicly
from dpselect.kernel.errors import InputError
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.neighbours import PROTECTED_UNITS, Neighbours, neighbours
from dpselect.kernel.numbers import exact_delta, exact_epsilon, exact_rho
from dpselect.kernel.prices import PRICES
from dpselect.kernel.rho_conversion import epsilon_of

# What a promise is beyond pure; draws that were paid for by one are so at least.
PURE, LAPLACE, BOUNDED_RANGE = range(3)
_NEEDS_DELTA = "A concentrated promise needs the delta at which it is stated, for example delta=1e-6."


@dataclass(frozen=True)
class Guarantee:
    """A differential privacy guarantee for one neighbour relation: pure, with a delta, or concentrated.

    For neighbours x and y, a release M and every set S of outcomes:

    - *pure epsilon*: Pr[M(x) in S] <= e^epsilon Pr[M(y) in S];
    - *(epsilon, delta)*: Pr[M(x) in S] <= e^epsilon Pr[M(y) in S] + delta;
    - *rho-zCDP, stated at delta* (Bun and Steinke 2016): the Renyi divergence of every order alpha > 1 between M(x)
      and M(y) is at most rho alpha. It implies the (epsilon, delta) that it states, and many more.

    Sums of epsilons and deltas hold for every kind, also when each release is chosen after seeing the others; sums of
    rhos for those that have one. The proofs are in guarantee.md.

    Attributes:
        epsilon: exact.
        neighbours: what one step between databases is.
        delta: 0 for pure differential privacy.
        bounded_range: all log-ratios lie in an interval of length epsilon, so that many such releases compose better
            (Dong, Durfee and Rogers 2020). Given by the exponential sampler, never by permute-and-flip.
        laplace: Laplace noise of scale 1 / epsilon dominates it (``prices.md``). Given by permute-and-flip.

    Raises:
        TypeError, ValueError: epsilon is not a positive finite number, or delta not one in [0, 1): no promise costs
            less than nothing.

    >>> Guarantee(Fraction(1, 10), Neighbours.EDGE)
    Guarantee(epsilon=1/10, neighbours='edge')
    """

    epsilon: Fraction
    neighbours: Neighbours
    delta: Fraction = Fraction(0)
    bounded_range: bool = False
    laplace: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon(self.epsilon))
        object.__setattr__(self, "delta", exact_delta(self.delta))
        object.__setattr__(self, "neighbours", neighbours(self.neighbours))

    @property
    def shape(self) -> int:
        """Return what it is beyond pure: each includes those below."""
        return BOUNDED_RANGE if self.bounded_range else LAPLACE if self.laplace else PURE

    @property
    def stated_rho(self) -> Fraction | None:
        """Return the rho of a concentrated promise, ``None`` for the others."""
        return None

    @classmethod
    def from_rho(cls, rho: Any, delta: Any, neighbours: Any, *, epsilon: Any = None) -> Guarantee:
        """Return the promise of a rho-zCDP release, stated as the (epsilon, delta) that it gives at this delta.

        To state a rounder epsilon that you were asked for, calibrate to ``rho_within(epsilon, delta)`` and pass that
        as rho with the epsilon.

        Args:
            rho: positive and finite.
            delta: positive and less than 1.
            neighbours: what one step between databases is.
            epsilon: what is stated, at least what rho gives at delta; ``None`` for that.

        Raises:
            TypeError, ValueError: rho, delta or epsilon is not such a number.

        >>> promise = Guarantee.from_rho(Fraction(1, 8), 1e-6, "edge")
        >>> promise.rho, float(promise.epsilon)
        (Fraction(1, 8), 2.419093177)
        """
        exact, at = exact_rho(rho), exact_delta(delta)
        if not at:
            raise InputError(_NEEDS_DELTA)
        # Where delta covers it all, epsilon may be anything, and a promise has a positive one.
        return _ConcentratedGuarantee(
            epsilon_of(exact, at) or exact if epsilon is None else epsilon, neighbours, at, cost=exact
        )

    @property
    def rho(self) -> Fraction:
        """Return the zero-concentrated cost: what is stated, or the price of a pure promise (``prices.md``).

        It is the least that holds for every such release, rounded up to ten digits.

        Raises:
            ValueError: an (epsilon, delta) promise has none.
        """
        if self.delta:
            raise InputError("An (epsilon, delta) promise has no rho: only pure and concentrated ones do.")
        return self.price(self.epsilon)

    @property
    def price(self) -> Callable[[Fraction], Fraction]:
        """Return the price in rho, as a function of epsilon, of pure promises that are what this one is."""
        return PRICES[self.shape]

    def in_words(self) -> list[tuple[str, str]]:
        """Return the promise as names and words: epsilon, rho and delta where there are, and what is protected."""
        rows = [("epsilon", format_exact(self.epsilon))]
        rows += [("rho", format_exact(self.stated_rho))] if self.stated_rho is not None else []
        rows += [("delta", format_exact(self.delta))] if self.delta else []
        return [*rows, ("protected", PROTECTED_UNITS[self.neighbours])]

    def __repr__(self) -> str:
        parts = [f"rho={self.stated_rho}"] if self.stated_rho is not None else []
        parts.append(f"epsilon={self.epsilon}")
        parts += [f"delta={self.delta}"] if self.delta else []
        parts.append(f"neighbours={self.neighbours.value!r}")
        parts += ["bounded_range=True"] if self.bounded_range else []
        return f"Guarantee({', '.join(parts)})"


@dataclass(frozen=True, repr=False)
class _ConcentratedGuarantee(Guarantee):
    """A promise that states a rho.

    Attributes:
        cost: the rho; epsilon is at least what it gives at delta.
    """

    cost: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cost", exact_rho(self.cost))
        if not self.delta:
            raise InputError(_NEEDS_DELTA)
        if self.shape:
            raise InputError("bounded_range and laplace are for pure promises: leave them out where a rho is stated.")
        if self.epsilon < epsilon_of(self.cost, self.delta):
            raise InputError("epsilon must be at least what rho gives at this delta: leave it out.")

    @property
    def stated_rho(self) -> Fraction:
        """Return the rho that is stated."""
        return self.cost

    @property
    def rho(self) -> Fraction:
        """Return the rho that is stated."""
        return self.cost


named_publicly("dpselect", globals(), ["Guarantee"])
