"""Enclosures of square roots and logarithms that are isotone as they are computed.

Roots and quotients are rounded correctly by the machine, so they are monotone. Its logarithms are right to a few units
in the last place, and are not: their arguments are first rounded outwards to numbers that are so far apart that such
errors cannot change the order of two logarithms.

Proof: ``derived_sensitivity.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dpselect.formulas.interval import ZERO, Floats, Interval, down, up

_INF = float("inf")
# Bits of an argument that are kept: of a logarithm, and of the parts of x log x.
_FINE, _COARSE = 40, 24
# Below it log(1 + r) / r is between 1 - r / 2 and 1, which is near enough.
_SMALL = 2.0**-20
_BELOW_SMALL = 1 - 2.0**-21


def square(x: Interval) -> Interval:
    """Return squares."""
    one, other = np.abs(x.lo), np.abs(x.hi)
    least = np.where((x.lo <= 0) & (x.hi >= 0), 0.0, np.minimum(one, other))
    largest = np.maximum(one, other)
    size = Interval(least, largest)
    return size * size


def root(x: Interval) -> Interval:
    """Return square roots of numbers from 0."""
    lo, hi = np.sqrt(np.maximum(x.lo, 0.0)), np.sqrt(np.maximum(x.hi, 0.0))
    return Interval(np.maximum(down(lo), 0.0), np.where(hi == 0, 0.0, up(hi)))


def root_step(before: Interval, after: Interval, step: Interval) -> Interval:
    """Return how far the square root moves: step / (root before + root after)."""
    return step.over(root(before) + root(after))


def logarithm(x: Interval) -> Interval:
    """Return natural logarithms of numbers above 0; ``-inf`` at 0."""
    with np.errstate(divide="ignore"):
        return Interval(down(down(np.log(_round_down(x.lo, _FINE)))), up(up(np.log(_kept_up(x.hi, _FINE)))))


def logarithm_step(before: Interval, after: Interval, step: Interval) -> Interval:
    """Return how far the logarithm moves: log(1 + step / before), or minus log(1 - step / after) downwards."""
    rise, fall = step.hi >= 0, step.lo < 0
    return Interval(
        np.where(
            fall, -_log1p_up(_ratio_up(-step.lo, after.lo)), _log1p_down(_ratio_down(step.lo, before.hi))
        ),
        np.where(
            rise, _log1p_up(_ratio_up(step.hi, before.lo)), -_log1p_down(_ratio_down(-step.hi, after.hi))
        ),
    )  # fmt: skip


def x_log_x(x: Interval) -> Interval:
    """Return x log x of numbers from 0: by the ends beyond 1, and -0.37 to 0 for all below."""
    # 1 / e is below 0.37.
    low = Interval(np.maximum(x.lo, 1.0), np.maximum(x.lo, 1.0))
    high = Interval(np.maximum(x.hi, 1.0), np.maximum(x.hi, 1.0))
    at_low, at_high = low * logarithm(low), high * logarithm(high)
    lo = np.where(x.lo >= 1, np.maximum(at_low.lo, 0.0), np.where(x.hi > 0, -0.37, 0.0))
    return Interval(lo, np.where(x.hi > 1, at_high.hi, 0.0))


def x_log_x_step(before: Interval, after: Interval, step: Interval) -> Interval:
    """Return how far x log x moves: d log(x + d) + x log(1 + d / x) upwards by d, and minus that of the way back."""
    up_by = Interval(np.maximum(step.lo, 0.0), np.maximum(step.hi, 0.0))
    down_by = Interval(np.maximum(-step.hi, 0.0), np.maximum(-step.lo, 0.0))
    rise = _rise(before, after, up_by) if up_by.hi.any() else ZERO
    fall = -_rise(after, before, down_by) if down_by.hi.any() else ZERO
    only_up, only_down = np.asarray(step.lo >= 0), np.asarray(step.hi <= 0)
    return rise.where(only_up, fall.where(only_down, rise.hull(fall)))


def _rise(x: Interval, end: Interval, by: Interval) -> Interval:
    """Return d log(x + d) + x log(1 + d / x) for d >= 0; ``end`` encloses x + d."""
    # A rise by 0 is 0, whatever the end.
    gain = by * logarithm(end)
    return gain + Interval(_part_down(x.lo, by.lo), _part_up(x.hi, by.hi))


def _part_down(x: Floats, by: Floats) -> Floats:
    """Return a number not above x log(1 + d / x), which grows with x >= 0 and with d >= 0, and so does this."""
    x, by = _round_down(np.maximum(x, 0.0), _COARSE), _round_down(by, _COARSE)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        ratio = by / x
        near = down(down(by * down(1.0 - ratio / 2)))
        computed = down(down(down(x * np.log1p(ratio))))
        beyond = np.minimum(computed, down(down(by * _BELOW_SMALL)))
    least = np.where(ratio < _SMALL, near, beyond)
    return np.where((x > 0) & (by > 0), np.maximum(least, 0.0), 0.0)


def _part_up(x: Floats, by: Floats) -> Floats:
    """Return a number not below x log(1 + d / x), and not above d rounded up, which grows with both."""
    x, by = _kept_up(x, _COARSE), _kept_up(by, _COARSE)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        ratio = by / x
        computed = up(up(up(x * np.log1p(ratio))))
        most = np.where(ratio < _SMALL, by, np.minimum(computed, by))
    # Without an end of x the logarithm is that of 1 + 0, and where d has none nothing has.
    most = np.where(np.isnan(most), by, most)
    return np.where((x > 0) & (by > 0), most, 0.0)


def _log1p_down(ratio: Floats) -> Floats:
    return np.maximum(down(down(np.log1p(_round_down(ratio, _FINE)))), 0.0)


def _log1p_up(ratio: Floats) -> Floats:
    kept = _kept_up(ratio, _FINE)
    return np.where(kept == 0, 0.0, up(up(np.log1p(kept))))


def _ratio_down(part: Floats, whole: Floats) -> Floats:
    return _ratio(part, whole, lambda x: np.maximum(down(x), 0.0))


def _ratio_up(part: Floats, whole: Floats) -> Floats:
    return _ratio(part, whole, up)


def _ratio(part: Floats, whole: Floats, rounded: Callable[[Floats], Floats]) -> Floats:
    """Return quotients of numbers >= 0; infinite where the whole is 0, and 0 for a part of 0."""
    part, whole = np.maximum(part, 0.0), np.maximum(whole, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        ratio = part / whole
    return np.where(part == 0, 0.0, np.where(whole == 0, _INF, rounded(ratio)))


def _round_down(x: Floats, bits: int) -> Floats:
    """Return numbers >= 0 rounded down to so many bits."""
    mask = np.int64(-(1 << (52 - bits)))
    return np.asarray((np.maximum(x, 0.0).view(np.int64) & mask).view(np.float64))


def _kept_up(x: Floats, bits: int) -> Floats:
    """Return numbers >= 0 rounded up to so many bits; infinite stays."""
    rest = (1 << (52 - bits)) - 1
    return np.asarray(((np.maximum(x, 0.0).view(np.int64) + rest) & np.int64(~rest)).view(np.float64))


def parallel(a: Interval, b: Interval) -> Interval:
    """Return 1 / (1 / a + 1 / b) of numbers from 0: it grows with both."""
    one = Interval(np.maximum(a.lo, 0.0), a.hi)
    other = Interval(np.maximum(b.lo, 0.0), b.hi)
    lo = np.maximum(down(_inverse(up(_inverse_up(one.lo) + _inverse_up(other.lo)))), 0.0)
    hi = up(_inverse(np.maximum(down(_inverse_down(one.hi) + _inverse_down(other.hi)), 0.0)))
    hi = np.minimum(hi, np.minimum(one.hi, other.hi))
    return Interval(lo, np.where((one.hi == 0) | (other.hi == 0), 0.0, hi))


def parallel_step(before: Interval, after: Interval, step: Interval, beside: Interval) -> Interval:
    """Return how far a b / (a + b) moves with a alone: d q q', q = b / (a + b) before and after."""
    first, second = _share(before, beside), _share(after, beside)
    return step * (first * second)


