"""For every candidate the rival that limits its generalised exponential score, found on a hull and decided exactly.

With points (D_s, u_s) and a margin t, the rival of r is an s for which (u_s - u_r - t (D_s - D_r)) / (D_s + D_r) is
largest. Only corners of the upper hull, up to the largest u, can be; along them the quotient rises and then falls.
Comparisons in floats are believed where they are clear; the rest are repeated in integers, so that no size of a number
and no ratio of two bounds can lead astray.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
# Floats are believed beyond this relative difference, eight times their rounding, and this absolute one, far above
# what underflow loses.
_DOUBT, _SPECK = 2.0**-47, 2.0**-900


def rivals(values: NDArray[Any], bounds: Floats, margin: float) -> Positions:
    """Return the position of the rival of every candidate, shape (m,).

    Args:
        values: int64 within 2^61 of zero, or floats, shape (m,).
        bounds: D > 0, shape (m,).
        margin: t >= 0.
    """
    hull = upper_hull(values, bounds)
    if hull.size == 1:
        return np.full(values.size, hull[0])
    edges = _Edges(values, bounds, margin, hull)
    low, high = np.zeros(values.size, dtype=np.intp), np.full(values.size, hull.size - 1)
    for _ in range(int(hull.size - 1).bit_length()):
        middle = (low + high) // 2
        onwards = edges.rise(middle) & (middle < high)
        low, high = np.where(onwards, middle + 1, low), np.where(onwards, high, middle)
    return hull[low]


def upper_hull(values: NDArray[Any], bounds: Floats) -> Positions:
    """Return corners of the upper hull of the points (D, u) from the least D to the largest u, left to right."""
    if bounds.min() == bounds.max():
        return np.array([values.argmax()])
    order = np.lexsort((-values, bounds))
    along = values[order]
    # A rival that is no better than one to its left never limits anyone.
    record = np.concatenate(([True], along[1:] > np.maximum.accumulate(along)[:-1]))
    places = order[record]
    x, y = _whole(bounds[places], _shift(bounds[places])), _whole(values[places], _shift(values[places]))
    hull: list[int] = []
    for i in range(len(x)):
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (y[b] - y[a]) * (x[i] - x[b]) > (y[i] - y[b]) * (x[b] - x[a]):
                break
            hull.pop()
        hull.append(i)
    return places[hull]


class _Edges:
    """Edges of the hull, and from which candidates the quotient still rises along them."""

    def __init__(self, values: NDArray[Any], bounds: Floats, margin: float, hull: Positions) -> None:
        self._values, self._bounds, self._margin = values, bounds, margin
        self._width, self._height = bounds[hull], values[hull]
        shifts = _shift(bounds), _shift(values)
        self._shifts = shifts
        self._x, self._y = _whole(self._width, shifts[0]), _whole(self._height, shifts[1])
        with np.errstate(all="ignore"):
            self._steep = np.append(np.diff(self._height) / np.diff(self._width), 0.0)
        # 2 t and the units of x and y, so that both sides below are integers.
        numerator, denominator = (2 * margin).as_integer_ratio()
        self._left = denominator << max(shifts[0] - shifts[1], 0)
        self._right = numerator << max(shifts[1] - shifts[0], 0)

    def rise(self, edge: Positions) -> NDArray[np.bool_]:
        """Tell for every candidate whether the quotient rises along its edge: at the last corner it does not."""
        # What floats make infinite or NaN here is left undecided, and then decided in integers.
        with np.errstate(all="ignore"):
            across = self._width[edge] + self._bounds
            across = np.where(np.isfinite(across), across, np.nan)
            sight = (self._height[edge] - self._values) / across
            extra = 2 * self._margin * (self._bounds / across)
            steep = self._steep[edge]
            doubt = _DOUBT * (np.abs(steep) + np.abs(sight) + extra) + _SPECK
            rising: NDArray[np.bool_] = steep - sight > extra
            clear = np.abs(steep - sight - extra) > doubt
        rising[edge == len(self._x) - 1] = False
        unclear = np.flatnonzero(~clear & (edge < len(self._x) - 1))
        if unclear.size:
            rising[unclear] = self._decide(edge[unclear], unclear)
        return rising

    def _decide(self, edge: Positions, at: Positions) -> list[bool]:
        """Decide in integers; candidates that are alike are decided once."""
        values, bounds = self._values[at].tolist(), self._bounds[at].tolist()
        known: dict[tuple[int, float, float], bool] = {}
        return [
            known[key] if key in known else known.setdefault(key, self._exactly(*key))
            for key in zip(edge.tolist(), values, bounds, strict=True)
        ]

    def _exactly(self, k: int, value: float, bound: float) -> bool:
        x, y = _exact(bound, self._shifts[0]), _exact(value, self._shifts[1])
        width, height = self._x[k + 1] - self._x[k], self._y[k + 1] - self._y[k]
        over = height * (self._x[k] + x) - (self._y[k] - y) * width
        return self._left * over > self._right * x * width


def _shift(numbers: NDArray[Any]) -> int:
    """Return a power of two that makes integers of all of them."""
    if numbers.dtype.kind == "i":
        return 0
    least = int(np.frexp(numbers[numbers != 0])[1].min(initial=53))
    return min(max(53 - least, 0), 1074)


def _whole(numbers: NDArray[Any], shift: int) -> list[int]:
    return [_exact(number, shift) for number in numbers.tolist()]


def _exact(number: float, shift: int) -> int:
    numerator, denominator = number.as_integer_ratio()
    return (numerator << shift) // denominator
