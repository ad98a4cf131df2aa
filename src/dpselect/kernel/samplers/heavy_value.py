"""One number plus heavy-tailed noise, rounded to the nearest integer: integers and one Fraction in, one integer out.

The noise has a law of ``heavy_families`` with a fair sign. The uniform number it is made of is known as an interval,
and gets more bits until every completion rounds to the same integer. No floats, no quantile, no pi.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dpselect.kernel.bernoulli_exp import Entropy
from dpselect.kernel.samplers.heavy_families import PREFIX, family, settle

_HALF = Fraction(1, 2)


def heavy_value(centre: int, scale: Fraction, gamma: int, entropy: Entropy) -> int:
    """Return floor(centre + scale Z + 1/2), exactly.

    Args:
        centre: any integer.
        scale: positive; exact.
        gamma: of the family: 2 for Cauchy noise, 0 for Student t over sqrt 3.
        entropy: where the bits come from.
    """
    noise_family, accepted = family(gamma), False
    while not accepted:
        # Fifty-three bits of U; of those that are left over the last is the sign.
        word = int.from_bytes(entropy(8), "big")
        accepted, drawn, bits = settle(noise_family, word >> 64 - PREFIX, int.from_bytes(entropy(4), "big"), entropy)
    signed = scale if word & 1 else -scale
    while True:
        # U lies in [drawn, drawn + 1) / 2^bits, so |Z| = (1 - U) / U between these two.
        whole = 1 << bits
        if drawn:
            least, most = Fraction(whole - drawn - 1, drawn + 1), Fraction(whole - drawn, drawn)
            one, other = (math.floor(centre + signed * z + _HALF) for z in (least, most))
            if one == other:
                return one
        drawn, bits = drawn << 64 | int.from_bytes(entropy(8), "big"), bits + 64
