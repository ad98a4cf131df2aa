"""Laws of heavy-tailed noise as quotients of polynomials, and whether a proposal is accepted: by integers.

|Z| has a density proportional to h(z) = 1 / (1 + z^gamma), or 1 / (1 + z^2)^2 (Student t with three degrees of freedom,
over sqrt 3). Of z = (1 - U) / U, with U uniform, a share (1 + z)^2 h(z) / C is accepted. Proof: ``heavy_tails.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy
from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]

# Bits of U and of V that everybody draws.
PREFIX, COIN = 53, 32
_MOST = 256


@dataclass(frozen=True)
class Family:
    """A law of |Z|: gamma, 0 for Student t, and a rational C >= the largest (1 + z)^2 h(z)."""

    gamma: int
    ceiling: Fraction

    def ratio(self, u: Floats) -> Floats:
        """Return (1 + z)^2 h(z) / C at z = (1 - u) / u, by sums, products and quotients only."""
        square, rest = u * u, (1.0 - u) ** 2
        if not self.gamma:
            total = square + rest
            return np.asarray(square / (total * total * float(self.ceiling)))
        # Whole powers of U and 1 - U, below by two or three, as gamma is even or odd.
        upper, lower = (u, rest * (1.0 - u)) if self.gamma % 2 else (np.ones_like(u), rest)
        for _ in range(self.gamma // 2 - 1):
            upper, lower = upper * square, lower * rest
        return np.asarray(upper / ((upper * square + lower) * float(self.ceiling)))

    def decide(self, least: int, most: int, v: int, bits: int, coin: int) -> bool | None:
        """Tell whether all U in [least, most] / 2^bits with V in [v, v + 1] / 2^coin are accepted, none, or some."""
        whole, c, power = 1 << bits, self.ceiling, self.gamma or 2
        if self.gamma:
            low, high = least ** (power - 2) << 2 * bits, most ** (power - 2) << 2 * bits
            large, small = most**power + (whole - least) ** power, least**power + (whole - most) ** power
        else:
            low, high = least**2 << 2 * bits, most**2 << 2 * bits
            large, small = (most**2 + (whole - least) ** 2) ** 2, (least**2 + (whole - most) ** 2) ** 2
        if (v + 1) * c.numerator * large <= low * c.denominator << coin:
            return True
        if v * c.numerator * small >= high * c.denominator << coin:
            return False
        return None


@cache
def family(gamma: int) -> Family:
    """Return the law of a whole gamma from 2 to 256, or of 0: Student t with three degrees of freedom over sqrt 3.

    Raises:
        ValueError: another gamma.
    """
    if gamma and not 2 <= gamma <= _MOST:
        raise InputError(f"gamma must be a whole number from 2 to {_MOST}, or 0 for Student t.")
    if not gamma:
        return Family(0, Fraction(729, 500))
    # On a cell [i, i + 1] / n the ratio is below its numerator at one end over its denominator at the other; from 1 on
    # it falls, from 2.
    n = 64 * gamma
    cells = (Fraction((n + i + 1) ** 2 * n ** (gamma - 2), n**gamma + i**gamma) for i in range(n))
    return Family(gamma, Fraction(math.ceil(1000 * max(cells)), 1000))


def settle(noise_family: Family, k: int, v: int, entropy: Entropy) -> tuple[bool, int, int]:
    """Draw bits of U and V until both decide; return whether U is accepted, and what is known of it."""
    bits, coin = PREFIX, COIN
    while (accepted := noise_family.decide(k, k + 1, v, bits, coin)) is None:
        k, bits = k << 64 | int.from_bytes(entropy(8), "big"), bits + 64
        v, coin = v << 64 | int.from_bytes(entropy(8), "big"), coin + 64
    return accepted, k, bits
