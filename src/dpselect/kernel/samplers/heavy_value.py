"""One number plus heavy-tailed noise, rounded to the nearest integer: integers and one Fraction in, one integer out.

The noise Z has density proportional to 1 / (1 + z^2)^p: p = 1 is Cauchy, p = 2 is Student t with three degrees of
freedom over sqrt 3. Rejection from |Z| = (1 - U) / U, U uniform; U and the uniform V that decides acceptance are known
as intervals, and get more bits until every completion gives the same answer. No floats, no quantile, no pi.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dpselect.kernel.coins import Entropy

# At least the supremum of (1 + z)^2 / (1 + z^2)^p, which is 2 and 1.4571...: acceptance is divided by it.
_CEILING = {1: Fraction(2), 2: Fraction(1458, 1000)}
_HALF = Fraction(1, 2)


def heavy_value(centre: int, scale: Fraction, power: int, entropy: Entropy) -> int:
    """Return floor(centre + scale Z + 1/2), exactly.

    Args:
        centre: any integer.
        scale: positive; exact.
        power: 1 for Cauchy, 2 for Student t.
        entropy: where the bits come from.
    """
    drawn, bits = _accepted(power, entropy)
    sign = 1 if entropy(1)[0] & 1 else -1
    while True:
        # U lies in [drawn, drawn + 1) / 2^bits, so |Z| between these two.
        whole = 1 << bits
        if drawn:
            least, most = Fraction(whole - drawn - 1, drawn + 1), Fraction(whole - drawn, drawn)
            one, other = (math.floor(centre + sign * scale * z + _HALF) for z in (least, most))
            if one == other:
                return one
        drawn, bits = _longer(drawn, entropy), bits + 64


def _accepted(power: int, entropy: Entropy) -> tuple[int, int]:
    """Return a prefix of an accepted U, and how many bits it has; the bits that follow are still uniform."""
    while True:
        drawn, bar, bits = _longer(0, entropy), _longer(0, entropy), 64
        while (verdict := decide(drawn, bar, bits, power)) is None:
            drawn, bar, bits = _longer(drawn, entropy), _longer(bar, entropy), bits + 64
        if verdict:
            return drawn, bits


def decide(drawn: int, bar: int, bits: int, power: int) -> bool | None:
    """Return whether V ceiling < U^(2p-2) / (U^2 + (1-U)^2)^p for all U and V with these prefixes, for none, or None.

    That is (1 + z)^2 / (1 + z^2)^p with z = (1 - U) / U. U^2 + (1 - U)^2 is convex with its least value at 1/2, and the
    ends are dyadic, so 1/2 is never inside.
    """
    whole, after = 1 << bits, drawn + 1
    ends = [drawn**2 + (whole - drawn) ** 2, after**2 + (whole - after) ** 2]
    ceiling = _CEILING[power]
    least = Fraction(drawn ** (2 * power - 2) << 2 * bits, max(ends) ** power)
    most = Fraction(after ** (2 * power - 2) << 2 * bits, min(ends) ** power)
    if Fraction(bar + 1, whole) * ceiling <= least:
        return True
    if Fraction(bar, whole) * ceiling >= most:
        return False
    return None


def _longer(prefix: int, entropy: Entropy) -> int:
    return prefix << 64 | int.from_bytes(entropy(8), "big")
