"""What a release promises, and to whom."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.kernel.neighbours import Neighbours, neighbours

# Far beyond any use; keeps numbers short enough to be written down and read again.
_LEAST, _MOST = Fraction(1, 10**300), Fraction(10**300)


@dataclass(frozen=True)
class Guarantee:
    """A differential privacy guarantee: (epsilon, delta), for one neighbour relation.

    Attributes:
        epsilon: exact.
        neighbours: what one step between databases is.
        delta: 0 for pure differential privacy.
        bounded_range: the log-ratios of all outcomes lie in an interval of length epsilon, so that many
            such releases compose better than epsilon each (Dong, Durfee and Rogers 2020). Given by the
            exponential sampler, never by permute-and-flip.
        idealised: the sampler uses floating-point noise, so the promise is for its ideal twin.

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
    idealised: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon(self.epsilon))
        object.__setattr__(self, "delta", exact_delta(self.delta))
        object.__setattr__(self, "neighbours", neighbours(self.neighbours))

    @property
    def rho(self) -> Fraction:
        """Return the zero-concentrated cost: epsilon^2/8 with bounded range, epsilon^2/2 without.

        Raises:
            ValueError: delta is not 0.
        """
        if self.delta:
            raise ValueError("rho is defined for pure guarantees only: this one has a delta.")
        return self.epsilon**2 / (8 if self.bounded_range else 2)

    def __repr__(self) -> str:
        parts = [f"epsilon={self.epsilon}"]
        parts += [f"delta={self.delta}"] if self.delta else []
        parts.append(f"neighbours={self.neighbours.value!r}")
        parts += ["bounded_range=True"] if self.bounded_range else []
        parts += ["idealised=True"] if self.idealised else []
        return f"Guarantee({', '.join(parts)})"


def exact_epsilon(epsilon: Any) -> Fraction:
    """Return epsilon as the exact number that was written: 0.1 means 1/10.

    Args:
        epsilon: an int, float, Fraction or Decimal, positive and finite. A float stands for its shortest
            decimal text.

    Raises:
        TypeError: not a number.
        ValueError: zero, negative, infinite or NaN; beyond 10^300 or below 10^-300.

    >>> exact_epsilon(0.1)
    Fraction(1, 10)
    """
    return _exact(epsilon, "epsilon", "positive and finite")


def exact_delta(delta: Any) -> Fraction:
    """Return delta as the exact number that was written, at least 0 and less than 1.

    Raises:
        TypeError: not a number.
        ValueError: negative, 1 or more, NaN; positive and below 10^-300.

    >>> exact_delta(1e-6)
    Fraction(1, 1000000)
    """
    if not isinstance(delta, bool) and isinstance(delta, (int, float, Fraction, Decimal, np.number)) and delta == 0:
        return Fraction(0)
    exact = _exact(delta, "delta", "at least 0 and less than 1")
    if exact >= 1:
        raise ValueError(f"delta must be at least 0 and less than 1, not {delta}.")
    return exact


def _exact(number: Any, name: str, allowed: str) -> Fraction:
    if isinstance(number, np.generic):
        number = number.item()
    if isinstance(number, bool) or not isinstance(number, (int, float, Fraction, Decimal)):
        raise TypeError(f"{name} must be a number such as 0.5 or Fraction(1, 2).")
    if isinstance(number, (float, Decimal)) and not math.isfinite(number):
        raise ValueError(f"{name} must be {allowed}, not {number}.")
    exact = Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
    if exact <= 0:
        raise ValueError(f"{name} must be {allowed}, not {number}.")
    if not _LEAST <= exact <= _MOST:
        raise ValueError(f"{name} must be between 10^-300 and 10^300.")
    return exact
