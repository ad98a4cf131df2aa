"""Heavy-tailed noise as the door draws it, and how far it may be slid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dpselect.mechanisms.smooth.student_t import shift_for

# At least the square root of 3, by less than 2^-63: |T| = sqrt 3 |Z| for Student t with three degrees of freedom.
ROOT_3 = Fraction(math.isqrt(3 << 128) + 1, 2**64)
# Below this, shifts are taken in proportion: a slide never costs more than its steepest slope times its length.
_STRAIGHT = Fraction(1, 2**20)


@dataclass(frozen=True)
class Tails:
    """The noise Z that is drawn exactly, of scale 1.

    Attributes:
        gamma: even, for a density proportional to 1 / (1 + |z|^gamma); 0 for 1 / (1 + z^2)^2, which is Student t with
            three degrees of freedom over sqrt 3.
        sides: 1 for |Z|, 2 for Z.
    """

    gamma: int
    sides: int = 1


def shift(epsilon: Fraction) -> Fraction:
    """Return a shift of |T| that costs at most epsilon, rounded down; it is positive for every epsilon.

    >>> float(shift(Fraction(5))), float(shift(Fraction(1, 10**400)) * 10**400)
    (6.715947..., 0.9418...)
    """
    halvings = 0 if epsilon >= _STRAIGHT else (epsilon.denominator // epsilon.numerator).bit_length() - 21
    near = min(epsilon, Fraction(600)) * (1 << halvings)
    below = float(near)
    if Fraction(below) > near:
        below = math.nextafter(below, 0.0)
    return Fraction(shift_for(below)) / (1 << halvings)
