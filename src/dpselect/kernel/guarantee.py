"""What a release promises, and to whom. The proofs are in guarantee.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dpselect.kernel.neighbours import Neighbours, neighbours

# Far beyond any use; keeps numbers short enough to be written down and read again.
_LEAST, _MOST = Fraction(1, 10**300), Fraction(10**300)
# Digits of an epsilon or rho that is computed, and of the arithmetic behind it.
_SHOWN, _INSIDE = 10, 60
# Named here, because a program may have set other ones for its own decimals.
_TRAPS = [DivisionByZero, InvalidOperation, Overflow]
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
        bounded_range: the log-ratios of all outcomes lie in an interval of length epsilon, so that many
            such releases compose better than epsilon each (Dong, Durfee and Rogers 2020). Given by the
            exponential sampler, never by permute-and-flip.
        idealised: the sampler uses floating-point noise, so the promise is for its ideal twin.
        stated_rho: of a concentrated promise, ``None`` for the others; epsilon is at least what it gives at delta.

    Raises:
        TypeError, ValueError: epsilon is not a positive finite number, or delta not one in [0, 1): no promise costs
            less than nothing. A rho without a delta, with bounded range, or that does not give this epsilon.

    >>> Guarantee(Fraction(1, 10), Neighbours.EDGE)
    Guarantee(epsilon=1/10, neighbours='edge')
    """

    epsilon: Fraction
    neighbours: Neighbours
    delta: Fraction = Fraction(0)
    bounded_range: bool = False
    idealised: bool = False
    stated_rho: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon(self.epsilon))
        object.__setattr__(self, "delta", exact_delta(self.delta))
        object.__setattr__(self, "neighbours", neighbours(self.neighbours))
        if self.stated_rho is not None:
            object.__setattr__(self, "stated_rho", exact_rho(self.stated_rho))
            self._check_concentrated(self.stated_rho)

    @classmethod
    def concentrated(cls, rho: Any, delta: Any, neighbours: Any, *, idealised: bool = False) -> Guarantee:
        """Return the promise of a rho-zCDP release, stated as the (epsilon, delta) that it gives at this delta.

        To state a rounder epsilon that you were asked for, calibrate to ``rho_within(epsilon, delta)`` and pass that
        as ``stated_rho`` with the epsilon.

        Args:
            rho: positive and finite.
            delta: positive and less than 1.
            neighbours: what one step between databases is.
            idealised: as the attribute.

        Raises:
            TypeError, ValueError: rho or delta is not such a number.

        >>> promise = Guarantee.concentrated(Fraction(1, 8), 1e-6, "edge")
        >>> promise.rho, float(promise.epsilon)
        (Fraction(1, 8), 2.419093177)
        """
        exact, at = exact_rho(rho), exact_delta(delta)
        if not at:
            raise ValueError(_NEEDS_DELTA)
        # Where delta covers it all, epsilon may be anything, and a promise has a positive one.
        return cls(epsilon_of(exact, at) or exact, neighbours, at, idealised=idealised, stated_rho=exact)

    @property
    def rho(self) -> Fraction:
        """Return the zero-concentrated cost: what is stated, or of a pure promise epsilon^2/8 or epsilon^2/2.

        The smaller one is that of bounded range.

        Raises:
            ValueError: an (epsilon, delta) promise has none.
        """
        if self.stated_rho is not None:
            return self.stated_rho
        if self.delta:
            raise ValueError("An (epsilon, delta) promise has no rho: only pure and concentrated ones do.")
        return self.epsilon**2 / (8 if self.bounded_range else 2)

    def _check_concentrated(self, rho: Fraction) -> None:
        if not self.delta:
            raise ValueError(_NEEDS_DELTA)
        if self.bounded_range:
            raise ValueError("Bounded range belongs to pure promises: leave it out where a rho is stated.")
        if self.epsilon < epsilon_of(rho, self.delta):
            raise ValueError("epsilon must be at least what rho gives at this delta: use Guarantee.concentrated.")

    def __repr__(self) -> str:
        parts = [f"rho={self.stated_rho}"] if self.stated_rho is not None else []
        parts.append(f"epsilon={self.epsilon}")
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


