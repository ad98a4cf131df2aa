"""Noisy max with Laplace noise: integers and one Fraction in, the position of the winner out.

References: Dwork and Roth 2014, section 3.3.
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy
from dpselect.kernel.units import double

# Candidates handled at a time: small enough to stay in cache, large enough to hide the cost of a call.
_CHUNK = 2**15


def laplace(ticks: NDArray[np.int64], rate: Fraction, entropy: Entropy, clip: Fraction | None = None) -> int:
    """Draw the largest of ticks * rate + Laplace(1), refining the noise until the winner is certain.

    With a public ``clip`` no candidate counts as further behind the best than that many units of noise.
    Noise is known only as an interval: 63 bits of a uniform number and a sign first, 64 bits more for each that
    may still win. Ties have probability zero, so this ends.
    """
    top, scale, most_behind = ticks.max(), double(rate), np.inf if clip is None else double(clip)
    bar, rivals = -np.inf, list[_Rival]()
    for start in range(0, ticks.size, _CHUNK):
        gaps = top - ticks[start : start + _CHUNK]
        drawn = np.frombuffer(entropy(8 * gaps.size), dtype=np.uint64)
        sign = np.where(drawn & np.uint64(1), 1.0, -1.0)
        prefix = (drawn >> np.uint64(1)).astype(np.float64)
        base = -np.minimum(gaps * scale, most_behind)
        with np.errstate(divide="ignore"):
            most, least = -np.log(prefix * 2.0**-63), -np.log(np.minimum((prefix + 1) * 2.0**-63, 1.0))
        # The guard is a thousand times the rounding of these few operations.
        slack = 2.0**-40 * (1 - base + np.where(np.isfinite(most), most, 50.0))
        high = base + np.where(sign > 0, most, -least) + slack
        low = base + np.where(sign > 0, least, -most) - slack
        bar = max(bar, float(low.max()))
        rivals += [
            _Rival(start + int(i), _behind(int(gaps[i]) * rate, clip), int(sign[i]), int(drawn[i] >> np.uint64(1)), 63)
            for i in np.flatnonzero(high >= bar)
        ]
    while len(rivals) > 1:
        rivals = _rivals_left([rival.refine(entropy) for rival in rivals])
    return rivals[0].position


def _behind(gap: Fraction, clip: Fraction | None) -> Fraction:
    return gap if clip is None else min(gap, clip)


@dataclass(frozen=True)
class _Rival:
    """A candidate that may still win: its gap in units of the noise, and what is known of its noise."""

    position: int
    gap: Fraction
    sign: int
    prefix: int
    bits: int

    def refine(self, entropy: Entropy) -> _Rival:
        more = self.prefix << 64 | int.from_bytes(entropy(8), "big")
        return _Rival(self.position, self.gap, self.sign, more, self.bits + 64)

    def between(self) -> tuple[Fraction, Fraction | None]:
        """Return bounds on -gap + sign * (-ln U); ``None`` stands for no bound on the noise's size."""
        digits = self.bits // 3 + 20
        context = decimal.Context(prec=digits, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[])
        whole = decimal.Decimal(2**self.bits)
        least = Fraction(logarithm(self.prefix + 1, whole, context, decimal.ROUND_FLOOR))
        if not self.prefix:
            return least, None
        return least, Fraction(logarithm(self.prefix, whole, context, decimal.ROUND_CEILING))


def logarithm(part: int, whole: decimal.Decimal, context: decimal.Context, rounding: str) -> decimal.Decimal:
    """Return -ln(part / whole), rounded outwards by one unit in the last place at each step."""
    step = context.next_plus if rounding == decimal.ROUND_CEILING else context.next_minus
    difference = context.subtract(context.ln(whole), context.ln(decimal.Decimal(part)))
    # Both logarithms carry half a unit of error at their own size, which cancellation keeps.
    unit = context.scaleb(decimal.Decimal(1), context.ln(whole).adjusted() - context.prec + 2)
    moved = context.add(difference, unit if rounding == decimal.ROUND_CEILING else unit.copy_negate())
    return max(step(moved), decimal.Decimal(0))


def _rivals_left(rivals: list[_Rival]) -> list[_Rival]:
    bounds: list[tuple[Fraction | None, Fraction | None]] = []
    for rival in rivals:
        least, most = rival.between()
        if rival.sign > 0:
            bounds.append((least - rival.gap, None if most is None else most - rival.gap))
        else:
            bounds.append((None if most is None else -most - rival.gap, -least - rival.gap))
    bar = max((low for low, _ in bounds if low is not None), default=None)
    return [
        rival for rival, (_, high) in zip(rivals, bounds, strict=True) if bar is None or high is None or high >= bar
    ]
