"""The error of noisy counts, whatever the data: by the public law of two-sided geometric noise.

Proof: ``count_bound.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from dpselect.kernel.numbers import Epsilon, exact_positive
from dpselect.mechanisms.error_bound import PROBABILITY, ErrorBound, exact_chance

# Far more than what rounding to 60 digits takes away.
_SAFE = Decimal("1e-40")


@dataclass(frozen=True)
class CountBound(ErrorBound):
    """A bound on the errors of several noisy counts, all of them together.

    Attributes:
        rate: of the noise, which is z with probability in proportion to exp(-rate |z|).
        counts: how many there are, each with noise of its own.
    """

    rate: Fraction
    counts: int = 1

    def tail(self, error: int) -> float:
        """Return the probability that at least one count is off by ``error`` records or more.

        >>> round(CountBound(Fraction(1)).tail(3), 4), round(CountBound(Fraction(1), 100).tail(8), 4)
        (0.0728, 0.0479)
        """
        if error <= 0:
            return 1.0
        rate = float(self.rate)
        one = 2 * math.exp(-rate * error) / (1 + math.exp(-rate))
        return -math.expm1(self.counts * math.log1p(-min(one, 1 - 2**-53)))

    def at(self, probability: Epsilon = PROBABILITY) -> float:
        """Return what all errors stay below with this probability, in records.

        Raises:
            ValueError, TypeError: the probability is not between 0 and 1.
        """
        return within(self.rate, self.counts, probability) + 1

    def _sentence(self, probability: Epsilon, unit: str) -> str:
        share = f"with {float(exact_positive(probability, 'probability')) * 100:g} %"
        off = within(self.rate, self.counts, probability)
        return f"{share} every count is within {off}{unit and ' '}{unit}, whatever the data"


def within(rate: Fraction, cells: int, probability: Epsilon = 0.95) -> int:
    """Return the least n such that noise of this rate leaves all of so many counts within n with this probability.

    Exactly: one count is off by more than n with chance 2 q^(n + 1) / (1 + q), q = exp(-rate), each by itself.

    Raises:
        ValueError: a probability that is not between 0 and 1.

    >>> within(Fraction(1), 1), within(Fraction(1), 1000)
    (3, 10)
    """
    chance = exact_chance(probability)
    with localcontext(prec=60):
        one, exponent = Decimal(1), Decimal(rate.numerator) / rate.denominator
        # The chance with which each count may be further off.
        each = one - ((Decimal(chance.numerator) / chance.denominator).ln() / cells).exp()
        least = -(each * (one + (-exponent).exp()) / 2).ln() / exponent
        return max(0, math.ceil(least * (one + _SAFE)) - 1)
