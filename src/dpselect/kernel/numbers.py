"""Public numbers as the exact ones that were written."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from dpselect.kernel.errors import InputError, InputTypeError

# What stands for an exact number: a float for its shortest decimal text.
Epsilon: TypeAlias = int | float | Fraction | Decimal
# Far beyond any use; keeps numbers short enough to be written down and read again.
LEAST, _MOST = Fraction(1, 10**300), Fraction(10**300)
# Fractions of smaller integers lie between the two.
_SHORT = 2**990


def exact_epsilon(epsilon: Epsilon) -> Fraction:
    """Return epsilon as the exact number that was written: 0.1 means 1/10.

    Args:
        epsilon: an int, Fraction or Decimal, or a float, which stands for its shortest decimal text.

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
    if type(delta) is Fraction and not delta:
        return delta
    if not isinstance(delta, bool) and isinstance(delta, (int, float, Fraction, Decimal, np.number)) and delta == 0:
        return Fraction(0)
    exact = _exact(delta, "delta", "at least 0 and less than 1")
    if exact >= 1:
        raise InputError(f"delta must be at least 0 and less than 1, not {delta}.")
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


def exact_positive(number: Any, name: str) -> Fraction:
    """Return another public number as the exact one that was written, positive and finite.

    Raises:
        TypeError: not a number.
        ValueError: zero, negative, infinite or NaN; beyond 10^300 or below 10^-300.

    >>> exact_positive(0.5, "tick")
    Fraction(1, 2)
    """
    return _exact(number, name, "positive and finite")


def exact_public(number: Any, name: str) -> Fraction:
    """Return a public number of either sign as the exact one that was written (``TypeError`` if it is none)."""
    number = number.item() if isinstance(number, np.generic) else number
    endless = isinstance(number, float) and not math.isfinite(number)
    if endless or isinstance(number, bool) or not isinstance(number, (int, float, Fraction)):
        raise InputTypeError(f"{name} must be a finite number such as 0.5 or Fraction(1, 2).")
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def whole(number: Any, name: str, meaning: str) -> int:
    """Return a public number of things, at least 1.

    Raises:
        ValueError: it is not such an integer.
    """
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
        raise InputError(f"{name} must be an integer of at least 1: {meaning}.")
    return int(number)


def _exact(number: Any, name: str, allowed: str) -> Fraction:
    # Most numbers come again and again, and these are within the limits below.
    if type(number) is Fraction and 0 < number.numerator < _SHORT and number.denominator < _SHORT:
        return number
    if type(number) is int and 0 < number < _SHORT:
        return Fraction(number)
    if isinstance(number, np.generic):
        number = number.item()
    if isinstance(number, bool) or not isinstance(number, (int, float, Fraction, Decimal)):
        raise InputTypeError(f"{name} must be a number such as 0.5 or Fraction(1, 2).")
    if isinstance(number, (float, Decimal)) and not math.isfinite(number):
        raise InputError(f"{name} must be {allowed}, not {number}.")
    exact = Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
    if exact <= 0:
        raise InputError(f"{name} must be {allowed}, not {number}.")
    if not LEAST <= exact <= _MOST:
        raise InputError(f"{name} must be between 10^-300 and 10^300.")
    return exact
