"""A smooth bound that its user computes, for each beta that a mechanism asks for. Proof: ``declared_bound.md``."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError

# What a user computes from a beta: a beta-smooth bound of the database at hand.
Bound = Callable[[float], Any]

# No bound is below this share of the ceiling, a public constant, so that none vanishes.
_FLOOR = Fraction(1, 2**80)


def bound_below(bound: Bound, beta: Fraction, ceiling: float) -> Fraction:
    """Return the bound for the float that is not above beta, as the exact number it is, within 2^-80 and 1 ceilings.

    Raises:
        TypeError, ValueError: the function gave something else than a number >= 0.
    """
    value = bound(beta_below(beta))
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool) or not isinstance(plain, (int, float, Fraction)):
        raise InputTypeError("A smooth bound is a number: let the function return one for every beta.")
    if not plain >= 0:
        raise InputError("A smooth bound is a number >= 0: check the function passed.")
    most = Fraction(ceiling)
    return most if plain == math.inf else max(min(Fraction(plain), most), _FLOOR * most)


def beta_below(beta: Fraction) -> float:
    """Return the float that is not above beta: what the function is called with."""
    near = float(beta)
    return near if Fraction(near) <= beta else math.nextafter(near, 0.0)


def no_distances(_: object) -> NoReturn:
    """Refuse to say how a sensitivity grows with the distance, where only its smooth bound is known."""
    raise PrivacyError(
        "Of these scores only a smooth bound is known, not how far they move after t steps: use smooth-noisy-max or "
        "smooth-private-selection, or pass sensitivity=sensitivity.local(lambda t: ...)."
    )
