"""The cost to a candidate when the scale of all noises grows: the constant of ``joint``'s downward condition.

When the scale of m one-sided noises grows by e^d, ln Pr[r] falls by at most K(m) d, for every candidate r and all
scores. For Student t K(m) is read off published chords, each certified by cells, and is at most 3 R(m) anyway; for
other noise it is kappa R(m). Proof: ``dilation.md``.
"""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpselect.mechanisms.smooth.heavy_tail import CONTEXT, HeavyTail

# Student t: rivals and cost at both ends of a chord. Between its ends a chord is above the cost, which is convex in the
# number of rivals for one witness; tests/mechanisms/dilation_witnesses.json has the witness of each.
CHORDS = (
    (1, "0.2421", 2, "0.4842"),
    (2, "0.4322", 3, "0.6188"),
    (3, "0.5889", 4, "0.7201"),
    (4, "0.7268", 6, "0.9459"),
    (6, "0.9279", 8, "1.08"),
    (8, "1.06", 9, "1.128"),
    (9, "1.145", 11, "1.263"),
    (11, "1.264", 13, "1.37"),
    (13, "1.384", 16, "1.519"),
    (16, "1.52", 19, "1.638"),
    (19, "1.651", 23, "1.786"),
    (23, "1.789", 27, "1.907"),
    (27, "1.921", 32, "2.048"),
    (32, "2.063", 38, "2.196"),
    (38, "2.212", 45, "2.345"),
    (45, "2.37", 54, "2.517"),
    (54, "2.539", 64, "2.679"),
    (64, "2.708", 76, "2.852"),
    (76, "2.889", 91, "3.041"),
    (91, "3.08", 108, "3.226"),
    (108, "3.246", 128, "3.446"),
    (128, "3.444", 152, "3.65"),
    (152, "3.653", 181, "3.877"),
    (181, "3.873", 215, "4.097"),
    (215, "4.102", 256, "4.331"),
    (256, "4.341", 304, "4.57"),
    (304, "4.591", 362, "4.824"),
    (362, "4.853", 431, "5.087"),
    (431, "5.125", 512, "5.357"),
    (512, "5.409", 609, "5.641"),
    (609, "5.705", 724, "5.936"),
    (724, "5.963", 861, "6.296"),
    (861, "6.283", 1024, "6.617"),
    (1024, "6.618", 1218, "6.953"),
    (1218, "6.968", 1448, "7.301"),
    (1448, "7.332", 1722, "7.665"),
    (1722, "7.713", 2048, "8.045"),
    (2048, "8.11", 2435, "8.441"),
    (2435, "8.524", 2896, "8.855"),
    (2896, "8.919", 3444, "9.374"),
    (3444, "9.337", 4096, "9.86"),
    (4096, "9.807", 4871, "10.34"),
    (4871, "10.3", 5792, "10.83"),
    (5792, "10.82", 6889, "11.29"),
    (6889, "11.36", 8192, "11.82"),
    (8192, "11.92", 9742, "12.38"),
    (9742, "12.51", 11585, "12.97"),
    (11585, "13.11", 13777, "13.66"),
    (13777, "13.67", 16384, "14.39"),
    (16384, "14.33", 19484, "15.06"),
    (19484, "15.05", 23170, "15.76"),
    (23170, "15.78", 27554, "16.5"),
    (27554, "16.55", 32768, "17.27"),
    (32768, "17.37", 38968, "18.09"),
    (38968, "18.21", 46341, "18.96"),
    (46341, "19", 55109, "19.95"),
    (55109, "19.94", 65536, "20.9"),
    (65536, "20.94", 77936, "21.88"),
    (77936, "22", 92682, "22.9"),
    (92682, "23.09", 110218, "24.01"),
    (110218, "24.25", 131072, "25.18"),
)
# Cells in which kappa is sought, geometric between these two, and what is reserved for rounding.
_CELLS, _NEAR, _FAR, _SAFE = 2**17, 0.1, 1e7, 1e-9


@lru_cache(maxsize=1024)
def downwards(tail: HeavyTail, candidates: int) -> Fraction:
    """Return K(m), rounded up, for m >= 2 candidates.

    >>> [round(float(downwards(HeavyTail(0), m)), 2) for m in (2, 10, 100, 10**7)]
    [0.24, 1.13, 3.15, 37.99]
    """
    rivals = candidates - 1
    costs = [kappa(tail) * rival_bound(candidates)]
    if not tail.gamma:
        for few, least, many, most in CHORDS:
            if few <= rivals <= many:
                share = Fraction(rivals - few, many - few)
                costs.append(Fraction(least) * (1 - share) + Fraction(most) * share)
            elif rivals < few:
                # What costs at most this for more rivals does so for fewer.
                costs.append(Fraction(least))
    return min(costs)


@lru_cache(maxsize=1024)
def rival_bound(candidates: int) -> Fraction:
    """Return R(m) = (1 - 1/m) (1 + W0((m - 1) e^(-1 - m/(m-1)))), rounded up.

    >>> round(float(rival_bound(2)), 4), round(float(rival_bound(10**6)), 3)
    (0.5237, 10.558)
    """
    from scipy.special import lambertw

    rivals = candidates - 1
    with decimal.localcontext(CONTEXT):
        # The root y of y + ln y = ln x, above which the left side is more.
        right = Decimal(rivals).ln() - 1 - Decimal(candidates) / rivals
        near, above = Decimal(float(lambertw(math.exp(float(right))).real)), Decimal("1e-14")
        while (root := near * (1 + above)) + root.ln() < right + above / 4:
            above *= 2
    return Fraction(rivals, candidates) * (1 + Fraction(root))


@lru_cache(maxsize=64)
def kappa(tail: HeavyTail) -> Fraction:
    """Return the most that w f(w) / F(w) is as a multiple of -ln F(w), rounded up: 3 for Student t.

    >>> float(kappa(HeavyTail(0))), round(float(kappa(HeavyTail(2))), 3), round(float(kappa(HeavyTail(4))), 3)
    (3.0, 1.048, 3.001)
    """
    if not tail.gamma:
        return Fraction(3)
    far = _FAR ** (1 / tail.power)
    edges = np.exp(np.linspace(math.log(_NEAR), math.log(far), _CELLS + 1))
    losses = tail.loss(edges)
    beyond = np.exp(-losses)
    # w f / F falls and so does -ln F; up to the first edge the one is at most 1, the other at least this.
    rising = edges * tail.hazard(edges) * beyond / -np.expm1(-losses)
    falling = -np.log(-np.expm1(-losses))
    within = max(float((rising[:-1] / falling[1:]).max()), 1 / float(falling[0]))
    # Beyond the last edge: w f / Pr[Z > w] is at most the power, and -ln(1 - x) at least x + x^2 / 2.
    return Fraction(max(within, tail.power / (1 - float(beyond[-1]))) * (1 + _SAFE))
