"""Public bounds of a sensitivity, as floats that are not below them. Proof: ``sensitivity.md``."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]


def upwards(value: Any) -> float:
    """Return the least float that is not below an exact number."""
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is int and -(2**53) <= value <= 2**53:
        return float(value)
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool):
        raise InputError("A sensitivity bound must be a real number > 0, not a truth value.")
    if isinstance(plain, float) and math.isinf(plain):
        return plain
    if callable(plain):
        raise InputError(
            "A sensitivity bound must be a real number > 0, not a function: pass sensitivity.local(...) of a function "
            "of the distance, or sensitivity.smooth_bound(...) of a function of beta."
        )
    try:
        exact = Fraction(plain)
    except (TypeError, ValueError):
        raise InputError("A sensitivity bound must be a real number > 0.") from None
    if isinstance(plain, str):
        raise InputError("A sensitivity bound must be a real number > 0, not text.")
    try:
        near = float(exact)
    except OverflowError:
        return math.inf
    return near if Fraction(near) >= exact else math.nextafter(near, math.inf)


def all_upwards(values: ArrayLike) -> Floats:
    """Return for each exact number the least float that is not below it, shape (m,)."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and values.dtype.itemsize <= 8:
        return values.astype(np.float64)
    flat = values.tolist() if isinstance(values, np.ndarray) and values.dtype.kind in "iub" else list(values)  # type: ignore[arg-type]
    return np.array([value if type(value) is float else upwards(value) for value in flat], dtype=np.float64)


def refuse_zero(bound: float) -> None:
    """Refuse a bound of zero or below."""
    if bound <= 0:
        raise InputError(
            "A sensitivity that is never above zero would mean that no score depends on the data: pass a bound > 0."
        )
