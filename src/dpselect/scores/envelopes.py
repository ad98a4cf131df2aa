"""Upper and lower bounds of each score, a number of steps away, in exact integers.

low(y) = u - (delta(0) + .. + delta(y - 1)) and high(y) = u + the same sum, or what is known to be the most if that is
less. All are counted in a public quantum, a power of two between 2^-36 and 2^-35 of the ceiling: scores are rounded
down to it, the most up, and sensitivities up and a little more, so that one neighbour moves the integers no further
than delta lets it, although scores and sensitivities were rounded before.

Proof: ``margin.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.units import TICK_CLIP
from dpselect.scores.scores import Scores

Integers = NDArray[np.int64]
Positions = NDArray[np.intp]

# Where every walk ends: no list needs to know that it is safe for more edits.
FARTHEST = 2**22
# A ceiling is at most 2^36 quanta, so a sum of FARTHEST of them stays below 2^59; scores are cut at 2^60 from one of
# them, beyond which no sum brings two together.
_BITS, _CUT = 36, 2**60
# Floats up to here become integers before they are subtracted; beyond it a difference is exact, or beyond the cut.
_NEAR = 2.0**61
# Real scores are right to a relative 2^-44 where they are at most so many quanta; every step allows for more.
_SHARE, _LARGEST = 2.0**-38, 2.0**68
_FIRST, _LONGEST, _CELLS = 4, 256, 2**22


class Envelopes:
    """The curves of all candidates, for distances of one stretch at a time.

    Args:
        scores: with a public ceiling.
        reference: the score from which all are counted; which one it is changes no difference.
    """

    def __init__(self, scores: Scores, reference: Any) -> None:
        sensitivity = scores.sensitivity
        self._scores, self._reference = scores, reference
        self._shift = _BITS - math.frexp(sensitivity.ceiling)[1]
        self._values = self._quanta(scores.values)
        # How large real scores are, in quanta: what they were rounded by before is a share of it.
        self._sizes: NDArray[np.float64] | None = None
        if scores.values.dtype.kind == "f":
            with np.errstate(over="ignore", under="ignore"):
                self._sizes = np.minimum(np.ldexp(np.abs(scores.values), self._shift), _LARGEST)
        self._most = int(_upwards(np.array([sensitivity.ceiling]), self._shift)[0]) + 1
        size = len(scores)
        self._row = np.zeros(size, dtype=np.intp) if sensitivity.profile is None else sensitivity.profile
        self._start = 0
        # The sums at the start of a stretch, and either those of all its distances or one slope for each row.
        self._table: Integers | None = None
        self._base = np.zeros(1, dtype=np.int64)
        self._slope = np.zeros(1, dtype=np.int64)

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Yield the two ends of one stretch after another; ``low`` and ``high`` answer between the last two."""
        sensitivity = self._scores.sensitivity
        start = 0
        if sensitivity.bounds is None:
            end = min(sensitivity.horizon, FARTHEST)
            length = _FIRST
            while start < end:
                stop = min(start + length, end)
                steps = self._steps(np.arange(start, stop, dtype=np.int64))
                table = np.empty((stop - start + 1, steps.shape[1]), dtype=np.int64)
                table[0] = self._base
                np.cumsum(steps, axis=0, out=table[1:])
                table[1:] += table[0]
                self._start, self._table, self._base = start, table, table[-1]
                yield start, stop
                start, length = stop, max(1, min(2 * length, _LONGEST, _CELLS // steps.shape[1]))
        # From the reach on every step is the ceiling; public bounds of candidates are their steps everywhere.
        self._start, self._table, self._slope = start, None, np.array([self._most])
        if sensitivity.bounds is not None:
            self._slope = _upwards(sensitivity.bounds, self._shift) + 1
        self._base, self._slope = (np.asarray(each) for each in np.broadcast_arrays(self._base, self._slope))
        if self._base.size == 1:
            self._row = np.zeros_like(self._row)
        length = 1
        while start < FARTHEST:
            stop = min(start + length, FARTHEST)
            yield start, stop
            start, length = stop, 2 * length

    def low(self, steps: Any, at: Positions) -> Integers:
        """Return the least that scores may be so many steps away; steps and positions are broadcast."""
        least: Integers = self._values[at] - self._sums(steps, at)
        return least

    def high(self, steps: Any, at: Positions) -> Integers:
        """Return the most that scores may be so many steps away."""
        most: Integers = self._values[at] + self._sums(steps, at)
        if self._scores.highest is None:
            return most
        known = np.asarray(self._scores.highest(np.asarray(steps, dtype=np.int64), at))
        if known.dtype.kind == "f" and np.isnan(known).any():
            raise InputError("The most that a score may be is a number at every distance: check the function passed.")
        known = _whole(known) if self._scores.values.dtype.kind == "i" else known.astype(np.float64)
        return np.minimum(most, self._quanta(known, up=True))

    def _steps(self, distances: Integers) -> Integers:
        """Return delta of all rows in quanta, shape (k, rows)."""
        return self._in_quanta(self._scores.sensitivity.by_profile(distances), distances[:, None])

    def _sums(self, steps: Any, at: Positions) -> Integers:
        """Return how far scores may move; real ones that move at all further by a share, as they were rounded."""
        moved = self._envelope_sums(steps, at)
        if self._sizes is None:
            return np.asarray(moved)
        rounded = np.asarray(steps) * _SHARE * (self._sizes[at] + moved)
        return np.asarray(moved + np.where(moved > 0, rounded, 0.0).astype(np.int64))

    def _envelope_sums(self, steps: Any, at: Positions) -> Integers:
        """Return the sums of delta over so many steps, in quanta."""
        away, row = np.asarray(steps) - self._start, self._row[at]
        return np.asarray(
            self._base[row] + away * self._slope[row] if self._table is None else self._table[away, row], dtype=np.int64
        )

    def _in_quanta(self, delta: NDArray[np.float64], distances: Integers) -> Integers:
        """Return delta in quanta, rounded up, and a quantum more with every distance, for what it was rounded before.

        It is at most the ceiling, with its own quantum, and a safe step stays safe.
        """
        whole = _upwards(delta, self._shift) + (1 + distances)
        return np.asarray(np.where(delta > 0, np.minimum(whole, self._most), 0), dtype=np.int64)

    def _quanta(self, values: NDArray[Any], *, up: bool = False) -> Integers:
        """Return how many quanta values lie above the reference, both rounded, cut on either side."""
        if values.dtype.kind == "i":
            return _of_integers(values, int(self._reference), self._shift, up)
        return _of_floats(values, float(self._reference), self._shift, up)


def _whole(known: NDArray[Any]) -> Integers:
    """Return bounds as integers, rounded up, within the clip of integer scores: beyond it they say no more."""
    if known.dtype.kind == "u":
        known = np.minimum(known, np.asarray(TICK_CLIP, dtype=np.uint64))
    elif known.dtype.kind not in "bi":
        known = np.ceil(np.clip(known.astype(np.float64), -_NEAR, _NEAR))
    whole: Integers = np.clip(known.astype(np.int64), -TICK_CLIP, TICK_CLIP)
    return whole


def _of_integers(values: Integers, reference: int, shift: int, up: bool) -> Integers:
    if shift < 0:
        places = min(-shift, 63)
        whole = -(-values >> places) if up else values >> places
        return np.asarray(np.clip(whole - (reference >> places), -_CUT, _CUT))
    away = values - reference
    if shift > 60:
        return np.asarray(np.sign(away) * _CUT)
    return np.asarray(np.clip(away, -(_CUT >> shift), _CUT >> shift) << shift)


def _of_floats(values: NDArray[np.float64], reference: float, shift: int, up: bool) -> Integers:
    with np.errstate(over="ignore", under="ignore"):
        scaled, origin = np.ldexp(values, shift), float(np.ldexp(reference, shift))
        away = np.ldexp(values - reference, shift)
    whole = np.ceil(scaled) if up else np.floor(scaled)
    result = np.clip(away, -float(_CUT), float(_CUT)).astype(np.int64)
    if abs(origin) <= _NEAR:
        near = np.abs(whole) <= _NEAR
        result[near] = np.clip(whole[near].astype(np.int64) - math.floor(origin), -_CUT, _CUT)
    return result


def _upwards(steps: NDArray[np.float64], shift: int) -> Integers:
    """Return steps in quanta, rounded up."""
    with np.errstate(under="ignore"):
        return np.asarray(np.ceil(np.ldexp(steps, shift))).astype(np.int64)
