"""Smooth Noisy Max with a public clip: light-tailed noise at pure epsilon.

Scores further behind the best than T units of noise count as T units behind it, T public. Then a moving scale costs
exactly T per unit of its logarithm, for exponential and for Laplace noise and any number of candidates, so that

    beta = phi epsilon / T,    c = max(b e^-beta / ((1 - phi) epsilon), b / epsilon).

The price is that a hopeless candidate keeps a chance: all of them together keep at most ``floor`` where T is the
``depth`` of that floor. Proof: ``clip.md``.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from dpselect.mechanisms.pmf import Floats, exponents, laplace_at, permute_and_flip_at
from dpselect.mechanisms.sampler import CLIPPED_FLIP, CLIPPED_LAPLACE, Sampler
from dpselect.mechanisms.smooth.light_tails import LARGEST
from dpselect.mechanisms.smooth.rounded_decimals import both

# How many candidates there are to the public clip, in units of noise.
Clip = Callable[[int], Fraction]
_DIGITS = 40
_MICRO = Decimal(1).scaleb(-6)


def constant_clip(units: Fraction, _: int) -> Fraction:
    """Return the same clip for any number of candidates."""
    return units


@lru_cache(maxsize=1024)
def depth(noise: str, floor: Fraction, candidates: int) -> Fraction:
    """Return how far behind m - 1 candidates win with probability ``floor`` at most, all together; six decimals.

    For exponential noise that is ln((m-1) / (2 floor)); for Laplace noise, where (m-1) e^-T (1/2 + T/4) = floor.

    >>> [float(depth("exponential", Fraction(1, 1000), m)) for m in (2, 10, 100, 1000)]
    [6.214609, 8.411833, 10.809728, 13.121363]
    """
    _, up = both(_DIGITS)
    rivals = max(candidates, 2) - 1
    result = up.ln(up.of(rivals / (2 * floor)))
    # T = ln((m-1)/floor) + ln(1/2 + T/4): from below, each step gains less than half of what the one before did.
    for _step in range(60 if noise == "laplace" else 0):
        share = up.context.add(Decimal("0.5"), up.context.divide(result, Decimal(4)))
        result = max(result, up.context.add(up.ln(up.of(rivals / floor)), up.ln(share)))
    return Fraction(result.quantize(_MICRO, rounding=decimal.ROUND_CEILING, context=up.context))


def calibrate(
    candidates: int, epsilon: Fraction, *, range_bound: int, phi: Fraction, clip: Clip
) -> tuple[Fraction, Fraction]:
    """Return (beta, c) for that many candidates: beta exact, c rounded up."""
    epsilon = min(epsilon, LARGEST)
    down, up = both(_DIGITS)
    beta = phi * epsilon / clip(candidates)
    shrunk = Fraction(up.exp_of_minus(down.of(beta)))
    return beta, range_bound * max(shrunk / ((1 - phi) * epsilon), 1 / epsilon)


def clipped_flip(clip: Clip) -> Sampler:
    """Return permute-and-flip on clipped gaps: one-sided exponential noise."""
    return Sampler(CLIPPED_FLIP, partial(_log_pmf, law=permute_and_flip_at, clip=clip), clip=clip)


def clipped_laplace(clip: Clip) -> Sampler:
    """Return noisy max with Laplace noise on clipped gaps."""
    return Sampler(CLIPPED_LAPLACE, partial(_log_pmf, law=laplace_at, clip=clip), most_groups=10_000, clip=clip)


def _log_pmf(
    gaps: NDArray[np.int64],
    counts: NDArray[np.int64],
    rate: Fraction,
    law: Callable[[Floats, NDArray[np.int64]], Floats],
    clip: Clip,
) -> Floats:
    """Return log Pr of one candidate of each group, where no gap is more than the clip."""
    behind = np.minimum(exponents(gaps, rate), float(clip(int(counts.sum()))))
    levels, group = np.unique(behind, return_inverse=True)
    sizes = np.zeros(levels.size, dtype=np.int64)
    np.add.at(sizes, group, counts)
    return law(levels, sizes)[group]