def exact_rho(rho: Any) -> Fraction:
    """Return rho as the exact number that was written, positive and finite.

    Raises:
        TypeError: not a number.
        ValueError: zero, negative, infinite or NaN; beyond 10^300 or below 10^-300.

    >>> exact_rho(0.125)
    Fraction(1, 8)
    """
    return _exact(rho, "rho", "positive and finite")


@lru_cache(maxsize=4096)
def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon such that every rho-zCDP release is (epsilon, delta)-private: ten digits, rounded up.

    It is 0 where delta alone covers everything.

    With beta = alpha - 1, rho (1 + beta) + ln beta + ln(1/delta)/beta - (1 + 1/beta) ln(1 + beta) is such an epsilon
    for every beta > 0 (Canonne, Kamath and Steinke 2020). So beta need only be near the best, and then each step of
    the arithmetic is rounded against us. Decimal arithmetic gives the same digits on every machine.

    Args:
        rho: positive.
        delta: between 0 and 1, both excluded.

    >>> float(epsilon_of(Fraction(1, 2), Fraction(1, 10**6)))
    5.221534445
    """
    up, down = _context(_INSIDE, ROUND_CEILING), _context(_INSIDE, ROUND_FLOOR)
    one, inverse = Decimal(1), Fraction(1) / delta
    cost, log = _divided(up, rho), up.next_plus(up.ln(_divided(up, inverse)))
    beta = _best_beta(cost, log, _divided(up, inverse - 1))
    # Decimal's ln is correctly rounded, to the nearest: the next number is on the safe side.
    log_alpha = max(Decimal(0), down.next_minus(down.ln(down.add(one, beta))))
    saved = down.multiply(log_alpha, down.add(one, down.divide(one, beta)))
    paid = up.add(up.multiply(cost, up.add(one, beta)), up.divide(log, beta))
    bound = up.subtract(up.add(paid, up.next_plus(up.ln(beta))), saved)
    return Fraction(_context(_SHOWN, ROUND_CEILING).plus(max(bound, Decimal(0))))


@lru_cache(maxsize=256)
def rho_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest rho, to ten digits and rounded down, that gives at most this epsilon at delta.

    Raises:
        ValueError: none above 10^-300 does.

    >>> promise = Guarantee(1, "edge", 1e-6, stated_rho=rho_within(Fraction(1), Fraction(1, 10**6)))
    >>> float(promise.rho)
    0.02435597035
    """
    digits = _context(_SHOWN, ROUND_FLOOR)
    low = Fraction(_divided(digits, epsilon))
    while epsilon_of(low, delta) > epsilon:
        low = Fraction(_divided(digits, low / 2))
        if low < _LEAST:
            raise ValueError("No rho gives so small an epsilon at this delta: use a larger epsilon or delta.")
    high = 2 * low
    while epsilon_of(high, delta) <= epsilon:
        low, high = high, 2 * high
    while (middle := Fraction(_divided(digits, (low + high) / 2))) > low:
        low, high = (middle, high) if epsilon_of(middle, delta) <= epsilon else (low, middle)
    return low


def _best_beta(cost: Decimal, log: Decimal, most: Decimal) -> Decimal:
    """Return about the root of cost beta^2 + ln(1 + beta) = log, where the derivative of the bound is 0."""
    with localcontext(_context(28, ROUND_CEILING)):
        low, high = Decimal(0), min((log / cost).sqrt(), most)
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if cost * middle * middle + (1 + middle).ln() < log else (low, middle)
        return high


def _context(digits: int, rounding: str) -> Context:
    return Context(prec=digits, rounding=rounding, traps=_TRAPS)


def _divided(context: Context, number: Fraction) -> Decimal:
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


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
