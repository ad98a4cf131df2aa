"""Gaps between scores and the best of them, whatever their size, and the ticks made of that.

A difference of two floats, and its quotient by a unit, are right to a relative 2^-53 each, so that gaps near the best
are nearly exact even where all scores are far from zero. Proof of the margins: ``gaps.md``.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.units import TICK_CLIP, TICKS, UnitScores

Numbers = NDArray[np.int64] | NDArray[np.float64]
# What one unit, and a range of one or two units, are in ticks.
_PER_UNIT, _SPANS = Fraction(TICKS), {bound: Fraction(bound * TICKS + 3) for bound in (1, 2)}
# Gaps beyond this many units are cut: a public clip. Up to here their rounding is a sixteenth of a tick.
GAP_CLIP = 2.0**28
_DEEPEST = -GAP_CLIP * TICKS
# Powers of two between which a unit is used as it is; others are brought here, and the scores by as much.
_LEAST, _MOST = -1000, 900
# Candidates handled at a time, so that what is computed of them stays in cache.
_CHUNK, _ROOM = 2**15, 2**21
# Between these units ticks are divided by directly.
_NEAR_ONE = 2.0**-900, 2.0**900


def behind(values: Numbers, unit: float) -> NDArray[np.float64]:
    """Return (max - values) over a unit > 0, shape (m,), relative error below 2^-50.

    Beyond floats it is infinite. Integers are clipped at 2^61 and subtracted as integers.
    """
    mantissa, exponent = math.frexp(unit)
    near = min(max(exponent, _LEAST), _MOST)
    away = near - exponent
    # Overflow is the right answer here: such a gap is beyond every clip. Underflow loses 2^-1074 of a gap whose unit is
    # 2^899 at least, or of a quotient.
    with np.errstate(over="ignore", under="ignore"):
        if values.dtype.kind == "i":
            whole = np.clip(values, -TICK_CLIP, TICK_CLIP)
            gaps = (whole.max() - whole).astype(np.float64)
            gaps = np.ldexp(gaps, away) if away else gaps
        elif away < 0:
            small = np.ldexp(values, away)
            gaps = small.max() - small
        else:
            gaps = values.max() - values
            gaps = np.ldexp(gaps, away) if away else gaps
        gaps = np.asarray(gaps, dtype=np.float64)
        gaps /= math.ldexp(mantissa, near)
    return gaps


def gap_ticks(values: Numbers, unit: float, range_bound: int) -> UnitScores:
    """Return minus the gaps in units floored to ticks of 2^-20, with a span of range_bound * 2^20 + 3.

    Why the margin is 3: the best moves too, by any real number, so that the interval of all moves does not end at
    whole ticks as it does in ``floor_ticks``.
    """
    if values.dtype.kind == "i" or not _NEAR_ONE[0] < unit < _NEAR_ONE[1]:
        gaps = behind(values, unit)
        np.minimum(gaps, GAP_CLIP, out=gaps)
        gaps *= -TICKS
        ticks = np.floor(gaps, out=gaps).astype(np.int64)
    else:
        # The same in fewer passes: no power of two need be taken out, and a tick is a unit over another.
        # The rest is never touched: beside so large a block the C library keeps pages for the next release.
        room = values.size + min(3 * values.size, _ROOM)
        best, ticks = values[values.argmax()], np.empty(room, dtype=np.int64)[: values.size]
        with np.errstate(over="ignore", under="ignore"):
            for start in range(0, values.size, _CHUNK):
                gaps = best - values[start : start + _CHUNK]
                gaps /= -unit / TICKS
                if gaps[gaps.argmin()] < _DEEPEST:
                    np.maximum(gaps, _DEEPEST, out=gaps)
                ticks[start : start + _CHUNK] = np.floor(gaps, out=gaps)
    return UnitScores(ticks, _PER_UNIT, _SPANS[range_bound], range_bound)
