"""What a release promises, and to whom."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.core.neighbours import Neighbours

# Far beyond any use; keeps numbers short enough to be written down and read again.
_LEAST = Fraction(1, 10**300)


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

    >>> Guarantee(Fraction(1, 10), Neighbours.EDGE)
    Guarantee(epsilon=1/10, neighbours='edge')
    """

    epsilon: Fraction
    neighbours: Neighbours
    delta: Fraction = Fraction(0)
    bounded_range: bool = False
    idealised: bool = False

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
    if isinstance(epsilon, np.generic):
        epsilon = epsilon.item()
    if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float, Fraction, Decimal)):
        raise TypeError("epsilon must be a number such as 0.5 or Fraction(1, 2).")
    if isinstance(epsilon, (float, Decimal)) and not math.isfinite(epsilon):
        raise ValueError(f"epsilon must be positive and finite, not {epsilon}.")
    exact = Fraction(repr(epsilon)) if isinstance(epsilon, float) else Fraction(epsilon)
    if exact <= 0:
        raise ValueError(f"epsilon must be positive and finite, not {epsilon}.")
    if not _LEAST <= exact <= 1 / _LEAST:
        raise ValueError("epsilon must be between 10^-300 and 10^300.")
    return exact