def _share(a: Interval, b: Interval) -> Interval:
    """Return b / (a + b) as 1 / (1 + a / b), which falls with a and grows with b; 0 to 1 where both may be 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        most, least = up(a.hi / b.lo), np.maximum(down(np.maximum(a.lo, 0.0) / b.hi), 0.0)
        lo, hi = down(1.0 / up(1.0 + most)), np.minimum(up(1.0 / np.maximum(down(1.0 + least), 1.0)), 1.0)
    lo = np.where((b.lo > 0) & np.isfinite(a.hi), np.maximum(lo, 0.0), 0.0)
    return Interval(lo, np.where(b.hi == 0, 0.0, np.where(np.isfinite(b.hi), hi, 1.0)))


def _inverse(x: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / x)


def _inverse_up(x: Floats) -> Floats:
    return up(_inverse(x))


def _inverse_down(x: Floats) -> Floats:
    return np.maximum(down(_inverse(x)), 0.0)


def larger(a: Interval, b: Interval) -> Interval:
    """Return the larger of two numbers."""
    return Interval(np.maximum(a.lo, b.lo), np.maximum(a.hi, b.hi))


def larger_step(ends: Sequence[tuple[Interval, Interval]], one: Interval | None, other: Interval | None) -> Interval:
    """Return how far the larger of two moves: as the one that is surely larger before and after does, or as either.

    Args:
        ends: before and after, of both.
        one, other: their steps, ``None`` for 0.
    """
    (a, a1), (b, b1) = ends
    one, other = one or ZERO, other or ZERO
    first = np.asarray((a.lo >= b.hi) & (a1.lo >= b1.hi))
    second = np.asarray((b.lo >= a.hi) & (b1.lo >= a1.hi))
    return one.where(first, other.where(second, one.hull(other)))
